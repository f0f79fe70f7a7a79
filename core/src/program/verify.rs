//! The check of an image from elsewhere, before anything of it runs: structure, references, tables, and whether this build can run it.
//!
//! What passes is safe to run in any case, as reading a program is safe on any bytes; the check makes sure that it also means what it
//! says. No allocation: places are noted in windows of 2 KiB, with two passes over the program for each.

use super::code::{Code, Table};
use super::op::{FIRST_NODE, Op, mask};
use super::walk::{self, Part, target};
use super::{HEADER, MAGIC, PAD, ProgramError, VERSION, flag};
use crate::format::Format;
use crate::hash;
use crate::instance::Instance;
use crate::json::{Json, MAX_DEPTH};
use crate::machine::{Budget, value_hash};
use crate::text::{Text, utf8_end};

/// Offsets of nodes that are told apart at a time.
const WINDOW: usize = 2048;
/// Nodes that may apply a link in place, directly or not, for the check to be sure that all of it ends.
const OPEN: usize = 64;
/// Nesting of values of `enum` up to which their hash is checked: it costs stack.
const HASHED: u32 = 16;

/// Whether the bytes are a program that this build can run.
pub(super) fn verify(bytes: &[u8]) -> Result<(), ProgramError> {
    let code = Code::new(bytes);
    if code.byte(0) != MAGIC || bytes.len() < HEADER + PAD {
        return Err(ProgramError::NotAProgram);
    }
    let found = code.byte(1);
    if found != VERSION {
        return Err(ProgramError::Version { found });
    }
    if code.u32(2) != hash::bytes(bytes.get(HEADER - 4..).unwrap_or_default()) {
        return Err(ProgramError::Checksum);
    }
    let (needs, links) = instructions(code)?;
    // Scratch is taken only where the flags say so.
    let flags = code.byte(HEADER - 4);
    if needs & !flags != 0 || flags & !flag::ALL != 0 {
        return Err(ProgramError::Malformed { at: HEADER - 4 });
    }
    let mut from = 0;
    while from < bytes.len() {
        references(code, from)?;
        from += WINDOW;
    }
    if links { ends(code) } else { Ok(()) }
}

/// Checks each instruction by itself; gives the flags that they need, and whether there are links.
fn instructions(code: Code<'_>) -> Result<(u8, bool), ProgramError> {
    let mut check = Check {
        code,
        node: 0,
        pc: 0,
        op: Op::AllOf,
        table: Table::EMPTY,
        entries: 0,
        needs: 0,
        links: false,
        result: Ok(()),
    };
    let structure = walk::nodes(code, |part, value, bytes| {
        // The first fault counts.
        if check.result.is_ok()
            && let Err(kind) = check.part(part, value, bytes)
        {
            let at = check.pc.max(check.node);
            check.result = Err(match kind {
                Fault::Malformed => ProgramError::Malformed { at },
                Fault::Unsupported => ProgramError::Unsupported { at },
            });
        }
    });
    check.result?;
    structure.map_err(|at| ProgramError::Malformed { at })?;
    Ok((check.needs, check.links))
}

enum Fault {
    Malformed,
    Unsupported,
}

struct Check<'p> {
    code: Code<'p>,
    node: usize,
    /// The instruction at hand.
    pc: usize,
    op: Op,
    table: Table,
    /// How many entries of the table the bits of the required names have yet to reach.
    entries: u32,
    needs: u8,
    links: bool,
    result: Result<(), ProgramError>,
}

