//! The module's own rules; verdicts against another engine are in the `tests` package.

use super::{Pattern, PatternErrorKind, PatternLimit, is_match, parse_only, verify};
use crate::text::Text;
use std::format;
use std::string::String;
use std::vec::Vec;

fn matches(pattern: &str, text: &str) -> bool {
    let mut buffer = [0; 16384];
    let pattern = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap_or_else(|e| panic!("{pattern}: {e:?}"));
    assert!(Pattern::from_bytes(pattern.as_bytes()).is_some(), "{:?}", pattern.as_bytes());
    pattern.is_match(Text::plain(text), &mut 1_000_000_000).unwrap()
}

fn error(pattern: &str) -> PatternErrorKind {
    Pattern::compile(Text::plain(pattern), &mut [0; 16384]).expect_err(pattern).kind
}

#[test]
fn anchors_and_search() {
    for (pattern, text, verdict) in [
        ("", "", true),
        ("", "x", true),
        ("es", "expression", true),
        ("es", "exprsion", false),
        ("^b", "a\nb", false),
        ("^[a-z]+$", "slug\n", false),
        ("^[a-z]+$", "slug", true),
        ("a|b$", "ac", true),
        ("a|b$", "xb", true),
        ("a|b$", "bx", false),
        ("a$b", "a$b", false),
        ("\\$5$", "US$5", true),
        ("\\.md$", "read.me.md", true),
        ("\\.md$", "read.md.me", false),
        ("^(?:ab|cd)+$", "abcdab", true),
        ("^(?:ab|cd)+$", "abcda", false),
        ("^a*$", "aaa", true),
        ("^a*$", "abc", false),
        ("[0-9]{2,}", "a31b", true),
        ("[0-9]{2,}", "a3b1", false),
        ("^.$", "🦊", true),
        ("^[🦊-🦌]$", "🦋", true),
        ("^\\ud83e\\udd8a{2}$", "🦊🦊", true),
        ("^\\u{1F98A}{2}$", "🦊🦊", true),
        ("^[\\w.]+$", "café", false),
        ("\\bcaf\\b", "café", true),
        ("^[^x]$", "🐟", true),
        ("^\\cJ$", "\n", true),
        ("^\\x41\\t\\0$", "A\t\0", true),
        ("^https?://", "https://x", true),
        ("^https?://", "http:/x", false),
        ("^[.\\-A-Za-z0-9]+([=!,]{1,2}[./\\-A-Za-z0-9]+)+$", "a=b,,c!d", true),
        ("^[.\\-A-Za-z0-9]+([=!,]{1,2}[./\\-A-Za-z0-9]+)+$", "a=b,,,c!d", false),
        ("^[a-zA-Z0-9._]+(?:[-._a-zA-Z0-9]*)$", "a-b", true),
        ("^[a-zA-Z0-9._]+(?:[-._a-zA-Z0-9]*)$", "-a-b", false),
    ] {
        assert_eq!(matches(pattern, text), verdict, "{pattern} {text:?}");
    }
}

