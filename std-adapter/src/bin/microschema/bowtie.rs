//! `microschema bowtie`: the harness protocol of Bowtie (IHOP, version 1), a JSON object a line on standard input and output.
//!
//! Schemas and instances reach the engine as the text of the request: parsing and writing them again would hide how numbers are
//! spelled and which names are duplicates.

use crate::exit::{Exit, Failure};
use crate::options::Formats;
use crate::program;
use clap::Args;
use microschema::{Dialect, Options};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

const VERSION: u32 = 1;
const HOMEPAGE: &str = "https://crates.io/crates/microschema";

/// Run as a harness of Bowtie, the meta-validator, on standard input and output.
#[derive(Debug, Args)]
pub struct Bowtie {
    /// Whether `format` is checked, or only an annotation as the specification has it.
    #[arg(long, value_enum, default_value_t = Formats::Annotate)]
    formats: Formats,
}

impl Bowtie {
    pub fn run(&self, out: &mut dyn Write, _: &mut dyn Write) -> Result<Exit, Failure> {
        let mut harness = Harness {
            options: Options::new().assert_formats(self.formats == Formats::Assert),
            started: false,
            arena: Vec::new(),
        };
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            if line.iter().any(|byte| !byte.is_ascii_whitespace()) && !harness.answer(&line, out)? {
                return Ok(Exit::Valid);
            }
            line.clear();
        }
        Ok(Exit::Valid)
    }
}

/// Any command.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    cmd: Cow<'a, str>,
    version: Option<u32>,
    #[serde(borrow)]
    dialect: Option<Cow<'a, str>>,
    #[serde(borrow)]
    seq: Option<&'a RawValue>,
    #[serde(borrow)]
    case: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Case<'a> {
    #[serde(borrow)]
    schema: &'a RawValue,
    #[serde(borrow, default)]
    registry: Option<BTreeMap<Cow<'a, str>, &'a RawValue>>,
    #[serde(borrow)]
    tests: Vec<Test<'a>>,
}

#[derive(Deserialize)]
struct Test<'a> {
    #[serde(borrow)]
    instance: &'a RawValue,
}

#[derive(Serialize)]
struct Started {
    version: u32,
    implementation: Implementation,
}

#[derive(Serialize)]
struct Implementation {
    language: &'static str,
    name: &'static str,
    version: &'static str,
    homepage: &'static str,
    documentation: &'static str,
    issues: &'static str,
    source: &'static str,
    dialects: Vec<&'static str>,
    os: &'static str,
}

/// Whether the dialect is known.
#[derive(Serialize)]
struct DialectAnswer {
    ok: bool,
}

#[derive(Serialize)]
struct Response<'a> {
    seq: &'a RawValue,
    #[serde(flatten)]
    answer: Answer,
}

/// What came of a case.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Results { results: Vec<Verdict> },
    Skipped { skipped: bool, message: &'static str },
    Errored(Errored),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Verdict {
    Valid { valid: bool },
    Errored(Errored),
}

#[derive(Serialize)]
struct Errored {
    errored: bool,
    context: Context,
}

#[derive(Serialize)]
struct Context {
    message: String,
}

impl Errored {
    fn new(message: impl ToString) -> Self {
        Self { errored: true, context: Context { message: message.to_string() } }
    }
}

struct Harness {
    options: Options<'static>,
    started: bool,
    arena: Vec<u8>,
}

impl Harness {
    /// Answers a request; `false` when it was the last.
    fn answer(&mut self, line: &[u8], out: &mut dyn Write) -> Result<bool, Failure> {
        let request: Request<'_> = serde_json::from_slice(line).map_err(|error| usage(&error))?;
        match &*request.cmd {
            "start" if request.version == Some(VERSION) => {
                self.started = true;
                send(out, &started())?;
            }
            "start" => return Err(usage(&format_args!("only version {VERSION} of the protocol is spoken"))),
            _ if !self.started => return Err(usage(&"start comes first")),
            "dialect" => {
                let dialect = request.dialect.as_deref().and_then(Dialect::from_uri);
                if let Some(dialect) = dialect {
                    self.options = self.options.dialect(dialect);
                }
                send(out, &DialectAnswer { ok: dialect.is_some() })?;
            }
            "run" => {
                let (Some(seq), Some(case)) = (request.seq, request.case) else {
                    return Err(usage(&"run without seq or case"));
                };
                let answer = match request.output.as_deref() {
                    None | Some("flag") => self.case(case),
                    Some(_) => Answer::Skipped { skipped: true, message: "only the output flag is there" },
                };
                send(out, &Response { seq, answer })?;
            }
            "stop" => return Ok(false),
            command => return Err(usage(&format_args!("unknown command {command}"))),
        }
        Ok(true)
    }

    fn case(&mut self, text: &RawValue) -> Answer {
        let case: Case<'_> = match serde_json::from_str(text.get()) {
            Ok(case) => case,
            Err(error) => return Answer::Errored(Errored::new(error)),
        };
        let registry = case.registry.unwrap_or_default();
        let documents: Vec<(&str, &[u8])> =
            registry.iter().map(|(uri, text)| (&**uri, text.get().as_bytes())).collect();
        let options = self.options.documents(&documents);
        let program = match program::compile(options, case.schema.get().as_bytes(), &mut self.arena) {
            Ok(program) => program,
            Err(error) => return Answer::Errored(Errored::new(error)),
        };
        let verdict = |test: &Test<'_>| match program.is_valid(test.instance.get().as_bytes()) {
            Ok(valid) => Verdict::Valid { valid },
            Err(error) => Verdict::Errored(Errored::new(error)),
        };
        Answer::Results { results: case.tests.iter().map(verdict).collect() }
    }
}

fn started() -> Started {
    Started {
        version: VERSION,
        implementation: Implementation {
            language: "rust",
            name: "microschema",
            version: env!("CARGO_PKG_VERSION"),
            homepage: HOMEPAGE,
            documentation: "https://docs.rs/microschema",
            issues: HOMEPAGE,
            source: HOMEPAGE,
            dialects: Dialect::ALL.into_iter().rev().map(Dialect::uri).collect(),
            os: std::env::consts::OS,
        },
    }
}

fn send(out: &mut dyn Write, response: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(response).map_err(std::io::Error::from)?;
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

fn usage(message: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("bowtie: {message}"))
}
