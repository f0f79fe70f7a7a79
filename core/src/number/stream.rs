//! The digits of a number as a stream, for numbers of any length: order, divisibility, hashing.

use core::cmp::Ordering;
use core::fmt;

use super::{MOST_DIGITS, divided_by_ten};

/// The most digits of a divisor: ten times the modulus still fits the registers of `Residue`.
pub(super) const DIVISOR_DIGITS: usize = 76;
/// 256 bits.
const LIMBS: usize = 8;
/// Where a difference of exponents stops being exact: its sign is certain then, whatever digits follow.
const FAR: i64 = 400_000_000_000_000_000;

/// The scientific exponents between which a number is written out in full, as ECMA-262 does.
const WRITTEN_OUT: core::ops::Range<i64> = -7..21;

/// Room for the digits of a mantissa.
pub(super) type Buffer = [u8; MOST_DIGITS];

/// A magnitude: the digits of `head` and `tail` as one integer, times 10^(`power` + `offset`).
///
/// The digits start and end with one that is not zero, so that equal values have equal digits and exponents. Zero has none of both.
#[derive(Clone, Copy)]
pub(super) struct Stream<'a> {
    head: &'a [u8],
    tail: &'a [u8],
    /// The exponent as written, of any length.
    power: &'a [u8],
    power_negative: bool,
    /// What the place of the decimal point and the zeros left out add to it. Bounded by the length of a text in memory,
    /// far below `FAR`.
    offset: i64,
}

impl<'a> Stream<'a> {
    const NONE: Self = Self { head: &[], tail: &[], power: &[], power_negative: false, offset: 0 };

    /// A literal without its sign.
    pub(super) fn of_literal(literal: &'a [u8]) -> Self {
        let (digits, power) = split(literal, |byte| byte | 0x20 == b'e');
        let (head, tail) = split(digits, |byte| byte == b'.');
        let (power_negative, power) = match power {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        let offset = -(tail.len() as i64);
        Self { head, tail, power, power_negative, offset }.trimmed()
    }

    pub(super) fn of_parts(mut mantissa: u64, exponent: i32, buffer: &'a mut Buffer) -> Self {
        let mut zeros = MOST_DIGITS;
        for slot in buffer.iter_mut().rev() {
            if mantissa == 0 {
                break;
            }
            let (quotient, digit) = divided_by_ten(mantissa);
            *slot = b'0' + digit;
            mantissa = quotient;
            zeros -= 1;
        }
        Self {
            head: buffer.get(zeros..).unwrap_or_default(),
            tail: &[],
            power: &[],
            power_negative: false,
            offset: i64::from(exponent),
        }
        .trimmed()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.len() == 0
    }

    /// Number of digits.
    pub(super) fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent_over(&Self::NONE) >= 0
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return self.len().cmp(&other.len());
        }
        // Where the first digit stands decides; then the digits, of which one may be the beginning of the other.
        let places = self.exponent_over(other) + self.len() as i64 - other.len() as i64;
        places.cmp(&0).then_with(|| self.digits().cmp(other.digits()))
    }

    /// Whether this is an integral multiple of `divisor`, which is not zero and has at most `DIVISOR_DIGITS` digits.
    pub(super) fn is_multiple_of(&self, divisor: &Self) -> bool {
        if self.is_zero() {
            return true;
        }
        // The quotient is a/b × 10^shift, and ten does not divide a.
        let shift = self.exponent_over(divisor);
        if shift < 0 {
            return false;
        }
        let mut residue = Residue::new(divisor);
        self.digits().for_each(|digit| residue.append(digit));
        // Log2(b) powers of ten hold whatever factors two and five b has; more change nothing.
        for _ in 0..shift.min(4 * divisor.len() as i64) {
            if residue.is_zero() {
                break;
            }
            residue.append(0);
        }
        residue.is_zero()
    }

    /// Mantissa and exponent, where they fit.
    pub(super) fn to_parts(self) -> Option<(u64, i32)> {
        let mut mantissa = 0_u64;
        for digit in self.digits() {
            mantissa = mantissa.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some((mantissa, i32::try_from(self.exponent_over(&Self::NONE)).ok()?))
    }

    /// Mantissa and exponent modulo 2^64.
    pub(super) fn wrapped(&self) -> (u64, u64) {
        let append = |value: u64, digit: u32| value.wrapping_mul(10).wrapping_add(u64::from(digit));
        let power = self.power.iter().fold(0, |power, &byte| append(power, u32::from(byte & 0x0F)));
        let power = if self.power_negative { power.wrapping_neg() } else { power };
        (self.digits().fold(0, append), power.wrapping_add(self.offset as u64))
    }

    /// Writes the digits with a decimal point, or with an exponent where the scientific one is outside [`WRITTEN_OUT`] and the
    /// number is not to be written `in_full`. For numbers without a `power`.
    pub(super) fn write(&self, out: &mut dyn fmt::Write, in_full: bool) -> fmt::Result {
        if self.is_zero() {
            return out.write_char('0');
        }
        let scientific = self.offset + self.len() as i64 - 1;
        let full = in_full || WRITTEN_OUT.contains(&scientific);
        // Digits in front of the point: as many as the number has, or the first alone.
        let mut front = if full { scientific as i32 + 1 } else { 1 };
        if front <= 0 {
            out.write_str("0.")?;
            (front..0).try_for_each(|_| out.write_char('0'))?;
        }
        for (written, digit) in (0..).zip(self.digits()) {
            if written == front && front > 0 {
                out.write_char('.')?;
            }
            out.write_char(char::from(b'0' + digit as u8))?;
        }
        front -= self.len() as i32;
        (0..front).try_for_each(|_| out.write_char('0'))?;
        if !full {
            out.write_str(if scientific < 0 { "e-" } else { "e" })?;
            Stream::of_parts(scientific.unsigned_abs(), 0, &mut Buffer::default()).write(out, true)?;
        }
        Ok(())
    }

    /// How far the exponent lies over the other's; beyond `FAR`, only the sign counts.
    fn exponent_over(&self, other: &Self) -> i64 {
        let sign = |stream: &Self| if stream.power_negative { -1 } else { 1 };
        let digit = |stream: &Self, left: usize| match stream.power.len().checked_sub(left) {
            Some(at) => sign(stream) * stream.power.get(at).map_or(0, |&byte| i64::from(byte & 0x0F)),
            None => 0,
        };
        // Most significant place first. Past a difference of two, no later digit can turn it back.
        let mut difference = 0;
        for left in (1..=self.power.len().max(other.power.len())).rev() {
            difference = difference * 10 + digit(self, left) - digit(other, left);
            if !(-FAR..=FAR).contains(&difference) {
                break;
            }
        }
        difference + (self.offset - other.offset)
    }

    fn digits(self) -> impl Iterator<Item = u32> + use<'a> {
        (0..self.len()).map(move |at| {
            let byte = self.head.get(at).or_else(|| self.tail.get(at - self.head.len()));
            byte.map_or(0, |byte| u32::from(byte & 0x0F))
        })
    }

    /// Leaves out the zeros at both ends.
    fn trimmed(mut self) -> Self {
        self.head = without_leading_zeros(self.head);
        if self.head.is_empty() {
            self.tail = without_leading_zeros(self.tail);
        }
        if self.is_zero() {
            return Self::NONE;
        }
        let before = self.len();
        self.tail = without_trailing_zeros(self.tail);
        if self.tail.is_empty() {
            self.head = without_trailing_zeros(self.head);
        }
        self.offset += (before - self.len()) as i64;
        self
    }
}

