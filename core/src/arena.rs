//! The caller's buffer while a schema compiles: the program grows from the front, temporary records from the back.
//!
//! The two regions never move past each other; when they would, the arena is full.

/// The arena has no room left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// A buffer that is written from both ends.
#[derive(Debug)]
pub(crate) struct Arena<'a> {
    bytes: &'a mut [u8],
    front: usize,
    back: usize,
}

impl<'a> Arena<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        let back = bytes.len();
        Self { bytes, front: 0, back }
    }

    /// Number of bytes written at the front.
    pub(crate) fn len(&self) -> usize {
        self.front
    }

    /// The bytes written at the front.
    #[cfg(feature = "compile")]
    pub(crate) fn written(&self) -> &[u8] {
        self.bytes.get(..self.front).unwrap_or_default()
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(crate) fn push(&mut self, byte: u8) -> Result<(), Full> {
        if self.front >= self.back {
            return Err(Full);
        }
        *self.bytes.get_mut(self.front).ok_or(Full)? = byte;
        self.front += 1;
        Ok(())
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(crate) fn extend(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let end = self.front + bytes.len();
        if end > self.back {
            return Err(Full);
        }
        self.bytes.get_mut(self.front..end).ok_or(Full)?.copy_from_slice(bytes);
        self.front = end;
        Ok(())
    }

    /// Appends zeros.
    #[cfg(feature = "compile")]
    pub(crate) fn extend_zeros(&mut self, len: usize) -> Result<(), Full> {
        let end = self.front.checked_add(len).filter(|&end| end <= self.back).ok_or(Full)?;
        self.bytes.get_mut(self.front..end).ok_or(Full)?.fill(0);
        self.front = end;
        Ok(())
    }

    /// Appends `value` in LEB128: seven bits a byte, least significant first, the top bit set on all but the last.
    pub(crate) fn push_varint(&mut self, mut value: u64) -> Result<(), Full> {
        while value >= 0x80 {
            self.push(value as u8 | 0x80)?;
            value >>= 7;
        }
        self.push(value as u8)
    }

    /// Byte `at` from the start of the arena (front or back); 0 outside it.
    pub(crate) fn get(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Overwrites a byte that was written before.
    pub(crate) fn set(&mut self, at: usize, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(at) {
            *slot = byte;
        }
    }

    /// Drops what was written at the front behind `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.front = self.front.min(len);
    }

    /// Position of the lowest record at the back.
    pub(crate) fn back(&self) -> usize {
        self.back
    }

    /// Takes `len` bytes at the back, zeroed, and gives their position.
    pub(crate) fn reserve(&mut self, len: usize) -> Result<usize, Full> {
        let end = self.back;
        let back = self.take(len)?;
        self.bytes.get_mut(back..end).ok_or(Full)?.fill(0);
        Ok(back)
    }

    /// Takes `len` bytes at the back, which hold whatever they held, and gives their position.
    pub(crate) fn take(&mut self, len: usize) -> Result<usize, Full> {
        self.back = self.back.checked_sub(len).filter(|&back| back >= self.front).ok_or(Full)?;
        Ok(self.back)
    }

    /// Gives back everything taken at the back since it stood at `back`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(crate) fn release(&mut self, back: usize) {
        self.back = self.back.max(back.min(self.bytes.len()));
    }

    /// Little-endian 32-bit word at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(crate) fn word(&self, at: usize) -> u32 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            Some(chunk) => u32::from_le_bytes(*chunk),
            None => 0,
        }
    }

    /// Overwrites the little-endian 32-bit word at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(crate) fn set_word(&mut self, at: usize, value: u32) {
        if let Some(chunk) = self.bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<4>) {
            *chunk = value.to_le_bytes();
        }
    }

    /// Overwrites the little-endian words from `at` on.
    #[cfg(feature = "compile")]
    pub(crate) fn set_words(&mut self, at: usize, words: &[u32]) {
        let bytes = self.bytes.get_mut(at..).unwrap_or_default();
        for (slot, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *slot = word.to_le_bytes();
        }
    }

    /// The whole arena.
    #[cfg(feature = "compile")]
    pub(crate) fn all(&self) -> &[u8] {
        self.bytes
    }

    /// Any range of the arena.
    pub(crate) fn range(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// Copies `len` bytes within the arena.
    pub(crate) fn copy(&mut self, from: usize, to: usize, len: usize) {
        // Spelled the way `copy_within` checks it, so that its own checks, which panic, fold away.
        if let (Some(end), Some(last)) = (from.checked_add(len), self.bytes.len().checked_sub(len))
            && end <= self.bytes.len()
            && to <= last
        {
            // On bare metal nothing else needs `memmove`, which is larger than a loop.
            if cfg!(target_os = "none") {
                shift(self.bytes, from, len, to);
            } else {
                self.bytes.copy_within(from..end, to);
            }
        }
    }

    /// What is written at the front, and the room behind it.
    #[cfg(feature = "compile")]
    pub(crate) fn split(&mut self) -> (&[u8], &mut [u8]) {
        let room = self.back.saturating_sub(self.front);
        match self.bytes.split_at_mut_checked(self.front) {
            Some((front, rest)) => (front, rest.get_mut(..room).unwrap_or_default()),
            None => (&[], &mut []),
        }
    }

    /// Appends a copy of `len` bytes from anywhere in the arena to the front.
    #[cfg(feature = "compile")]
    pub(crate) fn append(&mut self, from: usize, len: usize) -> Result<(), Full> {
        if self.front + len > self.back {
            return Err(Full);
        }
        self.copy(from, self.front, len);
        self.front += len;
        Ok(())
    }

    /// The front, given back to the owner of the buffer.
    pub(crate) fn finish(self) -> &'a [u8] {
        self.bytes.get(..self.front).unwrap_or_default()
    }
}

/// Moves `length` bytes from `from` to `to`.
#[inline(never)]
pub(crate) fn shift(bytes: &mut [u8], from: usize, length: usize, to: usize) {
    for step in 0..length {
        // The end that the bytes move to goes first.
        let offset = if to < from { step } else { length - 1 - step };
        if let Some(&byte) = bytes.get(from + offset)
            && let Some(slot) = bytes.get_mut(to + offset)
        {
            *slot = byte;
        }
    }
}
