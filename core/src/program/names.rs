//! The names of a table, for objects that somebody else parsed: their members come each once, and in any order.

use super::PAD;
use super::code::{
    Candidates, Code, HEAD_BITS, LONG, MAX_UNINDEXED, NO_REFERENCE, PLAIN_OFFSET, REFERENCE_BYTES, Slots, Table,
};
use crate::hash;
use crate::text::Text;

/// What was found of a name in a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The number of its entry.
    pub(crate) index: u32,
    /// Its schema, or [`NO_REFERENCE`].
    pub(crate) reference: u32,
}

/// Looks a name up in any table. Counts in `steps` what it compared by hash.
#[inline(never)]
pub(crate) fn find(code: Code<'_>, table: &Table, name: &[u8], steps: &mut u32) -> Option<Known> {
    // What is hashed may be of any length.
    *steps = steps.saturating_sub((name.len() / 64) as u32);
    let entry = table.find(code, Text::json(name, false), steps)?;
    Some(Known { index: entry.index, reference: entry.reference.unwrap_or(NO_REFERENCE) })
}

/// Whether a string is one of the names of a table. Counts in `steps` what it compared by hash.
#[inline(always)]
pub(crate) fn is_among(code: Code<'_>, table: &Table, name: &[u8], steps: &mut u32) -> bool {
    const OFFSET: usize = PLAIN_OFFSET - REFERENCE_BYTES;
    if !table.indexed()
        && !table.has_references
        && let Some(entries) = code.bytes().get(table.entries..table.end.saturating_add(PAD))
    {
        match look_through::<OFFSET, { OFFSET + 8 }>(entries, 0, name) {
            Ok(_) => return true,
            Err(true) => return false,
            Err(false) => {}
        }
    }
    find(code, table, name, steps).is_some()
}

/// What was found of a name among the entries of a plain table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// What the entry begins with: ones where there is none.
    pub(crate) head: u64,
    /// Where the next name is expected, from the first entry on.
    pub(crate) expected: usize,
}

/// A plain table whose entries take less than 64 KiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<'p> {
    /// The index; nothing where there is none.
    pub(crate) index: &'p [u8],
    /// The entries, and [`PAD`] bytes behind them.
    pub(crate) entries: &'p [u8],
    /// The place behind the table.
    pub(crate) end: usize,
}

impl Near {
    /// What was found, if anything was.
    #[inline(always)]
    pub(crate) fn known(self) -> Option<Known> {
        let (_, index, reference) = Table::plain_head(self.head);
        if self.head == u64::MAX { None } else { Some(Known { index, reference }) }
    }
}

impl<'p> Plain<'p> {
    /// The table at `at`, if it is such a table of less than 64 entries, which take less than 16 KiB.
    #[inline(always)]
    pub(crate) fn read(code: Code<'p>, at: usize) -> Option<Self> {
        // Twice the number, plus one for references; one or two bytes for the length.
        let [count, size, more, ..] = code.u64(at).to_le_bytes();
        let (mut from, mut len) = (at + 2, usize::from(size));
        if size >= 0x80 {
            (from, len) = (at + 3, usize::from(size & 0x7F) | usize::from(more) << 7);
        }
        if count & 0x81 != 1 || (size >= 0x80 && more >= 0x80) {
            return None;
        }
        let mut entries = from;
        if u32::from(count >> 1) > MAX_UNINDEXED {
            entries += Slots::new((count >> 1).into(), len).bytes();
        }
        let end = entries + len;
        let index = code.bytes().get(from..entries)?;
        Some(Self { index, entries: code.bytes().get(entries..end + PAD)?, end })
    }

    /// The same for a table of any number.
    pub(crate) fn of(code: Code<'p>, table: &Table) -> Option<Self> {
        let index = code.bytes().get(table.index..table.entries)?;
        let entries = code.bytes().get(table.entries..table.end.checked_add(PAD)?)?;
        let is_plain = table.is_plain() && entries.len() <= 0xFFFF;
        is_plain.then_some(Self { index, entries, end: table.end })
    }

    /// Looks a name up: among the entries from the expected one on, then before, or by hash, which counts in `steps` what it compared. Most are
    /// told apart by their length alone.
    ///
    /// Apart from the loop over the members, and without calls but in the last place, so that registers are enough for both.
    #[inline(never)]
    pub(crate) fn find(&self, expected: usize, name: &[u8], steps: &mut u32) -> Near {
        if !self.index.is_empty() {
            return near_by_hash(self.index, self.entries, expected, name, steps);
        }
        match look_through::<PLAIN_OFFSET, { PLAIN_OFFSET + 8 }>(self.entries, expected, name) {
            Ok(near) => near,
            Err(true) if expected != 0 => near_before(self.entries, expected, name),
            Err(true) => Near { head: u64::MAX, expected },
            Err(false) => near_any(self.entries, expected, name),
        }
    }
}

/// The same with those before.
#[inline(never)]
fn near_before(entries: &[u8], expected: usize, name: &[u8]) -> Near {
    let before = entries.get(..expected + PAD).unwrap_or_default();
    match look_through::<PLAIN_OFFSET, { PLAIN_OFFSET + 8 }>(before, 0, name) {
        Ok(near) => near,
        Err(true) => Near { head: u64::MAX, expected },
        Err(false) => near_any(entries, expected, name),
    }
}

