//! What a device needs of the Model Context Protocol: from a stream of bytes to a checked call, and back.
//!
//! ```text
//! bytes ─► Lines ─► Message::read ─► Request ─► Tools::call ─► Call { arguments } ─► handler
//!                        │                          │                                   │
//!                        ▼                          ▼                                   ▼
//!                     Refusal                tool execution error        text, error, structured (checked)
//! ```
//!
//! Nothing is copied or unescaped, nothing is allocated: a [`Message`] is a handful of spans of the line it was read from, and every
//! answer is written into a buffer of the caller's. No input makes this module panic, and what it writes is one line of JSON.
//!
//! - JSON-RPC 2.0, without batches (MCP dropped them in 2025-06-18). Malformed text is answered with −32700, a malformed request with
//!   −32600, malformed parameters with −32602, and a notification or a response never. The `id` comes back as it was spelled.
//! - Arguments that do not match the input schema are a *tool execution error* that a model can act on, not a protocol error (MCP
//!   2025-11-25 and later, Tools, "Error Handling").
//! - Both eras: with the `initialize` handshake (up to 2025-11-25) and stateless (2026-07-28), told apart by [`Params::era`].
//!
//! Not here: transports, the answers to `initialize` and `server/discover` (a [`JsonWriter`] writes them), tasks, requests from the
//! server, resources and prompts.
//!
//! # Limits
//! | what | bound |
//! |---|---|
//! | length of a line | the buffer of [`Lines`]: one that is longer is reported once and skipped |
//! | nesting | [`DEPTH`], or what is given to [`Message::read_within`]: −32600 |
//! | depth and steps of a check | [`Tools::limits`]: a tool execution error |
//! | issues that are shown | `N` of [`Issues`](crate::Issues), and as many as fit the buffer; the rest is counted |
//! | length of an answer | the buffer: what is too long becomes −32603 |
//!
//! # Example
//! ```
//! use microschema::{Issues, mcp::*};
//!
//! fn answer(line: &[u8], tools: &Tools<'_>, out: &mut [u8]) -> Result<usize, Full> {
//!     let request = match Message::read(line) {
//!         Ok(Message::Request(request)) => request,
//!         Ok(_) => return Ok(0),
//!         Err(refusal) => return refusal.write(out),
//!     };
//!     if request.is("tools/list") {
//!         return tools.list(&request, out);
//!     }
//!     if request.is("tools/call") {
//!         let mut issues = Issues::<8>::new();
//!         return match tools.call(&request, &mut issues, out)? {
//!             Called::Answered(length) => Ok(length),
//!             Called::Run(call) => call.text(out, &Plain("done")),
//!         };
//!     }
//!     request.refuse(Reason::UnknownMethod).write(out)
//! }
//!
//! let definition = br#"{"name": "set_led", "inputSchema": {
//!     "type": "object", "properties": {"led": {"type": "integer", "maximum": 3}}, "required": ["led"]}}"#;
//! let mut arena = [0; 512];
//! let program = microschema::compile(Definition::read(definition)?.input_schema().as_bytes(), &mut arena)?;
//! let tools = [Tool::new(definition, program, None)?];
//! let tools = Tools::new(&tools)?;
//!
//! let mut out = [0; 1024];
//! let line = br#"{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"set_led","arguments":{"led":2}}}"#;
//! let length = answer(line, &tools, &mut out)?;
//! assert_eq!(
//!     core::str::from_utf8(&out[..length])?,
//!     r#"{"jsonrpc":"2.0","id":1.0,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}"#
//! );
//!
//! let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"set_led","arguments":{"led":7}}}"#;
//! let length = answer(line, &tools, &mut out)?;
//! assert!(core::str::from_utf8(&out[..length])?.contains(r"\n- at /led: must be at most 3 (maximum)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod failure;
mod lines;
mod message;
mod params;
mod raw;
mod refusal;
pub mod reply;
#[cfg(all(test, feature = "compile", feature = "messages"))]
mod tests;
mod tool;
mod tools;
mod writer;

pub use failure::{Failure, Subject};
pub use lines::{Fed, Lines};
pub use message::{DEPTH, Message, Notification, Request, Response};
pub use params::{Era, Params};
pub use raw::{Elements, Raw};
pub use refusal::{Reason, Refusal};
pub use tool::{Definition, Tool, ToolError};
pub use tools::{Call, Called, Tools, ToolsError};
pub use writer::{Full, JsonWriter, Plain};
