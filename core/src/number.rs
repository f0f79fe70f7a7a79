//! Exact decimal numbers at any length and exponent, without floats, big integers or an allocator.
//!
//! A number is a `u64` mantissa with a power of ten where it fits, and otherwise its JSON literal, read as a stream of
//! digits (`stream`). Exponents are compared, never expanded, so the work is linear in the text.

mod stream;
#[cfg(test)]
mod tests;

use core::cmp::Ordering;
use core::fmt;
use stream::{Buffer, Stream};

#[cfg(feature = "compile")]
use crate::arena::{Arena, Full};

/// Digits that always fit a `u64`.
const SAFE_DIGITS: usize = 19;
/// Digits of the largest `u64`.
const MOST_DIGITS: usize = 20;
/// Where code is short, a number of the instance stays its literal, and all that is asked of it goes by the stream of its digits: most are settled
/// before they become a `Number`.
const BY_DIGITS: bool = cfg!(any(target_os = "none", feature = "small"));
/// The scientific exponents between which a number is written out in full, as ECMA-262 does.
const WRITTEN_OUT: core::ops::Range<i64> = -7..21;

/// The exact value of a JSON number.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    /// The literal, where the value does not fit below, or was not read ([`BY_DIGITS`]); else empty.
    literal: &'a [u8],
    /// The value is (-1)^negative × mantissa × 10^exponent. Zero has no sign and no exponent.
    mantissa: u64,
    exponent: i32,
    negative: bool,
    /// Whether it was written without a fraction and without an exponent.
    plain: bool,
}

impl Number<'static> {
    /// The value (-1)^`negative` × `mantissa` × 10^`exponent`.
    #[inline]
    #[must_use]
    pub const fn from_parts(negative: bool, mantissa: u64, exponent: i32) -> Self {
        let zero = mantissa == 0;
        Self {
            literal: &[],
            mantissa,
            exponent: if zero { 0 } else { exponent },
            negative: negative && !zero,
            plain: exponent == 0,
        }
    }

    /// An unsigned integer.
    #[inline]
    #[must_use]
    pub const fn from_u64(value: u64) -> Self {
        Self::from_parts(false, value, 0)
    }

    /// A signed integer.
    #[inline]
    #[must_use]
    pub const fn from_i64(value: i64) -> Self {
        Self::from_parts(value < 0, value.unsigned_abs(), 0)
    }
}

