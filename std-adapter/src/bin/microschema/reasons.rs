//! Every reason for which a schema is refused: the compiler stops at the first, so the part at fault is blanked out and it starts again.

use crate::{program, tools};
use microschema::{Json, Options, SchemaError, SchemaErrorKind};
use microschema_mcp::place::{self, Step};
use std::ops::Range;

/// More than these are not looked for.
const MOST: usize = 50;

/// Why a schema is refused.
#[derive(Clone, Debug)]
pub struct Reason {
    pub error: SchemaError,
    pub pointer: String,
}

/// The length of the schema's program, or what stands in its way.
pub fn program_len(options: Options<'_>, schema: &[u8]) -> Result<usize, Vec<Reason>> {
    let mut arena = Vec::new();
    let mut blanked = Blanked { schema, text: schema.to_vec(), names: Vec::new() };
    let mut reasons = Vec::new();
    for _ in 0..MOST {
        match program::compile(options, &blanked.text, &mut arena) {
            Ok(program) if reasons.is_empty() => return Ok(program.as_bytes().len()),
            Ok(_) => break,
            Err(error) => {
                if blanked.is_new(error) {
                    reasons.push(Reason { error, pointer: error.pointer(schema).to_string() });
                }
                if !blanked.blank(error) {
                    break;
                }
            }
        }
    }
    Err(reasons)
}

/// A schema without the parts that were at fault so far. All offsets stay those of the schema.
struct Blanked<'s> {
    schema: &'s [u8],
    text: Vec<u8>,
    /// The names (or indices) of what was taken out.
    names: Vec<String>,
}

impl Blanked<'_> {
    /// Whether the error is one of the schema as it was, not of what was taken out.
    fn is_new(&self, error: SchemaError) -> bool {
        let is_consequence = match error.kind {
            SchemaErrorKind::UnresolvedReference => {
                let reference = Json::new(&self.text).ok().and_then(|json| tools::string(json, error.at));
                let reference = reference.unwrap_or_default();
                self.names.iter().any(|name| name.starts_with('$') || reference.split('/').any(|step| step == name))
            }
            SchemaErrorKind::EmptyArray => {
                !self.schema.get(error.at + 1..).unwrap_or_default().trim_ascii_start().starts_with(b"]")
            }
            _ => false,
        };
        !is_consequence
    }

    /// Takes out the innermost member or item at fault; `false` when that cannot be done.
    fn blank(&mut self, error: SchemaError) -> bool {
        let Ok(json) = Json::new(&self.text) else { return false };
        if error.document.is_some() {
            return false;
        }
        let Some(step) = place::path_to(json, error.at).pop() else { return false };
        let span = with_comma(&self.text, &step);
        if let Some(part) = self.text.get_mut(span) {
            part.fill(b' ');
        }
        self.names.push(step.name);
        true
    }
}

/// Where an element stands, with the comma that parts it from its neighbour.
fn with_comma(text: &[u8], step: &Step) -> Range<usize> {
    let start = step.name_span.as_ref().map_or(step.value.start, |name| name.start);
    let end = step.value.end;
    let (before, behind) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let next = behind.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    if behind.get(next) == Some(&b',') {
        return start..end + next + 1;
    }
    match before.trim_ascii_end() {
        [rest @ .., b','] => rest.len()..end,
        _ => start..end,
    }
}
