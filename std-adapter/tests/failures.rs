//! Failures and their shapes, from cases that the npm package answers alike (`npm/test/failures.test.mjs`).
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema::Limits;
use microschema_mcp::{Contract, Document, Failure, Structured, Terms};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    side: String,
    schema: Value,
    #[serde(default)]
    terms: Bounds,
    value: Value,
    text: String,
    meta: Value,
    problem: Value,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    issues: Option<usize>,
    characters: Option<usize>,
    depth: Option<u16>,
    steps: Option<u32>,
}

impl Bounds {
    fn terms(&self) -> Terms {
        let limits = Limits::new();
        let limits =
            limits.with_depth(self.depth.unwrap_or(limits.depth)).with_steps(self.steps.unwrap_or(limits.steps));
        let terms = Terms::new().limits(limits);
        let terms = self.issues.map_or(terms.clone(), |issues| terms.issues(issues));
        self.characters.map_or(terms.clone(), |characters| terms.characters(characters))
    }
}

impl Case {
    fn failure(&self) -> Failure {
        let terms = self.terms.terms();
        match &*self.side {
            "input" => Contract::new("tool", &self.schema, Document::Absent, terms).check_input(&self.value),
            "output" => Contract::new("tool", Document::Absent, &self.schema, terms).check_output(&self.value),
            other => panic!("{}: side {other}", self.why),
        }
        .expect_err(&self.why)
    }
}

#[test]
fn failures_have_one_text_and_one_shape() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("golden/failures.json")).unwrap();
    assert!(!cases.is_empty());
    for case in &cases {
        let failure = case.failure();
        let why = &case.why;
        let plain = failure.reply(Structured::Nothing);
        assert_eq!((&plain.text, &json!(plain.meta)), (&case.text, &case.meta), "{why}");
        let issues = json!({"issues": case.meta["microschema/issues"], "omitted": failure.omitted()});
        assert_eq!(failure.reply(Structured::Issues).structured_content, Some(issues), "{why}");
        assert_eq!(failure.reply(Structured::ProblemDetails).structured_content.as_ref(), Some(&case.problem), "{why}");
    }
}
