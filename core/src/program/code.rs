//! Reading a program: bytes, numbers of variable length, references, tables. Safe on any bytes.

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
/// [`MAX_UNINDEXED`] entries an index; then the entries.
///
/// The index is open addressing: half as many slots more than there are entries, or up to the next power of two. A slot is the offset of an
/// entry from the first, or all ones; it takes one byte, or two or four where the entries take more bytes than these can tell. The entry of a
/// name is in the slot that the upper bits of its hash tell, or in one of those that follow up to the next that is free.
///
/// An entry: the head, a byte of twice the name's length, plus one when JSON cannot hold the name without escapes; its number (a byte, or
/// three in a table of more than [`MAX_SHORT`] entries); where the table has references, a reference of three bytes ([`NO_REFERENCE`] for
/// none); where the length is [`LONG`], the length (varint); the name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) count: u32,
    pub(crate) has_references: bool,
    /// Where the index stands, if there is one.
    pub(super) index: usize,
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
    pub(crate) const EMPTY: Self = Self { count: 0, has_references: false, index: 0, entries: 0, end: 0 };

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(crate) fn read(code: Code<'_>, mut at: usize) -> Self {
        let first = code.varint(&mut at);
        let (count, has_references) = (first >> 1, first & 1 != 0);
        let size = code.length(&mut at);
        let index = at;
        if count > MAX_UNINDEXED {
            at = Self::behind_index(at, count, size);
        }
        Self { count, has_references, index, entries: at, end: at.saturating_add(size) }
    }

    // Apart, as most tables have none.
    #[inline(never)]
    fn behind_index(at: usize, count: u32, size: usize) -> usize {
        at.saturating_add(Slots::new(count, size).bytes())
    }

    #[inline]
    pub(crate) fn indexed(&self) -> bool {
        self.count > MAX_UNINDEXED
    }

    /// The index, where there is one.
    #[inline(always)]
    pub(crate) fn slots(&self) -> Slots {
        Slots::new(self.count, self.end.saturating_sub(self.entries))
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

    /// The index of a plain table that has one, whether its slots have two bytes, and the entries, with what follows them.
    #[inline(always)]
    pub(crate) fn parts<'p>(&self, code: Code<'p>) -> Option<(&'p [u8], bool, &'p [u8])> {
        let slots = self.slots();
        let index = code.bytes().get(self.index..self.entries)?;
        Some((index, slots.width_bits != 0, code.bytes().get(self.entries..)?)).filter(|_| slots.width_bits < 2)
    }

    /// The entries that may have this hash. For indexed tables.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn hashed<'p>(&self, code: Code<'p>, hash: u32) -> Hashed<'p> {
        let slots = self.slots();
        Hashed { table: *self, code, slots, slot: slots.first(hash), left: slots.count() }
    }

    /// How many slots of the index are taken; `None` where that is longer than the program.
    pub(crate) fn taken(&self, code: Code<'_>) -> Option<usize> {
        let slots = self.slots();
        let fits = slots.bytes() <= code.bytes().len();
        fits.then(|| (0..slots.count()).filter(|&slot| slots.offset(code, self.index, slot).is_some()).count())
    }
}

/// How the index of a table is laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// How many there are: two to the power of this.
    bits: u32,
    /// Bytes of each: two to the power of this.
    pub(crate) width_bits: u32,
}

impl Slots {
    /// For so many entries that take so many bytes.
    #[inline(always)]
    pub(crate) const fn new(count: u32, size: usize) -> Self {
        let width_bits = if size <= 0xFF { 0 } else { 1 + (size > 0xFFFF) as u32 };
        Self { bits: u32::BITS - (count.saturating_add(count / 2)).saturating_sub(1).leading_zeros(), width_bits }
    }

    #[inline(always)]
    pub(crate) const fn count(self) -> usize {
        1_usize.wrapping_shl(self.bits)
    }

    #[inline(always)]
    pub(crate) const fn bytes(self) -> usize {
        1_usize.wrapping_shl(self.bits.saturating_add(self.width_bits))
    }

    /// Where to begin to look for a name of this hash.
    #[inline(always)]
    pub(crate) const fn first(self, hash: u32) -> usize {
        ((hash as u64) << self.bits >> u32::BITS) as usize
    }

    /// Where to go on.
    #[inline(always)]
    pub(crate) const fn next(self, slot: usize) -> usize {
        (slot + 1) & (self.count() - 1)
    }

    /// What a slot of the index at `index` holds.
    #[inline(always)]
    pub(crate) fn offset(self, code: Code<'_>, index: usize, slot: usize) -> Option<usize> {
        let at = index.wrapping_add(slot << self.width_bits);
        let (offset, free) = match self.width_bits {
            0 => (code.byte(at).into(), 0xFF),
            1 => (code.u16(at).into(), 0xFFFF),
            _ => (code.u32(at), u32::MAX),
        };
        if offset == free { None } else { Some(offset as usize) }
    }
}

/// Where the entries of a plain table stand that may have a hash, by an index whose slots have one byte, or two.
pub(crate) struct Candidates<'p> {
    index: &'p [u8],
    wide: bool,
    slot: usize,
    /// How many slots there are: a power of two.
    count: usize,
    left: usize,
}

impl<'p> Candidates<'p> {
    #[inline(always)]
    pub(crate) fn new(index: &'p [u8], wide: bool, hash: u32) -> Self {
        let count = index.len() >> u32::from(wide);
        Self { index, wide, slot: ((u64::from(hash) * count as u64) >> u32::BITS) as usize, count, left: count }
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let (entry, free) = if self.wide {
            let pair = self.index.as_chunks::<2>().0.get(self.slot);
            (pair.map_or(0xFFFF, |pair| u16::from_le_bytes(*pair).into()), 0xFFFF)
        } else {
            (self.index.get(self.slot).map_or(0xFF, |&byte| usize::from(byte)), 0xFF)
        };
        if entry == free {
            return None;
        }
        self.slot = (self.slot + 1) & (self.count - 1);
        Some(entry)
    }
}

/// The entries of a table that may have a hash.
#[derive(Debug)]
pub(crate) struct Hashed<'p> {
    table: Table,
    code: Code<'p>,
    slots: Slots,
    slot: usize,
    /// Slots that were not looked at.
    left: usize,
}

impl<'p> Iterator for Hashed<'p> {
    type Item = Entry<'p>;

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn next(&mut self) -> Option<Entry<'p>> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.slots.offset(self.code, self.table.index, self.slot)?;
        self.slot = self.slots.next(self.slot);
        self.table.entry(self.code, self.table.entries.saturating_add(offset))
    }
}
