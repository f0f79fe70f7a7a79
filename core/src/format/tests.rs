//! The official suite's `optional/format`, the public bug cases, and rules that neither has.

use super::{ALL, Format, NAMES, Since};
use crate::text::Text;
use serde_json::Value;
use std::cell::Cell;
use std::format;
use std::path::PathBuf;
use std::string::String;
use std::vec::Vec;
use std::{fs, println};

/// Names of the suite with an A-label that takes the tables of `idn` to be refused. Without them they are let through,
/// as documented.
#[cfg(not(feature = "idn"))]
const NEEDS_TABLES: &[&str] = &[
    "xn--02b508i",
    "xn--07jceefgh4c",
    "xn--07jt112bpxg.xn--9t4b11yi5a",
    "xn--11b2er09f",
    "xn--5db1e",
    "xn--5db3e",
    "xn--A-2hc5h",
    "xn--A-2hc8h",
    "xn--S-jib3p",
    "xn--al-0ea",
    "xn--chb89f",
    "xn--defabc-k64e",
    "xn--hello-6bf",
    "xn--hello-txk",
    "xn--hello-zed",
    "xn--l-fda",
    "xn--l-gda",
    "xn--la-0ea",
    "xn--ngb6iyr",
    "xn--vek",
    "xn--wva3j",
];

fn check(format: Format, text: Text<'_>) -> bool {
    super::check(format, text).expect("no limit")
}

/// The verdict on `text`, the same however it is spelled.
fn verdict(format: Format, text: &str) -> bool {
    let plain = check(format, Text::plain(text));
    let mut escaped = String::new();
    for unit in text.encode_utf16() {
        escaped.push_str(&format!("\\u{unit:04x}"));
    }
    assert_eq!(plain, check(format, Text::json(escaped.as_bytes(), true)), "{format:?} {text:?}, escaped");
    // The shortest spelling, as a JSON writer has it.
    let written = serde_json::to_string(text).expect("a string");
    let content = &written[1..written.len() - 1];
    assert_eq!(plain, check(format, Text::json(content.as_bytes(), true)), "{format:?} {text:?}, as JSON");
    plain
}

fn data() -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("MICROSCHEMA_DATA").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no test data at {}", folder.display());
    println!("skipped: no test data at {}", folder.display());
    None
}

