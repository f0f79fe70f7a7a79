//! What schemas that are written already may admit, as far as their first instructions tell: whether an object with such a property can match.

use super::branch::strings;
use crate::program::code::{Code, Table};
use crate::program::op::{Op, discriminator, group, mask, object};
use crate::program::walk;
use crate::text::Text;

/// What is known of a property.
#[derive(Clone, Copy)]
pub(super) enum Fact<'f> {
    /// It is this string.
    Is(&'f [u8]),
    /// It is none of the strings that this function knows.
    Other(&'f dyn Fn(&[u8]) -> bool),
    Missing,
}

/// The names that an `Object` instruction has, and whether it admits no others.
pub(super) struct Names {
    pub(super) table: Table,
    /// The first 64 bits of the required names.
    required: u64,
    pub(super) closed: bool,
}

impl Names {
    pub(super) fn requires(&self, index: u32) -> bool {
        index < 64 && self.required >> index & 1 != 0
    }
}

/// What a schema says of an object's members, where its instructions for objects begin with that.
pub(super) fn names_of(code: Code<'_>, reference: u32) -> Option<Names> {
    let node = walk::target(reference)?;
    let second = code.byte(node + 1);
    if code.byte(node) & mask::OBJECT == 0 || second & group::OBJECT == 0 || second == group::LINK {
        return None;
    }
    let pc = crate::machine::run_start(code, node, second, group::OBJECT);
    let (table, flags) = (names_at(code, pc)?, code.byte(pc + 1));
    let mut at = table.end;
    let mut required = 0;
    if flags & object::REQUIRED != 0 {
        required = code.varint64(&mut at);
        for _ in 1..table.count.div_ceil(64) {
            code.varint64(&mut at);
        }
    }
    let closed = flags & object::ADDITIONAL != 0 && flags & object::PATTERNS == 0 && code.varint(&mut at) == 0;
    Some(Names { table, required, closed })
}

/// The table of an `Object` instruction.
pub(super) fn names_at(code: Code<'_>, pc: usize) -> Option<Table> {
    let has_table = Op::of(code.byte(pc)) == Some(Op::Object) && code.byte(pc + 1) & object::TABLE != 0;
    has_table.then(|| Table::read(code, pc + 2))
}

pub(super) fn closed_names(code: Code<'_>, reference: u32) -> Option<Names> {
    names_of(code, reference).filter(|names| names.closed)
}

/// The instruction for any type that a schema begins with, and where its operands stand.
pub(super) fn applied(code: Code<'_>, reference: u32) -> Option<(Op, usize)> {
    let node = walk::target(reference)?;
    let second = code.byte(node + 1);
    if second == group::LINK || second & group::ANY == 0 {
        return None;
    }
    let pc = crate::machine::run_start(code, node, second, group::ANY);
    Op::of(code.byte(pc)).map(|op| (op, pc + 1))
}

/// A `Discriminator` instruction, taken apart.
pub(super) struct Selector {
    pub(super) what: u8,
    pub(super) name: usize,
    pub(super) len: usize,
    pub(super) table: Table,
    /// For what is no object, for objects without the property, and for any other value.
    pub(super) rest: [Option<u32>; 3],
}

impl Selector {
    pub(super) fn read(code: Code<'_>, operands: usize) -> Self {
        let mut name = operands + 1;
        let len = code.length(&mut name);
        let table = Table::read(code, name + len);
        let mut at = table.end;
        let rest = [(); 3].map(|()| code.varint(&mut at).checked_sub(1));
        Self { what: code.byte(operands), name, len, table, rest }
    }

    /// Whether it selects branches by the value of this property.
    pub(super) fn is_by(&self, code: Code<'_>, name: &[u8]) -> bool {
        self.what & (discriminator::FIRST | discriminator::IF) == 0 && code.slice(self.name, self.len) == name
    }

    fn references(&self, code: Code<'_>) -> impl Iterator<Item = u32> {
        self.table.iter(code).filter_map(|entry| entry.reference).chain(self.rest.into_iter().flatten())
    }
}

/// Whether a schema may admit an object of which this is known. What would take long to see may be.
pub(super) fn admits(code: Code<'_>, name: &[u8], reference: u32, fact: Fact<'_>, left: &mut u32) -> bool {
    *left = left.saturating_sub(1);
    if code.types(reference) & mask::OBJECT == 0 {
        return false;
    }
    if *left == 0 {
        return true;
    }
    if let Some(names) = names_of(code, reference) {
        let fits = match (names.table.find(code, Text::json(name, false), &mut 0), fact) {
            (Some(entry), Fact::Missing) => !names.requires(entry.index),
            (Some(entry), _) => entry.reference.is_none_or(|schema| admits_value(code, schema, fact)),
            (None, Fact::Missing) => true,
            (None, _) => !names.closed,
        };
        if !fits {
            return false;
        }
    }
    let mut fits = |reference| admits(code, name, reference, fact, left);
    match applied(code, reference) {
        Some((Op::AllOf, mut at)) => (0..code.varint(&mut at)).all(|_| fits(code.varint(&mut at))),
        Some((Op::AnyOf | Op::OneOf, mut at)) => (0..code.varint(&mut at)).any(|_| fits(code.varint(&mut at))),
        Some((Op::Scope, mut at)) => {
            code.varint(&mut at);
            fits(code.varint(&mut at))
        }
        Some((Op::Discriminator, at)) => {
            let selector = Selector::read(code, at);
            let [_, missing, other] = selector.rest;
            match fact {
                _ if !selector.is_by(code, name) => true,
                Fact::Missing => missing.is_some_and(fits),
                Fact::Is(value) => {
                    let found = selector.table.find(code, Text::json(value, false), &mut 0);
                    found.map_or(other, |entry| entry.reference).is_some_and(fits)
                }
                Fact::Other(is_listed) => {
                    other.is_some_and(fits) || !selector.table.iter(code).all(|entry| is_listed(entry.name))
                }
            }
        }
        _ => true,
    }
}

/// Whether a schema may admit such a value.
fn admits_value(code: Code<'_>, schema: u32, fact: Fact<'_>) -> bool {
    let types = code.types(schema);
    let has_others = types & !mask::STRING != 0;
    let admits_strings = |schema: Option<u32>| match (strings(code, schema), fact) {
        (Some(table), Fact::Is(value)) => table.find(code, Text::json(value, false), &mut 0).is_some(),
        (Some(table), Fact::Other(is_listed)) => !table.iter(code).all(|entry| is_listed(entry.name)),
        _ => true,
    };
    match fact {
        Fact::Is(_) if types & mask::STRING == 0 => false,
        Fact::Is(value) => {
            let refused = match applied(code, schema) {
                Some((Op::Not, mut at)) => strings(code, Some(code.varint(&mut at))),
                _ => None,
            };
            refused.is_none_or(|table| table.find(code, Text::json(value, false), &mut 0).is_none())
                && admits_strings(Some(schema))
        }
        _ => has_others || admits_strings(Some(schema)),
    }
}

/// Whether every object that a schema admits was read by an instruction that has this name in its table, so that it has it once.
pub(super) fn knows(code: Code<'_>, name: &[u8], reference: u32, left: &mut u32) -> bool {
    *left = left.saturating_sub(1);
    if code.types(reference) & mask::OBJECT == 0 {
        return true;
    }
    if *left == 0 {
        return false;
    }
    if let Some(names) = names_of(code, reference)
        && names.table.find(code, Text::json(name, false), &mut 0).is_some()
    {
        return true;
    }
    let mut fits = |reference| knows(code, name, reference, left);
    match applied(code, reference) {
        Some((Op::AllOf, mut at)) => (0..code.varint(&mut at)).any(|_| fits(code.varint(&mut at))),
        Some((Op::AnyOf | Op::OneOf, mut at)) => (0..code.varint(&mut at)).all(|_| fits(code.varint(&mut at))),
        Some((Op::Discriminator, at)) => {
            let selector = Selector::read(code, at);
            selector.references(code).all(fits)
        }
        _ => false,
    }
}

pub(super) fn must_be_escaped(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))
}
