//! The syntax: ECMA-262's `Pattern` with the `u` flag, one item at a time, without memory or recursion.
//!
//! Beyond the grammar it accepts what Annex B accepts and what can only mean one thing: escaped punctuation (`\-`, `\:`),
//! a lone `]`, `{` or `}`, and a class escape next to a `-` in a class (`[\w-.]`). `lenient` tells where, and `strict`
//! turns it off.

use super::error::{PatternErrorKind as Error, PatternLimit};
use super::program::{ANY_DIGIT, DOT};
use crate::text::Text;

/// No upper bound.
pub(super) const INFINITE: u32 = u32::MAX;
/// Open groups at one time; each takes a bit of `looks`.
const MAX_OPEN: u32 = 32;
/// Each name costs a pass over the pattern, to find its double.
const MAX_NAMES: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    End,
    Char(u32),
    /// One of the classes that have a code of their own: `.`, `\d`, `\W`, …
    Class(u8),
    Property(Property),
    /// A `[`: read on with [`Parser::class_item`] until `ClassItem::End`.
    ClassOpen {
        negated: bool,
    },
    TextStart,
    TextEnd,
    WordBoundary {
        negated: bool,
    },
    Open(Group),
    Close,
    Alternate,
    Repeat {
        min: u32,
        max: u32,
    },
    BackReference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Plain,
    Modified,
    Look { behind: bool, negated: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Its place among those that the caller gave; behind these, the identifier of [`unicode`](super::unicode).
    pub id: Option<u16>,
    pub negated: bool,
}

/// Properties by name, and what stands for each between the brackets of a class.
pub(crate) type Properties<'o> = &'o [(&'o str, &'o [u8])];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassItem {
    End,
    Range(u32, u32),
    Class(u8),
    Property(Property),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Parser<'t> {
    text: Text<'t>,
    pub properties: Properties<'t>,
    /// Where the last item starts: the place of an error.
    pub start: usize,
    pub at: usize,
    strict: bool,
    /// A second pass on behalf of another parser, which does the checks across the pattern.
    scanning: bool,
    /// Whether the last item can take a quantifier.
    atom: bool,
    /// Whether the `-` at hand is a character of its own.
    dash: bool,
    open: u32,
    /// A bit for each open group, the innermost lowest: whether it is a look-around.
    looks: u32,
    groups: u32,
    names: u32,
    /// The largest number of a back-reference.
    reference: u32,
    /// Where the last item, or something within it, was read leniently.
    pub lenient: Option<usize>,
}

/// What comes behind the last code point.
const NOTHING: u32 = u32::MAX;

impl<'t> Parser<'t> {
    #[inline(never)]
    pub(super) fn new(text: Text<'t>, strict: bool) -> Self {
        Self {
            text,
            properties: &[],
            start: 0,
            at: 0,
            strict,
            scanning: false,
            atom: false,
            dash: false,
            open: 0,
            looks: 0,
            groups: 0,
            names: 0,
            reference: 0,
            lenient: None,
        }
    }

    /// A parser that stands at `at`, to read again what was read before.
    #[inline(never)]
    pub(super) fn again(text: Text<'t>, at: usize) -> Self {
        Self { at, scanning: true, ..Self::new(text, false) }
    }

    pub(super) fn item(&mut self) -> Result<Item, Error> {
        self.start = self.at;
        let c = self.next();
        if c == NOTHING {
            return self.end();
        }
        let atom = self.atom;
        self.atom = true;
        let (min, max) = match ascii(c) {
            b'^' => return Ok(self.zero_width(Item::TextStart)),
            b'$' => return Ok(self.zero_width(Item::TextEnd)),
            b'|' => return Ok(self.zero_width(Item::Alternate)),
            b'.' => return Ok(Item::Class(DOT)),
            b'(' => return self.group(),
            b')' => {
                self.open = self.open.checked_sub(1).ok_or(Error::UnmatchedParenthesis)?;
                self.atom = self.looks & 1 == 0;
                self.looks >>= 1;
                return Ok(Item::Close);
            }
            b'[' => return Ok(Item::ClassOpen { negated: self.accept(b'^') }),
            b'*' => (0, INFINITE),
            b'+' => (1, INFINITE),
            b'?' => (0, 1),
            b'{' => match self.bounds()? {
                Some(bounds) => bounds,
                None => return self.lenient(c),
            },
            b']' | b'}' => return self.lenient(c),
            b'\\' => return self.escape(),
            _ => return Ok(Item::Char(c)),
        };
        if !atom {
            return Err(Error::NothingToRepeat);
        }
        if min > max {
            return Err(Error::Quantifier);
        }
        // A lazy quantifier matches the same strings.
        self.accept(b'?');
        self.atom = false;
        Ok(Item::Repeat { min, max })
    }

