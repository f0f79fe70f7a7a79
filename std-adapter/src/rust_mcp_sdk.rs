//! Servers made with [rust-mcp-sdk](https://docs.rs/rust-mcp-sdk) 2.x, which speaks MCP 2026-07-28 and checks nothing against schemas.
//! ([`rust_mcp_sdk_1`](crate::rust_mcp_sdk_1) is for its 1.x, which speaks MCP 2025-11-25.)
//!
//! [`Tools::call`] comes first in the handler:
//!
//! ```
//! use async_trait::async_trait;
//! use microschema_mcp::rust_mcp_sdk::{Gate, Tools};
//! use rust_mcp_sdk::macros::{JsonSchema, mcp_tool};
//! use rust_mcp_sdk::mcp_server::ServerHandler;
//! use rust_mcp_sdk::schema::schema_utils::CallToolError;
//! use rust_mcp_sdk::schema::{CallToolRequestParams, CallToolResult, ServerResult, TextContent};
//! use rust_mcp_sdk::{McpServer, RequestContext, tool_box};
//! use std::sync::Arc;
//!
//! #[mcp_tool(name = "set_lamp", description = "Sets the lamp.")]
//! #[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
//! struct Lamp {
//!     #[json_schema(maximum = 100)]
//!     level: u8,
//! }
//!
//! tool_box!(Lamps, [Lamp]);
//!
//! struct Handler {
//!     tools: Tools,
//! }
//!
//! #[async_trait]
//! impl ServerHandler for Handler {
//!     async fn handle_call_tool_request(
//!         &self,
//!         params: CallToolRequestParams,
//!         _: &RequestContext,
//!         _: Arc<dyn McpServer>,
//!     ) -> Result<ServerResult, CallToolError> {
//!         self.tools
//!             .call(params, async |params| {
//!                 let Lamps::Lamp(lamp) = Lamps::try_from(params)?;
//!                 Ok(CallToolResult::text_content(vec![TextContent::from(format!("at {} %", lamp.level))]).into())
//!             })
//!             .await
//!     }
//! }
//!
//! let handler = Handler { tools: Tools::new(&Gate::default(), &Lamps::tools()) };
//! # let _ = handler;
//! ```
//!
//! It is the same in `handle_call_tool_request_mrtr`, and for a `ServerHandlerCore` in `handle_request`.
//!
//! Input is checked before it is deserialised, and again on every round of a multi-round-trip call. Output is checked where a call is
//! complete, is no error, and has structured content; a request for input passes untouched.

use crate::Reply;
use rust_mcp_sdk::schema::{CallToolRequestParams, CallToolResult, ResultMetaObject, ServerResult, TextContent, Tool};

/// A server's policy.
pub type Gate = crate::Gate<CallToolResult>;
/// The terms for a tool, and what becomes of its failures.
pub type Policy = crate::Policy<CallToolResult>;
/// A tool under its server's policy.
pub type Guard = crate::Guard<CallToolResult>;
/// The tools of a server.
pub type Tools = crate::Tools<CallToolResult>;

impl Gate {
    /// Compiles the schemas of a tool, under the policy for it.
    #[must_use]
    pub fn guard_tool(&self, tool: &Tool) -> Guard {
        // Maps with names for keys: they are values in all but type. If one were not, `null` would refuse the tool.
        let input = serde_json::to_value(&tool.input_schema).unwrap_or_default();
        let output = tool.output_schema.as_ref().map(|schema| serde_json::to_value(schema).unwrap_or_default());
        self.guard(&tool.name, &input, output.as_ref())
    }
}

impl Guard {
    /// The response, or where its structured content is not what the tool promised, the result to answer with.
    #[must_use]
    pub fn check_response(&self, response: ServerResult) -> ServerResult {
        match response {
            ServerResult::CallToolResult(result) if result.is_error != Some(true) => {
                match self.check_output(result.structured_content.as_ref()) {
                    Ok(()) => result.into(),
                    Err(refusal) => refusal.into(),
                }
            }
            other => other,
        }
    }
}

impl Tools {
    /// Compiles the schemas of all tools.
    #[must_use]
    pub fn new<'t>(gate: &Gate, tools: impl IntoIterator<Item = &'t Tool>) -> Self {
        let mut all = Self::empty(gate);
        tools.into_iter().for_each(|tool| all.insert(tool));
        all
    }

    /// Adds a tool, or replaces the one of that name.
    pub fn insert(&mut self, tool: &Tool) {
        self.insert_guard(self.gate().guard_tool(tool));
    }

    /// Checks the arguments, runs the tool, and checks what comes of it. A tool of another name runs unchecked: the server will not
    /// know it either.
    ///
    /// # Errors
    /// Those of `run`: a `CallToolError`, or an `RpcError` where the handler is one of those with it.
    pub async fn call<F, Response, E>(&self, params: CallToolRequestParams, run: F) -> Result<ServerResult, E>
    where
        F: FnOnce(CallToolRequestParams) -> Response + Send,
        Response: Future<Output = Result<ServerResult, E>> + Send,
    {
        let Some(guard) = self.get(&params.name) else { return run(params).await };
        if let Err(refusal) = guard.check_input(params.arguments.as_ref()) {
            return Ok(refusal.into());
        }
        Ok(guard.check_response(run(params).await?))
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut result = Self::text_content(vec![TextContent::from(reply.text)]);
        result.is_error = Some(true);
        result.structured_content = reply.structured_content;
        result.meta = Some(ResultMetaObject { extra: Some(reply.meta), ..ResultMetaObject::default() });
        result
    }
}
