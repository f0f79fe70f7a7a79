//! `microschema lint`: which schemas of a file would be refused, and what they cost.

use crate::exit::{self, Exit, Failure};
use crate::options::{Reading, dialect_name};
use crate::reasons::{self, Reason};
use crate::source::{self, Source};
use crate::tools::{self, Found};
use crate::{patterns, snippet};
use clap::{Args, ValueEnum};
use microschema::{Dialect, Error, Instance, Json};
use microschema_mcp::place;
use serde::Serialize;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

/// Tell which schemas would be refused, and why.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub struct Lint {
    /// How results are written: text, or a JSON list.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
    #[command(flatten)]
    reading: Reading,
    /// A schema, a tool, or the result of `tools/list`: as such, as a JSON-RPC response, or just the array (`-`: standard input).
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Json,
}

/// What there is to say of a schema.
#[derive(Debug, Serialize)]
struct Record {
    tool: Option<String>,
    which: &'static str,
    dialect: Option<String>,
    refused: bool,
    /// The first of the reasons.
    reason: Option<String>,
    reasons: Vec<Place>,
    schema_bytes: usize,
    program_bytes: Option<usize>,
    /// Places of patterns that are read although ECMA-262 forbids them under `u`.
    lenient: Vec<Place>,
}

/// A place in a schema.
#[derive(Debug, Serialize)]
struct Place {
    pointer: String,
    /// Byte offset in the file.
    at: usize,
    message: String,
}

impl Lint {
    pub fn run(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Failure> {
        let file = source::read(&self.file)?;
        if let Err(error) = read_through(&file.bytes) {
            writeln!(err, "{}", snippet::about_error(&file, error))?;
            return Ok(Exit::of_error(error));
        }
        let (json, root) = whole(&file.bytes)?;
        let found = tools::schemas(json, root);
        let records: Vec<Record> = found.into_iter().map(|found| self.record(json, found)).collect();
        match self.output {
            Output::Text => write_text(&records, &file, out)?,
            Output::Json => write_json(&records, out)?,
        }
        Ok(if records.iter().any(|record| record.refused) { Exit::Refused } else { Exit::Valid })
    }

    fn record(&self, json: Json<'_>, found: Found) -> Record {
        let Found { tool, which, span } = found;
        let mut record = Record {
            tool,
            which,
            dialect: None,
            refused: false,
            reason: None,
            reasons: Vec::new(),
            schema_bytes: 0,
            program_bytes: None,
            lenient: Vec::new(),
        };
        let Some(span) = span else {
            record.refused = true;
            record.reason = Some(format!("the tool has no {which}"));
            return record;
        };
        let schema = json.bytes().get(span.clone()).unwrap_or_default();
        record.schema_bytes = schema.len();
        record.dialect = Some(self.dialect(json, span.start));
        match reasons::program_len(self.reading.options(), schema) {
            Ok(len) => record.program_bytes = Some(len),
            Err(reasons) => {
                record.refused = true;
                record.reason = reasons.first().map(|reason| reason.error.kind.to_string());
                record.reasons = reasons.into_iter().map(|reason| place_of(reason, span.start)).collect();
            }
        }
        record.lenient = lenient(schema, span.start);
        record
    }

    /// The dialect that the schema names, else the one of the command line.
    fn dialect(&self, json: Json<'_>, schema: usize) -> String {
        let named = tools::member(json, schema, "$schema").and_then(|uri| tools::string(json, uri.start));
        match named {
            None => dialect_name(self.reading.dialect.dialect()).to_owned(),
            Some(uri) => Dialect::from_uri(&uri).map_or(uri, |dialect| dialect_name(dialect).to_owned()),
        }
    }
}

/// Whether the text is JSON: the schema `true` asks for no more.
fn read_through(bytes: &[u8]) -> Result<bool, Error> {
    let mut arena = [0; 64];
    let any = microschema::compile(b"true", &mut arena).map(|any| any.is_valid(bytes));
    any.unwrap_or(Ok(true))
}

fn whole(bytes: &[u8]) -> Result<(Json<'_>, Range<usize>), Failure> {
    let whole = Json::new(bytes).ok().and_then(|json| {
        let root = json.root().ok()?;
        Some((json, root..json.skip(root, place::DEPTH).ok()?))
    });
    whole.ok_or_else(|| Failure::Usage("the file is nested too deeply".to_owned()))
}

fn place_of(reason: Reason, base: usize) -> Place {
    Place { pointer: reason.pointer, at: base + reason.error.at, message: reason.error.kind.to_string() }
}

fn lenient(schema: &[u8], base: usize) -> Vec<Place> {
    let Ok(json) = Json::new(schema) else { return Vec::new() };
    let message = "read as it stands, though ECMA-262 forbids it in a pattern with the flag u";
    let place = |(pointer, at)| Place { pointer, at: base + at, message: message.to_owned() };
    patterns::lenient(json).into_iter().map(place).collect()
}

fn write_text(records: &[Record], file: &Source, out: &mut dyn Write) -> Result<(), Failure> {
    for record in records {
        let name = record.tool.as_ref().map(|tool| format!("{tool} ")).unwrap_or_default();
        let dialect = record.dialect.as_ref().map(|dialect| format!("{dialect}, ")).unwrap_or_default();
        write!(out, "{name}{}: {dialect}", record.which)?;
        match (record.program_bytes, &record.reason) {
            (Some(program), _) => writeln!(out, "{} bytes, program {program} bytes", record.schema_bytes)?,
            (None, Some(reason)) if record.reasons.is_empty() => writeln!(out, "refused: {reason}")?,
            (None, _) => writeln!(out, "{} bytes, refused", record.schema_bytes)?,
        }
        for reason in &record.reasons {
            let title = format!("at {}: {}", place::shown(&reason.pointer), reason.message);
            writeln!(out, "{}\n", snippet::about_value(&title, file, reason.at))?;
        }
        for place in &record.lenient {
            let title = format!("at {}: {}", place::shown(&place.pointer), place.message);
            writeln!(out, "{}\n", snippet::warning(&title, file, place.at))?;
        }
    }
    let refused = records.iter().filter(|record| record.refused).count();
    let plural = if records.len() == 1 { "" } else { "s" };
    Ok(writeln!(out, "{} schema{plural}, {refused} refused", records.len())?)
}

/// A JSON list, a record a line.
fn write_json(records: &[Record], out: &mut dyn Write) -> Result<(), Failure> {
    let mut separator = "[\n";
    for record in records {
        let text = serde_json::to_string(record).map_err(std::io::Error::from)?;
        write!(out, "{separator}{text}")?;
        separator = ",\n";
    }
    Ok(writeln!(out, "{}", if records.is_empty() { "[]" } else { "\n]" })?)
}
