//! The names of a table, for objects that somebody else parsed: their members come each once, and in any order.

use super::code::{Code, ESCAPED, HEAD_BITS, LONG, MAX_UNINDEXED, NO_REFERENCE, Table};
use crate::hash;
use crate::text::same;

/// A table of names, and which of them an object has.
#[derive(Debug)]
pub(crate) struct Names<'p> {
    code: Code<'p>,
    /// The program, up to the end of the table.
    bytes: &'p [u8],
    table: Table,
    /// Bytes of an entry before its name.
    offset: usize,
    /// What is expected next.
    at: usize,
    /// The number of the name that was found last.
    pub(crate) last: u32,
    /// Bits of the first 64 names: those that must be there, and those that were.
    pub(crate) required: u64,
    pub(crate) seen: u64,
    /// How many names were none of the table.
    pub(crate) undeclared: u32,
    /// Whether the name that was found last need not be there.
    pub(crate) optional: bool,
}

impl<'p> Names<'p> {
    /// The names of a table.
    #[inline(always)]
    pub(crate) fn of(code: Code<'p>, table: Table) -> Self {
        Self {
            code,
            bytes: code.bytes().get(..table.end).unwrap_or_default(),
            offset: table.offset(),
            at: table.entries,
            table,
            last: 0,
            required: 0,
            seen: 0,
            undeclared: 0,
            optional: false,
        }
    }

    /// Looks a name up, and keeps what it was: its number, and the reference that hangs on it. Counts in `steps` what it compared by hash.
    #[inline(always)]
    pub(crate) fn find(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        // What nothing names may be left out.
        self.optional = true;
        if name.len() >= LONG || self.table.count > MAX_UNINDEXED {
            self.find_hashed(name, steps)
        } else {
            self.find_near(name, steps)
        }
    }

    /// Whether a string is one of the names.
    #[inline(always)]
    pub(crate) fn contain(mut self, name: &[u8], steps: &mut u32) -> bool {
        if name.len() >= LONG || self.table.count > MAX_UNINDEXED {
            return self.find_hashed(name, steps).is_some();
        }
        let mut at = self.at;
        while let Some(&head) = self.bytes.get(at) {
            let len = usize::from(head) >> HEAD_BITS;
            at += self.offset + len;
            if len == name.len() {
                let stored = self.bytes.get(at - len..).and_then(|rest| rest.get(..name.len()));
                if stored.is_some_and(|stored| same(stored, name)) {
                    return true;
                }
            } else if len == LONG {
                return self.find_hashed(name, steps).is_some();
            }
        }
        false
    }

    /// Looks through the entries from the expected one on, and then from the first. Most are told apart by their length alone.
    #[inline(never)]
    fn find_near(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        let wanted = (name.len() << HEAD_BITS) as u8;
        let (mut at, mut again) = (self.at, false);
        loop {
            let Some(&head) = self.bytes.get(at) else {
                if again {
                    break;
                }
                (at, again) = (self.table.entries, true);
                continue;
            };
            let start = at;
            at += self.offset + (usize::from(head) >> HEAD_BITS);
            if head & !(ESCAPED as u8) == wanted {
                let stored = self.bytes.get(start + self.offset..).and_then(|rest| rest.get(..name.len()));
                if stored.is_some_and(|stored| same(stored, name)) {
                    // So few are numbered with one byte.
                    let (_, index, reference) = Table::plain_head(self.code.u64(start));
                    let has_reference = self.table.has_references && reference != NO_REFERENCE;
                    return Some(self.found(index, has_reference.then_some(reference), at));
                }
            } else if usize::from(head) >> HEAD_BITS == LONG {
                return self.find_hashed(name, steps);
            }
        }
        self.undeclared = self.undeclared.saturating_add(1);
        None
    }

