//! `microschema check`: every exit code, every output.

mod common;

use common::{Temporary, golden, run};
use serde_json::{Value, json};

const SCHEMA: &str = "examples/check/schema.json";
const GOOD: &str = "examples/check/good.json";
const BAD: &str = "examples/check/bad.json";

#[test]
fn valid_is_0() {
    let ran = run(&["check", SCHEMA, GOOD], b"");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "examples/check/good.json: valid\n", ""));
}

#[test]
fn invalid_is_1_with_a_caret_under_each_place() {
    let ran = run(&["check", SCHEMA, GOOD, BAD], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    golden("check.txt", &ran.out);
}

#[test]
fn usage_is_2() {
    for (arguments, about) in [
        (&["check", SCHEMA][..], "<INSTANCE>"),
        (&["check", SCHEMA, "no-such-file.json"], "no-such-file.json: "),
        (&["check", "no-such-file.json", GOOD], "no-such-file.json: "),
        (&["check", "-", "-"], "named more than once"),
        (&["check", "--dialect", "draft-03", SCHEMA, GOOD], "2020-12, 2019-09, draft-07, draft-06, draft-04"),
        (&["check", "--output", "xml", SCHEMA, GOOD], "text, json, flag, basic"),
        (&["chek"], "check"),
        (&[], "Usage"),
    ] {
        let ran = run(arguments, b"true");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(about), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn refused_schema_is_3() {
    let schema = b"{\n  \"properties\": {\n    \"speed\": { \"type\": \"int\" }\n  }\n}\n";
    let ran = run(&["check", "-", GOOD], schema);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    golden("refused.txt", &ran.err);

    let ran = run(&["check", "--output", "json", "-", GOOD], schema);
    assert_eq!((ran.code, ran.err.as_str()), (Some(3), ""));
    let record: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&record["pointer"], &record["at"]), (&json!("/properties/speed/type"), &json!(43)));

    assert_eq!(run(&["check", "-", GOOD], b"{\"type\": ").code, Some(3));
}

#[test]
fn not_json_is_4() {
    let ran = run(&["check", SCHEMA, "-"], b"{\n  \"device\": \"heater_0\",\n  \"mode\": heat\n}\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""));
    golden("not-json.txt", &ran.err);

    let ran = run(&["check", "--output", "flag", SCHEMA, "-"], b"\xEF\xBB\xBF{}");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""));
    assert!(ran.err.contains("<stdin>:1:1"), "{}", ran.err);

    // Not UTF-8: read as bytes, and still shown.
    let ran = run(&["check", SCHEMA, "-"], b"{\"device\": \"h\xFFx\"}");
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("not UTF-8 at byte 13") && ran.err.contains("<stdin>:1:14"), "{}", ran.err);
}

#[test]
fn truncated_input_says_where_and_inside_what() {
    let ran = run(&["check", SCHEMA, "-"], b"{\n  \"device\": \"heater_0\",\n  \"mode\": \"he");
    assert_eq!(ran.code, Some(4));
    golden("truncated.txt", &ran.err);

    let ran = run(&["check", "--output", "json", SCHEMA, "-"], b"{\"device\": \"heater_0\",");
    assert_eq!((ran.code, ran.err.as_str()), (Some(4), ""));
    assert_eq!(ran.out, "{\"instance\":\"<stdin>\",\"error\":\"input ends inside an object\",\"at\":22}\n",);
}

#[test]
fn limit_is_5() {
    let deep = [vec![b'['; 600], vec![b']'; 600]].concat();
    let schema = Temporary::new("any.json", b"{}");
    let ran = run(&["check", schema.path(), "-"], &deep);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(5), "", "error: <stdin>: depth limit reached\n"));

    let ran = run(&["check", "--output", "json", schema.path(), "-"], &deep);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(5), "{\"instance\":\"<stdin>\",\"limit\":\"depth limit reached\"}\n")
    );
}

#[test]
fn the_greatest_code_counts_and_every_instance_is_checked() {
    let broken = Temporary::new("broken.json", b"{");
    let ran = run(&["check", SCHEMA, broken.path(), BAD, GOOD], b"");
    assert_eq!(ran.code, Some(4));
    assert!(ran.out.contains("bad.json: not valid, 5 issues\nexamples/check/good.json: valid\n"), "{}", ran.out);
}

