//! The official test suite: required and optional tests of all dialects, in both modes and through both readers.

use microschema::{Dialect, Options, Program};
use microschema_tests::{both, suite};

fn run(folder: &str, dialect: Dialect) {
    let Some(data) = microschema_tests::data() else { return };
    let suite_folder = data.join("JSON-Schema-Test-Suite");
    let remotes = suite::remotes(&suite_folder);
    let documents: Vec<(&str, &[u8])> = remotes.iter().map(|(uri, text)| (uri.as_str(), text.as_bytes())).collect();
    let (mut passed, mut failed) = (0, Vec::new());
    for (name, path) in suite::files(&suite_folder.join("tests").join(folder)) {
        // Draft-07 has the content of strings as an assertion; here that goes with formats.
        let asserted = name.starts_with("optional/format/") || name == "optional/content.json";
        let options = Options::new().dialect(dialect).assert_formats(asserted).documents(&documents);
        for group in suite::groups(&path) {
            let mut arena = vec![0; 1 << 20];
            // As a program from elsewhere: what the compiler writes passes the check.
            let program = options.compile(group.schema.get().as_bytes(), &mut arena).map(|program| {
                Program::from_bytes(program.as_bytes())
                    .unwrap_or_else(|error| panic!("{name}: {}: {error}", group.description))
            });
            for test in group.tests {
                let label = format!("{name}: {}: {}", group.description, test.description);
                let program = match &program {
                    Ok(program) => program,
                    Err(error) => {
                        failed.push(format!("{label}: schema refused: {error}"));
                        continue;
                    }
                };
                match both::validate(program, test.data.get().as_bytes()) {
                    Ok(outcome) if outcome.verdict == Ok(test.valid) => passed += 1,
                    Ok(outcome) => failed.push(format!("{label}: expected {}, got {:?}", test.valid, outcome.verdict)),
                    Err(message) => failed.push(format!("{label}: {message}")),
                }
            }
        }
    }
    println!("{folder}: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{} tests failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn draft4() {
    run("draft4", Dialect::Draft4);
}

#[test]
fn draft6() {
    run("draft6", Dialect::Draft6);
}

#[test]
fn draft7() {
    run("draft7", Dialect::Draft7);
}

#[test]
fn draft2019_09() {
    run("draft2019-09", Dialect::Draft2019_09);
}

#[test]
fn draft2020_12() {
    run("draft2020-12", Dialect::Draft2020_12);
}
