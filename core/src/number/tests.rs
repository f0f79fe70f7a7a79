use core::cmp::Ordering;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use num_bigint::BigInt;
use proptest::prelude::*;

use super::Number;
use crate::arena::Arena;

fn number(literal: &str) -> Number<'_> {
    Number::from_literal(literal.as_bytes())
}

fn written(number: Number<'_>) -> String {
    let mut out = String::new();
    number.write(&mut out).expect("a String takes everything");
    out
}

fn encoded(number: Number<'_>) -> Vec<u8> {
    let mut buffer = [0; 4096];
    let mut arena = Arena::new(&mut buffer);
    number.encode(&mut arena).expect("room");
    arena.written().to_vec()
}

/// Integer and decimal exponent, by other means than the module's.
fn exact(literal: &str) -> (BigInt, i64) {
    let (digits, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let integer = format!("{whole}{fraction}").parse().expect("digits");
    (integer, exponent.parse::<i64>().expect("a small exponent") - fraction.len() as i64)
}

/// Both values as integers in one unit.
fn aligned(a: &str, b: &str) -> (BigInt, BigInt) {
    let ((a, a_exponent), (b, b_exponent)) = (exact(a), exact(b));
    let unit = a_exponent.min(b_exponent);
    let scale = |value: BigInt, exponent: i64| value * BigInt::from(10).pow((exponent - unit) as u32);
    (scale(a, a_exponent), scale(b, b_exponent))
}

fn check_pair(a: &str, b: &str) {
    let (exact_a, exact_b) = aligned(a, b);
    let (left, right) = (number(a), number(b));
    assert_eq!(left.compare(right), exact_a.cmp(&exact_b), "{a} against {b}");
    assert_eq!(right.compare(left), exact_b.cmp(&exact_a), "{b} against {a}");
    assert_eq!(left.equals(right), exact_a == exact_b, "{a} = {b}");
    if exact_a == exact_b {
        assert_eq!(left.hash(), right.hash(), "{a} and {b}");
    }
    if right.divisor_supported() {
        let multiple = &exact_a % &exact_b == BigInt::ZERO;
        assert_eq!(left.is_multiple_of(right), Some(multiple), "{a} multiple of {b}");
    } else if exact_b <= BigInt::ZERO {
        assert_eq!(left.is_multiple_of(right), None, "{a} multiple of {b}");
    }
}

fn check_alone(literal: &str) {
    let value = number(literal);
    let (integer, one) = aligned(literal, "1");
    let whole = &integer % &one == BigInt::ZERO;
    assert_eq!(value.is_integer(), whole, "{literal}");
    let count = (whole && integer >= BigInt::ZERO).then(|| u64::try_from(integer / one).unwrap_or(u64::MAX));
    assert_eq!(value.to_u64(), count, "{literal}");

    let text = written(value);
    let (again, same) = aligned(literal, &text);
    assert_eq!(again, same, "{literal} is written as {text}");

    let mut code = std::vec![0xAA; 3];
    code.extend(encoded(value));
    let end = code.len();
    code.extend([0x55; 3]);
    let (decoded, after) = Number::decode(&code, 3).expect("what was encoded");
    assert_eq!((after, decoded.compare(value)), (end, Ordering::Equal), "{literal}");
    for cut in 3..end {
        let short = code.get(..cut).unwrap_or_default();
        assert!(Number::decode(short, 3).is_none(), "{literal} cut at {cut}");
    }
}

/// Literals around every border: of digits, of `u64`, of exponents; with zeros at either end.
fn literals() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        3 => "0|[1-9][0-9]{0,3}",
        2 => "[1-9][0-9]{16,22}",
        1 => "[1-9][0-9]{0,90}",
        1 => "[1-9]0{0,40}",
        1 => "1844674407370955161[3-9]|922337203685477580[5-9]|429496729[3-9]",
    ];
    let fraction = prop_oneof![
        4 => "",
        2 => "\\.[0-9]{1,3}",
        1 => "\\.0{1,30}[0-9]{0,3}0{0,3}",
        1 => "\\.[0-9]{1,60}",
    ];
    let exponent = prop_oneof![4 => "", 2 => "[eE][-+]?0{0,12}[0-9]{1,2}", 1 => "[eE][-+]?[0-4][0-9]{2}"];
    ("-?", whole, fraction, exponent)
        .prop_map(|(sign, whole, fraction, exponent)| sign + &whole + &fraction + &exponent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn agrees_with_big_integers(a in literals(), b in literals()) {
        check_alone(&a);
        check_pair(&a, &b);
        check_pair(&a, b.trim_start_matches('-'));
    }

    #[test]
    fn knows_products_and_respellings(divisor in "[1-9][0-9]{0,75}", factor in "[1-9][0-9]{0,40}", zeros in 0_i64..60, up in 0_i64..60) {
        let product = exact(&divisor).0 * exact(&factor).0;
        let literal = format!("{product}{}e{}", "0".repeat(zeros as usize), up - zeros);
        check_pair(&literal, &format!("{product}.000e{up}"));
        check_pair(&literal, &format!("{divisor}e{up}"));
        check_pair(&literal, &format!("{divisor}e{}", up - 3));
        check_pair(&literal, &format!("{divisor}e{}", up + 1));
        check_pair(&(product + 1_u8).to_string(), &divisor);
    }

    #[test]
    fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "[-+.eE0-9a]{0,40}", at in 0_usize..8) {
        for value in [Number::decode(&bytes, at).map(|(value, _)| value), Some(number(&text))].into_iter().flatten() {
            let divided = [value.is_multiple_of(number("3")), number("7e90").is_multiple_of(value)];
            prop_assert_eq!(value.compare(value), Ordering::Equal);
            let _ = (divided, value.is_integer(), value.to_u64(), value.hash(), written(value), encoded(value));
        }
    }
}

