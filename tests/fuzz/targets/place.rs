//! The path and the pointer of an issue lead to a value that its keyword can fail on, or to where a property is missing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema_fuzz::Case;
use microschema_tests::{both, place};

fuzz_target!(|data: &[u8]| {
    let case = Case::of(data);
    let mut arena = Vec::new();
    let program = case.compile(&mut arena);
    for (value, text) in &case.instances {
        let outcome = both::validate(&program, text.as_bytes())
            .unwrap_or_else(|message| panic!("{message}\n{}\n{text}", case.text));
        for issue in &outcome.json {
            place::check_place(value, issue);
        }
    }
});
