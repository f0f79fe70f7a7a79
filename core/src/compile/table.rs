//! Writing tables: names (or values) in the order they were declared, with an index by hash when they are many.

use super::block::{Block, block_at, kind};
use super::error::Result;
use super::{Compiler, NONE, kind_of};
use crate::instance::{Instance, Kind};
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
    /// Length of the text as it stands there, and whether it has escapes (`ESCAPES`): known when a table is written, or `WRITTEN`.
    pub(in crate::compile) const LEN: usize = 4;
    /// The last list of names that had this one.
    pub(in crate::compile) const LIST: usize = 4;
    pub(in crate::compile) const ESCAPES: u32 = 1 << 31;
    /// The name must be there.
    pub(in crate::compile) const REQUIRED: u32 = 1;
    /// The text stands in the program already.
    pub(in crate::compile) const WRITTEN: u32 = 1 << 31;
    pub(in crate::compile) const NUMBER: u32 = 5;
}

/// How many bytes `value` takes as a varint.
fn varint_len(value: u32) -> usize {
    (38 - (value | 1).leading_zeros() as usize) / 7
}

impl<'a, 's> Compiler<'a, 's> {
    /// What an entry is named: a string's value, or the JSON text of any other value.
    pub(super) fn entry_text(&self, block: &Block) -> Result<Text<'s>> {
        let at = block.word(&self.arena, entry::AT) as usize;
        if kind_of(self.doc, at)? == Kind::String {
            return Ok(self.doc.string(at)?.0);
        }
        Ok(Text::json(self.doc.span(at, self.skip(at)?), false))
    }

    /// Writes a table of the records from `from` that are of kind `wanted` (values: and of `group`) at the front of the arena.
    /// Gives their number; nothing is written when there are none.
    pub(super) fn table(&mut self, from: usize, wanted: u8, group: u32) -> Result<u32> {
        let select = |compiler: &Self, block: &Block| {
            block.kind == wanted && (wanted == kind::ENTRY || block.word(&compiler.arena, entry::FLAGS) == group)
        };
        let (mut count, mut size, mut has_references) = (0_u32, 0_usize, false);
        let mut at = from;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if select(self, &block) {
                let len = self.measure(&block)?;
                size += len as usize;
                if len as usize >= LONG {
                    size += varint_len(len);
                }
                has_references |= block.word(&self.arena, entry::REFERENCE) != NONE;
                count += 1;
            }
        }
        if count == 0 {
            return Ok(0);
        }
        let indexed = count > MAX_UNINDEXED;
        let number_bytes = Table::number_bytes(count);
        let reference_bytes = if has_references { REFERENCE_BYTES } else { 0 };
        size += count as usize * (1 + number_bytes + reference_bytes);
        self.arena.push_varint(u64::from(count << 1 | u32::from(has_references)))?;
        self.arena.push_varint(size as u64)?;
        let width = if size > 0xFFFF { 4 } else { 2 };
        let hashes = self.arena.len();
        if indexed {
            for _ in 0..count as usize * (2 + width) {
                self.arena.push(0)?;
            }
        }
        let offsets = hashes + count as usize * 2;
        let start = self.arena.len();
        let mut index = 0_u32;
        let mut at = from;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if !select(self, &block) {
                continue;
            }
            if indexed {
                let slot = index as usize;
                let hash = block.word(&self.arena, entry::HASH) >> 16;
                let offset = (self.arena.len() - start) as u32;
                self.set_bytes(hashes + slot * 2, 2, hash);
                self.set_bytes(offsets + slot * width, width, offset);
            }
            let head = self.arena.len();
            self.arena.push(0)?;
            let reference = block.word(&self.arena, entry::REFERENCE);
            for (word, bytes) in [(index, number_bytes), (reference, reference_bytes)] {
                for &byte in word.to_le_bytes().iter().take(bytes) {
                    self.arena.push(byte)?;
                }
            }
            self.entry_name(&block, head)?;
            index += 1;
        }
        if indexed {
            self.sort_index(hashes, offsets, width, count as usize);
        }
        Ok(count)
    }

    /// Notes how long the text of a record is; gives how long its value is.
    fn measure(&mut self, block: &Block) -> Result<u32> {
        if block.word(&self.arena, entry::FLAGS) & entry::WRITTEN != 0 {
            return Ok(block.word(&self.arena, entry::LEN));
        }
        let text = self.entry_text(block)?;
        let escapes = if text.as_plain().is_some() { 0 } else { entry::ESCAPES };
        block.set_word(&mut self.arena, entry::LEN, text.end() as u32 | escapes);
        Ok(utf8_len(text) as u32)
    }

    /// Writes the name of an entry, and the head that stands before.
    fn entry_name(&mut self, block: &Block, head: usize) -> Result<()> {
        let (at, noted) = (block.word(&self.arena, entry::AT) as usize, block.word(&self.arena, entry::LEN));
        let stored = (noted & !entry::ESCAPES) as usize;
        let written = block.word(&self.arena, entry::FLAGS) & entry::WRITTEN != 0;
        let is_string = !written && kind_of(self.doc, at)? == Kind::String;
        let start = at + usize::from(is_string);
        let text = Text::json(self.doc.span(start, start + stored), noted & entry::ESCAPES != 0);
        let len = if written { stored } else { utf8_len(text) };
        if len >= LONG {
            self.arena.push_varint(len as u64)?;
        }
        let name = self.arena.len();
        if written {
            self.arena.append(at, len)?;
        } else {
            self.utf8(text)?;
        }
        // A string without escapes needs none.
        let escaped = !(is_string && text.as_plain().is_some())
            && self.arena.range(name, name + len).iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
        self.arena.set(head, (len.min(LONG) << HEAD_BITS) as u8 | if escaped { ESCAPED as u8 } else { 0 });
        Ok(())
    }

    /// Appends a string's value.
    pub(super) fn utf8(&mut self, text: Text<'_>) -> Result<()> {
        if let Some(plain) = text.as_plain() {
            self.arena.extend(plain)?;
            return Ok(());
        }
        for code in text.chars() {
            let mut buffer = [0; 4];
            let encoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer);
            self.arena.extend(encoded.as_bytes())?;
        }
        Ok(())
    }

    /// Sorts the index by hash, and equal hashes by offset (a comb sort: small code, no memory).
    fn sort_index(&mut self, hashes: usize, offsets: usize, width: usize, count: usize) {
        let key =
            |compiler: &Self, i: usize| (compiler.bytes(hashes + i * 2, 2), compiler.bytes(offsets + i * width, width));
        let mut gap = count;
        loop {
            gap = (gap * 10 / 13).max(1);
            let mut swapped = false;
            for i in 0..count.saturating_sub(gap) {
                let (low, high) = (key(self, i), key(self, i + gap));
                if low > high {
                    for (slot, (hash, offset)) in [(i, high), (i + gap, low)] {
                        self.set_bytes(hashes + slot * 2, 2, hash);
                        self.set_bytes(offsets + slot * width, width, offset);
                    }
                    swapped = true;
                }
            }
            if gap == 1 && !swapped {
                return;
            }
        }
    }

    fn bytes(&self, at: usize, width: usize) -> u32 {
        (0..width).rev().fold(0, |value, i| value << 8 | u32::from(self.arena.get(at + i)))
    }

    fn set_bytes(&mut self, at: usize, width: usize, value: u32) {
        for (i, &byte) in value.to_le_bytes().iter().enumerate().take(width) {
            self.arena.set(at + i, byte);
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
