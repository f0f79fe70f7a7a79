//! Reading a program: bytes, numbers of variable length, references, tables. Safe on any bytes.

use super::names::first_slot;
use super::op::{FIRST_NODE, WORD};
use crate::hash;
use crate::number::Number;
use crate::text::{Text, chunk, same};

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

    /// The first four bytes of a node, or of what stands in one: a program has more behind all of its nodes.
    #[inline(always)]
    pub(crate) fn word(self, at: usize) -> u32 {
        match chunk(self.bytes, at) {
            Some(word) => u32::from_le_bytes(*word),
            None => 0,
        }
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
        match chunk::<2>(self.bytes, at) {
            Some(pair) => u16::from_le_bytes(*pair),
            None => 0,
        }
    }

    /// Four bytes; zeros behind the end.
    #[inline(always)]
    pub(crate) fn u32(self, at: usize) -> u32 {
        match chunk::<4>(self.bytes, at) {
            Some(word) => u32::from_le_bytes(*word),
            None => self.last_u64(at) as u32,
        }
    }

    /// Eight bytes; zeros behind the end.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(crate) fn u64(self, at: usize) -> u64 {
        match chunk::<8>(self.bytes, at) {
            Some(word) => u64::from_le_bytes(*word),
            None => self.last_u64(at),
        }
    }

    #[cold]
    #[inline(never)]
    fn last_u64(self, at: usize) -> u64 {
        self.bytes.get(at..).unwrap_or_default().iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }
}

impl<'p> Code<'p> {
    /// The number that the instruction at `pc` has, and the place behind it.
    #[inline(never)]
    pub(crate) fn number(self, pc: usize) -> Option<(Number<'p>, usize)> {
        if self.byte(pc) & WORD == 0 {
            return Number::decode(self.bytes, pc.wrapping_add(1));
        }
        let end = pc.checked_add(5).filter(|&end| end <= self.bytes.len())?;
        Some((Number::from_i64((self.u32(pc + 1) as i32).into()), end))
    }
}

/// Tables with more entries than this have an index by hash.
pub(crate) const MAX_UNINDEXED: u32 = 16;

/// Tables with more entries than this number them with three bytes.
const MAX_SHORT: u32 = 256;

/// Names (or values), in the order they were declared, with what hangs on each.
///
/// Image: varint of twice the count, plus one where references hang on the names; varint bytes of all entries; with more than
/// [`MAX_UNINDEXED`] entries the hashes (16 bits each, ascending), then for each hash the entry's offset (16 bits, or 32 when the entries
/// are longer than that reaches); then the entries.
///
/// An entry: the head, a byte of twice the name's length, plus one when JSON cannot hold the name without escapes; its number (a byte, or
/// three in a table of more than [`MAX_SHORT`] entries); where the table has references, a reference of three bytes ([`NO_REFERENCE`] for
/// none); where the length is [`LONG`], the length (varint); the name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) count: u32,
    pub(crate) has_references: bool,
    pub(super) hashes: usize,
    pub(crate) entries: usize,
    pub(crate) end: usize,
}

/// In the head of an entry: the name must be escaped in JSON.
pub(crate) const ESCAPED: usize = 1;
/// Bits of the head below the length.
pub(crate) const HEAD_BITS: u32 = 1;
/// The length in the head of a name of so many bytes or more.
pub(crate) const LONG: usize = 127;
/// Where names begin in an entry of a table of at most [`MAX_SHORT`] entries that has references.
pub(crate) const PLAIN_OFFSET: usize = 5;
/// Bytes of a reference in an entry.
pub(crate) const REFERENCE_BYTES: usize = 3;
/// Stands for no reference in a table that has references.
pub(crate) const NO_REFERENCE: u32 = 0xFF_FFFF;

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'p> {
    pub(crate) index: u32,
    pub(crate) escaped: bool,
    pub(crate) name: &'p [u8],
    pub(crate) reference: Option<u32>,
    /// The place behind it: where the next is expected, as objects mostly name their members in the order of the schema.
    pub(crate) after: usize,
}

