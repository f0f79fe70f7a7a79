//! What the compiler folds into one instruction means what its parts mean, each compiled by itself.

use microschema::{Error, Issues, JsonErrorKind, Program, compile};
use microschema_tests::both;

/// Schemas of objects with the names `a`, `b` and `c`.
const PARTS: &[&str] = &[
    r#"{}"#,
    r#"{"type": "object"}"#,
    r#"{"properties": {"a": {"type": "integer"}}}"#,
    r#"{"properties": {"a": {"maximum": 1}, "b": true}, "required": ["a"]}"#,
    r#"{"properties": {"a": {"type": ["integer", "string"]}, "c": {"const": "x"}}, "minProperties": 1}"#,
    r#"{"required": ["b", "c"]}"#,
    r#"{"maxProperties": 2}"#,
    r#"{"properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false}"#,
    r#"{"properties": {"b": {}}, "additionalProperties": {"type": "string"}}"#,
    r#"{"patternProperties": {"^[bc]$": {"type": "string"}}}"#,
    r#"{"propertyNames": {"maxLength": 1}, "dependentRequired": {"a": ["b"]}}"#,
    r#"{"not": {"required": ["a", "c"]}, "properties": {"b": {"enum": [1, "x"]}}}"#,
    r#"{"type": ["object", "string"], "if": {"required": ["a"]}, "then": {"required": ["b"]}}"#,
    r#"{"type": "object", "properties": {"a": {}}, "if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["c"]}, "else": {"properties": {"b": {"type": "integer"}}}}"#,
    r#"{"dependentSchemas": {"c": {"properties": {"a": {"type": "integer"}}}}}"#,
    r#"{"dependentSchemas": {"c": {"properties": {"d": {"type": "string"}}}}}"#,
    r#"{"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": true}}]}"#,
    r#"{"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false}"#,
    r#"{"type": "object", "properties": {"c": {}}, "oneOf": [false, {"type": "object", "properties": {"a": {}}}], "anyOf": [{"required": ["a"]}, {"required": ["c"]}]}"#,
    r#"{"type": "object", "properties": {"b": {}}, "anyOf": [false, {"type": "object", "properties": {"c": {}}}], "oneOf": [{"required": ["c", "b"]}, {"required": ["d"]}]}"#,
];

/// All objects with some of the names `a`, `b`, `c`, and `d` or not, each a number or a string; and two other values.
fn instances() -> Vec<String> {
    let mut found = vec!["1".to_owned(), "\"x\"".to_owned()];
    for choice in 0..3_u32.pow(3) * 2 {
        let mut members = Vec::new();
        for (at, name) in ["a", "b", "c"].iter().enumerate() {
            match choice / 3_u32.pow(at as u32) % 3 {
                0 => {}
                1 => members.push(format!("\"{name}\":1")),
                _ => members.push(format!("\"{name}\":\"x\"")),
            }
        }
        if choice >= 27 {
            members.insert(choice as usize % (members.len() + 1), "\"d\":\"y\"".to_owned());
        }
        found.push(format!("{{{}}}", members.join(",")));
    }
    found
}

fn compiled(schema: &str) -> Vec<u8> {
    let mut arena = vec![0; 1 << 15];
    compile(schema.as_bytes(), &mut arena).unwrap_or_else(|error| panic!("{schema}: {error}")).as_bytes().to_vec()
}

fn valid(program: &[u8], instance: &str) -> bool {
    let program = Program::from_bytes(program).expect("a program");
    let outcome =
        both::validate(&program, instance.as_bytes()).unwrap_or_else(|error| panic!("{instance}: {error}\n{program}"));
    outcome.verdict.unwrap_or_else(|error| panic!("{instance}: {error}\n{program}"))
}

/// The members of a part, without its braces.
fn inner(part: &str) -> &str {
    part.trim_start_matches('{').strip_suffix('}').expect("an object")
}

