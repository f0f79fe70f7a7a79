//! The data sets: a schema with valid and invalid instances, each as JSON text.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// One schema with its instances.
#[derive(Clone, Debug)]
pub struct Set {
    /// The folder's name: `mcp-…`, `jsb-…`, `js-…` or `blz-…`.
    pub name: String,
    /// The schema.
    pub schema: Vec<u8>,
    /// Instances that are valid.
    pub valid: Vec<Vec<u8>>,
    /// Instances that are not; only the `mcp-` sets have some.
    pub invalid: Vec<Vec<u8>>,
}

impl Set {
    /// Whether this is one of the six MCP tools.
    #[must_use]
    pub fn is_mcp(&self) -> bool {
        self.name.starts_with("mcp-")
    }

    fn read(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            schema: fs::read(folder.join("schema.json"))?,
            valid: lines(&fs::read(folder.join("instances.jsonl"))?),
            invalid: fs::read(folder.join("invalid.jsonl")).map(|text| lines(&text)).unwrap_or_default(),
        })
    }
}

/// The six MCP tools, from this repository.
///
/// # Errors
/// When a file cannot be read.
pub fn mcp() -> io::Result<Vec<Set>> {
    folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), "mcp-")
}

/// The public benchmark sets, from `bench` in the folder `MICROSCHEMA_DATA` (default: `../shared/data` beside the repository). `None`
/// when there are none.
///
/// # Errors
/// When a file cannot be read.
pub fn public() -> io::Result<Option<Vec<Set>>> {
    let bench = data().join("bench");
    if !bench.is_dir() {
        return Ok(None);
    }
    let mut sets = Vec::new();
    for prefix in ["jsb-", "blz-", "js-"] {
        sets.extend(folders(&bench, prefix)?);
    }
    Ok(Some(sets))
}

/// The folder that `MICROSCHEMA_DATA` names.
#[must_use]
pub fn data() -> PathBuf {
    env::var_os("MICROSCHEMA_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from)
}

fn folders(parent: &Path, prefix: &str) -> io::Result<Vec<Set>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(parent)?
        .map(|entry| entry.map(|entry| entry.path()))
        .filter(|path| {
            path.as_ref().is_ok_and(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)))
        })
        .collect::<io::Result<_>>()?;
    folders.sort();
    folders.iter().map(|folder| Set::read(folder)).collect()
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).map(<[u8]>::to_vec).collect()
}
