//! Reading a program: bytes, numbers of variable length, references, tables. Safe on any bytes.

use super::op::FIRST_NODE;
use crate::hash;
use crate::text::{Text, same};

/// The bytes of a program. Reads outside it give zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'p> {
    bytes: &'p [u8],
}

impl<'p> Code<'p> {
    pub(crate) const fn new(bytes: &'p [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) const fn bytes(self) -> &'p [u8] {
        self.bytes
    }

    #[inline(always)]
    pub(crate) fn byte(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The types that the schema of a reference admits at most.
    #[inline]
    pub(crate) fn types(self, reference: u32) -> u8 {
        match reference.checked_sub(FIRST_NODE) {
            Some(node) => self.byte(node as usize),
            None => reference as u8,
        }
    }

    /// Three bytes at once.
    #[inline(always)]
    pub(crate) fn triple(self, at: usize) -> [u8; 3] {
        let [one, two, three, _] = self.u32(at).to_le_bytes();
        [one, two, three]
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(crate) fn slice(self, at: usize, len: usize) -> &'p [u8] {
        self.bytes.get(at..at.wrapping_add(len)).unwrap_or_default()
    }

    /// Reads a varint at `*at` and moves behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(crate) fn varint(self, at: &mut usize) -> u32 {
        let first = self.byte(*at);
        *at = at.wrapping_add(1);
        if first < 0x80 {
            return u32::from(first);
        }
        let second = self.byte(*at);
        if second < 0x80 {
            *at = at.wrapping_add(1);
            return u32::from(first & 0x7F) | u32::from(second) << 7;
        }
        self.long_varint(at, first) as u32
    }

    /// The same with up to 64 bits.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn varint64(self, at: &mut usize) -> u64 {
        let first = self.byte(*at);
        *at = at.wrapping_add(1);
        if first < 0x80 { u64::from(first) } else { self.long_varint(at, first) }
    }

    #[cold]
    #[inline(never)]
    fn long_varint(self, at: &mut usize, first: u8) -> u64 {
        let mut value = u64::from(first & 0x7F);
        for shift in 1..10 {
            let byte = self.byte(*at);
            *at = at.wrapping_add(1);
            value |= u64::from(byte & 0x7F) << (shift * 7);
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    /// A length of the code, as an offset.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn length(self, at: &mut usize) -> usize {
        self.varint(at) as usize
    }

    pub(crate) fn u16(self, at: usize) -> u16 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk::<2>) {
            Some(pair) => u16::from_le_bytes(*pair),
            None => 0,
        }
    }

    /// Four bytes; zeros behind the end.
    #[inline(always)]
    pub(crate) fn u32(self, at: usize) -> u32 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            Some(word) => u32::from_le_bytes(*word),
            None => self.last_u32(at),
        }
    }

    #[cold]
    #[inline(never)]
    fn last_u32(self, at: usize) -> u32 {
        self.bytes.get(at..).unwrap_or_default().iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
    }
}

/// Tables with more entries than this have an index by hash.
pub(crate) const MAX_UNINDEXED: u32 = 8;

/// Names (or values), in the order they were declared, with what hangs on each.
///
/// Image: varint count, varint bytes of all entries; with more than [`MAX_UNINDEXED`] entries the hashes (16 bits each, ascending),
/// then for each hash the entry's offset (16 bits, or 32 when the entries are longer than that reaches); then the entries.
///
/// An entry: in an indexed table its number (varint); the head, a byte of four times the name's length (at most [`LONG`]), plus
/// [`REFERENCE`] when a reference follows, plus [`ESCAPED`] when JSON cannot hold the name without escapes; the reference in three bytes;
/// for [`LONG`] the length (varint); the name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) count: u32,
    hashes: usize,
    pub(super) entries: usize,
    pub(crate) end: usize,
}

/// Entries that are looked at before a name is searched for in all of them.
const NEAR: u32 = 4;

