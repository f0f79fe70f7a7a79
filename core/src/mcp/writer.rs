//! Writing JSON into a buffer: small, bounded, and on one line.

use super::raw::Raw;
use crate::text::Text;
use crate::{Issue, Number, Segment};
use core::fmt::{self, Write};

/// The buffer has no room for what was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("buffer is full")
    }
}

impl core::error::Error for Full {}

/// Displays a text without the padding of `str`, which takes 0.7 KB of flash.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Plain<'a>(pub &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Writes one JSON value into a buffer, with the commas where they belong and no line break anywhere.
///
/// What does not fit is remembered, and told by [`finish`](Self::finish). That objects are ended and their members named is up to the
/// caller.
///
/// ```
/// use microschema::mcp::JsonWriter;
///
/// let mut out = [0; 64];
/// let mut json = JsonWriter::new(&mut out);
/// json.begin_object().name("version").string("2.0 \"beta\"").name("pins").begin_array();
/// json.integer(-1).integer(13).end_array().end_object();
/// let length = json.finish()?;
/// assert_eq!(&out[..length], br#"{"version":"2.0 \"beta\"","pins":[-1,13]}"#);
/// # Ok::<(), microschema::mcp::Full>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter<'b> {
    out: &'b mut [u8],
    length: usize,
    is_full: bool,
    /// Whether a value stands right before what comes next.
    follows: bool,
}

/// A state of a writer to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    length: usize,
    is_full: bool,
    follows: bool,
}

impl<'b> JsonWriter<'b> {
    /// A writer into `out`.
    #[must_use]
    pub const fn new(out: &'b mut [u8]) -> Self {
        Self { out, length: 0, is_full: false, follows: false }
    }

    /// The length of what was written.
    ///
    /// # Errors
    /// When not all of it fitted.
    pub const fn finish(self) -> Result<usize, Full> {
        if self.is_full { Err(Full) } else { Ok(self.length) }
    }

    /// `{`
    pub fn begin_object(&mut self) -> &mut Self {
        self.token("{", false)
    }

    /// `}`
    pub fn end_object(&mut self) -> &mut Self {
        self.end("}")
    }

    /// `[`
    pub fn begin_array(&mut self) -> &mut Self {
        self.token("[", false)
    }

    /// `]`
    pub fn end_array(&mut self) -> &mut Self {
        self.end("]")
    }

    /// The name of a member; its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.bytes(b":");
        self.follows = false;
        self
    }

    /// A string.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.text(&mut |out| out.write_str(text))
    }

    /// A string of what `value` displays.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub fn display(&mut self, value: &dyn fmt::Display) -> &mut Self {
        self.text(&mut |out| write!(out, "{value}"))
    }

    /// A string that `write` writes, bit by bit. Its own errors count as a full buffer.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub fn text(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> fmt::Result) -> &mut Self {
        self.token("\"", true);
        if write(&mut Escaped(self)).is_err() {
            self.is_full = true;
        }
        self.bytes(b"\"");
        self
    }

    /// A whole number.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.separate();
        if Number::from_i64(value).write(&mut Escaped(self)).is_err() {
            self.is_full = true;
        }
        self
    }

    /// `true` or `false`
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.token(if value { "true" } else { "false" }, true)
    }

    /// `null`
    pub fn null(&mut self) -> &mut Self {
        self.token("null", true)
    }

    /// A value as it is spelled, but for line breaks between its parts: a message is one line (Transports, "stdio").
    pub fn raw(&mut self, value: Raw<'_>) -> &mut Self {
        self.separate();
        // Within strings such characters are always escaped.
        for part in value.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r')) {
            self.bytes(part);
        }
        self
    }

    /// What `serde-json-core` makes of `value`. A value that it refuses counts as a full buffer.
    ///
    /// It has branches that panic, though none that can be reached is known: a build that links with `panic-never` has to write its
    /// values by hand.
    pub fn serialize<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> &mut Self {
        self.separate();
        match serde_json_core::to_slice(value, self.out.get_mut(self.length..).unwrap_or_default()) {
            Ok(length) => self.length = self.length.saturating_add(length).min(self.out.len()),
            Err(_) => self.is_full = true,
        }
        self
    }

    /// The segments of an issue's path, as an array.
    pub(super) fn path<'i, I: crate::Instance<'i>>(&mut self, of: &crate::Description<'_, 'i, I>) -> &mut Self {
        self.begin_array();
        of.each_segment(&mut |segment| match segment {
            Segment::Index(index) => {
                self.integer(index.into());
            }
            Segment::Name(_) => {
                self.display(&segment);
            }
        });
        self.end_array()
    }

    /// Text of several tokens as it is, commas and all. What comes next takes none.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn piece(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes());
        self.follows = false;
        self
    }

    pub(super) const fn mark(&self) -> Mark {
        Mark { length: self.length, is_full: self.is_full, follows: self.follows }
    }

    pub(super) const fn reset(&mut self, to: Mark) {
        (self.length, self.is_full, self.follows) = (to.length, to.is_full, to.follows);
    }

    /// Whether all that was written fitted, and so many bytes more would.
    pub(super) const fn has_room(&self, bytes: usize) -> bool {
        !self.is_full && self.out.len().saturating_sub(self.length) >= bytes
    }

    fn end(&mut self, token: &str) -> &mut Self {
        self.follows = false;
        self.token(token, true)
    }

    fn token(&mut self, token: &str, is_value: bool) -> &mut Self {
        self.separate();
        self.bytes(token.as_bytes());
        self.follows = is_value;
        self
    }

    /// The comma before a value or a name, if another value stands there.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn separate(&mut self) {
        if self.follows {
            self.bytes(b",");
        }
        self.follows = true;
    }

    #[inline(never)]
    fn bytes(&mut self, bytes: &[u8]) {
        let end = self.length.saturating_add(bytes.len());
        match self.out.get_mut(self.length..end) {
            Some(room) if !self.is_full => {
                for (to, from) in room.iter_mut().zip(bytes) {
                    *to = *from;
                }
                self.length = end;
            }
            _ => self.is_full = true,
        }
    }
}

