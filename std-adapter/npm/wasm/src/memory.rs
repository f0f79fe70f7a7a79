//! Memory without an allocator: blocks that stay, from the front, and room behind them for one call at a time.
//!
//! A block has a word in front: its length, and in the lowest bit whether it is in use. One that is freed joins its free neighbours when room is
//! looked for.

use core::mem::MaybeUninit;
use core::ops::Range;
use microschema::Json;

/// Bytes in front of a block.
pub(crate) const HEADER: usize = 4;

/// All memory of the module but its own data and stack.
#[derive(Debug)]
pub(crate) struct Memory {
    bytes: &'static mut [u8],
    /// The place behind the last block.
    end: usize,
}

impl Memory {
    pub(crate) const fn new() -> Self {
        Self { bytes: &mut [], end: 0 }
    }

    pub(crate) const fn end(&self) -> usize {
        self.end
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// The word at `at`.
    pub(crate) fn word(&self, at: usize) -> usize {
        word(self.bytes, at)
    }

    pub(crate) fn set_word(&mut self, at: usize, word: usize) {
        if let Some(chunk) = self.bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *chunk = (word as u32).to_le_bytes();
        }
    }

    /// Where the bytes of the block at `at` are, if it is in use.
    pub(crate) fn block(&self, at: usize) -> Option<Range<usize>> {
        let word = self.word(at);
        if at >= self.end || word & 1 == 0 { None } else { Some(at + HEADER..at + HEADER + (word >> 1)) }
    }

    /// All bytes, with so much room behind the first `front`. Ends the call when there is no memory.
    pub(crate) fn room(&mut self, front: usize, room: usize) -> &mut [u8] {
        assert!(front.checked_add(room).is_some_and(|len| self.reserve(len)), "out of memory");
        self.bytes
    }

    /// Makes a block of the `len` bytes at `from`, which is behind all blocks: the first free place that is large enough. Gives where it begins.
    pub(crate) fn keep(&mut self, from: usize, len: usize) -> usize {
        let size = len.next_multiple_of(HEADER);
        let at = self.place(size);
        // To the front, where it is not behind all others: nothing that it overlaps is still to be read.
        self.bytes.copy_within(from..from + len, at + HEADER);
        self.set_word(at, len << 1 | 1);
        self.end = self.end.max(at + HEADER + size);
        at
    }

    fn place(&mut self, size: usize) -> usize {
        let mut at = 0;
        while at < self.end {
            let word = self.word(at);
            let mut free = (word >> 1).next_multiple_of(HEADER);
            let mut next = at + HEADER + free;
            if word & 1 == 0 {
                while next < self.end && self.word(next) & 1 == 0 {
                    next += HEADER + (self.word(next) >> 1).next_multiple_of(HEADER);
                }
                if next >= self.end {
                    self.end = at;
                    break;
                }
                free = next - at - HEADER;
                self.set_word(at, free << 1);
                if let Some(rest) = free.checked_sub(size) {
                    // Sizes are multiples of the header's, so that what is left has room for one.
                    if rest > 0 {
                        self.set_word(at + HEADER + size, (rest - HEADER) << 1);
                    }
                    break;
                }
            }
            at = next;
        }
        at
    }

    /// Frees the block at `at`.
    pub(crate) fn free(&mut self, at: usize) {
        let word = self.word(at);
        self.set_word(at, word & !1);
    }

    /// Sees to it that there are so many bytes; `false` when there is no memory.
    #[cfg(target_family = "wasm")]
    pub(crate) fn reserve(&mut self, len: usize) -> bool {
        use core::arch::wasm32::{memory_grow, memory_size};
        const PAGE: usize = 1 << 16;
        unsafe extern "C" {
            /// Where the linker puts nothing any more.
            static __heap_base: u8;
        }
        if len <= self.bytes.len() {
            return true;
        }
        let base = (&raw const __heap_base).addr();
        // No slice is longer.
        let Some(end) = base.checked_add(len).filter(|&end| end <= isize::MAX as usize) else {
            return false;
        };
        let more = end.div_ceil(PAGE).saturating_sub(memory_size::<0>());
        if more > 0 && memory_grow::<0>(more) == usize::MAX {
            return false;
        }
        let len = memory_size::<0>() * PAGE - base;
        // SAFETY: nothing else is there: the linker has put its sections and the stack below, and there is no allocator. All bytes are
        // zero at first. The slice before, to a part of the same, is given up here.
        self.bytes = unsafe { core::slice::from_raw_parts_mut(core::ptr::with_exposed_provenance_mut(base), len) };
        true
    }

    /// The same where there is an allocator, for the tests of a host.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn reserve(&mut self, len: usize) -> bool {
        if len > self.bytes.len() {
            let mut bytes = self.bytes.to_vec();
            bytes.resize(len, 0);
            self.bytes = bytes.leak();
        }
        true
    }
}

/// The word at `at`; 0 behind the end.
pub(crate) fn word(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |chunk| u32::from_le_bytes(*chunk) as usize)
}

/// What `items` gives, as a list in `bytes`, as far as there is room.
pub(crate) fn list_of<T: Copy>(bytes: &mut [u8], items: impl Iterator<Item = T>) -> &[T] {
    // SAFETY: what is not initialised may be any bytes.
    let (_, slots, _) = unsafe { bytes.align_to_mut::<MaybeUninit<T>>() };
    let mut count = 0;
    for (slot, item) in slots.iter_mut().zip(items) {
        slot.write(item);
        count += 1;
    }
    // SAFETY: so many are initialised.
    unsafe { core::slice::from_raw_parts(slots.as_ptr().cast(), count) }
}

/// Bytes as text; none of what is no UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> &str {
    match Json::new(bytes) {
        // SAFETY: this is what was checked.
        Ok(_) => unsafe { core::str::from_utf8_unchecked(bytes) },
        Err(_) => "",
    }
}