#[test]
fn borders_agree_with_big_integers() {
    let literals = [
        "0",
        "-0",
        "0.0",
        "-0e5",
        "0e-99",
        "1",
        "-1",
        "1.0",
        "10e-1",
        "0.1e1",
        "1e2",
        "100",
        "2500E-2",
        "25",
        "12.5e0",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.5",
        "9223372036854775807",
        "9223372036854775808",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551615.0",
        "1844674407370955161.5",
        "18446744073709551620",
        "184467440737095516150",
        "99999999999999999999",
        "100000000000000000000",
        "100000000000000000001",
        "1e20",
        "1.00000000000000000001",
        "1e308",
        "1e-308",
        "9e399",
        "1e400",
        "0.01",
        "0.0075",
        "0.00751",
        "19.99",
        "0.000001",
        "0.0000001",
        "12e-9",
        "4294967295",
        "4294967296",
        "5",
        "2",
        "0.5",
        "340282366920938463463374607431768211456",
        "0.5e-30",
        "128e-7",
    ];
    for a in literals {
        check_alone(a);
        for b in literals {
            check_pair(a, b);
        }
    }
}

/// The numbers of public bug reports about other validators.
#[test]
fn numbers_of_bug_reports_agree_with_big_integers() {
    let literals = [
        "0.1",
        "1e0",
        "2.0",
        "2.5",
        "6.0",
        "785",
        "0.29",
        "0.58",
        "1.13",
        "12",
        "12.0",
        "17.2",
        "1e-1",
        "1e-8",
        "4.18",
        "60.0",
        "60.5",
        "-2.22",
        "1.135",
        "1e+32",
        "1e200",
        "25E-1",
        "9e399",
        "1e400",
        "12.5e1",
        "1e-400",
        "0.12345678",
        "2147483648",
        "5000000000",
        "0.123456789",
        "12391239124",
        "200200200200",
        "2.002002002e+11",
        "9999999999999999",
        "-9007199254740993",
        "-9007199254740994",
        "10000000000000000",
        "9007199254740992.5",
        "123456789012345.003",
        "-9223372036854775809",
        "1234567890123456.003",
        "18446744073709551617",
        "18446744073709551618",
        "36893488147419103232",
        "590295810358705651712",
        "100000000000000000000000000000000",
        "100000000000000000000000000000001",
        "0.1000000000000000055511151231257827",
        "100000000000000000000000000000000000010",
        "170141183460469231731687303715884105728",
        "0.000000000000000000000000000000000000000000000000001",
        "1.0000000000000000000000000000000000000000000000000001",
    ];
    for a in literals {
        check_alone(a);
        for b in literals {
            check_pair(a, b);
        }
    }
}

