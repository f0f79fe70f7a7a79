//! Exit codes, and what goes wrong before there is anything to report.

use microschema::Error;
use std::process::ExitCode;
use std::{fmt, io};

/// The end of every `--help`.
pub const HELP: &str = "\
Exit codes:
  0  all instances are valid (lint: no schema would be refused)
  1  some instance is not valid
  2  the command line is wrong, or a file could not be read or written
  3  the schema was refused
  4  an instance is not JSON
  5  a limit was reached
Of several, the greatest.";

/// How a command ends. The greatest of several is what counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Valid = 0,
    Invalid = 1,
    Usage = 2,
    Refused = 3,
    NotJson = 4,
    Limit = 5,
}

impl Exit {
    /// How a run without a verdict ends.
    pub const fn of_error(error: Error) -> Self {
        match error {
            Error::Json(_) => Self::NotJson,
            _ => Self::Limit,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The output could not be written.
    Io(io::Error),
    /// The command line or a file is at fault.
    Usage(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Usage(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
