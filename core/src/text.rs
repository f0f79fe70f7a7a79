//! A string value, read where it stands: in JSON text (escapes and all) or in a `&str`.
//!
//! Positions are byte offsets into the stored form. Everything here expects what the reader has already
//! checked (well-formed UTF-8, well-formed escapes) and stays safe, though not meaningful, on anything else.

/// Whether two byte strings are the same. Names are short: two words decide most of them without a call.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    if cfg!(any(target_os = "none", feature = "small")) {
        return one == other;
    }
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<8>(), other.first_chunk::<8>(), one.last_chunk::<8>(), other.last_chunk::<8>()) {
        (Some(a), Some(b), Some(c), Some(d)) if one.len() <= 16 => a == b && c == d,
        (None, None, ..) => {
            match (one.first_chunk::<4>(), other.first_chunk::<4>(), one.last_chunk::<4>(), other.last_chunk::<4>()) {
                (Some(a), Some(b), Some(c), Some(d)) => a == b && c == d,
                // Three bytes at most.
                _ => {
                    one.first() == other.first()
                        && one.get(one.len() / 2) == other.get(one.len() / 2)
                        && one.last() == other.last()
                }
            }
        }
        _ => one == other,
    }
}

/// So many bytes from `at` on.
// One range takes fewer comparisons than a rest and the beginning of that.
#[inline(always)]
pub(crate) fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..at.wrapping_add(N))?.first_chunk()
}

/// An entry of a list, by its number; empty where there are not so many. A table of them would take eight bytes for each.
#[inline(never)]
pub(crate) fn nth(list: &'static str, separator: u8, mut number: usize) -> &'static str {
    let mut start = 0;
    for (at, byte) in list.bytes().enumerate() {
        if byte == separator {
            if number == 0 {
                return list.get(start..at).unwrap_or_default();
            }
            (number, start) = (number - 1, at + 1);
        }
    }
    list.get(start..).filter(|_| number == 0).unwrap_or_default()
}

/// Up to where bytes are UTF-8: their number, if all are.
#[inline(never)]
pub(crate) fn utf8_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        #[cfg(not(any(target_os = "none", feature = "small")))]
        {
            at += ascii_run(bytes.get(at..).unwrap_or_default());
        }
        match code_point_end(bytes, at) {
            Some(after) => at = after,
            None => return at,
        }
    }
}

/// How many bytes there are before the first that is not ASCII.
#[cfg(not(any(target_os = "none", feature = "small")))]
#[inline(always)]
fn ascii_run(bytes: &[u8]) -> usize {
    let mut at = bytes.as_chunks::<BLOCK>().0.iter().take_while(|block| is_ascii_block(block)).count() * BLOCK;
    for word in bytes.get(at..).unwrap_or_default().as_chunks().0 {
        let tops = u64::from_le_bytes(*word) & TOPS;
        if tops != 0 {
            return at + tops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii()).count()
}

/// The highest bit of each byte of a word.
#[cfg(not(any(target_os = "none", feature = "small")))]
const TOPS: u64 = (u64::MAX / 0xFF) << 7;

/// So many bytes are looked at together, or four times as many.
#[cfg(not(any(target_os = "none", feature = "small")))]
const BLOCK: usize = 32;

#[cfg(not(any(target_os = "none", feature = "small")))]
#[inline(always)]
fn is_ascii_block<const N: usize>(block: &[u8; N]) -> bool {
    block.as_chunks().0.iter().fold(0, |tops, word| tops | u64::from_le_bytes(*word)) & TOPS == 0
}

/// Whether all bytes are ASCII.
#[inline]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    #[cfg(not(any(target_os = "none", feature = "small")))]
    // The last block overlaps the one before.
    if let Some(last) = bytes.last_chunk::<{ 4 * BLOCK }>() {
        return bytes.as_chunks::<{ 4 * BLOCK }>().0.iter().all(is_ascii_block) && is_ascii_block(last);
    } else if let Some(last) = bytes.last_chunk::<BLOCK>() {
        return bytes.as_chunks::<BLOCK>().0.iter().all(is_ascii_block) && is_ascii_block(last);
    }
    bytes.is_ascii()
}

/// The place behind the code point at `at`, if there is a whole one in its shortest form.
// `core::str::from_utf8` brings tables along, and takes more time for text that is mostly ASCII.
#[inline(always)]
fn code_point_end(bytes: &[u8], at: usize) -> Option<usize> {
    let first = *bytes.get(at)?;
    if first < 0x80 {
        return Some(at + 1);
    }
    let (len, least) = match first {
        0xC0..0xE0 => (2, 0x80),
        0xE0..0xF0 => (3, 0x800),
        0xF0..0xF8 => (4, 0x1_0000),
        _ => return None,
    };
    let mut code = u32::from(first) & (0x7F >> len);
    for &byte in bytes.get(at + 1..at + len)? {
        if byte & 0xC0 != 0x80 {
            return None;
        }
        code = code << 6 | u32::from(byte & 0x3F);
    }
    // Neither too low for so many bytes, nor a surrogate, nor too high.
    char::from_u32(code).filter(|_| code >= least).map(|_| at + len)
}

