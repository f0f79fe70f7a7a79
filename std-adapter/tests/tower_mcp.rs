//! Guarded tower-mcp servers and rmcp's client, over a pipe in memory: what tower-mcp documents of its own check, claim by claim.
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema_mcp::tower_mcp::{Gate, GateLayer, Guarded, Policy};
use microschema_mcp::{META_ISSUES, Terms, Uncompilable};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tower_mcp::extract::RawArgs;
use tower_mcp::tool::{McpTool, Tool, ToolRequest};
use tower_mcp::{CallToolResult, CapabilityFilter, McpRouter, StdioTransport, TaskOutcome, ToolBuilder};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Person {
    #[schemars(range(max = 120))]
    age: u8,
}

#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Count {
    #[schemars(range(min = 0))]
    count: i32,
}

/// A client of the router, with the layer around it.
async fn connect(router: McpRouter) -> RunningService<RoleClient, ()> {
    let (server_end, client_end) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(server_end);
    let mut transport = StdioTransport::new(router).layer(GateLayer::new());
    tokio::spawn(async move { transport.run_with_streams(reader, writer).await });
    ().serve(client_end).await.unwrap()
}

async fn connect_without_layer(router: McpRouter) -> RunningService<RoleClient, ()> {
    let (server_end, client_end) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(server_end);
    let mut transport = StdioTransport::new(router);
    tokio::spawn(async move { transport.run_with_streams(reader, writer).await });
    ().serve(client_end).await.unwrap()
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> rmcp::model::CallToolResult {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.call_tool(request).await.unwrap()
}

/// One call of a server with one guarded tool.
async fn call_one(tool: Tool, gate: &Gate, arguments: Value) -> rmcp::model::CallToolResult {
    let name: &'static str = tool.name.clone().leak();
    call(&connect(McpRouter::new().tool(tool.guarded(gate))).await, name, arguments).await
}

fn text(result: &rmcp::model::CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn issues(result: &rmcp::model::CallToolResult) -> &Value {
    &result.meta.as_ref().unwrap().0[META_ISSUES]
}

/// A tool with this input schema that returns its arguments.
fn raw(schema: Value) -> Tool {
    ToolBuilder::new("raw")
        .input_schema(schema)
        .extractor_handler((), |RawArgs(arguments): RawArgs| async move { Ok(CallToolResult::json(arguments)) })
        .build()
}

/// A tool that returns this, and promises a count.
fn counting(content: Value) -> Tool {
    ToolBuilder::new("counting")
        .output_schema_for::<Count>()
        .no_params_handler(move || std::future::ready(Ok(CallToolResult::json(content.clone()))))
        .build()
}

struct Greet;

impl McpTool for Greet {
    const NAME: &'static str = "greet";
    const DESCRIPTION: &'static str = "Greets.";
    type Input = Person;
    type Output = Count;

    async fn call(&self, person: Person) -> tower_mcp::Result<Count> {
        Ok(Count { count: person.age.into() })
    }
}

fn typed() -> Tool {
    ToolBuilder::new("typed")
        .handler(|person: Person| async move { Ok(CallToolResult::text(person.age.to_string())) })
        .build()
}

#[tokio::test]
async fn input_is_checked_before_handlers_of_every_kind() {
    let person = serde_json::to_value(schemars::schema_for!(Person)).unwrap();
    let (router, registry) = McpRouter::new().with_dynamic_tools();
    let gate = Gate::default();
    let router = router.tools([typed().guarded(&gate), raw(person).guarded(&gate), Greet.into_tool().guarded(&gate)]);
    let client = connect(router).await;
    let mut late = typed();
    late.name = "late".to_owned();
    registry.register(late.guarded(&gate));
    for tool in ["typed", "raw", "greet", "late"] {
        assert!(!call(&client, tool, json!({"age": 36})).await.is_error.unwrap_or(false), "{tool}");
        let refused = call(&client, tool, json!({"age": 200})).await;
        assert_eq!(refused.is_error, Some(true), "{tool}");
        assert_eq!(
            text(&refused),
            "Invalid input: the arguments do not match the tool's input schema.\n\
             - at /age: must be at most 120 (maximum)"
        );
        assert_eq!(issues(&refused)[0]["path"], json!(["age"]));
    }
}

#[tokio::test]
async fn a_live_handler_does_not_run_on_invalid_input() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let live = ToolBuilder::new("live")
        .live_task_handler(move |_, person: Person| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move { Ok(TaskOutcome::Completed(CallToolResult::text(person.age.to_string()))) }
        })
        .build();
    let (server_end, client_end) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(server_end);
    let router = McpRouter::new().tool(live.guarded(&Gate::default()));
    let mut transport = StdioTransport::new(router).layer(GateLayer::new());
    tokio::spawn(async move { transport.run_with_streams(reader, writer).await });

    // rmcp's client asks for no tasks in the way of this protocol version.
    let (reader, mut writer) = tokio::io::split(client_end);
    let mut lines = BufReader::new(reader).lines();
    let mut send = async |message: Value| {
        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        while message.get("id").is_some() {
            let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            if answer["id"] == message["id"] {
                return answer;
            }
        }
        Value::Null
    };
    let client =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})).await;
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    for (id, age, is_error, expected) in [(10, 200, true, 0), (20, 36, false, 1)] {
        let call = json!({"name": "live", "arguments": {"age": age}, "task": {}});
        let task = send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})).await;
        let task = json!({"taskId": task["result"]["task"]["taskId"]});
        let mut told = json!({"result": {"status": "working"}});
        while told["result"]["status"] == "working" {
            told = send(json!({"jsonrpc": "2.0", "id": id, "method": "tasks/get", "params": task})).await;
        }
        assert_eq!(told["result"]["result"]["isError"].as_bool().unwrap_or(false), is_error, "{told}");
        assert_eq!(runs.load(Ordering::SeqCst), expected, "{told}");
    }
}

