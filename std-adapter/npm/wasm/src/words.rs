//! Results as JSON, within bounds. The issues are those of `microschema_mcp`, word for word.

use crate::engine::Check;
use alloc::string::String;
use core::fmt::{self, Display, Write};
use microschema::{Description, Error, Issue, Number, Program, SchemaError, Segment};

/// `{"valid":false,"reason":"invalid","issues":[…],"omitted":0}`
pub(crate) fn issues(
    out: &mut String,
    list: &[Issue],
    omitted: u32,
    program: Program<'_>,
    instance: &[u8],
    check: Check,
) {
    raw(out, "{\"valid\":false,\"reason\":\"invalid\",\"issues\":[");
    for (index, issue) in list.iter().enumerate() {
        if index > 0 {
            raw(out, ",");
        }
        let shown = u16::try_from(check.shown).unwrap_or(u16::MAX);
        one(out, &issue.describe(&program, instance).show_value(shown), check.characters as usize);
    }
    raw(out, "],\"omitted\":");
    number(out, u64::from(omitted));
    raw(out, "}");
}

/// `{"path":["limits","max"],"pointer":"/limits/max","keyword":"maximum","message":"must be at most 125"}`
fn one(out: &mut String, description: &Description<'_, '_>, characters: usize) {
    let mut pointer = Cut::new(characters);
    raw(out, "{\"path\":");
    let mut mark = "[";
    description.each_segment(&mut |segment| {
        if pointer.is_cut {
            return;
        }
        raw(out, mark);
        mark = ",";
        // What does not fit is cut, which `pointer` remembers.
        let _ = pointer.write_char('/');
        match segment {
            Segment::Index(index) => {
                number(&mut pointer, u64::from(index));
                number(out, u64::from(index));
            }
            Segment::Name(name) => {
                raw(out, "\"");
                for code in name.chars() {
                    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    let written = match c {
                        '~' => pointer.write_str("~0"),
                        '/' => pointer.write_str("~1"),
                        c => pointer.write_char(c),
                    };
                    if written.is_err() {
                        raw(out, "…");
                        break;
                    }
                    escaped(out, c);
                }
                raw(out, "\"");
            }
        }
    });
    raw(out, if mark == "[" { "[]" } else { "]" });
    let mut message = Cut::new(characters);
    let _ = write!(message, "{}", description.message());
    text_member(out, ",\"pointer\":", &pointer.text);
    text_member(out, ",\"keyword\":", description.keyword());
    text_member(out, ",\"message\":", &message.text);
    raw(out, "}");
}

/// `{"valid":false,"reason":"json","message":"input ends inside an object at byte 11","at":11,"truncated":true,"issues":[],"omitted":0}`,
/// or without a place `{"valid":false,"reason":"limit","message":"depth limit reached","issues":[],"omitted":0}`
pub(crate) fn error(out: &mut String, error: Error) {
    let reason = if matches!(error, Error::Json(_)) { "json" } else { "limit" };
    text_member(out, "{\"valid\":false,\"reason\":", reason);
    member(out, ",\"message\":", error);
    if let Error::Json(error) = error {
        raw(out, ",\"at\":");
        number(out, error.at as u64);
        raw(out, if error.kind.is_truncated() { ",\"truncated\":true" } else { ",\"truncated\":false" });
    }
    raw(out, ",\"issues\":[],\"omitted\":0}");
}

/// `{"message":"expected a string","pointer":"/title"}`, and the URI of the document that it is in, if that is another.
pub(crate) fn schema_error(out: &mut String, error: SchemaError, schema: &[u8], document: Option<&(&str, &[u8])>) {
    let text = document.map_or(schema, |(_, text)| text);
    member(out, "{\"message\":", error.kind);
    member(out, ",\"pointer\":", error.pointer(text));
    if let Some((uri, _)) = document {
        text_member(out, ",\"document\":", uri);
    }
    raw(out, "}");
}

/// A member whose value is a string.
fn member(out: &mut String, name: &str, value: impl Display) {
    raw(out, name);
    raw(out, "\"");
    let _ = write!(Escaped(out), "{value}");
    raw(out, "\"");
}

/// The same of what is text already. `str` and numbers as `Display` has them bring the machinery for padding along.
fn text_member(out: &mut String, name: &str, value: &str) {
    raw(out, name);
    raw(out, "\"");
    value.chars().for_each(|c| escaped(out, c));
    raw(out, "\"");
}

/// What does not fit is cut.
fn number(out: &mut dyn Write, number: u64) {
    let _ = Number::from_u64(number).write(out);
}

/// The inside of a JSON string.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().for_each(|c| escaped(self.0, c));
        Ok(())
    }
}

fn escaped(out: &mut String, c: char) {
    let last = match c {
        '"' | '\\' => {
            raw(out, "\\");
            c
        }
        '\0'..='\x1f' => {
            raw(out, if c < '\x10' { "\\u000" } else { "\\u001" });
            char::from_digit(u32::from(c) & 15, 16).unwrap_or_default()
        }
        c => c,
    };
    push(out, last);
}

/// The only copies of what appends to a string.
#[inline(never)]
fn push(out: &mut String, c: char) {
    out.push(c);
}

#[inline(never)]
fn raw(out: &mut String, text: &str) {
    out.push_str(text);
}

/// Text of a bounded length. What does not fit is an error, so that the writer ends, and leaves a `…`.
struct Cut {
    text: String,
    left: usize,
    is_cut: bool,
}

impl Cut {
    const fn new(characters: usize) -> Self {
        Self { text: String::new(), left: characters, is_cut: false }
    }
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        if self.is_cut {
            return Err(fmt::Error);
        }
        let Some(left) = self.left.checked_sub(1) else {
            self.is_cut = true;
            raw(&mut self.text, "…");
            return Err(fmt::Error);
        };
        self.left = left;
        push(&mut self.text, c);
        Ok(())
    }
}