impl<'a> Number<'a> {
    /// The value of `literal`, which follows the grammar of RFC 8259 section 6.
    ///
    /// Other bytes give some number or other, never a panic.
    #[inline]
    #[must_use]
    pub fn from_literal(literal: &'a [u8]) -> Self {
        if BY_DIGITS {
            return Self::unread(literal);
        }
        let (negative, digits) = unsigned(literal);
        if digits.len() > SAFE_DIGITS {
            return Self::from_decimal(literal);
        }
        let mut mantissa = 0;
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return Self::from_decimal(literal);
            }
            mantissa = mantissa * 10 + u64::from(digit);
        }
        Number::from_parts(negative, mantissa, 0)
    }

    /// Whether the value has no fractional part: `1.0`, `1e2` and `2500E-2` are integers.
    #[inline]
    #[must_use]
    pub fn is_integer(self) -> bool {
        if self.goes_by_digits() {
            return self.stream(&mut Buffer::default()).is_integer();
        }
        self.exponent >= 0 || self.normalised().1 >= 0
    }

    /// Whether it is written as an integer, without a fraction and without an exponent: what draft-04 calls one.
    #[must_use]
    pub const fn is_plain_integer(self) -> bool {
        self.plain
    }

    /// Whether the value is below zero; `-0` is not.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// The order of two values.
    #[inline]
    #[must_use]
    pub fn compare(self, other: Number<'_>) -> Ordering {
        let order = if BY_DIGITS { None } else { self.compare_signed(&other) };
        order.unwrap_or_else(|| self.compare_any(&other))
    }

    /// The order of two values that fit 64 bits with their sign, at the smaller exponent. Without a branch on the signs or digits: which
    /// way they go is not to be foreseen.
    #[inline(always)]
    fn compare_signed(&self, other: &Number<'_>) -> Option<Ordering> {
        let (a, b) = (self.signed()?, other.signed()?);
        let shift = self.exponent.checked_sub(other.exponent)?;
        let power = power(shift.unsigned_abs())?;
        let (a, b) = if shift < 0 { (a, b.checked_mul(power)?) } else { (a.checked_mul(power)?, b) };
        Some(a.cmp(&b))
    }

    #[inline(always)]
    fn signed(&self) -> Option<i64> {
        let magnitude = i64::try_from(self.mantissa).ok()?;
        self.literal.is_empty().then_some(if self.negative { -magnitude } else { magnitude })
    }

    #[cold]
    #[inline(never)]
    fn compare_any(&self, other: &Number<'_>) -> Ordering {
        if self.negative != other.negative {
            return other.negative.cmp(&self.negative);
        }
        let order = self.compare_magnitude(other);
        if self.negative { order.reverse() } else { order }
    }

    /// Whether two values are the same, however each is spelled.
    #[inline]
    #[must_use]
    pub fn equals(self, other: Number<'_>) -> bool {
        self.compare(other) == Ordering::Equal
    }

    /// Whether the value divided by `divisor` is an integer. `None` where [`divisor_supported`](Self::divisor_supported)
    /// says no for the divisor; the value itself may have any length and exponent.
    #[must_use]
    pub fn is_multiple_of(self, divisor: Number<'_>) -> Option<bool> {
        if !self.goes_by_digits() && !divisor.goes_by_digits() {
            if divisor.negative {
                return None;
            }
            // With a common exponent, the mantissas decide.
            let shift = i64::from(self.exponent) - i64::from(divisor.exponent);
            if shift >= 0 {
                if let Some(mantissa) = scaled(self.mantissa, shift) {
                    return remainder(mantissa, divisor.mantissa).map(|rest| rest == 0);
                }
            } else {
                return match scaled(divisor.mantissa, -shift) {
                    Some(mantissa) => remainder(self.mantissa, mantissa).map(|rest| rest == 0),
                    None => Some(self.mantissa == 0),
                };
            }
        }
        if BY_DIGITS && let Some(is_multiple) = self.is_short_multiple_of(&divisor) {
            return Some(is_multiple);
        }
        if !divisor.divisor_supported() {
            return None;
        }
        let (mut buffer, mut divisor_buffer) = (Buffer::default(), Buffer::default());
        Some(self.stream(&mut buffer).is_multiple_of(&divisor.stream(&mut divisor_buffer)))
    }

    /// The same where 32 bits are enough.
    fn is_short_multiple_of(&self, divisor: &Number<'_>) -> Option<bool> {
        if !self.literal.is_empty() || !divisor.literal.is_empty() || divisor.negative {
            return None;
        }
        // With a common exponent, the mantissas decide.
        let shift = self.exponent.checked_sub(divisor.exponent)?;
        let power = u32::try_from(*POWERS.get(shift.unsigned_abs() as usize)?).ok()?;
        let (mantissa, divisor) = (u32::try_from(self.mantissa).ok()?, u32::try_from(divisor.mantissa).ok()?);
        let (mantissa, divisor) =
            if shift < 0 { (mantissa, divisor.checked_mul(power)?) } else { (mantissa.checked_mul(power)?, divisor) };
        Some(mantissa.checked_rem(divisor)? == 0)
    }

    /// Whether [`is_multiple_of`](Self::is_multiple_of) can divide by this number: it is above zero, and from its first to
    /// its last digit other than zero has at most 76 digits (the remainder is kept in 256 bits). Any exponent will do.
    #[must_use]
    pub fn divisor_supported(self) -> bool {
        if self.negative {
            return false;
        }
        let mut buffer = Buffer::default();
        let stream = self.stream(&mut buffer);
        !stream.is_zero() && stream.len() <= stream::DIVISOR_DIGITS
    }

    /// A number that is the same for equal values. It is not keyed: whoever writes the numbers can make them collide.
    #[must_use]
    pub fn hash(self) -> u32 {
        let (mantissa, exponent) = if self.goes_by_digits() {
            self.stream(&mut Buffer::default()).wrapped()
        } else {
            let (mantissa, exponent) = self.normalised();
            (mantissa, exponent as u64)
        };
        let rest = exponent as u32 ^ u32::from(self.negative) << 31;
        [mantissa as u32, (mantissa >> 32) as u32, rest].into_iter().fold(0, |hash: u32, word| {
            let mixed = (hash ^ word).wrapping_mul(0x9E37_79B1);
            mixed ^ mixed >> 15
        })
    }

    /// The value as a length or count: an integer that is not negative, however it is spelled (`2.0`, `1e3`). Values above
    /// `u64::MAX` give `u64::MAX`, which no length reaches.
    #[must_use]
    pub fn to_u64(self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        let number = self.read();
        if !number.literal.is_empty() {
            return Some(u64::MAX);
        }
        let (mantissa, exponent) =
            if number.exponent < 0 { number.normalised() } else { (number.mantissa, number.exponent.into()) };
        Some(scaled(mantissa, exponent).unwrap_or(u64::MAX))
    }

    /// The value as an integer of 32 bits, if it is one.
    #[cfg(feature = "compile")]
    pub(crate) fn to_i32(self) -> Option<i32> {
        let magnitude = i64::try_from(Self { negative: false, ..self }.to_u64()?).ok()?;
        i32::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Writes the value in decimal: in full, or with an exponent where that would take many zeros. A number that needs its
    /// literal is written as it was spelled.
    pub fn write(self, out: &mut dyn fmt::Write) -> fmt::Result {
        let number = self.read();
        if !number.literal.is_empty() {
            return number.literal.iter().try_for_each(|&byte| out.write_char(char::from(byte)));
        }
        if number.negative {
            out.write_char('-')?;
        }
        number.stream(&mut Buffer::default()).write(out, WRITTEN_OUT)
    }

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

    /// The value of a short literal.
    #[inline]
    pub(crate) fn from_short(mantissa: i64, places: u32) -> Self {
        Number::from_parts(mantissa < 0, mantissa.unsigned_abs(), -(places as i32))
    }

    /// A literal whose value nothing asked for yet.
    fn unread(literal: &'a [u8]) -> Self {
        let (negative, digits) = unsigned(literal);
        Self {
            literal,
            mantissa: 0,
            exponent: 0,
            negative: negative && !Stream::of_literal(digits).is_zero(),
            plain: digits.iter().all(u8::is_ascii_digit),
        }
    }

    /// The number with mantissa and exponent, where these hold it.
    fn read(self) -> Self {
        if !BY_DIGITS || self.literal.is_empty() {
            return self;
        }
        match self.stream(&mut Buffer::default()).to_parts() {
            Some((mantissa, exponent)) => Number::from_parts(self.negative, mantissa, exponent),
            None => self,
        }
    }

    fn goes_by_digits(&self) -> bool {
        BY_DIGITS || !self.literal.is_empty()
    }

    /// A literal that is not a short plain integer.
    fn from_decimal(literal: &'a [u8]) -> Self {
        let (negative, digits) = unsigned(literal);
        Self { plain: digits.iter().all(u8::is_ascii_digit), ..Self::value_of(literal, negative, digits) }
    }

    fn value_of(literal: &'a [u8], negative: bool, digits: &'a [u8]) -> Self {
        if let Some((mantissa, exponent)) = short_decimal(digits) {
            return Number::from_parts(negative, mantissa, exponent);
        }
        let stream = Stream::of_literal(digits);
        if stream.is_zero() {
            return Number::from_parts(false, 0, 0);
        }
        match stream.to_parts() {
            Some((mantissa, exponent)) => Number::from_parts(negative, mantissa, exponent),
            None => Self { literal, mantissa: 0, exponent: 0, negative, plain: false },
        }
    }

    /// Mantissa without trailing zeros, and its exponent, of a number that has no literal.
    fn normalised(self) -> (u64, i64) {
        let (mut mantissa, mut exponent) = (self.mantissa, i64::from(self.exponent));
        // An odd mantissa, or none, needs no division.
        while mantissa & 1 == 0 && mantissa != 0 {
            let (quotient, 0) = divided_by_ten(mantissa) else { break };
            mantissa = quotient;
            exponent += 1;
        }
        (mantissa, exponent)
    }

    /// Compares without the signs.
    fn compare_magnitude(&self, other: &Number<'_>) -> Ordering {
        if !self.goes_by_digits() && !other.goes_by_digits() {
            let shift = i64::from(self.exponent) - i64::from(other.exponent);
            // A mantissa that overflows at the smaller exponent exceeds any that does not.
            return if shift >= 0 {
                scaled(self.mantissa, shift).map_or(Ordering::Greater, |mantissa| mantissa.cmp(&other.mantissa))
            } else {
                scaled(other.mantissa, -shift).map_or(Ordering::Less, |mantissa| self.mantissa.cmp(&mantissa))
            };
        }
        let (mut buffer, mut other_buffer) = (Buffer::default(), Buffer::default());
        self.stream(&mut buffer).compare(&other.stream(&mut other_buffer))
    }

    /// The digits of the magnitude.
    fn stream<'b>(self, buffer: &'b mut Buffer) -> Stream<'b>
    where
        'a: 'b,
    {
        if self.literal.is_empty() {
            Stream::of_parts(self.mantissa, self.exponent, buffer)
        } else {
            Stream::of_literal(unsigned(self.literal).1)
        }
    }
}

