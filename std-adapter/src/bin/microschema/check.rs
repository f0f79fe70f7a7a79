//! `microschema check`: instances against a schema.

use crate::exit::{self, Exit, Failure};
use crate::options::Reading;
use crate::source::{self, Source};
use crate::{program, snippet};
use clap::{Args, ValueEnum};
use microschema::{Description, Error, Issue, IssueSink, Program, SchemaError, SchemaErrorKind};
use microschema_mcp::output::{Evaluator, OutputError};
use microschema_mcp::place;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Issues of one instance that are shown; the rest is counted.
const SHOWN: usize = 100;

/// Check JSON instances against a schema.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub struct Check {
    /// How results are written: text, one JSON object a line with all issues, or the `flag` or `basic` output of the specification.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
    #[command(flatten)]
    reading: Reading,
    /// The schema (`-`: standard input).
    schema: PathBuf,
    /// The instances (`-`: standard input).
    #[arg(required = true)]
    instance: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Json,
    Flag,
    Basic,
}

impl Check {
    pub fn run(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Failure> {
        source::check_stdin(self.instance.iter().chain([&self.schema]))?;
        let schema = source::read(&self.schema)?;
        if self.output == Output::Basic {
            return self.basic(&schema, out, err);
        }
        let mut arena = Vec::new();
        let program = match program::compile(self.reading.options(), &schema.bytes, &mut arena) {
            Ok(program) => program,
            Err(error) => {
                if self.output == Output::Json {
                    write_record(&refusal_record(&schema, error), out)?;
                } else {
                    writeln!(err, "{}", refusal_text(&schema, error))?;
                }
                return Ok(Exit::Refused);
            }
        };
        let mut exit = Exit::Valid;
        for path in &self.instance {
            let instance = source::read(path)?;
            let outcome = Outcome::of(&program, &instance.bytes);
            match self.output {
                Output::Text => outcome.write_text(&program, &instance, out, err)?,
                Output::Json => outcome.write_json(&program, &instance, out)?,
                Output::Flag => outcome.write_flag(&instance, out, err)?,
                Output::Basic => {}
            }
            exit = exit.max(outcome.exit());
        }
        Ok(exit)
    }

    /// The `basic` output, which takes more than the program.
    fn basic(&self, schema: &Source, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Failure> {
        let mut evaluator = match Evaluator::new(&schema.bytes, &self.reading.evaluator()) {
            Ok(evaluator) => evaluator,
            Err(error) => {
                writeln!(err, "{}", refusal_text(schema, error))?;
                return Ok(Exit::Refused);
            }
        };
        let mut exit = Exit::Valid;
        for path in &self.instance {
            let instance = source::read(path)?;
            match evaluator.basic(&instance.bytes) {
                Ok(output) => {
                    let text = serde_json::to_string(&output).map_err(std::io::Error::from)?;
                    writeln!(out, "{text}")?;
                    exit = exit.max(if output.valid { Exit::Valid } else { Exit::Invalid });
                }
                Err(OutputError::Instance(error)) => {
                    writeln!(err, "{}", snippet::about_error(&instance, error))?;
                    exit = exit.max(Exit::of_error(error));
                }
                Err(error) => return Err(Failure::Usage(format!("{}: {error}", instance.name))),
            }
        }
        Ok(exit)
    }
}

/// The issues that are shown, and how many more there are.
#[derive(Debug, Default)]
struct Found {
    issues: Vec<Issue>,
    omitted: usize,
}

impl IssueSink for Found {
    fn push(&mut self, issue: Issue) {
        if self.issues.len() < SHOWN {
            self.issues.push(issue);
        } else {
            self.omitted += 1;
        }
    }
}

/// What a run gave.
struct Outcome {
    result: Result<bool, Error>,
    found: Found,
}

impl Outcome {
    fn of(program: &Program<'_>, instance: &[u8]) -> Self {
        let mut found = Found::default();
        let result = program.validator().validate(instance, &mut found);
        Self { result, found }
    }

    fn exit(&self) -> Exit {
        match self.result {
            Ok(true) => Exit::Valid,
            Ok(false) => Exit::Invalid,
            Err(error) => Exit::of_error(error),
        }
    }

    fn write_text(
        &self,
        program: &Program<'_>,
        instance: &Source,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> Result<(), Failure> {
        match self.result {
            Ok(true) => writeln!(out, "{}: valid", instance.name)?,
            Ok(false) => {
                for issue in &self.found.issues {
                    let title = issue.describe(program, &instance.bytes).to_string();
                    writeln!(out, "{}\n", snippet::about_value(&title, instance, issue.at()))?;
                }
                let total = self.found.issues.len() + self.found.omitted;
                let plural = if total == 1 { "" } else { "s" };
                write!(out, "{}: not valid, {total} issue{plural}", instance.name)?;
                if self.found.omitted > 0 {
                    write!(out, ", of which {SHOWN} are shown")?;
                }
                writeln!(out)?;
            }
            Err(error) => writeln!(err, "{}", snippet::about_error(instance, error))?,
        }
        Ok(())
    }

    fn write_flag(&self, instance: &Source, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Failure> {
        match self.result {
            Ok(valid) => writeln!(out, r#"{{"valid":{valid}}}"#)?,
            Err(error) => writeln!(err, "{}", snippet::about_error(instance, error))?,
        }
        Ok(())
    }

    fn write_json(&self, program: &Program<'_>, instance: &Source, out: &mut dyn Write) -> Result<(), Failure> {
        let name = &instance.name;
        let record = match self.result {
            Ok(valid) => Record::Verdict {
                instance: name,
                valid,
                issues: self.found.issues.iter().map(|issue| issue.describe(program, &instance.bytes)).collect(),
                omitted: self.found.omitted,
            },
            Err(Error::Json(error)) => Record::NotJson { instance: name, error: error.kind.to_string(), at: error.at },
            Err(error) => Record::Limit { instance: name, limit: error.to_string() },
        };
        write_record(&record, out)
    }
}

/// A line of `--output json`.
#[derive(Serialize)]
#[serde(untagged)]
enum Record<'a> {
    Verdict { instance: &'a str, valid: bool, issues: Vec<Description<'a, 'a>>, omitted: usize },
    NotJson { instance: &'a str, error: String, at: usize },
    Limit { instance: &'a str, limit: String },
    Refused { schema: &'a str, error: String, pointer: String, at: usize },
}

fn write_record(record: &Record<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let text = serde_json::to_string(record).map_err(std::io::Error::from)?;
    Ok(writeln!(out, "{text}")?)
}

/// Why a schema was refused, with the place.
pub fn refusal_text(schema: &Source, error: SchemaError) -> String {
    match error.kind {
        SchemaErrorKind::Json(_) => snippet::about_byte(&format!("schema refused: {error}"), schema, error.at),
        kind => {
            let pointer = error.pointer(&schema.bytes).to_string();
            let title = format!("schema refused: at {}: {kind}", place::shown(&pointer));
            snippet::about_value(&title, schema, error.at)
        }
    }
}

fn refusal_record(schema: &Source, error: SchemaError) -> Record<'_> {
    Record::Refused {
        schema: &schema.name,
        error: error.kind.to_string(),
        pointer: error.pointer(&schema.bytes).to_string(),
        at: error.at,
    }
}
