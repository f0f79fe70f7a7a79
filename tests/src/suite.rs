//! The official JSON Schema test suite.

use microschema::Dialect;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

/// A group of tests with one schema.
#[derive(Debug, Deserialize)]
pub struct Group {
    pub description: String,
    pub schema: Box<RawValue>,
    pub tests: Vec<Test>,
}

/// An instance and whether it is valid.
#[derive(Debug, Deserialize)]
pub struct Test {
    pub description: String,
    pub data: Box<RawValue>,
    pub valid: bool,
}

/// The dialects, by the suite's folder names.
pub const DIALECTS: [(&str, Dialect); 5] = [
    ("draft4", Dialect::Draft4),
    ("draft6", Dialect::Draft6),
    ("draft7", Dialect::Draft7),
    ("draft2019-09", Dialect::Draft2019_09),
    ("draft2020-12", Dialect::Draft2020_12),
];

/// The JSON files below `folder`, with their path relative to it.
#[must_use]
pub fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    fn walk(folder: &Path, base: &Path, into: &mut Vec<(String, PathBuf)>) {
        for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("folder entry").path();
            if path.is_dir() {
                walk(&path, base, into);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let name = path.strip_prefix(base).expect("below the base").to_string_lossy().replace('\\', "/");
                into.push((name, path));
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

/// The documents that the suite's schemas refer to, by URI.
#[must_use]
pub fn remotes(suite: &Path) -> Vec<(String, String)> {
    files(&suite.join("remotes"))
        .into_iter()
        .map(|(name, path)| (format!("http://localhost:1234/{name}"), crate::read(&path)))
        .collect()
}

/// The groups of a file.
#[must_use]
pub fn groups(path: &Path) -> Vec<Group> {
    serde_json::from_str(&crate::read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
