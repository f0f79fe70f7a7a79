//! What the compiler knows of a schema before its node is written: records on a stack at the back of the arena.
//!
//! A record is its payload, then (at the higher address) a word with its kind and length, so that a walk from where the schema's
//! records begin gives them in the order they were made.

use crate::arena::Arena;

/// Kinds of record. `RUN` plus the bit number of a group: an instruction of that group.
pub(super) mod kind {
    pub(in crate::compile) const RUN: u8 = 0;
    pub(in crate::compile) const LAST_RUN: u8 = 4;
    /// Hash, offset of the name in the document, reference, flags, and a word for lists: see `table::entry`.
    pub(in crate::compile) const ENTRY: u8 = 8;
    /// Reference, then the compiled pattern.
    pub(in crate::compile) const PATTERN: u8 = 9;
    /// Reference of a prefix item.
    pub(in crate::compile) const PREFIX: u8 = 10;
    /// Starts the records of a branch of `anyOf` or `oneOf`: type mask, reason.
    pub(in crate::compile) const BRANCH: u8 = 11;
    /// Used up.
    pub(in crate::compile) const DEAD: u8 = 12;
    /// Like `ENTRY`, for a value of `enum` or `const`: the last word is its group.
    pub(in crate::compile) const VALUE: u8 = 13;
    /// Bytes on their way into an instruction.
    pub(in crate::compile) const PIECE: u8 = 14;
    /// An entry of `dependentRequired` or `dependentSchemas`, as the instruction has it.
    pub(in crate::compile) const DEPENDENT: u8 = 15;
    /// A schema that a search found: document, offset.
    pub(in crate::compile) const FOUND: u8 = 16;
    /// Reference of a schema of `dependentSchemas`.
    pub(in crate::compile) const REFERENCE: u8 = 17;
    /// An instruction for a condition that is folded into that for objects.
    pub(in crate::compile) const CONDITION: u8 = 18;
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) kind: u8,
    /// Where the payload starts.
    pub(super) at: usize,
    pub(super) len: usize,
}

impl Block {
    /// The position from which the next record is found.
    pub(super) const fn next(&self) -> usize {
        self.at
    }

    pub(super) fn set_kind(&self, arena: &mut Arena<'_>, kind: u8) {
        arena.set(self.at + self.len, kind);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn word(&self, arena: &Arena<'_>, index: usize) -> u32 {
        arena.word(self.at + index * 4)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn set_word(&self, arena: &mut Arena<'_>, index: usize, value: u32) {
        arena.set_word(self.at + index * 4, value);
    }
}

/// The record that begins (at its higher end) at `from`.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
pub(super) fn block_at(arena: &Arena<'_>, from: usize) -> Option<Block> {
    if from <= arena.back() {
        return None;
    }
    let header = arena.word(from - 4);
    let len = (header >> 8) as usize;
    Some(Block { kind: header as u8, at: from.saturating_sub(4 + len), len })
}