#[tokio::test]
async fn omitted_and_null_arguments_are_an_empty_object() {
    let refused = call_one(typed(), &Gate::default(), Value::Null).await;
    assert_eq!(issues(&refused)[0]["pointer"], "/age");
    let told = ToolBuilder::new("told")
        .input_schema(json!({"type": "object"}))
        .extractor_handler(
            (),
            |RawArgs(arguments): RawArgs| async move { Ok(CallToolResult::text(arguments.to_string())) },
        )
        .build();
    assert_eq!(text(&call_one(told, &Gate::default(), Value::Null).await), "null");
    // A handler without parameters has a schema that takes them to be absent.
    let accepted = call_one(counting(json!({"count": 1})), &Gate::default(), Value::Null).await;
    assert_eq!(accepted.structured_content, Some(json!({"count": 1})));
}

#[tokio::test]
async fn output_is_checked_when_declared_and_no_error() {
    let gate = Gate::default();
    let refused = call_one(counting(json!({"count": -1})), &gate, Value::Null).await;
    assert_eq!(
        text(&refused),
        "Tool returned structured content that does not match its output schema.\n\
         - at /count: must be at least 0 (minimum)"
    );
    assert_eq!((refused.is_error, &refused.structured_content), (Some(true), &None));

    let failing = ToolBuilder::new("failing")
        .output_schema_for::<Count>()
        .no_params_handler(|| async { Ok(CallToolResult::error("no")) })
        .build();
    assert_eq!(text(&call_one(failing, &gate, Value::Null).await), "no");
    let undeclared = raw(json!({"type": "object"}));
    assert_eq!(call_one(undeclared, &gate, json!({"count": -1})).await.structured_content, Some(json!({"count": -1})));
}

#[tokio::test]
async fn formats_are_asserted() {
    let schema = json!({"type": "object", "properties": {"mail": {"type": "string", "format": "email"}}});
    let refused = call_one(raw(schema), &Gate::default(), json!({"mail": "x"})).await;
    assert_eq!(issues(&refused)[0]["keyword"], "format");
}

#[tokio::test]
async fn five_issues_are_told_and_the_rest_counted() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let refused = call_one(raw(json!({"type": "object", "required": names})), &Gate::default(), json!({})).await;
    assert_eq!(issues(&refused).as_array().unwrap().len(), 5);
    assert!(text(&refused).ends_with("\n- and 2 more"), "{}", text(&refused));
}

#[tokio::test]
async fn the_check_is_outside_of_builder_guards_and_inside_of_later_ones() {
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = |name: &'static str| {
        let order = order.clone();
        move |_: &ToolRequest| {
            order.lock().unwrap().push(name);
            Ok(())
        }
    };
    let tool = ToolBuilder::new("typed")
        .handler(|person: Person| async move { Ok(CallToolResult::text(person.age.to_string())) })
        .guard(note("builder's"))
        .build()
        .guarded(&Gate::default())
        .with_guard(note("later"));
    let client = connect(McpRouter::new().tool(tool)).await;
    call(&client, "typed", json!({"age": 200})).await;
    assert_eq!(*order.lock().unwrap(), ["later"]);
    call(&client, "typed", json!({"age": 36})).await;
    assert_eq!(*order.lock().unwrap(), ["later", "later", "builder's"]);
}

