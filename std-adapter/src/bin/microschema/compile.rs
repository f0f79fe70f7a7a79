//! `microschema compile`: a schema into a program.

use crate::exit::{self, Exit, Failure};
use crate::options::Reading;
use crate::{check, program, source, stack};
use clap::Args;
use microschema::{Limits, Program, build};
use std::io::Write;
use std::path::PathBuf;

/// Compile a schema into a program, and tell what it takes.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub struct Compile {
    #[command(flatten)]
    reading: Reading,
    /// Where the program goes.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write Rust source text, for a firmware to have the program in flash: a `static` of this name. Without a file it is printed, and
    /// nothing else.
    #[arg(long, value_name = "NAME", conflicts_with = "listing")]
    rust: Option<String>,
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
        let rust = self.rust.as_deref().map(|name| rust_text(name, &schema.name, &program)).transpose()?;
        if let (Some(text), None) = (&rust, &self.output) {
            out.write_all(text.as_bytes())?;
            return Ok(Exit::Valid);
        }
        let figures = program.stats();
        writeln!(out, "program: {} bytes, for a schema of {} bytes", program.as_bytes().len(), schema.bytes.len())?;
        writeln!(out, "instructions: {} in {} nodes", figures.instructions, figures.nodes)?;
        write_stack(figures.depth, out)?;
        if self.listing {
            writeln!(out, "\n{program}")?;
        }
        if let Some(path) = &self.output {
            std::fs::write(path, rust.as_deref().map_or(program.as_bytes(), str::as_bytes))
                .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        }
        Ok(Exit::Valid)
    }
}

fn rust_text(name: &str, schema: &str, program: &Program<'_>) -> Result<String, Failure> {
    build::program_to_rust(name, &format!("The schema `{schema}`."), program)
        .map_err(|error| Failure::Usage(format!("--rust: {error}")))
}

/// How deep the program nests, and the stack that the machine takes for that: at most one level for each node on the way.
fn write_stack(depth: Option<u32>, out: &mut dyn Write) -> Result<(), Failure> {
    let stack = stack::measure();
    let most = usize::from(Limits::new().depth);
    let (levels, of) = match depth {
        Some(depth) => {
            writeln!(out, "depth: {depth}")?;
            ((depth as usize).min(most), "this depth")
        }
        None => {
            writeln!(out, "depth: as deep as the instance, for the schema is recursive")?;
            (most, "the default limit")
        }
    };
    let bytes = stack.base + levels * stack.level;
    Ok(writeln!(
        out,
        "stack: {bytes} bytes for {of} ({} for each of {levels} levels and {} more, as this build takes on this machine)",
        stack.level, stack.base,
    )?)
}
