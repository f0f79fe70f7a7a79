//! Pieces of a text with a caret under the place that a message is about.

use crate::source::Source;
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use microschema::{Error, Json};
use microschema_mcp::place;
use std::ops::Range;

/// What stands before an error that has no place.
pub const ERROR: &str = "error: ";

/// Bytes of a long line that are kept before and behind the place; the renderer cuts it further, to the width below.
const AROUND: usize = 160;
/// Bytes of a long value that are underlined.
const UNDERLINED: usize = 60;
const WIDTH: usize = 110;

/// A message about the value at `at`.
pub fn about_value(title: &str, source: &Source, at: usize) -> String {
    let span = match Json::new(&source.bytes) {
        Ok(json) => place::value_span(json, at),
        Err(_) => at..at,
    };
    render(&Level::ERROR, title, source, span)
}

/// A message about the byte at `at`, or about the end of the text.
pub fn about_byte(title: &str, source: &Source, at: usize) -> String {
    let end = source.bytes.trim_ascii_end().len();
    let at = if at >= source.bytes.len() { end } else { at };
    render(&Level::ERROR, title, source, at..at)
}

/// Why there is no verdict on an instance.
pub fn about_error(instance: &Source, error: Error) -> String {
    match error {
        Error::Json(error) => about_byte(&error.to_string(), instance, error.at),
        limit => format!("{ERROR}{}: {limit}", instance.name),
    }
}

/// A remark about the byte at `at`.
pub fn warning(title: &str, source: &Source, at: usize) -> String {
    render(&Level::WARNING, title, source, at..at)
}

fn render(level: &Level<'static>, title: &str, source: &Source, span: Range<usize>) -> String {
    let line = Line::around(&source.bytes, span);
    let origin = Origin::path(source.name.as_str()).line(line.number).char_column(line.column);
    let snippet = Snippet::source(line.text.as_str())
        .line_start(line.number)
        .annotation(AnnotationKind::Primary.span(line.span.clone()));
    let report = &[level.clone().primary_title(title).element(origin).element(snippet)];
    // Styles are taken out on the way to anything but a terminal.
    let text = Renderer::styled().hyperlink(false).term_width(WIDTH).render(report);
    // The place is given by itself, as the line may be cut; the renderer then announces the snippet as that of another file.
    let is_content = |line: &&str| anstream::adapter::strip_str(line).to_string().trim() != ":::";
    text.lines().filter(is_content).collect::<Vec<_>>().join("\n")
}

/// The part of a line that is shown.
#[derive(Debug)]
struct Line {
    text: String,
    /// Counted from one, in characters.
    number: usize,
    column: usize,
    span: Range<usize>,
}

impl Line {
    fn around(bytes: &[u8], span: Range<usize>) -> Self {
        let at = span.start.min(bytes.len());
        let (before, behind) = bytes.split_at(at);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let number = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        let from = boundary(bytes, at.saturating_sub(AROUND).max(start));
        let end = at + behind.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(behind.len());
        let to = boundary(bytes, (at + UNDERLINED + AROUND).min(end)).max(at);
        let head = String::from_utf8_lossy(&bytes[from..at]);
        let to_span = boundary(bytes, span.end.clamp(at, at + UNDERLINED)).clamp(at, to);
        let marked = String::from_utf8_lossy(&bytes[at..to_span]);
        let tail = String::from_utf8_lossy(&bytes[to_span..to]);
        let start = head.len();
        // The caret needs a character to stand under.
        let width = marked.len().max(tail.chars().next().map_or(0, char::len_utf8) * usize::from(marked.is_empty()));
        let text = format!("{head}{marked}{tail}");
        Self { text, number, column, span: start..start + width }
    }
}

/// The last start of a character at or before `at`.
fn boundary(bytes: &[u8], mut at: usize) -> usize {
    at = at.min(bytes.len());
    while at > 0 && bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source {
        Source { name: "x.json".to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn any_offset_of_any_bytes_can_be_shown() {
        let long = "\u{10FFFF}é\t".repeat(100);
        for bytes in [
            &b""[..],
            b"\n",
            b"\r\n\r\n",
            b"\n\x80\x80",
            b"\xFF\xFE{\"a\":1}\n\xC3",
            b"{\"\x00\x1B[31m\": \x07}",
            "{\"größe\": \"1\u{301}\u{200D}\",\r\n \"b\": [\t1, \u{FEFF}]}".as_bytes(),
            long.as_bytes(),
        ] {
            for at in 0..=bytes.len() + 2 {
                for text in [about_byte("b", &source(bytes), at), about_value("v", &source(bytes), at)] {
                    assert!(text.contains("x.json:") && text.contains('^'), "{bytes:?} at {at}: {text}");
                }
            }
        }
    }

    #[test]
    fn columns_count_characters_from_one() {
        let text =
            anstream::adapter::strip_str(&about_value("t", &source("{\n\"größe\": 12}".as_bytes()), 13)).to_string();
        assert_eq!(text, "error: t\n --> x.json:2:10\n  |\n2 | \"größe\": 12}\n  |          ^^");
    }
}
