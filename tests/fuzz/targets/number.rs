//! Numbers against big rationals: order, equality, `multipleOf`, integers, hashes; by themselves and through programs.
//!
//! Input: two literals with a space between.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::{Number, Options};
use num_bigint::BigInt;
use num_rational::BigRational;

/// Exponents up to which a rational is made.
const EXPONENT: u64 = 600;

fuzz_target!(|data: &[u8]| {
    if data.len() > 400 {
        return;
    }
    // Any bytes give some number or other.
    let _ = (Number::from_literal(data).compare(Number::from_u64(1)), Number::from_literal(data).hash());
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((a_text, b_text)) = text.split_once(' ') else { return };
    let (Some(a), Some(b)) = (exact(a_text), exact(b_text)) else { return };
    alone(a_text, &a);
    let (Some(a), Some(b)) = (a, b) else {
        // Too far apart for rationals: what must hold in any case.
        let (a, b) = (Number::from_literal(a_text.as_bytes()), Number::from_literal(b_text.as_bytes()));
        assert_eq!(a.compare(b), b.compare(a).reverse());
        assert!(a.equals(a) && b.equals(b) && (!a.equals(b) || a.hash() == b.hash()));
        assert!(!a.divisor_supported() || a.is_multiple_of(a) == Some(true));
        let _ = (a.is_multiple_of(b), b.is_multiple_of(a));
        return;
    };
    pair(a_text, b_text, &a, &b);
    programs(a_text, b_text, &a, &b);
});

fn alone(text: &str, exact: &Option<BigRational>) {
    let number = Number::from_literal(text.as_bytes());
    let mut written = String::new();
    number.write(&mut written).expect("a string takes all");
    let again = Number::from_literal(written.as_bytes());
    assert!(again.equals(number) && again.hash() == number.hash(), "{text} is written {written}");
    if let Some(exact) = exact {
        assert_eq!(number.is_integer(), exact.is_integer(), "{text}");
        assert_eq!(number.is_negative(), *exact < BigRational::from_integer(0.into()), "{text}");
        let count = (exact.is_integer() && *exact >= BigRational::from_integer(0.into()))
            .then(|| u64::try_from(exact.to_integer()).unwrap_or(u64::MAX));
        assert_eq!(number.to_u64(), count, "{text}");
    }
}

fn pair(a_text: &str, b_text: &str, a: &BigRational, b: &BigRational) {
    let (x, y) = (Number::from_literal(a_text.as_bytes()), Number::from_literal(b_text.as_bytes()));
    assert_eq!(x.compare(y), a.cmp(b), "{a_text} {b_text}");
    assert_eq!(x.equals(y), a == b, "{a_text} {b_text}");
    assert!(a != b || x.hash() == y.hash(), "{a_text} {b_text}");
    let is_positive = *b > BigRational::from_integer(0.into());
    if y.divisor_supported() {
        assert!(is_positive, "{b_text}");
        assert_eq!(x.is_multiple_of(y), Some((a / b).is_integer()), "{a_text} {b_text}");
    } else {
        assert!(!is_positive || significant(b_text) > 76, "{b_text}");
    }
}

/// The digits from the first to the last that is not zero.
fn significant(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

fn programs(a_text: &str, b_text: &str, a: &BigRational, b: &BigRational) {
    let mut arena = [0; 2048];
    let mut run = |schema: String, expected: bool| {
        let program = match Options::new().compile(schema.as_bytes(), &mut arena) {
            Ok(program) => program,
            Err(error) => panic!("{error}: {schema}"),
        };
        assert_eq!(program.is_valid(a_text.as_bytes()), Ok(expected), "{schema} {a_text}");
        let array = format!("[[{a_text}],{a_text}]");
        assert!(program.is_valid(array.as_bytes()).is_ok());
    };
    run(format!(r#"{{"minimum":{b_text}}}"#), a >= b);
    run(format!(r#"{{"maximum":{b_text}}}"#), a <= b);
    run(format!(r#"{{"exclusiveMinimum":{b_text}}}"#), a > b);
    run(format!(r#"{{"exclusiveMaximum":{b_text}}}"#), a < b);
    run(format!(r#"{{"const":{b_text}}}"#), a == b);
    run(format!(r#"{{"enum":[{b_text},null]}}"#), a == b);
    run(format!(r#"{{"type":"integer","not":{{"const":{b_text}}}}}"#), a.is_integer() && a != b);
    if Number::from_literal(b_text.as_bytes()).divisor_supported() {
        run(format!(r#"{{"multipleOf":{b_text}}}"#), (a / b).is_integer());
    }
    let mut unique_arena = [0; 128];
    let unique = microschema::compile(br#"{"uniqueItems":true}"#, &mut unique_arena).expect("a schema");
    let pair = format!("[{a_text},{b_text}]");
    assert_eq!(unique.is_valid(pair.as_bytes()), Ok(a != b), "{pair}");
}

/// The value of a JSON number. `None` when it is none, `Some(None)` when its exponent is too large.
fn exact(text: &str) -> Option<Option<BigRational>> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let is_number = all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent_digits.is_none_or(all_digits);
    if !is_number {
        return None;
    }
    let Ok(exponent) = exponent.unwrap_or("0").parse::<i64>() else { return Some(None) };
    if exponent.unsigned_abs() > EXPONENT {
        return Some(None);
    }
    let fraction = fraction.unwrap_or_default();
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent - fraction.len() as i64;
    let power = BigInt::from(10).pow(shift.unsigned_abs() as u32);
    let value = if shift < 0 { BigRational::new(digits, power) } else { BigRational::from_integer(digits * power) };
    Some(Some(if text.starts_with('-') { -value } else { value }))
}
