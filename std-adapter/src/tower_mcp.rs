//! Servers made with [tower-mcp](https://docs.rs/tower-mcp).
//!
//! Each tool goes behind the gate, and one [`GateLayer`] goes around the router:
//!
//! ```
//! use microschema_mcp::tower_mcp::{Gate, GateLayer, Guarded};
//! use tower_mcp::{CallToolResult, McpRouter, StdioTransport, ToolBuilder};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Lamp {
//!     #[schemars(range(max = 100))]
//!     level: u8,
//! }
//!
//! let lamp = ToolBuilder::new("set_lamp")
//!     .handler(|lamp: Lamp| async move { Ok(CallToolResult::text(format!("at {} %", lamp.level))) })
//!     .build();
//! let gate = Gate::default();
//! let router = McpRouter::new().tool(lamp.guarded(&gate));
//! let transport = StdioTransport::new(router).layer(GateLayer::new());
//! # let _ = transport;
//! ```
//!
//! The tool checks its arguments, where tower-mcp itself would: after disabled and filtered tools are turned away, before the handler,
//! outside of what the builder's `.layer()` and `.guard()` add, and inside of what a later `Tool::with_guard` adds. A tool can only say
//! why in text; the layer makes the whole result of it, and checks structured content. Tools of all kinds can be guarded: typed
//! handlers, extractors, `McpTool`, live and multi-round-trip handlers, and those of a dynamic registry
//! (`registry.register(tool.guarded(&gate))`).
//!
//! Without the layer a refused call is still refused, but in text alone, and structured content is not checked; an error event tells.
//!
//! A single tool can do without the layer around the router: its [`Guard`] is a layer too, for the tool's builder. There the schemas have
//! to be given, and the handler has to answer in one round:
//!
//! ```
//! use microschema_mcp::tower_mcp::Gate;
//! use tower_mcp::{CallToolResult, ToolBuilder};
//!
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Lamp { level: u8 }
//! let schema = serde_json::to_value(schemars::schema_for!(Lamp))?;
//! let guard = Gate::default().guard("set_lamp", &schema, None::<&str>);
//! let lamp = ToolBuilder::new("set_lamp")
//!     .handler(|lamp: Lamp| async move { Ok(CallToolResult::text(format!("at {} %", lamp.level))) })
//!     .layer(guard)
//!     .build();
//! # let _ = lamp;
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Not covered: the result of a call that was answered with a task, which comes later.
//!
//! | tower-mcp's `schema-validation` | here |
//! |---|---|
//! | input before the handler, all handler kinds | the same |
//! | omitted or null arguments are `{}` | the same; `null` is not let through by a schema that merely fails to forbid it |
//! | output when declared, there, and no error | the same; can be [required](crate::Terms::require_structured_content) |
//! | `format` asserted | the same; [can be turned off](crate::Terms::assert_formats) |
//! | compiled once, when the tool is built | the same |
//! | layers and guards of the builder inside, `with_guard` outside | the same |
//! | five issues of 300 characters, then "and more violations" | the same bounds by default, configurable, and the rest counted |
//! | values in messages | [on request](crate::Terms::show_values) |
//! | a missing property is told at its parent | at its own path |
//! | text only | text, issues in `_meta`, structured content on request, hooks |
//! | `debug` and `warn` events with the report, values included | the same levels, with places and no values |
//! | `skip_input_validation`, `skip_output_validation` | [`Terms::check_input`](crate::Terms::check_input), [`Terms::check_output`](crate::Terms::check_output), also for `McpTool` |
//! | a schema that does not compile is logged, and the tool runs unchecked | logged, and its calls are refused; [or let through](crate::Uncompilable) |
//! | remote `$ref` not resolved, and the tool runs unchecked | not resolved, and its calls are refused |

use crate::Reply;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tower::{Layer, Service};
use tower_mcp::protocol::{CallToolResult, McpRequest, McpResponse};
use tower_mcp::router::{RouterRequest, RouterResponse};
use tower_mcp::tool::{Tool, ToolRequest};

/// A server's policy.
pub type Gate = crate::Gate<CallToolResult>;
/// The terms for a tool, and what becomes of its failures.
pub type Policy = crate::Policy<CallToolResult>;
/// A tool under its server's policy. It is a layer for that tool's builder.
pub type Guard = crate::Guard<CallToolResult>;

