//! A server on the parts of `microschema::mcp`: whatever the stream and wherever it is cut, each answer is a message of JSON-RPC.
//!
//! Input: the length of the pieces, the stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::Program;
use microschema::mcp::{Lines, Tool, Tools};
use microschema_tests::server::serve;
use serde_json::Value;
use std::sync::LazyLock;

const DIM: &str = r#"{"name":"dim","inputSchema":{"type":"object","properties":{"level":{"type":"integer","maximum":10}},"additionalProperties":false}}"#;
const READ: &str =
    r#"{"name":"read","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["value"]}}"#;

static TOOLS: LazyLock<[Tool<'static>; 2]> = LazyLock::new(|| [tool(DIM), tool(READ)]);

fn tool(definition: &'static str) -> Tool<'static> {
    let value: Value = serde_json::from_str(definition).expect("JSON");
    let output = value.get("outputSchema").map(compiled);
    Tool::new(definition.as_bytes(), compiled(&value["inputSchema"]), output).expect("a tool")
}

fn compiled(schema: &Value) -> Program<'static> {
    microschema::compile(schema.to_string().as_bytes(), vec![0; 1 << 12].leak()).expect("a schema")
}

fuzz_target!(|data: &[u8]| {
    let Some((&piece, stream)) = data.split_first() else { return };
    let tools = Tools::new(&*TOOLS).expect("two tools");
    let whole = answers(&tools, stream, stream.len());
    assert_eq!(answers(&tools, stream, piece.into()), whole);
    for answer in whole {
        let value: Value = match serde_json::from_slice(&answer) {
            Ok(value) => value,
            // An id is given back as it came, and may be more than an `f64` holds.
            Err(error) if error.to_string().starts_with("number out of range") => continue,
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&answer)),
        };
        assert_eq!(value["jsonrpc"], "2.0", "{value}");
        assert!(value.get("result").is_some() != value.get("error").is_some() && value.get("id").is_some(), "{value}");
    }
});

fn answers(tools: &Tools<'_>, stream: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let (mut buffer, mut out) = ([0; 512], vec![0; 1 << 14]);
    let mut lines = Lines::new(&mut buffer);
    let mut answers = Vec::new();
    for piece in stream.chunks(piece.max(1)) {
        serve(&mut lines, piece, tools, &mut out, &mut |answer| answers.push(answer.to_vec()));
    }
    answers
}
