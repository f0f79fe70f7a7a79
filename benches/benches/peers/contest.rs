//! One set: everybody reads the same instances, in turns.

use crate::heap;
use crate::measure::{Candidate, Effort, Times};
use crate::schemas::{self, Peers};
use crate::typed;
use microschema::{Issues, Program};
use microschema_benches::sets::Set;
use microschema_mcp::Tree;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use std::fmt::Write;
use std::hint::black_box;

/// What all ratios are over.
pub const BASE: &str = "serde_json_ignored_any";

/// Everything measured on one set.
#[derive(Debug)]
pub struct Outcome {
    pub name: String,
    pub is_mcp: bool,
    /// Number and bytes of the valid instances.
    pub instances: usize,
    pub bytes: usize,
    /// The same of the invalid ones.
    pub invalid_instances: usize,
    pub invalid_bytes: usize,
    pub times: Times,
    pub compile: Times,
    /// Bytes held by a compiled schema: `None` where it was refused.
    pub program_bytes: usize,
    pub jsonschema_heap: i64,
    pub boon_heap: Option<i64>,
    /// Allocations a call, on valid instances.
    pub allocations: Vec<(&'static str, f64)>,
    /// Candidates that gave another verdict than the set expects: name, right ones, of how many.
    pub disagreements: Vec<(&'static str, usize, usize)>,
}

/// Runs the contest.
pub fn run(set: &Set, effort: Effort) -> Result<Outcome, String> {
    let mut arena = vec![0; 8 * set.schema.len() + 4096];
    let program = schemas::microschema(&set.schema, &mut arena).map_err(|error| format!("{error:?}"))?;
    let schema = schemas::without_formats(&set.schema);
    // Once for the meta-schemas that are kept for good, once to count.
    drop((Peers::of(&schema), Peers::of(&schema)));
    let (jsonschema, jsonschema_heap) = heap::count(|| schemas::jsonschema(&schema));
    let (boon, boon_heap) = heap::count(|| schemas::boon(&schema));
    let boon_heap = boon.is_some().then_some(boon_heap.held);
    let peers = Peers { jsonschema, boon };

    let trees: Vec<Value> =
        set.valid.iter().map(|text| serde_json::from_slice(text).expect("instances are JSON")).collect();
    let mut candidates = on_bytes(set, program, &peers);
    candidates.extend(on_trees(&trees, program, &peers));
    let on_valid = candidates.len();
    if !set.invalid.is_empty() {
        candidates.extend(on_invalid(&set.invalid, program, &peers));
    }

    let mut disagreements = Vec::new();
    let mut allocations = Vec::new();
    for (index, candidate) in candidates.iter_mut().enumerate() {
        let expected = if index < on_valid { set.valid.len() } else { set.invalid.len() };
        let right = (candidate.pass)();
        if right != expected {
            disagreements.push((candidate.name, right, expected));
        }
        let (_, heap) = heap::count(&mut candidate.pass);
        allocations.push((candidate.name, heap.allocations as f64 / expected as f64));
    }
    Ok(Outcome {
        name: set.name.clone(),
        is_mcp: set.is_mcp(),
        instances: set.valid.len(),
        bytes: set.valid.iter().map(Vec::len).sum(),
        invalid_instances: set.invalid.len(),
        invalid_bytes: set.invalid.iter().map(Vec::len).sum(),
        times: Times::of(&mut candidates, effort),
        compile: compile(set, &schema, peers.boon.is_some(), effort),
        program_bytes: program.as_bytes().len(),
        jsonschema_heap: jsonschema_heap.held,
        boon_heap,
        allocations,
        disagreements,
    })
}

/// A candidate that reads every text and counts those for which `accepts` holds.
fn texts<'a>(name: &'static str, all: &'a [Vec<u8>], accepts: impl Fn(&[u8]) -> bool + 'a) -> Candidate<'a> {
    Candidate::new(name, move || all.iter().filter(|text| accepts(black_box(text))).count())
}

fn parses<T: DeserializeOwned>(text: &[u8]) -> bool {
    black_box(serde_json::from_slice::<T>(text)).is_ok()
}

fn sonic_parses<T: DeserializeOwned>(text: &[u8]) -> bool {
    black_box(sonic_rs::from_slice::<T>(text)).is_ok()
}

