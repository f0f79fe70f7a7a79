//! Programs that are made when the firmware is: from a build script, as a Rust file of `static`s to be included.
//!
//! The device then holds its programs in flash. It links no compiler, checks nothing when it starts, and spends no RAM on them.
//!
//! ```toml
//! [dependencies]
//! microschema = { version = "0.1", default-features = false, features = ["regex", "messages", "mcp"] }
//!
//! [build-dependencies]
//! microschema = { version = "0.1", features = ["build"] }
//! ```
//!
//! ```no_run
//! // build.rs
//! use microschema::build::{Error, Programs};
//!
//! fn main() -> Result<(), Error> {
//!     Programs::new()
//!         .schema("LIMITS", "schemas/limits.json")
//!         .tools("TOOLS", &["tools/set_led.json", "tools/schedule.json"])
//!         .write("programs.rs")
//! }
//! ```
//!
//! ```text
//! // main.rs
//! mod programs {
//!     include!(concat!(env!("OUT_DIR"), "/programs.rs"));
//! }
//!
//! programs::LIMITS.is_valid(b"{}")        // Program<'static>
//! programs::TOOLS.list(&request, out)     // mcp::Tools<'static>
//! match call.index {
//!     programs::SET_LED => set_led(call), // a constant for each tool, by its name
//!     _ => schedule(call),
//! }
//! ```
//!
//! A schema that does not compile fails the build, with file, line, column and pointer. So does a program that the firmware could not
//! run: one with patterns, say, where the feature `regex` is off there. `microschema compile --rust` writes the same for a schema
//! without a build script.

mod error;
mod source;

pub use error::Error;

use crate::mcp::Definition;
use crate::{Options, Program, ProgramBuf};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use source::Source;
use std::path::{Path, PathBuf};
use std::{env, fs, println};

/// What to compile, and under which names. All paths count from the package that is being built.
#[derive(Clone, Debug)]
pub struct Programs<'o> {
    options: Options<'o>,
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Schema { name: String, file: PathBuf },
    Tools { name: String, files: Vec<PathBuf> },
}

impl Default for Programs<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'o> Programs<'o> {
    /// Nothing yet, with [`Options::new`].
    #[must_use]
    pub const fn new() -> Self {
        Self { options: Options::new(), items: Vec::new() }
    }

    /// How schemas are compiled.
    #[must_use]
    pub const fn options(mut self, options: Options<'o>) -> Self {
        self.options = options;
        self
    }

    /// A `static` [`Program`] of the schema in `file`.
    #[must_use]
    pub fn schema(mut self, name: &str, file: impl AsRef<Path>) -> Self {
        self.items.push(Item::Schema { name: name.to_string(), file: file.as_ref().to_path_buf() });
        self
    }

    /// A `static` table [`Tools`](crate::mcp::Tools) of the tools whose definitions are in `files`, one in each: what `tools/list` shows of a
    /// tool, with `name`, `inputSchema`, and perhaps `outputSchema`. It is stored without the space between its parts.
    ///
    /// For each tool there is a constant with its index in the table: `SET_LED` for `set-led`.
    #[must_use]
    pub fn tools(mut self, name: &str, files: &[impl AsRef<Path>]) -> Self {
        let files = files.iter().map(|file| file.as_ref().to_path_buf()).collect();
        self.items.push(Item::Tools { name: name.to_string(), files });
        self
    }

    /// Writes the Rust file into `OUT_DIR`, and has Cargo run the build script again when one of the files changes.
    ///
    /// # Errors
    /// When a file cannot be read or written, when a schema is refused, or a name is no identifier or there already. Returned from `main`, the
    /// error is shown in words.
    pub fn write(&self, file: &str) -> Result<(), Error> {
        for item in &self.items {
            let files = match item {
                Item::Schema { file, .. } => core::slice::from_ref(file),
                Item::Tools { files, .. } => files,
            };
            for file in files {
                println!("cargo::rerun-if-changed={}", file.display());
            }
        }
        let path = env::var_os("OUT_DIR").map(PathBuf::from).ok_or(Error::NoOutDir)?.join(file);
        fs::write(&path, self.to_rust()?).map_err(|error| Error::File { file: path, error })
    }

    /// The text of the Rust file.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn to_rust(&self) -> Result<String, Error> {
        let mut source = Source::default();
        for item in &self.items {
            match item {
                Item::Schema { name, file } => {
                    let text = read(file)?;
                    let program = self.compile(file, &text, &text)?;
                    source.program(name, &format!("The schema `{}`.", file.display()), &program.as_program())?;
                }
                Item::Tools { name, files } => self.table(&mut source, name, files)?,
            }
        }
        Ok(source.finish())
    }

    fn table(&self, source: &mut Source, name: &str, files: &[PathBuf]) -> Result<(), Error> {
        let mut table = source.table(name)?;
        for file in files {
            let text = read(file)?;
            let fault = |error| Error::Definition { file: file.clone(), error };
            let definition = Definition::read(&text).map_err(fault)?;
            let input = self.compile(file, &text, definition.input_schema().as_bytes())?;
            let output = definition.output_schema();
            let output = output.map(|schema| self.compile(file, &text, schema.as_bytes())).transpose()?;
            table.tool(file, &definition, &input.as_program(), output.as_ref().map(ProgramBuf::as_program).as_ref())?;
        }
        table.finish();
        Ok(())
    }

    /// Compiles `schema`, a part of the text of `file`.
    fn compile(&self, file: &Path, text: &[u8], schema: &[u8]) -> Result<ProgramBuf, Error> {
        self.options.compile_owned(schema).map_err(|error| {
            // Within a document that was registered, there is no place in this file.
            let start =
                if error.document.is_some() { 0 } else { schema.as_ptr().addr() - text.as_ptr().addr() + error.at };
            let before = text.get(..start).unwrap_or_default();
            let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let column = String::from_utf8_lossy(before.get(line_start..).unwrap_or_default()).chars().count() + 1;
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            Error::Schema { file: file.to_path_buf(), line, column, pointer: error.pointer(schema).to_string(), error }
        })
    }
}

/// The Rust text of a `static` of this name that holds the program. `about` is its documentation.
///
/// # Errors
/// When the name is no identifier.
pub fn program_to_rust(name: &str, about: &str, program: &Program<'_>) -> Result<String, Error> {
    let mut source = Source::default();
    source.program(name, about, program)?;
    Ok(source.finish())
}

fn read(file: &Path) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| Error::File { file: file.to_path_buf(), error })
}
