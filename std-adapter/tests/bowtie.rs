//! `microschema bowtie`: a dialogue as Bowtie leads it.

mod common;

use common::run;
use serde_json::{Value, json};

/// The answers to the lines of a dialogue.
fn dialogue(arguments: &[&str], lines: &[&str]) -> Vec<Value> {
    let ran = run(&[&["bowtie"], arguments].concat(), (lines.join("\n") + "\n").as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

const START: &str = r#"{"cmd": "start", "version": 1}"#;
const STOP: &str = r#"{"cmd": "stop"}"#;

#[test]
fn introduces_itself() {
    let answers =
        dialogue(&[], &[START, r#"{"cmd": "dialect", "dialect": "http://json-schema.org/draft-07/schema#"}"#, STOP]);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["version"], 1);
    let implementation = &answers[0]["implementation"];
    assert_eq!((&implementation["language"], &implementation["name"]), (&json!("rust"), &json!("microschema")));
    assert_eq!(
        implementation["dialects"],
        json!([
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2019-09/schema",
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-04/schema#",
        ])
    );
    for required in ["homepage", "issues", "source"] {
        assert!(implementation[required].as_str().is_some_and(|url| url.starts_with("https://")), "{required}");
    }
    assert_eq!(answers[1], json!({ "ok": true }));
}

#[test]
fn an_unknown_dialect_is_not_ok() {
    let answers =
        dialogue(&[], &[START, r#"{"cmd": "dialect", "dialect": "http://json-schema.org/draft-03/schema#"}"#, STOP]);
    assert_eq!(answers[1], json!({ "ok": false }));
}

#[test]
fn runs_cases_with_the_dialect_and_the_registry() {
    let case =
        |seq: &str, rest: &str| format!(r#"{{"cmd": "run", "seq": {seq}, "case": {{"description": "d", {rest}}}}}"#);
    let tuple = r#""schema": {"items": [{"type": "string"}]}, "tests": [{"description": "t", "instance": [1]}, {"description": "u", "instance": ["a"], "valid": true}]"#;
    let answers = dialogue(
        &[],
        &[
            START,
            r#"{"cmd": "dialect", "dialect": "http://json-schema.org/draft-07/schema#"}"#,
            &case("1", tuple),
            r#"{"cmd": "dialect", "dialect": "https://json-schema.org/draft/2020-12/schema"}"#,
            &case("{\"any\": 2.0}", tuple),
            &case(
                "3",
                r#""schema": {"$ref": "http://localhost:1234/integer.json"}, "registry": {"http://localhost:1234/integer.json": {"type": "integer"}},
                   "tests": [{"description": "t", "instance": 1.0}, {"description": "u", "instance": "1"}]"#
                    .replace('\n', " ")
                    .as_str(),
            ),
            STOP,
        ],
    );
    assert_eq!(answers[2], json!({ "seq": 1, "results": [{ "valid": false }, { "valid": true }] }));
    assert_eq!((&answers[4]["seq"], &answers[4]["errored"]), (&json!({ "any": 2.0 }), &json!(true)));
    assert!(answers[4]["context"]["message"].is_string());
    assert_eq!(answers[5], json!({ "seq": 3, "results": [{ "valid": true }, { "valid": false }] }));
}

#[test]
fn instances_arrive_as_they_are_written() {
    let answers = dialogue(
        &[],
        &[
            START,
            r#"{"cmd": "run", "seq": 1, "case": {"description": "d", "schema": {"const": 12345678901234567890123456789},
                "tests": [{"description": "t", "instance": 12345678901234567890123456789}, {"description": "u", "instance": 12345678901234567890123456788},
                          {"description": "v", "instance": 1.2345678901234567890123456789e28}]}}"#
                .replace('\n', " ")
                .as_str(),
            r#"{"cmd": "run", "seq": 2, "case": {"description": "d", "schema": {"properties": {"a": true}}, "tests": [{"description": "t", "instance": {"a": 1, "a": 2}}]}}"#,
            STOP,
        ],
    );
    assert_eq!(answers[1]["results"], json!([{ "valid": true }, { "valid": false }, { "valid": true }]));
    assert_eq!(answers[2]["results"][0]["errored"], true, "a duplicate of a declared name");
}

#[test]
fn formats_are_annotations_unless_asked() {
    let case = r#"{"cmd": "run", "seq": 1, "case": {"description": "d", "schema": {"format": "date"}, "tests": [{"description": "t", "instance": "yesterday"}]}}"#;
    assert_eq!(dialogue(&[], &[START, case, STOP])[1]["results"], json!([{ "valid": true }]));
    assert_eq!(dialogue(&["--formats", "assert"], &[START, case, STOP])[1]["results"], json!([{ "valid": false }]));
}

#[test]
fn what_is_not_the_protocol_ends_it() {
    for line in [r#"{"cmd": "start", "version": 2}"#, r#"{"cmd": "stop"}"#, "nonsense", r#"{"cmd": "dance"}"#] {
        let ran = run(&["bowtie"], line.as_bytes());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(ran.err.starts_with("error: bowtie: "), "{}", ran.err);
    }
}