    /// What comes next in a class; a range of one for a single code point.
    pub(super) fn class_item(&mut self) -> Result<ClassItem, Error> {
        self.start = self.at;
        if self.dash {
            self.dash = false;
            self.next();
            return Ok(DASH);
        }
        let first = self.class_atom()?;
        let dash = self.at;
        if first == ClassItem::End || !self.accept(b'-') {
            return Ok(first);
        }
        if self.peek() == u32::from(b']') {
            // A `-` before the `]` is a character.
            self.at = dash;
            return Ok(first);
        }
        match (first, self.class_atom()?) {
            (ClassItem::Range(low, _), ClassItem::Range(high, _)) => {
                if low > high {
                    return Err(Error::RangeOrder);
                }
                Ok(ClassItem::Range(low, high))
            }
            // `[\w-.]`: Annex B reads the `-` as a character, as everyone does who reads it at all. With a second `-`
            // behind it the readings differ.
            _ => {
                if self.strict || (self.accept(b'-') && self.peek() != u32::from(b']')) {
                    return Err(Error::RangeOrder);
                }
                self.lenient = Some(dash);
                self.dash = true;
                self.at = dash;
                Ok(first)
            }
        }
    }

    fn class_atom(&mut self) -> Result<ClassItem, Error> {
        let c = self.next();
        if c == NOTHING {
            return Err(Error::UnterminatedClass);
        }
        if c == u32::from(b']') {
            return Ok(ClassItem::End);
        }
        if c != u32::from(b'\\') {
            return Ok(ClassItem::Range(c, c));
        }
        if self.accept(b'b') {
            return Ok(ClassItem::Range(8, 8));
        }
        if self.accept(b'-') {
            return Ok(DASH);
        }
        match self.escape()? {
            Item::Char(c) => Ok(ClassItem::Range(c, c)),
            Item::Class(class) => Ok(ClassItem::Class(class)),
            Item::Property(property) => Ok(ClassItem::Property(property)),
            _ => Err(Error::Escape),
        }
    }

    fn end(&mut self) -> Result<Item, Error> {
        if self.open > 0 {
            return Err(Error::UnterminatedGroup);
        }
        if self.reference > self.groups {
            return Err(Error::Escape);
        }
        Ok(Item::End)
    }

