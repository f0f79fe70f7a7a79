//! What `contentEncoding` and `contentMediaType` of draft-07 ask for: base64, and JSON within a string, over the code points in place.

use crate::text::Text;

/// Nesting of JSON within a string.
const MAX_DEPTH: u32 = 64;

/// Whether the text is base64 (RFC 4648 section 4, with padding; line breaks as in RFC 2045 are let through).
pub(super) fn base64(text: Text<'_>) -> bool {
    decode(text, None)
}

/// Whether the text is JSON (the grammar of RFC 8259). `None` when it is nested too deeply to tell.
pub(super) fn json(text: Text<'_>) -> Option<bool> {
    let mut json = Recogniser::new();
    text.chars().for_each(|code| json.feed(code));
    json.end()
}

/// Whether what the text encodes is JSON in UTF-8. Text that is not base64 is left to [`base64`].
pub(super) fn json_in_base64(text: Text<'_>) -> Option<bool> {
    let (mut utf8, mut json) = (Utf8 { low: 0x80, high: 0xBF, left: 0, valid: true }, Recogniser::new());
    if !decode(text, Some((&mut utf8, &mut json))) {
        return Some(true);
    }
    if utf8.valid && utf8.left == 0 { json.end() } else { Some(false) }
}

/// Hands the bytes that the text encodes to what reads them; whether it is well-formed.
fn decode(text: Text<'_>, mut readers: Option<(&mut Utf8, &mut Recogniser)>) -> bool {
    let (mut bits, mut digits, mut padding) = (0_u32, 0_u32, 0_u32);
    for code in text.chars() {
        let digit = match u8::try_from(code) {
            Ok(byte @ b'A'..=b'Z') => byte - b'A',
            Ok(byte @ b'a'..=b'z') => byte - b'a' + 26,
            Ok(byte @ b'0'..=b'9') => byte - b'0' + 52,
            Ok(b'+') => 62,
            Ok(b'/') => 63,
            Ok(b'=') => {
                padding += 1;
                continue;
            }
            Ok(b'\r' | b'\n') => continue,
            _ => return false,
        };
        if padding > 0 {
            return false;
        }
        // Six bits a digit, eight a byte: all but the first of four complete one.
        bits = bits << 6 | u32::from(digit);
        digits = (digits + 1) % 4;
        let byte = match digits {
            2 => bits >> 4,
            3 => bits >> 2,
            0 => bits,
            _ => continue,
        } as u8;
        if let Some((utf8, json)) = &mut readers {
            utf8.feed(byte);
            json.feed(u32::from(byte));
        }
    }
    match digits {
        0 => padding == 0,
        1 => false,
        _ => padding == 4 - digits,
    }
}

/// Checks UTF-8 byte by byte: no overlong forms, no surrogates, nothing above U+10FFFF (RFC 3629 section 4).
struct Utf8 {
    /// What the next byte may be, within a sequence.
    low: u8,
    high: u8,
    left: u8,
    valid: bool,
}

impl Utf8 {
    fn feed(&mut self, byte: u8) {
        if self.left > 0 {
            self.valid &= (self.low..=self.high).contains(&byte);
            self.left -= 1;
            (self.low, self.high) = (0x80, 0xBF);
            return;
        }
        (self.left, self.low, self.high) = match byte {
            0..0x80 => (0, 0x80, 0xBF),
            0xC2..=0xDF => (1, 0x80, 0xBF),
            0xE0 => (2, 0xA0, 0xBF),
            0xED => (2, 0x80, 0x9F),
            0xE1..=0xEF => (2, 0x80, 0xBF),
            0xF0 => (3, 0x90, 0xBF),
            0xF1..=0xF3 => (3, 0x80, 0xBF),
            0xF4 => (3, 0x80, 0x8F),
            _ => {
                self.valid = false;
                (0, 0x80, 0xBF)
            }
        };
    }
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    /// Behind `[`.
    ValueOrEnd,
    /// Behind `{`.
    NameOrEnd,
    Name,
    Colon,
    /// Behind a value.
    Behind,
    String,
    Escape,
    /// So many hexadecimal digits.
    Hex(u8),
    /// Behind `-`.
    Minus,
    /// Behind a first digit `0`.
    Zero,
    Integer,
    Point,
    Fraction,
    /// Behind `e`.
    Exponent,
    /// Behind the sign of an exponent.
    ExponentSign,
    ExponentDigits,
    /// Within `true`, `false` or `null`.
    Literal(&'static [u8]),
    Malformed,
    TooDeep,
}

/// Recognises JSON one code point after the other. Bytes of UTF-8 will do, too: beyond ASCII, a string takes everything.
struct Recogniser {
    state: State,
    /// Whether the string at hand is a name.
    in_name: bool,
    depth: u32,
    /// The containers around, innermost lowest: a bit that says whether it is an object.
    objects: u64,
}

impl Recogniser {
    const fn new() -> Self {
        Self { state: State::Value, in_name: false, depth: 0, objects: 0 }
    }

