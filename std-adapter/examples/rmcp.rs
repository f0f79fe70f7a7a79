//! An MCP server over stdio whose tools are all guarded: typed ones, one with a schema of its own, and one that comes later.
//!
//! `cargo run -p microschema-mcp --features rmcp --example rmcp`

use microschema_mcp::rmcp::{Gate, Guarded, Policy};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router, transport};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

/// Lamps and sensors.
#[derive(Clone, Debug)]
pub struct Server {
    tool_router: ToolRouter<Self>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Lamp {
    /// Percent.
    #[schemars(range(max = 100))]
    level: u8,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Sensor {
    #[schemars(regex(pattern = "^[a-z]+$"))]
    name: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Reading {
    #[schemars(range(min = -40, max = 85))]
    celsius: f64,
}

#[tool_router]
impl Server {
    /// All tools behind the gate.
    pub(crate) fn new() -> Self {
        // A hook for one tool; it declines what is not about the text, and so that is answered as for all other tools.
        let gate = Gate::new(Policy::new()).tool("announce", |policy| {
            policy.on_input_error(|failure, _| {
                let is_text = failure.issues().iter().all(|issue| issue.pointer == "/text");
                is_text.then(|| CallToolResult::error(vec![ContentBlock::text("Say it in 1 to 40 characters.")]))
            })
        });
        let mut tool_router = Self::tool_router().with_route(announce()).guarded(&gate);
        tool_router.add_route(blink().guarded(&gate));
        Self { tool_router }
    }

    /// Sets the lamp.
    #[tool]
    fn set_lamp(&self, Parameters(lamp): Parameters<Lamp>) -> String {
        format!("The lamp is at {} %.", lamp.level)
    }

    /// Reads a sensor.
    #[tool]
    fn read_sensor(&self, Parameters(sensor): Parameters<Sensor>) -> Json<Reading> {
        // This one has come loose, which the output schema catches.
        let celsius = if sensor.name == "attic" { 999.0 } else { 21.5 };
        Json(Reading { celsius })
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {}

/// A tool whose schema is written by hand, and whose arguments stay JSON.
fn announce() -> ToolRoute<Server> {
    let text = json!({"type": "string", "minLength": 1, "maxLength": 40});
    let schema =
        json!({"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": false});
    ToolRoute::new_dyn(Tool::new("announce", "Says something aloud.", object(schema)), |context| {
        let arguments = context.arguments.unwrap_or_default();
        let said = ContentBlock::text(format!("Said {}.", arguments["text"]));
        Box::pin(async { Ok(CallToolResult::success(vec![said]).into()) })
    })
}

/// A tool that is added to a router that runs behind a gate already.
fn blink() -> ToolRoute<Server> {
    let schema = json!({"type": "object", "properties": {"times": {"type": "integer", "minimum": 1}}});
    ToolRoute::new_dyn(Tool::new("blink", "Blinks.", object(schema)), |_| {
        Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("Blinked.")]).into()) })
    })
}

fn object(schema: serde_json::Value) -> Arc<JsonObject> {
    Arc::new(rmcp::model::object(schema))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server::new().serve(transport::stdio()).await?.waiting().await?;
    Ok(())
}