/// What stands before and behind the first byte that `at` accepts; all and nothing where there is none.
fn split(bytes: &[u8], at: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let mut parts = bytes.splitn(2, |&byte| at(byte));
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

fn without_leading_zeros(mut digits: &[u8]) -> &[u8] {
    while let [b'0', rest @ ..] = digits {
        digits = rest;
    }
    digits
}

fn without_trailing_zeros(mut digits: &[u8]) -> &[u8] {
    while let [rest @ .., b'0'] = digits {
        digits = rest;
    }
    digits
}

/// A remainder that takes in a digit at a time.
struct Residue {
    /// Least significant limb first; `limbs` of them are in use.
    value: [u32; LIMBS],
    modulus: [u32; LIMBS],
    limbs: usize,
}

impl Residue {
    fn new(modulus: &Stream<'_>) -> Self {
        // A limb holds nine digits, and ten times the modulus must fit.
        let limbs = modulus.len() / 9 + 1;
        let mut residue = Self { value: [0; LIMBS], modulus: [0; LIMBS], limbs };
        for digit in modulus.digits() {
            append_digit(&mut residue.modulus, digit);
        }
        residue
    }

    fn is_zero(&self) -> bool {
        self.value.iter().all(|&limb| limb == 0)
    }

    /// The value becomes ten times itself plus `digit`, modulo the modulus.
    fn append(&mut self, digit: u32) {
        let limbs = self.limbs.min(LIMBS);
        let (Some(value), Some(modulus)) = (self.value.get_mut(..limbs), self.modulus.get(..limbs)) else { return };
        append_digit(value, digit);
        // It was below the modulus, so it is below ten times the modulus now.
        for _ in 0..9 {
            if value.iter().rev().cmp(modulus.iter().rev()) == Ordering::Less {
                break;
            }
            let mut borrow = 0;
            for (limb, &subtrahend) in value.iter_mut().zip(modulus) {
                let difference = i64::from(*limb) - i64::from(subtrahend) + borrow;
                *limb = difference as u32;
                borrow = difference >> 32;
            }
        }
    }
}

fn append_digit(value: &mut [u32], digit: u32) {
    let mut carry = u64::from(digit);
    for limb in value {
        carry += u64::from(*limb) * 10;
        *limb = carry as u32;
        carry >>= 32;
    }
}
