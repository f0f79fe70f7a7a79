//! A rust-mcp-sdk server over stdio whose calls all go through the gate first. It speaks MCP 2026-07-28, as version 2 of that SDK does.
//!
//! `cargo run -p microschema-mcp --features rust-mcp-sdk --example rust_mcp_sdk`

use async_trait::async_trait;
use microschema_mcp::rust_mcp_sdk::{Gate, Policy, Tools};
use rust_mcp_sdk::mcp_server::{McpServerOptions, ServerHandler, server_runtime};
use rust_mcp_sdk::schema::schema_utils::CallToolError;
use rust_mcp_sdk::schema::{
    CallToolRequestParams, CallToolResult, Implementation, ListToolsResult, ListToolsResultCacheScope,
    PaginatedRequestParams, RpcError, ServerCapabilities, ServerCapabilitiesTools, ServerResult, TextContent, Tool,
};
use rust_mcp_sdk::{McpServer, RequestContext, ServerDetails, StdioTransport, ToMcpServerHandler, TransportOptions};
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
        let listed = serde_json::from_value(json!([
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
                "inputSchema": {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": false},
            },
        ]))?;
        // A hook for one tool; it declines what is not about the text, and so that is answered as for all other tools.
        let gate = Gate::new(Policy::new()).tool("announce", |policy| {
            policy.on_input_error(|failure, _| {
                let is_text = failure.issues().iter().all(|issue| issue.pointer == "/text");
                is_text.then(|| CallToolResult { is_error: Some(true), ..said("Say it in 1 to 40 characters.") })
            })
        });
        Ok(Self { tools: Tools::new(&gate, &listed), listed })
    }
}

#[async_trait]
impl ServerHandler for Handler {
    async fn handle_list_tools_request(
        &self,
        _: Option<PaginatedRequestParams>,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        Ok(ListToolsResult {
            cache_scope: ListToolsResultCacheScope::Public,
            result_type: "complete".to_owned(),
            ttl_ms: 0,
            meta: None,
            next_cursor: None,
            tools: self.listed.clone(),
        })
    }

    async fn handle_call_tool_request(
        &self,
        params: CallToolRequestParams,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ServerResult, CallToolError> {
        self.tools.call(params, async |params| run(params).map(Into::into)).await
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
            Ok(CallToolResult { structured_content: Some(reading.clone()), ..said(reading.to_string()) })
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
    let server_details = ServerDetails {
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
    };
    let transport = StdioTransport::new(TransportOptions::default())?;
    let handler = Handler::new()?.to_mcp_server_handler();
    let server =
        server_runtime::create_server(McpServerOptions { server_details, transport, handler, message_observer: None });
    Ok(server.start().await?)
}
