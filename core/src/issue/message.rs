//! What was expected, in words that a model can act on: bounds, allowed values, the closest name, and hints for the usual slips.
//!
//! Written with `write_str` alone: the formatting machinery of `core` costs more flash than all of this.

use super::describe::Description;
use super::write_number;
use crate::format::Format;
use crate::instance::{Instance, Kind};
use crate::machine::{SEVERAL, run_start};
use crate::program::code::{Code, Table};
use crate::program::op::{FIRST_NODE, LAST, Op, Why, group, mask, part};
use crate::text::Text;
use core::fmt::{self, Write};

/// Values or names listed in a message at most.
const LISTED: u32 = 12;
/// Characters of each at most.
const SHOWN: u16 = 48;
/// Names longer than this are not compared with others.
const COMPARED: usize = 32;

const AT_LEAST: &str = "must be at least ";
const AT_MOST: &str = "must be at most ";
const HAS_AT_LEAST: &str = "must have at least ";
const HAS_AT_MOST: &str = "must have at most ";
const UNEXPECTED: &str = "is not an expected property";
const REQUIRED: &str = "is required";
const TOO_MANY: &str = "is one item too many";

/// The message of an issue. `Display` writes it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'d, 'p, 'i, I> {
    pub(super) description: &'d Description<'p, 'i, I>,
}

impl<'i, I: Instance<'i>> fmt::Display for Message<'_, '_, 'i, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out { out: f, result: Ok(()), left: u32::MAX };
        let found = self.description.walk(&mut |_| {});
        if matches!(found, Some((_, _, true))) {
            out.text("the name of this property ");
        }
        let place = found.map(|(kind, at, _)| (kind, at));
        match self.description.instruction() {
            None => self.types(&mut out, place),
            Some((op, pc)) => self.instruction(&mut out, op, pc, place),
        }
        if let Some((kind, at, false)) = found
            && self.description.shown > 0
        {
            self.value(&mut out, kind, at);
        }
        out.result
    }
}

/// What follows the text of an instruction.
#[derive(Clone, Copy)]
enum Operand {
    Nothing,
    Bound,
    Length,
    Pattern,
    Format,
    Values,
    /// The values of a discriminator.
    Branches,
}

