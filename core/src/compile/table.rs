//! Writing tables: names (or values) in the order they were declared, with an index by hash when they are many.

use super::block::{Block, block_at, kind};
use super::error::SchemaErrorKind;
use super::{Compiler, NONE};
use crate::arena::Arena;
use crate::program::code::{ESCAPED, HEAD_BITS, LONG, MAX_UNINDEXED, REFERENCE_BYTES, Table};
use crate::text::Text;

/// Words of an `ENTRY` or `VALUE` record.
pub(super) mod entry {
    pub(in crate::compile) const HASH: usize = 0;
    /// Offset in the document; with the flag `WRITTEN`, in the arena.
    pub(in crate::compile) const AT: usize = 1;
    pub(in crate::compile) const REFERENCE: usize = 2;
    /// `REQUIRED`, `WRITTEN`, and from bit `NUMBER` on the number of the entry; for a value, its group.
    pub(in crate::compile) const FLAGS: usize = 3;
    /// Length of the text as it stands there, and whether it has escapes (`ESCAPES`).
    pub(in crate::compile) const LEN: usize = 4;
    /// The last list of names that had this one. Only names of a schema's own have it.
    pub(in crate::compile) const LIST: usize = 5;
    pub(in crate::compile) const ESCAPES: u32 = 1 << 31;
    /// The name must be there.
    pub(in crate::compile) const REQUIRED: u32 = 1;
    /// The text stands in the program already.
    pub(in crate::compile) const WRITTEN: u32 = 1 << 31;
    pub(in crate::compile) const NUMBER: u32 = 5;
}

/// What [`LEN`](entry::LEN) says of a string.
pub(super) fn stored(text: Text<'_>) -> u32 {
    text.end() as u32 | if text.as_plain().is_some() { 0 } else { entry::ESCAPES }
}

/// How many bytes `value` takes as a varint.
fn varint_len(value: u32) -> usize {
    (38 - (value | 1).leading_zeros() as usize) / 7
}

