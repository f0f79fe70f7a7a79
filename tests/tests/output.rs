//! "flag" and "basic" output: on the official output tests, and against the engine on the whole official suite.

use microschema::Dialect;
use microschema_mcp::output::{Evaluator, Output, Reading};
use microschema_tests::suite;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::Path;

/// Locating comes to the verdict of the engine, whatever the schema.
#[test]
fn agrees_with_the_engine() {
    let Some(data) = microschema_tests::data() else { return };
    let folder = data.join("JSON-Schema-Test-Suite");
    let remotes = suite::remotes(&folder);
    let documents: Vec<(&str, &[u8])> = remotes.iter().map(|(uri, text)| (uri.as_str(), text.as_bytes())).collect();
    let (mut agreed, mut failed) = (0, Vec::new());
    for (draft, dialect) in suite::DIALECTS {
        for (name, path) in suite::files(&folder.join("tests").join(draft)) {
            let asserted = name.starts_with("optional/format/") || name == "optional/content.json";
            let reading = Reading { dialect, assert_formats: asserted, documents: &documents };
            for group in suite::groups(&path) {
                let label = format!("{draft}/{name}: {}", group.description);
                let mut evaluator = match Evaluator::new(group.schema.get().as_bytes(), &reading) {
                    Ok(evaluator) => evaluator,
                    Err(error) => {
                        failed.push(format!("{label}: schema refused: {error}"));
                        continue;
                    }
                };
                for test in group.tests {
                    match evaluator.basic(test.data.get().as_bytes()) {
                        Ok(output) if output.valid == test.valid => {
                            well_formed(&output);
                            agreed += 1;
                        }
                        other => failed.push(format!("{label}: {}: {other:?}", test.description)),
                    }
                }
            }
        }
    }
    println!("{agreed} agree, {} do not", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What holds for any output.
fn well_formed(output: &Output) {
    assert_eq!(output.errors.is_empty(), output.valid, "{output:?}");
    assert!(output.annotations.is_empty() || output.valid, "{output:?}");
    for unit in &output.errors {
        assert!(!unit.valid && unit.error.is_some() && unit.annotation.is_none(), "{output:?}");
    }
    for unit in &output.annotations {
        assert!(unit.valid && unit.error.is_none() && unit.annotation.is_some(), "{output:?}");
    }
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    /// For each form of output a schema that it has to match.
    output: std::collections::BTreeMap<String, Box<RawValue>>,
}

/// Runs a file of output tests; gives how many passed.
fn run(groups: &str, dialect: Dialect, documents: &[(&str, &[u8])]) -> usize {
    let groups: Vec<Group> = serde_json::from_str(groups).expect("output tests");
    let reading = Reading { dialect, assert_formats: true, documents };
    let mut passed = 0;
    for group in groups {
        let mut evaluator = Evaluator::new(group.schema.get().as_bytes(), &reading).expect("a schema");
        for test in group.tests {
            let label = format!("{}: {}", group.description, test.description);
            let output = evaluator.basic(test.data.get().as_bytes()).expect(&label);
            for (form, schema) in test.output {
                let output = match form.as_str() {
                    "flag" => serde_json::to_string(&output.flag()),
                    "basic" => serde_json::to_string(&output),
                    // Not given.
                    "detailed" | "verbose" => continue,
                    _ => panic!("{label}: {form}"),
                };
                let output = output.expect("JSON");
                let mut expected = Evaluator::new(schema.get().as_bytes(), &reading).expect(&label);
                let verdict = expected.basic(output.as_bytes()).expect(&label);
                assert!(verdict.valid, "{label}:\n{output}\n{}", serde_json::to_string_pretty(&verdict).expect("JSON"));
                passed += 1;
            }
        }
    }
    passed
}

#[test]
fn official_output_tests() {
    let Some(data) = microschema_tests::data() else { return };
    let folder = data.join("JSON-Schema-Test-Suite/output-tests");
    if !folder.is_dir() {
        eprintln!("skipped: no output tests in {}", folder.display());
        return;
    }
    for (draft, dialect) in suite::DIALECTS {
        let folder = folder.join(draft);
        if folder.is_dir() {
            let passed = run_folder(&folder, dialect);
            println!("{draft}: {passed} passed");
            assert!(passed > 0, "{draft}");
        }
    }
}

fn run_folder(folder: &Path, dialect: Dialect) -> usize {
    let schema = microschema_tests::read(&folder.join("output-schema.json"));
    let id = serde_json::from_str::<Value>(&schema).expect("JSON")["$id"].as_str().expect("an id").to_owned();
    let documents = [(id.as_str(), schema.as_bytes())];
    let files = suite::files(&folder.join("content"));
    files.iter().map(|(_, path)| run(&microschema_tests::read(path), dialect, &documents)).sum()
}
