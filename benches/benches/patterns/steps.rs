//! Counted steps on patterns that make backtracking engines hang: they must grow like the text, and like the pattern.

use microschema::{Pattern, Text};
use serde_json::{Value, json};

/// Patterns, with what the text is made of and what it ends with, so that it almost matches.
const HANGS: [(&str, &str, &str); 8] = [
    ("^((a+)+)+$", "a", "!"),
    ("^(a|aa)*$", "a", "b"),
    ("^(x+x+)+y$", "x", ""),
    ("(x+x+)+y", "x", ""),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""),
    ("^([a-zA-Z0-9_.-]+)*@example$", "a-b.", ""),
    ("^(?=.*a.*a.*a)(.*)*!$", "a", ""),
    ("(?<!(?:ba*)+)c.{20,40}d", "a", "cd"),
];
/// Characters of the text.
const LENGTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// How many parts the growing patterns have.
const PARTS: [usize; 4] = [5, 10, 20, 40];
/// Characters of the text they run over.
const TEXT: usize = 1_000;

/// Counts of one pattern as one size grows tenfold, or twofold.
#[derive(Debug)]
pub struct Row {
    pattern: String,
    /// What grows.
    size: &'static str,
    /// Sizes and steps.
    steps: Vec<(usize, usize)>,
}

pub fn count() -> Vec<Row> {
    let mut rows = Vec::new();
    for (pattern, unit, end) in HANGS {
        let steps = LENGTHS.map(|length| (length, steps(pattern, &text(unit, end, length)))).to_vec();
        rows.push(Row { pattern: pattern.to_owned(), size: "text", steps });
    }
    let grow = |first: &str, part: &str, last: &str| {
        let steps = PARTS.map(|parts| {
            let pattern = [first, &part.repeat(parts), last].concat();
            (pattern.chars().count(), steps(&pattern, &text("a", "", TEXT)))
        });
        Row { pattern: format!("{first}{part}…{last}"), size: "pattern", steps: steps.to_vec() }
    };
    rows.push(grow("^", "(?:a|aa?)?", "a*!$"));
    rows.push(grow("^(?:", "a+b?|", "c)*!$"));
    rows
}

impl Row {
    /// Whether steps grew no faster than the size, give or take a quarter.
    pub fn is_linear(&self) -> bool {
        self.steps.windows(2).all(|pair| {
            let [(small, few), (large, many)] = pair else { return false };
            (*many as f64 / *few as f64) < 1.25 * *large as f64 / *small as f64
        })
    }
}

fn text(unit: &str, end: &str, length: usize) -> String {
    unit.chars().cycle().take(length - end.len()).chain(end.chars()).collect()
}

fn steps(pattern: &str, text: &str) -> usize {
    let mut buffer = vec![0; 256 * 1024];
    let compiled = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap_or_else(|e| panic!("{pattern}: {e:?}"));
    let mut left = usize::MAX;
    assert!(compiled.is_match(Text::plain(text), &mut left).is_ok());
    usize::MAX - left
}

pub fn json(rows: &[Row]) -> Value {
    rows.iter()
        .map(|row| {
            let steps: Vec<Value> =
                row.steps.iter().map(|(size, steps)| json!({ "size": size, "steps": steps })).collect();
            json!({ "pattern": row.pattern, "grows": row.size, "steps": steps, "linear": row.is_linear() })
        })
        .collect()
}

/// A table in Markdown.
pub fn print(rows: &[Row]) {
    println!("Steps, and in brackets what grows: characters of the text, or of the pattern on a text of {TEXT}.\n");
    println!("| pattern | grows | | | | |");
    println!("|---|---|---|---|---|---|");
    for row in rows {
        let cells: Vec<String> = row.steps.iter().map(|(size, steps)| format!("{steps} ({size})")).collect();
        let verdict = if row.is_linear() { "linear" } else { "NOT LINEAR" };
        println!("| `{}` | {} | {} | {verdict} |", row.pattern.replace('|', "\\|"), row.size, cells.join(" | "));
    }
}
