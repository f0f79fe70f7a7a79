//! The command line: `check`, `compile`, `lint`, `guard` and `bowtie`.
//!
//! Results go to standard output; what kept a command from giving one goes to standard error.

mod bowtie;
mod check;
mod compile;
mod exit;
mod guard;
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
use std::io::{self, ErrorKind, Write};
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
    Guard(guard::Guard),
    #[command(name = guard::sample::COMMAND, hide = true)]
    SampleServer,
    Bowtie(bowtie::Bowtie),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        // Writes from several threads to standard output and standard error, which so must not be locked.
        Command::Guard(guard) => guard.run(),
        Command::SampleServer => {
            report(|out, _| Ok(guard::sample::run(&mut io::stdin().lock(), out).map(|()| Exit::Valid)?))
        }
        Command::Check(check) => report(|out, err| check.run(out, err)),
        Command::Compile(compile) => report(|out, err| compile.run(out, err)),
        Command::Lint(lint) => report(|out, err| lint.run(out, err)),
        Command::Bowtie(bowtie) => report(|out, err| bowtie.run(out, err)),
    }
}

/// Runs a command that reports to standard output.
fn report(run: impl FnOnce(&mut dyn Write, &mut dyn Write) -> Result<Exit, Failure>) -> ExitCode {
    let mut out = anstream::stdout().lock();
    let mut err = anstream::stderr().lock();
    let outcome = run(&mut out, &mut err);
    match outcome.and_then(|exit| out.flush().map(|()| exit).map_err(Failure::from)) {
        Ok(exit) => exit.into(),
        Err(Failure::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Exit::Usage.into(),
        Err(error) => {
            let _ = writeln!(err, "{}{error}", snippet::ERROR);
            Exit::Usage.into()
        }
    }
}