#[test]
fn looks_around() {
    for (pattern, text, verdict) in [
        ("^(?=.*[0-9])(?=.*[a-z]).{6,}$", "abc123", true),
        ("^(?=.*[0-9])(?=.*[a-z]).{6,}$", "abcdef", false),
        ("^(?=.*[0-9])(?=.*[a-z]).{6,}$", "abc12", false),
        ("^(?!.*ab)[a-c]+$", "acbab", false),
        ("((?:b+)+)+(?:ab|b)+$", "bbb", true),
        ("^[a-z](?:[a-z-]*[a-z])?$", "a", true),
        ("^[a-z](?:[a-z-]*[a-z])?$", "ab", true),
        ("^[a-z](?:[a-z-]*[a-z])?$", "a-b--c", true),
        ("^[a-z](?:[a-z-]*[a-z])?$", "a-", false),
        ("^[a-z](?:[a-z-]*[a-z])?$", "ab-", false),
        ("^[a-z](?:[a-z-]*[a-z])?$", "-a", false),
        ("^[a-z](?:[a-z-]*[a-z])?$", "aé", false),
        ("^[a-z](?:[a-z-]{0,2}[a-z])?(?:\\.[a-z](?:[a-z-]{0,2}[a-z])?)*$", "ab-c.d.e--f", true),
        ("^[a-z](?:[a-z-]{0,2}[a-z])?(?:\\.[a-z](?:[a-z-]{0,2}[a-z])?)*$", "ab-c.d.e---f", false),
        ("^[a-z](?:[a-z-]{0,2}[a-z])?(?:\\.[a-z](?:[a-z-]{0,2}[a-z])?)*$", "ab-.d", false),
        ("^[a-z](?:[a-z-]{0,2}[a-z])?-$", "ab-", true),
        ("^-(?:[a-z-]*[a-z])?$", "-", true),
        ("^-(?:[a-z-]*[a-z])?$", "--", false),
        ("^(?=a|b$)(?!ab)", "ac", true),
        ("^(?=a|b$)(?!ab)", "ab", false),
        ("^(?=a|b$)(?!ab)", "bc", false),
        ("^(?=a|b$)(?!ab)", "b", true),
        ("^(?=ab)(?!ac+$)a|c$", "abx", true),
        ("^(?=ab)(?!ac+$)a|c$", "xc", true),
        ("^(?=ab)(?!ac+$)a|c$", "acc", true),
        ("^(?=ab)(?!ac+$)a|c$", "ad", false),
        ("^(?!.*ab)[a-c]+$", "acbaacb", true),
        ("(?<=ab+)c", "xabbbc", true),
        ("(?<=ab+)c", "xbbbc", false),
        ("(?<!ab+)c", "xabbbc", false),
        ("(?<!ab+)c", "xbbbc", true),
        ("(?<=ab)c(?=d+e)", "abcdde", true),
        ("(?<=ab)c(?=d+e)", "abcddx", false),
        ("(?<=ab)c(?=d+e)", "acdde", false),
        ("(?<=^a+)b(?=cd)", "aabcd", true),
        ("(?<=^a+)b(?=cd)", "aabcx", false),
        ("(?<=^a+)b(?=cd)", "xaabcd", false),
        ("^(?:(?!--)[a-z-])+$", "a-b-c", true),
        ("^(?:(?!--)[a-z-])+$", "a--c", false),
        ("^(?=(?!aa).*b)a", "ab", true),
        ("^(?=(?!aa).*b)a", "aab", false),
        ("(?=a)b", "ab", false),
        ("(?!)", "ab", false),
        ("(?=)", "ab", true),
        ("^(?!\\.)[a-z.]+(?<!\\.)$", "a.b", true),
        ("^(?!\\.)[a-z.]+(?<!\\.)$", "a.b.", false),
        ("^(?!\\.)[a-z.]+(?<!\\.)$", ".a.b", false),
        ("(?<=x(?=ab.{2,40}z))ab", "..xab--z", true),
    ] {
        assert_eq!(matches(pattern, text), verdict, "{pattern} {text:?}");
    }
    assert_eq!(error("(?<=a+)b(?=.*c)"), PatternErrorKind::LookAround);
}

