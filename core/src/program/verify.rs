//! The check of an image from elsewhere, before anything of it runs: structure, references, tables, and whether this build can run it.
//!
//! What passes is safe to run in any case, as reading a program is safe on any bytes; the check makes sure that it also means what it
//! says. No allocation: places are noted in windows of 2 KiB, with two passes over the program for each.

use super::code::{Code, Table};
use super::op::{Op, array, mask};
use super::walk::{self, Field, Item, Role, target};
use super::{HEADER, MAGIC, ProgramError, VERSION, flag};
use crate::format::Format;
use crate::hash;
use crate::instance::Instance;
use crate::json::{Json, MAX_DEPTH};
use crate::machine::{Budget, value_hash};
use crate::text::Text;

/// Offsets of nodes that are told apart at a time.
const WINDOW: usize = 2048;
/// Nodes that may apply a link in place, directly or not, for the check to be sure that all of it ends.
const OPEN: usize = 64;
/// Nesting of values of `enum` up to which their hash is checked: it costs stack.
const HASHED: u32 = 16;

/// Whether the bytes are a program that this build can run.
pub(super) fn verify(bytes: &[u8]) -> Result<(), ProgramError> {
    let code = Code::new(bytes);
    if code.byte(0) != MAGIC || bytes.len() < HEADER {
        return Err(ProgramError::NotAProgram);
    }
    let found = code.byte(1);
    if found != VERSION {
        return Err(ProgramError::Version { found });
    }
    if code.u32(2) != hash::bytes(bytes.get(HEADER - 4..).unwrap_or_default()) {
        return Err(ProgramError::Checksum);
    }
    let mut needs = Needs::default();
    instructions(code, &mut needs)?;
    // Scratch is taken only where the flags say so.
    let flags = code.byte(HEADER - 4);
    if needs.flags & !flags != 0 || flags & !(flag::SCRATCH | flag::TRACK) != 0 {
        return Err(ProgramError::Malformed { at: HEADER - 4 });
    }
    let mut from = 0;
    while from < bytes.len() {
        references(code, from)?;
        from += WINDOW;
    }
    if needs.link { ends(code) } else { Ok(()) }
}

/// What the instructions ask for.
#[derive(Default)]
struct Needs {
    flags: u8,
    link: bool,
}

/// Checks each instruction by itself.
fn instructions(code: Code<'_>, needs: &mut Needs) -> Result<(), ProgramError> {
    let mut check = Check { code, at: 0, op: Op::AllOf, table: Table::EMPTY, bits: 0, result: Ok(()) };
    let structure = walk::nodes(code, &mut |node, item| check.item(node, item, needs));
    // The first fault counts.
    match (check.result, structure) {
        (Ok(()), Err(at)) => Err(ProgramError::Malformed { at }),
        (result, _) => result,
    }
}

struct Check<'p> {
    code: Code<'p>,
    /// The instruction at hand.
    at: usize,
    op: Op,
    table: Table,
    /// Entries of the table that the bits of the required names have not reached.
    bits: u32,
    result: Result<(), ProgramError>,
}

impl<'p> Check<'p> {
    fn item(&mut self, node: usize, item: Item<'p>, needs: &mut Needs) {
        let fits = match item {
            Item::Instruction { at, op } => {
                (self.at, self.op) = (at, op);
                match op {
                    Op::Unevaluated => needs.flags |= flag::SCRATCH | flag::TRACK,
                    Op::Scope => needs.flags |= flag::SCRATCH,
                    _ => {}
                }
                true
            }
            Item::Schema(Role::Link, _) => {
                needs.link = true;
                self.code.byte(node) == mask::ALL
            }
            // Only a link may lead to what comes later.
            Item::Schema(_, reference) => target(reference).is_none_or(|target| target < node),
            Item::Field(Field::Flags, flags) => {
                if self.op == Op::Array && flags & u32::from(array::UNIQUE) != 0 {
                    needs.flags |= flag::SCRATCH;
                }
                self.op != Op::Discriminator || flags <= 1
            }
            Item::Node | Item::Field(..) => true,
            Item::Table(table) => {
                (self.table, self.bits) = (table, table.count);
                if self.op == Op::Object && table.count > 64 {
                    needs.flags |= flag::SCRATCH;
                }
                true
            }
            Item::Entry(index, name) => self.entry(index, name),
            Item::Required(bits) => {
                let here = self.bits.min(64);
                self.bits -= here;
                bits.checked_shr(here).unwrap_or(0) == 0
            }
            Item::Number(number) => self.op != Op::MultipleOf || number.divisor_supported(),
            Item::Format(format) => match Format::from_code(format) {
                Some(format) if !format.supported() => return self.unsupported(),
                format => format.is_some(),
            },
            #[cfg(feature = "regex")]
            Item::Pattern(pattern) => crate::regex::verify(pattern),
            #[cfg(not(feature = "regex"))]
            Item::Pattern(_) => return self.unsupported(),
            Item::Text(text) => core::str::from_utf8(text).is_ok(),
        };
        if !fits {
            self.fault(ProgramError::Malformed { at: if self.at < node { node } else { self.at } });
        }
    }