/// In the head of an entry: a reference follows the name.
pub(crate) const REFERENCE: usize = 1;
/// In the head of an entry: the name must be escaped in JSON.
pub(crate) const ESCAPED: usize = 2;
/// Bits of the head below the length.
pub(crate) const HEAD_BITS: u32 = 2;
/// The length in the head of a name of so many bytes or more.
pub(crate) const LONG: usize = 63;
/// Bytes of a reference in an entry.
pub(crate) const REFERENCE_BYTES: usize = 3;

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'p> {
    pub(crate) index: u32,
    pub(crate) escaped: bool,
    pub(crate) name: &'p [u8],
    pub(crate) reference: Option<u32>,
    after: usize,
}

/// What matters of an entry once its name is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) index: u32,
    pub(crate) reference: Option<u32>,
    after: usize,
}

impl Entry<'_> {
    #[inline(always)]
    pub(crate) const fn found(&self) -> Found {
        Found { index: self.index, reference: self.reference, after: self.after }
    }
}

impl Found {
    /// The expectation behind the entry.
    #[inline(always)]
    pub(crate) const fn hint_behind(&self) -> Hint {
        Hint { at: self.after, index: self.index + 1 }
    }
}

/// Where the next entry is expected: objects mostly name their members in the order of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hint {
    at: usize,
    index: u32,
}

/// The head of the entry at `at` with the reference above it; the length of the name, and where it stands.
#[inline(always)]
pub(crate) fn head(code: Code<'_>, at: usize) -> (u32, usize, usize) {
    let word = code.u32(at);
    let (head, mut name_at) = (word as usize & 0xFF, at + 1);
    if head & REFERENCE != 0 {
        name_at += REFERENCE_BYTES;
    }
    let mut len = head >> HEAD_BITS;
    if len == LONG {
        len = code.length(&mut name_at);
    }
    (word, len, name_at)
}

impl Table {
    /// No entries.
    pub(crate) const EMPTY: Self = Self { count: 0, hashes: 0, entries: 0, end: 0 };

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn read(code: Code<'_>, mut at: usize) -> Self {
        let count = code.varint(&mut at);
        let size = code.length(&mut at);
        let hashes = at;
        if count > MAX_UNINDEXED {
            let width = if size > 0xFFFF { 4 } else { 2 };
            at = at.saturating_add((count as usize).saturating_mul(2 + width));
        }
        Self { count, hashes, entries: at, end: at.saturating_add(size) }
    }

    #[inline]
    pub(crate) fn indexed(&self) -> bool {
        self.count > MAX_UNINDEXED
    }

