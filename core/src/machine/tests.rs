//! Names and members at the edges where they are told apart in another way.

use std::string::String;
use std::vec::Vec;
use std::{format, vec};

#[test]
fn members_behind_the_first_64_are_read() {
    for count in [63, 64, 65, 100] {
        let names: Vec<String> = (0..count).map(|i| format!("\"p{i}\"")).collect();
        let properties: Vec<String> = names.iter().map(|name| format!("{name}: {{\"type\": \"integer\"}}")).collect();
        let members: Vec<String> = names.iter().map(|name| format!("{name}: 1")).collect();
        let schema = format!("{{\"properties\": {{{}}}, \"required\": [{}]}}", properties.join(","), names.join(","));
        let mut arena = [0; 8192];
        let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
        assert_eq!(program.is_valid(format!("{{{}}}", members.join(",")).as_bytes()), Ok(true), "{count}");
        assert_eq!(program.is_valid(format!("{{{}, \"x\": 1}}", members.join(",")).as_bytes()), Ok(true), "{count}");
        assert_eq!(program.is_valid(format!("{{{}}}", members[1..].join(",")).as_bytes()), Ok(false), "{count}");
    }
}

/// Names of every length at which they are compared in another way, some that JSON escapes, and what is nearly one of them.
#[test]
fn names_are_told_apart_at_any_length() {
    let mut names: Vec<String> =
        [0, 1, 7, 8, 9, 15, 16, 17, 126, 127, 128, 300].iter().map(|&len| "n".repeat(len)).collect();
    names.extend(["nn\"".into(), "nnnnnnnn\\".into(), "é".into()]);
    let mut others: Vec<String> = vec!["m".into(), "nn".into(), "nnnnnnn\\".into()];
    for name in names.iter().filter(|name| name.len() > 2) {
        others.push(format!("{}m", &name[..name.len() - 1]));
        others.push(format!("m{}", &name[1..]));
        others.push(format!("{name}n"));
    }
    others.retain(|other| !names.contains(other));
    let quoted = |name: &String| serde_json::to_string(name).unwrap();
    let list = |names: &[String], with: &dyn Fn(String) -> String| -> String {
        names.iter().map(|name| with(quoted(name))).collect::<Vec<_>>().join(",")
    };
    let mut arena = vec![0; 1 << 14];
    for count in 1..=names.len() {
        let (known, unknown) = names.split_at(count);
        for (before, behind) in [("", ""), (" ", " "), ("", "\n ")] {
            let member = |name: String| format!("{before}{name}{behind}:{before}1{behind}");
            let schema = format!(
                r#"{{"properties":{{{}}},"additionalProperties":false}}"#,
                list(known, &|name| format!("{name}:{{\"type\":\"integer\"}}"))
            );
            let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
            let is_valid = |members: String| program.is_valid(format!("{{{members}}}").as_bytes());
            assert_eq!(is_valid(list(known, &member)), Ok(true), "{schema}");
            let reversed: Vec<String> = known.iter().rev().cloned().collect();
            assert_eq!(is_valid(list(&reversed, &member)), Ok(true), "{schema}");
            for name in known {
                assert_eq!(is_valid(member(quoted(name))), Ok(true), "{schema} {name}");
                assert_eq!(is_valid(member(quoted(name)).replace('1', "null")), Ok(false), "{schema} {name}");
            }
            for name in unknown.iter().chain(&others) {
                assert_eq!(is_valid(member(quoted(name))), Ok(false), "{schema} {name}");
                assert_eq!(
                    is_valid(format!("{},{}", member(quoted(&known[0])), member(quoted(name)))),
                    Ok(false),
                    "{schema} {name}"
                );
            }
        }
        let schema = format!(r#"{{"enum":[{}]}}"#, list(known, &|name| name));
        let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
        for name in names.iter().chain(&others) {
            let expected = known.contains(name);
            assert_eq!(program.is_valid(quoted(name).as_bytes()), Ok(expected), "{schema} {name}");
            let padded = format!("{}           ", quoted(name));
            assert_eq!(program.is_valid(padded.as_bytes()), Ok(expected), "{schema} {name}");
        }
    }
}

/// Tables of every width that their size can have: what is none of the values is none of them, wherever one looks for their beginning.
#[test]
fn values_are_told_apart_however_large_their_table_is() {
    let mut arena = vec![0; 1 << 20];
    for len in [1, 7, 15, 30, 126, 1020, 2000, 4100, 5000, 10_000, 16_400] {
        for count in [2, 4, 8, 16] {
            let values: Vec<String> = (10..10 + count).map(|i| format!("\"{}{i}\"", "a".repeat(len))).collect();
            let schema = format!("{{\"enum\":[{}]}}", values.join(","));
            let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
            for value in &values {
                assert_eq!(program.is_valid(value.as_bytes()), Ok(true), "{len} {count}");
            }
            for other in (0..140).map(|len| format!("\"{}\"         ", "a".repeat(len))) {
                assert_eq!(program.is_valid(other.as_bytes()), Ok(false), "{len} {count} {other}");
            }
            assert!(program.is_valid(b"\"\0\"         ").is_err(), "{len} {count}");
        }
    }
}

/// White space is read as often as the container around it is, and so it costs, wherever it stands.
#[test]
fn white_space_counts() {
    let mut arena = [0; 2048];
    for (schema, instances) in [
        (r#"{"properties":{"a":{"type":"integer"}}}"#, [r#"{_"a":1}"#, r#"{"a"_:1}"#, r#"{"a":_1}"#, r#"{"a":1_}"#]),
        (
            r#"{"properties":{"a":{}},"minProperties":1}"#,
            [r#"{"b":1_,"c":2}"#, r#"{"b":1,_"c":2}"#, r#"{"b"_:1}"#, r#"{_"b":1}"#],
        ),
        (r#"{"patternProperties":{"^a":true}}"#, [r#"{_"a":1}"#, r#"{"a"_:1}"#, r#"{"a":_1}"#, r#"{"a":1_}"#]),
        (r#"{"items":{"type":"integer"}}"#, ["[_1]", "[1_]", "[1_,2]", "[1,_2]"]),
        (r#"{"contains":{"type":"integer"}}"#, ["[_1]", "[1_]", "[1_,2]", "[1,_2]"]),
        (r#"{"const":{"a":[1,2]}}"#, [r#"{_"a":[1,2]}"#, r#"{"a":[1,2]_}"#, r#"{"a":[_1,2]}"#, r#"{"a":[1_,2]}"#]),
        (r#"{"unevaluatedProperties":true}"#, [r#"{_"a":1}"#, r#"{"a"_:1}"#, r#"{"a":_1}"#, r#"{"a":1_}"#]),
    ] {
        let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
        for instance in instances {
            let verdict = |spaces: usize| {
                let instance = instance.replace('_', &" ".repeat(spaces));
                program.validator().limits(crate::Limits::new().with_steps(40)).is_valid(instance.as_bytes())
            };
            assert_eq!(verdict(4), Ok(true), "{schema} {instance}");
            assert_eq!(verdict(64 * 40), Err(crate::Error::Limit(crate::Limit::Steps)), "{schema} {instance}");
        }
    }
}

/// Items have no name that could be left out, whatever was read before them.
#[cfg(feature = "messages")]
#[test]
fn items_that_are_left_over_are_no_properties() {
    let schema =
        br#"{"prefixItems":[{"properties":{"a":true,"b":{"type":"integer"}}}],"unevaluatedItems":{"type":"object"}}"#;
    let mut arena = [0; 1024];
    let program = crate::compile(schema, &mut arena).unwrap();
    let instance = br#"[{"b":1},null]"#;
    let mut issues = crate::Issues::<2>::new();
    assert_eq!(program.validate(instance, &mut issues), Ok(false));
    let messages: Vec<String> = issues.iter().map(|issue| format!("{}", issue.describe(&program, instance))).collect();
    assert_eq!(messages, ["at /1: must be an object (type)"]);
}

/// Verdicts on instances; `None` is an error.
fn verdicts(schema: &str, instances: &[(&str, Option<bool>)]) {
    let mut arena = vec![0; 1 << 15];
    let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
    for (instance, expected) in instances {
        assert_eq!(program.is_valid(instance.as_bytes()).ok(), *expected, "{schema} {instance}");
        let mut issues = crate::Issues::<1>::new();
        assert_eq!(program.validate(instance.as_bytes(), &mut issues).ok(), *expected, "{schema} {instance}");
    }
}

#[test]
fn patterns_and_a_schema_for_other_members() {
    for more in [0, 20, 100] {
        let names: String = (0..more).map(|i| format!("\"n{i}\": {{}},")).collect();
        for patterns in [r#"{"^x": true}"#, r#"{"^x": {"type": "string"}}"#] {
            let strict = patterns.contains("string");
            verdicts(
                &format!(
                    r#"{{"properties": {{{names} "a": {{"type": "integer"}}, "xa": {{"type": "string"}}}}, "required": ["a", "r"],
                        "patternProperties": {patterns}, "additionalProperties": {{"type": "null"}}, "minProperties": 3}}"#
                ),
                &[
                    (r#"{"a": 1, "r": null, "o": null}"#, Some(true)),
                    (r#"{"a": 1, "r": null, "o": 1}"#, Some(false)),
                    (r#"{"a": 1, "r": 1, "o": null}"#, Some(false)),
                    (r#"{"a": 1, "o": null, "p": null}"#, Some(false)),
                    (r#"{"a": 1, "r": null}"#, Some(false)),
                    (r#"{"a": 1, "r": null, "xa": "s"}"#, Some(true)),
                    (r#"{"a": 1, "r": null, "xa": 1}"#, Some(false)),
                    (r#"{"a": 1, "r": null, "xb": 1}"#, Some(!strict)),
                    (r#"{"a": 1, "r": null, "\u0078b": 1}"#, Some(!strict)),
                    (r#"{"a": 1, "r": null, "xb": "s"}"#, Some(true)),
                    (r#"{"a": 1, "r": null, "a": 1}"#, None),
                    (r#"{"a": 1, "r": null, "\u0061": 1}"#, None),
                    (r#"{"a": 1, "r": null, "o": null, "o": null}"#, None),
                    ("{}", Some(false)),
                ],
            );
        }
    }
}

#[test]
fn a_discriminator_is_found_wherever_it_stands() {
    for more in [0, 20] {
        let branch = |kind: &str, other: &str| {
            format!(
                r#"{{"type": "object", "properties": {{"k": {{"const": "{kind}"}}, "v": {{"type": "{other}"}}}}, "required": ["k"]}}"#
            )
        };
        let mut branches: Vec<String> = (0..more).map(|i| branch(&format!("kind{i}"), "null")).collect();
        branches.extend([branch("one", "integer"), branch("a kind of many letters", "string")]);
        for (keyword, beside) in [("oneOf", ""), ("anyOf", ""), ("oneOf", r#", {"type": "array"}"#)] {
            verdicts(
                &format!(r#"{{"{keyword}": [{}{beside}]}}"#, branches.join(",")),
                &[
                    (r#"{"k": "one", "v": 1}"#, Some(true)),
                    (r#"{"v": 1, "k": "one"}"#, Some(true)),
                    (r#"{"v": "s", "k": "one"}"#, Some(false)),
                    (r#"{"w": [{}], "v": "s", "k": "a kind of many letters"}"#, Some(true)),
                    (r#"{"w": [{}], "v": 1, "k": "a kind of many letters"}"#, Some(false)),
                    (r#"{"v": 1, "\u006b": "one"}"#, Some(true)),
                    (r#"{"v": 1, "k" : "\u006fne"}"#, Some(true)),
                    (r#"{"v": 1, "k": "none"}"#, Some(false)),
                    (r#"{"v": 1, "k": 1}"#, Some(false)),
                    (r#"{"v": 1}"#, Some(false)),
                    ("{}", Some(false)),
                    (r#"{"v": 1, "k": "one", "k": "one"}"#, None),
                    (r#"{"v": 1, "k": "one"#, None),
                    ("[]", Some(!beside.is_empty())),
                ],
            );
        }
    }
    // A condition, which also holds where the property is missing.
    verdicts(
        r#"{"if": {"properties": {"k": {"const": "one"}}}, "then": {"properties": {"v": {"type": "integer"}}}, "else": {"required": ["w"]}}"#,
        &[
            (r#"{"v": 1}"#, Some(true)),
            (r#"{"v": "s"}"#, Some(false)),
            (r#"{"v": 1, "k": "one"}"#, Some(true)),
            (r#"{"v": "s", "k": "one"}"#, Some(false)),
            (r#"{"v": "s", "k": "two"}"#, Some(false)),
            (r#"{"v": "s", "k": "two", "w": 1}"#, Some(true)),
            ("1", Some(true)),
        ],
    );
}

#[test]
fn items_are_told_apart_however_they_are_written() {
    let schema = r#"{"uniqueItems": true}"#;
    for (first, second, equal) in [
        (r#""abcdefghi""#, r#""abcdefgh\u0069""#, true),
        (r#""abcdefghi""#, r#""abcdefghj""#, false),
        (r#"{"a": 1, "name": "b"}"#, r#"{ "n\u0061me" : "b" , "a" : 1.0 }"#, true),
        (r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#, false),
        ("{}", "{ }", true),
        (r#"{"": []}"#, r#"{"": [ ]}"#, true),
    ] {
        for before in [0, 1, 11, 12, 95, 96, 800] {
            let numbers: String = (0..before).map(|i| format!("{i},")).collect();
            verdicts(schema, &[(&format!("[{numbers}{first},{second}]"), Some(!equal))]);
        }
    }
    verdicts(schema, &[(r#"[{"a": 1, "b"}, 1]"#, None), (r#"[{"a": 1,}, 1]"#, None), (r#"["a", "a\"]"#, None)]);
}
