//! The path and the pointer of an issue lead to a value that its keyword can fail on, or to where a property is missing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema_fuzz::{Case, outcome};
use microschema_tests::place;

fuzz_target!(|data: &[u8]| {
    let case = Case::of(data);
    let mut arena = Vec::new();
    let program = case.compile(&mut arena);
    for (value, text) in &case.instances {
        let Some(outcome) = outcome(&program, text) else { continue };
        for issue in &outcome.json {
            place::check_place(value, issue);
        }
    }
});
