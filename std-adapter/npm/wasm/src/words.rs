//! Results as JSON, within bounds. The issues are those of `microschema_mcp`, word for word.

use core::fmt::{self, Display, Write};
use microschema::{Description, Error, Number, SchemaError, Segment};

/// `{"path":["limits","max"],"pointer":"/limits/max","keyword":"maximum","message":"must be at most 125"}`
pub(crate) fn issue(out: &mut Out<'_>, description: &Description<'_, '_>, characters: u32) {
    out.raw("{\"path\":[");
    // The path ends where its pointer is cut, whose characters are counted here.
    out.limit(characters);
    let mut between = "";
    description.each_segment(&mut |segment| {
        if out.is_cut {
            return;
        }
        out.raw(between);
        between = ",";
        out.spend(1);
        match segment {
            Segment::Index(index) => {
                let start = out.len;
                out.number(index.into());
                out.spend((out.len - start) as u32);
            }
            Segment::Name(name) => {
                out.raw("\"");
                for code in name.chars() {
                    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    if !out.spend(if matches!(c, '~' | '/') { 2 } else { 1 }) {
                        out.raw("…");
                        break;
                    }
                    out.escaped(c);
                }
                out.raw("\"");
            }
        }
    });
    out.raw("]");
    out.limit(characters);
    out.member(",\"pointer\":", &description.pointer());
    out.limit(u32::MAX);
    out.text_member(",\"keyword\":", description.keyword());
    out.limit(characters);
    out.member(",\"message\":", &description.message());
    out.raw("}");
}

/// The beginning of `{"valid":false,"reason":"invalid","issues":[…],"omitted":0}`, or what is between two issues.
pub(crate) fn next(out: &mut Out<'_>) {
    out.raw(if out.len == 0 { "{\"valid\":false,\"reason\":\"invalid\",\"issues\":[" } else { "," });
}

/// The end.
pub(crate) fn omitted(out: &mut Out<'_>, omitted: u32) {
    if out.len == 0 {
        next(out);
    }
    out.raw("],\"omitted\":");
    out.number(omitted.into());
    out.raw("}");
}

/// `{"valid":false,"reason":"json","message":"input ends inside an object at byte 11","at":11,"truncated":true,"issues":[],"omitted":0}`,
/// or without a place `{"valid":false,"reason":"limit","message":"depth limit reached","issues":[],"omitted":0}`
pub(crate) fn error(out: &mut Out<'_>, error: Error) {
    let reason = if matches!(error, Error::Json(_)) { "json" } else { "limit" };
    out.text_member("{\"valid\":false,\"reason\":", reason);
    out.member(",\"message\":", &error);
    if let Error::Json(error) = error {
        out.raw(",\"at\":");
        out.number(error.at as u64);
        out.raw(if error.kind.is_truncated() { ",\"truncated\":true" } else { ",\"truncated\":false" });
    }
    out.raw(",\"issues\":[],\"omitted\":0}");
}

/// `{"message":"expected a string","pointer":"/title"}`, and the URI of the document that it is in, if that is another.
pub(crate) fn schema_error(out: &mut Out<'_>, error: SchemaError, schema: &[u8], document: Option<&(&str, &[u8])>) {
    let text = document.map_or(schema, |(_, text)| text);
    out.member("{\"message\":", &error.kind);
    out.member(",\"pointer\":", &error.pointer(text));
    if let Some((uri, _)) = document {
        out.text_member(",\"document\":", uri);
    }
    out.raw("}");
}

/// JSON in a buffer. As a writer, it is inside a string.
pub(crate) struct Out<'m> {
    buffer: &'m mut [u8],
    /// What was written, and what had no room.
    len: usize,
    /// Characters of strings that are left until these are cut. What does not fit is an error, so that the writer ends, and leaves a `…`.
    left: u32,
    is_cut: bool,
}

impl<'m> Out<'m> {
    pub(crate) const fn new(buffer: &'m mut [u8]) -> Self {
        Self { buffer, len: 0, left: u32::MAX, is_cut: false }
    }

    /// The length of the text; `None` when there was too little room.
    pub(crate) const fn written(&self) -> Option<usize> {
        if self.len <= self.buffer.len() { Some(self.len) } else { None }
    }

    pub(crate) const fn clear(&mut self) {
        self.len = 0;
        self.limit(u32::MAX);
    }

    const fn limit(&mut self, characters: u32) {
        (self.left, self.is_cut) = (characters, false);
    }

    fn spend(&mut self, characters: u32) -> bool {
        match self.left.checked_sub(characters) {
            Some(left) => self.left = left,
            None => self.is_cut = true,
        }
        !self.is_cut
    }

    // The only copy of what appends. Texts are short: to copy their memory as a whole would take a call out of the module.
    #[inline(never)]
    pub(crate) fn raw(&mut self, text: &str) {
        for &byte in text.as_bytes() {
            if let Some(slot) = self.buffer.get_mut(self.len) {
                *slot = byte;
            }
            self.len += 1;
        }
    }

    fn number(&mut self, number: u64) {
        let bound = (self.left, self.is_cut);
        self.limit(u32::MAX);
        // Nothing is cut.
        let _ = Number::from_u64(number).write(self);
        (self.left, self.is_cut) = bound;
    }

    /// A character of a string.
    #[inline(never)]
    fn escaped(&mut self, c: char) {
        let last = match c {
            '"' | '\\' => {
                self.raw("\\");
                c
            }
            '\0'..='\x1f' => {
                self.raw(if c < '\x10' { "\\u000" } else { "\\u001" });
                char::from_digit(u32::from(c) & 15, 16).unwrap_or_default()
            }
            c => c,
        };
        self.raw(last.encode_utf8(&mut [0; 4]));
    }

    /// A member whose value is a string.
    #[inline(never)]
    fn member(&mut self, name: &str, value: &dyn Display) {
        self.raw(name);
        self.raw("\"");
        // What is cut is an error here, and none to tell.
        let _ = write!(self, "{value}");
        self.raw("\"");
    }

    /// The same of what is text already: `str`'s own `Display` brings the machinery for padding along.
    #[inline(never)]
    fn text_member(&mut self, name: &str, value: &str) {
        self.raw(name);
        self.raw("\"");
        let _ = self.write_str(value);
        self.raw("\"");
    }
}

impl Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        if self.is_cut {
            return Err(fmt::Error);
        }
        if self.spend(1) {
            self.escaped(c);
            return Ok(());
        }
        self.raw("…");
        Err(fmt::Error)
    }
}
