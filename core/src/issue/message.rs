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

/// The message of an issue. `Display` writes it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'d, 'p, 'i, I> {
    pub(super) description: &'d Description<'p, 'i, I>,
}

impl<'i, I: Instance<'i>> fmt::Display for Message<'_, '_, 'i, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.description.walk(&mut |_| {});
        if matches!(found, Some((_, _, true))) {
            f.write_str("the name of this property ")?;
        }
        let kind = found.map(|(kind, _, _)| kind);
        match self.description.instruction() {
            None => self.types(f, kind, found.map(|(_, at, _)| at))?,
            Some((op, pc)) => self.instruction(f, op, pc, found.map(|(_, at, _)| at))?,
        }
        match found {
            Some((_, at, false)) if self.description.shown > 0 => self.value(f, at),
            _ => Ok(()),
        }
    }
}

impl<'i, I: Instance<'i>> Message<'_, '_, 'i, I> {
    fn instruction(&self, f: &mut dyn Write, op: Op, pc: usize, place: Option<I::Place>) -> fmt::Result {
        let description = self.description;
        let code = description.code();
        let mut at = pc + 1;
        match op {
            Op::PlainInteger => f.write_str("must be an integer, written without a fraction"),
            Op::Minimum => self.bound(f, "must be at least ", pc),
            Op::Maximum => self.bound(f, "must be at most ", pc),
            Op::ExclusiveMinimum => self.bound(f, "must be greater than ", pc),
            Op::ExclusiveMaximum => self.bound(f, "must be less than ", pc),
            Op::MultipleOf => self.bound(f, "must be a multiple of ", pc),
            Op::MinLength => counted(f, "must have at least ", code.varint(&mut at), " character"),
            Op::MaxLength => counted(f, "must have at most ", code.varint(&mut at), " character"),
            Op::Pattern => {
                f.write_str("must match the pattern ")?;
                let len = code.length(&mut at);
                let text_at = &mut at.saturating_add(len);
                let len = code.length(text_at);
                cut(f, Text::json(code.slice(*text_at, len), false), SHOWN * 4)
            }
            Op::Format => {
                f.write_str("must be a valid ")?;
                f.write_str(Format::from_code(code.byte(at)).map_or("", Format::name))
            }
            Op::StringEnum | Op::StringConst | Op::ValueEnum | Op::ValueConst => self.allowed(f, &[(op, at)], 0),
            Op::Array => self.array(f, pc),
            Op::Object => self.object(f, pc, place),
            Op::AnyOf | Op::OneOf => self.branches(f, pc),
            Op::Discriminator if description.is_unknown_branch() => {
                at += 1;
                let len = code.length(&mut at);
                self.allowed(f, &[(Op::StringEnum, at.saturating_add(len))], 0)
            }
            Op::Discriminator if description.issue.detail == 0 => f.write_str("must be an object"),
            Op::Discriminator => f.write_str("is required"),
            Op::Not | Op::NotSeen => f.write_str("must not match the schema under \"not\""),
            Op::Unevaluated if description.issue.detail == 0 => f.write_str("is not an expected property"),
            Op::Unevaluated => f.write_str("is one item too many"),
            _ => f.write_str("is not valid"),
        }
    }

    fn bound(&self, f: &mut dyn Write, text: &str, pc: usize) -> fmt::Result {
        f.write_str(text)?;
        match self.description.code().number(pc) {
            Some((number, _)) => number.write(&mut Cut { out: f, left: SHOWN }),
            None => Ok(()),
        }
    }

    fn array(&self, f: &mut dyn Write, pc: usize) -> fmt::Result {
        let description = self.description;
        let code = description.code();
        let mut at = pc + 2;
        let min = if code.byte(pc + 1) & crate::program::op::array::MIN != 0 { code.varint(&mut at) } else { 0 };
        match description.part() {
            (part::MIN, _) => counted(f, "must have at least ", min, " item"),
            (part::MAX, _) => counted(f, "must have at most ", code.varint(&mut at), " item"),
            (part::UNIQUE, pair) => {
                f.write_str("must not repeat items: items ")?;
                write_number(f, pair & 0x3FFF)?;
                f.write_str(" and ")?;
                write_number(f, pair >> 14)?;
                f.write_str(" are equal")
            }
            (part::CONTAINS, _) => {
                counted(f, "must contain at least ", description.min_contains(pc), " item")?;
                f.write_str(" of the kind that the schema describes")
            }
            (part::MAX_CONTAINS, _) => f.write_str("contains too many items of the kind that the schema describes"),
            _ => f.write_str("is one item too many"),
        }
    }

    fn object(&self, f: &mut dyn Write, pc: usize, place: Option<I::Place>) -> fmt::Result {
        let description = self.description;
        let bound = |part| crate::machine::object_bound(description.code(), pc, part);
        match description.part() {
            (part::MIN, _) => counted_properties(f, "must have at least ", bound(part::MIN)),
            (part::MAX, _) => counted_properties(f, "must have at most ", bound(part::MAX)),
            (part::ADDITIONAL, _) => self.unknown_property(f, pc, place),
            (part::DEPENDENT, indices) => {
                f.write_str("is required when ")?;
                quoted(f, description.entry_name(pc, indices >> 14))?;
                f.write_str(" is there")
            }
            _ => f.write_str("is required"),
        }
    }

    /// The closest name that the object may have, or else all of them.
    fn unknown_property(&self, f: &mut dyn Write, pc: usize, place: Option<I::Place>) -> fmt::Result {
        let (code, table) = (self.description.code(), self.description.table(pc));
        f.write_str("is not an expected property")?;
        let mut name = None;
        if place.is_some() {
            self.description.walk(&mut |segment| {
                if let super::Segment::Name(text) = segment {
                    let mut copy = [0; COMPARED];
                    name = collect(text, &mut copy).map(|len| (copy, len));
                }
            });
        }
        let names = || table.iter(code).filter(|entry| entry.reference.is_some());
        if let Some((copy, len)) = name {
            let name = copy.get(..len).unwrap_or_default();
            let closest = names()
                .filter_map(|entry| {
                    let mut other = [0; COMPARED];
                    let len = collect(Text::json(entry.name, false), &mut other)?;
                    Some((distance(name, other.get(..len)?), entry))
                })
                .min_by_key(|(distance, _)| *distance);
            if let Some((distance, entry)) = closest
                && distance <= 1 + len as u32 / 4
                && distance < len as u32
            {
                f.write_str("; did you mean ")?;
                quoted(f, Text::json(entry.name, false))?;
                return f.write_char('?');
            }
        }
        let mut listed = 0;
        for entry in names() {
            if listed == LISTED {
                return more(f, names().count() as u32 - listed);
            }
            f.write_str(if listed == 0 { "; expected are " } else { ", " })?;
            quoted(f, Text::json(entry.name, false))?;
            listed += 1;
        }
        Ok(())
    }

    /// No branch fits, or more than one.
    fn branches(&self, f: &mut dyn Write, pc: usize) -> fmt::Result {
        let (code, detail) = (self.description.code(), self.description.issue.detail);
        if detail & SEVERAL != 0 {
            f.write_str("must match exactly one of the schema's alternatives, but matches number ")?;
            write_number(f, (detail & 0x3FFF) + 1)?;
            f.write_str(" and number ")?;
            return write_number(f, (detail >> 14 & 0x3FFF) + 1);
        }
        let mut at = pc + 1;
        let count = code.varint(&mut at);
        let (mut types, mut all_values) = (0, true);
        let mut references = at;
        for _ in 0..count {
            let reference = code.varint(&mut references);
            types |= mask_of_reference(code, reference);
            all_values &= values_of(code, reference).is_some();
        }
        if all_values {
            let mut lists = [(Op::StringEnum, 0); LISTED as usize];
            let mut used = 0;
            for _ in 0..count {
                if let (Some(values), Some(slot)) = (values_of(code, code.varint(&mut at)), lists.get_mut(used)) {
                    *slot = values;
                    used += 1;
                }
            }
            self.allowed(f, lists.get(..used).unwrap_or_default(), 0)?;
            return if count > LISTED { more(f, count - LISTED) } else { Ok(()) };
        }
        let kind = self.description.walk(&mut |_| {}).map(|(kind, _, _)| kind);
        if kind.is_some_and(|kind| types & crate::program::op::mask_of(kind) == 0) {
            f.write_str("must be ")?;
            return type_names(f, types);
        }
        f.write_str("must match one of the schema's ")?;
        write_number(f, count)?;
        f.write_str(" alternatives")
    }

    /// The type is not among those allowed, or (`enum`, `const`) no allowed value has it.
    fn types(&self, f: &mut dyn Write, kind: Option<Kind>, place: Option<I::Place>) -> fmt::Result {
        let (code, issue) = (self.description.code(), self.description.issue);
        let mask = mask_of_reference(code, issue.code);
        if mask == 0 {
            return f.write_str("is not allowed");
        }
        if let Some(node) = issue.code.checked_sub(FIRST_NODE) {
            let node = node as usize;
            if matches!(Why::of(code.byte(node + 1)), Why::Enum | Why::Const) {
                return self.node_values(f, node, mask);
            }
        }
        f.write_str("must be ")?;
        type_names(f, mask)?;
        match (kind, place) {
            (Some(Kind::String), Some(place)) => {
                let Ok((text, _)) = self.description.instance.string(place) else {
                    return Ok(());
                };
                if mask & mask::NUMBER != 0 && is_number(text) {
                    f.write_str(": send the number without quotes")
                } else if mask & (mask::OBJECT | mask::ARRAY) != 0 && opens_container(text) {
                    f.write_str(": send the JSON itself, not a string that holds it")
                } else if mask & mask::BOOLEAN != 0 && (text.equals(b"true") || text.equals(b"false")) {
                    f.write_str(": send true or false without quotes")
                } else {
                    Ok(())
                }
            }
            (Some(Kind::Null), _) if issue.detail == 1 => f.write_str(": leave the property out instead of null"),
            _ => Ok(()),
        }
    }

    /// The values of all tables of a node.
    fn node_values(&self, f: &mut dyn Write, node: usize, mask: u8) -> fmt::Result {
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
        self.allowed(f, lists.get(..used).unwrap_or_default(), mask & (mask::NULL | mask::BOOLEAN))
    }

    /// `must be "a"`, `must be one of: "a", 1, null`.
    fn allowed(&self, f: &mut dyn Write, tables: &[(Op, usize)], literals: u8) -> fmt::Result {
        let code = self.description.code();
        let words = [(mask::NULL, "null"), (mask::FALSE, "false"), (mask::TRUE, "true")];
        let count = tables.iter().map(|&(_, at)| Table::read(code, at).count).sum::<u32>() + literals.count_ones();
        f.write_str(if count == 1 { "must be " } else { "must be one of: " })?;
        let mut listed = 0;
        let values = tables
            .iter()
            .flat_map(|&(op, at)| Table::read(code, at).iter(code).map(move |entry| (op, entry.name)))
            .map(|(op, name)| (matches!(op, Op::StringEnum | Op::StringConst), name))
            .chain(words.iter().filter(|(bit, _)| literals & bit != 0).map(|(_, word)| (false, word.as_bytes())));
        for (is_string, value) in values {
            if listed == LISTED {
                return more(f, count - listed);
            }
            if listed > 0 {
                f.write_str(", ")?;
            }
            let text = Text::json(value, false);
            if is_string {
                quoted(f, text)?;
            } else {
                cut(f, text, SHOWN)?;
            }
            listed += 1;
        }
        Ok(())
    }

    /// What was there instead.
    fn value(&self, f: &mut dyn Write, at: I::Place) -> fmt::Result {
        let (instance, shown) = (self.description.instance, self.description.shown);
        let Ok(kind) = instance.kind(at) else {
            return Ok(());
        };
        f.write_str(", got ")?;
        match kind {
            Kind::Null => f.write_str("null"),
            Kind::False => f.write_str("false"),
            Kind::True => f.write_str("true"),
            Kind::Array => f.write_str("an array"),
            Kind::Object => f.write_str("an object"),
            Kind::Number => match instance.number(at) {
                Ok((number, _)) => number.write(&mut Cut { out: f, left: shown }),
                Err(_) => Ok(()),
            },
            Kind::String => match instance.string(at) {
                Ok((text, _)) => {
                    f.write_char('"')?;
                    cut(f, text, shown)?;
                    f.write_char('"')
                }
                Err(_) => Ok(()),
            },
        }
    }
}

