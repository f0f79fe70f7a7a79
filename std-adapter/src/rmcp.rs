//! Servers made with [rmcp](https://docs.rs/rmcp), the official SDK, which itself checks nothing against schemas.
//!
//! One line guards a whole router, of typed and of raw tools:
//!
//! ```
//! use microschema_mcp::rmcp::{Gate, Guarded};
//! use rmcp::handler::server::{router::tool::ToolRouter, wrapper::Parameters};
//! use rmcp::{schemars, tool, tool_handler, tool_router};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Lamp {
//!     #[schemars(range(max = 100))]
//!     level: u8,
//! }
//!
//! struct Server {
//!     tool_router: ToolRouter<Self>,
//! }
//!
//! #[tool_router]
//! impl Server {
//!     fn new() -> Self {
//!         Self { tool_router: Self::tool_router().guarded(&Gate::default()) }
//!     }
//!
//!     /// Sets the lamp.
//!     #[tool]
//!     fn set_lamp(&self, Parameters(lamp): Parameters<Lamp>) -> String {
//!         format!("at {} %", lamp.level)
//!     }
//! }
//!
//! #[tool_handler(router = self.tool_router)]
//! impl rmcp::ServerHandler for Server {}
//! # Server::new();
//! ```
//!
//! - A tool that comes later: `router.add_route(route.guarded(&gate))`.
//! - A server that implements `call_tool` by hand: [`Tools::call`].
//!
//! Input is checked before it is deserialised, and again on every round of a multi-round-trip call. Output is checked where a call is
//! complete, is no error, and has structured content; a request for input and the handle of a task pass untouched.

use crate::Reply;
use rmcp::ErrorData;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, MetaObject, Tool};

/// A server's policy.
pub type Gate = crate::Gate<CallToolResult>;
/// The terms for a tool, and what becomes of its failures.
pub type Policy = crate::Policy<CallToolResult>;
/// A tool under its server's policy.
pub type Guard = crate::Guard<CallToolResult>;

/// What a gate can be put before.
pub trait Guarded {
    /// The same, with every call and result checked against the tool's schemas.
    ///
    /// The schemas are compiled here, once.
    #[must_use]
    fn guarded(self, gate: &Gate) -> Self;
}

impl<S: Send + Sync + 'static> Guarded for ToolRouter<S> {
    fn guarded(mut self, gate: &Gate) -> Self {
        for route in self.map.values_mut() {
            guard_route(route, gate);
        }
        self
    }
}

impl<S: Send + Sync + 'static> Guarded for ToolRoute<S> {
    fn guarded(mut self, gate: &Gate) -> Self {
        guard_route(&mut self, gate);
        self
    }
}

fn guard_route<S: Send + Sync + 'static>(route: &mut ToolRoute<S>, gate: &Gate) {
    let guard = gate.guard_tool(&route.attr);
    let call = route.call.clone();
    *route = ToolRoute::new_dyn(route.attr.clone(), move |context: ToolCallContext<'_, S>| {
        let (guard, call) = (guard.clone(), call.clone());
        Box::pin(async move {
            if let Err(refusal) = guard.check_input(context.arguments.as_ref()) {
                return Ok(refusal.into());
            }
            Ok(guard.check_response(call(context).await?))
        })
    });
}

impl Gate {
    /// Compiles the schemas of a tool, under the policy for it.
    #[must_use]
    pub fn guard_tool(&self, tool: &Tool) -> Guard {
        self.guard(&tool.name, &*tool.input_schema, tool.output_schema.as_deref())
    }
}

impl Guard {
    /// The response, or where its structured content is not what the tool promised, the result to answer with.
    #[must_use]
    pub fn check_response(&self, response: CallToolResponse) -> CallToolResponse {
        match response {
            CallToolResponse::Complete(result) if result.is_error != Some(true) => {
                match self.check_output(result.structured_content.as_ref()) {
                    Ok(()) => result.into(),
                    Err(refusal) => refusal.into(),
                }
            }
            other => other,
        }
    }
}

/// The tools of a server that implements [`call_tool`](rmcp::ServerHandler::call_tool) by hand.
///
/// ```
/// use microschema_mcp::rmcp::{Gate, Tools};
/// use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock};
/// use rmcp::service::{RequestContext, RoleServer};
/// use rmcp::{ErrorData, ServerHandler};
///
/// struct Server {
///     tools: Tools,
/// }
///
/// impl ServerHandler for Server {
///     async fn call_tool(
///         &self,
///         request: CallToolRequestParams,
///         _: RequestContext<RoleServer>,
///     ) -> Result<CallToolResponse, ErrorData> {
///         self.tools
///             .call(request, async |request| {
///                 let text = format!("{} ran", request.name);
///                 Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
///             })
///             .await
///     }
/// }
/// # let _ = Server { tools: Tools::new(&Gate::default(), &[]) };
/// ```
pub type Tools = crate::Tools<CallToolResult>;

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
    /// Those of `run`.
    pub async fn call<F, Response>(&self, request: CallToolRequestParams, run: F) -> Result<CallToolResponse, ErrorData>
    where
        F: FnOnce(CallToolRequestParams) -> Response + Send,
        Response: Future<Output = Result<CallToolResponse, ErrorData>> + Send,
    {
        let Some(guard) = self.get(&request.name) else { return run(request).await };
        if let Err(refusal) = guard.check_input(request.arguments.as_ref()) {
            return Ok(refusal.into());
        }
        Ok(guard.check_response(run(request).await?))
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut result = Self::error(vec![ContentBlock::text(reply.text)]).with_meta(Some(MetaObject(reply.meta)));
        result.structured_content = reply.structured_content;
        result
    }
}