impl<'i, I: Instance<'i>> Message<'_, '_, 'i, I> {
    fn instruction(&self, out: &mut Out<'_>, op: Op, pc: usize, place: Option<(Kind, I::Place)>) {
        use Operand::{Bound, Branches, Format as Named, Length, Nothing, Pattern, Values};
        let description = self.description;
        let code = description.code();
        let detail = description.issue.detail;
        let (text, operand) = match op {
            Op::Array => return self.array(out, pc),
            Op::Object => return self.object(out, pc, place),
            Op::AnyOf | Op::OneOf => return self.branches(out, pc, place),
            Op::Discriminator if description.is_unknown_branch() => ("", Branches),
            Op::Discriminator if detail == 0 => ("must be an object", Nothing),
            Op::Unevaluated if detail == 0 => (UNEXPECTED, Nothing),
            Op::PlainInteger => ("must be an integer, written without a fraction", Nothing),
            Op::Minimum => (AT_LEAST, Bound),
            Op::Maximum => (AT_MOST, Bound),
            Op::ExclusiveMinimum => ("must be greater than ", Bound),
            Op::ExclusiveMaximum => ("must be less than ", Bound),
            Op::MultipleOf => ("must be a multiple of ", Bound),
            Op::MinLength => (HAS_AT_LEAST, Length),
            Op::MaxLength => (HAS_AT_MOST, Length),
            Op::Pattern => ("must match the pattern ", Pattern),
            Op::Format => ("must be a valid ", Named),
            Op::StringEnum | Op::StringConst | Op::ValueEnum | Op::ValueConst => ("", Values),
            Op::Discriminator => (REQUIRED, Nothing),
            Op::Not | Op::NotSeen => ("must not match the schema under \"not\"", Nothing),
            Op::Unevaluated => (TOO_MANY, Nothing),
            _ => ("is not valid", Nothing),
        };
        out.text(text);
        let mut at = pc + 1;
        match operand {
            Nothing => {}
            Bound => {
                if let Some((number, _)) = code.number(pc) {
                    out.cut(SHOWN, |out| number.write(out));
                }
            }
            Length => out.counted(code.varint(&mut at), " character", "s"),
            Pattern => {
                let len = code.length(&mut at);
                let text_at = &mut at.saturating_add(len);
                let len = code.length(text_at);
                out.shortened(Text::json(code.slice(*text_at, len), false), SHOWN * 4);
            }
            Named => out.text(Format::from_code(code.byte(at)).map_or("", Format::name)),
            Values => self.allowed(out, &[(op, at)], 0),
            Branches => {
                at += 1;
                let len = code.length(&mut at);
                self.allowed(out, &[(Op::StringEnum, at.saturating_add(len))], 0);
            }
        }
    }

    fn array(&self, out: &mut Out<'_>, pc: usize) {
        let description = self.description;
        let code = description.code();
        let mut at = pc + 2;
        let min = if code.byte(pc + 1) & crate::program::op::array::MIN != 0 { code.varint(&mut at) } else { 0 };
        let (part, pair) = description.part();
        let (text, count) = match part {
            part::MIN => (HAS_AT_LEAST, min),
            part::MAX => (HAS_AT_MOST, code.varint(&mut at)),
            part::CONTAINS => ("must contain at least ", description.min_contains(pc)),
            part::UNIQUE => {
                out.text("must not repeat items: items ");
                out.number(pair & 0x3FFF);
                out.text(" and ");
                out.number(pair >> 14);
                return out.text(" are equal");
            }
            part::MAX_CONTAINS => return out.text("contains too many items of the kind that the schema describes"),
            _ => return out.text(TOO_MANY),
        };
        out.text(text);
        out.counted(count, " item", "s");
        if part == part::CONTAINS {
            out.text(" of the kind that the schema describes");
        }
    }

    fn object(&self, out: &mut Out<'_>, pc: usize, place: Option<(Kind, I::Place)>) {
        let description = self.description;
        match description.part() {
            (part @ (part::MIN | part::MAX), _) => {
                out.text(if part == part::MIN { HAS_AT_LEAST } else { HAS_AT_MOST });
                match crate::machine::object_bound(description.code(), pc, part) {
                    1 => out.text("1 property"),
                    count => out.counted(count, " properties", ""),
                }
            }
            (part::ADDITIONAL, _) => self.unknown_property(out, pc, place),
            (part::DEPENDENT, indices) => {
                out.text("is required when ");
                out.quoted(description.entry_name(pc, indices >> 14), SHOWN);
                out.text(" is there");
            }
            _ => out.text(REQUIRED),
        }
    }

    /// The closest name that the object may have, or else all of them.
    fn unknown_property(&self, out: &mut Out<'_>, pc: usize, place: Option<(Kind, I::Place)>) {
        let (code, table) = (self.description.code(), self.description.table(pc));
        out.text(UNEXPECTED);
        let mut name = None;
        if place.is_some() {
            self.description.walk(&mut |segment| {
                if let super::Segment::Name(text) = segment {
                    name = Letters::of(text);
                }
            });
        }
        let names =
            || table.iter(code).filter(|entry| entry.reference.is_some()).map(|entry| Text::json(entry.name, false));
        let mut count = 0;
        let (mut closest, mut least) = (None, u32::MAX);
        for other in names() {
            count += 1;
            if let (Some(name), Some(letters)) = (&name, Letters::of(other)) {
                let here = name.distance(&letters);
                if here < least && here <= 1 + name.characters / 4 && here < name.characters {
                    (closest, least) = (Some(other), here);
                }
            }
        }
        if let Some(closest) = closest {
            out.text("; did you mean ");
            out.quoted(closest, SHOWN);
            return out.text("?");
        }
        out.text(if count > 0 { "; expected are " } else { "" });
        let mut listed = 0;
        for name in names() {
            out.listed(&mut listed, count, name, true);
        }
    }

    /// No branch fits, or more than one.
    fn branches(&self, out: &mut Out<'_>, pc: usize, place: Option<(Kind, I::Place)>) {
        let (code, detail) = (self.description.code(), self.description.issue.detail);
        if detail & SEVERAL != 0 {
            out.text("must match exactly one of the schema's alternatives, but matches number ");
            out.number((detail & 0x3FFF) + 1);
            out.text(" and number ");
            return out.number((detail >> 14 & 0x3FFF) + 1);
        }
        let mut at = pc + 1;
        let count = code.varint(&mut at);
        let mut types = 0;
        let mut lists = [(Op::StringEnum, 0); LISTED as usize];
        let mut with_values = 0;
        for _ in 0..count {
            let reference = code.varint(&mut at);
            types |= code.types(reference);
            if let Some(values) = values_of(code, reference) {
                if let Some(slot) = lists.get_mut(with_values as usize) {
                    *slot = values;
                }
                with_values += 1;
            }
        }
        if with_values == count {
            self.allowed(out, lists.get(..count as usize).unwrap_or(&lists), 0);
            if count > LISTED {
                out.more(count - LISTED);
            }
        } else if place.is_some_and(|(kind, _)| types & crate::program::op::mask_of(kind) == 0) {
            out.types(types);
        } else {
            out.text("must match one of the schema's ");
            out.number(count);
            out.text(" alternatives");
        }
    }

    /// The type is not among those allowed, or (`enum`, `const`) no allowed value has it.
    fn types(&self, out: &mut Out<'_>, place: Option<(Kind, I::Place)>) {
        let (code, issue) = (self.description.code(), self.description.issue);
        let mask = code.types(issue.code);
        if mask == 0 {
            return out.text("is not allowed");
        }
        if let Some(node) = issue.code.checked_sub(FIRST_NODE) {
            let node = node as usize;
            if matches!(Why::of(code.byte(node + 1)), Why::Enum | Why::Const) {
                return self.node_values(out, node, mask);
            }
        }
        out.types(mask);
        out.text(match place {
            Some((Kind::String, place)) => match self.description.instance.string(place) {
                Ok((text, _)) if mask & mask::NUMBER != 0 && is_number(text) => ": send the number without quotes",
                Ok((text, _)) if mask & (mask::OBJECT | mask::ARRAY) != 0 && opens_container(text) => {
                    ": send the JSON itself, not a string that holds it"
                }
                Ok((text, _)) if mask & mask::BOOLEAN != 0 && (text.equals(b"true") || text.equals(b"false")) => {
                    ": send true or false without quotes"
                }
                _ => "",
            },
            Some((Kind::Null, _)) if issue.detail == 1 => ": leave the property out instead of null",
            _ => "",
        });
    }

    /// The values of all tables of a node.
    fn node_values(&self, out: &mut Out<'_>, node: usize, mask: u8) {
        let code = self.description.code();
        let second = code.byte(node + 1);
        let mut lists = [(Op::StringEnum, 0); 4];
        let mut used = 0;
        for bit in 0..4 {
            if second >> bit & 1 != 0 {
                let run = run_start(code, node, second, 1 << bit);
                if let (Some(values), Some(slot)) = (values_at(code, run), lists.get_mut(used)) {
                    *slot = values;
                    used += 1;
                }
            }
        }
        self.allowed(out, lists.get(..used).unwrap_or_default(), mask & (mask::NULL | mask::BOOLEAN));
    }

    /// `must be "a"`, `must be one of: "a", 1, null`.
    fn allowed(&self, out: &mut Out<'_>, tables: &[(Op, usize)], literals: u8) {
        let code = self.description.code();
        let count = tables.iter().map(|&(_, at)| Table::read(code, at).count).sum::<u32>() + literals.count_ones();
        out.text(if count == 1 { "must be " } else { "must be one of: " });
        let mut listed = 0;
        for &(op, at) in tables {
            for entry in Table::read(code, at).iter(code) {
                let value = Text::json(entry.name, false);
                out.listed(&mut listed, count, value, matches!(op, Op::StringEnum | Op::StringConst));
            }
        }
        for (bit, word) in [(mask::NULL, "null"), (mask::FALSE, "false"), (mask::TRUE, "true")] {
            if literals & bit != 0 {
                out.listed(&mut listed, count, Text::plain(word), false);
            }
        }
    }

    /// What was there instead.
    fn value(&self, out: &mut Out<'_>, kind: Kind, at: I::Place) {
        let (instance, shown) = (self.description.instance, self.description.shown);
        out.text(", got ");
        match kind {
            Kind::Number => {
                if let Ok((number, _)) = instance.number(at) {
                    out.cut(shown, |out| number.write(out));
                }
            }
            Kind::String => {
                if let Ok((text, _)) = instance.string(at) {
                    out.quoted(text, shown);
                }
            }
            _ => out.type_names(crate::program::op::mask_of(kind)),
        }
    }
}