fn value(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

/// From bytes to verdict.
fn on_bytes<'a>(set: &'a Set, program: Program<'a>, peers: &'a Peers) -> Vec<Candidate<'a>> {
    let all = &set.valid;
    let mut candidates = vec![
        texts(BASE, all, parses::<IgnoredAny>),
        texts("microschema_is_valid", all, move |text| program.is_valid(text) == Ok(true)),
        texts("microschema_validate", all, move |text| program.validate(text, &mut Issues::<8>::new()) == Ok(true)),
        texts("sonic_rs_ignored_any", all, sonic_parses::<IgnoredAny>),
        texts("sonic_rs_value", all, sonic_parses::<sonic_rs::Value>),
        texts("serde_json_value", all, parses::<Value>),
        texts("jsonschema_is_valid", all, |text| value(text).is_some_and(|value| peers.jsonschema.is_valid(&value))),
        texts("jsonschema_iter_errors", all, |text| {
            value(text).is_some_and(|value| peers.jsonschema.iter_errors(&value).collect::<Vec<_>>().is_empty())
        }),
    ];
    if let Some(boon) = &peers.boon {
        candidates.push(texts("boon", all, |text| value(text).is_some_and(|value| boon.is_valid(&value))));
    }
    if let Some(reads) = typed::of(&set.name) {
        candidates.push(texts("serde_typed", all, reads));
    }
    candidates
}

/// On values that somebody else parsed.
fn on_trees<'a>(all: &'a [Value], program: Program<'a>, peers: &'a Peers) -> Vec<Candidate<'a>> {
    fn trees<'a>(name: &'static str, all: &'a [Value], accepts: impl Fn(&Value) -> bool + 'a) -> Candidate<'a> {
        Candidate::new(name, move || all.iter().filter(|value| accepts(black_box(value))).count())
    }
    let validator = program.validator();
    let mut candidates = vec![
        trees("value_microschema_is_valid", all, move |value| validator.run(Tree::of(value), None) == Ok(true)),
        trees("value_jsonschema_is_valid", all, |value| peers.jsonschema.is_valid(value)),
    ];
    if let Some(boon) = &peers.boon {
        candidates.push(trees("value_boon", all, |value| boon.is_valid(value)));
    }
    candidates
}

/// From bytes to what is wrong.
fn on_invalid<'a>(all: &'a [Vec<u8>], program: Program<'a>, peers: &'a Peers) -> Vec<Candidate<'a>> {
    let described = move |text: &[u8]| {
        let mut issues = Issues::<8>::new();
        let verdict = program.validate(text, &mut issues);
        let mut message = String::with_capacity(1024);
        for issue in &issues {
            let _ = writeln!(message, "- {}", issue.describe(&program, text));
        }
        black_box(message);
        verdict == Ok(false)
    };
    let mut candidates = vec![
        texts("invalid_serde_json_ignored_any", all, parses::<IgnoredAny>),
        texts("invalid_microschema_is_valid", all, move |text| program.is_valid(text) == Ok(false)),
        texts("invalid_microschema_validate", all, move |text| {
            program.validate(text, &mut Issues::<8>::new()) == Ok(false)
        }),
        texts("invalid_microschema_validate_and_describe", all, described),
        texts("invalid_jsonschema_is_valid", all, |text| {
            value(text).is_some_and(|value| !peers.jsonschema.is_valid(&value))
        }),
        texts("invalid_jsonschema_iter_errors", all, |text| {
            value(text).is_some_and(|value| !peers.jsonschema.iter_errors(&value).collect::<Vec<_>>().is_empty())
        }),
    ];
    if let Some(boon) = &peers.boon {
        candidates.push(texts("invalid_boon", all, |text| value(text).is_some_and(|value| !boon.is_valid(&value))));
    }
    candidates
}

/// Compile time. Ours reads the schema's text; the others are given it parsed.
fn compile(set: &Set, schema: &Value, boon: bool, effort: Effort) -> Times {
    let mut arena = vec![0; 8 * set.schema.len() + 4096];
    let mut candidates = vec![
        Candidate::new("microschema", || {
            let program = schemas::microschema(black_box(&set.schema), &mut arena);
            program.map_or(0, |program| black_box(program.as_bytes()).len())
        }),
        Candidate::new("jsonschema", || {
            usize::from(black_box(schemas::jsonschema(black_box(schema))).is_valid(&Value::Null))
        }),
    ];
    if boon {
        candidates.push(Candidate::new("boon", || usize::from(schemas::boon(black_box(schema)).is_some())));
    }
    Times::of(&mut candidates, effort)
}