impl<'a, 's> Compiler<'a, 's> {
    /// What an entry is named: a string's value, or the JSON text of any other value.
    pub(super) fn entry_text(&self, block: &Block) -> Text<'s> {
        let (at, stored) = (block.word(&self.arena, entry::AT) as usize, block.word(&self.arena, entry::LEN));
        let start = at + usize::from(self.is_string(at));
        let len = (stored & !entry::ESCAPES) as usize;
        Text::json(self.doc.span(start, start + len), stored & entry::ESCAPES != 0)
    }

    fn is_string(&self, at: usize) -> bool {
        self.doc.bytes().get(at) == Some(&b'"')
    }

    /// Writes a table of the records from `from` that are of kind `wanted` (values: and of `group`) at the front of the arena.
    /// Gives their number; nothing is written when there are none.
    pub(super) fn table(&mut self, from: usize, wanted: u8, group: u32) -> u32 {
        let select = |arena: &Arena<'_>, block: &Block| {
            block.kind == wanted && (wanted == kind::ENTRY || block.word(arena, entry::FLAGS) == group)
        };
        let (mut count, mut size, mut has_references) = (0_u32, 0_usize, false);
        let mut at = from;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if select(&self.arena, &block) {
                let stored = block.word(&self.arena, entry::LEN);
                let len =
                    if stored & entry::ESCAPES == 0 { stored as usize } else { utf8_len(self.entry_text(&block)) };
                size += len;
                if len >= LONG {
                    size += varint_len(len as u32);
                }
                has_references |= block.word(&self.arena, entry::REFERENCE) != NONE;
                count += 1;
            }
        }
        if count == 0 {
            return 0;
        }
        let indexed = count > MAX_UNINDEXED;
        let number_bytes = Table::number_bytes(count);
        let reference_bytes = if has_references { REFERENCE_BYTES } else { 0 };
        size += count as usize * (1 + number_bytes + reference_bytes);
        self.push_varint(u64::from(count << 1 | u32::from(has_references)));
        self.push_varint(size as u64);
        let width = if size > 0xFFFF { 4 } else { 2 };
        let hashes = self.arena.len();
        if indexed {
            self.extend_zeros(count as usize * (2 + width));
        }
        let start = self.arena.len();
        let mut index = 0_u32;
        let mut at = from;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if !select(&self.arena, &block) {
                continue;
            }
            if indexed {
                let hash = block.word(&self.arena, entry::HASH) >> 16;
                let offset = (self.arena.len() - start) as u32;
                self.set_index(hashes, width, count as usize, index as usize, (hash, offset));
            }
            let head = self.arena.len();
            self.push(0);
            let reference = block.word(&self.arena, entry::REFERENCE);
            for (word, bytes) in [(index, number_bytes), (reference, reference_bytes)] {
                self.extend(word.to_le_bytes().get(..bytes).unwrap_or_default());
            }
            self.entry_name(&block, head);
            index += 1;
        }
        if indexed {
            self.sort_index(hashes, width, count as usize);
        }
        count
    }

    /// Writes the name of an entry, and the head that stands before.
    fn entry_name(&mut self, block: &Block, head: usize) {
        let stored = block.word(&self.arena, entry::LEN);
        let written = block.word(&self.arena, entry::FLAGS) & entry::WRITTEN != 0;
        let text = if written { Text::json(b"", false) } else { self.entry_text(block) };
        let plain = stored & entry::ESCAPES == 0;
        let len = if plain { stored as usize } else { utf8_len(text) };
        if len >= LONG {
            self.push_varint(len as u64);
        }
        let name = self.arena.len();
        if written {
            self.append(block.word(&self.arena, entry::AT) as usize, len);
        } else {
            self.utf8(text);
        }
        // A string without escapes needs none.
        let escaped = !(plain && !written && self.is_string(block.word(&self.arena, entry::AT) as usize))
            && self.arena.range(name, name + len).iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
        self.arena.set(head, (len.min(LONG) << HEAD_BITS) as u8 | if escaped { ESCAPED as u8 } else { 0 });
    }

    /// Appends a string's value.
    pub(super) fn utf8(&mut self, text: Text<'_>) {
        if let Some(plain) = text.as_plain() {
            self.extend(plain);
            return;
        }
        for code in text.chars() {
            let mut buffer = [0; 4];
            let encoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer);
            self.extend(encoded.as_bytes());
        }
    }

    /// Sorts the index by hash, and equal hashes by offset (a shell sort: small code, in the room that is left).
    fn sort_index(&mut self, hashes: usize, width: usize, count: usize) {
        let (index, room) = self.arena.split();
        let (index, keys) = (index.get(hashes..).unwrap_or_default(), room.as_chunks_mut().0);
        let Some(keys): Option<&mut [[u8; 8]]> = keys.get_mut(..count) else {
            return self.note(SchemaErrorKind::ArenaFull, 0);
        };
        let read = |at: usize, width: usize| {
            index
                .get(at..at + width)
                .unwrap_or_default()
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u64::from(byte))
        };
        for (slot, key) in keys.iter_mut().enumerate() {
            *key = (read(slot * 2, 2) << 32 | read(count * 2 + slot * width, width)).to_le_bytes();
        }
        for gap in [701, 301, 132, 57, 23, 10, 4, 1] {
            for from in gap..count {
                let Some(&key) = keys.get(from) else { break };
                let mut to = from;
                while let Some(before) = to.checked_sub(gap)
                    && let Some(&other) = keys.get(before)
                    && u64::from_le_bytes(other) > u64::from_le_bytes(key)
                    && let Some(slot) = keys.get_mut(to)
                {
                    *slot = other;
                    to = before;
                }
                if let Some(slot) = keys.get_mut(to) {
                    *slot = key;
                }
            }
        }
        let room = self.arena.len();
        for slot in 0..count {
            let at = room + slot * 8;
            let (offset, hash) = (self.arena.word(at), self.arena.word(at + 4));
            self.set_index(hashes, width, count, slot, (hash, offset));
        }
    }

    /// Writes a slot of an index: hash and offset.
    fn set_index(&mut self, hashes: usize, width: usize, count: usize, slot: usize, (hash, offset): (u32, u32)) {
        for (at, width, value) in [(slot * 2, 2, hash), (count * 2 + slot * width, width, offset)] {
            for (i, &byte) in value.to_le_bytes().iter().enumerate().take(width) {
                self.arena.set(hashes + at + i, byte);
            }
        }
    }
}

/// Length of a string's value in UTF-8.
pub(super) fn utf8_len(text: Text<'_>) -> usize {
    match text.as_plain() {
        Some(plain) => plain.len(),
        None => text.chars().map(|code| char::from_u32(code).map_or(3, char::len_utf8)).sum(),
    }
}
