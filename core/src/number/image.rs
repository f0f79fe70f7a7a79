//! Numbers in the image of a program.

#[cfg(feature = "compile")]
use super::BY_DIGITS;
use super::Number;
#[cfg(feature = "compile")]
use crate::arena::{Arena, Full};

/// Header of a number in parts that are too large for the short form.
const PARTS: u8 = 0xFE;
/// Header of an encoded literal.
const LITERAL: u8 = 0xFF;

impl<'a> Number<'a> {
    /// Appends the number in the form that [`decode`](Self::decode) reads.
    ///
    /// A header byte, then its operands. Below [`PARTS`], the low four bits are decimal places and the high four the number of bytes
    /// that follow: the mantissa with its sign, in two's complement, least significant first. [`PARTS`] is followed by the sign (a
    /// byte), the exponent (four) and the mantissa (eight), [`LITERAL`] by the length of a literal in LEB128 and its text.
    #[cfg(feature = "compile")]
    pub(crate) fn encode(self, out: &mut Arena<'_>) -> Result<(), Full> {
        if BY_DIGITS && !self.literal.is_empty() {
            // The same bytes from every build.
            return Self::from_decimal(self.literal).encode_read(out);
        }
        self.encode_read(out)
    }

    #[cfg(feature = "compile")]
    fn encode_read(self, out: &mut Arena<'_>) -> Result<(), Full> {
        if !self.literal.is_empty() {
            out.push(LITERAL)?;
            out.push_varint(self.literal.len() as u64)?;
            return out.extend(self.literal);
        }
        let places = u8::try_from(self.exponent.wrapping_neg()).ok().filter(|&places| places < 16);
        if let (Some(places), Some(signed)) = (places, self.signed()) {
            // One bit more than the magnitude has, for the sign.
            let bits = 65 - (signed ^ signed >> 63).leading_zeros();
            let bytes = if signed == 0 { 0 } else { bits.div_ceil(8) };
            out.push((bytes as u8) << 4 | places)?;
            return out.extend(signed.to_le_bytes().get(..bytes as usize).unwrap_or_default());
        }
        out.push(PARTS)?;
        out.push(u8::from(self.negative))?;
        out.extend(&self.exponent.to_le_bytes())?;
        out.extend(&self.mantissa.to_le_bytes())
    }

    /// The number encoded at `at`, and the position behind it. `None` where the bytes end too soon or make no sense.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    #[must_use]
    pub fn decode(bytes: &'a [u8], at: usize) -> Option<(Self, usize)> {
        if let Some((signed, places, after)) = decode_short(bytes, at) {
            return Some((Number::from_parts(signed < 0, signed.unsigned_abs(), -i32::from(places)), after));
        }
        decode_long(bytes, at)
    }
}

/// A number in the short form: mantissa with its sign, decimal places, and the position behind.
#[inline]
fn decode_short(bytes: &[u8], at: usize) -> Option<(i64, u8, usize)> {
    let rest = bytes.get(at..)?;
    let (&header, rest) = rest.split_first()?;
    let length = usize::from(header >> 4);
    if length > 8 {
        return None;
    }
    let word = match rest.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => rest.get(..length)?.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let unused = (64 - length as u32 * 8) % 64;
    let signed = if length == 0 { 0 } else { (word << unused) as i64 >> unused };
    Some((signed, header & 15, at + 1 + length))
}

#[cold]
#[inline(never)]
fn decode_long(bytes: &[u8], at: usize) -> Option<(Number<'_>, usize)> {
    let (&header, rest) = bytes.get(at..)?.split_first()?;
    match header {
        LITERAL => decode_literal(bytes, rest),
        PARTS => {
            let (&sign, rest) = rest.split_first()?;
            let (exponent, rest) = rest.split_first_chunk::<4>()?;
            let (mantissa, rest) = rest.split_first_chunk::<8>()?;
            let number = Number::from_parts(sign != 0, u64::from_le_bytes(*mantissa), i32::from_le_bytes(*exponent));
            Some((number, bytes.len() - rest.len()))
        }
        _ => None,
    }
}

/// The rest of `decode` where the header announces a literal: `rest` are the bytes behind the header.
#[cold]
fn decode_literal<'a>(bytes: &'a [u8], mut rest: &'a [u8]) -> Option<(Number<'a>, usize)> {
    let mut length = 0_usize;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, behind) = rest.split_first()?;
        rest = behind;
        length |= usize::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            let (literal, behind) = rest.split_at_checked(length)?;
            return Some((Number::from_literal(literal), bytes.len() - behind.len()));
        }
    }
    None
}