/// What a gate can be put before.
pub trait Guarded {
    /// The same, with every call and result checked against the tool's schemas.
    ///
    /// The schemas are compiled here, once. Results are checked, and refusals get all of their shape, in a [`GateLayer`].
    #[must_use]
    fn guarded(self, gate: &Gate) -> Self;
}

impl Guarded for Tool {
    fn guarded(self, gate: &Gate) -> Self {
        let guard = gate.guard_tool(&self);
        self.with_guard(move |request: &ToolRequest| {
            let checked = guard.check_input(&request.args);
            let slot = request.ctx.extension::<Slot>();
            if slot.is_none() {
                tracing::error!(
                    tool = guard.contract().tool(),
                    "no GateLayer is around the router: results are not checked"
                );
            }
            match checked {
                Ok(()) => {
                    slot.inspect(|slot| slot.set(Outcome::Passed(guard.clone())));
                    Ok(())
                }
                Err(refusal) => {
                    let text = refusal.all_text();
                    slot.inspect(|slot| slot.set(Outcome::Refused(refusal)));
                    Err(text)
                }
            }
        })
    }
}

impl Gate {
    /// Compiles the schemas of a tool, under the policy for it.
    #[must_use]
    pub fn guard_tool(&self, tool: &Tool) -> Guard {
        let definition = tool.definition();
        self.guard(&definition.name, &definition.input_schema, definition.output_schema.as_ref())
    }
}

impl Guard {
    /// The result, or where its structured content is not what the tool promised, the one to answer with.
    #[must_use]
    pub fn check_result(&self, result: CallToolResult) -> CallToolResult {
        if result.is_error {
            return result;
        }
        match self.check_output(result.structured_content.as_ref()) {
            Ok(()) => result,
            Err(refusal) => refusal,
        }
    }
}

impl<S> Layer<S> for Guard {
    type Service = GuardService<S>;

    fn layer(&self, inner: S) -> GuardService<S> {
        GuardService { guard: self.clone(), inner }
    }
}

/// The handler of a tool with its [`Guard`] around it.
#[derive(Clone, Debug)]
pub struct GuardService<S> {
    guard: Guard,
    inner: S,
}

impl<S> Service<ToolRequest> for GuardService<S>
where
    S: Service<ToolRequest, Response = CallToolResult>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = CallToolResult;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<CallToolResult, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        if let Err(refusal) = self.guard.check_input(&request.args) {
            return Box::pin(std::future::ready(Ok(refusal)));
        }
        let (guard, result) = (self.guard.clone(), self.inner.call(request));
        Box::pin(async move { Ok(guard.check_result(result.await?)) })
    }
}

/// What became of a call within the router, for the layer around it.
#[derive(Clone, Debug, Default)]
struct Slot(Arc<Mutex<Option<Outcome>>>);

#[derive(Debug)]
enum Outcome {
    Passed(Guard),
    Refused(CallToolResult),
}

impl Slot {
    fn set(&self, outcome: Outcome) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    fn take(&self) -> Option<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Goes around a router whose tools are [`Guarded`], with `.layer()` of a transport.
#[derive(Clone, Copy, Debug, Default)]
pub struct GateLayer(());

impl GateLayer {
    /// The layer. It knows nothing of tools: they bring their guards along.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> GateService<S> {
        GateService { inner }
    }
}

/// A router with a [`GateLayer`] around it.
#[derive(Clone, Copy, Debug)]
pub struct GateService<S> {
    inner: S,
}

impl<S> Service<RouterRequest> for GateService<S>
where
    S: Service<RouterRequest, Response = RouterResponse>,
    S::Future: Send + 'static,
{
    type Response = RouterResponse;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<RouterResponse, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: RouterRequest) -> Self::Future {
        if !matches!(request.inner, McpRequest::CallTool(_)) {
            return Box::pin(self.inner.call(request));
        }
        let slot = Slot::default();
        request.extensions.insert(slot.clone());
        let response = self.inner.call(request);
        Box::pin(async move {
            let mut response = response.await?;
            response.inner = match (response.inner, slot.take()) {
                (Ok(McpResponse::CallTool(result)), Some(Outcome::Passed(guard))) => {
                    Ok(McpResponse::CallTool(guard.check_result(result)))
                }
                (Ok(McpResponse::CallTool(_)) | Err(_), Some(Outcome::Refused(refusal))) => {
                    Ok(McpResponse::CallTool(refusal))
                }
                (inner, _) => inner,
            };
            Ok(response)
        })
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut result = Self::error(reply.text);
        result.structured_content = reply.structured_content;
        result.meta = Some(reply.meta.into());
        result
    }
}