#[test]
fn exponents_are_never_expanded() {
    let ascending = [
        "-1e99999999999999999999999",
        "-1e99999999999999999999998",
        "-1e4294967296",
        "-1",
        "-1e-4294967296",
        "-1e-99999999999999999999998",
        "-1e-99999999999999999999999",
        "0e99999999999999999999999",
        "1e-99999999999999999999999",
        "10e-99999999999999999999999",
        "1.5e-99999999999999999999998",
        "1e-2147483649",
        "1e-2147483648",
        "1",
        "1e2147483647",
        "1e2147483648",
        "99e2147483647",
        "1e2147483649",
        "1e999999999999999999",
        "1e1000000000000000000",
        "1e9223372036854775807",
        "1e9223372036854775808",
        "1e18446744073709551616",
        "1e99999999999999999999998",
        "1e99999999999999999999999",
        "10.1e99999999999999999999998",
        "1e100000000000000000000000",
        "1e000340282366920938463463374607431768211456",
        "1e340282366920938463463374607431768211457",
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(number(a).compare(number(b)), i.cmp(&j), "{a} against {b}");
        }
        assert_eq!(number(a).is_integer(), !a.contains("e-"), "{a}");
        let code = encoded(number(a));
        let (decoded, after) = Number::decode(&code, 0).expect("what was encoded");
        assert!(decoded.equals(number(a)) && after == code.len(), "{a}");
    }
    for (a, b) in [
        ("10e99999999999999999999998", "1e99999999999999999999999"),
        ("0.1e100000000000000000000000", "1000e99999999999999999999996"),
        ("1e0000000000000000000000000000002", "100"),
        ("0.001e+00000000000000000000000000000003", "1"),
        ("-0e-99999999999999999999999", "0"),
        ("10e2147483647", "1e2147483648"),
        ("1e-2147483648", "0.1e-2147483647"),
        ("1.0e1000000000000000000", "10e999999999999999999"),
    ] {
        assert!(number(a).equals(number(b)), "{a} = {b}");
        assert_eq!(number(a).hash(), number(b).hash(), "{a} and {b}");
    }
    // The same value from parts that no literal gives.
    let parts = Number::from_parts(false, 10, i32::MAX);
    assert!(parts.equals(number("1e2147483648")));
    assert_eq!(parts.hash(), number("1e2147483648").hash());
}

#[test]
fn divides_exactly() {
    for (value, divisor, multiple) in [
        ("1e308", "1e-308", true),
        ("19.99", "0.01", true),
        ("1.135", "0.01", false),
        ("-2.22", "0.01", true),
        ("17.2", "0.1", true),
        ("12391239123", "1e-8", true),
        ("12391239124", "1e-8", true),
        ("0.12345678", "1e-8", true),
        ("0.123456789", "1e-8", false),
        ("123456789012345.003", "0.01", false),
        ("1234567890123456.003", "0.01", false),
        ("9007199254740993", "2", false),
        ("9007199254740993", "3", true),
        ("9007199254740992", "3", false),
        ("9223372036854775807", "10", false),
        ("18446744073709551617", "2", false),
        ("18446744073709551618", "7", false),
        ("100000000000000000000000000000000000010", "10", true),
        ("1e400", "3", false),
        ("3e400", "3", true),
        ("1e308", "0.123456789", false),
        ("1e99999999999999999999999", "1024e-7", true),
        ("1e99999999999999999999999", "1e99999999999999999999998", true),
        ("1e99999999999999999999998", "1e99999999999999999999999", false),
        ("25e99999999999999999999998", "0.5e99999999999999999999999", true),
        ("1e-99999999999999999999999", "1", false),
        ("1e99999999999999999999999", "7e-99999999999999999999999", false),
        ("0e99999999999999999999999", "7", true),
        ("1e30", "1152921504606846976", false),
        ("1e60", "1152921504606846976", true),
        ("1e252", "7237005577332262213973186563042994240829374041602535252466099000494570602496", true),
        ("1e251", "7237005577332262213973186563042994240829374041602535252466099000494570602496", false),
    ] {
        assert_eq!(number(value).is_multiple_of(number(divisor)), Some(multiple), "{value} by {divisor}");
    }
}

