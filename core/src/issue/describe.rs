//! Issues made readable: the path by walking the instance again, the keyword and the bounds from the program.

use super::{INSTRUCTION, Issue};
use crate::format::Format;
use crate::instance::{Instance, Kind, Next};
use crate::json::{Json, MAX_DEPTH};
#[cfg(feature = "messages")]
use crate::machine::NO_BRANCH;
use crate::machine::NO_PROPERTY;
use crate::program::Program;
use crate::program::code::{Code, Table};
use crate::program::op::{ANY_OF, FIRST_NODE, ONE_OF, Op, UNEVALUATED, Why, array, discriminator, object, part};
use crate::text::{Text, nth};
use core::fmt::{self, Write};
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

/// What narrowed a type mask, in the order of [`Why`].
const REASONS: &str = "type enum const anyOf oneOf allOf";

const UNEVALUATED_PROPERTIES: &str = "unevaluatedProperties";

/// What an instruction was made of, by its operation code; those of `Array` and `Object` by their part, from these numbers on.
const KEYWORDS: &str = "- minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format enum enum - - allOf \
    anyOf oneOf not if unevaluatedItems - $dynamicRef allOf oneOf const const type properties if not anyOf - \
    minItems maxItems uniqueItems contains maxContains - - - items \
    minProperties maxProperties - - - additionalProperties required dependentRequired";
const OF_ARRAYS: u32 = 32;
const OF_OBJECTS: u32 = OF_ARRAYS + 9;

/// A step of a path into the instance.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Segment<'a> {
    /// The name of a member.
    Name(Text<'a>),
    /// The index of an item.
    Index(u32),
}

/// An issue together with what it speaks of.
///
/// `Display` gives `at /limits/max: must be at most 125 (maximum)`; serde gives an issue as Standard Schema has it, with the keyword and
/// a JSON Pointer: `{"path":["limits","max"],"pointer":"/limits/max","keyword":"maximum","message":"must be at most 125"}`.
///
/// Nothing is stored: each call walks the instance up to the place of the issue.
#[derive(Clone, Copy, Debug)]
pub struct Description<'p, 'i, I = Json<'i>> {
    pub(super) issue: Issue,
    pub(super) program: Program<'p>,
    pub(super) instance: I,
    pub(super) shown: u16,
    instance_lifetime: core::marker::PhantomData<&'i ()>,
}

impl Issue {
    /// The issue in words. `instance` is the JSON text that was validated by `program`.
    ///
    /// ```
    /// use core::fmt::Write;
    /// use microschema::Issues;
    ///
    /// let mut arena = [0; 256];
    /// let program = microschema::compile(br#"{"properties": {"level": {"maximum": 10}}}"#, &mut arena)?;
    /// let instance = br#"{"level": 70}"#;
    /// let mut issues = Issues::<4>::new();
    /// assert_eq!(program.validate(instance, &mut issues), Ok(false));
    /// let mut text = heapless::String::<64>::new();
    /// write!(text, "{}", issues.as_slice()[0].describe(&program, instance)).unwrap();
    /// assert_eq!(text, "at /level: must be at most 10 (maximum)");
    /// # Ok::<(), microschema::SchemaError>(())
    /// ```
    #[must_use]
    pub const fn describe<'p, 'i>(&self, program: &Program<'p>, instance: &'i [u8]) -> Description<'p, 'i> {
        self.describe_in(program, Json::trusted(instance))
    }

    /// The same for an instance that is not bytes.
    #[must_use]
    pub const fn describe_in<'p, 'i, I: Instance<'i>>(
        &self,
        program: &Program<'p>,
        instance: I,
    ) -> Description<'p, 'i, I> {
        Description {
            issue: *self,
            program: *program,
            instance,
            shown: 0,
            instance_lifetime: core::marker::PhantomData,
        }
    }
}

impl<'i, I: Instance<'i>> Description<'_, 'i, I> {
    /// Also show the value that failed, up to so many characters of it. By default values stay out of messages.
    #[must_use]
    pub const fn show_value(mut self, characters: u16) -> Self {
        self.shown = characters;
        self
    }