    #[inline(always)]
    fn found(&mut self, index: u32, reference: Option<u32>, after: usize) -> Option<u32> {
        (self.at, self.last) = (after, index);
        self.optional = false;
        if index < 64 {
            self.seen |= 1 << index;
            self.optional = self.required >> index & 1 == 0;
        }
        reference
    }

    /// The same for a table with an index, and for names that are long.
    #[inline(never)]
    fn find_hashed(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        let (code, table) = (self.code, self.table);
        if !table.indexed() {
            let entry = table.near(code, table.entries, name).and_then(|at| self.is_at(at, name));
            if entry.is_none() {
                self.undeclared = self.undeclared.saturating_add(1);
            }
            return entry;
        }
        // What is expected next, where the members come in the order of the schema.
        if self.at < table.end
            && let Some(found) = self.is_at(self.at, name)
        {
            return Some(found);
        }
        let count = table.count as usize;
        // What is hashed may be of any length.
        *steps = steps.saturating_sub((name.len() / 64) as u32);
        let wanted = (hash::bytes(name) >> 16) as u16;
        let hashes = code.slice(table.hashes, count * 2).as_chunks::<2>().0;
        let mut slot = first_slot(hashes, wanted);
        let offsets = table.hashes + count * 2;
        let wide = table.end.saturating_sub(table.entries) > 0xFFFF;
        while hashes.get(slot).is_some_and(|&hash| u16::from_le_bytes(hash) == wanted) {
            let offset = if wide { code.u32(offsets + slot * 4) as usize } else { code.u16(offsets + slot * 2).into() };
            *steps = steps.saturating_sub(1);
            if let Some(found) = self.is_at(table.entries.saturating_add(offset), name) {
                return Some(found);
            }
            slot += 1;
        }
        self.undeclared = self.undeclared.saturating_add(1);
        None
    }

    /// Whether the entry at `at` has this name.
    #[inline(always)]
    fn is_at(&mut self, at: usize, name: &[u8]) -> Option<Option<u32>> {
        let head = self.table.head(self.code, at);
        if head.len != name.len() || !same(self.code.slice(head.name_at, head.len), name) {
            return None;
        }
        Some(self.found(head.index, head.reference, head.after()))
    }
}

/// Where the first hash that is not below `wanted` stands. Hashes are spread evenly: mostly it is where its value says, or near that.
#[inline(always)]
pub(super) fn first_slot(hashes: &[[u8; 2]], wanted: u16) -> usize {
    const NEAR: usize = 12;
    let is_below = |slot: usize| hashes.get(slot).is_some_and(|&hash| u16::from_le_bytes(hash) < wanted);
    let guess = (usize::from(wanted) * hashes.len()) >> 16;
    let mut slot = guess;
    while is_below(slot) {
        slot += 1;
        if slot > guess + NEAR {
            return hashes.partition_point(|&hash| u16::from_le_bytes(hash) < wanted);
        }
    }
    while slot > 0 && !is_below(slot - 1) {
        slot -= 1;
        if slot + NEAR < guess {
            return hashes.partition_point(|&hash| u16::from_le_bytes(hash) < wanted);
        }
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::first_slot;
    use std::vec::Vec;

    #[test]
    fn the_first_slot_is_found_however_the_hashes_are_spread() {
        let even: Vec<u16> = (0..500).map(|i| i * 131).collect();
        let low: Vec<u16> = (0..500).map(|i| i / 3).collect();
        let high: Vec<u16> = (0..500).map(|i| u16::MAX - 166 + i / 3).collect();
        for hashes in [even, low, high, Vec::new(), std::vec![7], std::vec![9; 40]] {
            let stored: Vec<[u8; 2]> = hashes.iter().map(|hash| hash.to_le_bytes()).collect();
            for wanted in (0..=u16::MAX).step_by(7).chain(hashes.iter().copied()).chain([u16::MAX]) {
                assert_eq!(first_slot(&stored, wanted), hashes.partition_point(|&hash| hash < wanted), "{wanted}");
            }
        }
    }
}