#[test]
fn counts() {
    let a = |n| "a".repeat(n);
    for (pattern, n, verdict) in [
        ("^[a-f]{1001}$", 1001, true),
        ("^[a-f]{1001}$", 1000, false),
        ("^[a-f]{1001}$", 1002, false),
        ("^.{1,1024}$", 1024, true),
        ("^.{1,1024}$", 1025, false),
        ("^.{1,1024}$", 0, false),
        ("^[^\\n]{2,10000}$", 1, false),
        ("^[^\\n]{2,10000}$", 2, true),
        ("^a{0,1000000}$", 77, true),
        ("^((a{50}){50}){50}$", 125, false),
        ("^a(?:a{3,70}|b)$", 71, true),
        ("^a(?:a{3,70}|b)$", 72, false),
        ("^a(?:a{3,70}|b)$", 3, false),
        ("^a?a{3,70}$", 71, true),
        ("^a?a{3,70}$", 72, false),
        ("^a?a{3,70}$", 2, false),
        ("^a*a{100}$", 100, true),
        ("^a*a{100}$", 99, false),
        ("a{100,200}", 100, true),
        ("a{100,200}", 99, false),
        ("a{9}$", 9, true),
        ("a{9}$", 8, false),
        ("^(?:a{7})*$", 49, true),
        ("^(?:a{7})*$", 48, false),
        ("^(?:a{7}|a{11})*$", 18, true),
        ("^(?:a{7}|a{11})*$", 17, false),
        ("^(?:a{7,}b?)*$", 6, false),
        ("^(?:a{7,}b?)*$", 20, true),
    ] {
        assert_eq!(matches(pattern, &a(n)), verdict, "{pattern} {n}");
    }
    assert_eq!(error("(?:ab{2}c){400}"), PatternErrorKind::TooLarge(PatternLimit::Code));
    assert_eq!(error("x?a{30000}"), PatternErrorKind::TooLarge(PatternLimit::Counters));
}

#[test]
fn classes_that_outgrow_the_image_are_refused() {
    let many: String = (0..8_000).map(|n| format!("\\u{{{:x}}}", 0x400 + 130 * n)).collect();
    let properties: [(&str, &[u8]); 2] = [("A", many.as_bytes()), ("B", b"\\u{411}-\\u{419}")];
    let compiled = |pattern: &str| {
        let mut buffer = std::vec![0; 1 << 19];
        let mut arena = crate::arena::Arena::new(&mut buffer);
        super::compile(Text::plain(pattern), &properties, &mut arena).map_err(|error| error.kind)?;
        assert!(verify(arena.finish()), "{pattern}");
        Ok(())
    };
    let too_large = Err(PatternErrorKind::TooLarge(PatternLimit::Classes));
    assert_eq!(compiled("\\p{A}\\p{A}\\P{A}[\\p{A}]"), Ok(()));
    assert_eq!(compiled("\\p{A}[\\p{A}\\p{B}][\\p{A}é]"), too_large);
    // However many of them are the same.
    let ranges = Err(PatternErrorKind::TooLarge(PatternLimit::Ranges));
    assert_eq!(compiled("\\p{A}\\p{A}\\p{A}\\p{A}\\p{A}"), ranges);
    assert_eq!(compiled("[\\p{A}\\p{A}\\p{A}\\p{A}\\p{A}]"), ranges);
    let classes =
        |count| (0..count).map(|c| format!("[ac{}]", char::from_u32(0x4E00 + c).unwrap())).collect::<String>();
    assert_eq!(compiled(&classes(64)), Ok(()));
    assert_eq!(compiled(&classes(65)), too_large);
}

