//! Nanoseconds a character, in turns, on strings that match and on strings that do not.

use crate::Source;
use crate::measure::{Candidate, Effort, Times};
use crate::strings::{self, Random};
use microschema::{Pattern, Text};
use serde_json::{Value, json};
use std::error::Error;
use std::hint::black_box;

const NAMES: [&str; 3] = ["microschema", "regex", "regress"];
/// Strings of each kind.
const STRINGS: usize = 64;

/// One pattern.
#[derive(Debug)]
pub struct Row {
    /// Bytes of our program.
    bytes: usize,
    matching: Part,
    failing: Part,
}

/// One kind of strings.
#[derive(Debug)]
struct Part {
    /// Mean length in characters.
    length: f64,
    /// Nanoseconds a character, in the order of [`NAMES`].
    nanoseconds: [f64; 3],
    /// The time of each over ours.
    ratio: [f64; 3],
}

pub fn measure(pattern: &str, effort: Effort) -> Result<Row, Box<dyn Error>> {
    let mut buffer = vec![0; 64 * 1024];
    let ours = Pattern::compile(Text::plain(pattern), &mut buffer).map_err(|error| format!("{error:?}"))?;
    let regex = regex::Regex::new(pattern)?;
    let regress = regress::Regex::with_flags(pattern, "u")?;
    let is_match = |text: &str| ours.is_match(Text::plain(text), &mut usize::MAX.clone()) == Ok(true);
    let hir = regex_syntax::parse(pattern)?;
    let mut random = Random::new();
    let matching = strings::matching(&hir, &is_match, STRINGS, &mut random);
    let failing = strings::failing(&matching, &is_match, &mut random);
    for text in matching.iter().chain(&failing) {
        let verdict = is_match(text);
        if regex.is_match(text) != verdict || regress.find(text).is_some() != verdict {
            return Err(format!("verdicts differ on {text:?}").into());
        }
    }
    let part = |strings: &[String]| {
        let count = |is_match: &dyn Fn(&str) -> bool| strings.iter().filter(|text| is_match(black_box(text))).count();
        let times = Times::of(
            &mut [
                Candidate::new(NAMES[0], || count(&is_match)),
                Candidate::new(NAMES[1], || count(&|text| regex.is_match(text))),
                Candidate::new(NAMES[2], || count(&|text| regress.find(text).is_some())),
            ],
            effort,
        );
        let chars = strings.iter().map(|text| text.chars().count()).sum::<usize>() as f64;
        Part {
            length: chars / strings.len() as f64,
            nanoseconds: NAMES.map(|name| times.nanoseconds(name).map_or(f64::NAN, |time| time.median / chars)),
            ratio: NAMES.map(|name| times.ratio(name, NAMES[0]).map_or(f64::NAN, |ratio| ratio.median)),
        }
    };
    Ok(Row { bytes: ours.as_bytes().len(), matching: part(&matching), failing: part(&failing) })
}

impl Row {
    pub fn json(&self, pattern: &str, uses: Option<usize>) -> Value {
        let part = |part: &Part| {
            json!({
                "mean_length": part.length,
                "nanoseconds_per_char": object(&part.nanoseconds),
                "times_of_microschema": object(&part.ratio),
            })
        };
        json!({
            "pattern": pattern,
            "uses": uses,
            "program_bytes": self.bytes,
            "matching": part(&self.matching),
            "failing": part(&self.failing),
        })
    }
}

fn object(values: &[f64; 3]) -> Value {
    NAMES
        .iter()
        .zip(values)
        .map(|(&name, &value)| (name.to_owned(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A table in Markdown.
pub fn print(rows: &[(Source, Row)]) {
    println!(
        "Nanoseconds a character: microschema / regex / regress. Uses: in the tool schemas; without, of the six MCP tools.\n"
    );
    println!("| pattern | uses | program bytes | characters | matching | failing |");
    println!("|---|---|---|---|---|---|");
    for (source, row) in rows {
        let [matching, failing] = [&row.matching, &row.failing].map(|part| {
            let [ours, regex, regress] = part.nanoseconds;
            format!("{ours:.1} / {regex:.1} / {regress:.1}")
        });
        println!(
            "| `{}` | {} | {} | {:.0} | {matching} | {failing} |",
            shortened(&source.pattern),
            source.uses.map_or(String::new(), |uses| uses.to_string()),
            row.bytes,
            row.matching.length,
        );
    }
    println!();
}

/// The pattern for a cell of a table.
fn shortened(pattern: &str) -> String {
    let pattern = pattern.replace('|', "\\|");
    if pattern.chars().count() <= 64 { pattern } else { pattern.chars().take(60).chain("…".chars()).collect() }
}
