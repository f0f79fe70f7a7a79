//! Small cases from public bug reports about other validators and MCP servers.

use microschema::{Dialect, Error, Limits, Options, SchemaError};
use microschema_tests::both::{self, Outcome};
use serde::Deserialize;
use serde_json::Value;

/// A case of `tests/data/bug-cases.json`. Schema and instance are JSON text, and stay so.
#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    why: String,
    dialect: String,
    schema_text: String,
    instance: String,
    /// The exact bytes of the instance, where they are no text.
    instance_hex: Option<String>,
    valid: Value,
    format_assert: bool,
    #[serde(default)]
    alt_verdicts: serde_json::Map<String, Value>,
    report: Option<Report>,
}

/// What the issues of a case must show.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    /// The JSON Pointer of an issue.
    path: Option<String>,
    /// The keyword of an issue.
    keyword: Option<String>,
    /// The name of the missing property.
    missing: Option<String>,
    /// What the first issue speaks of.
    prefer: Option<String>,
    /// The items that are the same.
    first_pair: Option<[u32; 2]>,
    /// Bounds on the number of issues kept and the bytes of all of them, rendered.
    max_issues: Option<usize>,
    max_bytes: Option<usize>,
    /// Text that must not show.
    no_value_leak: Option<String>,
    /// A bound on the time, where the naive way takes forever.
    max_ms: Option<u64>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../data/bug-cases.json")).expect("the cases are JSON")
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        let Some(hex) = &self.instance_hex else { return self.instance.clone().into_bytes() };
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex digits");
        (0..hex.len()).step_by(2).map(digit).collect()
    }

    fn run(&self, limits: Limits) -> Result<Result<Outcome, SchemaError>, String> {
        let dialect = match self.dialect.as_str() {
            "2020-12" => Dialect::Draft2020_12,
            "draft-07" => Dialect::Draft7,
            other => panic!("{}: dialect {other}", self.id),
        };
        let mut arena = vec![0; 1 << 18];
        let options = Options::new().dialect(dialect).assert_formats(self.format_assert);
        match options.compile(self.schema_text.as_bytes(), &mut arena) {
            Ok(program) => both::validate_within(&program, &self.bytes(), limits).map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// Where the specifications leave the choice and the engine chose otherwise than `valid` says: the key of `alt_verdicts`, and why.
const CHOICES: [(&str, &str); 3] = [
    // `https` is taken for `http` in the URIs of dialects: `Dialect::from_uri`.
    ("B318", "alias"),
    // An identity escape that `u` forbids has but one meaning, and published schemas are full of them.
    ("B423", "lenient"),
    // So has a brace that opens no quantifier.
    ("B425", "annex-b"),
];

/// Steps that a millisecond of `max_ms` stands for: counted, so that no test depends on the machine. `Limits::default` has a second's.
const STEPS_PER_MS: u32 = Limits::new().steps / 1000;

/// The verdict in the words of the cases.
fn verdict(result: &Result<Outcome, SchemaError>) -> Value {
    match result {
        Err(_) => "schema-error".into(),
        Ok(Outcome { verdict: Ok(valid), .. }) => (*valid).into(),
        Ok(Outcome { verdict: Err(Error::Json(_)), .. }) => "invalid-json".into(),
        Ok(Outcome { verdict: Err(error), .. }) => error.to_string().into(),
    }
}

#[test]
fn verdicts() {
    let (mut failed, mut choices) = (Vec::new(), CHOICES.to_vec());
    for case in cases() {
        let mut expected = &case.valid;
        if let Some(index) = choices.iter().position(|(id, _)| *id == case.id) {
            let (_, alternative) = choices.swap_remove(index);
            expected = case.alt_verdicts.get(alternative).expect(&case.id);
        }
        match case.run(Limits::default()) {
            Ok(result) if verdict(&result) == *expected => {}
            Ok(result) => failed.push(format!("{}: {}, got {result:?}", case.id, case.why)),
            Err(message) => failed.push(format!("{}: {message}", case.id)),
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(choices.is_empty(), "no such cases: {choices:?}");
}

#[test]
fn reports() {
    for case in cases() {
        let Some(report) = &case.report else { continue };
        let limits = Limits::new().with_steps(report.max_ms.map_or(Limits::new().steps, |ms| ms as u32 * STEPS_PER_MS));
        let outcome = case.run(limits).expect(&case.id).expect(&case.id);
        assert_eq!(outcome.verdict.map(Value::from), Ok(case.valid.clone()), "{}", case.id);
        report.check(&outcome, &case.id);
    }
}

impl Report {
    fn check(&self, outcome: &Outcome, id: &str) {
        let text = format!("{}\n{}", outcome.issues.join("\n"), Value::from(outcome.json.clone()));
        let any = |test: &dyn Fn(&Value) -> bool| outcome.json.iter().any(test);
        if let Some(path) = &self.path {
            assert!(any(&|issue| issue["pointer"] == **path), "{id}: {text}");
        }
        if let Some(keyword) = &self.keyword {
            assert!(any(&|issue| issue["keyword"] == **keyword), "{id}: {text}");
        }
        if let Some(name) = &self.missing {
            let is_missing = |issue: &Value| issue["keyword"] == "required" && last_segment(issue) == Some(name);
            assert!(any(&is_missing), "{id}: {text}");
        }
        if let Some(name) = self.prefer.as_deref().map(|prefer| prefer.strip_prefix("missing ").expect(id)) {
            let first = &outcome.json[0];
            assert!(first["keyword"] == "required" && last_segment(first) == Some(name), "{id}: {text}");
        }
        if let Some([first, second]) = self.first_pair {
            assert!(text.contains(&format!("items {first} and {second} ")), "{id}: {text}");
        }
        if let Some(most) = self.max_issues {
            assert!((1..=most).contains(&outcome.issues.len()), "{id}: {text}");
        }
        if let Some(most) = self.max_bytes {
            assert!(!text.is_empty() && text.len() <= most, "{id}: {} bytes: {text}", text.len());
        }
        if let Some(secret) = &self.no_value_leak {
            assert!(!text.contains(secret), "{id}: {text}");
        }
    }
}

fn last_segment(issue: &Value) -> Option<&str> {
    issue["path"].as_array()?.last()?.as_str()
}