#[test]
fn refuses() {
    for (pattern, kind) in [
        ("^(abc]", PatternErrorKind::UnterminatedGroup),
        ("a)", PatternErrorKind::UnmatchedParenthesis),
        ("[a", PatternErrorKind::UnterminatedClass),
        ("[z-a]", PatternErrorKind::RangeOrder),
        ("*a", PatternErrorKind::NothingToRepeat),
        ("a**", PatternErrorKind::NothingToRepeat),
        ("^*", PatternErrorKind::NothingToRepeat),
        ("(?=a)*", PatternErrorKind::NothingToRepeat),
        ("a{5,2}", PatternErrorKind::Quantifier),
        ("a{,3}", PatternErrorKind::Quantifier),
        ("(?P<y>[0-9])", PatternErrorKind::GroupKind),
        ("(?#c)", PatternErrorKind::GroupKind),
        ("(?i)abc", PatternErrorKind::GroupKind),
        ("(?i:abc)", PatternErrorKind::Modifiers),
        ("(?<a>x)(?<a>y)", PatternErrorKind::GroupName),
        ("\\a", PatternErrorKind::Escape),
        ("\\x{00a1}", PatternErrorKind::Escape),
        ("\\Z", PatternErrorKind::Escape),
        ("\\01", PatternErrorKind::Escape),
        ("\\k<a>(?<b>c)", PatternErrorKind::Escape),
        ("(a)\\1", PatternErrorKind::BackReference),
        ("(?<a>x)\\k<a>", PatternErrorKind::BackReference),
        ("\\p{Nonsense}", PatternErrorKind::UnicodeProperty),
        ("\\p{=L}", PatternErrorKind::UnicodeProperty),
        ("\\p{L=}", PatternErrorKind::UnicodeProperty),
        ("\\p{gc=}", PatternErrorKind::UnicodeProperty),
        ("\\p{=}", PatternErrorKind::UnicodeProperty),
        ("\\p{gc=L=L}", PatternErrorKind::UnicodeProperty),
        ("[\\p{=Alphabetic}]", PatternErrorKind::UnicodeProperty),
    ] {
        assert_eq!(error(pattern), kind, "{pattern}");
    }
    assert!(matches("(?<a>x)|(?<a>y)", "y"));
    assert!(parse_only(Text::plain("(?<n>a)\\k<n>(b)\\2")).is_ok());
    assert!(parse_only(Text::plain("(?<n>a)\\3")).is_err());
    assert!(parse_only(Text::plain("(?:(?<n>a)|(?<m>b)(?<n>c))")).is_ok());
    assert!(parse_only(Text::plain("(?:(?<n>a)|b)(?<n>c)")).is_err());
    // Whatever is around them, and whether what lies between can be repeated.
    for [open, close] in
        [["", ""], ["(?:", ")"], ["(", ")"], ["(?=", ")"], ["(?!", ")"], ["(?<=", ")"], ["(?<!", ")"], ["(?=x(", "))"]]
    {
        for between in ["", "+", "*x", "{2}(?:y)?", "(?:z)+", "(?=z)", "+(?=z(y)+)w"] {
            let pattern = |with: &str| std::format!("{open}(?<n>a){between}{with}(?<n>c){close}");
            assert_eq!(
                parse_only(Text::plain(&pattern(""))).unwrap_err().kind,
                PatternErrorKind::GroupName,
                "{}",
                pattern("")
            );
            assert!(parse_only(Text::plain(&pattern("|"))).is_ok(), "{}", pattern("|"));
        }
    }
}

/// Names are looked up all over the pattern; what is wrong elsewhere stays there.
#[test]
fn places_of_errors_are_their_own() {
    for (pattern, kind, at) in [
        ("(?<a>b)c**", PatternErrorKind::NothingToRepeat, 9),
        ("(?<a>b)(?<c>d)[z-a]", PatternErrorKind::RangeOrder, 15),
        ("(?<a>b)\\b?", PatternErrorKind::NothingToRepeat, 9),
        ("(?<a>b)(?<a>c)**", PatternErrorKind::GroupName, 0),
    ] {
        let error = Pattern::compile(Text::plain(pattern), &mut [0; 1024]).unwrap_err();
        assert_eq!((error.kind, error.at), (kind, at), "{pattern}");
    }
    assert_eq!(parse_only(Text::plain("(?<a>b)\\k<a>*c**")).unwrap_err().at, 15);
}

#[test]
fn reads_leniently_what_is_certain() {
    for (pattern, places, text) in [
        ("^https\\:\\/\\/", &[6][..], "https://"),
        ("^\\${{.*}}$", &[3, 4, 7, 8], "${{x}}"),
        ("^[\\w-.]+$", &[4], "a-b.c"),
        ("^\\-?\\d]$", &[1, 6], "-1]"),
    ] {
        assert!(matches(pattern, text), "{pattern}");
        assert_eq!(Pattern::lenient(Text::plain(pattern)).collect::<Vec<_>>(), places, "{pattern}");
        assert!(parse_only(Text::plain(pattern)).is_err());
    }
}

