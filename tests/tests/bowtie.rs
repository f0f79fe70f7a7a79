//! The required tests of the official suite through `microschema bowtie`, in the way Bowtie runs them: a line for each group, in lockstep.

use microschema::Dialect;
use microschema_tests::suite;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The answer to `run`.
#[derive(Debug, Deserialize)]
struct Answer {
    seq: usize,
    #[serde(default)]
    results: Vec<Verdict>,
    context: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
struct Verdict {
    valid: Option<bool>,
}

/// A harness that was started.
struct Harness {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Harness {
    fn start() -> Self {
        let mut child = Command::new(binary())
            .arg("bowtie")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the harness starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut harness = Self { child, input, output };
        let answer = harness.ask(r#"{"cmd": "start", "version": 1}"#);
        assert!(answer.contains(r#""version":1"#), "{answer}");
        harness
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").expect("the harness reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the harness answers");
        answer
    }

    fn stop(mut self) {
        writeln!(self.input, r#"{{"cmd": "stop"}}"#).expect("the harness reads");
        assert!(self.child.wait().expect("the harness ends").success());
    }
}

/// Builds the command line, as this package alone does not, and gives its path.
fn binary() -> PathBuf {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--quiet",
        "--package",
        "microschema-mcp",
        "--bin",
        "microschema",
        "--message-format",
        "json",
    ]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit()).output().expect("cargo runs");
    assert!(output.status.success(), "microschema builds");
    let messages = output.stdout.split(|byte| *byte == b'\n');
    messages
        .filter_map(|line| serde_json::from_slice::<Message>(line).ok()?.executable)
        .next_back()
        .expect("cargo names the executable")
}

/// The registry of every case: all remotes, as they are written.
fn registry(remotes: &[(String, String)]) -> String {
    let mut text = String::from("{");
    for (index, (uri, document)) in remotes.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(text, "{comma}{}:{document}", quoted(uri)).expect("a string takes it");
    }
    text + "}"
}

fn case(seq: usize, group: &suite::Group, registry: &str) -> String {
    let tests: Vec<String> = group
        .tests
        .iter()
        .map(|test| format!(r#"{{"description":{},"instance":{}}}"#, quoted(&test.description), test.data.get()))
        .collect();
    let line = format!(
        r#"{{"cmd":"run","seq":{seq},"case":{{"description":{},"schema":{},"registry":{registry},"tests":[{}]}}}}"#,
        quoted(&group.description),
        group.schema.get(),
        tests.join(","),
    );
    // Line ends can only stand between tokens.
    line.replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

fn run(folder: &str, dialect: Dialect) {
    let Some(data) = microschema_tests::data() else { return };
    let suite_folder = data.join("JSON-Schema-Test-Suite");
    let registry = registry(&suite::remotes(&suite_folder));
    let mut harness = Harness::start();
    let answer = harness.ask(&format!(r#"{{"cmd": "dialect", "dialect": {}}}"#, quoted(dialect.uri())));
    assert_eq!(answer.trim_end(), r#"{"ok":true}"#);
    let (mut passed, mut failed, mut seq) = (0, Vec::new(), 0);
    for (name, path) in suite::files(&suite_folder.join("tests").join(folder)) {
        if name.starts_with("optional/") {
            continue;
        }
        for group in suite::groups(&path) {
            seq += 1;
            let text = harness.ask(&case(seq, &group, &registry));
            let answer: Answer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(answer.seq, seq);
            for (index, test) in group.tests.iter().enumerate() {
                if answer.results.get(index).and_then(|verdict| verdict.valid) == Some(test.valid) {
                    passed += 1;
                } else {
                    let context = answer.context.as_ref().map_or("", |context| context.get());
                    failed.push(format!("{name}: {}: {} {context}", group.description, test.description));
                }
            }
        }
    }
    harness.stop();
    println!("{folder} through bowtie: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{} tests failed:\n{}", failed.len(), failed.join("\n"));
    assert!(passed > 500, "the suite is there");
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