    fn end(self) -> Option<bool> {
        match self.state {
            State::TooDeep => None,
            State::Behind | State::Zero | State::Integer | State::Fraction | State::ExponentDigits => {
                Some(self.depth == 0)
            }
            _ => Some(false),
        }
    }

    fn feed(&mut self, code: u32) {
        let byte = u8::try_from(code).unwrap_or(0xFF);
        self.state = match (self.state, byte) {
            (State::TooDeep, _) => State::TooDeep,
            (State::Malformed, _) => State::Malformed,

            (State::String, b'"') if self.in_name => State::Colon,
            (State::String, b'"') => State::Behind,
            (State::String, b'\\') => State::Escape,
            (State::String, 0x20..) => State::String,
            (State::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => State::String,
            (State::Escape, b'u') => State::Hex(4),
            (State::Hex(left), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => match left {
                1 => State::String,
                _ => State::Hex(left.saturating_sub(1)),
            },

            (State::Literal(rest), _) => match rest.split_first() {
                Some((&first, [])) if first == byte => State::Behind,
                Some((&first, rest)) if first == byte => State::Literal(rest),
                _ => State::Malformed,
            },

            (State::Minus, b'0') => State::Zero,
            (State::Minus, b'1'..=b'9') | (State::Integer, b'0'..=b'9') => State::Integer,
            (State::Zero | State::Integer, b'.') => State::Point,
            (State::Point | State::Fraction, b'0'..=b'9') => State::Fraction,
            (State::Zero | State::Integer | State::Fraction, b'e' | b'E') => State::Exponent,
            (State::Exponent, b'+' | b'-') => State::ExponentSign,
            (State::Exponent | State::ExponentSign | State::ExponentDigits, b'0'..=b'9') => State::ExponentDigits,
            // Whatever else stands behind a number stands behind a value.
            (State::Zero | State::Integer | State::Fraction | State::ExponentDigits, _) => {
                self.structure(State::Behind, byte)
            }

            (state, _) => self.structure(state, byte),
        };
    }

    /// White space, and what gives values their place.
    fn structure(&mut self, state: State, byte: u8) -> State {
        match (state, byte) {
            (
                State::Value | State::ValueOrEnd | State::NameOrEnd | State::Name | State::Colon | State::Behind,
                b' ' | b'\t' | b'\n' | b'\r',
            ) => state,
            (State::NameOrEnd | State::Name, b'"') => {
                self.in_name = true;
                State::String
            }
            (State::Colon, b':') => State::Value,
            (State::NameOrEnd, b'}') | (State::ValueOrEnd, b']') => self.close(),
            (State::Behind, b'}') if self.in_object() => self.close(),
            (State::Behind, b']') if self.depth > 0 && !self.in_object() => self.close(),
            (State::Behind, b',') if self.in_object() => State::Name,
            (State::Behind, b',') if self.depth > 0 => State::Value,

            (State::Value | State::ValueOrEnd, _) => match byte {
                b'{' => self.open(State::NameOrEnd),
                b'[' => self.open(State::ValueOrEnd),
                b'"' => {
                    self.in_name = false;
                    State::String
                }
                b'-' => State::Minus,
                b'0' => State::Zero,
                b'1'..=b'9' => State::Integer,
                b't' => State::Literal(b"rue"),
                b'f' => State::Literal(b"alse"),
                b'n' => State::Literal(b"ull"),
                _ => State::Malformed,
            },
            _ => State::Malformed,
        }
    }

    const fn in_object(&self) -> bool {
        self.depth > 0 && self.objects & 1 != 0
    }

    fn open(&mut self, state: State) -> State {
        if self.depth == MAX_DEPTH {
            return State::TooDeep;
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u64::from(state == State::NameOrEnd);
        state
    }

    fn close(&mut self) -> State {
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
        State::Behind
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, base64, json, json_in_base64};
    use crate::text::Text;
    use std::string::String;
    use std::vec::Vec;

    fn encode(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let word =
                chunk.iter().fold(0_usize, |word, &byte| word << 8 | usize::from(byte)) << (8 * (3 - chunk.len()));
            for i in 0..4 {
                out.push(if i <= chunk.len() { char::from(DIGITS[word >> (18 - 6 * i) & 63]) } else { '=' });
            }
        }
        out
    }

    #[test]
    fn base64_by_its_grammar() {
        for text in ["", "QQ==", "QUI=", "QUJD", "QUJDRA==", "+/+/", "QUJD\r\nRA==\r\n"] {
            assert!(base64(Text::plain(text)), "{text:?}");
        }
        for text in [
            "Q", "QQ", "QQ=", "QQ===", "QUI", "QUI==", "QUJD=", "====", "=", "QQ==QQ==", "QU D", "QU-_", "QU%D", "QUé=",
        ] {
            assert!(!base64(Text::plain(text)), "{text:?}");
        }
    }

    /// Texts that are JSON or nearly so: those that another parser takes must be taken, and no others.
    #[test]
    fn json_as_another_parser_has_it() {
        let seeds = [
            r#"{"a":[1,-2.5e+3,{"b":null}],"é\u00e9\n":"x\"y"}"#,
            r#" [ true , false , [ ] , { } , "" , 0 , -0.0E-1 ] "#,
            "10",
            r#""\/\b""#,
        ];
        let replacements = ["", "0", "\"", "{", "}", "[", "]", ",", ":", " ", "\\", "e", "-", ".", "\n", "\u{1}", "é"];
        let mut seen = [0, 0];
        for seed in seeds {
            for (at, old) in seed.char_indices() {
                for new in replacements {
                    for keep in [false, true] {
                        let rest = if keep { &seed[at..] } else { &seed[at + old.len_utf8()..] };
                        let text = [&seed[..at], new, rest].concat();
                        // The other parser also wants surrogates in pairs; no such text is made here.
                        let expected = serde_json::from_str::<serde_json::Value>(&text).is_ok();
                        assert_eq!(json(Text::plain(&text)), Some(expected), "{text:?}");
                        let encoded = encode(text.as_bytes());
                        assert!(base64(Text::plain(&encoded)), "{encoded}");
                        assert_eq!(json_in_base64(Text::plain(&encoded)), Some(expected), "{text:?}");
                        seen[usize::from(expected)] += 1;
                    }
                }
            }
        }
        assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    }

    #[test]
    fn encoded_json_is_utf8() {
        // Each sequence of up to four bytes around the edges of the ranges.
        let edges = [
            0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
        ];
        for a in edges {
            for b in edges {
                for c in edges {
                    for d in edges {
                        let bytes: Vec<u8> = [b'"', a, b, c, d, b'"'].into();
                        let expected = core::str::from_utf8(&bytes).is_ok();
                        assert_eq!(json_in_base64(Text::plain(&encode(&bytes))), Some(expected), "{bytes:x?}");
                    }
                }
            }
        }
        assert_eq!(json_in_base64(Text::plain(&encode(b"\"\xC3"))), Some(false));
        assert_eq!(json_in_base64(Text::plain("%")), Some(true), "not base64: that is for the encoding to say");
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth: u32| "[".repeat(depth as usize) + &"]".repeat(depth as usize);
        assert_eq!(json(Text::plain(&nested(MAX_DEPTH))), Some(true));
        assert_eq!(json(Text::plain(&nested(MAX_DEPTH + 1))), None);
    }
}