fn read(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Checks one case, and adds to `wrong` what came out differently.
fn run(format: Format, instance: &Value, expected: bool, what: &str, wrong: &mut Vec<String>) {
    let Some(text) = instance.as_str() else { return };
    #[cfg(not(feature = "idn"))]
    if format == Format::Hostname && NEEDS_TABLES.contains(&text) {
        assert!(verdict(format, text) && !expected, "{text} is no longer let through");
        return;
    }
    if verdict(format, text) != expected {
        wrong.push(format!("{what}: {text:?} should be {expected}"));
    }
}

#[test]
fn the_official_suite_agrees() {
    let Some(data) = data() else { return };
    let mut wrong = Vec::new();
    let mut cases = 0;
    for (draft, since) in [
        ("draft4", Since::Draft4),
        ("draft6", Since::Draft6),
        ("draft7", Since::Draft7),
        ("draft2019-09", Since::Draft2019),
        ("draft2020-12", Since::Draft2019),
    ] {
        let folder = data.join("JSON-Schema-Test-Suite/tests").join(draft).join("optional/format");
        for entry in fs::read_dir(folder).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            for group in read(path.clone()).as_array().expect("groups") {
                let name = group["schema"]["format"].as_str().expect("a format");
                let Some(format) = Format::from_name(name.as_bytes()) else {
                    assert_eq!(name, "unknown");
                    continue;
                };
                assert!(format.since() <= since, "{name} in {draft}");
                if !format.supported() || format == Format::Regex {
                    continue;
                }
                for test in group["tests"].as_array().expect("tests") {
                    cases += 1;
                    let what = format!("{draft} {name}, {}", test["description"]);
                    run(format, &test["data"], test["valid"] == true, &what, &mut wrong);
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(cases > 2000, "{cases}");
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_bug_cases_agree() {
    let Some(data) = data() else { return };
    let mut wrong = Vec::new();
    let mut cases = 0;
    for case in read(data.join("bug-cases.json")).as_array().expect("cases") {
        let schema: Value = serde_json::from_str(case["schema_text"].as_str().expect("text")).unwrap_or_default();
        let Some(format) = schema["format"].as_str().and_then(|name| Format::from_name(name.as_bytes())) else {
            continue;
        };
        if case["format_assert"] != true || !format.supported() || format == Format::Regex {
            continue;
        }
        let Ok(instance) = serde_json::from_str(case["instance"].as_str().expect("text")) else { continue };
        cases += 1;
        let what = format!("{} {}", case["id"], case["why"]);
        run(format, &instance, case["valid"] == true, &what, &mut wrong);
    }
    assert!(cases > 40, "{cases}");
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_and_codes_go_both_ways() {
    let named = NAMES.split_ascii_whitespace().count();
    for (code, &format) in ALL.iter().take(named).enumerate() {
        assert_eq!(usize::from(format.code()), code);
        assert_eq!(Format::from_code(format.code()), Some(format));
        assert_eq!(Format::from_name(format.name().as_bytes()), Some(format));
    }
    assert_eq!(Format::from_code(ALL.len() as u8), None);
    assert_eq!(Format::RelativeJsonPointer.name(), "relative-json-pointer");
    for name in ["", " ", "date-time date", "Date", "uint32", "color", "ip-address", "host-name"] {
        assert_eq!(Format::from_name(name.as_bytes()), None, "{name}");
    }
}

/// Rules that neither the suite nor the bug cases reach: (format, valid, invalid).
const RULES: &[(Format, &[&str], &[&str])] = &[
    (
        Format::Time,
        &["00:00:60+00:01", "23:59:60.9999Z", "00:00:00-00:00"],
        &["00:00:00+", "00:00:00.+01:00", "99:99:99Z", "24:59:60+01:00", "00:00:60Z", "00:00:00Z "],
    ),
    (
        Format::Duration,
        &["P00W", "P1Y2M3DT4H", "P1MT1M"],
        &["P1", "P1YT1", "P1DT", "P1W1D", "p1d", "P1Y1Y", "PW", "P1DT1D", "PT1S1S"],
    ),
    (
        Format::Email,
        &["\"\"@a", "\"\\\"\"@a", "\"\\ \\\\\"@a", "a@b-c.1d", "a@[ipV6:2001:db8::1.2.3.4]", "a@xn--x"],
        &[
            "\"@a",
            "\"a\"b@a",
            "\"a\\\"@a",
            "\"\u{7f}\"@a",
            "a@b-",
            "a@-b",
            "a@b..c",
            "a@b.",
            "a@[1.2.3.4",
            "a@[1.2.3.4]b",
            "a@[IPv6:1.2.3.4]",
            "a@[x:y]",
            "é@a",
            "\"é\"@a",
            "a@é",
            "a",
            "",
        ],
    ),
    (Format::IdnEmail, &["é@a", "\"é\"@a", "a@é-é.a"], &["a@-é", "a@é b", "\"\\é\"@a", "é", "a@b."]),
    (
        Format::Hostname,
        &["a", "0", "1.2.3.4", "A-b.C", "XN--BCHER-KVA", "xn--bcher-kva.x"],
        &["a b", "a_b", "a.-b", "a/b", "xn--", "xn---", "xn--bcher-kv", "xn--bcher-kva-", "xn--99999999", "bücher"],
    ),
    (Format::Ipv4, &["1.2.3.4"], &["1.2.3.4.", "1.2.3.", "00.0.0.0", "1.2.3.99999999999", "1,2,3,4"]),
    (
        Format::Ipv6,
        &["1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "A:b::"],
        &[
            "",
            ":",
            ":::",
            "::1::",
            "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:9",
            "1.2.3.4::",
            "::1.2.3",
            "::1.2.3.4:5",
            "::12345",
            "1:",
        ],
    ),
    (
        Format::Uri,
        &[
            "a:",
            "a+b-c.1:",
            "a://",
            "a://:",
            "a://b:/",
            "a:///",
            "a:?",
            "a:#",
            "a:?#?/",
            "a://[v1.a:b]",
            "a://u:p@[::1.2.3.4]:0?",
            "a:b:c@d",
            "a:%00",
        ],
        &[
            "",
            ":",
            "a",
            "a://[",
            "a://[]",
            "a://[::1",
            "a://[::1]x",
            "a://[v.a]",
            "a://[v1.]",
            "a:#a#b",
            "a://b:c",
            "a:[",
            "a:%0",
            "a:é",
            "1:",
        ],
    ),
    (
        Format::UriReference,
        &["", "?", "#", "a/b:c", "//a:1", "%41", "///"],
        &[":a", "a%:b", "//a:b", "##", "//[::1]]", "a b"],
    ),
    (
        Format::Iri,
        &["a:é", "a:?\u{e000}", "a:?é\u{f0000}/?", "a://é@é", "a:\u{e1000}"],
        &[
            "é:a",
            "a:\u{e000}",
            "a:#\u{e000}",
            "a:\u{fdd0}",
            "a:\u{fffe}",
            "a:\u{1ffff}",
            "a:\u{80}",
            "a:\u{e0001}",
            "a://[vé.é]",
            "a://b:é",
        ],
    ),
    (Format::IriReference, &["é", "é/é:é", "?\u{10fffd}"], &["é:é", "\u{10ffff}"]),
    (
        Format::UriTemplate,
        &["{=a}", "{|a}", "{a:9999,b*}", "{%41%42.c_1}", "é\u{e000}"],
        &[
            "{", "}", "{a", "{a:}", "{a*:1}", "{a:1*}", "{.}", "{a.}", "{%4}", "%4", "{a b}", "{é}", "{{a}}", "\u{0}",
            "\\", "\u{fdd0}",
        ],
    ),
    (Format::Uuid, &[], &["", "2eb8aa08-aa98-11ea-b4aa-73b441d163800"]),
    (Format::JsonPointer, &["/~0~1", "/\u{0}\"\\é😀"], &["~0", "/~", "/~é", " /"]),
    (Format::RelativeJsonPointer, &["0", "10/~1"], &["00", "0#/", "0a", "#", "0+1", "0-1/a", "1 "]),
];

#[test]
fn rules_beyond_the_suite() {
    for &(format, valid, invalid) in RULES {
        for text in valid {
            assert!(verdict(format, text), "{format:?} should take {text:?}");
        }
        for text in invalid {
            assert!(!verdict(format, text), "{format:?} should not take {text:?}");
        }
    }
}

#[test]
fn lengths_are_bounded_where_the_standards_bound_them() {
    let labels = |last: usize| format!("{0}.{0}.{0}.{1}", "a".repeat(63), "a".repeat(last));
    assert!(verdict(Format::Hostname, &labels(61)));
    assert!(!verdict(Format::Hostname, &labels(62)));
    assert!(verdict(Format::Email, &format!("{}@{}", "a".repeat(64), labels(61))));
    assert!(!verdict(Format::Email, &format!("{}@a", "a".repeat(65))));
    assert!(!verdict(Format::Email, &format!("a@{}", "a".repeat(64))));
    // The quotes and backslashes count, and octets do, not code points.
    assert!(verdict(Format::Email, &format!("\"{}\"@a", "\\\"".repeat(31))));
    assert!(!verdict(Format::Email, &format!("\"{}a\"@a", "\\\"".repeat(31))));
    assert!(verdict(Format::IdnEmail, &format!("{}@a", "é".repeat(32))));
    assert!(!verdict(Format::IdnEmail, &format!("{}a@a", "é".repeat(32))));
}

#[cfg(feature = "idn")]
#[test]
fn names_beyond_ascii() {
    for text in
        ["bücher.de", "BCHER.de", "xn--bcher-kva", "XN--BCHER-KVA\u{3002}x", "a.א1", "א.ב", "1.2", "faß", "日本語"]
    {
        assert!(verdict(Format::IdnHostname, text), "{text:?}");
    }
    // Capitals and widths that IDNA leaves to a mapping before it; reserved labels; a direction that another label
    // brings in.
    for text in
        ["Bücher.de", "ab--c", "xn--bücher", "ａ", "1.א", "a1-.א", "xn--4dbcagdahymbxekheh6e0a7fei0b.1a", "", "ü_"]
    {
        assert!(!verdict(Format::IdnHostname, text), "{text:?}");
    }
    // U+0080, in a canonical A-label.
    assert!(!verdict(Format::Hostname, "xn--a"));
    // The name is as long as its A-labels.
    let label = "ü".repeat(50);
    assert!(verdict(Format::IdnHostname, &label));
    assert!(!verdict(Format::IdnHostname, &[label.as_str(); 5].join(".")));
}

std::thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Called by the cursor for each code point that it reads.
pub(super) fn count_step() {
    STEPS.set(STEPS.get() + 1);
}

/// Hostile texts: every beginning that leads deep into some grammar, with everything that could make it come back.
#[test]
fn reads_a_text_at_most_twice() {
    const START: &[&str] = &[
        "",
        "a:",
        "a://",
        "a://u@",
        "//",
        "//[",
        "//[v1.",
        "a:?",
        "#",
        "P",
        "PT",
        "1/",
        "/",
        "a@",
        "a@[IPv6:",
        "\"",
        "{",
        "{a",
        "{a:",
        "xn--",
        "1.",
        "::",
        "2020-01-01T00:00:00.",
        "00:00:00.",
    ];
    const AGAIN: &[&str] = &[
        "a", "1", "a.", "a-", ".", ":", "1:", "::", "/", "%41", "%", "%4", "@", "a@", "[", "]", "~0", "~", "\"",
        "\\\"", "{a}", "a,", "1D", "é", "\u{e000}", "😀",
    ];
    const TIMES: usize = 1000;
    for &format in ALL.iter().filter(|&&format| format != Format::Regex) {
        for (start, again) in START.iter().flat_map(|start| AGAIN.iter().map(move |again| (start, again))) {
            let text = format!("{start}{}", again.repeat(TIMES));
            STEPS.set(0);
            let _ = super::check(format, Text::plain(&text));
            let (steps, length) = (STEPS.get(), text.chars().count());
            assert!(steps <= 2 * length + 16, "{format:?} {start:?} {again:?}: {steps} steps for {length} code points");
            if matches!(format, Format::Hostname | Format::IdnHostname) {
                assert!(steps <= 256, "{format:?} {start:?} {again:?}: {steps} steps");
            }
        }
    }
}

/// Pieces of every grammar, for texts that get far before they go wrong.
const PIECES: &[&str] = &[
    "a",
    "b-c",
    "-",
    ".",
    ":",
    "::",
    "/",
    "//",
    "[",
    "]",
    "@",
    "%4A",
    "%",
    "?",
    "#",
    "1",
    "0",
    "60",
    "2020-02-29",
    "T",
    "23:59:60",
    "Z",
    "+00:00",
    "P",
    "W",
    "Y",
    "M",
    "D",
    "H",
    "S",
    "xn--",
    "bcher-kva",
    "zz9",
    "\"",
    "\\",
    "{",
    "}",
    ",",
    "*",
    "~0",
    "~",
    "255",
    "ffff",
    "é",
    "e\u{301}",
    "א",
    "٠",
    "\u{200c}",
    "\u{94d}",
    "क",
    "・",
    "か",
    "\u{3002}",
    "\u{e000}",
    "😀",
    "\n",
    " ",
];

proptest::proptest! {
    /// No spelling changes a verdict, and no text makes a parser panic.
    #[test]
    fn no_spelling_matters(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12)) {
        let text = pieces.concat();
        for format in ALL {
            verdict(format, &text);
        }
    }
}
