//! Places in a JSON text: the value at a byte offset, and the way to it.

use microschema::{Instance, Json, Kind, Next, Text};
use std::fmt::Write;
use std::ops::Range;

/// As deep as the reader goes.
pub const DEPTH: u32 = 512;

/// A step from a container to an element of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name as a pointer has it: decoded, or an index.
    pub name: String,
    /// Where the name stands, quotes included; `None` for an item.
    pub name_span: Option<Range<usize>>,
    /// Where the value stands.
    pub value: Range<usize>,
}

/// Where the value that starts at `at` ends; just the opening bracket of a container.
pub fn value_span(json: Json<'_>, at: usize) -> Range<usize> {
    let end = match json.kind(at) {
        Ok(Kind::Object | Kind::Array) | Err(_) => at + 1,
        Ok(_) => json.skip(at, DEPTH).unwrap_or(at + 1),
    };
    at..end.min(json.bytes().len())
}

/// The steps from the root to the innermost value (or member name) that holds the byte at `at`.
pub fn path_to(json: Json<'_>, at: usize) -> Vec<Step> {
    let mut path = Vec::new();
    let Ok(mut value) = json.root() else { return path };
    while let Some(step) = step_towards(json, value, at) {
        value = step.value.start;
        path.push(step);
    }
    path
}

/// The element of the container at `container` that holds the byte at `at`.
fn step_towards(json: Json<'_>, container: usize, at: usize) -> Option<Step> {
    let mut found = None;
    each_element(json, container, &mut |step| {
        let start = step.name_span.as_ref().map_or(step.value.start, |name| name.start);
        if (start..step.value.end).contains(&at) {
            found = Some(step);
        }
    });
    found
}

/// Calls `each` for the elements of a container, up to where the text stops being JSON.
pub fn each_element(json: Json<'_>, container: usize, each: &mut dyn FnMut(Step)) {
    let mut after = container;
    match json.kind(container) {
        Ok(Kind::Object) => {
            let mut members = json.members(container);
            while let Ok(Next::Item(member)) = json.next_member(&mut members, after) {
                let Ok(end) = json.skip(member.value, DEPTH) else { return };
                let name_end = json.skip(member.name_at, DEPTH).unwrap_or(member.value);
                each(Step {
                    name: decode(member.name),
                    name_span: Some(member.name_at..name_end),
                    value: member.value..end,
                });
                after = end;
            }
        }
        Ok(Kind::Array) => {
            let mut items = json.items(container);
            let mut index = 0;
            while let Ok(Next::Item(item)) = json.next_item(&mut items, after) {
                let Ok(end) = json.skip(item, DEPTH) else { return };
                each(Step { name: format!("{index}"), name_span: None, value: item..end });
                (after, index) = (end, index + 1);
            }
        }
        _ => {}
    }
}

/// The JSON Pointer of a path (RFC 6901).
pub fn pointer(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        let _ = write!(text, "/{}", step.name.replace('~', "~0").replace('/', "~1"));
    }
    text
}

/// A pointer as messages show it.
pub fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "(root)" } else { pointer }
}

/// A string in full.
pub fn decode(text: Text<'_>) -> String {
    text.chars().map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