    fn zero_width(&mut self, item: Item) -> Item {
        self.atom = false;
        item
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn lenient(&mut self, c: u32) -> Result<Item, Error> {
        if self.strict {
            return Err(Error::Escape);
        }
        self.lenient = Some(self.start);
        Ok(Item::Char(c))
    }

    /// What follows a `{`, where it makes a quantifier of it.
    fn bounds(&mut self) -> Result<Option<(u32, u32)>, Error> {
        let start = self.at;
        let min = self.decimal();
        let comma = self.accept(b',');
        let max = if comma { self.decimal() } else { min };
        if self.accept(b'}') {
            if let Some(min) = min {
                return Ok(Some((min, max.unwrap_or(INFINITE))));
            }
            if comma {
                // `{,3}`: literal in Annex B, a quantifier elsewhere.
                return Err(Error::Quantifier);
            }
        }
        self.at = start;
        Ok(None)
    }

    /// A decimal number, if there is one; large ones all become the largest that is finite.
    fn decimal(&mut self) -> Option<u32> {
        let mut value = None;
        loop {
            let digit = self.peek().wrapping_sub(0x30);
            if digit > 9 {
                return value;
            }
            self.next();
            value = Some(value.unwrap_or(0u32).saturating_mul(10).saturating_add(digit).min(INFINITE - 1));
        }
    }

    fn group(&mut self) -> Result<Item, Error> {
        self.atom = false;
        let mut group = Group::Plain;
        if self.accept(b'?') {
            let kind = self.next();
            let behind = kind == u32::from(b'<');
            let look = if behind { self.peek() } else { kind };
            if look == u32::from(b'=') || look == u32::from(b'!') {
                if behind {
                    self.next();
                }
                group = Group::Look { behind, negated: look == u32::from(b'!') };
            } else if behind {
                self.groups += 1;
                self.name()?;
            } else if kind != u32::from(b':') {
                self.modifiers(kind)?;
                group = Group::Modified;
            }
        } else {
            self.groups += 1;
        }
        if self.open >= MAX_OPEN {
            return Err(Error::TooLarge(PatternLimit::Nesting));
        }
        self.open += 1;
        self.looks = self.looks << 1 | u32::from(matches!(group, Group::Look { .. }));
        Ok(Item::Open(group))
    }

    /// `(?ims-ims:`: each letter at most once, at least one.
    fn modifiers(&mut self, first: u32) -> Result<(), Error> {
        let (mut seen, mut next) = (0u8, first);
        loop {
            let bit = match ascii(next) {
                b'i' => 1,
                b'm' => 2,
                b's' => 4,
                b'-' => 8,
                b':' if seen & 7 != 0 => return Ok(()),
                _ => return Err(Error::GroupKind),
            };
            if seen & bit != 0 {
                return Err(Error::GroupKind);
            }
            seen |= bit;
            next = self.next();
        }
    }

    /// The name of a group, and its `>`. Two groups may share a name only in different alternatives.
    fn name(&mut self) -> Result<(), Error> {
        let name = self.at;
        self.identifier()?;
        if self.scanning {
            return Ok(());
        }
        self.count_name()?;
        // The depth of the group that holds this name and the next, and whether a `|` of it lies between.
        let (mut scan, mut depth, mut shared, mut apart) = (*self, 1u32, 0u32, false);
        scan.scanning = true;
        scan.open += 1;
        scan.looks <<= 1;
        loop {
            // What is wrong further on is found there, with its place.
            let Ok(item) = scan.item_or_class() else { return Ok(()) };
            match item {
                Item::End => return Ok(()),
                Item::Open(_) => {
                    if !apart && self.same_name(name, scan.start) {
                        return Err(Error::GroupName);
                    }
                    depth += 1;
                }
                Item::Close => {
                    apart &= depth > shared;
                    depth = depth.saturating_sub(1);
                    shared = shared.min(depth);
                }
                Item::Alternate if depth == shared => apart = true,
                _ => {}
            }
        }
    }

    fn count_name(&mut self) -> Result<(), Error> {
        self.names += 1;
        if self.names > MAX_NAMES { Err(Error::TooLarge(PatternLimit::Names)) } else { Ok(()) }
    }

    /// Reads a name up to its `>`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn identifier(&mut self) -> Result<(), Error> {
        let first = self.peek();
        if first == u32::from(b'>') || first.wrapping_sub(0x30) < 10 {
            return Err(Error::GroupName);
        }
        while self.name_char()? != u32::from(b'>') {}
        Ok(())
    }

    /// One code point of a name, or its `>`.
    fn name_char(&mut self) -> Result<u32, Error> {
        let mut c = self.next();
        if c == u32::from(b'>') {
            return Ok(c);
        }
        if c == u32::from(b'\\') && self.accept(b'u') {
            c = self.unicode_escape()?;
        }
        match c {
            0x24 | 0x5F | 0x30..=0x39 | 0x41..=0x5A | 0x61..=0x7A | 0x80..=0x10_FFFF => Ok(c),
            _ => Err(Error::GroupName),
        }
    }

    /// Whether the group that opens at `group` has the name that starts at `name`.
    fn same_name(&mut self, mut name: usize, group: usize) -> bool {
        let at = self.at;
        self.at = group;
        let mut same = self.accept(b'(') && self.accept(b'?') && self.accept(b'<');
        while same {
            let c = self.name_char();
            let next = core::mem::replace(&mut self.at, name);
            same = c == self.name_char();
            name = core::mem::replace(&mut self.at, next);
            if c.is_err() || c == Ok(u32::from(b'>')) {
                break;
            }
        }
        self.at = at;
        same
    }

    /// `\k<name>`: some group must have the name.
    fn named_reference(&mut self) -> Result<(), Error> {
        if !self.accept(b'<') {
            return Err(Error::Escape);
        }
        let name = self.at;
        self.identifier()?;
        if self.scanning {
            return Ok(());
        }
        self.count_name()?;
        let mut scan = Self { strict: self.strict, properties: self.properties, ..Self::again(self.text, 0) };
        loop {
            let Ok(item) = scan.item_or_class() else { return Ok(()) };
            match item {
                Item::End => return Err(Error::Escape),
                Item::Open(_) if self.same_name(name, scan.start) => return Ok(()),
                _ => {}
            }
        }
    }

    /// The next item; a class as a whole.
    pub(super) fn item_or_class(&mut self) -> Result<Item, Error> {
        let item = self.item()?;
        if matches!(item, Item::ClassOpen { .. }) {
            while self.class_item()? != ClassItem::End {}
        }
        Ok(item)
    }

