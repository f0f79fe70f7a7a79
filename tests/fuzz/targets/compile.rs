//! Whatever the schema, compiling ends with a program or an error, always the same, and a program runs on whatever there is.
//!
//! Input: options (a byte), the schema, 0xFF, an instance.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::{Dialect, Error, Issues, Limits, Options, Program, SchemaErrorKind};
use microschema_fuzz::{repeats_a_name, split};
use microschema_tests::both;
use microschema_tests::toy::Tree;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let (schema, instance) = split(rest);
    let documents: &[(&str, &[u8])] = &[
        (
            "http://a.example/d",
            br##"{"$id":"http://a.example/d","$anchor":"x","$defs":{"a":{"type":"integer"}},"items":{"$ref":"#"}}"##,
        ),
        ("http://a.example/e", br#"{"$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"x"}}}"#),
    ];
    let options = Options::new()
        .dialect(Dialect::ALL[usize::from(choice & 7) % 5])
        .assert_formats(choice & 8 != 0)
        .documents(if choice & 16 != 0 { documents } else { &[] });
    let mut arena = vec![0; 1 << 15];
    let compiled = options.compile(schema, &mut arena);
    let mut other_arena = vec![0xA5; 1 << 14];
    let again = options.compile(schema, &mut other_arena);
    match (&compiled, &again) {
        (Ok(program), Ok(again)) => assert_eq!(program.as_bytes(), again.as_bytes(), "compiled twice"),
        (_, Err(error)) if error.kind == SchemaErrorKind::ArenaFull => {}
        (Err(error), Err(again)) => assert_eq!(error, again),
        other => panic!("{other:?}"),
    }
    let program = match compiled {
        Ok(program) => program,
        Err(error) => {
            let _ = error.to_string();
            let document = match error.document {
                None => schema,
                Some(index) => documents.get(usize::from(index)).map_or(&[][..], |document| document.1),
            };
            let pointer = error.pointer(document).to_string();
            // A place in a meta-schema is one of a document that is not here.
            if !document.is_empty() {
                assert!(error.at <= document.len(), "{error:?}");
                resolves(document, &pointer);
            }
            return;
        }
    };
    let checked = Program::from_bytes(program.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let listing = checked.to_string();
    assert!(listing.contains("root "), "{listing}");
    let _ = checked.stats();
    // Enough for whatever a short text holds, and little enough to be fast.
    let limits = Limits::new().with_depth(80).with_steps(200_000);
    let validator = program.validator().limits(limits);
    let mut issues = Issues::<4>::new();
    let verdict = validator.validate(instance, &mut issues);
    for issue in &issues {
        let description = issue.describe(&program, instance).show_value(10);
        let _ = (description.to_string(), serde_json::to_string(&description));
    }
    let quick = validator.is_valid(instance);
    if matches!(verdict, Err(Error::Limit(_))) || matches!(quick, Err(Error::Limit(_))) {
        return;
    }
    if let Err(message) = both::validate_within(&program, instance, limits.with_steps(2_000_000)) {
        panic!("{message}");
    }
});

/// The pointer leads somewhere, where the document is JSON and says what its names mean.
fn resolves(document: &[u8], pointer: &str) {
    let Ok(value) = serde_json::from_slice::<Value>(document) else { return };
    let tree = std::str::from_utf8(document).ok().map(Tree::parse);
    if tree.is_some_and(|tree| tree.is_ok_and(|tree| !repeats_a_name(&tree))) {
        assert!(value.pointer(pointer).is_some(), "{pointer} in {}", String::from_utf8_lossy(document));
    }
}