/// What stands before the name of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) index: u32,
    pub(crate) escaped: bool,
    pub(crate) reference: Option<u32>,
    /// Length of the name, and where it stands.
    pub(crate) len: usize,
    pub(crate) name_at: usize,
}

impl Head {
    /// The place behind the entry.
    #[inline(always)]
    pub(crate) const fn after(&self) -> usize {
        self.name_at.wrapping_add(self.len)
    }
}

impl Table {
    /// No entries.
    pub(crate) const EMPTY: Self = Self { count: 0, has_references: false, hashes: 0, entries: 0, end: 0 };

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn read(code: Code<'_>, mut at: usize) -> Self {
        let first = code.varint(&mut at);
        let (count, has_references) = (first >> 1, first & 1 != 0);
        let size = code.length(&mut at);
        let hashes = at;
        if count > MAX_UNINDEXED {
            let width = if size > 0xFFFF { 4 } else { 2 };
            at = at.saturating_add((count as usize).saturating_mul(2 + width));
        }
        Self { count, has_references, hashes, entries: at, end: at.saturating_add(size) }
    }

    #[inline]
    pub(crate) fn indexed(&self) -> bool {
        self.count > MAX_UNINDEXED
    }

    /// Bytes before the names (and before their lengths, where these are long).
    #[inline(always)]
    pub(crate) const fn offset(&self) -> usize {
        1 + Self::number_bytes(self.count) + if self.has_references { REFERENCE_BYTES } else { 0 }
    }

    /// Whether names begin at [`PLAIN_OFFSET`], as in most tables of names.
    #[inline(always)]
    pub(crate) const fn is_plain(&self) -> bool {
        self.has_references && self.count <= MAX_SHORT
    }

    /// Length of the name (less than [`LONG`]), number and reference of an entry in such a table.
    #[inline(always)]
    pub(crate) const fn plain_head(word: u64) -> (usize, u32, u32) {
        ((word as usize & 0xFF) >> HEAD_BITS, (word >> 8) as u32 & 0xFF, (word >> 16) as u32 & NO_REFERENCE)
    }

    /// Bytes of an entry's number in a table of so many.
    #[inline(always)]
    pub(crate) const fn number_bytes(count: u32) -> usize {
        if count > MAX_SHORT { 3 } else { 1 }
    }

    /// Reads what stands before the name of the entry at `at`.
    #[inline(always)]
    pub(crate) fn head(&self, code: Code<'_>, at: usize) -> Head {
        let word = code.u64(at);
        let head = word as usize & 0xFF;
        let (number, rest) = if self.count > MAX_SHORT {
            ((word >> 8) as u32 & 0xFF_FFFF, word >> 32)
        } else {
            ((word >> 8) as u32 & 0xFF, word >> 16)
        };
        let reference = rest as u32 & NO_REFERENCE;
        let mut name_at = at.wrapping_add(self.offset());
        let mut len = head >> HEAD_BITS;
        if len == LONG {
            len = code.length(&mut name_at);
        }
        Head {
            index: number,
            escaped: head & ESCAPED != 0,
            reference: (self.has_references && reference != NO_REFERENCE).then_some(reference),
            len,
            name_at,
        }
    }