/// As [`Number::write`].
impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// Header of a number in parts that are too large for the short form.
const PARTS: u8 = 0xFE;
/// Header of an encoded literal.
const LITERAL: u8 = 0xFF;

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

/// A power of ten that fits.
#[inline(always)]
fn power(exponent: u32) -> Option<i64> {
    POWERS.get(exponent as usize).map(|&power| power as i64).filter(|&power| power > 0)
}

/// A power of ten below 2^30.
#[inline(always)]
pub(crate) fn short_power(exponent: u32) -> Option<i32> {
    if exponent < 10 { POWERS.get(exponent as usize).map(|&power| power as i32) } else { None }
}

/// Whether `mantissa` / 10^`places` is an integer.
#[inline(always)]
pub(crate) fn is_short_integer(mantissa: i64, places: u32) -> bool {
    places == 0
        || POWERS.get(places as usize).is_some_and(|&power| remainder(mantissa.unsigned_abs(), power) == Some(0))
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

/// The sign of a literal, and what follows it.
#[inline]
fn unsigned(literal: &[u8]) -> (bool, &[u8]) {
    match literal {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, literal),
    }
}

/// Mantissa and exponent of a literal without sign whose digits all fit, and whose exponent has at most nine digits.
fn short_decimal(literal: &[u8]) -> Option<(u64, i32)> {
    let (mut mantissa, mut places, mut in_fraction) = (0_u64, 0_i64, 0);
    let mut bytes = literal.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'0'..=b'9' => {
                if mantissa > (u64::MAX - 9) / 10 {
                    return None;
                }
                mantissa = mantissa * 10 + u64::from(byte & 0x0F);
                places += in_fraction;
            }
            b'.' => in_fraction = 1,
            _ => {
                let (negative, digits) = match bytes.as_slice() {
                    [b'-', rest @ ..] => (true, rest),
                    [b'+', rest @ ..] | rest => (false, rest),
                };
                if digits.len() > 9 {
                    return None;
                }
                let exponent = digits.iter().fold(0, |exponent, &byte| exponent * 10 + i64::from(byte & 0x0F));
                places += if negative { exponent } else { -exponent };
                break;
            }
        }
    }
    Some((mantissa, i32::try_from(-places).ok()?))
}

