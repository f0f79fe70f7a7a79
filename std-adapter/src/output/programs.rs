//! Programs of single keywords, compiled when they are first needed.

use super::OutputError;
use super::tree::token;
use microschema::{Error, Issue, Issues, Options, Program, ProgramBuf, Segment};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

/// Issues of one keyword that are told.
const SHOWN: usize = 8;

/// What is wrong with an instance, if anything.
pub(super) fn run(program: Program<'_>, instance: &[u8]) -> Result<Option<String>, Error> {
    let mut issues = Issues::<SHOWN>::new();
    if program.validate(instance, &mut issues)? {
        return Ok(None);
    }
    let mut texts: Vec<String> = issues.iter().map(|issue| describe(issue, program, instance)).collect();
    if issues.omitted() > 0 {
        texts.push(format!("and {} more", issues.omitted()));
    }
    Ok(Some(texts.join("; ")))
}

/// The message, with the place where that is not the value itself.
fn describe(issue: &Issue, program: Program<'_>, instance: &[u8]) -> String {
    let issue = issue.describe(&program, instance);
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
    list: HashMap<usize, ProgramBuf>,
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
        let program = match self.list.entry(value.as_ptr().addr()) {
            Entry::Occupied(program) => program.into_mut(),
            // The engine has compiled it before, as a part of the whole.
            Entry::Vacant(entry) => {
                entry.insert(options.compile_owned(schema().as_bytes()).map_err(|_| OutputError::Disagreement)?)
            }
        };
        Ok(run(program.as_program(), instance.as_bytes())?)
    }
}
