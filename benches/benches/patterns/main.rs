//! Patterns of real schemas against `regex` and `regress`: bytes, nanoseconds a character, counted steps.
//!
//! `cargo bench -p microschema-benches --bench patterns -- [--json] [--quick] [--steps]`
//!
//! The patterns are those of the six MCP tools and the ten most frequent ones of `tool-schemas.jsonl` in the folder that
//! `MICROSCHEMA_DATA` names. `--steps`: only the counted steps.

#[allow(dead_code, reason = "the bench `peers` uses all of it")]
#[path = "../peers/measure.rs"]
mod measure;
mod speed;
mod steps;
mod strings;

use measure::Effort;
use microschema_benches::sets;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;

/// How many of the most frequent patterns.
const MOST_FREQUENT: usize = 10;

/// A pattern, and where it is from.
#[derive(Debug)]
struct Source {
    pattern: String,
    /// How many schemas of the corpus use it; `None` for one of the six tools.
    uses: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut in_json, mut only_steps, mut effort) = (false, false, Effort::FULL);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => in_json = true,
            "--quick" => effort = Effort::QUICK,
            "--steps" => only_steps = true,
            // Cargo's own.
            "--bench" => {}
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let mut rows = Vec::new();
    for source in if only_steps { Vec::new() } else { sources()? } {
        eprintln!("{}", source.pattern);
        let row = speed::measure(&source.pattern, effort).map_err(|why| format!("{}: {why}", source.pattern))?;
        rows.push((source, row));
    }
    let steps = steps::count();
    if in_json {
        let rows: Vec<Value> = rows.iter().map(|(source, row)| row.json(&source.pattern, source.uses)).collect();
        println!("{}", json!({ "patterns": rows, "steps": steps::json(&steps) }));
    } else {
        if !rows.is_empty() {
            speed::print(&rows);
        }
        steps::print(&steps);
    }
    if steps.iter().any(|row| !row.is_linear()) {
        return Err("steps grow faster than the text or the pattern".into());
    }
    Ok(())
}

/// The patterns to measure, each once.
fn sources() -> Result<Vec<Source>, Box<dyn Error>> {
    let mut sources = Vec::new();
    let mut add = |pattern: String, uses| {
        if !sources.iter().any(|source: &Source| source.pattern == pattern) {
            sources.push(Source { pattern, uses });
        }
    };
    for (pattern, uses) in frequent()? {
        add(pattern, Some(uses));
    }
    for set in sets::mcp()? {
        let mut found = BTreeMap::new();
        collect(&serde_json::from_slice(&set.schema)?, &mut found);
        found.into_keys().for_each(|pattern| add(pattern, None));
    }
    Ok(sources)
}

/// The most frequent patterns of the corpus of tool schemas, with the number of their uses.
fn frequent() -> Result<Vec<(String, usize)>, Box<dyn Error>> {
    let file = sets::data().join("tool-schemas.jsonl");
    let Ok(lines) = std::fs::read_to_string(&file) else {
        eprintln!("MICROSCHEMA_DATA has no `tool-schemas.jsonl`: only the patterns of the six MCP tools");
        return Ok(Vec::new());
    };
    let mut found = BTreeMap::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line)?;
        collect(&line["schema"], &mut found);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MOST_FREQUENT);
    Ok(found)
}

/// Counts `pattern` and the names below `patternProperties`.
fn collect(schema: &Value, found: &mut BTreeMap<String, usize>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(pattern) if name == "pattern" => *found.entry(pattern.clone()).or_default() += 1,
                    Value::Object(patterns) if name == "patternProperties" => {
                        patterns.keys().for_each(|pattern| *found.entry(pattern.clone()).or_default() += 1);
                    }
                    _ => {}
                }
                collect(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