#[test]
fn same_verdict_over_escaped_text() {
    let escape = |text: &str| text.encode_utf16().map(|u| format!("\\u{u:04x}")).collect::<String>();
    for pattern in ["^.[b-y]+$", "\\bé\\b", "z$", "(?<=é.)z", "^(?=.*y).*z", "🦊"] {
        for text in ["aby", "é z", "éyz", "é", "🦊", "\\\\", "a🦊z", ""] {
            let escaped = escape(text);
            let mut buffer = [0; 1024];
            let compiled = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap();
            let mut buffer = [0; 1024];
            let other = escape(pattern);
            let other = Pattern::compile(Text::json(other.as_bytes(), true), &mut buffer).unwrap();
            assert_eq!(compiled.as_bytes(), other.as_bytes());
            assert_eq!(
                compiled.is_match(Text::plain(text), &mut 10_000),
                compiled.is_match(Text::json(escaped.as_bytes(), true), &mut 10_000),
                "{pattern} {text}"
            );
        }
    }
}

/// Steps that a match over `n` times `unit` and then `end` takes.
fn steps(pattern: &str, unit: &str, n: usize, end: &str) -> usize {
    let mut buffer = [0; 4096];
    let pattern = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap();
    let text = format!("{}{end}", unit.repeat(n));
    let mut left = usize::MAX;
    pattern.is_match(Text::plain(&text), &mut left).unwrap();
    usize::MAX - left
}

#[test]
fn steps_are_linear_in_the_text() {
    for (pattern, unit) in [
        ("^(a+)+$", "a"),
        ("^((a+)+)+$", "a"),
        ("^(a|aa)*$", "a"),
        ("^(a|a)*$", "a"),
        ("^(?=a)(a|a)*$", "a"),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a"),
        ("^(x+x+)+y$", "x"),
        ("(x+x+)+y", "x"),
        ("(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]$", "a"),
        ("a{20,40}b", "a"),
        ("(?=.*b)(?=.*c)(?<=a)d", "a"),
        ("(?<=a.{0,200})b(?=cd)", "a"),
        ("(?!a{100}b)a", "b"),
    ] {
        let (short, long) = (steps(pattern, unit, 500, "!"), steps(pattern, unit, 5000, "!"));
        assert!(long < 11 * short, "{pattern}: {short} {long}");
        assert!(short < 500 * (pattern.len() + 300), "{pattern}: {short}");
    }
}

#[cfg(feature = "unicode")]
#[test]
fn properties() {
    for (pattern, text, verdict) in [
        ("^\\p{Letter}+$", "Helloπ", true),
        ("^\\p{Letter}+$", "123", false),
        ("^\\p{digit}+$", "42৪২", true),
        ("^\\P{L}+$", "42-", true),
        ("^[\\p{Lu}\\d]+$", "ŁÓ1", true),
        ("^[^\\p{Lu}\\d]+$", "łó", true),
        ("^[^\\P{Lu}]+$", "ŁÓ", true),
        ("\\p{sc=Greek}\\p{scx=Greek}", "aπͅ", true),
        ("^\\p{Emoji_Presentation}$", "🦊", true),
    ] {
        assert_eq!(matches(pattern, text), verdict, "{pattern} {text:?}");
    }
}

/// The class of `pattern`, which is nothing else, code point by code point.
fn members(pattern: &str, properties: &[(&str, &[u8])]) -> Vec<u32> {
    let mut buffer = std::vec![0; 1 << 16];
    let mut arena = crate::arena::Arena::new(&mut buffer);
    super::compile(Text::plain(pattern), properties, &mut arena).unwrap_or_else(|e| panic!("{pattern}: {e:?}"));
    let image = arena.finish();
    assert!(verify(image), "{pattern} {image:x?}");
    let image = super::program::Image::parse(image).unwrap();
    some().filter(|&c| image.consumes(image.code[0], c)).collect()
}