/// Where a message goes: the first error is kept, and ends it. Cuts what is to be shortened.
struct Out<'w> {
    out: &'w mut dyn Write,
    result: fmt::Result,
    /// Characters that are passed on before an ellipsis, and after it none; `u32::MAX` for any number.
    left: u32,
}

impl Out<'_> {
    #[inline(never)]
    fn text(&mut self, text: &str) {
        if self.result.is_ok() {
            self.result = self.out.write_str(text);
        }
    }

    #[inline(never)]
    fn number(&mut self, number: u32) {
        if self.result.is_ok() {
            self.result = write_number(self.out, number);
        }
    }

    #[inline(never)]
    fn counted(&mut self, count: u32, noun: &str, plural: &str) {
        self.number(count);
        self.text(noun);
        self.text(if count == 1 { "" } else { plural });
    }

    /// One more of `count` values, as far as that many are listed.
    #[inline(never)]
    fn listed(&mut self, listed: &mut u32, count: u32, value: Text<'_>, is_string: bool) {
        if *listed == LISTED {
            self.more(count - LISTED);
        } else if *listed < LISTED {
            self.text(if *listed > 0 { ", " } else { "" });
            if is_string {
                self.quoted(value, SHOWN);
            } else {
                self.shortened(value, SHOWN);
            }
        }
        *listed += 1;
    }

    fn more(&mut self, count: u32) {
        self.text(" and ");
        self.number(count);
        self.text(" more");
    }

    #[inline(never)]
    fn quoted(&mut self, text: Text<'_>, characters: u16) {
        self.text("\"");
        self.shortened(text, characters);
        self.text("\"");
    }

    /// At most so many characters of a text. Control characters become spaces: a message is one line.
    #[inline(never)]
    fn shortened(&mut self, text: Text<'_>, characters: u16) {
        self.cut(characters, |out| {
            text.chars().try_for_each(|code| match char::from_u32(code) {
                Some(control) if control.is_control() => out.write_char(' '),
                other => out.write_char(other.unwrap_or(char::REPLACEMENT_CHARACTER)),
            })
        });
    }

    /// At most so many characters of what is written.
    fn cut(&mut self, characters: u16, write: impl FnOnce(&mut Self) -> fmt::Result) {
        self.left = characters.into();
        let result = write(self);
        self.result = self.result.and(result);
        self.left = u32::MAX;
    }

    fn types(&mut self, mask: u8) {
        self.text("must be ");
        self.type_names(mask);
    }

    #[inline(never)]
    fn type_names(&mut self, mask: u8) {
        let names = || TYPES.iter().filter(|&&(wanted, of, _)| mask & of == wanted);
        let mut left = names().count();
        let mut between = "";
        for (_, _, name) in names() {
            left -= 1;
            self.text(between);
            self.text(name);
            between = if left == 1 { " or " } else { ", " };
        }
    }
}

