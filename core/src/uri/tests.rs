use std::format;
use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;

use super::{NO_CODE, TooLong, percent_decode, pointer, resolve, split_fragment};
use crate::text::Text;

fn resolved(base: &str, reference: &str) -> String {
    let mut out = [0xFF; 300];
    let uri = resolve(base.as_bytes(), Text::plain(reference), &mut out).expect("room");
    String::from_utf8(uri.to_vec()).expect("UTF-8")
}

fn tokens(fragment: &str) -> Option<Vec<String>> {
    let name = |token: super::Token<'_>| token.map(|code| char::from_u32(code).unwrap_or('\u{FFFD}')).collect();
    pointer(fragment.as_bytes()).map(|tokens| tokens.map(name).collect())
}

#[test]
fn resolves_the_examples_of_section_5_4() {
    for (reference, uri) in [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // 5.4.2, abnormal ones.
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ] {
        assert_eq!(resolved("http://a/b/c/d;p?q", reference), uri, "{reference}");
        assert_eq!(resolved("http://a/b/c/d;p?q#f/../g?", reference), uri, "{reference}, the base with a fragment");
    }
}

#[test]
fn resolves_what_schemas_use() {
    for (base, reference, uri) in [
        ("http://localhost:1234/", "baseUriChange/", "http://localhost:1234/baseUriChange/"),
        (
            "http://localhost:1234/baseUriChange/",
            "folderInteger.json",
            "http://localhost:1234/baseUriChange/folderInteger.json",
        ),
        (
            "http://localhost:1234/root",
            "baseUriChangeFolder/#/$defs/bar",
            "http://localhost:1234/baseUriChangeFolder/#/$defs/bar",
        ),
        ("http://example.com/schema-relative-uri-defs1.json", "./baseSchema", "http://example.com/baseSchema"),
        ("http://example.com/ref/absref.json", "/absref/foobar.json", "http://example.com/absref/foobar.json"),
        (
            "http://localhost:1234/nested/foo.json",
            "../nested/foo.json#foo",
            "http://localhost:1234/nested/foo.json#foo",
        ),
        ("https://example.com", "schema", "https://example.com/schema"),
        ("https://example.com", "", "https://example.com"),
        ("https://example.com", "#/a", "https://example.com#/a"),
        ("https://example.com?q", "schema", "https://example.com/schema"),
        ("https://example.com/a?q/r", "s", "https://example.com/s"),
        ("file:///folder/file.json", "#/definitions/foo", "file:///folder/file.json#/definitions/foo"),
        ("file:///c:/folder/file.json", "other.json", "file:///c:/folder/other.json"),
        (
            "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed",
            "#/$defs/bar",
            "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed#/$defs/bar",
        ),
        ("urn:uuid:1", "urn:uuid:2#something", "urn:uuid:2#something"),
        ("", "urn:example:1/406/47452/2", "urn:example:1/406/47452/2"),
        ("urn:example:foo-bar?+CCResolve:cc=uk", "#x", "urn:example:foo-bar?+CCResolve:cc=uk#x"),
        ("urn:example:weather?=op=map&t=02:56:15Z", "", "urn:example:weather?=op=map&t=02:56:15Z"),
        ("urn:example:a", "b", "urn:b"),
        ("tag:example.com,2024:schemas/a", "b#c", "tag:example.com,2024:schemas/b#c"),
        ("mailto:a@Example.org", "#x", "mailto:a@Example.org#x"),
        // No base: what is relative stays so, and resolves again.
        ("", "", ""),
        ("", "#/$defs/a", "#/$defs/a"),
        ("", "item.json", "item.json"),
        ("", "./tree", "tree"),
        ("", "nested/foo.json", "nested/foo.json"),
        ("nested/foo.json", "bar.json#x", "nested/bar.json#x"),
        ("tree", "#node", "tree#node"),
        ("", "//h/p", "//h/p"),
        ("//h/p", "q", "//h/q"),
        ("//h", "q", "//h/q"),
        ("/a/b", "../c", "/c"),
        ("", "../c", "c"),
        ("", "..", ""),
        ("http://a/b", "1:c", "http://a/1:c"),
        ("http://a/b", ":c", "http://a/:c"),
    ] {
        assert_eq!(resolved(base, reference), uri, "{reference} on {base}");
    }
}

