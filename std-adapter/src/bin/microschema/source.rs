//! Files and standard input, as bytes.

use crate::exit::Failure;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A text with the name it goes by in messages.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Reads a file, or standard input for `-`.
pub fn read(path: &Path) -> Result<Source, Failure> {
    if is_stdin(path) {
        let mut bytes = Vec::new();
        match std::io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(Source { name: "<stdin>".to_owned(), bytes }),
            Err(error) => Err(Failure::Usage(format!("<stdin>: {error}"))),
        }
    } else {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Ok(Source { name, bytes }),
            Err(error) => Err(Failure::Usage(format!("{name}: {error}"))),
        }
    }
}

/// Standard input can be read only once.
pub fn check_stdin<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match paths.into_iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::Usage("standard input (-) is named more than once".to_owned())),
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
