//! Calls of real tools, valid and invalid: the right verdict in both modes, from bytes and from a parsed tree.

use microschema::{Options, Program};
use microschema_tests::{both, tools};
use serde_json::value::RawValue;

fn check(program: &Program<'_>, instance: &RawValue) -> both::Outcome {
    match both::validate(program, instance.get().as_bytes()) {
        Ok(outcome) => outcome,
        Err(message) => panic!("{message}\nfor {instance}"),
    }
}

#[test]
fn all_verdicts() {
    let Some(data) = microschema_tests::data() else { return };
    let (mut cases, mut by_format) = (0, 0);
    for (name, calls) in tools::calls(&data) {
        let schema = calls.schema.get().as_bytes();
        // The expected verdicts take formats as annotations, as the specification has it.
        let (mut arena, mut asserting_arena) = (vec![0; 1 << 18], vec![0; 1 << 18]);
        let program = Options::new().assert_formats(false).compile(schema, &mut arena).expect(&name);
        let asserting = Options::new().compile(schema, &mut asserting_arena).expect(&name);
        for case in &calls.cases {
            cases += 1;
            let outcome = check(&program, &case.data);
            assert_eq!(outcome.verdict, Ok(case.valid), "{name}: {}", case.data);
            let asserted = check(&asserting, &case.data);
            if asserted.verdict != outcome.verdict {
                by_format += 1;
                assert_eq!(asserted.verdict, Ok(false), "{name}: {}", case.data);
                assert!(asserted.json.iter().all(|issue| issue["keyword"] == "format"), "{name}: {asserted:?}");
            }
        }
    }
    println!("{cases} calls; {by_format} are invalid when formats are asserted");
}