    /// What follows a `\`, outside a class or in one.
    fn escape(&mut self) -> Result<Item, Error> {
        let at = self.at;
        let c = self.next();
        let letter = ascii(c);
        Ok(Item::Char(match letter {
            b'd' | b'D' | b'w' | b'W' | b's' | b'S' => return Ok(Item::Class(class_of(letter))),
            b'b' | b'B' => return Ok(self.zero_width(Item::WordBoundary { negated: letter == b'B' })),
            b'p' | b'P' => return self.property(letter == b'P'),
            b'k' => {
                self.named_reference()?;
                return Ok(Item::BackReference);
            }
            b'1'..=b'9' => {
                self.at = at;
                self.reference = self.reference.max(self.decimal().unwrap_or(0));
                return Ok(Item::BackReference);
            }
            b't' | b'n' | b'v' | b'f' | b'r' => 9 + position(b"tnvfr", letter),
            b'c' => match ascii(self.next()) {
                letter if letter.is_ascii_alphabetic() => u32::from(letter & 0x1F),
                _ => return Err(Error::Escape),
            },
            b'x' => self.hex(2)?,
            b'u' => self.unicode_escape()?,
            b'0' => {
                if self.peek().wrapping_sub(0x30) < 10 {
                    return Err(Error::Escape);
                }
                0
            }
            b'^' | b'$' | b'\\' | b'.' | b'*' | b'+' | b'?' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' | b'/' => {
                c
            }
            b' '..=b'~' if !letter.is_ascii_alphabetic() => return self.lenient(c),
            _ => return Err(Error::Escape),
        }))
    }

    /// What follows `\u`. Two escapes that spell a surrogate pair are one code point.
    fn unicode_escape(&mut self) -> Result<u32, Error> {
        if self.accept(b'{') {
            let mut value = self.hex(1)?;
            while !self.accept(b'}') {
                value = value << 4 | self.hex(1)?;
                if value > 0x10_FFFF {
                    return Err(Error::Escape);
                }
            }
            return Ok(value);
        }
        let high = self.hex(4)?;
        let at = self.at;
        if high & 0xFC00 == 0xD800
            && self.accept(b'\\')
            && self.accept(b'u')
            && let Ok(low) = self.hex(4)
            && low & 0xFC00 == 0xDC00
        {
            return Ok(0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF));
        }
        self.at = at;
        Ok(high)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn hex(&mut self, digits: u32) -> Result<u32, Error> {
        let mut value = 0;
        for _ in 0..digits {
            value = value << 4 | char::from(ascii(self.next())).to_digit(16).ok_or(Error::Escape)?;
        }
        Ok(value)
    }

    /// What follows `\p`. Without the tables only the form is checked.
    fn property(&mut self, negated: bool) -> Result<Item, Error> {
        if !self.accept(b'{') {
            return Err(Error::Escape);
        }
        let mut name = [0u8; 48];
        let mut length = 0;
        loop {
            let c = ascii(self.next());
            if c == b'}' && length > 0 {
                break;
            }
            if !c.is_ascii_alphanumeric() && c != b'_' && c != b'=' {
                return Err(Error::UnicodeProperty);
            }
            *name.get_mut(length).ok_or(Error::UnicodeProperty)? = c;
            length += 1;
        }
        let name = name.get(..length).unwrap_or_default();
        let given = self.properties.iter().position(|(given, _)| given.as_bytes() == name);
        let id = match given {
            Some(index) => u16::try_from(index).ok(),
            #[cfg(feature = "unicode")]
            None => {
                let id = super::unicode::find(name).ok_or(Error::UnicodeProperty)?;
                u16::try_from(self.properties.len() + usize::from(id)).ok()
            }
            #[cfg(not(feature = "unicode"))]
            None => None,
        };
        Ok(Item::Property(Property { id, negated }))
    }

    #[inline(never)]
    fn next(&mut self) -> u32 {
        match self.text.next(self.at) {
            Some((c, after)) => {
                self.at = after;
                c
            }
            None => NOTHING,
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn peek(&self) -> u32 {
        self.text.next(self.at).map_or(NOTHING, |(c, _)| c)
    }

    #[inline(never)]
    fn accept(&mut self, c: u8) -> bool {
        let before = self.at;
        if self.next() == u32::from(c) {
            return true;
        }
        self.at = before;
        false
    }
}

const DASH: ClassItem = ClassItem::Range(0x2D, 0x2D);

/// The class of `\d`, `\D`, …
fn class_of(letter: u8) -> u8 {
    ANY_DIGIT + position(b"dDwWsS", letter) as u8
}

fn position(letters: &[u8], letter: u8) -> u32 {
    letters.iter().take_while(|&&other| other != letter).count() as u32
}

/// A code point as a byte; above ASCII, a byte that means nothing.
fn ascii(c: u32) -> u8 {
    if c < 0x80 { c as u8 } else { 0xFF }
}