#[tokio::test]
async fn disabled_and_filtered_tools_are_turned_away_before() {
    let router = McpRouter::new()
        .tools([typed().guarded(&Gate::default()), raw(json!({"type": "object"})).guarded(&Gate::default())])
        .tool_filter(CapabilityFilter::new(|_, tool: &Tool| tool.name != "raw"));
    router.disable_tool("typed");
    let client = connect(router).await;
    for tool in ["typed", "raw", "unknown"] {
        let error = client.call_tool(CallToolRequestParams::new(tool)).await.unwrap_err();
        assert!(error.to_string().contains(&format!("Unknown tool: {tool}")), "{error}");
    }
}

#[tokio::test]
async fn each_side_can_be_left_out_also_for_an_mcp_tool() {
    let gate = Gate::default()
        .tool("greet", |policy| policy.terms(Terms::new().check_input(false)))
        .tool("counting", |policy| policy.terms(Terms::new().check_output(false)));
    let accepted = call_one(Greet.into_tool(), &gate, json!({"age": 200})).await;
    assert_eq!(accepted.structured_content, Some(json!({"count": 200})));
    let accepted = call_one(counting(json!({"count": -1})), &gate, Value::Null).await;
    assert_eq!(accepted.structured_content, Some(json!({"count": -1})));
}

#[tokio::test]
async fn a_schema_that_cannot_be_honoured_refuses_calls_or_lets_them_through() {
    let allow = Gate::new(Policy::new().terms(Terms::new().uncompilable(Uncompilable::Allow)));
    for (schema, at) in [
        (json!({"type": "object", "required": "age"}), "/required"),
        (json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}), "/properties/a/$ref"),
        (json!({"$schema": "https://example.com/dialect", "type": "object"}), "/$schema"),
    ] {
        let refused = call_one(raw(schema.clone()), &Gate::default(), json!({})).await;
        let start = format!("This tool cannot be called: its input schema cannot be honoured: at {at}: ");
        assert!(text(&refused).starts_with(&start), "{}", text(&refused));
        assert_eq!(call_one(raw(schema), &allow, json!({"x": 1})).await.structured_content, Some(json!({"x": 1})));
    }
    let local =
        json!({"type": "object", "$defs": {"age": {"maximum": 120}}, "properties": {"age": {"$ref": "#/$defs/age"}}});
    assert_eq!(issues(&call_one(raw(local), &Gate::default(), json!({"age": 121})).await)[0]["pointer"], "/age");
}

#[tokio::test]
async fn hooks_make_the_result() {
    let gate = Gate::new(
        Policy::new()
            .on_input_error(|failure, _| CallToolResult::error(format!("in {}", failure.tool)))
            .on_output_error(|failure, _| CallToolResult::error(format!("out {}", failure.tool))),
    );
    assert_eq!(text(&call_one(typed(), &gate, json!({})).await), "in typed");
    assert_eq!(text(&call_one(counting(json!({"count": -1})), &gate, Value::Null).await), "out counting");
}

#[tokio::test]
async fn without_the_layer_a_call_is_refused_in_text() {
    let client = connect_without_layer(McpRouter::new().tool(typed().guarded(&Gate::default()))).await;
    let refused = call(&client, "typed", json!({"age": 200})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).ends_with("- at /age: must be at most 120 (maximum)"), "{}", text(&refused));
}

#[tokio::test]
async fn a_guard_is_a_layer_for_one_tool() {
    let [person, count] = [schemars::schema_for!(Person), schemars::schema_for!(Count)].map(|schema| schema.to_value());
    let gate = Gate::default().tool("hooked", |policy| policy.on_input_error(|_, _| CallToolResult::error("hooked")));
    let runs = Arc::new(AtomicUsize::new(0));
    let tools = ["counted", "hooked"].map(|name| {
        let runs = runs.clone();
        ToolBuilder::new(name)
            .handler(move |person: Person| {
                runs.fetch_add(1, Ordering::Relaxed);
                async move { Ok(CallToolResult::json(json!({"count": 100 - i32::from(person.age)}))) }
            })
            .layer(gate.guard(name, &person, &count))
            .build()
    });
    let client = connect_without_layer(McpRouter::new().tools(tools)).await;
    let counted = call(&client, "counted", json!({"age": 36})).await;
    assert_eq!((counted.structured_content, counted.meta), (Some(json!({"count": 64})), None));
    let refused = call(&client, "counted", json!({"age": 200})).await;
    assert_eq!((refused.is_error, &issues(&refused)[0]["pointer"]), (Some(true), &json!("/age")));
    assert_eq!(text(&call(&client, "hooked", Value::Null).await), "hooked");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    let broken = call(&client, "counted", json!({"age": 110})).await;
    assert_eq!((broken.is_error, &issues(&broken)[0]["pointer"]), (Some(true), &json!("/count")));
    assert_eq!(broken.structured_content, None);
}
