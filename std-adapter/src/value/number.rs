//! `serde_json`'s numbers as exact decimals.

use microschema::{Halt, Number};

/// The number as it would be written: integers as they are, others as the shortest text that reads back as the same `f64`.
#[cfg(not(feature = "arbitrary_precision"))]
#[inline]
pub(super) fn decimal(number: &serde_json::Number) -> Result<Number<'static>, Halt> {
    if let Some(value) = number.as_u64() {
        return Ok(Number::from_u64(value));
    }
    if let Some(value) = number.as_i64() {
        return Ok(Number::from_i64(value));
    }
    written::decimal(number)
}

/// The same as mantissa and decimal places, where it takes at most 18 digits and is quick to see.
#[cfg(not(feature = "arbitrary_precision"))]
#[inline]
pub(super) fn short(number: &serde_json::Number) -> Option<(i64, u32)> {
    match number.as_i64() {
        Some(value) => (value.unsigned_abs() < EIGHTEEN_DIGITS).then_some((value, 0)),
        None => written::short_of(number),
    }
}

#[cfg(feature = "arbitrary_precision")]
#[inline]
pub(super) fn short(number: &serde_json::Number) -> Option<(i64, u32)> {
    number.as_i64().filter(|value| value.unsigned_abs() < EIGHTEEN_DIGITS).map(|value| (value, 0))
}

/// The least number of more than eighteen digits.
const EIGHTEEN_DIGITS: u64 = 1_000_000_000_000_000_000;

/// The number as it was written.
#[cfg(feature = "arbitrary_precision")]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there are numbers that cannot be given")]
pub(super) fn decimal(number: &serde_json::Number) -> Result<Number<'_>, Halt> {
    Ok(Number::from_literal(number.as_str().as_bytes()))
}

#[cfg(not(feature = "arbitrary_precision"))]
mod written {
    use microschema::{Halt, Limit, Number};
    use std::fmt::{self, Write};
    use std::sync::LazyLock;

    /// Whether `serde_json` keeps all digits: another crate of the build may have turned that on.
    static KEEPS_DIGITS: LazyLock<bool> = LazyLock::new(|| {
        let long = "0.1000000000000000000000001";
        serde_json::from_str::<serde_json::Number>(long).is_ok_and(|number| number.to_string() == long)
    });

    pub(super) fn decimal(number: &serde_json::Number) -> Result<Number<'static>, Halt> {
        if let Some((mantissa, places)) = short_of(number) {
            return Ok(with_places(mantissa < 0, mantissa.unsigned_abs(), -(places as i32)));
        }
        let mut literal = Literal::default();
        if write!(literal, "{number}").is_err() {
            return Err(Halt::limit(Limit::Number));
        }
        Ok(literal.number())
    }

    #[inline(never)]
    pub(super) fn short_of(number: &serde_json::Number) -> Option<(i64, u32)> {
        if *KEEPS_DIGITS { None } else { short(number.as_f64()?) }
    }

    /// Mantissa and places of the shortest decimal where it has at most fifteen digits and six places. No other decimal of that length
    /// rounds to `value`.
    fn short(value: f64) -> Option<(i64, u32)> {
        let magnitude = value.abs();
        let mut power = 1.0;
        for places in 0..=6 {
            let scaled = magnitude * power;
            if scaled >= 1e15 {
                break;
            }
            let mantissa = (scaled + 0.5) as i64;
            // Both operands are exact, and so this is the correctly rounded decimal.
            if mantissa as f64 / power == magnitude {
                return Some((if value < 0.0 { -mantissa } else { mantissa }, places));
            }
            power *= 10.0;
        }
        None
    }

    /// A number with at least one decimal place: `1.0` is not written as an integer, which draft-04 tells apart.
    fn with_places(negative: bool, mantissa: u64, exponent: i32) -> Number<'static> {
        match (exponent, mantissa.checked_mul(10)) {
            (0, Some(tenfold)) => Number::from_parts(negative, tenfold, -1),
            _ => Number::from_parts(negative, mantissa, exponent),
        }
    }

    /// The parts of a JSON number that is written to it.
    #[derive(Default)]
    struct Literal {
        negative: bool,
        mantissa: u64,
        /// Digits behind the point.
        places: i32,
        exponent: i32,
        negative_exponent: bool,
        part: Part,
    }

    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    enum Part {
        #[default]
        Integer,
        Fraction,
        Exponent,
    }

    impl Literal {
        fn number(&self) -> Number<'static> {
            let exponent = if self.negative_exponent { -self.exponent } else { self.exponent };
            let exponent = exponent.saturating_sub(self.places);
            match self.part {
                Part::Integer => Number::from_parts(self.negative, self.mantissa, 0),
                _ => with_places(self.negative, self.mantissa, exponent),
            }
        }

        /// `None` when it does not fit.
        fn push(&mut self, byte: u8) -> Option<()> {
            match (byte, self.part) {
                (b'-', Part::Exponent) => self.negative_exponent = true,
                (b'-', _) => self.negative = true,
                (b'.', _) => self.part = Part::Fraction,
                (b'e' | b'E', _) => self.part = Part::Exponent,
                (b'0'..=b'9', Part::Exponent) => {
                    self.exponent = self.exponent.checked_mul(10)?.checked_add(i32::from(byte - b'0'))?;
                }
                (b'0'..=b'9', part) => {
                    self.mantissa = self.mantissa.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                    self.places = self.places.checked_add(i32::from(part == Part::Fraction))?;
                }
                _ => {}
            }
            Some(())
        }
    }

    impl Write for Literal {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            text.bytes().try_for_each(|byte| self.push(byte)).ok_or(fmt::Error)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{Literal, short, with_places};
        use microschema::Number;
        use std::fmt::Write;

        fn written(text: &str) -> Option<Number<'static>> {
            let mut literal = Literal::default();
            write!(literal, "{text}").ok()?;
            Some(literal.number())
        }

        #[test]
        fn literals_are_read_exactly() {
            for text in [
                "0.30000000000000004",
                "1e300",
                "5e-324",
                "-1.5E+17",
                "1.7976931348623157e308",
                "-0",
                "12345678901234567890",
            ] {
                let (expected, found) = (Number::from_literal(text.as_bytes()), written(text).expect(text));
                assert!(found.equals(expected), "{text}");
                assert_eq!(found.is_plain_integer(), expected.is_plain_integer(), "{text}");
            }
        }

        #[test]
        fn what_does_not_fit_is_not_rounded() {
            assert!(written("0.1000000000000000000000001").is_none());
            assert!(written("123456789012345678901").is_none());
            assert!(written("1e99999999999").is_none());
        }

        #[test]
        fn the_short_way_gives_the_shortest_decimal() {
            for value in [0.0, -0.0, 42.0, 42.5, -0.758, 0.1, 99.999_999, 1e14, 123_456_789.25] {
                let text = format!("{value:?}");
                let (expected, (mantissa, places)) =
                    (Number::from_literal(text.as_bytes()), short(value).expect("short"));
                let found = with_places(mantissa < 0, mantissa.unsigned_abs(), -(places as i32));
                assert!(found.equals(expected), "{text}");
                assert_eq!(found.is_plain_integer(), expected.is_plain_integer(), "{text}");
            }
            for value in [0.1 + 0.2, 1e300, 5e-324, 1e15, f64::MAX] {
                assert!(short(value).is_none(), "{value}");
            }
        }
    }
}
