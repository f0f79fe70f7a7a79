//! Guarded rust-mcp-sdk servers of both versions, over stdio as that SDK serves them, and rmcp's client.
//!
//! The servers are the examples: `cargo build -p microschema-mcp --features rust-mcp-sdk,rust-mcp-sdk-1 --examples` makes them.
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema_mcp::{META_ISSUES, rust_mcp_sdk as v2, rust_mcp_sdk_1 as v1};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rust_mcp_sdk::schema::schema_utils::CallToolError;
use rust_mcp_sdk::schema::{InputRequiredResult, RpcError, ServerResult};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::process::{Child, Command};

/// An example server and its client.
struct Session {
    client: RunningService<RoleClient, ClientConfig>,
    version: &'static str,
    _server: Child,
}

impl Session {
    async fn new(example: &str, version: &'static str) -> Self {
        let path = examples().join(example);
        let mut server = Command::new(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; build the examples, as this file says", path.display()));
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        // Version 1 answers nothing to a client that offers more than it speaks.
        let client = if version == "2025-11-25" {
            ClientConfig::default().with_protocol_version(ProtocolVersion::V_2025_11_25).serve(pipes).await
        } else {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            ClientConfig::default()
                .serve_with_lifecycle(pipes, ClientLifecycleMode::Discover { preferred_versions })
                .await
        };
        Self { client: client.unwrap(), version, _server: server }
    }

    async fn both() -> [Self; 2] {
        [Self::new("rust_mcp_sdk", "2026-07-28").await, Self::new("rust_mcp_sdk_1", "2025-11-25").await]
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let mut request = CallToolRequestParams::new(tool);
        request.arguments = arguments.as_object().cloned();
        self.client.call_tool(request).await.unwrap()
    }
}

/// Where cargo puts examples: beside the folder of tests.
fn examples() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|folder| folder.parent()).unwrap().join("examples")
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn issues(result: &CallToolResult) -> &Value {
    &result.meta.as_ref().unwrap().0[META_ISSUES]
}

#[tokio::test]
async fn the_servers_speak_the_versions_of_their_sdks() {
    for session in Session::both().await {
        let info = session.client.peer_info().unwrap();
        assert_eq!(info.protocol_version.to_string(), session.version);
        let tools = session.client.list_all_tools().await.unwrap();
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["read_sensor", "announce"]);
    }
}

#[tokio::test]
async fn valid_calls_are_untouched() {
    for session in Session::both().await {
        let said = session.call("announce", json!({"text": "Hi"})).await;
        assert_eq!((text(&said), said.is_error.unwrap_or(false)), (r#"Said "Hi"."#, false));
        let reading = session.call("read_sensor", json!({"name": "cellar"})).await;
        assert_eq!(reading.structured_content, Some(json!({"celsius": 21.5})));
        for result in [said, reading] {
            assert!(result.meta.is_none_or(|meta| !meta.0.contains_key(META_ISSUES)));
        }
    }
}

#[tokio::test]
async fn invalid_input_is_a_tool_error_with_issues() {
    for session in Session::both().await {
        let result = session.call("read_sensor", json!({"name": "Cellar"})).await;
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            text(&result),
            "Invalid input: the arguments do not match the tool's input schema.\n\
             - at /name: must match the pattern ^[a-z]+$ (pattern)"
        );
        let expected = json!([
            {"path": ["name"], "pointer": "/name", "keyword": "pattern", "message": "must match the pattern ^[a-z]+$"},
        ]);
        assert_eq!(*issues(&result), expected);
        assert_eq!(result.structured_content, None);

        let omitted = session.call("read_sensor", Value::Null).await;
        assert_eq!(
            (&issues(&omitted)[0]["pointer"], &issues(&omitted)[0]["keyword"]),
            (&json!("/name"), &json!("required"))
        );
    }
}

#[tokio::test]
async fn a_hook_shapes_the_result_or_declines() {
    for session in Session::both().await {
        let shaped = session.call("announce", json!({"text": ""})).await;
        assert_eq!((text(&shaped), shaped.is_error), ("Say it in 1 to 40 characters.", Some(true)));
        assert!(shaped.meta.is_none_or(|meta| !meta.0.contains_key(META_ISSUES)));
        let declined = session.call("announce", json!({"text": "Hi", "volume": 11})).await;
        assert_eq!(issues(&declined)[0]["pointer"], "/volume");
    }
}

#[tokio::test]
async fn output_that_breaks_the_promise_is_a_tool_error() {
    for session in Session::both().await {
        let result = session.call("read_sensor", json!({"name": "attic"})).await;
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            text(&result),
            "Tool returned structured content that does not match its output schema.\n\
             - at /celsius: must be at most 85 (maximum)"
        );
        assert_eq!((&issues(&result)[0]["pointer"], &result.structured_content), (&json!("/celsius"), &None));
    }
}

