//! Finding the end of things: white space, strings, numbers, literals, whole values.

use super::Json;
use crate::error::{Halt, JsonErrorKind, Limit};

/// Greatest nesting that [`Json::value_end`] can follow; [`Limits::depth`](crate::Limits::depth) stays below it.
pub(crate) const MAX_DEPTH: u32 = 512;

/// Strings are scanned a machine word at a time.
const LANES: usize = size_of::<usize>();
const ONES: usize = usize::MAX / 0xFF;
const HIGHS: usize = ONES * 0x80;

/// A word with the high bit set in the lowest byte that is `"`, `\` or below 0x20 (bytes above that one may be marked in error).
#[inline]
const fn special(word: usize) -> usize {
    // The quote changes places with the space, next to the control characters.
    let quote = word ^ (ONES * 2);
    let backslash = word ^ (ONES * b'\\' as usize);
    (quote.wrapping_sub(ONES * 0x21) | backslash.wrapping_sub(ONES)) & !word & HIGHS
}

/// The same for a word of eight bytes.
#[cfg(not(any(target_os = "none", feature = "small")))]
#[inline(always)]
pub(super) const fn special_in(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    let quote = word ^ (ONES * 2);
    let backslash = word ^ (ONES * b'\\' as u64);
    (quote.wrapping_sub(ONES * 0x21) | backslash.wrapping_sub(ONES)) & !word & (ONES * 0x80)
}

/// A bit for each byte that is `"`, `\` or below 0x20.
#[cfg(all(feature = "simd", target_arch = "x86_64", not(target_os = "none")))]
#[inline(always)]
fn special_in_block(block: [u8; 16]) -> i32 {
    use wide::u8x16;
    let bytes = u8x16::new(block);
    let is = |byte| bytes.cmp_eq(u8x16::splat(byte));
    (is(b'"') | is(b'\\') | bytes.min(u8x16::splat(0x1F)).cmp_eq(bytes)).move_mask()
}