#[test]
fn all_of_means_each() {
    let instances = instances();
    let alone: Vec<Vec<bool>> = PARTS
        .iter()
        .map(|part| {
            let program = compiled(part);
            instances.iter().map(|instance| valid(&program, instance)).collect()
        })
        .collect();
    for (first, first_alone) in PARTS.iter().zip(&alone) {
        for (second, second_alone) in PARTS.iter().zip(&alone) {
            let mut folded = vec![
                format!(r#"{{"allOf": [{first}, {second}]}}"#),
                format!(r##"{{"$defs": {{"s": {second}}}, "allOf": [{first}, {{"$ref": "#/$defs/s"}}]}}"##),
                format!(r#"{{"allOf": [{{"anyOf": [{first}, false]}}, {{"oneOf": [false, {second}]}}]}}"#),
            ];
            // It would look at what stands beside it, too.
            if !first.contains("unevaluated") {
                let joined = if inner(first).is_empty() { String::new() } else { format!("{}, ", inner(first)) };
                folded.push(format!(r#"{{{joined}"allOf": [{second}]}}"#));
                folded.push(format!(r##"{{{joined}"$defs": {{"f": {second}}}, "$ref": "#/$defs/f"}}"##));
            }
            for schema in &folded {
                let program = compiled(schema);
                for (at, instance) in instances.iter().enumerate() {
                    let expected = first_alone[at] && second_alone[at];
                    assert_eq!(valid(&program, instance), expected, "{schema} {instance}");
                }
            }
        }
    }
}

#[test]
fn conditions_mean_their_branches() {
    let conditions = [
        r#"{"required": ["a"]}"#,
        r#"{"properties": {"a": {"const": 1}}}"#,
        r#"{"properties": {"a": {"const": "x"}, "b": {"type": "integer"}}, "required": ["a", "b"]}"#,
        r#"{"properties": {"c": {"const": "x"}}, "required": ["d"]}"#,
        r#"{"type": "object", "required": ["a", "d"]}"#,
        r#"{"type": "string"}"#,
        "true",
    ];
    let branches =
        [r#"{"required": ["b", "c"]}"#, r#"{"properties": {"c": {"type": "string"}}, "required": ["a"]}"#, "false"];
    let instances = instances();
    for types in [r#""type": "object", "#, r#""type": ["object", "string"], "#, ""] {
        for around in [
            r#""properties": {"a": {}, "b": {}}"#,
            r#""properties": {"a": {}, "b": {}, "c": {}, "d": {}}, "additionalProperties": false"#,
        ] {
            let base = compiled(&format!("{{{types}{around}}}"));
            for condition in conditions {
                let condition_alone = compiled(condition);
                let not = compiled(&format!("{{{types}{around}, \"not\": {condition}}}"));
                for instance in &instances {
                    let expected = valid(&base, instance) && !valid(&condition_alone, instance);
                    assert_eq!(valid(&not, instance), expected, "{types}{around} not {condition} {instance}");
                }
                for then in branches {
                    for otherwise in branches {
                        let schema = format!(
                            "{{{types}{around}, \"if\": {condition}, \"then\": {then}, \"else\": {otherwise}}}"
                        );
                        let (program, then, otherwise) = (compiled(&schema), compiled(then), compiled(otherwise));
                        for instance in &instances {
                            let branch = if valid(&condition_alone, instance) { &then } else { &otherwise };
                            let expected = valid(&base, instance) && valid(branch, instance);
                            assert_eq!(valid(&program, instance), expected, "{schema} {instance}");
                        }
                    }
                }
            }
        }
    }
}

/// `unevaluatedProperties` goes by what each part evaluates; `additionalProperties` can say the same where that is the names of `properties`.
#[test]
fn unevaluated_properties_mean_additional_ones_of_all_parts() {
    let parts: &[(&str, &[&str])] = &[
        (r#""properties": {"a": {}}"#, &["a"]),
        (r#""properties": {"a": {"type": "integer"}, "b": {}}, "required": ["c"]"#, &["a", "b"]),
        (r#""patternProperties": {"^c": {"type": "string"}}"#, &["c"]),
        (r#""dependentRequired": {"a": ["b"]}"#, &[]),
        (r#""if": {"required": ["a"]}, "then": {"required": ["b"]}"#, &[]),
        (r#""not": {"required": ["a", "b", "c"]}"#, &[]),
        (r#""minProperties": 1"#, &[]),
    ];
    let instances = instances();
    for (first, first_names) in parts {
        for (second, second_names) in parts {
            let names: Vec<String> =
                first_names.iter().chain(*second_names).map(|name| format!("\"{name}\": true")).collect();
            let mut names = names;
            names.sort();
            names.dedup();
            let each = [first, second].map(|part| compiled(&format!("{{{part}}}")));
            for rest in ["false", r#"{"type": "integer"}"#] {
                let closed = compiled(&format!(
                    r#"{{"type": "object", "properties": {{{}}}, "additionalProperties": {rest}}}"#,
                    names.join(", ")
                ));
                for schema in [
                    format!(
                        r#"{{"type": "object", {first}, "allOf": [{{{second}}}], "unevaluatedProperties": {rest}}}"#
                    ),
                    format!(
                        r##"{{"type": "object", "$defs": {{"s": {{{second}}}}}, "allOf": [{{{first}}}, {{"$ref": "#/$defs/s"}}], "unevaluatedProperties": {rest}}}"##
                    ),
                ] {
                    let program = compiled(&schema);
                    for instance in &instances {
                        let expected = each.iter().all(|part| valid(part, instance)) && valid(&closed, instance);
                        assert_eq!(valid(&program, instance), expected, "{schema} {instance}");
                    }
                }
            }
        }
    }
}

/// What a schema evaluates beyond the names of `properties` still counts.
#[test]
fn other_evaluations_still_count() {
    let schema = |part: &str| {
        format!(r#"{{"type": "object", "properties": {{"a": {{}}}}, {part}, "unevaluatedProperties": false}}"#)
    };
    for part in [
        r#""anyOf": [{"properties": {"b": {}}, "required": ["b"]}, {}]"#,
        r#""if": {"properties": {"b": {}}, "required": ["b"]}"#,
        r#""if": {"required": ["a"]}, "then": {"properties": {"b": {}}}, "else": {"properties": {"b": {}}}"#,
        r#""dependentSchemas": {"b": {"properties": {"b": {}}}}"#,
        r#""allOf": [{"additionalProperties": {"type": "integer"}}]"#,
        r##""$ref": "#/$defs/x", "$defs": {"x": {"oneOf": [{"properties": {"b": {}}}, false]}}"##,
    ] {
        let program = compiled(&schema(part));
        assert!(valid(&program, r#"{"a": 1, "b": 1}"#), "{part}");
        assert!(!valid(&program, r#"{"a": 1, "b": 1, "c": "x"}"#), "{part}");
    }
}

#[test]
fn the_keyword_that_closes_an_object_is_named() {
    let mut issues = Issues::<4>::new();
    for (keyword, schema) in [
        ("unevaluatedProperties", r#"{"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false}"#),
        (
            "unevaluatedProperties",
            r#"{"allOf": [{"properties": {"a": {}}}, {"minProperties": 1}], "unevaluatedProperties": false}"#,
        ),
        (
            "additionalProperties",
            r#"{"properties": {"a": {}}, "allOf": [{"properties": {"a": {}}}], "additionalProperties": false}"#,
        ),
        (
            "not",
            r#"{"type": "object", "properties": {"a": {}, "b": {}}, "not": {"properties": {"b": {"const": 1}}, "required": ["b"]}}"#,
        ),
    ] {
        let bytes = compiled(schema);
        let program = Program::from_bytes(&bytes).expect("a program");
        assert_eq!(program.validate(br#"{"a": 1, "b": 1}"#, &mut issues), Ok(false), "{schema}");
        let found: Vec<&str> = issues.iter().map(|issue| issue.describe(&program, b"").keyword()).collect();
        assert_eq!(found, [keyword], "{schema}");
    }
}

/// A condition goes by the one member of a name; where it comes again, there is no verdict.
#[test]
fn a_name_that_decides_must_not_come_twice() {
    let program = compiled(
        r#"{"type": "object", "properties": {"op": {}, "x": {}}, "if": {"properties": {"op": {"const": "set"}}, "required": ["op"]}, "then": {"required": ["x"]}}"#,
    );
    let program = Program::from_bytes(&program).expect("a program");
    for instance in [r#"{"op": "get", "op": "set"}"#, r#"{"op": "set", "op": "get"}"#] {
        match program.is_valid(instance.as_bytes()) {
            Err(Error::Json(error)) => assert_eq!(error.kind, JsonErrorKind::DuplicateName),
            other => panic!("{other:?}"),
        }
    }
}

/// `anyOf` and `oneOf` of constant strings are one table, for as many as there are.
#[test]
fn branches_that_are_constants() {
    for count in [1, 2, 9, 70] {
        for (keyword, repeated) in [("anyOf", true), ("anyOf", false), ("oneOf", true), ("oneOf", false)] {
            let mut branches: Vec<String> = (0..count).map(|n| format!(r#"{{"const": "v{n}"}}"#)).collect();
            branches.push(r#"{"enum": ["x", "y\"z"], "type": ["string", "null"]}"#.to_owned());
            if repeated {
                branches.push(r#"{"const": "v0"}"#.to_owned());
            }
            let program = compiled(&format!(r#"{{"{keyword}": [{}]}}"#, branches.join(", ")));
            assert_eq!(valid(&program, "\"v0\""), keyword == "anyOf" || !repeated);
            for (instance, expected) in [
                (format!("\"v{}\"", count - 1), count > 1),
                (format!("\"v{count}\""), false),
                (r#""y\"z""#.to_owned(), true),
                (r#""\u0078""#.to_owned(), true),
                ("null".to_owned(), false),
                ("{}".to_owned(), false),
            ] {
                if count > 1 || !instance.contains("v0") {
                    assert_eq!(valid(&program, &instance), expected, "{keyword} {count} {instance}");
                }
            }
            let program = Program::from_bytes(&program).expect("a program");
            let mut issues = Issues::<2>::new();
            assert_eq!(program.validate(b"\"none\"", &mut issues), Ok(false));
            let found: Vec<&str> = issues.iter().map(|issue| issue.describe(&program, b"").keyword()).collect();
            // Where a value stands in two branches, these stay apart, and the one that was meant is named.
            assert_eq!(found, [if keyword == "oneOf" && repeated { "const" } else { keyword }]);
        }
    }
}

/// A name that comes twice in what a `oneOf` looks at is never a way around it.
#[test]
fn branches_of_one_of_tell_names_apart() {
    let closed = r#"{"oneOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"c": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"], "additionalProperties": false},
        {"type": "string"}
    ]}"#;
    let open = r#"{"oneOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    ]}"#;
    let nested = r#"{"oneOf": [
        {"type": "object", "properties": {"a": {"properties": {"b": {"const": 1}}}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"a": {"properties": {"b": {"const": 2}}}}, "required": ["a"], "additionalProperties": false}
    ]}"#;
    for (schema, instance, valid) in [
        (closed, r#"{"a": 1, "b": 2}"#, true),
        (closed, r#"{"b": "x", "c": 2}"#, true),
        (closed, r#""x""#, true),
        (closed, r#"{"a": 1, "b": {"x": 1, "x": 2}}"#, true),
        (closed, r#"{"a": "x", "a": 1, "b": "x"}"#, false),
        (closed, r#"{"b": 1, "a": 1, "b": "x"}"#, false),
        (open, r#"{"a": 1, "b": 1, "b": "x"}"#, false),
        (open, r#"{"a": 1, "b": "x", "b": 1}"#, false),
        (nested, r#"{"a": {"b": 1, "b": 2}}"#, false),
        (nested, r#"{"a": {"b": 1}}"#, true),
    ] {
        let program = compiled(schema);
        let program = Program::from_bytes(&program).expect("a program");
        assert_eq!(program.is_valid(instance.as_bytes()).unwrap_or(false), valid, "{schema} {instance}");
    }
}

/// Branches told apart by a property mean what they mean each, whether it must be there or not.
#[test]
fn discriminators_mean_their_branches() {
    let branch = |values: &str, more: &str| {
        format!(r#"{{"type": "object", "properties": {{"kind": {{"enum": [{values}], "type": "string"}}, {more}}}"#)
    };
    let sets = [
        [branch(r#""a""#, r#""x": {}}"#), branch(r#""b""#, r#""x": {"type": "integer"}}"#)],
        [branch(r#""a""#, r#""x": {}}, "required": ["kind"]"#), branch(r#""b", "c""#, r#""x": {"type": "integer"}}"#)],
        [
            branch(r#""a""#, r#""x": {"type": "string"}}, "required": ["kind"]"#),
            branch(r#""b""#, r#""x": {}}, "required": ["kind", "x"]"#),
        ],
        [branch(r#""a""#, r#""x": {}}"#), branch(r#""a", "b""#, r#""x": {"type": "integer"}}"#)],
    ];
    let mut instances = vec!["1".to_owned(), r#"{"kind": 1}"#.to_owned(), "{}".to_owned()];
    for kind in ["", r#""kind": "a""#, r#""kind": "b""#, r#""kind": "\u0063""#, r#""kind": "d""#] {
        for x in ["", r#""x": 1"#, r#""x": "y""#] {
            for (one, other) in [(kind, x), (x, kind)] {
                let comma = if one.is_empty() || other.is_empty() { "" } else { ", " };
                instances.push(format!("{{{one}{comma}{other}}}"));
            }
        }
    }
    for set in sets {
        let alone: Vec<Vec<u8>> = set.iter().map(|branch| compiled(branch)).collect();
        for keyword in ["anyOf", "oneOf"] {
            let schema = format!(r#"{{"{keyword}": [{}]}}"#, set.join(", "));
            let program = compiled(&schema);
            for instance in &instances {
                let held = alone.iter().filter(|branch| valid(branch, instance)).count();
                let expected = if keyword == "anyOf" { held > 0 } else { held == 1 };
                assert_eq!(valid(&program, instance), expected, "{schema} {instance}");
            }
        }
    }
}

/// Beyond the names that fold, the parts stay apart and mean the same.
#[test]
fn what_is_too_wide_to_fold() {
    for count in [60, 62, 63, 64, 65, 70, 130] {
        let names: Vec<String> = (0..count).map(|n| format!(r#""n{n}": {{"type": ["integer", "string"]}}"#)).collect();
        let wide = format!(r#""type": "object", "properties": {{{}}}"#, names.join(", "));
        for (more, valid_one, valid_both) in [
            (r#""not": {"required": ["n0", "n1"]}"#, true, false),
            (r#""not": {"required": ["x", "y"]}"#, true, true),
            (r#""if": {"required": ["n0"]}, "then": {"required": ["n1"]}"#, false, true),
            (
                r#""if": {"properties": {"n0": {"const": 1}}, "required": ["n0"]}, "then": {"properties": {"n1": {"const": 2}}, "required": ["n1"]}"#,
                false,
                false,
            ),
            (r#""allOf": [{"properties": {"n0": {"type": "string"}, "z": {}}}]"#, false, false),
            (r#""allOf": [{"required": ["n1"]}, {"maxProperties": 2}], "additionalProperties": false"#, false, true),
            (r#""allOf": [{"required": ["n0"]}], "unevaluatedProperties": false"#, true, true),
            (r#""dependentRequired": {"n0": ["n1"]}, "unevaluatedProperties": false"#, false, true),
        ] {
            let program = compiled(&format!("{{{wide}, {more}}}"));
            assert_eq!(valid(&program, r#"{"n0": 1}"#), valid_one, "{count} {more}");
            assert_eq!(valid(&program, r#"{"n0": 1, "n1": 1}"#), valid_both, "{count} {more}");
        }
    }
}
