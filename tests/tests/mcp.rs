//! The parts of `microschema::mcp` put together: a server over a stream of bytes.

use microschema::mcp::{Lines, Tool, Tools};
use microschema::{Options, Program};
use microschema_tests::server::{answer, serve};
use serde_json::{Value, json};

const DIM: &str = r#"{"name":"dim","inputSchema":{"type":"object","properties":{"level":{"type":"integer","maximum":10}},"additionalProperties":false}}"#;
const READ: &str =
    r#"{"name":"read","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["value"]}}"#;

fn compiled(schema: &Value) -> Program<'static> {
    let arena = vec![0; 1 << 16].leak();
    Options::new().compile(schema.to_string().as_bytes(), arena).expect("the schema compiles")
}

fn tool(definition: &str) -> Tool<'static> {
    let definition: &'static str = definition.to_owned().leak();
    let value: Value = serde_json::from_str(definition).expect("a definition is JSON");
    let output = value.get("outputSchema").map(compiled);
    Tool::new(definition.as_bytes(), compiled(&value["inputSchema"]), output).expect("the definition is a tool's")
}

/// What the server says to each line; the stream comes in pieces of every length up to that of the stream.
#[test]
fn a_transcript_of_both_eras() {
    let modern = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let transcript = [
        (
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}"#,
        ),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(), ""),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"dim","inputSchema":{"type":"object","properties":{"level":{"type":"integer","maximum":10}},"additionalProperties":false}}],"nextCursor":"1","ttlMs":0,"cacheScope":"public"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"1"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"read","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["value"]}}],"ttlMs":0,"cacheScope":"public"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"dim","arguments":{"level": 7}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"level\": 7}"}],"structuredContent":{"level": 7}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"four","method":"tools/call","params":{"name":"dim","arguments":{"level":70}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":"four","result":{"resultType":"complete","content":[{"type":"text","text":"Invalid input: the arguments do not match the tool's input schema.\n- at /level: must be at most 10 (maximum)"}],"isError":true,"_meta":{"microschema/issues":[{"path":["level"],"pointer":"/level","keyword":"maximum","message":"must be at most 10"}]}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"dim"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"nothing to do"}],"isError":true}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read","arguments":{"v":1}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","content":[{"type":"text","text":"Tool returned structured content that does not match its output schema.\n- at /value: is required (required)"}],"isError":true,"_meta":{"microschema/issues":[{"path":["value"],"pointer":"/value","keyword":"required","message":"is required"}]}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"off"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: off"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"resources/list"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"Method not found"}}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#.to_owned(), r#"{"jsonrpc":"2.0","id":9,"result":{}}"#),
        (
            format!(r#"{{"jsonrpc":"2.0","id":10,"method":"server/discover","params":{{{modern}}}}}"#),
            r#"{"jsonrpc":"2.0","id":10,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}}"#,
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{{{modern},"name":"dim","arguments":{{"level":1}}}}}}"#),
            r#"{"jsonrpc":"2.0","id":11,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"level\":1}"}],"structuredContent":{"level":1}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":12,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":12,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01"}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":13,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"Invalid params: _meta must have a valid io.modelcontextprotocol/clientCapabilities"}}"#,
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":14,"method":"{}"}}"#, "m".repeat(400)),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: the message is too long"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":15,"method":"ping""#.to_owned(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: input ends inside an object at byte 40"}}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":16,"method":"ping"}"#.to_owned(), r#"{"jsonrpc":"2.0","id":16,"result":{}}"#),
    ];
    let stream: String = transcript.iter().map(|(line, _)| format!("{line}\r\n")).collect();
    let expected: Vec<&str> =
        transcript.iter().map(|(_, answer)| *answer).filter(|answer| !answer.is_empty()).collect();
    let tools = [tool(DIM), tool(READ)];
    let tools = Tools::new(&tools).expect("two tools");
    for piece in (1..40).chain([stream.len()]) {
        let (mut buffer, mut out) = ([0; 256], [0; 360]);
        let mut lines = Lines::new(&mut buffer);
        let mut answers = Vec::new();
        for piece in stream.as_bytes().chunks(piece) {
            serve(&mut lines, piece, &tools, &mut out, &mut |answer| {
                answers.push(String::from_utf8_lossy(answer).into_owned());
            });
        }
        assert_eq!(answers, expected, "in pieces of {piece}");
    }
}

/// Real calls: the verdict on the wire is that of the program, and every issue is told.
#[test]
fn calls_of_real_tools() {
    let Some(data) = microschema_tests::data() else { return };
    let mut calls = 0;
    for folder in std::fs::read_dir(data.join("bench")).expect("the folder is there") {
        let folder = folder.expect("an entry").path();
        if !folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mcp-")) {
            continue;
        }
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let schema: Value = serde_json::from_str(&read("schema.json")).expect("a schema");
        let tools = [tool(&json!({"name": "t", "inputSchema": schema}).to_string())];
        let tools = Tools::new(&tools).expect("one tool");
        for (file, is_valid) in [("instances.jsonl", true), ("invalid.jsonl", false)] {
            for arguments in read(file).lines().filter(|line| !line.is_empty()) {
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{arguments},"name":"t"}}}}"#
                );
                let mut out = vec![0; 64 * 1024 + 4 * arguments.len()];
                let length = answer(line.as_bytes(), &tools, &mut out).expect("fits");
                let result =
                    serde_json::from_slice::<Value>(&out[..length]).expect("an answer is JSON")["result"].take();
                if is_valid {
                    let given: Value = serde_json::from_str(arguments).expect("arguments are JSON");
                    assert_eq!(result["structuredContent"], given, "{arguments}");
                } else {
                    assert_eq!(result["isError"], true, "{arguments}");
                    let text = result["content"][0]["text"].as_str().expect("a text");
                    let issues = result["_meta"]["microschema/issues"].as_array().expect("issues");
                    assert!(!issues.is_empty());
                    for issue in issues {
                        let message = issue["message"].as_str().expect("a message");
                        assert!(text.contains(message), "{message} is not in {text}");
                    }
                }
                calls += 1;
            }
        }
    }
    assert!(calls > 70, "{calls} calls");
}
