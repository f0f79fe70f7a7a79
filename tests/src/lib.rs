//! Where the test data is, and how to read it.
//!
//! Instances and schemas are kept as the raw text of their files: a parser in between would hide duplicate names and number spelling.

pub mod backtrack;
pub mod both;
pub mod generate;
pub mod object_generator;
pub mod patterns;
#[cfg(feature = "peers")]
pub mod peers;
pub mod place;
pub mod schema_generator;
pub mod server;
pub mod suite;
pub mod tools;
pub mod toy;

use std::path::{Path, PathBuf};

/// The folder of the test data: `MICROSCHEMA_DATA`, else `../shared/data` beside the repository.
///
/// `None` when the variable is unset and the folder is not there, as on a user's machine; the caller prints that it skips. Under
/// `CI=true` a missing folder is a failure.
#[must_use]
pub fn data() -> Option<PathBuf> {
    let named = std::env::var_os("MICROSCHEMA_DATA").map(PathBuf::from);
    let required = named.is_some() || std::env::var_os("CI").is_some_and(|ci| ci == "true");
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(!required, "no test data in {}", folder.display());
    eprintln!("skipped: no test data in {} (set MICROSCHEMA_DATA)", folder.display());
    None
}

/// Reads a file of the test data.
#[must_use]
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