    pub(super) fn code(&self) -> Code<'_> {
        self.program.code()
    }

    /// The instruction that failed, unless it was a type mask.
    pub(super) fn instruction(&self) -> Option<(Op, usize)> {
        if self.issue.code & INSTRUCTION == 0 {
            return None;
        }
        let pc = (self.issue.code & !INSTRUCTION) as usize;
        Some((Op::of(self.code().byte(pc))?, pc))
    }

    /// The part of the instruction, and the number that goes with it.
    pub(super) const fn part(&self) -> (u32, u32) {
        (self.issue.detail & ((1 << part::BITS) - 1), self.issue.detail >> part::BITS)
    }

    /// The keyword that failed. `false` for a schema that is `false`.
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        let code = self.code();
        let Some((op, pc)) = self.instruction() else {
            return match self.issue.code.checked_sub(FIRST_NODE) {
                None if self.issue.code == 0 => "false",
                None => "type",
                Some(node) => nth(REASONS, b' ', Why::of(code.byte(node as usize + 1)) as usize),
            };
        };
        let (part, _) = self.part();
        let number = match op {
            Op::Format => return Format::from_code(code.byte(pc + 1)).map_or("format", Format::keyword),
            Op::StringEnum if code.byte(pc) & ANY_OF != 0 => Op::AnyOf as u32,
            Op::StringEnum if code.byte(pc) & ONE_OF != 0 => Op::OneOf as u32,
            Op::Array if part == part::CONTAINS && self.min_contains(pc) > 1 => return "minContains",
            Op::Array if part == part::ITEMS && code.byte(pc + 1) & array::OLD_NAMES != 0 => return "additionalItems",
            Op::Array => OF_ARRAYS + part,
            Op::Object if part == part::ADDITIONAL && code.byte(pc) & UNEVALUATED != 0 => {
                return UNEVALUATED_PROPERTIES;
            }
            Op::Object => OF_OBJECTS + part,
            Op::Discriminator if self.issue.detail == NO_PROPERTY => OF_OBJECTS + part::REQUIRED,
            Op::Discriminator if code.byte(pc + 1) == discriminator::ANY_OF => Op::AnyOf as u32,
            Op::Unevaluated if self.issue.detail == 0 => return UNEVALUATED_PROPERTIES,
            op => op as u32,
        };
        nth(KEYWORDS, b' ', number as usize)
    }

    /// The least number of items that `contains` asks for.
    pub(super) fn min_contains(&self, pc: usize) -> u32 {
        let (code, mut at) = (self.code(), pc + 2);
        let flags = code.byte(pc + 1);
        for bit in [array::MIN, array::MAX] {
            if flags & bit != 0 {
                code.varint(&mut at);
            }
        }
        if flags & array::PREFIX != 0 {
            for _ in 0..code.varint(&mut at) {
                code.varint(&mut at);
            }
        }
        if flags & array::ITEMS != 0 {
            code.varint(&mut at);
        }
        code.varint(&mut at);
        code.varint(&mut at)
    }

    /// The table of an `Object` instruction.
    pub(super) fn table(&self, pc: usize) -> Table {
        if self.code().byte(pc + 1) & object::TABLE != 0 { Table::read(self.code(), pc + 2) } else { Table::EMPTY }
    }

    /// The name of an entry of the instruction's table.
    pub(super) fn entry_name(&self, pc: usize, index: u32) -> Text<'_> {
        let entry = self.table(pc).iter(self.code()).find(|entry| entry.index == index);
        Text::json(entry.map_or(&[], |entry| entry.name), false)
    }

    /// The property that a `Discriminator` instruction looks at.
    fn discriminator_name(&self, pc: usize) -> Text<'_> {
        let mut at = pc + 2;
        let len = self.code().length(&mut at);
        Text::json(self.code().slice(at, len), false)
    }

    /// The member that is missing, where the issue is about one.
    fn missing(&self) -> Option<Text<'_>> {
        match self.instruction()? {
            (Op::Object, pc) => match self.part() {
                (part::REQUIRED, index) => Some(self.entry_name(pc, index)),
                (part::DEPENDENT, indices) => Some(self.entry_name(pc, indices & 0x3FFF)),
                _ => None,
            },
            (Op::Discriminator, pc) if self.issue.detail == NO_PROPERTY => Some(self.discriminator_name(pc)),
            _ => None,
        }
    }

    /// Whether the issue is about the value of the property that tells branches apart.
    #[cfg(feature = "messages")]
    pub(super) fn is_unknown_branch(&self) -> bool {
        matches!(self.instruction(), Some((Op::Discriminator, _))) && self.issue.detail == NO_BRANCH
    }

    /// Calls `each` for every step of the path from the root, and gives the place it ends at.
    ///
    /// The path of a missing property ends with its name, that of an unexpected one with that property.
    pub fn each_segment(&self, each: &mut dyn FnMut(Segment<'_>)) {
        self.walk(each);
        if let Some(name) = self.missing() {
            each(Segment::Name(name));
        }
    }

    /// The kind of the value that failed, its place, and whether it is the name of a member.
    pub(super) fn walk(&self, each: &mut dyn FnMut(Segment<'_>)) -> Option<(Kind, I::Place, bool)> {
        let instance = self.instance;
        let mut at = instance.root().ok()?;
        for _ in 0..=MAX_DEPTH {
            if instance.id(at) == self.issue.at {
                return Some((instance.kind(at).ok()?, at, false));
            }
            let mut after = at;
            at = match instance.kind(at).ok()? {
                Kind::Array => {
                    let mut items = instance.items(at);
                    let mut index = 0;
                    loop {
                        let Next::Item(item) = instance.next_item(&mut items, after).ok()? else {
                            return None;
                        };
                        after = instance.skip(item, MAX_DEPTH).ok()?;
                        if instance.holds(item, after, self.issue.at) {
                            each(Segment::Index(index));
                            break item;
                        }
                        index += 1;
                    }
                }
                Kind::Object => {
                    let mut members = instance.members(at);
                    loop {
                        let Next::Item(member) = instance.next_member(&mut members, after).ok()? else {
                            return None;
                        };
                        if instance.id(member.name_at) == self.issue.at {
                            each(Segment::Name(member.name));
                            return Some((Kind::String, member.name_at, true));
                        }
                        after = instance.skip(member.value, MAX_DEPTH).ok()?;
                        if instance.holds(member.value, after, self.issue.at) {
                            each(Segment::Name(member.name));
                            break member.value;
                        }
                    }
                }
                _ => return None,
            };
        }
        None
    }

    /// The place as a JSON Pointer (RFC 6901).
    #[must_use]
    pub const fn pointer(&self) -> Pointer<'_, '_, 'i, I> {
        Pointer { description: self }
    }

    /// What was expected, in words.
    #[cfg(feature = "messages")]
    #[must_use]
    pub const fn message(&self) -> super::Message<'_, '_, 'i, I> {
        super::Message { description: self }
    }
}

