//! One instance through every way of validating it: both modes, and all readers. They must agree.

use crate::toy::{Toy, Tree};
use microschema::{Error, Issue, Issues, JsonErrorKind, Limit, Limits, Number, Program};
use serde_json::Value;

/// Issues kept of a run.
pub const KEPT: usize = 8;

/// What validation gave.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict, or why there is none.
    pub verdict: Result<bool, Error>,
    /// The issues, as `Display` describes them.
    pub issues: Vec<String>,
    /// The same as JSON.
    pub json: Vec<Value>,
    /// Issues beyond [`KEPT`].
    pub omitted: u32,
}

/// Validates `instance` in all ways, with [`Limits::default`].
///
/// # Errors
/// Where two ways disagree, which ones and how.
pub fn validate(program: &Program<'_>, instance: &[u8]) -> Result<Outcome, String> {
    validate_within(program, instance, Limits::default())
}

/// Validates `instance` in all ways.
///
/// # Errors
/// Where two ways disagree, which ones and how.
pub fn validate_within(program: &Program<'_>, instance: &[u8], limits: Limits) -> Result<Outcome, String> {
    let validator = program.validator().limits(limits);
    let mut issues = Issues::<KEPT>::new();
    let verdict = validator.validate(instance, &mut issues);
    let quick = validator.is_valid(instance);
    // `is_valid` stops at the first failure, and so may miss that what follows is not JSON, or too much.
    if quick != verdict && (quick != Ok(false) || verdict == Ok(true)) {
        return Err(format!("validate gives {verdict:?}, is_valid {quick:?}"));
    }
    if let Ok(valid) = verdict
        && valid != issues.is_empty()
    {
        return Err(format!("validate gives {valid} with {} issues", issues.as_slice().len()));
    }
    let mut outcome = Outcome { verdict, issues: Vec::new(), json: Vec::new(), omitted: issues.omitted() };
    if let Err(Error::Json(error)) = verdict
        && error.kind != JsonErrorKind::DuplicateName
    {
        return Ok(outcome);
    }
    for issue in &issues {
        let described = issue.describe(program, instance);
        outcome.issues.push(described.to_string());
        outcome.json.push(serde_json::to_value(described).map_err(|error| error.to_string())?);
    }
    let text = std::str::from_utf8(instance).map_err(|error| error.to_string())?;
    let tree = match Tree::parse(text) {
        Ok(tree) => tree,
        // A name came twice before the end of what is no JSON for more than that.
        Err(_) if verdict.is_err() => return Ok(outcome),
        Err(error) => return Err(format!("{verdict:?}, but the other reader's parser says {error}")),
    };
    second_reader(program, &tree, limits, &outcome)?;
    // What `serde_json` does not read is deeper, or has an exponent greater, than it allows.
    if let Ok(value) = serde_json::from_slice(instance) {
        parsed_value(program, &value, limits, &tree, &outcome)?;
    }
    Ok(outcome)
}

/// What a run remembers goes by places, which differ between the readers, and so may what it costs.
const OUT_OF_STEPS: Result<bool, Error> = Err(Error::Limit(Limit::Steps));

/// The adapter's reader against the bytes of the same value, and against the original where parsing it lost nothing.
fn parsed_value(
    program: &Program<'_>,
    value: &Value,
    limits: Limits,
    original: &Tree,
    expected: &Outcome,
) -> Result<(), String> {
    let text = value.to_string();
    let validator = program.validator().limits(limits);
    let (mut of_text, mut of_value) = (Issues::<KEPT>::new(), Issues::<KEPT>::new());
    let verdict = validator.validate(text.as_bytes(), &mut of_text);
    let reader = microschema_mcp::Tree::of(value);
    let found = validator.run(reader, Some(&mut of_value));
    if found == OUT_OF_STEPS || verdict == OUT_OF_STEPS {
        return Ok(());
    }
    if found != verdict || of_text.omitted() != of_value.omitted() {
        return Err(format!("{text} gives {verdict:?}, its value {found:?}"));
    }
    let from_text: Vec<String> =
        of_text.iter().map(|issue| issue.describe(program, text.as_bytes()).to_string()).collect();
    let from_value: Vec<String> = of_value.iter().map(|issue| issue.describe_in(program, reader).to_string()).collect();
    if from_text != from_value {
        return Err(format!("the issues differ:\nbytes: {from_text:#?}\nvalue: {from_value:#?}"));
    }
    let is_whole = Tree::parse(&text).is_ok_and(|tree| same(&tree, original));
    if is_whole && verdict != expected.verdict {
        return Err(format!("bytes give {:?}, the value {found:?}", expected.verdict));
    }
    Ok(())
}

/// Whether two trees are the same to a schema, members in any order.
fn same(a: &Tree, b: &Tree) -> bool {
    match (a, b) {
        (Tree::Number(a), Tree::Number(b)) => {
            let (a, b) = (Number::from_literal(a.as_bytes()), Number::from_literal(b.as_bytes()));
            a.equals(b) && a.is_plain_integer() == b.is_plain_integer()
        }
        (Tree::Array(a), Tree::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Tree::Object(a), Tree::Object(b)) => {
            let is_in_b = |(name, value): &(String, Tree)| b.iter().any(|(other, of)| other == name && same(value, of));
            a.len() == b.len() && a.iter().all(is_in_b)
        }
        _ => a == b,
    }
}

fn second_reader(program: &Program<'_>, tree: &Tree, limits: Limits, expected: &Outcome) -> Result<(), String> {
    let validator = program.validator().limits(limits);
    let mut issues = Issues::<KEPT>::new();
    let verdict = validator.run(Toy(tree), Some(&mut issues));
    let quick = validator.run(Toy(tree), None);
    if verdict == OUT_OF_STEPS || quick == OUT_OF_STEPS {
        return Ok(());
    }
    let agrees = match (expected.verdict, verdict) {
        // Places differ between the readers.
        (Err(Error::Json(a)), Err(Error::Json(b))) => a.kind == b.kind,
        (a, b) => a == b,
    };
    if !agrees || (quick != verdict && (quick != Ok(false) || verdict == Ok(true))) {
        return Err(format!("bytes give {:?}, the tree {verdict:?} and {quick:?}", expected.verdict));
    }
    let describe = |issue: &Issue| issue.describe_in(program, Toy(tree)).to_string();
    let described: Vec<String> = issues.iter().map(describe).collect();
    if described != expected.issues || issues.omitted() != expected.omitted {
        return Err(format!("the issues differ:\nbytes: {:#?}\ntree: {described:#?}", expected.issues));
    }
    Ok(())
}