impl Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match self.left {
            0 => return self.result,
            1 => self.result = self.result.and_then(|()| self.out.write_char('…')),
            _ => self.result = self.result.and_then(|()| self.out.write_char(character)),
        }
        self.left -= 1;
        self.result
    }
}

/// The table of a schema that is nothing but values.
fn values_of(code: Code<'_>, reference: u32) -> Option<(Op, usize)> {
    let node = reference.checked_sub(FIRST_NODE)? as usize;
    let second = code.byte(node + 1) & group::ALL;
    let mask = code.byte(node);
    if !second.is_power_of_two() || mask & (mask::NULL | mask::BOOLEAN) != 0 || code.byte(node + 2) & LAST == 0 {
        return None;
    }
    values_at(code, node + 2)
}

fn values_at(code: Code<'_>, run: usize) -> Option<(Op, usize)> {
    let op = Op::of(code.byte(run))?;
    matches!(op, Op::StringEnum | Op::StringConst | Op::ValueEnum | Op::ValueConst).then_some((op, run + 1))
}

/// Types in words: the bits that must be there, of which.
static TYPES: [(u8, u8, &str); 10] = [
    (mask::STRING, mask::STRING, "a string"),
    (mask::NUMBER, mask::NUMBER, "a number"),
    (mask::INTEGER, mask::NUMBER, "an integer"),
    (mask::FRACTION, mask::NUMBER, "a number that is not an integer"),
    (mask::BOOLEAN, mask::BOOLEAN, "true or false"),
    (mask::TRUE, mask::BOOLEAN, "true"),
    (mask::FALSE, mask::BOOLEAN, "false"),
    (mask::ARRAY, mask::ARRAY, "an array"),
    (mask::OBJECT, mask::OBJECT, "an object"),
    (mask::NULL, mask::NULL, "null"),
];

