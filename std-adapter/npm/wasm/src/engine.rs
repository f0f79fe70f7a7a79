//! Programs by number, and the text that JavaScript writes and reads.
//!
//! Behind the blocks of the programs lie, while a call runs, the documents registered for it, the input, and what the call makes of it: an arena
//! or the output. Where that has too little room, the call runs again with more.

use crate::memory::{HEADER, Memory, list_of, utf8, word};
use crate::words::{self, Out};
use microschema::{Dialect, Issue, IssueSink, Json, Limits, Options, Program, SchemaErrorKind};

/// Words of scratch for schemas that need it, as much as on 64-bit targets: the engine itself would take 1 KiB of the stack here.
const SCRATCH: usize = 1024;

/// Room for the output at first.
const ROOM: usize = 1 << 12;

/// Greatest arena that is tried: no program takes as much.
const MOST: usize = 1 << 26;

/// In front of a document: the lengths of its URI and of both.
const DOCUMENT: usize = 8;

/// All state of the module.
#[derive(Debug)]
pub struct Engine {
    memory: Memory,
    /// The length of the registered documents.
    documents: usize,
    /// Where the output begins, and its length.
    output: (usize, usize),
    programs: u32,
    scratch: [u32; SCRATCH],
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

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// Nothing compiled.
    #[must_use]
    pub const fn new() -> Self {
        Self { memory: Memory::new(), documents: 0, output: (0, 0), programs: 0, scratch: [0; SCRATCH] }
    }

    /// Where the input begins.
    const fn start(&self) -> usize {
        self.memory.end() + self.documents + DOCUMENT
    }

    /// Room for `len` bytes of input, those written before kept; `None` when there is no memory.
    pub fn input(&mut self, len: usize) -> Option<&mut [u8]> {
        let start = self.start();
        if !self.memory.reserve(start.checked_add(len)?) {
            return None;
        }
        self.memory.bytes().get_mut(start..start + len)
    }

    /// The text that the last call left.
    #[must_use]
    pub fn output(&mut self) -> &[u8] {
        let (start, len) = self.output;
        self.memory.bytes().get(start..start + len).unwrap_or_default()
    }

    /// Registers a document for the next schema, or a Unicode property: the first `uri_len` bytes of input are its URI (or name), those up to `len` its text.
    pub fn document(&mut self, uri_len: usize, len: usize) {
        let at = self.start() - DOCUMENT;
        self.memory.set_word(at, uri_len);
        self.memory.set_word(at + HEADER, len);
        self.documents += DOCUMENT + len;
    }

    /// Compiles the first `len` bytes of input; `None` when they are refused, with the reason as output. `properties`: so many of what was
    /// registered, from the first on, are Unicode properties.
    pub fn compile(&mut self, len: usize, dialect: u32, assert_formats: bool, properties: u32) -> Option<u32> {
        let dialect = Dialect::ALL.get(dialect as usize).copied().unwrap_or_default();
        let options = Options::new().dialect(dialect).assert_formats(assert_formats);
        let (first, start) = (self.memory.end(), self.start());
        let mut size = len.saturating_mul(4).saturating_add(ROOM);
        let program = loop {
            let front = start + len;
            let list = self.documents / DOCUMENT * size_of::<Document<'_>>() + align_of::<Document<'_>>();
            let (written, rest) = self.memory.room(front, list + size).split_at_mut_checked(front)?;
            let from = front + list;
            let (list, arena) = rest.split_at_mut_checked(list)?;
            let arena = arena.get_mut(..size)?;
            let registered = list_of(list, documents(written.get(first..start - DOCUMENT)?));
            let (properties, documents) = registered.split_at_checked(properties as usize).unwrap_or_default();
            let schema = written.get(start..)?;
            let error = match options.documents(documents).properties(properties).compile(schema, arena) {
                Ok(program) => break Ok((from, program.as_bytes().len())),
                Err(error) => error,
            };
            if error.kind != SchemaErrorKind::ArenaFull || size >= MOST {
                let document = error.document.and_then(|index| documents.get(usize::from(index)));
                let mut out = Out::new(arena);
                words::schema_error(&mut out, error, schema, document);
                if let Some(len) = out.written() {
                    break Err((from, len));
                }
            }
            size = size.saturating_mul(2);
        };
        self.documents = 0;
        match program {
            Ok((from, len)) => {
                self.programs += 1;
                Some((self.memory.keep(from, len) / HEADER) as u32)
            }
            Err(output) => {
                self.output = output;
                None
            }
        }
    }

    /// Frees a program.
    pub fn release(&mut self, program: u32) {
        let at = program as usize * HEADER;
        if self.memory.block(at).is_some() {
            self.memory.free(at);
            self.programs -= 1;
        }
    }

    /// How many programs there are.
    #[must_use]
    pub const fn programs(&self) -> u32 {
        self.programs
    }

    /// Whether the first `len` bytes of input are valid; if not, output tells why.
    pub fn check(&mut self, program: u32, len: usize, check: Check) -> bool {
        let depth = u16::try_from(check.depth).unwrap_or(u16::MAX);
        let limits = Limits::new().with_depth(depth).with_steps(check.steps);
        let (start, block) = (self.start(), self.memory.block(program as usize * HEADER));
        let (front, mut size) = (start + len, ROOM);
        loop {
            let Some((written, rest)) = self.memory.room(front, size).split_at_mut_checked(front) else { return false };
            // JavaScript keeps the numbers: one that names no program is an error of its own, and gets no verdict.
            let Some(program) = block.clone().and_then(|block| written.get(block)) else { return false };
            let (program, instance) = (Program::trusted(program), written.get(start..).unwrap_or_default());
            let validator = program.validator().limits(limits).unique_names(check.unique_names);
            let mut found = Found { out: Out::new(rest), program, instance, check, told: 0, omitted: 0 };
            let verdict =
                Json::new(instance).and_then(|json| validator.run_with(json, Some(&mut found), &mut self.scratch));
            match verdict {
                Ok(true) => return true,
                Ok(false) => words::omitted(&mut found.out, found.omitted),
                Err(error) => {
                    found.out.clear();
                    words::error(&mut found.out, error);
                }
            }
            if let Some(len) = found.out.written() {
                self.output = (front, len);
                return false;
            }
            size = size.saturating_mul(2);
        }
    }
}

/// Writes as many issues as are told, and counts the others.
struct Found<'m> {
    out: Out<'m>,
    program: Program<'m>,
    instance: &'m [u8],
    check: Check,
    told: u32,
    omitted: u32,
}

impl IssueSink for Found<'_> {
    fn push(&mut self, issue: Issue) {
        if self.told == self.check.issues {
            self.omitted = self.omitted.saturating_add(1);
            return;
        }
        words::next(&mut self.out);
        self.told += 1;
        if self.out.written().is_none() {
            // It is written again with more room.
            return;
        }
        let shown = u16::try_from(self.check.shown).unwrap_or(u16::MAX);
        let description = issue.describe(&self.program, self.instance).show_value(shown);
        words::issue(&mut self.out, &description, self.check.characters);
    }
}

/// URI and text.
type Document<'m> = (&'m str, &'m [u8]);

/// Documents as they were registered, one behind the other.
fn documents(mut bytes: &[u8]) -> impl Iterator<Item = Document<'_>> {
    core::iter::from_fn(move || {
        let (uri_len, len) = (word(bytes, 0), word(bytes, HEADER));
        let (document, rest) = bytes.get(DOCUMENT..)?.split_at_checked(len)?;
        bytes = rest;
        let (uri, text) = document.split_at_checked(uri_len)?;
        Some((utf8(uri), text))
    })
}
