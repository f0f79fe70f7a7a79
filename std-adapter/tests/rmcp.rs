//! Guarded rmcp servers and rmcp's own client, over a pipe in memory.
#![allow(clippy::unwrap_used, reason = "a test")]

#[allow(dead_code, reason = "its `main` serves over stdio")]
#[path = "../examples/rmcp.rs"]
mod example;

use microschema_mcp::rmcp::{Gate, Guarded, Policy, Tools};
use microschema_mcp::{META_ISSUES, META_OMITTED, Structured, Terms, Uncompilable};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult, Tool};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, tool_handler};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A client of `server`.
async fn connect<S: ServerHandler>(server: S) -> RunningService<RoleClient, ()> {
    let (server_end, client_end) = tokio::io::duplex(4096);
    tokio::spawn(async move { server.serve(server_end).await.unwrap().waiting().await });
    ().serve(client_end).await.unwrap()
}

async fn call(client: &RunningService<RoleClient, ()>, tool: &'static str, arguments: Value) -> CallToolResult {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.call_tool(request).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn issues(result: &CallToolResult) -> &Value {
    &result.meta.as_ref().unwrap().0[META_ISSUES]
}

#[tokio::test]
async fn valid_calls_are_untouched() {
    let client = connect(example::Server::new()).await;
    for (tool, arguments, expected) in [
        ("set_lamp", json!({"level": 70}), "The lamp is at 70 %."),
        ("announce", json!({"text": "Hi"}), r#"Said "Hi"."#),
        ("blink", Value::Null, "Blinked."),
    ] {
        let result = call(&client, tool, arguments).await;
        assert_eq!(text(&result), expected);
        assert_eq!(result.is_error, Some(false));
        assert_eq!(result.meta, None);
    }
    let reading = call(&client, "read_sensor", json!({"name": "cellar"})).await;
    assert_eq!(reading.structured_content, Some(json!({"celsius": 21.5})));
    assert_eq!(reading.meta, None);
}

#[tokio::test]
async fn invalid_input_of_a_typed_tool_is_a_tool_error_with_issues() {
    let client = connect(example::Server::new()).await;
    let result = call(&client, "set_lamp", json!({"level": 101, "lvel": 1})).await;
    assert_eq!(result.is_error, Some(true));
    assert_eq!(
        text(&result),
        "Invalid input: the arguments do not match the tool's input schema.\n\
         - at /level: must be at most 100 (maximum)\n\
         - at /lvel: is not an expected property; did you mean \"level\"? (additionalProperties)"
    );
    let expected = json!([
        {"path": ["level"], "pointer": "/level", "keyword": "maximum", "message": "must be at most 100"},
        {
            "path": ["lvel"],
            "pointer": "/lvel",
            "keyword": "additionalProperties",
            "message": "is not an expected property; did you mean \"level\"?",
        },
    ]);
    assert_eq!(*issues(&result), expected);
    assert_eq!(result.structured_content, None);
}

#[tokio::test]
async fn omitted_arguments_are_an_empty_object() {
    let client = connect(example::Server::new()).await;
    let result = call(&client, "set_lamp", Value::Null).await;
    assert_eq!(issues(&result)[0]["path"], json!(["level"]));
    assert_eq!(issues(&result)[0]["keyword"], "required");
}

#[tokio::test]
async fn a_route_added_later_is_checked() {
    let client = connect(example::Server::new()).await;
    let result = call(&client, "blink", json!({"times": 0})).await;
    assert_eq!(issues(&result)[0]["pointer"], "/times");
}

#[tokio::test]
async fn a_hook_shapes_the_result_or_declines() {
    let client = connect(example::Server::new()).await;
    let shaped = call(&client, "announce", json!({"text": ""})).await;
    assert_eq!(text(&shaped), "Say it in 1 to 40 characters.");
    assert_eq!(shaped.meta, None);
    let declined = call(&client, "announce", json!({"text": "Hi", "volume": 11})).await;
    assert_eq!(issues(&declined)[0]["pointer"], "/volume");
}

#[tokio::test]
async fn output_that_breaks_the_promise_is_a_tool_error() {
    let client = connect(example::Server::new()).await;
    let result = call(&client, "read_sensor", json!({"name": "attic"})).await;
    assert_eq!(result.is_error, Some(true));
    assert_eq!(
        text(&result),
        "Tool returned structured content that does not match its output schema.\n\
         - at /celsius: must be at most 85 (maximum)"
    );
    assert_eq!(result.structured_content, None);
}

#[tokio::test]
async fn an_unknown_tool_is_still_the_servers_to_refuse() {
    let client = connect(example::Server::new()).await;
    let error = client.call_tool(CallToolRequestParams::new("nope")).await.unwrap_err();
    assert!(error.to_string().contains("tool not found"), "{error}");
}

/// A server with one tool, which answers `response` and counts how often it ran.
#[derive(Clone)]
struct One {
    tool_router: ToolRouter<Self>,
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for One {}

fn one(gate: &Gate, schemas: [Value; 2], response: CallToolResponse) -> (One, Arc<AtomicUsize>) {
    let [input, output] = schemas;
    let mut tool = Tool::new("one", "", rmcp::model::object(input));
    tool.output_schema = output.as_object().cloned().map(Arc::new);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let route = ToolRoute::new_dyn(tool, move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        let response = response.clone();
        Box::pin(async { Ok(response) })
    });
    (One { tool_router: ToolRouter::new().with_route(route).guarded(gate) }, runs)
}

fn structured(value: Value) -> CallToolResponse {
    CallToolResult::structured(value).into()
}

const COUNT: fn() -> Value =
    || json!({"type": "object", "properties": {"count": {"minimum": 0}}, "required": ["count"]});

#[tokio::test]
async fn structured_content_of_failures_is_opt_in() {
    let gate = Gate::new(Policy::new().structured(Structured::Issues).terms(Terms::new().issues(1)))
        .tool("other", |policy| policy.structured(Structured::Nothing));
    let schema = json!({"type": "object", "required": ["a", "b", "c"]});
    let (server, runs) = one(&gate, [schema.clone(), Value::Null], structured(json!({})));
    let result = call(&connect(server).await, "one", json!({})).await;
    let content = result.structured_content.as_ref().unwrap();
    assert_eq!(content["issues"], *issues(&result));
    assert_eq!((&content["omitted"], &result.meta.as_ref().unwrap().0[META_OMITTED]), (&json!(2), &json!(2)));
    assert!(text(&result).ends_with("\n- and 2 more"), "{}", text(&result));
    assert_eq!(runs.load(Ordering::Relaxed), 0);

    let gate = Gate::new(Policy::new().structured(Structured::ProblemDetails).terms(Terms::new().issues(1)));
    let (server, _) = one(&gate, [schema, Value::Null], structured(json!({})));
    let result = call(&connect(server).await, "one", json!({})).await;
    let expected = json!({
        "status": 422,
        "title": "Unprocessable Content",
        "detail": "Invalid input: the arguments do not match the tool's input schema.",
        "errors": [{"pointer": "#/a", "detail": "is required"}],
        "omitted": 2,
    });
    assert_eq!(result.structured_content, Some(expected));
}

#[tokio::test]
async fn an_output_hook_gets_the_content() {
    let gate = Gate::new(Policy::new().on_output_error(|failure, content| {
        assert_eq!(failure.issues()[0].pointer, "/count");
        CallToolResult::error(vec![ContentBlock::text(format!("not {}", content.to_value().unwrap()["count"]))])
    }));
    let (server, runs) = one(&gate, [json!({"type": "object"}), COUNT()], structured(json!({"count": -1})));
    let result = call(&connect(server).await, "one", json!({})).await;
    assert_eq!((text(&result), runs.load(Ordering::Relaxed)), ("not -1", 1));
}

#[tokio::test]
async fn errors_and_results_without_structured_content_go_through() {
    let gate = Gate::default();
    let error: CallToolResponse = CallToolResult::structured_error(json!({"count": -1})).into();
    let (server, _) = one(&gate, [json!({"type": "object"}), COUNT()], error);
    assert_eq!(call(&connect(server).await, "one", json!({})).await.structured_content, Some(json!({"count": -1})));

    let plain: CallToolResponse = CallToolResult::success(vec![ContentBlock::text("done")]).into();
    let (server, _) = one(&gate, [json!({"type": "object"}), COUNT()], plain.clone());
    assert_eq!(text(&call(&connect(server).await, "one", json!({})).await), "done");

    let strict = Gate::new(Policy::new().terms(Terms::new().require_structured_content(true)));
    let (server, _) = one(&strict, [json!({"type": "object"}), COUNT()], plain);
    let result = call(&connect(server).await, "one", json!({})).await;
    assert_eq!(text(&result), "Tool returned no structured content, which its output schema asks for.");
}

#[tokio::test]
async fn requests_for_input_pass_untouched() {
    let mut tool = Tool::new("one", "", rmcp::model::object(json!({"type": "object"})));
    tool.output_schema = COUNT().as_object().cloned().map(Arc::new);
    let response: CallToolResponse = InputRequiredResult::from_request_state("state").into();
    let guard = Gate::default().guard_tool(&tool);
    let CallToolResponse::InputRequired(result) = guard.check_response(response) else { panic!("another response") };
    assert_eq!(result.request_state.as_deref(), Some("state"));
}

#[tokio::test]
async fn each_side_can_be_left_out() {
    let gate = Gate::default().tool("one", |policy| policy.terms(Terms::new().check_input(false).check_output(false)));
    let schema = json!({"type": "object", "required": ["a"]});
    let (server, runs) = one(&gate, [schema, COUNT()], structured(json!({"count": -1})));
    let result = call(&connect(server).await, "one", json!({})).await;
    assert_eq!((result.structured_content, runs.load(Ordering::Relaxed)), (Some(json!({"count": -1})), 1));
}

#[tokio::test]
async fn a_schema_that_cannot_be_honoured_refuses_the_tool_or_lets_calls_through() {
    for schemas in [
        [json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}}), Value::Null],
        [json!({"type": "object"}), json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}})],
    ] {
        let side = if schemas[1].is_null() { "input" } else { "output" };
        let (server, runs) = one(&Gate::default(), schemas.clone(), structured(json!({})));
        let result = call(&connect(server).await, "one", json!({})).await;
        assert_eq!(
            text(&result),
            format!(
                "This tool cannot be called: its {side} schema cannot be honoured: at /properties/a/$ref: \
                 reference leads nowhere: not in the schema, nor in the registered documents."
            )
        );
        assert_eq!((result.is_error, runs.load(Ordering::Relaxed)), (Some(true), 0));

        let gate = Gate::new(Policy::new().terms(Terms::new().uncompilable(Uncompilable::Allow)));
        let (server, runs) = one(&gate, schemas, structured(json!({})));
        let result = call(&connect(server).await, "one", json!({})).await;
        assert_eq!((result.is_error, runs.load(Ordering::Relaxed)), (Some(false), 1));
    }
}

