//! How cost grows: with the size of the instance, and with the size of the schema.

use crate::measure::{Candidate, Effort, Spread, Times};
use crate::schemas;
use microschema::{Json, Limits, Program};
use serde::de::IgnoredAny;
use std::fmt::Write;
use std::hint::black_box;

/// Cost along one axis.
#[derive(Debug)]
pub struct Growth {
    /// What grows.
    pub name: &'static str,
    /// Whether the unit is a byte of the instance, or else a value.
    pub per_byte: bool,
    /// Size, nanoseconds a unit, and for sizes in bytes the ratio to `IgnoredAny`.
    pub steps: Vec<(usize, Spread, Option<Spread>)>,
    /// Sizes that were refused, and why.
    pub refused: Vec<(usize, String)>,
}

impl Growth {
    /// Cost a unit at the last size over that at the first.
    pub fn factor(&self) -> Option<f64> {
        let (first, last) = (self.steps.first()?, self.steps.last()?);
        (first.0 < last.0 && self.refused.is_empty()).then(|| last.1.median / first.1.median)
    }
}

/// All axes.
pub fn run(effort: Effort) -> Vec<Growth> {
    let mut all: Vec<_> = SHAPES.iter().map(|shape| instances(shape, effort)).collect();
    all.extend(SCHEMAS.iter().map(|&(name, case)| schema(name, case, effort)));
    all
}

/// An instance that can be made as long as one likes: a schema, the text around the items, an item by its number.
struct Shape {
    name: &'static str,
    schema: &'static str,
    around: (&'static str, &'static str),
    separator: &'static str,
    item: fn(usize) -> String,
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "objects",
        schema: r#"{"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer", "minimum": 0},
            "name": {"type": "string", "maxLength": 40}, "tags": {"type": "array", "items": {"type": "string"}},
            "at": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]}},
            "required": ["id", "name"], "additionalProperties": false}}"#,
        around: ("[", "]"),
        separator: ",",
        item: |i| format!(r#"{{"id":{i},"name":"item number {i}","tags":["a","b{i}"],"at":{{"x":{i}.5,"y":-1}}}}"#),
    },
    Shape {
        name: "numbers",
        schema: r#"{"type": "array", "items": {"type": "number", "minimum": -1000, "maximum": 100000000}}"#,
        around: ("[", "]"),
        separator: ",",
        item: |i| if i % 2 == 0 { i.to_string() } else { format!("-{}.{}", i % 1000, i % 97) },
    },
    Shape {
        name: "members",
        schema: r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
        around: ("{", "}"),
        separator: ",",
        item: |i| format!(r#""name{i}":{i}"#),
    },
    Shape {
        name: "text",
        schema: r#"{"type": "string", "minLength": 1}"#,
        around: ("\"", "\""),
        separator: " ",
        item: |i| if i % 8 == 7 { "naïve\\n".to_owned() } else { format!("word{i}") },
    },
    Shape {
        name: "pattern",
        schema: r#"{"type": "string", "pattern": "^(?:[a-z]+[0-9]* ?)*$"}"#,
        around: ("\"", "\""),
        separator: " ",
        item: |i| format!("word{i}"),
    },
];

fn instances(shape: &Shape, effort: Effort) -> Growth {
    let mut arena = vec![0; 64 << 10];
    let program = schemas::microschema(shape.schema.as_bytes(), &mut arena).expect("the schemas above compile");
    let texts: Vec<(usize, Vec<u8>)> =
        [1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20].into_iter().map(|size| (size, text(shape, size))).collect();
    let mut growth = Growth { name: shape.name, per_byte: true, steps: Vec::new(), refused: Vec::new() };
    let mut candidates = Vec::new();
    for ((size, text), name) in texts.iter().zip(NAMES) {
        match verdict(program, text) {
            Ok(true) => {
                candidates.push(is_valid(name.0, program, text));
                candidates.push(Candidate::new(name.1, move || {
                    usize::from(black_box(serde_json::from_slice::<IgnoredAny>(black_box(text))).is_ok())
                }));
            }
            other => growth.refused.push((*size, format!("{other:?}"))),
        }
    }
    let times = Times::of(&mut candidates, effort);
    for ((_, text), name) in texts.iter().zip(NAMES) {
        if let Some(time) = times.nanoseconds(name.0) {
            growth.steps.push((text.len(), per(time, text.len()), times.ratio(name.0, name.1)));
        }
    }
    growth
}

const NAMES: [(&str, &str); 5] = [("1", "1i"), ("2", "2i"), ("3", "3i"), ("4", "4i"), ("5", "5i")];

fn text(shape: &Shape, size: usize) -> Vec<u8> {
    let mut text = shape.around.0.to_owned();
    for i in 0.. {
        if i > 0 {
            text.push_str(shape.separator);
        }
        text.push_str(&(shape.item)(i));
        if text.len() >= size {
            break;
        }
    }
    text.push_str(shape.around.1);
    text.into_bytes()
}

fn is_valid<'a>(name: &'static str, program: Program<'a>, text: &'a [u8]) -> Candidate<'a> {
    Candidate::new(name, move || usize::from(black_box(verdict(program, black_box(text))) == Ok(true)))
}