/// A string value in place.
///
/// Code points come out one at a time, forwards or backwards, with escapes decoded as they are met; nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    bytes: &'a [u8],
    stored: Stored,
}

/// Whether there are escapes: a whole word, so that a copy is three of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Stored {
    Plain = 0,
    Escaped = 1,
}

impl<'a> Text<'a> {
    /// A string that is stored as it is, without escapes.
    #[must_use]
    pub const fn plain(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), stored: Stored::Plain }
    }

    /// The content of a JSON string: what stands between its quotes. `escaped` tells whether a backslash occurs.
    pub(crate) const fn json(bytes: &'a [u8], escaped: bool) -> Self {
        Self { bytes, stored: if escaped { Stored::Escaped } else { Stored::Plain } }
    }

    #[inline(always)]
    const fn is_escaped(self) -> bool {
        self.stored as u32 != 0
    }

    /// The UTF-8 bytes of the value, where it is stored without escapes.
    #[inline]
    #[must_use]
    pub const fn as_plain(self) -> Option<&'a [u8]> {
        if self.is_escaped() { None } else { Some(self.bytes) }
    }

    /// The position behind the last code point; the first is at 0.
    #[inline]
    #[must_use]
    pub const fn end(self) -> usize {
        self.bytes.len()
    }

    /// The code point that starts at `at`, and the position behind it. `None` at the end.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    #[must_use]
    pub fn next(self, at: usize) -> Option<(u32, usize)> {
        let first = *self.bytes.get(at)?;
        if first < 0x80 {
            if first == b'\\' && self.is_escaped() {
                return self.next_escape(at);
            }
            return Some((u32::from(first), at + 1));
        }
        let (bits, extra) = match first {
            0xF0.. => (u32::from(first & 0x07), 3),
            0xE0.. => (u32::from(first & 0x0F), 2),
            _ => (u32::from(first & 0x1F), 1),
        };
        let mut code = bits;
        for i in 1..=extra {
            code = (code << 6) | u32::from(self.byte(at + i) & 0x3F);
        }
        Some((code, (at + 1 + extra).min(self.bytes.len())))
    }

    /// The code point that ends at `at`, and the position where it starts. `None` at the start.
    ///
    /// In escaped text, `at` must be a position between two code points. Cost: constant but behind backslashes, where the run
    /// of backslashes is counted.
    #[must_use]
    pub fn prev(self, at: usize) -> Option<(u32, usize)> {
        Backward::new(self).prev(at)
    }

    /// The bytes from `at` on, as they are stored.
    #[inline]
    pub(crate) fn stored(self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// The ASCII characters, stored as themselves, from `at` up to the next `c` (or whatever is not such a character).
    pub(crate) fn ascii_before(self, at: usize, c: u8) -> &'a [u8] {
        let bytes = self.stored(at);
        let end = bytes.iter().position(|&b| b == c || b >= 0x80 || (b == b'\\' && self.is_escaped()));
        end.and_then(|end| bytes.get(..end)).unwrap_or(bytes)
    }

    /// The code points, first to last.
    #[must_use]
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub const fn chars(self) -> Chars<'a> {
        Chars { text: self, at: 0 }
    }

    /// Writes the value; a lone surrogate as what stands for an unknown character.
    #[cfg(feature = "mcp")]
    pub(crate) fn write(self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.chars().try_for_each(|code| out.write_char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)))
    }

    /// The number of code points, as `minLength` and `maxLength` count them.
    #[must_use]
    pub fn count(self) -> usize {
        if self.is_escaped() { self.chars().count() } else { self.bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count() }
    }

    /// Whether the value is exactly `other`, which is plain UTF-8.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    #[must_use]
    pub fn equals(self, other: &[u8]) -> bool {
        if self.is_escaped() { self.equals_text(Text::json(other, false)) } else { self.bytes == other }
    }

    /// Whether two strings have the same value, however each is spelled.
    #[must_use]
    pub fn equals_text(self, other: Text<'_>) -> bool {
        if !self.is_escaped() && !other.is_escaped() {
            self.bytes == other.bytes
        } else {
            self.chars().eq(other.chars())
        }
    }

    fn byte(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn next_escape(self, at: usize) -> Option<(u32, usize)> {
        let code = match *self.bytes.get(at + 1)? {
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => 0x0A,
            b'r' => 0x0D,
            b't' => 0x09,
            b'u' => {
                let high = self.hex4(at + 2)?;
                if (0xD800..0xDC00).contains(&high)
                    && self.byte(at + 6) == b'\\'
                    && self.byte(at + 7) == b'u'
                    && let Some(low) = self.hex4(at + 8)
                    && (0xDC00..0xE000).contains(&low)
                {
                    return Some((0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), at + 12));
                }
                return Some((high, at + 6));
            }
            other => u32::from(other),
        };
        Some((code, at + 2))
    }

    fn hex4(self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..)?.first_chunk::<4>()?;
        let mut code = 0;
        for &digit in digits {
            code = code << 4 | char::from(digit).to_digit(16)?;
        }
        Some(code)
    }
}

