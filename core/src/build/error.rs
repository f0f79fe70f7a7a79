//! Why there is no firmware.

use crate::SchemaError;
use crate::mcp::ToolError;
use alloc::string::String;
use core::fmt;
use std::path::PathBuf;

/// Why programs could not be written. `Debug` is in words, as it is what Cargo shows of a build script's error.
#[non_exhaustive]
pub enum Error {
    /// `OUT_DIR` is not set: this is no build script.
    NoOutDir,
    /// A file could not be read or written.
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A name that is no Rust identifier.
    Name {
        /// The name.
        name: String,
    },
    /// Two items have the same name: schemas, tables, or the constants of tools.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Two tools of a table have the same name.
    DuplicateTool {
        /// The file of the second.
        file: PathBuf,
    },
    /// The file is not the definition of a tool.
    Definition {
        /// The file.
        file: PathBuf,
        /// Why.
        error: ToolError,
    },
    /// A schema was refused.
    Schema {
        /// The file it is in.
        file: PathBuf,
        /// The line of the error in the file, from 1.
        line: usize,
        /// The column, in characters, from 1.
        column: usize,
        /// Its place in the schema, a JSON Pointer.
        pointer: String,
        /// Why.
        error: SchemaError,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOutDir => f.write_str("OUT_DIR is not set: call this from a build script, or `to_rust` elsewhere"),
            Self::File { file, error } => write!(f, "{}: {error}", file.display()),
            Self::Name { name } => write!(f, "`{name}` is no Rust identifier"),
            Self::DuplicateName { name } => write!(f, "`{name}` is the name of two items"),
            Self::DuplicateTool { file } => write!(f, "{}: another tool has this name", file.display()),
            Self::Definition { file, error } => write!(f, "{}: {error}", file.display()),
            Self::Schema { file, line, column, pointer, error } => {
                let pointer = if pointer.is_empty() { "(root)" } else { pointer };
                write!(f, "{}:{line}:{column}: schema refused: at {pointer}: {}", file.display(), error.kind)
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Definition { error, .. } => Some(error),
            Self::Schema { error, .. } => Some(error),
            _ => None,
        }
    }
}