    fn unsupported(&mut self) {
        self.fault(ProgramError::Unsupported { at: self.at });
    }

    fn fault(&mut self, error: ProgramError) {
        self.result = self.result.and(Err(error));
    }

    /// Whether an entry of a table can be read, and found.
    fn entry(&self, index: u32, name: &[u8]) -> bool {
        let (code, table) = (self.code, self.table);
        let Ok(json) = Json::new(name) else {
            return false;
        };
        let mut steps = u32::MAX;
        if !matches!(self.op, Op::ValueEnum | Op::ValueConst) {
            let found = table.find(code, Text::json(name, false), &mut table.hint(), &mut steps);
            // Only values may be repeated.
            return found.is_some_and(|found| found.index == index || self.op == Op::StringEnum);
        }
        json.skip(0, MAX_DEPTH) == Ok(name.len())
            && match value_hash(json, 0, &mut Budget::of_depth(HASHED)) {
                Ok((hash, _)) if table.indexed() => {
                    table.find_hashed(code, hash, &mut steps, |entry| entry.name == name).is_some()
                }
                _ => true,
            }
    }
}

/// Checks that all references into a window lead to the start of a node.
fn references(code: Code<'_>, from: usize) -> Result<(), ProgramError> {
    let mut starts = [0_u8; WINDOW / 8];
    let _ = walk::nodes(code, &mut |node, item| {
        if let Item::Node = item
            && let Some(offset) = node.checked_sub(from)
            && let Some(byte) = starts.get_mut(offset / 8)
        {
            *byte |= 1 << (offset % 8);
        }
    });
    let is_last = code.bytes().len() - from <= WINDOW;
    let fits = |reference| match target(reference).and_then(|node| node.checked_sub(from)) {
        Some(offset) => match starts.get(offset / 8) {
            Some(byte) => byte >> (offset % 8) & 1 != 0,
            None => !is_last,
        },
        None => true,
    };
    let mut result = Ok(());
    let _ = walk::nodes(code, &mut |node, item| {
        if let Item::Schema(_, reference) = item
            && !fits(reference)
        {
            result = result.and(Err(ProgramError::Malformed { at: node }));
        }
    });
    if fits(code.u32(HEADER - 4) >> 8) { result } else { Err(ProgramError::Malformed { at: HEADER - 3 }) }
}

/// Checks that no schema applies itself to the same value again, without end.
///
/// Only links lead forwards, so only what applies one in place can be part of a cycle. What applies nothing else of the list is struck
/// off, until nothing changes: the rest are cycles.
fn ends(code: Code<'_>) -> Result<(), ProgramError> {
    let mut list = [0_u32; OPEN];
    let mut len = 0;
    let is_among = |list: &[u32], item: &Item<'_>| match item {
        Item::Schema(role, reference) if role.in_place() => {
            target(*reference).is_some_and(|target| list.contains(&(target as u32)))
        }
        _ => false,
    };
    let _ = walk::nodes(code, &mut |node, item| {
        let known = list.get(..len).unwrap_or_default();
        let is_link = matches!(item, Item::Schema(Role::Link, _));
        if (is_link || is_among(known, &item)) && known.last() != Some(&(node as u32)) {
            if let Some(slot) = list.get_mut(len) {
                *slot = node as u32;
            }
            len += 1;
        }
    });
    loop {
        let before = len;
        let mut kept = 0;
        for index in 0..before {
            // Too many to tell: when it runs, the limit on depth holds.
            let (Some(known), Some(&node)) = (list.get(..before), list.get(index)) else {
                return Ok(());
            };
            let mut open = false;
            let _ = walk::node(code, node as usize, &mut |item| open |= is_among(known, &item));
            if open {
                if let Some(slot) = list.get_mut(kept) {
                    *slot = node;
                }
                kept += 1;
            }
        }
        len = kept;
        if len == 0 || len == before {
            break;
        }
    }
    match list.first() {
        Some(&at) if len > 0 => Err(ProgramError::Malformed { at: at as usize }),
        _ => Ok(()),
    }
}
