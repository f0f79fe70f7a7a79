//! The command line: `check`, `compile`, `lint` and `bowtie`.
//!
//! Results go to standard output; what kept a command from giving one goes to standard error.

mod bowtie;
mod check;
mod compile;
mod exit;
mod lint;
mod options;
mod patterns;
mod program;
mod reasons;
mod snippet;
mod source;
mod stack;
mod tools;

use clap::{Parser, Subcommand};
use exit::{Exit, Failure};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// JSON Schema validation for MCP tool calls.
#[derive(Debug, Parser)]
#[command(name = "microschema", version, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Compile(compile::Compile),
    Lint(lint::Lint),
    Bowtie(bowtie::Bowtie),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = anstream::stdout().lock();
    let mut err = anstream::stderr().lock();
    let outcome = match &cli.command {
        Command::Check(check) => check.run(&mut out, &mut err),
        Command::Compile(compile) => compile.run(&mut out, &mut err),
        Command::Lint(lint) => lint.run(&mut out, &mut err),
        Command::Bowtie(bowtie) => bowtie.run(&mut out, &mut err),
    };
    match outcome.and_then(|exit| out.flush().map(|()| exit).map_err(Failure::from)) {
        Ok(exit) => exit.into(),
        Err(Failure::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Exit::Usage.into(),
        Err(error) => {
            let _ = writeln!(err, "{}{error}", snippet::ERROR);
            Exit::Usage.into()
        }
    }
}
