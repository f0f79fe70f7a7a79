//! The names of a table, for objects that somebody else parsed: their members come each once, and in any order.

use super::code::{Code, ESCAPED, HEAD_BITS, LONG, MAX_UNINDEXED, REFERENCE, REFERENCE_BYTES};
use crate::hash;
use crate::text::same;

/// A table of names, and which of them an object has.
#[derive(Debug)]
pub(crate) struct Names<'p> {
    /// The program, up to the end of the table.
    bytes: &'p [u8],
    hashes: usize,
    entries: usize,
    /// What is expected next: an entry, and its number.
    at: usize,
    index: u32,
    pub(crate) count: u32,
    /// Bits of the first 64 names: those that must be there, and those that were.
    pub(crate) required: u64,
    pub(crate) seen: u64,
    /// How many names were none of the table.
    pub(crate) undeclared: u32,
    /// Whether the name that was found last need not be there.
    pub(crate) optional: bool,
}

/// Bytes from one entry without a number to the next, by its head.
static STRIDES: [u8; 256] = {
    let mut strides = [0; 256];
    let mut head = 0;
    while head < 256 {
        strides[head] = (1 + (head & REFERENCE) * REFERENCE_BYTES + (head >> HEAD_BITS)) as u8;
        head += 1;
    }
    strides
};

/// The head of an entry, but for its length.
const FLAGS: u8 = (REFERENCE | ESCAPED) as u8;

impl<'p> Names<'p> {
    /// No names.
    pub(crate) const NONE: Self = Self {
        bytes: &[],
        hashes: 0,
        entries: 0,
        at: 0,
        index: 0,
        count: 0,
        required: 0,
        seen: 0,
        undeclared: 0,
        optional: false,
    };

    /// The table at `*at`, and moves behind it.
    #[inline(always)]
    pub(crate) fn read(code: Code<'p>, at: &mut usize) -> Self {
        let count = code.varint(at);
        let size = code.length(at);
        let hashes = *at;
        if count > MAX_UNINDEXED {
            *at = (count as usize).saturating_mul(if size > 0xFFFF { 6 } else { 4 }).saturating_add(*at);
        }
        let entries = *at;
        *at = at.saturating_add(size);
        let bytes = code.bytes().get(..*at).unwrap_or_default();
        Self { bytes, hashes, entries, at: entries, count, ..Self::NONE }
    }

    /// Looks a name up, and keeps what it was: its number, and the reference that hangs on it. Counts in `steps` what it compared by hash.
    #[inline(always)]
    pub(crate) fn find(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        if name.len() >= LONG || self.count > MAX_UNINDEXED {
            self.find_hashed(name, steps)
        } else {
            self.find_near(name, steps)
        }
    }

    /// Whether a string is one of the names.
    #[inline(always)]
    pub(crate) fn contain(mut self, name: &[u8], steps: &mut u32) -> bool {
        if name.len() >= LONG || self.count > MAX_UNINDEXED {
            return self.find_hashed(name, steps).is_some();
        }
        let wanted = (name.len() << HEAD_BITS) as u8;
        let mut at = self.entries;
        while let Some(&head) = self.bytes.get(at) {
            at += usize::from(STRIDES[usize::from(head)]);
            if head & !FLAGS == wanted {
                let stored = self.bytes.get(at - name.len()..).and_then(|rest| rest.get(..name.len()));
                if stored.is_some_and(|stored| same(stored, name)) {
                    return true;
                }
            } else if usize::from(head) >> HEAD_BITS == LONG {
                return self.find_hashed(name, steps).is_some();
            }
        }
        false
    }

