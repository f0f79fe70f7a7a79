//! A rust-mcp-sdk server over stdio whose calls all go through the gate first. It speaks MCP 2025-11-25, as version 1 of that SDK does.
//!
//! `cargo run -p microschema-mcp --features rust-mcp-sdk-1 --example rust_mcp_sdk_1`

use async_trait::async_trait;
use microschema_mcp::rust_mcp_sdk_1::{Gate, Policy, Tools};
use rust_mcp_sdk_1::mcp_server::{McpServerOptions, ServerHandler, server_runtime};
use rust_mcp_sdk_1::schema::schema_utils::CallToolError;
use rust_mcp_sdk_1::schema::{
    CallToolRequestParams, CallToolResult, Implementation, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, RpcError, ServerCapabilities, ServerCapabilitiesTools, TextContent, Tool,
};
use rust_mcp_sdk_1::{McpServer, StdioTransport, ToMcpServerHandler, TransportOptions};
use schemars::schema_for;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

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

struct Handler {
    listed: Vec<Tool>,
    tools: Tools,
}

impl Handler {
    fn new() -> serde_json::Result<Self> {
        let text = json!({"type": "string", "minLength": 1, "maxLength": 40});
        let announced = json!({"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": false});
        let listed: Vec<Tool> = serde_json::from_value(json!([
            {
                "name": "read_sensor",
                "description": "Reads a sensor.",
                "inputSchema": schema_for!(Sensor),
                "outputSchema": schema_for!(Reading),
            },
            // A tool whose schema is written by hand, and whose arguments stay JSON.
            {
                "name": "announce",
                "description": "Says something aloud.",
                "inputSchema": announced,
            },
        ]))?;
        // A hook for one tool; it declines what is not about the text, and so that is answered as for all other tools.
        let gate = Gate::new(Policy::new()).tool("announce", |policy| {
            policy.on_input_error(|failure, _| {
                let is_text = failure.issues().iter().all(|issue| issue.pointer == "/text");
                is_text.then(|| CallToolResult { is_error: Some(true), ..said("Say it in 1 to 40 characters.") })
            })
        });
        let mut tools = Tools::new(&gate, &listed);
        // That other properties are refused does not fit into a `Tool` of this version, and so the client is not told. It is checked.
        tools.insert_guard(gate.guard("announce", &announced, None::<&str>));
        Ok(Self { listed, tools })
    }
}

#[async_trait]
impl ServerHandler for Handler {
    async fn handle_list_tools_request(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        Ok(ListToolsResult { meta: None, next_cursor: None, tools: self.listed.clone() })
    }

    async fn handle_call_tool_request(
        &self,
        params: CallToolRequestParams,
        _: Arc<dyn McpServer>,
    ) -> Result<CallToolResult, CallToolError> {
        self.tools.call(params, async |params| run(params)).await
    }
}

/// The tools themselves, which see what their schemas allow and nothing else.
fn run(params: CallToolRequestParams) -> Result<CallToolResult, CallToolError> {
    let arguments = Value::Object(params.arguments.unwrap_or_default());
    match &*params.name {
        "read_sensor" => {
            let sensor: Sensor = serde_json::from_value(arguments).map_err(CallToolError::new)?;
            // This one has come loose, which the output schema catches.
            let celsius = if sensor.name == "attic" { 999.0 } else { 21.5 };
            let reading = serde_json::to_value(Reading { celsius }).map_err(CallToolError::new)?;
            Ok(CallToolResult { structured_content: reading.as_object().cloned(), ..said(reading.to_string()) })
        }
        "announce" => Ok(said(format!("Said {}.", arguments["text"]))),
        name => Err(CallToolError::unknown_tool(name)),
    }
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::text_content(vec![TextContent::from(text.into())])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server_details = InitializeResult {
        server_info: Implementation {
            name: "sensors".to_owned(),
            version: "0.1.0".to_owned(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        },
        capabilities: ServerCapabilities {
            tools: Some(ServerCapabilitiesTools { list_changed: None }),
            ..ServerCapabilities::default()
        },
        meta: None,
        instructions: None,
        protocol_version: ProtocolVersion::V2025_11_25.into(),
    };
    let transport = StdioTransport::new(TransportOptions::default())?;
    let handler = Handler::new()?.to_mcp_server_handler();
    let server = server_runtime::create_server(McpServerOptions {
        server_details,
        transport,
        handler,
        task_store: None,
        client_task_store: None,
        message_observer: None,
    });
    Ok(server.start().await?)
}