    #[inline]
    pub(crate) fn hint(&self) -> Hint {
        Hint { at: self.entries, index: 0 }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn entry<'p>(&self, code: Code<'p>, mut at: usize, index: u32) -> Entry<'p> {
        let index = if self.indexed() { code.varint(&mut at) } else { index };
        let (word, len, at) = head(code, at);
        let escaped = word as usize & ESCAPED != 0;
        let reference = if word as usize & REFERENCE == 0 { None } else { Some(word >> 8) };
        Entry { index, escaped, name: code.slice(at, len), reference, after: at.wrapping_add(len) }
    }

    /// The entries in order.
    pub(crate) fn iter<'p>(self, code: Code<'p>) -> impl Iterator<Item = Entry<'p>> {
        let mut at = self.entries;
        (0..self.count).map_while(move |index| {
            if at >= self.end {
                return None;
            }
            let entry = self.entry(code, at, index);
            at = entry.after;
            Some(entry)
        })
    }

    /// The entry that is expected next.
    #[inline(always)]
    pub(crate) fn expected<'p>(&self, code: Code<'p>, hint: Hint) -> Option<Entry<'p>> {
        if hint.index < self.count { Some(self.entry(code, hint.at, hint.index)) } else { None }
    }

    /// The entry of `name`, which is likely to be the next or one of those behind it. Counts what it looked at in `steps`.
    pub(crate) fn find_near<'p>(
        &self,
        code: Code<'p>,
        hint: Hint,
        name: Text<'_>,
        steps: &mut u32,
    ) -> Option<Entry<'p>> {
        // Another copy of the search would cost more than it saves.
        if cfg!(any(target_os = "none", feature = "small")) {
            return self.find(code, name, steps);
        }
        let Some(plain) = name.as_plain() else {
            return self.find(code, name, steps);
        };
        let behind = self.count.saturating_sub(hint.index);
        if self.indexed() {
            return self.scan(code, hint, behind.min(NEAR), plain).or_else(|| self.find(code, name, steps));
        }
        self.scan(code, hint, behind, plain).or_else(|| self.scan(code, self.hint(), hint.index, plain))
    }

    /// The names of a table that has no index, as far as they need no escapes in JSON.
    #[inline(always)]
    pub(crate) fn plain_names<'p>(self, code: Code<'p>) -> impl Iterator<Item = &'p [u8]> {
        let mut at = self.entries;
        (0..self.count).filter_map(move |_| {
            let (word, len, name_at) = head(code, at);
            at = name_at.wrapping_add(len);
            (word as usize & ESCAPED == 0).then(|| code.slice(name_at, len))
        })
    }

    /// The entry of `name`. Counts what it looked at in `steps`.
    pub(crate) fn find<'p>(&self, code: Code<'p>, name: Text<'_>, steps: &mut u32) -> Option<Entry<'p>> {
        if self.indexed() {
            return self.hashed(code, hash::text(name)).find(|entry| {
                *steps = steps.saturating_sub(1);
                name.equals(entry.name)
            });
        }
        match name.as_plain() {
            Some(plain) => self.scan(code, self.hint(), self.count, plain),
            None => {
                *steps = steps.saturating_sub(self.count);
                self.iter(code).find(|entry| name.equals(entry.name))
            }
        }
    }

    /// Looks through `count` entries. Most are told apart by their length alone.
    #[inline]
    fn scan<'p>(&self, code: Code<'p>, from: Hint, count: u32, name: &[u8]) -> Option<Entry<'p>> {
        let mut at = from.at;
        for index in from.index..from.index.saturating_add(count) {
            let start = at;
            if self.indexed() {
                code.varint(&mut at);
            }
            let (_, len, name_at) = head(code, at);
            if len == name.len() && same(code.slice(name_at, len), name) {
                return Some(self.entry(code, start, index));
            }
            at = name_at.saturating_add(len);
        }
        None
    }

    /// The entries of this hash. For indexed tables.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn hashed<'p>(&self, code: Code<'p>, hash: u32) -> Hashed<'p> {
        let wanted = (hash >> 16) as u16;
        let (mut low, mut high) = (0, self.count as usize);
        while low < high {
            let middle = (low + high) / 2;
            if code.u16(self.hashes + middle * 2) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Hashed { table: *self, code, slot: low, wanted }
    }
}

/// The entries of a table that have the same hash.
#[derive(Debug)]
pub(crate) struct Hashed<'p> {
    table: Table,
    code: Code<'p>,
    slot: usize,
    wanted: u16,
}

impl<'p> Iterator for Hashed<'p> {
    type Item = Entry<'p>;

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn next(&mut self) -> Option<Entry<'p>> {
        let (table, code, count) = (&self.table, self.code, self.table.count as usize);
        if self.slot >= count || code.u16(table.hashes + self.slot * 2) != self.wanted {
            return None;
        }
        let offsets = table.hashes + count * 2;
        let offset = if table.end.saturating_sub(table.entries) > 0xFFFF {
            code.u32(offsets + self.slot * 4) as usize
        } else {
            usize::from(code.u16(offsets + self.slot * 2))
        };
        self.slot += 1;
        Some(table.entry(code, table.entries.saturating_add(offset), 0))
    }
}
