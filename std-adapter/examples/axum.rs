//! An MCP server over HTTP: rmcp's service in an axum router, with the layer before it. Arguments are checked as bytes, by the layer;
//! results by rmcp's gate.
//!
//! `cargo run -p microschema-mcp --features http,rmcp --example axum`, and an MCP client to the address that it prints.

use microschema_mcp::Terms;
use microschema_mcp::http::{GateLayer, Tools};
use microschema_mcp::rmcp::{Gate, Guarded, Policy};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

/// Lamps and sensors.
#[derive(Clone, Debug)]
struct Server {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Server {
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

/// The MCP endpoint, behind the layer.
pub(crate) fn app() -> axum::Router {
    // A hook for one tool; all others are answered with the issues.
    let gate = Gate::default().tool("read_sensor", |policy| {
        policy.on_input_error(|_, _| {
            CallToolResult::error(vec![ContentBlock::text("A sensor is called by its room, in lower case.")])
        })
    });
    let tool_router = Server::tool_router();
    let tools = Tools::new(&gate);
    for tool in tool_router.list_all() {
        tools.insert(&tool.name, &*tool.input_schema);
    }

    let results = Gate::new(Policy::new().terms(Terms::new().check_input(false)));
    let server = Server { tool_router: tool_router.guarded(&results) };
    let sessions = Arc::new(LocalSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), sessions, StreamableHttpServerConfig::default());
    axum::Router::new().route_service("/mcp", mcp).layer(GateLayer::new(&tools))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app()).await?;
    Ok(())
}
