//! Verdicts against those of `boon` and `jsonschema`, on generated schemas and instances; both modes and both readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema_fuzz::{Case, outcome};
use microschema_tests::peers::{boon, is_known, jsonschema};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let case = Case::of(data);
    let mut arena = Vec::new();
    let program = case.compile(&mut arena);
    let (mut values, mut outcomes) = (Vec::<Value>::new(), Vec::new());
    for (value, text) in &case.instances {
        // What takes too long here takes longer there.
        if let Some(outcome) = outcome(&program, text) {
            values.push(value.clone());
            outcomes.push(outcome.verdict);
        }
    }
    for (peer, verdicts) in [("boon", boon(&case.schema, &values)), ("jsonschema", jsonschema(&case.schema, &values))] {
        let verdicts = verdicts.unwrap_or_else(|error| panic!("{peer}: {error}\n{}", case.schema));
        if !is_known(peer, case.dialect, &case.schema) {
            for ((value, ours), theirs) in values.iter().zip(&outcomes).zip(verdicts) {
                assert_eq!(*ours, Ok(theirs), "{peer}\n{}\n{value}", case.schema);
            }
        }
    }
});