/// The JSON Pointer of an issue.
#[derive(Clone, Copy, Debug)]
pub struct Pointer<'d, 'p, 'i, I> {
    description: &'d Description<'p, 'i, I>,
}

impl<'i, I: Instance<'i>> fmt::Display for Pointer<'_, '_, 'i, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut result = Ok(());
        self.description.each_segment(&mut |segment| {
            result = result.and_then(|()| f.write_char('/')).and_then(|()| write_segment(f, segment, true));
        });
        result
    }
}

/// Writes a segment; in a pointer `~` and `/` are escaped.
pub(crate) fn write_segment(f: &mut dyn Write, segment: Segment<'_>, escape: bool) -> fmt::Result {
    match segment {
        Segment::Index(index) => super::write_number(f, index),
        Segment::Name(name) => name.chars().try_for_each(|code| match char::from_u32(code) {
            Some('~') if escape => f.write_str("~0"),
            Some('/') if escape => f.write_str("~1"),
            other => f.write_char(other.unwrap_or(char::REPLACEMENT_CHARACTER)),
        }),
    }
}

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_segment(f, *self, false)
    }
}

impl Serialize for Segment<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Index(index) => serializer.serialize_u32(*index),
            Self::Name(_) => serializer.collect_str(self),
        }
    }
}

impl<'i, I: Instance<'i>> fmt::Display for Description<'_, 'i, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_root = true;
        self.each_segment(&mut |_| is_root = false);
        f.write_str("at ")?;
        if is_root {
            f.write_str("(root)")?;
        } else {
            self.pointer().fmt(f)?;
        }
        f.write_str(": ")?;
        #[cfg(feature = "messages")]
        {
            self.message().fmt(f)?;
            f.write_str(" (")?;
            f.write_str(self.keyword())?;
            f.write_str(")")
        }
        #[cfg(not(feature = "messages"))]
        f.write_str(self.keyword())
    }
}

impl<'i, I: Instance<'i>> Serialize for Description<'_, 'i, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut issue = serializer.serialize_struct("Issue", if cfg!(feature = "messages") { 4 } else { 3 })?;
        issue.serialize_field("path", &Path { description: self })?;
        issue.serialize_field("pointer", &Collected(&self.pointer()))?;
        issue.serialize_field("keyword", self.keyword())?;
        #[cfg(feature = "messages")]
        issue.serialize_field("message", &Collected(&self.message()))?;
        issue.end()
    }
}

/// Serialises what can be displayed as a string.
struct Collected<'a, T>(&'a T);

impl<T: fmt::Display> Serialize for Collected<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// Serialises the path as an array.
struct Path<'d, 'p, 'i, I> {
    description: &'d Description<'p, 'i, I>,
}

impl<'i, I: Instance<'i>> Serialize for Path<'_, '_, 'i, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut count = 0;
        self.description.each_segment(&mut |_| count += 1);
        let mut path = serializer.serialize_seq(Some(count))?;
        let mut result = Ok(());
        self.description.each_segment(&mut |segment| {
            if result.is_ok() {
                result = path.serialize_element(&segment);
            }
        });
        result?;
        path.end()
    }
}