/// The inside of a string.
struct Escaped<'w, 'b>(&'w mut JsonWriter<'b>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Runs of bytes that need no escape are copied in one go (RFC 8259 section 7).
        let mut rest = text.as_bytes();
        loop {
            let run = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
            let Some((plain, behind)) = rest.split_at_checked(run) else { return Err(fmt::Error) };
            self.0.bytes(plain);
            let Some((&byte, behind)) = behind.split_first() else { break };
            let short = match byte {
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                quoted => quoted,
            };
            if byte >= 0x20 || short != byte {
                self.0.bytes(&[b'\\', short]);
            } else {
                let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
                self.0.bytes(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xF)]);
            }
            rest = behind;
        }
        if self.0.is_full { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Writes the start of a text: so many characters at most, then an ellipsis.
pub(super) fn write_start(out: &mut dyn Write, text: Text<'_>, characters: usize) -> fmt::Result {
    let mut codes = text.chars();
    for code in codes.by_ref().take(characters) {
        out.write_char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))?;
    }
    if codes.next().is_some() { out.write_char('…') } else { Ok(()) }
}

/// Issues as Standard Schema has them, with the keyword and a JSON Pointer, as the items of an array.
pub(super) fn write_issues(json: &mut JsonWriter<'_>, issues: &[Issue], program: &crate::Program<'_>, instance: &[u8]) {
    let mut comma = "";
    for issue in issues {
        let issue = issue.describe(program, instance);
        json.piece(comma).piece("{\"path\":").path(&issue);
        json.piece(",\"pointer\":").display(&issue.pointer());
        json.piece(",\"keyword\":").string(issue.keyword());
        #[cfg(feature = "messages")]
        json.piece(",\"message\":").display(&issue.message());
        json.piece("}");
        comma = ",";
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonWriter, Raw};
    use serde_json::Value;
    use std::{string::String, vec};

    #[test]
    fn strings_come_back_as_they_were() {
        let every: String = (0..0x3000).filter_map(char::from_u32).chain(['\u{10FFFF}', '😀']).collect();
        let mut out = vec![0; 64 * 1024];
        let mut json = JsonWriter::new(&mut out);
        json.string(&every);
        let length = json.finish().unwrap();
        assert_eq!(serde_json::from_slice::<String>(&out[..length]).unwrap(), every);
        assert!(!out[..length].contains(&b'\n'));
    }

    #[test]
    fn writes_nothing_past_the_end() {
        let write = |out: &mut [u8]| {
            let mut json = JsonWriter::new(out);
            json.begin_object().name("a\n").begin_array().integer(i64::MIN).null().boolean(true).end_array();
            json.name("b").raw(Raw::new(b"[1,\r\n 2]").unwrap()).name("c").serialize(&[1, 2]).end_object();
            json.finish()
        };
        let mut out = [0; 100];
        let length = write(&mut out).unwrap();
        let expected = r#"{"a\n":[-9223372036854775808,null,true],"b":[1, 2],"c":[1,2]}"#;
        assert_eq!(str::from_utf8(&out[..length]), Ok(expected));
        assert!(serde_json::from_slice::<Value>(&out[..length]).is_ok());
        for short in 0..length {
            assert!(write(&mut out[..short]).is_err(), "{short}");
        }
    }
}
