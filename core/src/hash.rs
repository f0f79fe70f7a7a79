//! The hash of names: eight bytes a step, the same on every target, for plain and escaped text alike.

use crate::text::Text;

/// Whether code is short.
const SMALL: bool = cfg!(any(target_os = "none", feature = "small"));

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hash of a byte string.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
pub(crate) const fn bytes(bytes: &[u8]) -> u32 {
    let mut state = 0;
    let mut rest = bytes;
    // Most names have at most two whole words, and a loop takes longer to set up.
    if !SMALL && let Some((word, behind)) = rest.split_first_chunk::<8>() {
        state = mix(state, u64::from_le_bytes(*word));
        rest = behind;
        if let Some((word, behind)) = rest.split_first_chunk::<8>() {
            state = mix(state, u64::from_le_bytes(*word));
            rest = behind;
        }
    }
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        state = mix(state, u64::from_le_bytes(*word));
        rest = behind;
    }
    finish(mix(state, tail(bytes, rest)), bytes.len())
}

/// Hash of a string value; equals [`bytes`] of its UTF-8 form.
pub(crate) fn text(text: Text<'_>) -> u32 {
    if let Some(plain) = text.as_plain() {
        return bytes(plain);
    }
    code_points(&mut text.chars())
}

/// Hash of a sequence of code points; equals [`bytes`] of its UTF-8 form.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
pub(crate) fn code_points(codes: &mut dyn Iterator<Item = u32>) -> u32 {
    let mut state = 0;
    let mut word = [0; 8];
    let mut len = 0_usize;
    for code in codes {
        let mut buffer = [0; 4];
        let encoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer);
        for &byte in encoded.as_bytes() {
            word[len % 8] = byte;
            len = len.wrapping_add(1);
            if len.is_multiple_of(8) {
                state = mix(state, u64::from_le_bytes(word));
                word = [0; 8];
            }
        }
    }
    finish(mix(state, u64::from_le_bytes(word)), len)
}

/// The bytes behind the last whole word, as one zero-padded word.
#[inline]
const fn tail(bytes: &[u8], rest: &[u8]) -> u64 {
    let missing = 8 - rest.len() as u32 % 8;
    match (rest, bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        ([], ..) => 0,
        (_, Some(last), ..) if !SMALL => u64::from_le_bytes(*last) >> (missing * 8 % 64),
        (_, None, Some(first), Some(last)) if !SMALL => {
            u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64 >> (missing * 8 % 64)) << 32
        }
        (mut rest, ..) => {
            let mut word = 0;
            while let Some((&last, before)) = rest.split_last() {
                word = word << 8 | last as u64;
                rest = before;
            }
            word
        }
    }
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
pub(crate) const fn mix(state: u64, word: u64) -> u64 {
    (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER)
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline)]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
pub(crate) const fn finish(state: u64, len: usize) -> u32 {
    let state = mix(state, len as u64);
    (state ^ state >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::{bytes, text};
    use crate::text::Text;
    use std::string::String;

    #[test]
    fn spelling_does_not_matter() {
        let value = "a\"é😀 and a longer tail";
        for (end, _) in value.char_indices() {
            let value = &value[..end];
            let mut escaped = String::new();
            for unit in value.encode_utf16() {
                escaped.push_str(&std::format!("\\u{unit:04x}"));
            }
            assert_eq!(bytes(value.as_bytes()), text(Text::json(escaped.as_bytes(), true)), "{value:?}");
            assert_eq!(bytes(value.as_bytes()), text(Text::plain(value)));
        }
    }

    #[test]
    fn every_byte_counts() {
        for len in 1..40 {
            let name = std::vec![b'a'; len];
            for i in 0..len {
                let mut other = name.clone();
                other[i] = b'b';
                assert_ne!(bytes(&name), bytes(&other), "{len} {i}");
            }
        }
    }
}