impl Check<'_> {
    fn part(&mut self, part: Part, value: u32, bytes: &[u8]) -> Result<(), Fault> {
        let code = self.code;
        let fits = match part {
            Part::Node => {
                self.node = value as usize;
                true
            }
            Part::Instruction => {
                self.pc = value as usize;
                self.op = Op::of(code.byte(self.pc)).unwrap_or(self.op);
                match self.op {
                    Op::Unevaluated => self.needs |= flag::SCRATCH | flag::TRACK,
                    Op::Scope => self.needs |= flag::SCRATCH,
                    _ => {}
                }
                true
            }
            Part::Link => {
                self.links = true;
                let types = code.byte(self.node);
                (types == mask::ALL || types == code.types(value)) && means_types(value)
            }
            Part::Discriminates => matches!(value, 0..=2 | 4..=5),
            Part::Table => {
                self.table = Table::read(code, value as usize);
                self.entries = self.table.count;
                if self.op == Op::Object {
                    self.needs |= flag::of_names(self.entries);
                }
                // All of the index is looked at: each entry must be found in it.
                !self.table.indexed() || self.table.taken(code) == Some(self.entries as usize)
            }
            Part::Entry => self.entry(value, bytes),
            Part::Required => {
                let bits = code.varint64(&mut { value as usize });
                let here = self.entries.min(64);
                self.entries -= here;
                bits.checked_shr(here).unwrap_or(0) == 0
            }
            Part::Format => match Format::from_code(value as u8) {
                Some(format) if !format.supported() => return Err(Fault::Unsupported),
                format => format.is_some(),
            },
            #[cfg(feature = "regex")]
            Part::Pattern => crate::regex::verify(bytes),
            #[cfg(not(feature = "regex"))]
            Part::Pattern => return Err(Fault::Unsupported),
            // The name of a property is looked for as it is.
            Part::Text => utf8_end(bytes) == bytes.len() && (self.op != Op::Discriminator || !must_be_escaped(bytes)),
            // Only a link may lead to what comes later.
            _ => !part.is_schema() || target(value).is_none_or(|target| target < self.node) && means_types(value),
        };
        if fits { Ok(()) } else { Err(Fault::Malformed) }
    }

    /// Whether an entry of a table can be read, and found.
    fn entry(&self, index: u32, name: &[u8]) -> bool {
        let (code, table) = (self.code, self.table);
        let Ok(json) = Json::new(name) else {
            return false;
        };
        // In an index it is itself that is found, not one that is like it.
        let is_there =
            |hash| !table.indexed() || table.hashed(code, hash).any(|entry| entry.name.as_ptr() == name.as_ptr());
        if matches!(self.op, Op::ValueEnum | Op::ValueConst) {
            return json.skip(0, MAX_DEPTH) == Ok(name.len())
                && value_hash(json, 0, &mut Budget::of_depth(HASHED)).map_or(true, |(hash, _)| is_there(hash));
        }
        let found = table.find(code, Text::json(name, false), &mut { u32::MAX });
        let escaped = must_be_escaped(name);
        // Only values may be repeated.
        is_there(hash::bytes(name))
            && found
                .is_some_and(|found| found.escaped == escaped && (found.index == index || self.op == Op::StringEnum))
    }
}

/// Whether the machine takes a reference for what its bits say. Which numbers are no integers, only a node tells apart (`{"enum": [1.5]}`):
/// there is no schema that is nothing but their type.
fn means_types(reference: u32) -> bool {
    reference >= FIRST_NODE || reference as u8 & mask::NUMBER != mask::FRACTION
}

/// Checks that all references into a window lead to the start of a node.
fn references(code: Code<'_>, from: usize) -> Result<(), ProgramError> {
    let mut starts = [0_u8; WINDOW / 8];
    let _ = walk::nodes(code, |part, value, _| {
        if part == Part::Node
            && let Some(offset) = (value as usize).checked_sub(from)
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
    let root = code.u32(HEADER - 4) >> 8;
    let mut fault = if fits(root) && means_types(root) { None } else { Some(HEADER - 3) };
    let mut node = 0;
    let _ = walk::nodes(code, |part, value, _| {
        if part == Part::Node {
            node = value as usize;
        } else if part.is_schema() && !fits(value) {
            fault = fault.or(Some(node));
        }
    });
    match fault {
        Some(at) => Err(ProgramError::Malformed { at }),
        None => Ok(()),
    }
}

/// Checks that no schema applies itself to the same value again, without end.
///
/// Only links lead forwards, so only what applies one in place can be part of a cycle. What applies nothing else of the list is struck
/// off, until nothing changes: the rest are cycles.
fn ends(code: Code<'_>) -> Result<(), ProgramError> {
    let mut list = [0_u32; OPEN];
    let mut len = 0;
    let mut node = 0;
    let _ = walk::nodes(code, |part, value, _| {
        let known = list.get(..len).unwrap_or_default();
        if part == Part::Node {
            node = value;
        } else if (part == Part::Link || applies(known, part, value)) && known.last() != Some(&node) {
            if let Some(slot) = list.get_mut(len) {
                *slot = node;
            }
            len += 1;
        }
    });
    loop {
        let before = len;
        len = 0;
        for index in 0..before {
            // Too many to tell: when it runs, the limit on depth holds.
            let (Some(known), Some(&node)) = (list.get(..before), list.get(index)) else {
                return Ok(());
            };
            let mut open = false;
            let _ = walk::node(code, node as usize, |part, value, _| open |= applies(known, part, value));
            if open {
                if let Some(slot) = list.get_mut(len) {
                    *slot = node;
                }
                len += 1;
            }
        }
        if len == 0 || len == before {
            break;
        }
    }
    match list.first() {
        Some(&at) if len > 0 => Err(ProgramError::Malformed { at: at as usize }),
        _ => Ok(()),
    }
}

/// Whether a part is the application of one of some nodes to the same value.
fn applies(nodes: &[u32], part: Part, value: u32) -> bool {
    part.is_in_place() && value >= FIRST_NODE && nodes.contains(&(value - FIRST_NODE))
}

/// Whether JSON cannot hold a string without escapes.
fn must_be_escaped(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))
}