#[test]
fn normalises_what_section_6_2_2_calls_equal() {
    for (reference, uri) in [
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
        ("HTTP://User@EXAMPLE.com:80/Path?Query#Fragment", "http://User@example.com:80/Path?Query#Fragment"),
        ("http://A%2fB%41/%2F%7euser%2e%2e", "http://a%2Fba/%2F~user.."),
        ("http://a/b/%2e%2E/c", "http://a/c"),
        ("http://a/100%", "http://a/100%"),
        ("http://a/%zz%4", "http://a/%zz%4"),
        ("http://a/%2541", "http://a/%2541"),
        ("http://a/\u{e9}\u{1f600}", "http://a/\u{e9}\u{1f600}"),
        ("#/$defs/foo%22bar", "#/$defs/foo%22bar"),
        ("#/%24defs/%61", "#/%24defs/a"),
        ("URN:Example:A", "urn:Example:A"),
        ("http://a/?x#y#z?/../w", "http://a/?x#y#z?/../w"),
    ] {
        assert_eq!(resolved("", reference), uri, "{reference}");
        assert_eq!(resolved("", uri), uri, "normalised already");
    }
    // Undone once: what comes out is no escape to undo again.
    assert_eq!(resolved("", "/%%341"), "/%41");
}

#[test]
fn reads_json_escapes() {
    let mut out = [0; 40];
    let text = Text::json(br"http:\/\/\u0041\u002e\u00252e/\ud83d\ude00", true);
    assert_eq!(resolve(b"", text, &mut out), Ok("http://a../\u{1f600}".as_bytes()));
}

#[test]
fn says_when_the_buffer_is_short() {
    let (base, reference) = (b"http://a/b/c/d", "../g#f");
    for size in 0..40 {
        let mut out = std::vec![0; size];
        let uri = resolve(base, Text::plain(reference), &mut out);
        // The kept part of the base and the reference stand side by side before the dots go.
        if size < "http://a/b/c/../g#f".len() {
            assert_eq!(uri, Err(TooLong), "{size}");
        } else {
            assert_eq!(uri, Ok(&b"http://a/b/g#f"[..]), "{size}");
        }
    }
}

#[test]
fn splits_fragments() {
    assert_eq!(split_fragment(b"http://a/b#/c#d"), (&b"http://a/b"[..], &b"/c#d"[..]));
    assert_eq!(split_fragment(b"http://a/b#"), (&b"http://a/b"[..], &b""[..]));
    assert_eq!(split_fragment(b"http://a/b"), (&b"http://a/b"[..], &b""[..]));
}

#[test]
fn walks_pointers() {
    for (fragment, names) in [
        ("", &[][..]),
        ("/", &[""]),
        ("/$defs/a", &["$defs", "a"]),
        ("/$defs//$defs/", &["$defs", "", "$defs", ""]),
        ("/slash~1field", &["slash/field"]),
        ("/tilde~0field", &["tilde~field"]),
        ("/~01", &["~1"]),
        ("/percent%25field", &["percent%field"]),
        ("/percent%2525", &["percent%25"]),
        ("/foo%22bar", &["foo\"bar"]),
        ("/a%7E1b", &["a/b"]),
        ("/%C3%A9\u{e9}%F0%9F%98%80", &["\u{e9}\u{e9}\u{1f600}"]),
        ("/a%2Fb%2f", &["a", "b", ""]),
        ("%2Fa", &["a"]),
        ("/a%zz%4", &["a%zz%4"]),
        // Escapes that make no sense match nothing.
        ("/a~2b/~", &["a\u{FFFD}b", "\u{FFFD}"]),
        ("/%C3/%C3%28/%80/%C0%80/%ED%A0%80", &["\u{FFFD}", "\u{FFFD}(", "\u{FFFD}", "\u{FFFD}", "\u{FFFD}"]),
    ] {
        assert_eq!(tokens(fragment).expect("a pointer"), names, "{fragment}");
    }
    for anchor in ["foo", "my_anchor", "a/b", "0/a", "~1a"] {
        assert_eq!(tokens(anchor), None, "{anchor}");
    }
    assert!(percent_decode(b"caf%C3%A9").eq("café".chars().map(u32::from)));
}

