//! Answers, each written as a whole line (without its line feed) into a buffer of the caller's.
//!
//! Results do not name the server (`_meta["io.modelcontextprotocol/serverInfo"]`, which 2026-07-28 recommends and not requires): on a
//! device it is said once, by `initialize` and `server/discover`.
//!
//! Every function gives the length of what it wrote, or [`Full`]; then what stands in the buffer is of no use, and
//! [`too_long`] still has something to say.
//!
//! ```
//! use microschema::mcp::{Raw, reply};
//!
//! let mut out = [0; 128];
//! let id = Raw::new(b"17").unwrap();
//! let length = reply::result_with(&mut out, id, &mut |json| {
//!     json.begin_object().name("supportedVersions").begin_array().string("2026-07-28").end_array().end_object();
//! })?;
//! assert_eq!(&out[..length], br#"{"jsonrpc":"2.0","id":17,"result":{"supportedVersions":["2026-07-28"]}}"#);
//! # Ok::<(), microschema::mcp::Full>(())
//! ```

use super::raw::Raw;
use super::refusal::Reason;
use super::writer::{Full, JsonWriter, Plain};
use crate::text::Text;
use core::fmt::Display;

/// The error code for a version that the server does not speak (MCP 2026-07-28, Overview, "Error Codes").
const UNSUPPORTED_VERSION: i32 = -32_022;

/// A response with `result` as it is: an object, which since 2026-07-28 has a `resultType` (Overview, "ResultType").
///
/// # Errors
/// When it does not fit.
pub fn result(out: &mut [u8], id: Raw<'_>, result: Raw<'_>) -> Result<usize, Full> {
    result_with(out, id, &mut |json| {
        json.raw(result);
    })
}

/// A response whose result `write` writes: one value.
///
/// # Errors
/// When it does not fit.
pub fn result_with(out: &mut [u8], id: Raw<'_>, write: &mut dyn FnMut(&mut JsonWriter<'_>)) -> Result<usize, Full> {
    let mut json = begin(out, Some(id));
    write(json.piece(",\"result\":"));
    json.piece("}");
    json.finish()
}

/// An error response. Without an id it is written with `null` (JSON-RPC 2.0 section 5), for requests whose id could not be read.
///
/// # Errors
/// When it does not fit.
pub fn error(
    out: &mut [u8],
    id: Option<Raw<'_>>,
    code: i32,
    message: &dyn Display,
    data: Option<Raw<'_>>,
) -> Result<usize, Full> {
    let mut json = begin(out, id);
    begin_error(&mut json, code, message);
    if let Some(data) = data {
        json.piece(",\"data\":").raw(data);
    }
    json.piece("}}");
    json.finish()
}

/// The error response in place of an answer that was too long, if need be without its id.
///
/// # Errors
/// When there is not even room for that: 128 bytes always are enough.
pub fn too_long(out: &mut [u8], id: Option<Raw<'_>>) -> Result<usize, Full> {
    let reason = Reason::ResponseTooLong;
    let written = error(out, id, reason.code(), &reason, None);
    if written.is_err() && id.is_some() { error(out, None, reason.code(), &reason, None) } else { written }
}

/// The error response for a version that the server does not speak, with those that it does (MCP 2026-07-28, Versioning and
/// Compatibility, "Protocol Version Negotiation"): −32022.
///
/// # Errors
/// When it does not fit.
pub fn unsupported_version(
    out: &mut [u8],
    id: Raw<'_>,
    supported: &[&str],
    requested: Text<'_>,
) -> Result<usize, Full> {
    let mut json = begin(out, Some(id));
    begin_error(&mut json, UNSUPPORTED_VERSION, &Plain("Unsupported protocol version"));
    json.piece(",\"data\":{\"supported\":[");
    for version in supported {
        json.string(version);
    }
    json.piece("],\"requested\":").text(&mut |out| super::writer::write_start(out, requested, 32));
    json.piece("}}}");
    json.finish()
}

/// The result of a tool: a text.
///
/// # Errors
/// When it does not fit.
pub fn text(out: &mut [u8], id: Raw<'_>, text: &dyn Display) -> Result<usize, Full> {
    tool_result(out, id, text, &mut |_| {})
}

/// A tool execution error, which a model can act on (MCP, Tools, "Error Handling").
///
/// # Errors
/// When it does not fit.
pub fn tool_error(out: &mut [u8], id: Raw<'_>, text: &dyn Display) -> Result<usize, Full> {
    tool_result(out, id, text, &mut |json| {
        json.piece(",\"isError\":true");
    })
}

/// The result of a tool with structured content, and the same as text (MCP, Tools, "Structured Content").
///
/// # Errors
/// When it does not fit.
pub fn structured(out: &mut [u8], id: Raw<'_>, content: Raw<'_>) -> Result<usize, Full> {
    tool_result(out, id, &content, &mut |json| {
        json.piece(",\"structuredContent\":").raw(content);
    })
}

/// The result of a tool with a text, and the members that `more` adds, each with a comma before it.
pub(super) fn tool_result(
    out: &mut [u8],
    id: Raw<'_>,
    text: &dyn Display,
    more: &mut dyn FnMut(&mut JsonWriter<'_>),
) -> Result<usize, Full> {
    result_with(out, id, &mut |json| {
        // Required since 2026-07-28; before, a result may have members of any name.
        json.piece(r#"{"resultType":"complete","content":[{"type":"text","text":"#).display(text);
        more(json.piece("}]"));
        json.piece("}");
    })
}

fn begin<'b>(out: &'b mut [u8], id: Option<Raw<'_>>) -> JsonWriter<'b> {
    let mut json = JsonWriter::new(out);
    json.piece(r#"{"jsonrpc":"2.0","id":"#).raw(id.unwrap_or(Raw::NULL));
    json
}

fn begin_error(json: &mut JsonWriter<'_>, code: i32, message: &dyn Display) {
    json.piece(",\"error\":{\"code\":").integer(code.into()).piece(",\"message\":").display(message);
}
