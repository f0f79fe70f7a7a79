//! Strings beside the names of a table.

use super::Json;
#[cfg(not(any(target_os = "none", feature = "small")))]
use super::scan::special_in;
#[cfg(not(any(target_os = "none", feature = "small")))]
use crate::hash;
use crate::program::code::{ESCAPED, HEAD_BITS, LONG, PLAIN_OFFSET};

impl Json<'_> {
    /// The place behind the content of the string at `at`, if that begins with the name of an entry of a plain table.
    #[inline(always)]
    pub(super) fn is_named(self, at: usize, entry: &[u8]) -> Option<usize> {
        let [b'"', word @ ..] = self.bytes.get(at..)?.first_chunk::<9>()? else {
            return None;
        };
        let (head, first) = (*entry.first()?, *entry.get(PLAIN_OFFSET..)?.first_chunk()?);
        let len = usize::from(head >> HEAD_BITS);
        let (word, first) = (u64::from_le_bytes(*word), u64::from_le_bytes(first));
        if len > 8 {
            if word != first {
                return None;
            }
            #[cfg(not(any(target_os = "none", feature = "small")))]
            if len <= 16 && usize::from(head) & ESCAPED == 0 {
                let tail = entry.get(PLAIN_OFFSET + len - 8..)?.first_chunk::<8>();
                let found = self.bytes.get(at + 1 + len - 8..)?.first_chunk::<8>();
                return if tail.is_some() && tail == found { Some(at + 1 + len) } else { None };
            }
            return self.is_long_name(at, entry, PLAIN_OFFSET);
        }
        // An empty name has no word of its own: it is left to the search.
        if (word ^ first).wrapping_shl((len as u32 * 8).wrapping_neg()) != 0 || usize::from(head) & ESCAPED != 0 {
            return None;
        }
        Some(at + 1 + len)
    }

    /// The place of the quote behind the string at `at`, whose content begins with this word, if it is the name, which is not empty, at `offset`
    /// of an entry.
    #[inline(always)]
    pub(super) fn is_name(self, at: usize, word: u64, entry: &[u8], offset: usize) -> Option<usize> {
        let (head, first) = (*entry.first()?, *entry.get(offset..)?.first_chunk()?);
        let len = usize::from(head >> HEAD_BITS);
        let differs = word ^ u64::from_le_bytes(first);
        let end = if len > 8 {
            if differs != 0 {
                return None;
            }
            #[cfg(not(any(target_os = "none", feature = "small")))]
            if len <= 16 && usize::from(head) & ESCAPED == 0 {
                let end = at + 1 + len;
                let tail = entry.get(offset + len - 8..)?.first_chunk::<8>()?;
                let found = self.bytes.get(end - 8..)?.first_chunk::<9>()?;
                return if found.starts_with(tail) && found[8] == b'"' { Some(end) } else { None };
            }
            self.is_long_name(at, entry, offset)?
        } else if differs.wrapping_shl((len as u32 * 8).wrapping_neg()) == 0 && usize::from(head) & ESCAPED == 0 {
            at + 1 + len
        } else {
            return None;
        };
        if self.bytes.get(end) == Some(&b'"') { Some(end) } else { None }
    }

    #[inline(never)]
    pub(super) fn is_long_name(self, at: usize, entry: &[u8], offset: usize) -> Option<usize> {
        let head = usize::from(*entry.first()?);
        let len = head >> HEAD_BITS;
        if len == LONG || head & ESCAPED != 0 {
            return None;
        }
        let end = at + 1 + len;
        let (name, found) = (entry.get(offset..offset + len)?, self.bytes.get(at + 1..end)?);
        // The first word is known to be the same.
        if (len <= 16 && name.last_chunk::<8>() == found.last_chunk()) || name == found { Some(end) } else { None }
    }

    /// Eight bytes from `at` on; zeros behind the end of the text.
    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    pub(super) fn word_at(self, at: usize) -> u64 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(word) => u64::from_le_bytes(*word),
            None => self.short_word(at),
        }
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[cold]
    #[inline(never)]
    fn short_word(self, at: usize) -> u64 {
        self.bytes.get(at..).unwrap_or_default().iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// The first word of the string at `at` (with what follows, where it is shorter), its hash and its length, if it is written without escapes, is
    /// neither empty nor long, and does not stand at the very end of the text.
    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    pub(super) fn hashed_string(self, at: usize) -> Option<(u64, u32, usize)> {
        let (b'"', rest) = self.bytes.get(at..)?.split_first()? else {
            return None;
        };
        let (mut state, mut len) = (0, 0);
        let words = rest.as_chunks::<8>().0;
        for word in words {
            let word = u64::from_le_bytes(*word);
            let found = special_in(word);
            if found != 0 {
                let bits = found.trailing_zeros() & !7;
                len += bits as usize / 8;
                if (word >> bits) as u8 != b'"' || !(1..LONG).contains(&len) {
                    return None;
                }
                let tail = word & !(u64::MAX << bits);
                return Some((u64::from_le_bytes(*words.first()?), hash::finish(hash::mix(state, tail), len), len));
            }
            state = hash::mix(state, word);
            len += 8;
        }
        None
    }
}