/// Enough code points to tell sets apart.
fn some() -> impl Iterator<Item = u32> {
    (0..=0x10_FFFF).filter(|c| *c < 0x4000 || c % 251 == 0 || *c > 0x10_FFF0)
}

#[test]
fn properties_that_are_given() {
    let many: String =
        (0..300).map(|n| format!("\\u{{{:x}}}-\\u{{{:x}}}", 0x60 + 50 * n, 0x60 + 50 * n + n % 40)).collect();
    let in_many = |c: u32| (0..300).any(|n| (0x60 + 50 * n..=0x60 + 50 * n + n % 40).contains(&c));
    let properties =
        [("Few", "a-c\\u{e9}".as_bytes()), ("Many", many.as_bytes()), ("None", b""), ("Any", b"\\0-\\u{10ffff}")];
    let few = |c: u32| (0x61..=0x63).contains(&c) || c == 0xE9;
    let all = |has: &dyn Fn(u32) -> bool| some().filter(|&c| has(c)).collect::<Vec<_>>();
    for (pattern, expected) in [
        ("\\p{Few}", all(&few)),
        ("\\P{Few}", all(&|c| !few(c))),
        ("[^\\p{Few}]", all(&|c| !few(c))),
        ("[\\P{Few}b]", all(&|c| !few(c) || c == 0x62)),
        ("\\p{Many}", all(&in_many)),
        ("[^\\p{Many}\\p{Few}\\s]", all(&|c| !in_many(c) && !few(c) && !is_space(c))),
        ("[\\P{Many}\\P{Few}]", all(&|c| !in_many(c) || !few(c))),
        ("[\\p{None}x]", all(&|c| c == 0x78)),
        ("\\P{None}", all(&|_| true)),
        ("\\p{Any}", all(&|_| true)),
    ] {
        assert!(members(pattern, &properties) == expected, "{pattern}");
    }
    // What is no set of code points, or in another order where all else is meant.
    for (set, pattern) in
        [("a]", "\\p{X}"), ("b-a", "\\p{X}"), ("\\p{X}", "\\p{X}"), ("\\w", "\\p{X}"), ("ba", "\\P{X}")]
    {
        let mut buffer = [0; 1024];
        let error =
            super::compile(Text::plain(pattern), &[("X", set.as_bytes())], &mut crate::arena::Arena::new(&mut buffer));
        assert_eq!(error.unwrap_err().kind, PatternErrorKind::UnicodeProperty, "{set}");
    }
}

fn is_space(c: u32) -> bool {
    matches!(c, 9..=13 | 32 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF)
}

#[test]
fn classes_code_point_by_code_point() {
    let all = |has: &dyn Fn(u32) -> bool| some().filter(|&c| has(c)).collect::<Vec<_>>();
    let line_end = |c: u32| matches!(c, 0xA | 0xD | 0x2028 | 0x2029);
    for (pattern, expected) in [
        ("\\s", all(&is_space)),
        ("\\S", all(&|c| !is_space(c))),
        ("[\\s\\S]", all(&|_| true)),
        ("[^\\s\\S]", all(&|_| false)),
        ("[\\S ]", all(&|c| !is_space(c) || c == 0x20)),
        (".", all(&|c| !line_end(c))),
        ("[^\\n\\r\\u2028\\u2029]", all(&|c| !line_end(c))),
        ("[\\u{80}-\\u{9f}]", all(&|c| (0x80..0xA0).contains(&c))),
        ("[^\\u{80}-\\u{9f}]", all(&|c| !(0x80..0xA0).contains(&c))),
        ("[\\x00-\\u{10fffe}]", all(&|c| c < 0x10_FFFF)),
        ("[z-é\\u{b0}-\\u{100}ß-ü]", all(&|c| (0x7A..=0x100).contains(&c))),
        // What follows a class is not part of it.
        ("[^b-d][ö-ü]", all(&|c| !(0x62..=0x64).contains(&c))),
        ("[b-d][ö-ü]", all(&|c| (0x62..=0x64).contains(&c))),
        ("[ö-üa-é]", all(&|c| (0x61..=0xE9).contains(&c) || (0xF6..=0xFC).contains(&c))),
        ("[\\u{200}-\\u{2ff}\\u{100}-\\u{1ff}]", all(&|c| (0x100..0x300).contains(&c))),
        ("[\\W\\d]", all(&|c| !char::from_u32(c).is_some_and(|c| c.is_ascii_alphabetic() || c == '_'))),
    ] {
        assert!(members(pattern, &[]) == expected, "{pattern}");
    }
}