#[test]
fn tokens_compare_with_names_and_indices() {
    let first =
        |fragment: &'static str| pointer(fragment.as_bytes()).and_then(|mut tokens| tokens.next()).expect("a token");
    assert!(first("/a~1%C3%A9").equals(Text::json(r"a\/\u00e9".as_bytes(), true)));
    assert!(!first("/a").equals(Text::plain("ab")));
    assert!(!first("/ab").equals(Text::plain("a")));
    assert!(!first("/~2").equals(Text::plain("~2")));
    assert!(first("/~2").any(|code| code == NO_CODE));
    for (fragment, index) in [
        ("/0", Some(0)),
        ("/17", Some(17)),
        ("/%31", Some(1)),
        ("/01", None),
        ("/00", None),
        ("/", None),
        ("/-", None),
        ("/1x", None),
        ("/99999999999999999999999", None),
    ] {
        assert_eq!(first(fragment).index(), index, "{fragment}");
    }
}

/// Whatever a reference is made of, its pieces where they matter.
fn references() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(std::vec![
        "/", "//", ".", "..", "/.", "/..", "?", "#", ":", "@", "%", "%2e", "%2F", "%c3%A9", "a", "B", "urn", "http",
        "é", "~1", "g/h",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// RFC 3986 section 5.2.4, as it is written.
fn without_dots(path: &str) -> String {
    let (mut input, mut output) = (String::from(path), String::new());
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or_else(|| input.strip_prefix("./")) {
            input = rest.into();
        } else if input.starts_with("/./") {
            input.replace_range(..2, "");
        } else if input == "/." {
            input = "/".into();
        } else if input.starts_with("/../") || input == "/.." {
            input = format!("/{}", input.get(4..).unwrap_or_default());
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input.clear();
        } else {
            let end = input.char_indices().skip(1).find(|&(_, c)| c == '/').map_or(input.len(), |(at, _)| at);
            output.extend(input.drain(..end));
        }
    }
    output
}

proptest! {
    #[test]
    fn removes_dots_as_the_specification_says(path in "(/|\\.|\\.\\.|a|b/|/\\.\\./|/\\./){0,12}") {
        let mut bytes = path.clone().into_bytes();
        let length = super::remove_dot_segments(&mut bytes);
        bytes.truncate(length);
        prop_assert_eq!(bytes, without_dots(&path).into_bytes(), "{}", path);
    }

    #[test]
    fn any_reference_resolves_on_any_base(base in references(), reference in references(), size in 0_usize..80) {
        let base = resolved("", &base);
        let whole = resolved(&base, &reference);
        let mut out = std::vec![0; size];
        if let Ok(uri) = resolve(base.as_bytes(), Text::plain(&reference), &mut out) {
            prop_assert_eq!(uri, whole.as_bytes());
        } else {
            prop_assert!(size < base.len() + reference.len() + 1);
        }
        let (uri, fragment) = split_fragment(whole.as_bytes());
        prop_assert!(uri.iter().all(|&byte| byte != b'#'));
        prop_assert!(pointer(fragment).is_none_or(|tokens| tokens.count() <= fragment.len()));
    }

    #[test]
    fn pointers_survive_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        prop_assert!(percent_decode(&bytes).count() <= bytes.len());
        if let Some(tokens) = pointer(&bytes) {
            for token in tokens {
                let _ = token.index();
                prop_assert!(!token.equals(Text::plain("no such name")));
            }
        }
    }
}