#[tokio::test]
async fn an_unknown_tool_is_still_the_servers_to_refuse() {
    for session in Session::both().await {
        let result = session.call("nope", json!({})).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("nope"), "{}", text(&result));
    }
}

const TOOL: fn() -> Value = || {
    json!({
        "name": "count",
        "inputSchema": {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]},
        "outputSchema": {"type": "object", "properties": {"count": {"minimum": 0}}, "required": ["count"]},
    })
};

fn parse<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn call_of_v2(arguments: Value) -> rust_mcp_sdk::schema::CallToolRequestParams {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    parse(json!({"name": "count", "arguments": arguments, "_meta": meta}))
}

#[tokio::test]
async fn a_refused_call_does_not_run() {
    let runs = AtomicUsize::new(0);
    let mut tools = v2::Tools::new(&v2::Gate::default(), &[parse(TOOL())]);
    let run = async |_| {
        runs.fetch_add(1, Ordering::Relaxed);
        Err(CallToolError::from_message("ran"))
    };
    let refused = tools.call(call_of_v2(json!({"from": "3"})), run).await.unwrap();
    let ServerResult::CallToolResult(refused) = refused else { panic!("another result") };
    assert_eq!((refused.is_error, &*refused.result_type), (Some(true), "complete"));
    assert_eq!(runs.load(Ordering::Relaxed), 0);

    // The server's own errors stay what they are.
    assert_eq!(tools.call(call_of_v2(json!({"from": 3})), run).await.unwrap_err().to_string(), "ran");
    tools.remove("count");
    assert_eq!(tools.call(call_of_v2(json!({"from": "3"})), run).await.unwrap_err().to_string(), "ran");
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn requests_for_input_and_errors_pass_untouched() {
    let tools = v2::Tools::new(&v2::Gate::default(), &[parse(TOOL())]);
    let asked: InputRequiredResult = parse(json!({"resultType": "input_required", "requestState": "state"}));
    let response = tools.call(call_of_v2(json!({"from": 1})), async |_| Ok::<_, RpcError>(asked.into())).await.unwrap();
    let ServerResult::InputRequiredResult(result) = response else { panic!("another result") };
    assert_eq!(result.request_state.as_deref(), Some("state"));

    let error = json!({"content": [], "resultType": "complete", "structuredContent": {"count": -1}, "isError": true});
    let failed: rust_mcp_sdk::schema::CallToolResult = parse(error.clone());
    let response =
        tools.call(call_of_v2(json!({"from": 1})), async |_| Ok::<_, RpcError>(failed.into())).await.unwrap();
    let ServerResult::CallToolResult(result) = response else { panic!("another result") };
    assert_eq!(serde_json::to_value(result).unwrap(), error);

    let guard = v1::Gate::default().guard_tool(&parse(TOOL()));
    let error = json!({"content": [], "structuredContent": {"count": -1}, "isError": true});
    let result = guard.check_result(parse(error.clone()));
    assert_eq!(serde_json::to_value(result).unwrap(), error);
}

#[test]
fn structured_content_of_failures_is_opt_in() {
    let structured = microschema_mcp::Structured::Issues;
    let [v2, v1] = [
        {
            let gate = v2::Gate::new(v2::Policy::new().structured(structured));
            let refusal = gate.guard_tool(&parse(TOOL())).check_input("{}").unwrap_err();
            serde_json::to_value(refusal).unwrap()
        },
        {
            let gate = v1::Gate::new(v1::Policy::new().structured(structured));
            let refusal = gate.guard_tool(&parse(TOOL())).check_input("{}").unwrap_err();
            serde_json::to_value(refusal).unwrap()
        },
    ];
    for result in [v2, v1] {
        assert_eq!(result["structuredContent"]["issues"][0]["pointer"], "/from");
        assert_eq!(result["structuredContent"]["issues"], result["_meta"][META_ISSUES]);
    }
}

#[test]
fn a_guard_can_check_more_than_a_tool_of_version_1_declares() {
    let gate = v1::Gate::default();
    let mut closed = TOOL();
    closed["inputSchema"]["additionalProperties"] = json!(false);
    let arguments = json!({"from": 1, "to": 2});
    let mut tools = v1::Tools::new(&gate, &[parse(closed.clone())]);
    assert!(tools.get("count").unwrap().check_input(&arguments).is_ok());
    tools.insert_guard(gate.guard("count", &closed["inputSchema"], None::<&Value>));
    let refusal = tools.get("count").unwrap().check_input(&arguments).unwrap_err();
    assert_eq!(refusal.meta.unwrap()[META_ISSUES][0]["pointer"], "/to");
}
