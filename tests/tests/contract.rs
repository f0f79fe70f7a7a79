//! Contracts over calls of real tools: the same issues from bytes, from a parsed value, and from its object.

use microschema_mcp::{Contract, Document, Failure, Issue, Reason, Terms};
use microschema_tests::tools;
use serde_json::Value;

/// The issues, and how many were left out; `None` for a valid call.
fn outcome<'a>(contract: &Contract, arguments: impl Into<Document<'a>>) -> Option<(Vec<Issue>, u32)> {
    match contract.check_input(arguments) {
        Ok(()) => None,
        Err(Failure { reason: Reason::Invalid { issues, omitted }, .. }) => Some((issues, omitted)),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn issues_are_the_same_from_all() {
    let Some(data) = microschema_tests::data() else { return };
    let (mut cases, mut invalid) = (0, 0);
    for (name, calls) in tools::calls(&data) {
        let contract = Contract::new(&*name, calls.schema.get(), Document::Absent, Terms::new().assert_formats(false));
        assert_eq!(contract.problems(), [], "{name}");
        for case in &calls.cases {
            let value: Value = serde_json::from_str(case.data.get()).expect("JSON");
            let from_value = outcome(&contract, &value);
            // Null arguments are `{}`, and others must be objects.
            if let Value::Object(object) = &value {
                assert_eq!(from_value.is_none(), case.valid, "{name}: {}", case.data);
                assert_eq!(outcome(&contract, object), from_value, "{name}: {}", case.data);
            }
            assert_eq!(outcome(&contract, &*value.to_string()), from_value, "{name}: {}", case.data);
            cases += 1;
            invalid += u32::from(from_value.is_some());
        }
    }
    println!("{cases} calls, {invalid} invalid");
    assert!(cases > invalid && invalid > 0);
}

/// Strings that JSON can only write with escapes are never taken for what stands in the text.
#[test]
fn constants_that_need_escapes_are_not_compared_with_the_text() {
    for (schema, instance, expected) in [
        (r#"{"const": "a\""}"#, r#""a"""#, None),
        (r#"{"const": "a\""}"#, r#""a\"""#, Some(true)),
        (r#"{"const": "a\\b"}"#, r#""a\b""#, Some(false)),
        (r#"{"const": "a\\b"}"#, r#""a\\b""#, Some(true)),
        (r#"{"enum": ["x", "a\n"]}"#, "\"a\n\"", None),
        (r#"{"enum": ["x", "a\n"]}"#, r#""a\n""#, Some(true)),
        (r#"{"enum": ["x", "a\n"]}"#, r#""\u0078""#, Some(true)),
        (r#"{"properties": {"a\"": {}}, "additionalProperties": false}"#, r#"{"a"":1}"#, None),
        (r#"{"properties": {"a\"": {}}, "additionalProperties": false}"#, r#"{"a\"":1}"#, Some(true)),
    ] {
        let mut arena = [0; 512];
        let program = microschema::compile(schema.as_bytes(), &mut arena).expect("a schema");
        let mut issues = microschema::Issues::<1>::new();
        assert_eq!(program.validate(instance.as_bytes(), &mut issues).ok(), expected, "{schema} {instance}");
    }
}
