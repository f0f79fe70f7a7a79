//! Verdicts against those of `boon` and `jsonschema`, on generated schemas and instances; both modes and both readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema_fuzz::Case;
use microschema_tests::both;
use microschema_tests::peers::{boon, is_known, jsonschema};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let case = Case::of(data);
    let values: Vec<Value> = case.instances.iter().map(|(value, _)| value.clone()).collect();
    let peers = [("boon", boon(&case.schema, &values)), ("jsonschema", jsonschema(&case.schema, &values))];
    let mut arena = Vec::new();
    let program = case.compile(&mut arena);
    for (index, (_, instance)) in case.instances.iter().enumerate() {
        let outcome = both::validate(&program, instance.as_bytes())
            .unwrap_or_else(|message| panic!("{message}\n{}\n{instance}", case.text));
        for (peer, verdicts) in &peers {
            let verdicts = verdicts.as_ref().unwrap_or_else(|error| panic!("{peer}: {error}\n{}", case.schema));
            if !is_known(peer, case.dialect, &case.schema) {
                assert_eq!(outcome.verdict, Ok(verdicts[index]), "{peer}\n{}\n{instance}", case.schema);
            }
        }
    }
});