#[test]
fn divisors_have_a_limit() {
    let most = "9".repeat(76);
    assert!(number(&most).divisor_supported());
    assert!(number(&(most.clone() + "e99999999999999999999999")).divisor_supported());
    assert_eq!(number(&"9".repeat(76 * 5)).is_multiple_of(number(&most)), Some(true));
    assert_eq!(number(&"9".repeat(76 * 5 + 1)).is_multiple_of(number(&most)), Some(false));
    let over = most + "9";
    for divisor in [over.as_str(), "0", "-0", "-2", "-0.1", "0e5"] {
        assert!(!number(divisor).divisor_supported(), "{divisor}");
        assert_eq!(number(&over).is_multiple_of(number(divisor)), None, "{divisor}");
    }
    assert_eq!(Number::from_u64(4).is_multiple_of(Number::from_i64(-2)), None);
}

#[test]
fn counts() {
    for (literal, count) in [
        ("2.0", Some(2)),
        ("1e3", Some(1000)),
        ("-0", Some(0)),
        ("-0.0e7", Some(0)),
        ("18446744073709551615", Some(u64::MAX)),
        ("1844674407370955161500e-2", Some(18_446_744_073_709_551_615)),
        ("1e20", Some(u64::MAX)),
        ("1e99999999999999999999999", Some(u64::MAX)),
        ("-1", None),
        ("-1e99999999999999999999999", None),
        ("2.5", None),
        ("1e-99999999999999999999999", None),
        ("18446744073709551615.5", None),
    ] {
        assert_eq!(number(literal).to_u64(), count, "{literal}");
    }
}

#[test]
fn writes_what_people_read() {
    for (literal, text) in [
        ("0.01", "0.01"),
        ("-40", "-40"),
        ("125", "125"),
        ("1e400", "1e400"),
        ("-1.50e-400", "-1.5e-400"),
        ("-0", "0"),
        ("1.0", "1"),
        ("19.99", "19.99"),
        ("1e2", "100"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e21"),
        ("123e19", "1.23e21"),
        ("0.0000001", "0.0000001"),
        ("0.00000001", "1e-8"),
        ("12.5e-8", "0.000000125"),
        ("1e100", "1e100"),
        ("340282366920938463463374607431768211456", "340282366920938463463374607431768211456"),
        ("1E99999999999999999999999", "1E99999999999999999999999"),
    ] {
        assert_eq!(written(number(literal)), text, "{literal}");
    }
}

#[test]
fn usual_constants_are_short() {
    for (literal, bytes) in [
        ("0", 1),
        ("1", 2),
        ("125", 2),
        ("-40", 2),
        ("0.01", 2),
        ("1000", 3),
        ("0.125", 2),
        ("1e-8", 2),
        ("1e400", 14),
        ("65535", 4),
    ] {
        assert_eq!(encoded(number(literal)).len(), bytes, "{literal}");
    }
}

#[test]
fn hashes_spread() {
    let mut hashes: Vec<u32> = (-500..500).map(|value| Number::from_i64(value).hash()).collect();
    hashes.extend((1..500).map(|value| Number::from_parts(false, value * 10 + 1, -2).hash()));
    hashes.sort_unstable();
    hashes.dedup();
    assert!(hashes.len() > 1490, "{} of 1499", hashes.len());
}

#[test]
fn long_division_agrees_with_the_machine() {
    let values = [
        0,
        1,
        9,
        10,
        99,
        65_535,
        65_536,
        655_360,
        u64::from(u32::MAX),
        1 << 32,
        10_u64.pow(19),
        u64::MAX - 1,
        u64::MAX,
    ];
    for value in values {
        assert_eq!(super::long_divided_by_ten(value), (value / 10, (value % 10) as u8), "{value}");
        for divisor in values {
            assert_eq!(super::long_remainder(value, divisor), value.checked_rem(divisor), "{value} by {divisor}");
        }
    }
}
