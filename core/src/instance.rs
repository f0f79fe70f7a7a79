//! What the machine needs of a JSON value, wherever it lives: as bytes, or as a tree that somebody else parsed.

use crate::error::Halt;
use crate::number::Number;
use crate::program::op::{mask, mask_of};
use crate::text::Text;
use core::ops::Range;

/// The seven kinds of JSON value, the two booleans apart.
// The bits of a type mask that admit such a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Kind {
    /// `null`
    Null = mask::NULL,
    /// `false`
    False = mask::FALSE,
    /// `true`
    True = mask::TRUE,
    /// A number.
    Number = mask::NUMBER,
    /// A string.
    String = mask::STRING,
    /// An array.
    Array = mask::ARRAY,
    /// An object.
    Object = mask::OBJECT,
}

/// The next element of a container, or its end.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Next<T, P> {
    /// One more element.
    Item(T),
    /// No more; the place behind the container.
    End(P),
}

/// What became of the search for a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Search<P> {
    /// It is the name of the entry at this offset; the place behind the string.
    Found(usize, P),
    /// It is none of those that were looked at, unless it is written with escapes.
    Missing,
    /// It takes more to tell.
    Open,
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Member<'a, P> {
    /// The name.
    pub name: Text<'a>,
    /// The name as a string value of its own.
    pub name_at: P,
    /// The value.
    pub value: P,
}