/// The code points of a [`Text`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Chars<'a> {
    text: Text<'a>,
    at: usize,
}

impl Iterator for Chars<'_> {
    type Item = u32;

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn next(&mut self) -> Option<u32> {
        let (code, after) = self.text.next(self.at)?;
        self.at = after;
        Some(code)
    }
}

/// Reads a [`Text`] from its end to its start, in time linear in the text whatever it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backward<'a> {
    text: Text<'a>,
    /// A long run of backslashes that was counted.
    run: (usize, usize),
}

impl<'a> Backward<'a> {
    pub(crate) const fn new(text: Text<'a>) -> Self {
        Self { text, run: (0, 0) }
    }

    /// The code point that ends at `at`, as [`Text::prev`].
    pub(crate) fn prev(&mut self, at: usize) -> Option<(u32, usize)> {
        let text = self.text;
        let last = at.checked_sub(1)?;
        let mut start = last;
        while start > 0 && last - start < 3 && text.byte(start) & 0xC0 == 0x80 {
            start -= 1;
        }
        if text.is_escaped() {
            // A surrogate pair is twelve bytes, a `\u` escape six, any other escape two.
            for length in [12, 6, 2] {
                if let Some(from) = at.checked_sub(length)
                    && self.opens_escape(from)
                    && let Some((code, end)) = text.next_escape(from)
                    && end == at
                {
                    return Some((code, from));
                }
            }
        }
        let (code, _) = Text { stored: Stored::Plain, ..text }.next(start)?;
        Some((code, start))
    }

    /// Whether the byte at `at` is a backslash that is not itself escaped.
    fn opens_escape(&mut self, at: usize) -> bool {
        if self.text.byte(at) != b'\\' {
            return false;
        }
        if !(self.run.0..self.run.1).contains(&at) {
            let before = self.text.bytes.get(..at).unwrap_or_default();
            let length = before.iter().rev().take_while(|&&b| b == b'\\').count();
            if length < 16 {
                return length % 2 == 0;
            }
            self.run = (at - length, at);
        }
        (at - self.run.0).is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, is_ascii, utf8_end};
    use std::vec::Vec;

    #[test]
    fn utf8_ends_where_the_standard_library_says() {
        // All beginnings of four bytes that are told apart, in every place of a text.
        let bytes = [0, b'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED];
        let bytes: Vec<u8> =
            bytes.into_iter().chain([0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF]).collect();
        for (a, b) in bytes.iter().flat_map(|a| bytes.iter().map(move |b| (*a, *b))) {
            for (c, d) in bytes.iter().flat_map(|c| bytes.iter().map(move |d| (*c, *d))) {
                for text in [&[a, b, c, d][..], &[b'x', a, b, c, d, b'y'], &[a, b, c], &[a, b], &[a]] {
                    let expected = match core::str::from_utf8(text) {
                        Ok(text) => text.len(),
                        Err(error) => error.valid_up_to(),
                    };
                    assert_eq!(utf8_end(text), expected, "{text:x?}");
                }
            }
        }
    }

    /// Blocks, words and what is left over are looked at in different ways.
    #[test]
    fn utf8_is_checked_wherever_it_stands() {
        let parts: [&[u8]; 9] = [
            b"\x80",
            b"\xC3\xA9",
            b"\xC3",
            b"\xE2\x82\xAC",
            b"\xE2\x82",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x98\x80",
            b"\xFF",
            b"\x7F",
        ];
        for len in 0..100 {
            for at in 0..=len {
                for part in parts {
                    let mut text = std::vec![b'a'; len];
                    text.splice(at..at, part.iter().copied());
                    for second in [len, text.len()] {
                        text.splice(second..second, "é".bytes());
                        let expected = core::str::from_utf8(&text).map_or_else(|error| error.valid_up_to(), str::len);
                        assert_eq!(utf8_end(&text), expected, "{text:x?}");
                        assert_eq!(is_ascii(&text), text.is_ascii(), "{text:x?}");
                        text.truncate(len + part.len());
                        assert_eq!(is_ascii(&text), text.is_ascii(), "{text:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn walks_both_ways_over_escapes() {
        for (stored, value) in [
            (r#"a\"b"#, "a\"b"),
            (r"\\u0041", r"\u0041"),
            (r"\\\u0041", "\\A"),
            (r"\ud83d\ude00x\n", "😀x\n"),
            (r"\\\\", r"\\"),
            ("é😀\\t", "é😀\t"),
            (r"\ud83d\\u", "\u{FFFD}\\u"),
        ] {
            let text = Text::json(stored.as_bytes(), true);
            let forward: Vec<u32> = text.chars().collect();
            if !value.contains('\u{FFFD}') {
                assert_eq!(forward, value.chars().map(u32::from).collect::<Vec<_>>(), "{stored}");
                assert_eq!(text.count(), value.chars().count());
                assert!(text.equals(value.as_bytes()));
            }
            let mut backward = Vec::new();
            let mut at = text.end();
            while let Some((code, start)) = text.prev(at) {
                backward.push(code);
                at = start;
            }
            backward.reverse();
            assert_eq!(forward, backward, "{stored}");
        }
    }
}
