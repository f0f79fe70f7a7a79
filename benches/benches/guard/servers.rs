//! The servers: one that does as little as a server can, and those made with tower-mcp.

use microschema::mcp::{Message, Plain, Raw, reply};
use microschema_benches::sets;
use microschema_mcp::tower_mcp::{Gate, GateLayer, Guarded};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::process::Command;
use tower_mcp::extract::RawArgs;
use tower_mcp::tool::Tool;
use tower_mcp::{CallToolResult, McpRouter, StdioTransport, ToolBuilder};

/// The tool that takes a list of numbers.
pub const NUMBERS: &str = "numbers";

pub const PLAIN: &str = "plain";
pub const UNCHECKED: &str = "tower-mcp";
pub const GATED: &str = "tower-mcp behind microschema's gate";
pub const THEIRS: &str = "tower-mcp with schema-validation";

/// A command that runs this server.
pub fn command(name: &str) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([super::ROLE, name]);
    Ok(command)
}

/// Is this server, until its input ends.
pub fn run(name: &str) -> Result<(), Box<dyn Error>> {
    if name == PLAIN {
        return plain();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let router = McpRouter::new().server_info("bench", "1");
    Ok(runtime.block_on(async {
        match name {
            UNCHECKED => StdioTransport::new(router.tool(numbers(false))).run().await,
            THEIRS => StdioTransport::new(router.tool(numbers(true))).run().await,
            _ => {
                let tool = numbers(false).guarded(&Gate::default());
                StdioTransport::new(router.tool(tool)).layer(GateLayer::new()).run().await
            }
        }
    })?)
}

/// The schema of [`NUMBERS`].
fn schema() -> Value {
    let items = json!({"type": "array", "items": {"type": "integer"}});
    json!({"type": "object", "properties": {"items": items}, "required": ["items"]})
}

/// A tool over JSON as it is, checked by tower-mcp or not.
fn numbers(is_checked: bool) -> Tool {
    let builder = ToolBuilder::new(NUMBERS).description("Counts numbers.").input_schema(schema());
    let builder = if is_checked { builder } else { builder.skip_input_validation() };
    builder
        .extractor_handler((), |RawArgs(arguments): RawArgs| async move {
            let count = arguments["items"].as_array().map_or(0, Vec::len);
            Ok(CallToolResult::text(format!("{count} numbers")))
        })
        .build()
}

/// Lists the tools of the data sets and [`NUMBERS`], and answers every call with the same result.
fn plain() -> Result<(), Box<dyn Error>> {
    let mut tools = vec![json!({"name": NUMBERS, "inputSchema": schema()})];
    let reading = json!({"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]});
    for set in sets::mcp()? {
        let schema: Value = serde_json::from_slice(&set.schema)?;
        tools.push(json!({"name": set.name, "inputSchema": schema, "outputSchema": reading}));
    }
    let tools = json!({"tools": tools}).to_string();
    let (mut line, mut out) = (Vec::new(), vec![0; tools.len() + 1024]);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Ok(Message::Request(request)) = Message::read(&line) {
            let length = if request.is("initialize") {
                let result = br#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"plain","version":"1"}}"#;
                reply::result(&mut out, request.id, Raw::new(result)?)?
            } else if request.is("tools/list") {
                reply::result(&mut out, request.id, Raw::new(tools.as_bytes())?)?
            } else if request.is("tools/call") {
                reply::structured(&mut out, request.id, Raw::new(br#"{"celsius":21.5}"#)?)?
            } else {
                reply::error(&mut out, Some(request.id), -32601, &Plain("Method not found"), None)?
            };
            out[length] = b'\n';
            output.write_all(&out[..=length])?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}
