//! microschema on servers: MCP tool calls checked against the schemas their tools declare, every failure a structured result.
//!
//! ```text
//! tools/list ─ inputSchema, outputSchema ─► Contract (compiled once, shared)
//! tools/call ─ arguments ──────────────────► check_input ──► the tool runs ──► check_output ─► result
//!                                               └── Failure ─► hook, or text + _meta issues ◄──┘
//! ```
//!
//! - [`Contract`] checks; it knows nothing of any SDK. [`Tree`] is how it reads `serde_json` values: in place.
//! - [`Failure`] is what is wrong, as a value. [`Failure::reply`] is the tool execution error made of it.
//! - [`Gate`] is a server's [`Policy`]: the [`Terms`] (bounds, opt-outs, schemas that cannot be honoured), what goes into
//!   `structuredContent`, and the server's own hooks, for all tools or for one.
//! - With the feature `rmcp`, [`rmcp`](mod@rmcp) puts a gate before a whole router in one line.
//! - With the feature `tower-mcp`, [`tower_mcp`](mod@tower_mcp) guards the tools of such a server.
//! - With `rust-mcp-sdk` (2.x, MCP 2026-07-28) or `rust-mcp-sdk-1` (1.x, MCP 2025-11-25), [`rust_mcp_sdk`](mod@rust_mcp_sdk) or
//!   [`rust_mcp_sdk_1`](mod@rust_mcp_sdk_1) is the first call in the handler of such a server.
//! - With the feature `http`, [`http`](mod@http) guards servers over HTTP, whatever they are made with, before they parse a call.
//! - [`stdio`] stands between a client and a server that is not made with any of these, and reads what passes.
//! - [`output`] is for tools that show schemas at work: the "flag" and "basic" output of the specification.
//!
//! Failures are `tracing` events too: `debug` for a call, `warn` for a result, `error` for a schema that cannot be honoured; with the
//! names of tools and the places of issues, never with values.
//!
//! # Untrusted input
//!
//! Arguments may come from anyone. Work, nesting, the number of issues and the characters of each are bounded by the [`Terms`]. The
//! time to describe an issue is linear in the arguments.

#![forbid(unsafe_code)]
#![deny(missing_docs, rustdoc::broken_intra_doc_links, unreachable_pub)]
#![cfg_attr(
    not(all(
        feature = "rmcp",
        feature = "tower-mcp",
        feature = "rust-mcp-sdk",
        feature = "rust-mcp-sdk-1",
        feature = "http"
    )),
    allow(rustdoc::broken_intra_doc_links)
)]

mod batch;
mod contract;
mod document;
mod failure;
mod gate;
#[cfg(feature = "http")]
pub mod http;
mod names;
pub mod output;
pub mod place;
mod reply;
mod report;
#[cfg(feature = "rmcp")]
pub mod rmcp;
#[cfg(feature = "rust-mcp-sdk")]
pub mod rust_mcp_sdk;
#[cfg(feature = "rust-mcp-sdk-1")]
pub mod rust_mcp_sdk_1;
pub mod stdio;
mod terms;
mod tools;
#[cfg(feature = "tower-mcp")]
pub mod tower_mcp;
mod value;

pub use contract::{Contract, SchemaProblem};
pub use document::Document;
pub use failure::{Failure, Issue, Reason, Segment, Side};
pub use gate::{Gate, Guard, Policy};
pub use reply::{META_ISSUES, META_OMITTED, Reply, Structured};
pub use terms::{Terms, Uncompilable};
pub use tools::Tools;
pub use value::{Items, Members, Place, Tree};