fn is_number(text: Text<'_>) -> bool {
    let mut copy = [0; COMPARED];
    let Some(len) = collect(text, &mut copy) else {
        return false;
    };
    let copy = crate::json::Json::trusted(copy.get(..len).unwrap_or_default());
    copy.kind(0) == Ok(Kind::Number) && copy.number_end(0) == Ok(len)
}

fn opens_container(text: Text<'_>) -> bool {
    let first = text.chars().find(|&code| !matches!(code, 0x20 | 0x09 | 0x0A | 0x0D));
    first == Some(u32::from(b'{')) || first == Some(u32::from(b'['))
}

/// The bytes of a short text that is ASCII.
fn collect(text: Text<'_>, into: &mut [u8; COMPARED]) -> Option<usize> {
    let mut len = 0;
    for code in text.chars() {
        *into.get_mut(len)? = u8::try_from(code).ok().filter(u8::is_ascii)?;
        len += 1;
    }
    Some(len)
}

/// What is compared of a name: its letters and digits, in lower case.
struct Letters {
    bytes: [u8; COMPARED],
    len: usize,
    /// Of the name.
    characters: u32,
}

impl Letters {
    #[inline(never)]
    fn of(name: Text<'_>) -> Option<Self> {
        let mut letters = Self { bytes: [0; COMPARED], len: 0, characters: 0 };
        let characters = collect(name, &mut letters.bytes)?;
        for at in 0..characters {
            let byte = *letters.bytes.get(at)?;
            if !matches!(byte, b'_' | b'-' | b' ') {
                *letters.bytes.get_mut(letters.len)? = byte.to_ascii_lowercase();
                letters.len += 1;
            }
        }
        letters.characters = characters as u32;
        Some(letters)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// How many must be changed, added, dropped or swapped with their neighbour.
    #[inline(never)]
    fn distance(&self, other: &Self) -> u32 {
        let (a, b) = (self.bytes(), other.bytes());
        // One row of the table: row[j] is the distance of what was read of `a` from the first j letters of `b`.
        let mut row = [0_u32; COMPARED + 1];
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = j as u32;
        }
        for (i, &letter) in a.iter().enumerate() {
            let mut diagonal = i as u32;
            let mut left = i as u32 + 1;
            if let Some(first) = row.first_mut() {
                *first = left;
            }
            for (&other, cell) in b.iter().zip(row.iter_mut().skip(1)) {
                let here = (diagonal + u32::from(letter != other)).min(left + 1).min(*cell + 1);
                diagonal = *cell;
                *cell = here;
                left = here;
            }
        }
        row.get(b.len()).copied().unwrap_or(u32::MAX)
    }
}