#[test]
fn equal_classes_are_one() {
    for (pattern, classes) in [("[é-ü][ý-üé-üü]", 1), ("[^\\n\\r\\u2028\\u2029]", 0), ("[\\S][^\\S]\\P{X}[^\\p{X}]", 1)]
    {
        let pattern = pattern.replace("ý-ü", "é-í");
        let mut buffer = [0; 1024];
        let mut arena = crate::arena::Arena::new(&mut buffer);
        super::compile(Text::plain(&pattern), &[("X", b"a")], &mut arena).unwrap();
        assert_eq!(super::program::Image::parse(arena.finish()).unwrap().classes, classes, "{pattern}");
    }
}

#[cfg(not(feature = "unicode"))]
#[test]
fn properties_are_refused_without_their_tables() {
    assert_eq!(error("\\p{Letter}"), PatternErrorKind::UnicodeProperty);
    assert!(parse_only(Text::plain("\\p{Letter}")).is_ok());
}

#[test]
fn damaged_images_are_harmless() {
    let mut random = 0x9E37_79B9u32;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random as usize
    };
    let mut passed = 0;
    for pattern in [
        "^[a-z][a-z0-9_]{0,15}$",
        "(today|tomorrow|\\d{4}-\\d{2})é?",
        "^(?=.*[0-9])(?!.*b{7,90}).{6,}$",
        "(?<=a[bc]+)c(?=d.e)",
        "^(?:a{7}|[^\\s🦊-🦌]{3,60})*\\b$",
        "^(ab?|c)+(\\.[x-z]{9})*$",
    ] {
        let mut buffer = [0; 2048];
        let image = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap().as_bytes().to_vec();
        assert!(verify(&image));
        for _ in 0..2000 {
            let mut image = image.clone();
            for _ in 0..1 + next() % 3 {
                let at = next() % image.len();
                image[at] = if next() % 4 == 0 { image[at] ^ 1 << (next() % 8) } else { next() as u8 };
            }
            if next() % 8 == 0 {
                image.truncate(next() % image.len());
            }
            passed += usize::from(verify(&image));
            for text in ["today 2026-11é", "abcbcdxe", "aaaaaaab12 bbbbbbb 🦊"] {
                // Neither a panic nor an endless loop; the verdict is anyone's guess.
                let mut steps = 100_000;
                let _ = is_match(&image, Text::plain(text), &mut steps);
                assert!(steps > 0, "{image:?}");
            }
        }
    }
    assert!(passed > 100, "{passed}");
}

#[test]
fn steps_are_linear_in_the_pattern() {
    for part in ["(?:a|b|ab)*x?", "(?:(?:a+)+b*)*x?", "(?=.*b)a*"] {
        let [short, long] = [3, 12].map(|n| steps(&format!("^{}c$", part.repeat(n)), "ab", 300, "!"));
        assert!(long < 6 * short, "{part}: {short} {long}");
    }
}
