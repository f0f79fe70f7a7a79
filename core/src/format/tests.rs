//! The official suite's `optional/format`, the public bug cases, and rules that neither has.

use super::{ALL, Format, Since, check};
use crate::text::Text;
use serde_json::Value;
use std::format;
use std::path::PathBuf;
use std::string::String;
use std::vec::Vec;
use std::{fs, println};

/// Labels that only the tables of `idn` tell from good ones.
#[cfg(not(feature = "idn"))]
const NEEDS_TABLES: &[&str] = &[];

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
        let Some(format) = schema["format"].as_str().and_then(|name| Format::from_name(name.as_bytes())) else { continue };
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
    for (code, &format) in ALL.iter().enumerate() {
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
