//! The reader takes what `serde_json` takes, and reads the same strings.
//!
//! Differences, all meant:
//! - names that occur twice are refused where the schema tells members apart;
//! - half of a surrogate pair is refused, where `serde_json` skips a string without reading it;
//! - nesting: here 256 levels, there 128 where it builds a tree;
//! - `1e999` is a number here, and no `f64` there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::{Error, Issues, JsonErrorKind, Limit, Program};
use microschema_fuzz::repeats_a_name;
use microschema_tests::toy::Tree;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::sync::LazyLock;

/// What a schema makes the machine do: skip values, look at all of them, tell members apart, compare items.
const SCHEMAS: [&str; 5] = [
    "{}",
    r##"{"type":["object","array","string","number","boolean","null"],"maxLength":1000000,"multipleOf":0.5,
        "items":{"$ref":"#"},"additionalProperties":{"$ref":"#"}}"##,
    r##"{"properties":{"a":{"$ref":"#"},"b":true},"required":["c"],"minProperties":1,"items":{"$ref":"#"}}"##,
    r#"{"uniqueItems":true,"contains":{"type":"string","pattern":"a$"},"propertyNames":{"minLength":1},"patternProperties":{"^b":{}}}"#,
    r#"{"anyOf":[{"const":{"a":[1,"b"]}},{"enum":[1,"a",null]},{"type":"array","items":false}],"unevaluatedProperties":false}"#,
];

static IMAGES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let compile =
        |schema: &str| microschema::compile(schema.as_bytes(), &mut [0; 4096]).expect(schema).as_bytes().to_vec();
    SCHEMAS.iter().map(|schema| compile(schema)).collect()
});

fuzz_target!(|text: &[u8]| {
    let ignored = serde_json::from_slice::<IgnoredAny>(text);
    let value = serde_json::from_slice::<Value>(text);
    // Half surrogates are found by reading the strings; deep trees are left to the other two.
    let depth = depth(text);
    let tree = std::str::from_utf8(text).ok().filter(|_| depth <= 100).map(Tree::parse);
    for image in IMAGES.iter() {
        let program = Program::from_bytes(image).expect("an image of our own");
        let mut issues = Issues::<2>::new();
        let result = program.validate(text, &mut issues);
        match result {
            Ok(_) => {
                assert!(ignored.is_ok(), "{result:?}, {ignored:?}");
                if let Err(error) = &value {
                    let message = error.to_string();
                    let is_meant = message.starts_with("recursion limit") || message.starts_with("number out of range");
                    assert!(is_meant, "{result:?}, {message}");
                }
                assert!(!matches!(tree, Some(Err(_))), "{result:?}, {tree:?}");
            }
            Err(Error::Json(error)) => {
                assert!(error.at <= text.len());
                match error.kind {
                    JsonErrorKind::DuplicateName => {
                        if let Some(tree) = &tree {
                            // Only the part that was read is known to be JSON.
                            assert!(tree.as_ref().map_or(true, repeats_a_name), "{error:?}");
                        }
                    }
                    JsonErrorKind::LoneSurrogate => assert!(value.is_err(), "{error:?}"),
                    JsonErrorKind::InvalidUtf8 => assert!(std::str::from_utf8(text).is_err(), "{error:?}"),
                    kind => {
                        assert!(value.is_err() && !matches!(tree, Some(Ok(_))), "{error:?}");
                        let Err(theirs) = &ignored else { panic!("{error:?}") };
                        // Whether the text ends too soon. Of a number that does, they say that it is invalid; of an escape of less
                        // than four digits, that it ends too soon, though one of them is none.
                        let is_same = match kind {
                            JsonErrorKind::EndsInNumber => true,
                            JsonErrorKind::InvalidEscape => !theirs.is_eof() || error.at + 6 > text.len(),
                            _ => kind.is_truncated() == theirs.is_eof(),
                        };
                        assert!(is_same, "{error:?}, {theirs}");
                        assert!(!kind.is_truncated() || error.at == text.len(), "{error:?}");
                    }
                }
            }
            Err(Error::Limit(limit)) => {
                let is_meant = match limit {
                    Limit::Depth => depth > 100,
                    _ => text.len() > 1000,
                };
                assert!(is_meant, "{limit:?}");
            }
            Err(other) => panic!("{other:?}"),
        }
        let quick = program.is_valid(text);
        assert!(quick == result || quick == Ok(false) && result != Ok(true), "{quick:?}, {result:?}");
    }
    if let Some(Ok(tree)) = &tree {
        same_strings(text, tree);
    }
});

/// The text is equal to itself as the other parser understood it.
fn same_strings(text: &[u8], tree: &Tree) {
    if repeats_a_name(tree) || text.len() > 2000 {
        return;
    }
    let mut schema = String::from("{\"const\":");
    write(tree, &mut schema);
    schema.push('}');
    let mut arena = vec![0; 1 << 14];
    let program =
        microschema::compile(schema.as_bytes(), &mut arena).unwrap_or_else(|error| panic!("{error}: {schema}"));
    let result = program.is_valid(text);
    assert_eq!(result, Ok(true), "{schema}");
}

fn write(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Tree::Number(literal) => out.push_str(literal),
        Tree::String(value) => out.push_str(&Value::from(value.as_str()).to_string()),
        Tree::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().rev().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

/// At least the depth of nesting.
fn depth(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'[' || byte == b'{').count()
}
