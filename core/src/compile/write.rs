//! Writing into the arena: code at its front, records at its back. That it is full is an error like any other.

use super::Compiler;
use super::block::Block;
use super::error::SchemaErrorKind;
use crate::arena::Full;

impl Compiler<'_, '_> {
    /// Keeps the error of what did not fit.
    pub(super) fn fits(&self, result: Result<(), Full>) {
        if result.is_err() {
            self.note(SchemaErrorKind::ArenaFull, 0);
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn push(&mut self, byte: u8) {
        let result = self.arena.push(byte);
        self.fits(result);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn push_varint(&mut self, value: u32) {
        self.push_bits(value.into());
    }

    /// The same for what takes more than a word.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn push_bits(&mut self, value: u64) {
        let result = self.arena.push_varint(value);
        self.fits(result);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let result = self.arena.extend(bytes);
        self.fits(result);
    }

    /// Appends zeros.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn extend_zeros(&mut self, len: usize) {
        let result = self.arena.extend_zeros(len);
        self.fits(result);
    }

    /// Appends a copy of bytes from anywhere in the arena.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn append(&mut self, from: usize, len: usize) {
        let result = self.arena.append(from, len);
        self.fits(result);
    }

    /// Takes zeros at the back and gives their place.
    pub(super) fn reserve(&mut self, len: usize) -> usize {
        let at = self.arena.reserve(len);
        self.fits(at.map(|_| ()));
        at.unwrap_or(0)
    }

    /// Makes a record with room for `len` bytes, which are to be written.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn push_block(&mut self, kind: u8, len: usize) -> Block {
        let Ok(at) = self.arena.take(len + 4) else {
            self.note(SchemaErrorKind::ArenaFull, 0);
            return Block { kind, at: 0, len: 0 };
        };
        self.arena.set_word(at + len, u32::from(kind) | (len as u32) << 8);
        Block { kind, at, len }
    }

    /// Makes a record of words.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn push_words(&mut self, kind: u8, words: &[u32]) -> Block {
        let block = self.push_block(kind, words.len() * 4);
        self.arena.set_words(block.at, words);
        block
    }

    /// Moves what was written at the front since it was `mark` long into a record.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn stash(&mut self, kind: u8, mark: usize) {
        let len = self.arena.len() - mark;
        let block = self.push_block(kind, len);
        self.arena.copy(mark, block.at, block.len);
        self.arena.truncate(mark);
    }
}