/// The same with all of them, however long they are, or the name.
#[inline(never)]
fn near_any(entries: &[u8], expected: usize, name: &[u8]) -> Near {
    let (code, table) = (Code::new(entries), of_entries(entries));
    match table.near(code, 0, name) {
        Some(at) => Near { head: code.u64(at), expected: table.head(code, at).after() },
        None => Near { head: u64::MAX, expected },
    }
}

/// Looks for a short name among the entries from `at` on, which have so many bytes before their names, and up to there and eight more as they
/// are read. An error where it is none of these, and whether that is certain.
#[inline(always)]
fn look_through<const OFFSET: usize, const READ: usize>(
    entries: &[u8],
    mut at: usize,
    name: &[u8],
) -> Result<Near, bool> {
    let len = name.len();
    while let Some(entry) = entries.get(at..).and_then(<[u8]>::first_chunk::<READ>) {
        let other = usize::from(entry[0]) >> HEAD_BITS;
        let next = at + OFFSET + other;
        if other == len && len < LONG {
            let word = u64::from_le_bytes(*entry.last_chunk().unwrap_or(&[0; 8]));
            if is_named(word, name, || entries.get(at + OFFSET..next)) {
                let head = u64::from_le_bytes(*entry.first_chunk().unwrap_or(&[0; 8]));
                return Ok(Near { head, expected: next });
            }
        } else if other == LONG {
            return Err(false);
        }
        at = next;
    }
    Err(len != 0)
}

/// Whether a name is the one that is stored, which is as long, and of which these are the first eight bytes.
#[inline(always)]
fn is_named<'p>(word: u64, name: &[u8], stored: impl Fn() -> Option<&'p [u8]>) -> bool {
    let len = name.len();
    match (name.first_chunk(), name.first_chunk(), name.last_chunk()) {
        (Some(first), ..) => {
            let words =
                |bytes: &[u8], from: usize| bytes.get(from..)?.first_chunk().map(|word| u64::from_le_bytes(*word));
            word == u64::from_le_bytes(*first)
                && (len == 8
                    || stored().is_some_and(|stored| {
                        let mut from = len - 8;
                        while words(stored, from) == words(name, from) {
                            if from <= 8 {
                                return true;
                            }
                            from -= 8;
                        }
                        false
                    }))
        }
        (None, Some(first), Some(last)) => {
            word as u32 == u32::from_le_bytes(*first) && (word >> (8 * (len - 4))) as u32 == u32::from_le_bytes(*last)
        }
        _ => {
            let has = |at: usize| name.get(at).is_some_and(|&byte| byte == (word >> (8 * at)) as u8);
            has(0) && has(len / 2) && has(len.wrapping_sub(1))
        }
    }
}

/// The same for a table with an index. Counts in `steps` what it compared by hash.
#[inline(never)]
fn near_by_hash(index: &[u8], entries: &[u8], expected: usize, name: &[u8], steps: &mut u32) -> Near {
    // What is expected next, where the members come in the order of the schema.
    if let Some(near) = entry_at(entries, expected, name) {
        return near;
    }
    // What is hashed may be of any length.
    *steps = steps.saturating_sub((name.len() / 64) as u32);
    let is_odd = name.is_empty() || name.len() >= LONG;
    for at in Candidates::new(index, entries.len() > 0xFF + PAD, hash::bytes(name)) {
        *steps = steps.saturating_sub(1);
        let found = if is_odd { odd_entry_at(entries, at, name) } else { entry_at(entries, at, name) };
        if let Some(near) = found {
            return near;
        }
    }
    Near { head: u64::MAX, expected }
}

/// The entry at `at` of a plain table, if it has this name, and the name is neither empty nor long.
#[inline(always)]
fn entry_at(entries: &[u8], at: usize, name: &[u8]) -> Option<Near> {
    let entry = entries.get(at..).and_then(<[u8]>::first_chunk::<{ PLAIN_OFFSET + 8 }>)?;
    let len = usize::from(entry[0]) >> HEAD_BITS;
    let word = u64::from_le_bytes(*entry.last_chunk()?);
    let next = at + PLAIN_OFFSET + len;
    let found = len == name.len() && len < LONG && is_named(word, name, || entries.get(at + PLAIN_OFFSET..next));
    found.then_some(Near { head: u64::from_le_bytes(*entry.first_chunk()?), expected: next })
}

/// The same for a name that is empty or long.
#[cold]
#[inline(never)]
fn odd_entry_at(entries: &[u8], at: usize, name: &[u8]) -> Option<Near> {
    let code = Code::new(entries);
    let entry = of_entries(entries).entry(code, at).filter(|entry| entry.name == name)?;
    Some(Near { head: code.u64(at), expected: entry.after })
}

/// The table of these entries, without its index.
fn of_entries(entries: &[u8]) -> Table {
    let end = entries.len().saturating_sub(PAD);
    Table { count: MAX_UNINDEXED, has_references: true, index: 0, entries: 0, end }
}