#[test]
fn json_is_an_object_a_line() {
    let ran = run(&["check", "--output", "json", SCHEMA, GOOD, BAD], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "{\"instance\":\"examples/check/good.json\",\"valid\":true,\"issues\":[],\"omitted\":0}");
    // Word by word, as the order of the members is part of it.
    assert!(
        lines[1].contains(
            r#"{"path":["limits","max"],"pointer":"/limits/max","keyword":"maximum","message":"must be at most 125"}"#
        ),
        "{}",
        lines[1]
    );
    let record: Value = serde_json::from_str(lines[1]).expect("JSON");
    assert_eq!((lines.len(), &record["valid"]), (2, &json!(false)));
    let paths: Vec<&Value> = record["issues"].as_array().expect("issues").iter().map(|issue| &issue["path"]).collect();
    assert!(paths.contains(&&json!(["device"])), "a missing property is named by the path: {paths:?}");
}

#[test]
fn flag_is_the_output_of_the_specification() {
    let ran = run(&["check", "--output", "flag", SCHEMA, GOOD, BAD], b"");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "{\"valid\":true}\n{\"valid\":false}\n"));
}

#[test]
fn basic_is_the_output_of_the_specification() {
    let ran = run(&["check", "--output", "basic", SCHEMA, GOOD, BAD], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [good, bad] = &lines[..] else { panic!("{}", ran.out) };
    assert_eq!((&good["valid"], good.get("errors")), (&json!(true), None));
    assert_eq!((&bad["valid"], bad.get("annotations")), (&json!(false), None));
    let format = json!({"valid": true, "keywordLocation": "/properties/until/format", "instanceLocation": "/until",
        "annotation": "date-time"});
    assert!(good["annotations"].as_array().expect("annotations").contains(&format), "{good}");
    let maximum = json!({"valid": false, "keywordLocation": "/properties/limits/properties/max/maximum",
        "instanceLocation": "/limits/max", "error": "must be at most 125"});
    assert!(bad["errors"].as_array().expect("errors").contains(&maximum), "{bad}");
}

#[test]
fn basic_has_the_same_exit_codes() {
    let deep = [vec![b'['; 600], vec![b']'; 600]].concat();
    let any = Temporary::new("basic.json", br#"{"items": {"$ref": "nowhere"}}"#);
    assert_eq!(run(&["check", "--output", "basic", any.path(), "-"], b"[]").code, Some(3));
    for (code, instance) in [(4, &b"{"[..]), (5, &deep)] {
        let ran = run(&["check", "--output", "basic", SCHEMA, "-"], instance);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""));
        assert!(ran.err.contains("<stdin>"), "{}", ran.err);
    }
    let formats = ["check", "--formats", "annotate", "--output", "basic", SCHEMA, "-"];
    assert_eq!(run(&formats, br#"{"device": "a", "mode": "off", "until": "tomorrow"}"#).code, Some(0));
}

#[test]
fn formats_are_asserted_unless_told_otherwise() {
    let call = br#"{"device": "a", "mode": "off", "until": "tomorrow"}"#;
    assert_eq!(run(&["check", SCHEMA, "-"], call).code, Some(1));
    assert_eq!(run(&["check", "--formats", "assert", SCHEMA, "-"], call).code, Some(1));
    assert_eq!(run(&["check", "--formats", "annotate", SCHEMA, "-"], call).code, Some(0));
}

#[test]
fn dialect_is_that_of_schemas_without_one() {
    // An array of schemas under `items` is only known to the drafts before 2020-12.
    let schema = Temporary::new("tuple.json", br#"{"items": [{"type": "string"}]}"#);
    assert_eq!(run(&["check", schema.path(), "-"], b"[1]").code, Some(3));
    for dialect in ["2019-09", "draft-07", "draft-06", "draft-04", "draft7"] {
        assert_eq!(run(&["check", "--dialect", dialect, schema.path(), "-"], b"[1]").code, Some(1), "{dialect}");
    }
}

#[test]
fn long_lines_are_cut_and_columns_are_not() {
    let schema = Temporary::new("numbers.json", br#"{"items": {"type": "integer"}}"#);
    let mut text = vec![b'['];
    for _ in 0..200_000 {
        text.extend_from_slice(b"1234567,");
    }
    text.extend_from_slice("\"größer\"]".as_bytes());
    let ran = run(&["check", schema.path(), "-"], &text);
    assert_eq!(ran.code, Some(1));
    golden("long-line.txt", &ran.out);
}

#[test]
fn only_so_many_issues_are_shown() {
    let schema = Temporary::new("strings.json", br#"{"items": {"type": "string"}}"#);
    let text = format!("[{}0]", "0,".repeat(249));
    let ran = run(&["check", schema.path(), "-"], text.as_bytes());
    assert!(ran.out.ends_with("<stdin>: not valid, 250 issues, of which 100 are shown\n"), "{}", ran.out);
    assert_eq!(ran.out.matches("error: ").count(), 100);
    let ran = run(&["check", "--output", "json", schema.path(), "-"], text.as_bytes());
    assert!(ran.out.ends_with(",\"omitted\":150}\n"));
}
