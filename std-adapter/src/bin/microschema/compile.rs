//! `microschema compile`: a schema into a program.

use crate::exit::{Exit, Failure};
use crate::options::Reading;
use crate::{check, program, source, stack};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Compile a schema into a program, and tell what it takes.
#[derive(Debug, Args)]
pub struct Compile {
    #[command(flatten)]
    reading: Reading,
    /// Where the program goes.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also print the instructions.
    #[arg(long)]
    listing: bool,
    /// The schema (`-`: standard input).
    schema: PathBuf,
}

impl Compile {
    pub fn run(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Failure> {
        let schema = source::read(&self.schema)?;
        let mut arena = Vec::new();
        let program = match program::compile(self.reading.options(), &schema.bytes, &mut arena) {
            Ok(program) => program,
            Err(error) => {
                writeln!(err, "{}", check::refusal_text(&schema, error))?;
                return Ok(Exit::Refused);
            }
        };
        writeln!(out, "program: {} bytes, for a schema of {} bytes", program.as_bytes().len(), schema.bytes.len())?;
        let stack = stack::measure();
        writeln!(
            out,
            "stack: {} bytes and {} for each level of nesting (measured on this machine)",
            stack.base, stack.level
        )?;
        if let Some(path) = &self.output {
            std::fs::write(path, program.as_bytes())
                .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        }
        Ok(Exit::Valid)
    }
}