fn mask_of_reference(code: Code<'_>, reference: u32) -> u8 {
    match reference.checked_sub(FIRST_NODE) {
        Some(node) => code.byte(node as usize),
        None => reference as u8,
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

fn type_names(f: &mut dyn Write, mask: u8) -> fmt::Result {
    let names = [
        (mask::STRING, mask & mask::STRING, "a string"),
        (mask::NUMBER, mask & mask::NUMBER, "a number"),
        (mask::INTEGER, mask & mask::NUMBER, "an integer"),
        (mask::FRACTION, mask & mask::NUMBER, "a number that is not an integer"),
        (mask::BOOLEAN, mask & mask::BOOLEAN, "true or false"),
        (mask::TRUE, mask & mask::BOOLEAN, "true"),
        (mask::FALSE, mask & mask::BOOLEAN, "false"),
        (mask::ARRAY, mask & mask::ARRAY, "an array"),
        (mask::OBJECT, mask & mask::OBJECT, "an object"),
        (mask::NULL, mask & mask::NULL, "null"),
    ];
    let mut given = 0;
    let count = names.iter().filter(|(wanted, present, _)| wanted == present).count();
    for (_, _, name) in names.iter().filter(|(wanted, present, _)| wanted == present) {
        if given > 0 {
            f.write_str(if given + 1 == count { " or " } else { ", " })?;
        }
        f.write_str(name)?;
        given += 1;
    }
    Ok(())
}

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

/// How many letters must be changed, added, dropped or swapped with their neighbour; case and separators count for nothing.
fn distance(a: &[u8], b: &[u8]) -> u32 {
    let letters = |text: &[u8], into: &mut [u8; COMPARED]| {
        let mut len = 0;
        for &byte in text.iter().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')) {
            if let Some(slot) = into.get_mut(len) {
                *slot = byte.to_ascii_lowercase();
                len += 1;
            }
        }
        len
    };
    let (mut a_letters, mut b_letters) = ([0; COMPARED], [0; COMPARED]);
    let (a_len, b_len) = (letters(a, &mut a_letters), letters(b, &mut b_letters));
    let (a, b) = (a_letters.get(..a_len).unwrap_or_default(), b_letters.get(..b_len).unwrap_or_default());
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

fn counted(f: &mut dyn Write, before: &str, count: u32, noun: &str) -> fmt::Result {
    f.write_str(before)?;
    write_number(f, count)?;
    f.write_str(noun)?;
    f.write_str(if count == 1 { "" } else { "s" })
}

fn counted_properties(f: &mut dyn Write, before: &str, count: u32) -> fmt::Result {
    f.write_str(before)?;
    write_number(f, count)?;
    f.write_str(if count == 1 { " property" } else { " properties" })
}

fn more(f: &mut dyn Write, count: u32) -> fmt::Result {
    f.write_str(" and ")?;
    write_number(f, count)?;
    f.write_str(" more")
}

fn quoted(f: &mut dyn Write, text: Text<'_>) -> fmt::Result {
    f.write_char('"')?;
    cut(f, text, SHOWN)?;
    f.write_char('"')
}

/// Writes at most so many characters. Control characters become spaces: a message is one line.
fn cut(f: &mut dyn Write, text: Text<'_>, characters: u16) -> fmt::Result {
    let out = &mut Cut { out: f, left: characters };
    text.chars().try_for_each(|code| match char::from_u32(code) {
        Some(control) if control.is_control() => out.write_char(' '),
        other => out.write_char(other.unwrap_or(char::REPLACEMENT_CHARACTER)),
    })
}

/// Passes on so many characters, then an ellipsis, then nothing.
struct Cut<'w> {
    out: &'w mut dyn Write,
    left: u16,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match self.left {
            0 => return Ok(()),
            1 => self.out.write_char('…')?,
            _ => self.out.write_char(character)?,
        }
        self.left -= 1;
        Ok(())
    }
}
