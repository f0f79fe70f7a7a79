//! Exact decimal numbers at any length and exponent, without floats, big integers or an allocator.
//!
//! A number is a `u64` mantissa with a power of ten where it fits, and otherwise its JSON literal, read as a stream of
//! digits (`stream`). Exponents are compared, never expanded, so the work is linear in the text.

mod image;
mod stream;
#[cfg(test)]
mod tests;

use core::cmp::Ordering;
use core::fmt;
use stream::{Buffer, Stream};

/// Digits that always fit a `u64`.
const SAFE_DIGITS: usize = 19;
/// Digits of the largest `u64`.
const MOST_DIGITS: usize = 20;
/// Where code is short, a number of the instance stays its literal, and all that is asked of it goes by the stream of its digits: most are settled
/// before they become a `Number`.
const BY_DIGITS: bool = cfg!(any(target_os = "none", feature = "small"));

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
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
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
        let mut divisor_buffer = Buffer::default();
        let divisor = divisor.divisor(&mut divisor_buffer)?;
        Some(self.stream(&mut Buffer::default()).is_multiple_of(&divisor))
    }

    /// The same where 32 bits are enough.
    fn is_short_multiple_of(&self, divisor: &Number<'_>) -> Option<bool> {
        if !self.literal.is_empty() || !divisor.literal.is_empty() || divisor.negative {
            return None;
        }
        // With a common exponent, the mantissas decide.
        let shift = self.exponent.checked_sub(divisor.exponent)?;
        let power = *SHORT_POWERS.get(shift.unsigned_abs() as usize)?;
        let (mantissa, divisor) = (u32::try_from(self.mantissa).ok()?, u32::try_from(divisor.mantissa).ok()?);
        let (mantissa, divisor) =
            if shift < 0 { (mantissa, divisor.checked_mul(power)?) } else { (mantissa.checked_mul(power)?, divisor) };
        Some(mantissa.checked_rem(divisor)? == 0)
    }

    /// Whether [`is_multiple_of`](Self::is_multiple_of) can divide by this number: it is above zero, and from its first to
    /// its last digit other than zero has at most 76 digits (the remainder is kept in 256 bits). Any exponent will do.
    #[must_use]
    pub fn divisor_supported(self) -> bool {
        self.divisor(&mut Buffer::default()).is_some()
    }

    fn divisor<'b>(self, buffer: &'b mut Buffer) -> Option<Stream<'b>>
    where
        'a: 'b,
    {
        let digits = self.stream(buffer);
        (!self.negative && (1..=stream::DIVISOR_DIGITS).contains(&digits.len())).then_some(digits)
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
        number.stream(&mut Buffer::default()).write(out, false)
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

/// A power of ten that fits.
#[inline(always)]
fn power(exponent: u32) -> Option<i64> {
    POWERS.get(exponent as usize).map(|&power| power as i64).filter(|&power| power > 0)
}

/// A power of ten below 2^30.
#[inline(always)]
pub(crate) fn short_power(exponent: u32) -> Option<i32> {
    SHORT_POWERS.get(exponent as usize).map(|&power| power as i32)
}

/// Whether `mantissa` / 10^`places` is an integer.
#[inline(always)]
pub(crate) fn is_short_integer(mantissa: i64, places: u32) -> bool {
    if places == 0 {
        return true;
    }
    if BY_DIGITS {
        return match (u32::try_from(mantissa.unsigned_abs()), SHORT_POWERS.get(places as usize)) {
            (Ok(mantissa), Some(&power)) => mantissa.checked_rem(power) == Some(0),
            _ => is_integer(mantissa, places),
        };
    }
    POWERS.get(places as usize).is_some_and(|&power| remainder(mantissa.unsigned_abs(), power) == Some(0))
}

#[cold]
#[inline(never)]
fn is_integer(mantissa: i64, places: u32) -> bool {
    Number::from_short(mantissa, places).is_integer()
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

/// Powers of ten that fit 31 bits.
static SHORT_POWERS: [u32; 10] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

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
