//! Schemas that are written already, as far as they say of objects what one instruction says.

use super::NONE;
use crate::program::code::{Code, Table};
use crate::program::op::{LAST, Op, UNEVALUATED, group, mask, object};
use crate::program::walk::{self, Part};
use core::ops::Range;

/// Names that are looked at: a bit for each fits a word.
pub(super) const MOST_NAMES: u32 = 64;
/// Bytes of a schema that is copied to where it is applied, and its instructions for any type.
const MOST_BYTES: usize = 512;
const MOST_COPIED: usize = 16;

/// An `Object` instruction, taken apart.
pub(super) struct Object {
    pub(super) op: u8,
    pub(super) flags: u8,
    pub(super) table: Table,
    pub(super) required: u64,
    pub(super) additional: u32,
    pub(super) names: u32,
    pub(super) patterns: Range<usize>,
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) dependent: Range<usize>,
}

impl Object {
    /// The one at `pc`, where it has few enough names.
    pub(super) fn at(code: Code<'_>, pc: usize) -> Option<Self> {
        let (op, flags) = (code.byte(pc) & !LAST, code.byte(pc + 1));
        if Op::of(op) != Some(Op::Object) {
            return None;
        }
        let has = |flag| flags & flag != 0;
        let mut at = pc + 2;
        let table = if has(object::TABLE) { Table::read(code, at) } else { Table::EMPTY };
        if has(object::TABLE) {
            at = table.end;
        }
        if table.count > MOST_NAMES {
            return None;
        }
        let required = if has(object::REQUIRED) { code.varint64(&mut at) } else { 0 };
        let additional = if has(object::ADDITIONAL) { code.varint(&mut at) } else { NONE };
        let names = if has(object::NAMES) { code.varint(&mut at) } else { NONE };
        let patterns = section(code, &mut at, has(object::PATTERNS));
        let min = if has(object::MIN) { code.varint(&mut at) } else { 0 };
        let max = if has(object::MAX) { code.varint(&mut at) } else { NONE };
        let dependent = section(code, &mut at, has(object::DEPENDENT));
        Some(Self { op, flags, table, required, additional, names, patterns, min, max, dependent })
    }
}

/// The code as far as so many bytes behind a node. A longer node does not hold together in it, which shows without reading all of it.
pub(super) fn window(code: Code<'_>, node: usize, bytes: usize) -> Code<'_> {
    let end = node.saturating_add(bytes).min(code.bytes().len());
    Code::new(code.bytes().get(..end).unwrap_or_default())
}

/// Bytes with their length in front.
fn section(code: Code<'_>, at: &mut usize, is_there: bool) -> Range<usize> {
    if !is_there {
        return 0..0;
    }
    let len = code.length(at);
    let start = *at;
    *at = start.saturating_add(len);
    start..*at
}

/// A schema that says of objects what one instruction says, and else only what holds for any type.
pub(super) struct Plain {
    pub(super) node: usize,
    pub(super) pc: usize,
    /// The instructions for any type: where each begins, how many there are, where the last one ends.
    pub(super) any: [usize; MOST_COPIED],
    pub(super) count: usize,
    pub(super) end: usize,
}

impl Plain {
    pub(super) fn of(code: Code<'_>, reference: u32) -> Option<Self> {
        let node = walk::target(reference)?;
        let second = code.byte(node + 1);
        if second == group::LINK || second & (group::ALL & !group::ANY) != group::OBJECT {
            return None;
        }
        let pc = crate::machine::run_start(code, node, second, group::OBJECT);
        let mut plain = Self { node, pc, any: [0; MOST_COPIED], count: 0, end: 0 };
        let mut fits = code.byte(pc) & !UNEVALUATED == Op::Object as u8 | LAST;
        plain.end = walk::node(window(code, node, MOST_BYTES), node, |part, value, _| {
            if part == Part::Instruction && value as usize != pc {
                match plain.any.get_mut(plain.count) {
                    Some(slot) => *slot = value as usize,
                    None => fits = false,
                }
                plain.count += 1;
            }
        })
        .ok()?;
        fits.then_some(plain)
    }

    /// The names that a schema speaks of, where it says nothing but what scalars their values are, and which must be there.
    pub(super) fn names(code: Code<'_>, reference: u32) -> Option<Object> {
        let plain = Self::of(code, reference).filter(|plain| plain.count == 0)?;
        let object = Object::at(code, plain.pc)?;
        let fits = code.byte(plain.node) & mask::OBJECT != 0
            && object.flags & !(object::TABLE | object::REQUIRED) == 0
            && object.table.iter(code).all(|entry| entry.reference.is_none_or(|reference| is_scalar(code, reference)));
        fits.then_some(object)
    }

    /// The names that must be there, where a schema says nothing else.
    pub(super) fn required(code: Code<'_>, reference: u32) -> Option<Object> {
        Self::names(code, reference).filter(|object| {
            object
                .table
                .iter(code)
                .all(|entry| entry.reference.is_none() && object.required >> (entry.index % MOST_NAMES) & 1 != 0)
        })
    }
}

/// Whether a schema says nothing of what is in a container.
fn is_scalar(code: Code<'_>, reference: u32) -> bool {
    walk::target(reference).is_none_or(|node| {
        let second = code.byte(node + 1);
        second != group::LINK && second & (group::ARRAY | group::OBJECT | group::ANY) == 0
    })
}

/// Whether an object that a schema admits has each name once, and what the schema refuses is refused whoever reads: it is closed and
/// holds scalars, or admits no objects.
pub(super) fn tells_names_apart(code: Code<'_>, reference: u32) -> bool {
    const OPEN: u8 = object::PATTERNS | object::DEPENDENT;
    let Some(node) = walk::target(reference) else {
        return reference & u32::from(mask::OBJECT) == 0;
    };
    if code.byte(node) & mask::OBJECT == 0 {
        return is_scalar(code, reference);
    }
    Plain::of(code, reference)
        .filter(|plain| plain.count == 0)
        .and_then(|plain| Object::at(code, plain.pc))
        .is_some_and(|object| {
            object.additional == 0
                && object.flags & OPEN == 0
                && object.table.iter(code).all(|entry| entry.reference.is_none_or(|schema| is_scalar(code, schema)))
        })
}