/// A server that implements `call_tool` by hand.
struct ByHand {
    tools: Tools,
}

impl ServerHandler for ByHand {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.tools
            .call(request, |request| async move {
                match &*request.name {
                    "count" => Ok(structured(json!({"count": request.arguments.unwrap_or_default()["from"]}))),
                    _ => Err(ErrorData::invalid_params("no such tool", None)),
                }
            })
            .await
    }
}

#[tokio::test]
async fn a_server_by_hand_is_checked_too() {
    let schema = json!({"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]});
    let mut tool = Tool::new("count", "", rmcp::model::object(schema));
    tool.output_schema = COUNT().as_object().cloned().map(Arc::new);
    let mut tools = Tools::new(&Gate::default(), [&tool]);
    tools.insert(&Tool::new("gone", "", rmcp::model::object(json!({"type": "object", "required": ["a"]}))));
    tools.remove("gone");
    let client = connect(ByHand { tools }).await;

    assert_eq!(call(&client, "count", json!({"from": 3})).await.structured_content, Some(json!({"count": 3})));
    assert_eq!(issues(&call(&client, "count", json!({"from": "3"})).await)[0]["pointer"], "/from");
    assert_eq!(issues(&call(&client, "count", json!({"from": -3})).await)[0]["pointer"], "/count");
    let error = client.call_tool(CallToolRequestParams::new("gone")).await.unwrap_err();
    assert!(error.to_string().contains("no such tool"), "{error}");
}

#[test]
fn a_gate_is_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Gate>();
    shared::<Policy>();
    shared::<microschema_mcp::rmcp::Guard>();
    shared::<microschema_mcp::Contract>();
    shared::<Tools>();
}
