//! A tower-mcp server over stdio whose tools are all guarded.
//!
//! `cargo run -p microschema-mcp --features tower-mcp --example tower_mcp`

use microschema_mcp::tower_mcp::{Gate, GateLayer, Guarded, Policy};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_mcp::extract::RawArgs;
use tower_mcp::tool::Tool;
use tower_mcp::{CallToolResult, McpRouter, StdioTransport, ToolBuilder};

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> tower_mcp::Result<()> {
    // A hook for one tool; it declines what is not about the text, and so that is answered as for all other tools.
    let gate = Gate::new(Policy::new()).tool("announce", |policy| {
        policy.on_input_error(|failure, _| {
            let is_text = failure.issues().iter().all(|issue| issue.pointer == "/text");
            is_text.then(|| CallToolResult::error("Say it in 1 to 40 characters."))
        })
    });
    let tools = [read_sensor(), announce()].map(|tool| tool.guarded(&gate));
    let router = McpRouter::new().server_info("sensors", "0.1.0").tools(tools);
    StdioTransport::new(router).layer(GateLayer::new()).run().await
}

/// A tool with types.
fn read_sensor() -> Tool {
    ToolBuilder::new("read_sensor")
        .description("Reads a sensor.")
        .output_schema_for::<Reading>()
        .handler(|sensor: Sensor| async move {
            // This one has come loose, which the output schema catches.
            let celsius = if sensor.name == "attic" { 999.0 } else { 21.5 };
            CallToolResult::from_serialize(&Reading { celsius })
        })
        .build()
}

/// A tool whose schema is written by hand, and whose arguments stay JSON.
fn announce() -> Tool {
    let text = json!({"type": "string", "minLength": 1, "maxLength": 40});
    ToolBuilder::new("announce")
        .description("Says something aloud.")
        .input_schema(json!({"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": false}))
        .extractor_handler((), |RawArgs(arguments): RawArgs| async move {
            Ok(CallToolResult::text(format!("Said {}.", arguments["text"])))
        })
        .build()
}
