//! Verdicts against those of `boon` and `jsonschema`, on generated schemas and instances; both modes and both readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema_fuzz::{Case, outcome};
use microschema_tests::peers::{boon, is_cheap, is_known, jsonschema};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let case = Case::of(data);
    let mut arena = Vec::new();
    let program = case.compile(&mut arena);
    // What takes too long here takes longer there.
    let judged = case.instances.iter().filter_map(|(value, text)| Some((value, outcome(&program, text)?.verdict)));
    let judged: Vec<_> = judged.collect();
    for (peer, verdicts) in [("boon", boon as Peer), ("jsonschema", jsonschema)] {
        let asked = judged.iter().filter(|(value, _)| is_cheap(peer, &case.schema, value));
        let (values, ours): (Vec<Value>, Vec<_>) = asked.map(|(value, verdict)| ((*value).clone(), *verdict)).unzip();
        // Without an instance, too: that the schema compiles.
        let theirs = verdicts(&case.schema, &values).unwrap_or_else(|error| panic!("{peer}: {error}\n{}", case.schema));
        if !is_known(peer, case.dialect, &case.schema) {
            for ((value, ours), theirs) in values.iter().zip(ours).zip(theirs) {
                assert_eq!(ours, Ok(theirs), "{peer}\n{}\n{value}", case.schema);
            }
        }
    }
});

type Peer = fn(&Value, &[Value]) -> Result<Vec<bool>, String>;
