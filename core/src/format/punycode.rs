//! Punycode (RFC 3492): the decoder that A-labels need, and the length that a U-label would have.
//!
//! The decoder takes exactly what an encoder gives: no overflow, no empty basic part with a delimiter. Deltas are
//! unique otherwise, so there is no need to encode again and compare (RFC 5891, section 5.4).

use super::host::{Label, PREFIX};

/// Decodes an A-label in lower case where it stands. `None` where it is not well-formed.
///
/// Writing never passes reading: each code point takes a digit at least, and `xn--` is dropped.
pub(super) fn decode(label: &mut Label) -> Option<()> {
    let end = label.len();
    let payload = label.codes().get(PREFIX..)?;
    // A leading delimiter would announce no basic code points, which is spelled without one: then it is a digit, and a
    // bad one.
    let basic = payload.iter().rposition(|&code| code == u32::from(b'-')).unwrap_or(0);
    label.keep(PREFIX, basic)?;
    let mut read = PREFIX + basic + usize::from(basic > 0);
    let mut code = FIRST;
    let mut bias = BIAS;
    let mut place = 0u32;
    while read < end {
        let before = place;
        let mut weight = 1u32;
        let mut k = BASE;
        loop {
            if read >= end {
                return None;
            }
            let digit = digit(label.stored(read)?)?;
            read += 1;
            place = place.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold(k, bias);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
        }
        let count = u32::try_from(label.len()).ok()? + 1;
        bias = adapt(place - before, count, before == 0)?;
        code = code.checked_add(place.checked_div(count)?)?;
        place = place.checked_rem(count)?;
        if !matches!(code, 0..0xD800 | 0xE000..0x11_0000) {
            return None;
        }
        label.insert(place as usize, code)?;
        place += 1;
    }
    Some(())
}

/// The number of octets that `label` has in Punycode, without `xn--`.
#[cfg(feature = "idn")]
pub(super) fn encoded_len(label: &[u32]) -> Option<u32> {
    let total = u32::try_from(label.len()).ok()?;
    let basic = u32::try_from(label.iter().filter(|&&code| code < FIRST).count()).ok()?;
    let mut length = if basic > 0 { basic + 1 } else { 0 };
    let mut done = basic;
    let mut code = FIRST;
    let mut bias = BIAS;
    let mut delta = 0u32;
    while done < total {
        let next = *label.iter().filter(|&&other| other >= code).min()?;
        delta = delta.checked_add((next - code).checked_mul(done + 1)?)?;
        code = next;
        for &other in label {
            if other < code {
                delta = delta.checked_add(1)?;
            } else if other == code {
                let mut rest = delta;
                let mut k = BASE;
                loop {
                    length += 1;
                    let threshold = threshold(k, bias);
                    if rest < threshold {
                        break;
                    }
                    rest = (rest - threshold).checked_div(BASE - threshold)?;
                    k += BASE;
                }
                bias = adapt(delta, done + 1, done == basic)?;
                delta = 0;
                done += 1;
            }
        }
        delta = delta.checked_add(1)?;
        code = code.checked_add(1)?;
    }
    Some(length)
}

/// The parameters of section 5, whose `initial_n`, `initial_bias` and `base` these are.
const FIRST: u32 = 0x80;
const BIAS: u32 = 72;
const BASE: u32 = 36;

fn digit(code: u32) -> Option<u32> {
    char::from_u32(code)?.to_digit(BASE).map(|digit| if digit < 10 { digit + 26 } else { digit - 10 })
}

fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(1, 26)
}

/// Section 6.1, with `damp` 700 and `skew` 38.
fn adapt(delta: u32, count: u32, first: bool) -> Option<u32> {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta.checked_div(count)?;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += BASE;
    }
    Some(k + 36 * delta / (delta + 38))
}

#[cfg(test)]
mod tests {
    use super::{Label, decode};
    use std::string::String;

    fn label(text: &str) -> Label {
        let mut label = Label::new();
        text.chars().for_each(|char| label.push(char.into()).expect("room"));
        label
    }

    fn decoded(encoded: &str) -> Option<String> {
        let mut label = label(&std::format!("xn--{encoded}"));
        decode(&mut label)?;
        label.codes().iter().map(|&code| char::from_u32(code)).collect()
    }

    #[test]
    fn decodes_what_an_encoder_gives() {
        // The first three are from section 7.1 of the RFC.
        for (encoded, text) in [
            ("egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"),
            ("n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa", "なぜみんな日本語を話してくれないのか"),
            ("bcher-kva", "bücher"),
            ("mnchen-3ya", "münchen"),
            ("ls8h", "💩"),
        ] {
            assert_eq!(decoded(encoded).as_deref(), Some(text));
            #[cfg(feature = "idn")]
            assert_eq!(super::encoded_len(label(text).codes()), Some(encoded.len() as u32), "{text}");
        }
    }

    #[test]
    fn refuses_what_no_encoder_gives() {
        // A leading delimiter, digits cut short, overflow, a surrogate, beyond U+10FFFF, a character that is no digit.
        for encoded in ["-9uc", "bcher-kv", "99999999", "bcher-9999999a", "ib9b", "en32g", "b_cher_kva", "a-é"] {
            assert_eq!(decoded(encoded), None, "{encoded}");
        }
    }
}
