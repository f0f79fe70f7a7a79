//! Programs of single keywords, compiled when they are first needed.

use super::OutputError;
use super::tree::token;
use microschema::{Error, Issue, Options, Program, SchemaError, SchemaErrorKind, Segment};
use std::collections::HashMap;
use std::fmt::Write;

/// Where compiling starts, and where it gives up.
const FIRST_ARENA: usize = 16 << 10;
const LAST_ARENA: usize = 64 << 20;
/// Issues of one keyword that are told.
const SHOWN: usize = 8;

/// Compiles a schema.
pub(super) fn compile(options: Options<'_>, schema: &[u8]) -> Result<Vec<u8>, SchemaError> {
    let mut arena = vec![0; FIRST_ARENA + 3 * schema.len()];
    loop {
        match options.compile(schema, &mut arena).map(|program| program.as_bytes().to_vec()) {
            Err(error) if error.kind == SchemaErrorKind::ArenaFull && arena.len() < LAST_ARENA => {
                arena.resize(arena.len() * 2, 0);
            }
            result => return result,
        }
    }
}

/// What is wrong with an instance, if anything.
pub(super) fn run(program: &[u8], instance: &[u8]) -> Result<Option<String>, OutputError> {
    let program = Program::from_bytes(program).map_err(|_| OutputError::Disagreement)?;
    let mut issues = microschema::Issues::<SHOWN>::new();
    if program.validate(instance, &mut issues)? {
        return Ok(None);
    }
    let mut texts: Vec<String> = issues.iter().map(|issue| describe(issue, &program, instance)).collect();
    if issues.omitted() > 0 {
        texts.push(format!("and {} more", issues.omitted()));
    }
    Ok(Some(texts.join("; ")))
}

/// The message, with the place where that is not the value itself.
fn describe(issue: &Issue, program: &Program<'_>, instance: &[u8]) -> String {
    let issue = issue.describe(program, instance);
    let mut text = String::new();
    issue.each_segment(&mut |segment| match segment {
        Segment::Name(name) => text.push_str(&token(&name.chars().filter_map(char::from_u32).collect::<String>())),
        Segment::Index(index) => {
            let _ = write!(text, "/{index}");
        }
    });
    let separator = if text.is_empty() { "" } else { ": " };
    let _ = write!(text, "{separator}{}", issue.message());
    text
}

/// The programs, by the address of the keyword's value.
#[derive(Debug, Default)]
pub(super) struct Programs {
    list: HashMap<usize, Vec<u8>>,
}

impl Programs {
    /// What is wrong with `instance`, by the one keyword that `schema` writes. `value` is the text of its value, where that stands.
    pub(super) fn ask(
        &mut self,
        value: &str,
        options: Options<'_>,
        schema: &dyn Fn() -> String,
        instance: &str,
    ) -> Result<Option<String>, OutputError> {
        let key = value.as_ptr().addr();
        if !self.list.contains_key(&key) {
            // The engine has compiled it before, as a part of the whole.
            let program = compile(options, schema().as_bytes()).map_err(|_| OutputError::Disagreement)?;
            self.list.insert(key, program);
        }
        let program = self.list.get(&key).map_or(&[][..], Vec::as_slice);
        let verdict = run(program, instance.as_bytes());
        // Where the whole text was read, nothing of it is too much: a name that occurs twice is found by the whole.
        verdict.map_err(|error| match error {
            OutputError::Instance(Error::Json(_)) => OutputError::Disagreement,
            error => error,
        })
    }
}
