//! Writing tables: names (or values) in the order they were declared, with an index by hash when they are many.

use super::block::{Block, block_at, kind};
use super::{Compiler, NONE};
use crate::arena::Arena;
use crate::program::code::{Code, ESCAPED, HEAD_BITS, LONG, MAX_UNINDEXED, REFERENCE_BYTES, Slots, Table};
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
        let number_bytes = Table::number_bytes(count);
        let reference_bytes = if has_references { REFERENCE_BYTES } else { 0 };
        size += count as usize * (1 + number_bytes + reference_bytes);
        self.push_varint(count << 1 | u32::from(has_references));
        self.push_varint(size as u32);
        let slots = (count > MAX_UNINDEXED).then(|| Slots::new(count, size));
        let places = self.arena.len();
        for _ in 0..slots.map_or(0, Slots::bytes) {
            self.push(0xFF);
        }
        let start = self.arena.len();
        let mut index = 0_u32;
        let mut at = from;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if !select(&self.arena, &block) {
                continue;
            }
            if let Some(slots) = slots {
                self.set_slot(slots, places, block.word(&self.arena, entry::HASH), self.arena.len() - start);
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
        count
    }

    /// Puts the offset of an entry into the first free slot for its hash.
    fn set_slot(&mut self, slots: Slots, places: usize, hash: u32, offset: usize) {
        let mut slot = slots.first(hash);
        // There are more slots than entries. What is taken costs, as names can be made to begin at the same one.
        while !self.stopped() && slots.offset(Code::new(self.arena.all()), places, slot).is_some() {
            self.spend(1);
            slot = slots.next(slot);
        }
        let width = 1 << slots.width_bits;
        for (i, byte) in offset.to_le_bytes().into_iter().enumerate().take(width) {
            self.arena.set(places + slot * width + i, byte);
        }
    }

    /// Writes the name of an entry, and the head that stands before.
    fn entry_name(&mut self, block: &Block, head: usize) {
        let stored = block.word(&self.arena, entry::LEN);
        let written = block.word(&self.arena, entry::FLAGS) & entry::WRITTEN != 0;
        let text = if written { Text::json(b"", false) } else { self.entry_text(block) };
        let plain = stored & entry::ESCAPES == 0;
        let len = if plain { stored as usize } else { utf8_len(text) };
        if len >= LONG {
            self.push_varint(len as u32);
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
}

/// Length of a string's value in UTF-8.
pub(super) fn utf8_len(text: Text<'_>) -> usize {
    match text.as_plain() {
        Some(plain) => plain.len(),
        None => text.chars().map(|code| char::from_u32(code).map_or(3, char::len_utf8)).sum(),
    }
}
