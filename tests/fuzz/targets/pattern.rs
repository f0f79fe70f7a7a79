//! Patterns against `regress`, an ECMA-262 engine that backtracks: the same syntax, and the same verdicts.
//!
//! Input: a byte; then, where that is odd, choices of the generator, else a short pattern, 0xFF, and a short text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::{Pattern, PatternError, PatternErrorKind, Text};
use microschema_fuzz::split;
use microschema_tests::backtrack::is_cheap;
use microschema_tests::generate::Random;
use microschema_tests::patterns::{pattern, text};
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let Some((&mode, rest)) = data.split_first() else { return };
    if mode % 2 == 1 {
        let (text_bytes, pattern_bytes) = rest.split_at(rest.len().min(13));
        let ends = [["", ""], ["^", "$"], ["^", ""], ["", "$"]][usize::from(mode >> 1) % 4];
        let pattern = pattern(&mut Random::from_bytes(pattern_bytes), ends, mode & 64 != 0);
        let mut random = Random::from_bytes(text_bytes);
        let texts: Vec<String> = (0..4).map(|_| text(&mut random)).collect();
        compare(&pattern, &texts);
    } else {
        let (pattern, text) = split(rest);
        let (Ok(pattern), Ok(text)) = (std::str::from_utf8(pattern), std::str::from_utf8(text)) else { return };
        ours_alone(pattern, text);
        if text.len() <= 16 {
            compare(pattern, &[text.to_owned()]);
        }
    }
});

/// Whatever the pattern: an image that holds, and a run that ends.
fn ours_alone(pattern: &str, text: &str) {
    let mut buffer = vec![0; 1 << 16];
    if let Ok(ours) = Pattern::compile(Text::plain(pattern), &mut buffer) {
        assert!(Pattern::from_bytes(ours.as_bytes()).is_some(), "{:?}", ours.as_bytes());
        let plain = ours.is_match(Text::plain(text), &mut 1_000_000);
        // The same as a schema, on the same text with every character escaped.
        let schema = json!({ "pattern": pattern }).to_string();
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        match (microschema::compile(schema.as_bytes(), &mut vec![0; 1 << 16]), plain) {
            (Ok(program), Ok(plain)) => {
                assert_eq!(program.is_valid(format!("\"{escaped}\"").as_bytes()), Ok(plain), "{pattern:?} {text:?}");
            }
            (Ok(_), Err(_)) => {}
            (Err(error), _) => panic!("{pattern:?}: {error}"),
        }
    }
    let _ = Pattern::lenient(Text::plain(pattern)).count();
}

/// Whether this is something that `regress` takes and ECMA-262 with `u` does not (section 22.2.1): an assertion repeated (`\b*`), or a
/// sign among hexadecimal digits (`\u+061`).
fn is_taken_by_mistake(pattern: &str, error: PatternError) -> bool {
    let (before, rest) = pattern.split_at(error.at as usize);
    match error.kind {
        PatternErrorKind::NothingToRepeat => before.ends_with(['b', 'B', '^', '$', ')']),
        PatternErrorKind::Escape => ["\\u+", "\\u{+", "\\x+"].iter().any(|start| rest.starts_with(start)),
        _ => false,
    }
}

/// Whether a half of a surrogate pair is written alone: `regress` takes what is no escape behind it (`\ud83d\u`), refuses what is one
/// (`\ud83d\u{61}`), and does not see that `\ud830*` matches where there is none.
fn has_half_a_pair(pattern: &str) -> bool {
    let unit = |text: &str| u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let braced = |text: &str| u32::from_str_radix(text.strip_prefix("\\u{")?.split_once('}')?.0, 16).ok();
    let mut rest = pattern;
    while let Some(at) = rest.find("\\u") {
        let here = &rest[at..];
        rest = match unit(here).or_else(|| braced(here)) {
            Some(0xD800..=0xDBFF) if matches!(here.get(6..).and_then(unit), Some(0xDC00..=0xDFFF)) => &here[12..],
            Some(0xD800..=0xDFFF) => return true,
            _ => &here[2..],
        };
    }
    false
}

/// Whether a group has a name that is not plain ASCII: any code points beyond are taken there, which need not be those of an identifier.
fn has_a_name_beyond_ascii(pattern: &str) -> bool {
    let mut names = pattern.split("(?<").skip(1).filter_map(|rest| rest.split('>').next());
    names.any(|name| name.contains('\\') || !name.is_ascii())
}

fn compare(pattern: &str, texts: &[String]) {
    if has_half_a_pair(pattern) {
        return;
    }
    let mut buffer = vec![0; 1 << 16];
    let peer = regress::Regex::with_flags(pattern, "u");
    let (peer, ours) = match (peer, Pattern::compile(Text::plain(pattern), &mut buffer)) {
        (Ok(peer), Ok(ours)) => (peer, ours),
        (Err(_), Err(_)) => return,
        (Ok(_), Err(error)) => {
            let is_meant = matches!(
                error.kind,
                PatternErrorKind::TooLarge(_)
                    | PatternErrorKind::LookAround
                    | PatternErrorKind::BackReference
                    | PatternErrorKind::Modifiers
                    | PatternErrorKind::Full
            );
            assert!(is_meant || is_taken_by_mistake(pattern, error), "{pattern:?}: {error:?}");
            return;
        }
        (Err(error), Ok(_)) => {
            let is_lenient = Pattern::lenient(Text::plain(pattern)).next().is_some();
            assert!(is_lenient || has_a_name_beyond_ascii(pattern), "{pattern:?}: {error}");
            return;
        }
    };
    assert!(Pattern::from_bytes(ours.as_bytes()).is_some(), "{pattern:?}: {:?}", ours.as_bytes());
    for text in texts {
        let verdict = ours.is_match(Text::plain(text), &mut (1 << 20));
        assert!(verdict.is_ok(), "{pattern:?} on {text:?}");
        if is_cheap(pattern, text.chars().count()) {
            assert_eq!(verdict, Ok(peer.find(text).is_some()), "{pattern:?} on {text:?}: {:?}", ours.as_bytes());
        }
    }
}