impl Json<'_> {
    /// The first place at or behind `at` that is not white space.
    // Here and in the other small readers: on a device the copies of an inlined body cost more flash than the calls cost time.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(crate) fn white_space(self, at: usize) -> usize {
        // Where there is none, as mostly between machines, one comparison tells.
        match self.bytes.get(at) {
            Some(0..=b' ') => self.white_space_end(at),
            _ => at,
        }
    }

    #[inline(never)]
    fn white_space_end(self, at: usize) -> usize {
        // One space is most common.
        match (self.bytes.get(at), self.bytes.get(at + 1)) {
            (Some(b' '), Some(b'!'..)) if !cfg!(any(target_os = "none", feature = "small")) => at + 1,
            _ => self.more_white_space(at),
        }
    }

    #[inline(never)]
    fn more_white_space(self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(at) {
            at += 1;
            // Indentation: a word of spaces at a time.
            if self.bytes.get(at).is_none_or(|&byte| byte > b' ') {
                break;
            }
            while let Some(chunk) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<LANES>) {
                let others = usize::from_le_bytes(*chunk) ^ (ONES * b' ' as usize);
                at += others.trailing_zeros() as usize / 8;
                if others != 0 {
                    break;
                }
            }
        }
        at
    }

    /// For a string whose content starts at `at`: the place of its closing quote, and whether it has escapes.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn string_end(self, at: usize) -> Result<(usize, bool), Halt> {
        let end = self.special_from(at);
        if let Some(b'"') = self.bytes.get(end) { Ok((end, false)) } else { self.escaped_string_end(end) }
    }

    /// The same from a character that is not the closing quote.
    #[inline(never)]
    fn escaped_string_end(self, mut at: usize) -> Result<(usize, bool), Halt> {
        loop {
            match (self.bytes.get(at), self.bytes.get(at + 1)) {
                (Some(b'"'), _) => return Ok((at, true)),
                (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => at += 2,
                (Some(b'\\'), _) => at = self.escape_end(at)?,
                (Some(_), _) => return self.fail(JsonErrorKind::ControlCharacter, at),
                (None, _) => return self.fail(JsonErrorKind::EndsInString, at),
            }
            at = self.special_from_vectors(at);
        }
    }

    /// The first place at or behind `at` of a quote, a backslash or a control character, or the end of the text.
    #[inline(always)]
    pub(super) fn special_from(self, mut at: usize) -> usize {
        let (words, _) = self.bytes.get(at..).unwrap_or_default().as_chunks::<LANES>();
        for word in words {
            let found = special(usize::from_le_bytes(*word));
            if found != 0 {
                return at + found.trailing_zeros() as usize / 8;
            }
            at += LANES;
        }
        self.special_in_last_word(at)
    }

    /// The same in vectors, for strings that have escapes, as long ones mostly do.
    #[inline(always)]
    fn special_from_vectors(self, at: usize) -> usize {
        #[cfg(all(feature = "simd", target_arch = "x86_64", not(target_os = "none")))]
        let at = {
            let mut at = at;
            for block in self.bytes.get(at..).unwrap_or_default().as_chunks().0 {
                let found = special_in_block(*block);
                if found != 0 {
                    return at + found.trailing_zeros() as usize;
                }
                at += 16;
            }
            at
        };
        self.special_from(at)
    }

    /// The same where less than a word is left.
    #[inline(never)]
    fn special_in_last_word(self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        if cfg!(any(target_os = "none", feature = "small")) {
            return at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
        }
        // Zeros behind the text end the scan.
        let word = match self.bytes.last_chunk::<LANES>() {
            _ if rest.is_empty() => 0,
            Some(chunk) => usize::from_le_bytes(*chunk) >> (LANES.saturating_sub(rest.len()) * 8),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | usize::from(byte)),
        };
        at + special(word).trailing_zeros() as usize / 8
    }

    /// The place behind the escape whose backslash stands at `at`. A surrogate must come with its other half.
    fn escape_end(self, at: usize) -> Result<usize, Halt> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => match self.hex4(at + 2)? {
                0xD800..0xDC00 => {
                    match (self.bytes.get(at + 6), self.bytes.get(at + 7)) {
                        (Some(b'\\'), Some(b'u')) => {}
                        (None, _) | (Some(b'\\'), None) => {
                            return self.fail(JsonErrorKind::EndsInString, self.bytes.len());
                        }
                        _ => return self.fail(JsonErrorKind::LoneSurrogate, at),
                    }
                    match self.hex4(at + 8)? {
                        0xDC00..0xE000 => Ok(at + 12),
                        _ => self.fail(JsonErrorKind::LoneSurrogate, at),
                    }
                }
                0xDC00..0xE000 => self.fail(JsonErrorKind::LoneSurrogate, at),
                _ => Ok(at + 6),
            },
            Some(_) => self.fail(JsonErrorKind::InvalidEscape, at),
            None => self.fail(JsonErrorKind::EndsInString, at + 1),
        }
    }

    fn hex4(self, at: usize) -> Result<u32, Halt> {
        let mut code = 0;
        for i in at..at + 4 {
            match self.bytes.get(i) {
                Some(&byte) => match char::from(byte).to_digit(16) {
                    Some(digit) => code = code << 4 | digit,
                    None => return self.fail(JsonErrorKind::InvalidEscape, i),
                },
                None => return self.fail(JsonErrorKind::EndsInString, i),
            }
        }
        Ok(code)
    }

    #[inline]
    fn digits(self, mut at: usize) -> usize {
        while let Some(b'0'..=b'9') = self.bytes.get(at) {
            at += 1;
        }
        at
    }

    /// The place behind the number at `at` (RFC 8259 section 6).
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(crate) fn number_end(self, at: usize) -> Result<usize, Halt> {
        let first = at + usize::from(self.bytes.get(at) == Some(&b'-'));
        let end = match self.bytes.get(first) {
            Some(b'0') => match self.bytes.get(first + 1) {
                Some(b'0'..=b'9') => return self.fail(JsonErrorKind::InvalidNumber, first + 1),
                _ => first + 1,
            },
            Some(b'1'..=b'9') => self.digits(first + 1),
            Some(_) => return self.fail(JsonErrorKind::InvalidNumber, first),
            None => return self.fail(JsonErrorKind::EndsInNumber, first),
        };
        match self.bytes.get(end) {
            Some(b'.' | b'e' | b'E') => self.fraction_end(end),
            _ => Ok(end),
        }
    }

    #[inline]
    fn fraction_end(self, mut at: usize) -> Result<usize, Halt> {
        if let Some(b'.') = self.bytes.get(at) {
            at = self.some_digits(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(at) {
                at += 1;
            }
            at = self.some_digits(at)?;
        }
        Ok(at)
    }

    #[inline]
    fn some_digits(self, at: usize) -> Result<usize, Halt> {
        match self.digits(at) {
            end if end > at => Ok(end),
            end if end >= self.bytes.len() => self.fail(JsonErrorKind::EndsInNumber, end),
            end => self.fail(JsonErrorKind::InvalidNumber, end),
        }
    }

    /// The place behind the literal (`true`, `false` or `null`) whose first letter stands at `at`.
    #[inline(never)]
    pub(crate) fn literal_end(self, at: usize) -> Result<usize, Halt> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        if !cfg!(any(target_os = "none", feature = "small")) {
            match rest.first_chunk() {
                Some(b"true" | b"null") => return Ok(at + 4),
                Some(b"fals") if rest.get(4) == Some(&b'e') => return Ok(at + 5),
                _ => {}
            }
        }
        let word: &[u8] = match rest.first() {
            Some(b't') => b"true",
            Some(b'f') => b"false",
            _ => b"null",
        };
        if rest.starts_with(word) {
            Ok(at + word.len())
        } else if word.starts_with(rest) {
            self.fail(JsonErrorKind::EndsInLiteral, self.bytes.len())
        } else {
            self.fail(JsonErrorKind::ExpectedValue, at)
        }
    }

    /// The place behind the value at `at`, whatever it is, with at most `depth` levels of nesting.
    pub(crate) fn value_end(self, mut at: usize, depth: u32) -> Result<usize, Halt> {
        let depth = depth.min(MAX_DEPTH);
        let mut level = 0_u32;
        // The levels around, a bit each: set for an object. The innermost is the lowest.
        let mut objects = 0_u64;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => at = self.string_end(at + 1)?.0 + 1,
                Some(b'-' | b'0'..=b'9') => at = self.number_end(at)?,
                Some(b'{' | b'[') if level >= depth => return Err(Halt::limit(Limit::Depth)),
                // No room for more bits: what is in here is a value for itself. That happens at most MAX_DEPTH / 64 times.
                Some(b'{' | b'[') if level >= u64::BITS => at = self.value_end(at, depth - level)?,
                Some(&open @ (b'{' | b'[')) => {
                    let object = open == b'{';
                    let inner = self.white_space(at + 1);
                    match self.bytes.get(inner) {
                        Some(b'}') if object => at = inner + 1,
                        Some(b']') if !object => at = inner + 1,
                        Some(_) => {
                            level += 1;
                            objects = objects << 1 | u64::from(object);
                            at = if object { self.member(inner)?.value } else { inner };
                            continue;
                        }
                        None if object => return self.fail(JsonErrorKind::EndsInObject, inner),
                        None => return self.fail(JsonErrorKind::EndsInArray, inner),
                    }
                }
                Some(b't' | b'f' | b'n') => at = self.literal_end(at)?,
                Some(_) => return self.fail(JsonErrorKind::ExpectedValue, at),
                None => return self.fail(JsonErrorKind::EndsBeforeValue, at),
            }
            loop {
                if level == 0 {
                    return Ok(at);
                }
                let object = objects & 1 != 0;
                at = self.white_space(at);
                match self.bytes.get(at) {
                    Some(b',') => {
                        at = self.white_space(at + 1);
                        if object {
                            at = self.member(at)?.value;
                        }
                        break;
                    }
                    Some(b'}') if object => {}
                    Some(b']') if !object => {}
                    Some(_) if object => return self.fail(JsonErrorKind::ExpectedCommaOrBrace, at),
                    Some(_) => return self.fail(JsonErrorKind::ExpectedCommaOrBracket, at),
                    None if object => return self.fail(JsonErrorKind::EndsInObject, at),
                    None => return self.fail(JsonErrorKind::EndsInArray, at),
                }
                at += 1;
                level -= 1;
                objects >>= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    /// Whatever the byte, wherever it stands, and whatever is around it.
    #[test]
    fn special_characters_are_found_a_word_and_a_vector_at_a_time() {
        for around in [b'a', b' ', 0x7F, 0x80, 0xA2, 0xDC, 0xFF, b'!', b'#', b'[', b']'] {
            for byte in 0..=255 {
                for at in 0..40 {
                    let mut text = [around; 41];
                    text[at] = byte;
                    let special = byte == b'"' || byte == b'\\' || byte < 0x20;
                    for from in [0, 1, 7, 8, 9, 23] {
                        let found = if special && at >= from { at } else { text.len() };
                        let text = Json::trusted(&text);
                        assert_eq!(text.special_from(from), found, "{byte} at {at} from {from}");
                        assert_eq!(text.special_from_vectors(from), found, "{byte} at {at} from {from}");
                    }
                }
            }
        }
    }

    #[test]
    #[cfg(not(feature = "small"))]
    fn strings_are_hashed_as_names_are() {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZé0123456789".repeat(3);
        for (len, _) in letters.char_indices() {
            for special in ["\"", "\\\"", "\n\"", ""] {
                let text = std::format!(" \"{}{special}:        ", &letters[..len]);
                let found = Json::trusted(text.as_bytes()).hashed_string(1).map(|(_, hash, len)| (hash, len));
                let is_plain = special == "\"" && (1..127).contains(&len);
                let hash = crate::hash::bytes(&letters.as_bytes()[..len]);
                assert_eq!(found, is_plain.then_some((hash, len)), "{text}");
            }
        }
        assert_eq!(Json::trusted(b"\"abcdefg").hashed_string(0), None);
    }
}