/// A JSON value that the machine can walk.
///
/// A `Place` is where a value stands. Reading a value gives the place behind it, from which the next element of the container is
/// found; a tree has no use for that and gives back any place. The machine promises to hand `next_item` and `next_member` the place
/// behind the element they gave last (or, the first time, the container's own place).
///
/// Methods that read return [`Halt`] when the text turns out not to be JSON.
pub trait Instance<'a>: Copy {
    /// Where a value stands.
    type Place: Copy;
    /// A walk over the items of an array.
    type Items;
    /// A walk over the members of an object.
    type Members;

    /// The place of the whole value.
    fn root(self) -> Result<Self::Place, Halt>;
    /// The kind of the value at `at`.
    fn kind(self, at: Self::Place) -> Result<Kind, Halt>;
    /// The same as the bits of a type mask that admit such a value, 0 where there is none.
    #[inline]
    fn types(self, at: Self::Place) -> u8 {
        self.kind(at).map_or(0, mask_of)
    }
    /// The same, where booleans need not be told apart.
    #[inline]
    fn types_at_most(self, at: Self::Place) -> u8 {
        self.types(at)
    }
    /// The place behind the `true`, `false` or `null` at `at`, which it is by its first letter.
    #[inline]
    fn literal(self, at: Self::Place) -> Result<Self::Place, Halt> {
        self.skip(at, 0)
    }
    /// The string at `at`, and the place behind it.
    fn string(self, at: Self::Place) -> Result<(Text<'a>, Self::Place), Halt>;
    /// Bytes of the string at `at` as it is stored, escapes and all, and the place behind it. `None` for what is no string.
    #[inline]
    fn string_len(self, at: Self::Place) -> Option<(usize, Self::Place)> {
        let (text, after) = self.string(at).ok()?;
        Some((text.end(), after))
    }
    /// Which of the first `count` names of these entries of a table, whose names begin at the offset 2 of each, the string at `at` is, as far as that
    /// is quicker to see than to read it. A reader for which this is no short cut leaves it out.
    #[inline]
    fn string_among(self, _at: Self::Place, _entries: &[u8], _count: u8) -> Search<Self::Place> {
        Search::Open
    }
    /// The number at `at`, and the place behind it.
    fn number(self, at: Self::Place) -> Result<(Number<'a>, Self::Place), Halt>;
    /// The number at `at` as mantissa and decimal places, and the place behind it, where it is written with at most 18 digits and no
    /// exponent. A reader for which this is no short cut leaves it out.
    #[inline]
    fn short_number(self, _at: Self::Place) -> Option<(i64, u32, Self::Place)> {
        None
    }
    /// Starts a walk over the array at `at`.
    fn items(self, at: Self::Place) -> Self::Items;
    /// The next item.
    fn next_item(self, items: &mut Self::Items, after: Self::Place) -> Result<Next<Self::Place, Self::Place>, Halt>;
    /// Starts a walk over the object at `at`.
    fn members(self, at: Self::Place) -> Self::Members;
    /// The next member.
    fn next_member(
        self,
        members: &mut Self::Members,
        after: Self::Place,
    ) -> Result<Next<Member<'a, Self::Place>, Self::Place>, Halt>;
    /// Whether no object can name a member twice, as in a tree that somebody else parsed. Then strings and names must be plain
    /// ([`Text::as_plain`]), and the machine takes any place for the one behind a value.
    #[inline]
    fn names_are_unique(self) -> bool {
        false
    }
    /// How many members a walk has still to give, where that is known.
    #[inline]
    fn members_left(self, _members: &Self::Members) -> Option<u32> {
        None
    }
    /// How many items a walk has still to give, where that is known.
    #[inline]
    fn items_left(self, _items: &Self::Items) -> Option<u32> {
        None
    }
    /// Whether members are found by the places of their names, which the methods from here to `member_at` read. A reader for which they are no
    /// short cut leaves all of it out.
    const BY_NAME: bool = false;
    /// Where the name of the first member of the object at `at` should stand, or the end.
    fn first_name(self, at: Self::Place) -> Result<Next<Self::Place, Self::Place>, Halt> {
        Ok(Next::End(at))
    }
    /// Where the name of the next member should stand, or the end.
    fn next_name(self, after: Self::Place) -> Result<Next<Self::Place, Self::Place>, Halt> {
        Ok(Next::End(after))
    }
    /// The value of the member whose name stands at `name_at`, if it is the name of this entry of a table, which begins at the offset 5, as far
    /// as that is quick to see.
    fn value_named(self, _name_at: Self::Place, _entry: &[u8]) -> Option<Self::Place> {
        None
    }
    /// The value of the member whose name stands at `name_at`, if it has this name, as far as that is quick to see.
    fn value_of(self, _name_at: Self::Place, _name: &[u8]) -> Option<Self::Place> {
        None
    }
    /// Which entry of a table has the string at `at` as its name, which begins at the offset 5: of those in `range` first, then of those before.
    fn entry_among(self, _at: Self::Place, _entries: &[u8], _range: Range<usize>) -> Search<Self::Place> {
        Search::Open
    }
    /// Which entry of a plain table with an index, whose slots have two bytes where that is so, has the string at `at` as its name, if any; and the
    /// place behind the string. `None` where it takes more to tell. Counts in `steps` what it looked at.
    fn entry_indexed(
        self,
        _at: Self::Place,
        _index: &[u8],
        _wide: bool,
        _entries: &[u8],
        _steps: &mut u32,
    ) -> Option<(Option<usize>, Self::Place)> {
        None
    }
    /// The place behind the string at `at`, if it is written without escapes, as far as that is quick to see.
    fn plain_end(self, _at: Self::Place) -> Option<Self::Place> {
        None
    }
    /// The hash of the string at `at` and the place behind it, if that is quick to see, as it is where it is short and written without escapes.
    fn string_hash(self, _at: Self::Place) -> Option<(u32, Self::Place)> {
        None
    }
    /// The value behind a name, if that is quick to see.
    fn value_behind(self, _name_end: Self::Place) -> Option<Self::Place> {
        None
    }
    /// The member whose name stands at `name_at`.
    fn member_at(self, name_at: Self::Place) -> Result<Member<'a, Self::Place>, Halt> {
        Ok(Member { name: Text::plain(""), name_at, value: name_at })
    }
    /// The place behind the value at `at`, at most `depth` levels of nesting below it.
    fn skip(self, at: Self::Place, depth: u32) -> Result<Self::Place, Halt>;
    /// Bytes that were read from one place to another, where that takes time: values that are parsed already need no reading, but for
    /// numbers whose digits are kept, from a number to the place behind it that [`number`](Self::number) gives.
    fn span(self, _from: Self::Place, _to: Self::Place) -> usize {
        0
    }
    /// Nothing may follow the whole value.
    fn finish(self, after: Self::Place) -> Result<(), Halt>;
    /// A number that tells this place from all others of the same value: the byte offset, or an address.
    fn id(self, at: Self::Place) -> usize;
    /// Whether the value from `at` to `after` is the one with this id, or the value or a name with this id is within it.
    fn holds(self, at: Self::Place, after: Self::Place, id: usize) -> bool;
    /// A short form of an element's place that [`recall`](Self::recall) understands: the byte offset, or the index.
    fn remember(self, element: Self::Place, index: u32) -> u32;
    /// The element (item of an array, value of a member) of the container at `container` that `remember` gave `short` for.
    fn recall(self, container: Self::Place, short: u32) -> Option<Self::Place>;
}