/// Powers of ten that fit a `u64`.
static POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut i = 1;
    while i < 20 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// `mantissa` × 10^`by`, if that fits. `by` is not negative.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
fn scaled(mantissa: u64, by: i64) -> Option<u64> {
    match POWERS.get(by as usize) {
        Some(&power) => mantissa.checked_mul(power),
        None if mantissa == 0 => Some(0),
        None => None,
    }
}

/// `value` modulo `divisor`; `None` for zero.
fn remainder(value: u64, divisor: u64) -> Option<u64> {
    if let (Ok(value), Ok(divisor)) = (u32::try_from(value), u32::try_from(divisor)) {
        return value.checked_rem(divisor).map(u64::from);
    }
    if cfg!(target_pointer_width = "64") { value.checked_rem(divisor) } else { long_remainder(value, divisor) }
}

/// Quotient and remainder.
fn divided_by_ten(value: u64) -> (u64, u8) {
    if cfg!(target_pointer_width = "64") { (value / 10, (value % 10) as u8) } else { long_divided_by_ten(value) }
}

/// The same by 32-bit divisions: 2^32 is 10 × 429,496,729 + 6.
fn long_divided_by_ten(value: u64) -> (u64, u8) {
    let (high, low) = ((value >> 32) as u32, value as u32);
    let rest = high % 10;
    let last = rest * 6 + low % 10;
    let quotient = rest * 429_496_729 + low / 10 + last / 10;
    (u64::from(high / 10) << 32 | u64::from(quotient), (last % 10) as u8)
}

/// A 64-bit remainder in a tenth of the code that a target without such an instruction links for it.
fn long_remainder(mut value: u64, divisor: u64) -> Option<u64> {
    if divisor == 0 {
        return None;
    }
    for shift in (0..=divisor.leading_zeros().saturating_sub(value.leading_zeros())).rev() {
        let multiple = divisor << shift;
        if value >= multiple {
            value -= multiple;
        }
    }
    Some(value)
}