/// With scratch for ten thousand properties, and as many steps as 10 MB may take.
fn verdict(program: Program<'_>, text: &[u8]) -> Result<bool, microschema::Error> {
    let limits = Limits::new().with_steps(u32::MAX);
    program.validator().limits(limits).run_with(Json::new(text)?, None, &mut [0; 1024])
}

fn per(time: Spread, units: usize) -> Spread {
    let units = units as f64;
    Spread { median: time.median / units, low: time.low / units, high: time.high / units }
}

/// A schema with `entries` entries; an instance; the number of values in it that meet the entries.
type Case = fn(entries: usize) -> (String, String, usize);

/// The first value of each case is an array of at least this many values.
const VALUES: usize = 2000;

const SCHEMAS: [(&str, Case); 6] = [
    ("enum", |entries| {
        let schema = format!(r#"{{"items": {{"enum": [{}]}}}}"#, list(entries, |i| format!(r#""value {i}""#)));
        (schema, format!("[{}]", list(VALUES, |i| format!(r#""value {}""#, shuffled(i, entries)))), VALUES)
    }),
    ("properties", |entries| {
        let schema =
            format!(r#"{{"items": {{"properties": {{{}}}, "additionalProperties": false}}}}"#, properties(entries));
        (schema, format!("[{}]", list(VALUES.div_ceil(entries), |_| object(entries))), VALUES.max(entries))
    }),
    // Objects with a single member: what a declared property costs when it is not there.
    ("properties_absent", |entries| {
        let schema =
            format!(r#"{{"items": {{"properties": {{{}}}, "additionalProperties": false}}}}"#, properties(entries));
        (schema, format!("[{}]", list(VALUES, |i| format!(r#"{{"name{}":1}}"#, shuffled(i, entries)))), VALUES)
    }),
    ("required", |entries| {
        let names = list(entries, |i| format!(r#""name{i}""#));
        let schema = format!(r#"{{"items": {{"properties": {{{}}}, "required": [{names}]}}}}"#, properties(entries));
        (schema, format!("[{}]", list(VALUES.div_ceil(entries), |_| object(entries))), VALUES.max(entries))
    }),
    ("any_of", |entries| {
        let branch = |i| {
            format!(
                r#"{{"type": "object", "properties": {{"kind": {{"const": "kind{i}"}}, "value{i}": {{"type": "integer"}}}},
                    "required": ["kind"]}}"#
            )
        };
        let schema = format!(r#"{{"items": {{"anyOf": [{}]}}}}"#, list(entries, branch));
        let item = |i| {
            let branch = shuffled(i, entries);
            format!(r#"{{"kind":"kind{branch}","value{branch}":1}}"#)
        };
        (schema, format!("[{}]", list(VALUES, item)), VALUES)
    }),
    ("any_of_const", |entries| {
        let branch = |i| format!(r#"{{"const": "value {i}", "title": "Value {i}"}}"#);
        let schema = format!(r#"{{"items": {{"anyOf": [{}]}}}}"#, list(entries, branch));
        (schema, format!("[{}]", list(VALUES, |i| format!(r#""value {}""#, shuffled(i, entries)))), VALUES)
    }),
];

fn schema(name: &'static str, case: Case, effort: Effort) -> Growth {
    let mut growth = Growth { name, per_byte: false, steps: Vec::new(), refused: Vec::new() };
    let mut ready = Vec::new();
    for entries in [1, 10, 100, 1000, 10_000] {
        let (schema, instance, values) = case(entries);
        let mut arena = vec![0; 8 * schema.len() + 4096];
        let program = match schemas::microschema(schema.as_bytes(), &mut arena) {
            Ok(program) => program.as_bytes().to_vec(),
            Err(error) => {
                growth.refused.push((entries, format!("{error:?}")));
                continue;
            }
        };
        match Program::from_bytes(&program).map(|program| verdict(program, instance.as_bytes())) {
            Ok(Ok(true)) => ready.push((entries, program, instance, values)),
            other => growth.refused.push((entries, format!("{other:?}"))),
        }
    }
    let mut candidates: Vec<_> = ready
        .iter()
        .zip(NAMES)
        .filter_map(|((_, program, instance, _), name)| {
            Some(is_valid(name.0, Program::from_bytes(program).ok()?, instance.as_bytes()))
        })
        .collect();
    let times = Times::of(&mut candidates, effort);
    for ((entries, _, _, values), name) in ready.iter().zip(NAMES) {
        if let Some(time) = times.nanoseconds(name.0) {
            growth.steps.push((*entries, per(time, *values), None));
        }
    }
    growth
}

/// A walk over all entries in no simple order.
fn shuffled(i: usize, entries: usize) -> usize {
    i.wrapping_mul(7919) % entries
}

fn properties(entries: usize) -> String {
    list(entries, |i| format!(r#""name{i}": {{"type": "integer"}}"#))
}

/// An object with all members of [`properties`], in another order.
fn object(entries: usize) -> String {
    format!("{{{}}}", list(entries, |i| format!(r#""name{}":{i}"#, shuffled(i, entries))))
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(text, "{}{}", if i > 0 { "," } else { "" }, item(i));
    }
    text
}
