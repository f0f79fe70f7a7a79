//! Programs by number, and the two buffers that JavaScript writes and reads. No `unsafe`.

use crate::words;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use microschema::{Dialect, IssueSink, Json, Limits, Options, ProgramBuf};

/// Input that is kept between calls; more is given back to the allocator after each.
const KEPT: usize = 1 << 20;

/// Words of scratch for schemas that need it, as much as on 64-bit targets: the engine itself would take 1 KiB of the stack here.
const SCRATCH: usize = 1024;

/// All state of the module.
#[derive(Debug, Default)]
pub struct Engine {
    input: Vec<u8>,
    output: String,
    documents: Vec<(String, Vec<u8>)>,
    programs: Vec<Option<ProgramBuf>>,
    scratch: Vec<u32>,
}

/// The terms of one check, as the module's caller gives them.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Issues told at most.
    pub issues: u32,
    /// Characters of a path and of a message at most.
    pub characters: u32,
    /// Characters of the value that failed to show.
    pub shown: u32,
    /// [`Limits::depth`].
    pub depth: u32,
    /// [`Limits::steps`].
    pub steps: u32,
    /// Whether names that come twice are refused anywhere.
    pub unique_names: bool,
}

impl Engine {
    /// Nothing compiled.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            input: Vec::new(),
            output: String::new(),
            documents: Vec::new(),
            programs: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Room for `len` bytes of input, those written before kept; `None` when there is no memory.
    pub fn input(&mut self, len: usize) -> Option<&mut [u8]> {
        if let Some(more) = len.checked_sub(self.input.len()) {
            self.input.try_reserve_exact(more).ok()?;
            self.input.resize(len, 0);
        }
        Some(&mut self.input)
    }

    /// The text that the last call left.
    #[must_use]
    pub fn output(&self) -> &str {
        &self.output
    }

    /// Registers a document for the next schema: the first `uri_len` bytes of input are its URI, those up to `len` its text.
    pub fn document(&mut self, uri_len: usize, len: usize) {
        let (uri, text) = written(&self.input, len).split_at_checked(uri_len).unwrap_or_default();
        // JavaScript has encoded it, so it is UTF-8.
        let uri = core::str::from_utf8(uri).unwrap_or_default();
        self.documents.push((String::from(uri), text.to_vec()));
    }

    /// Compiles the first `len` bytes of input; `None` when they are refused, with the reason as output.
    pub fn compile(&mut self, len: usize, dialect: u32, assert_formats: bool) -> Option<u32> {
        let schema = written(&self.input, len);
        let documents: Vec<(&str, &[u8])> = self.documents.iter().map(|(uri, text)| (&**uri, &**text)).collect();
        let dialect = Dialect::ALL.get(dialect as usize).copied().unwrap_or_default();
        let options = Options::new().dialect(dialect).assert_formats(assert_formats).documents(&documents);
        self.output.clear();
        let result = options.compile_owned(schema).map_err(|error| {
            let document = error.document.and_then(|index| documents.get(usize::from(index)));
            words::schema_error(&mut self.output, error, schema, document);
        });
        self.documents.clear();
        let program = Some(result.ok()?);
        let number = match self.programs.iter_mut().enumerate().find(|(_, slot)| slot.is_none()) {
            Some((number, slot)) => {
                *slot = program;
                number
            }
            None => {
                self.programs.push(program);
                self.programs.len() - 1
            }
        };
        u32::try_from(number).ok()
    }

    /// Frees a program.
    pub fn release(&mut self, program: u32) {
        if let Some(slot) = self.programs.get_mut(program as usize) {
            *slot = None;
        }
    }

    /// How many programs there are.
    #[must_use]
    pub fn programs(&self) -> u32 {
        self.programs.iter().flatten().count() as u32
    }

    /// Whether the first `len` bytes of input are valid; if not, output tells why.
    pub fn check(&mut self, program: u32, len: usize, check: Check) -> bool {
        self.output.clear();
        let Some(Some(program)) = self.programs.get(program as usize) else {
            // JavaScript keeps the numbers, so that this is an error of its own.
            let _ = self.output.write_str("null");
            return false;
        };
        let program = program.as_program();
        let depth = u16::try_from(check.depth).unwrap_or(u16::MAX);
        let limits = Limits::new().with_depth(depth).with_steps(check.steps);
        let validator = program.validator().limits(limits).unique_names(check.unique_names);
        let mut found = Found { list: Vec::new(), most: check.issues as usize, omitted: 0 };
        let instance = written(&self.input, len);
        self.scratch.resize(SCRATCH, 0);
        let verdict =
            Json::new(instance).and_then(|json| validator.run_with(json, Some(&mut found), &mut self.scratch));
        match verdict {
            Ok(true) => {}
            Ok(false) => {
                words::issues(&mut self.output, &found.list, found.omitted, program, instance, check);
            }
            Err(error) => words::error(&mut self.output, error),
        }
        if self.input.len() > KEPT {
            self.input = Vec::new();
        }
        verdict == Ok(true)
    }
}

/// What JavaScript says it wrote, as far as there is that much.
fn written(input: &[u8], len: usize) -> &[u8] {
    input.get(..len).unwrap_or(input)
}

/// Takes as many issues as are told, and counts the others.
struct Found {
    list: Vec<microschema::Issue>,
    most: usize,
    omitted: u32,
}

impl IssueSink for Found {
    fn push(&mut self, issue: microschema::Issue) {
        if self.list.len() < self.most {
            self.list.push(issue);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }
}