    /// The entry at `at`, if it is one of the table's.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn entry<'p>(&self, code: Code<'p>, at: usize) -> Option<Entry<'p>> {
        if at >= self.end {
            return None;
        }
        let head = self.head(code, at);
        let Head { index, escaped, reference, len, name_at } = head;
        Some(Entry { index, escaped, name: code.slice(name_at, len), reference, after: head.after() })
    }

    /// The entries in order.
    pub(crate) fn iter<'p>(self, code: Code<'p>) -> impl Iterator<Item = Entry<'p>> {
        let mut at = self.entries;
        (0..self.count).map_while(move |_| {
            let entry = self.entry(code, at)?;
            at = entry.after;
            Some(entry)
        })
    }

    /// Where the entry of `name` stands, if it is one of a few from the place `from` on, or before: in a table without an index, of all.
    pub(crate) fn near(&self, code: Code<'_>, from: usize, name: &[u8]) -> Option<usize> {
        let mut at = from;
        for _ in 0..self.count.min(MAX_UNINDEXED) {
            if at >= self.end {
                at = self.entries;
            }
            // Most are told apart by their length alone.
            let mut len = usize::from(code.byte(at)) >> HEAD_BITS;
            let mut name_at = at.wrapping_add(self.offset());
            if len == LONG {
                len = code.length(&mut name_at);
            }
            if len == name.len() && same(code.slice(name_at, len), name) {
                return Some(at);
            }
            at = name_at.wrapping_add(len);
        }
        None
    }

    /// The entry of `name`. Counts what it looked at in `steps`.
    #[inline(never)]
    pub(crate) fn find<'p>(&self, code: Code<'p>, name: Text<'_>, steps: &mut u32) -> Option<Entry<'p>> {
        if self.indexed() {
            if cfg!(not(any(target_os = "none", feature = "small")))
                && let Some(plain) = name.as_plain()
            {
                return self.entry(code, self.indexed_at(code, plain, steps)?);
            }
            return self.hashed(code, hash::text(name)).find(|entry| {
                *steps = steps.saturating_sub(1);
                name.equals(entry.name)
            });
        }
        match name.as_plain() {
            Some(plain) => self.entry(code, self.near(code, self.entries, plain)?),
            None => {
                *steps = steps.saturating_sub(self.count);
                self.iter(code).find(|entry| name.equals(entry.name))
            }
        }
    }

    /// Where the entry of `name` stands in an indexed table.
    #[inline(always)]
    pub(super) fn indexed_at(&self, code: Code<'_>, name: &[u8], steps: &mut u32) -> Option<usize> {
        let wanted = (hash::bytes(name) >> 16) as u16;
        let count = self.count as usize;
        let hashes = code.slice(self.hashes, count * 2).as_chunks::<2>().0;
        let offsets = self.hashes + count * 2;
        let wide = self.end.saturating_sub(self.entries) > 0xFFFF;
        let mut slot = first_slot(hashes, wanted);
        while hashes.get(slot).is_some_and(|&hash| u16::from_le_bytes(hash) == wanted) {
            let offset = if wide { code.u32(offsets + slot * 4) as usize } else { code.u16(offsets + slot * 2).into() };
            let at = self.entries.saturating_add(offset);
            *steps = steps.saturating_sub(1);
            if self.is_named(code, at, name) {
                return Some(at);
            }
            slot += 1;
        }
        None
    }

    /// Whether the entry at `at` has this name.
    #[inline(always)]
    fn is_named(&self, code: Code<'_>, at: usize, name: &[u8]) -> bool {
        let mut len = usize::from(code.byte(at)) >> HEAD_BITS;
        let mut name_at = at.wrapping_add(self.offset());
        if len == LONG {
            len = code.length(&mut name_at);
        }
        len == name.len() && same(code.slice(name_at, len), name)
    }

    /// The entries of this hash. For indexed tables.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn hashed<'p>(&self, code: Code<'p>, hash: u32) -> Hashed<'p> {
        let wanted = (hash >> 16) as u16;
        let hashes = code.slice(self.hashes, self.count as usize * 2).as_chunks().0;
        let slot = if cfg!(any(target_os = "none", feature = "small")) {
            hashes.partition_point(|&hash| u16::from_le_bytes(hash) < wanted)
        } else {
            first_slot(hashes, wanted)
        };
        Hashed { table: *self, code, slot, wanted }
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
        table.entry(code, table.entries.saturating_add(offset))
    }
}