    /// Looks through the entries from the expected one on, and then from the first. Most are told apart by their length alone.
    #[inline(never)]
    fn find_near(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        let wanted = (name.len() << HEAD_BITS) as u8;
        let (mut at, mut index, mut again) = (self.at, self.index, false);
        loop {
            let Some(&head) = self.bytes.get(at) else {
                if again {
                    break;
                }
                (at, index, again) = (self.entries, 0, true);
                continue;
            };
            if head & !FLAGS == wanted {
                let name_at = at + 1 + usize::from(head) % 2 * REFERENCE_BYTES;
                let stored = self.bytes.get(name_at..).and_then(|rest| rest.get(..name.len()));
                if stored.is_some_and(|stored| same(stored, name)) {
                    return Some(self.found(index, head, at, name_at + name.len()));
                }
            } else if usize::from(head) >> HEAD_BITS == LONG {
                return self.find_hashed(name, steps);
            }
            at += usize::from(STRIDES[usize::from(head)]);
            index += 1;
        }
        self.undeclared = self.undeclared.saturating_add(1);
        None
    }

    /// The number of the name that was found last.
    pub(crate) const fn last(&self) -> u32 {
        self.index.saturating_sub(1)
    }

    #[inline(always)]
    fn found(&mut self, index: u32, head: u8, at: usize, after: usize) -> Option<u32> {
        (self.at, self.index) = (after, index.saturating_add(1));
        self.optional = false;
        if index < 64 {
            self.seen |= 1 << index;
            self.optional = self.required >> index & 1 == 0;
        }
        if usize::from(head) & REFERENCE == 0 {
            return None;
        }
        let word = self.bytes.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*word) >> 8)
    }

    /// The same for a table with an index, and for names that are long.
    #[inline(never)]
    fn find_hashed(&mut self, name: &[u8], steps: &mut u32) -> Option<Option<u32>> {
        let code = Code::new(self.bytes);
        if self.count <= MAX_UNINDEXED {
            let mut at = self.entries;
            for index in 0..self.count {
                let (start, head) = (at, code.byte(at));
                let len = length(code, &mut at);
                if len == name.len() && same(code.slice(at, len), name) {
                    return Some(self.found(index, head, start, at + len));
                }
                at = at.saturating_add(len);
            }
            self.undeclared = self.undeclared.saturating_add(1);
            return None;
        }
        // What is expected next, where the members come in the order of the schema.
        if self.at < self.bytes.len()
            && let Some(found) = self.is_at(self.at, name)
        {
            return Some(found);
        }
        let count = self.count as usize;
        let wanted = (hash::bytes(name) >> 16) as u16;
        let hashes = code.slice(self.hashes, count * 2).as_chunks::<2>().0;
        let mut slot = first_slot(hashes, wanted);
        let offsets = self.hashes + count * 2;
        let wide = self.bytes.len().saturating_sub(self.entries) > 0xFFFF;
        while hashes.get(slot).is_some_and(|&hash| u16::from_le_bytes(hash) == wanted) {
            let offset = if wide { code.u32(offsets + slot * 4) as usize } else { code.u16(offsets + slot * 2).into() };
            *steps = steps.saturating_sub(1);
            if let Some(found) = self.is_at(self.entries.saturating_add(offset), name) {
                return Some(found);
            }
            slot += 1;
        }
        self.undeclared = self.undeclared.saturating_add(1);
        None
    }

    /// Whether the entry at `at`, of a table with an index, has this name.
    #[inline(always)]
    fn is_at(&mut self, mut at: usize, name: &[u8]) -> Option<Option<u32>> {
        let code = Code::new(self.bytes);
        let index = code.varint(&mut at);
        let (start, head) = (at, code.byte(at));
        let len = length(code, &mut at);
        if len != name.len() || !same(code.slice(at, len), name) {
            return None;
        }
        Some(self.found(index, head, start, at + len))
    }
}

/// Where the first hash that is not below `wanted` stands. Hashes are spread evenly: mostly it is where its value says, or near that.
#[inline(always)]
fn first_slot(hashes: &[[u8; 2]], wanted: u16) -> usize {
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

/// The length of the name of the entry at `*at`, and moves to that name.
#[inline(always)]
fn length(code: Code<'_>, at: &mut usize) -> usize {
    let head = usize::from(code.byte(*at));
    *at += 1 + (head & REFERENCE) * REFERENCE_BYTES;
    match head >> HEAD_BITS {
        LONG => code.length(at),
        len => len,
    }
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
