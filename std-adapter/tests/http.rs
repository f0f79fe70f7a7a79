//! The HTTP layer: before rmcp's service with rmcp's client, and byte by byte before a server that tells what it got.
#![allow(clippy::unwrap_used, reason = "a test")]

#[allow(dead_code, reason = "its `main` prints its address")]
#[path = "../examples/axum.rs"]
mod example;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use microschema_mcp::http::{Body, Gate, GateLayer, Policy, Tools, Unchecked};
use microschema_mcp::{META_ISSUES, Structured};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream};
use tower::{Layer, Service, ServiceExt, service_fn};

async fn serve(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

async fn client(lifecycle: ClientLifecycleMode) -> RunningService<RoleClient, ()> {
    let address = serve(example::app()).await;
    let transport = StreamableHttpClientTransport::from_uri(format!("http://{address}/mcp"));
    ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

fn eras() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

async fn call(client: &RunningService<RoleClient, ()>, tool: &'static str, arguments: Value) -> CallToolResult {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.call_tool(request).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn a_client_of_either_era_sees_results() {
    for era in eras() {
        let client = client(era).await;
        let valid = call(&client, "set_lamp", json!({"level": 70})).await;
        assert_eq!((text(&valid), valid.is_error, &valid.meta), ("The lamp is at 70 %.", Some(false), &None));

        let invalid = call(&client, "set_lamp", json!({"level": 101, "lvel": 1})).await;
        assert_eq!(invalid.is_error, Some(true));
        assert_eq!(
            text(&invalid),
            "Invalid input: the arguments do not match the tool's input schema.\n\
             - at /level: must be at most 100 (maximum)\n\
             - at /lvel: is not an expected property; did you mean \"level\"? (additionalProperties)"
        );
        let issues = &invalid.meta.as_ref().unwrap().0[META_ISSUES];
        let first =
            json!({"path": ["level"], "pointer": "/level", "keyword": "maximum", "message": "must be at most 100"});
        assert_eq!(issues[0], first);
        assert_eq!(invalid.structured_content, None);

        let omitted = call(&client, "set_lamp", Value::Null).await;
        assert_eq!(omitted.meta.unwrap().0[META_ISSUES][0]["keyword"], "required");
        let hooked = call(&client, "read_sensor", json!({"name": "Cellar"})).await;
        assert_eq!(text(&hooked), "A sensor is called by its room, in lower case.");
        // Past the layer, by the gate within.
        let output = call(&client, "read_sensor", json!({"name": "attic"})).await;
        assert!(text(&output).ends_with("- at /celsius: must be at most 85 (maximum)"), "{}", text(&output));
        let error = client.call_tool(CallToolRequestParams::new("nope")).await.unwrap_err();
        assert!(error.to_string().contains("Unknown tool: nope"), "{error}");
        assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
    }
}

/// An extension of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mark(u8);

/// A request, as a server got it.
#[derive(Clone, Debug)]
struct Got {
    method: Method,
    headers: HeaderMap,
    mark: Option<Mark>,
    body: Bytes,
    trailers: Option<HeaderMap>,
}

/// A server that keeps what it gets, and always answers the same.
#[derive(Clone, Default)]
struct Server {
    got: Arc<Mutex<Vec<Got>>>,
    status: StatusCode,
    content_type: &'static str,
    answer: &'static str,
}

impl Server {
    fn json(answer: &'static str) -> Self {
        Self { content_type: "application/json", answer, ..Self::default() }
    }

    async fn take<B: http_body::Body<Error: std::fmt::Debug>>(self, request: Request<B>) -> Response<Full<Bytes>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap();
        let trailers = body.trailers().cloned();
        let mark = parts.extensions.get().copied();
        let got = Got { method: parts.method, headers: parts.headers, mark, body: body.to_bytes(), trailers };
        self.got.lock().unwrap().push(got);
        let mut response = Response::builder().status(self.status).header("x-server", "here");
        if !self.content_type.is_empty() {
            response = response.header(CONTENT_TYPE, self.content_type).header(CONTENT_LENGTH, self.answer.len());
        }
        response.body(Full::from(self.answer)).unwrap()
    }

    fn service(
        &self,
    ) -> impl Service<Request<Body>, Response = Response<Full<Bytes>>, Error = Infallible, Future: Send> + Clone + use<>
    {
        let server = self.clone();
        service_fn(move |request| {
            let server = server.clone();
            async move { Ok(server.take(request).await) }
        })
    }

    /// Behind the layer, over TCP.
    async fn behind(&self, layer: GateLayer) -> SocketAddr {
        let server = self.clone();
        let handler = move |request: Request<axum::body::Body>| server.take(request);
        serve(Router::new().route("/mcp", axum::routing::any(handler)).layer(layer)).await
    }

    fn bodies(&self) -> Vec<String> {
        self.got.lock().unwrap().iter().map(|got| String::from_utf8_lossy(&got.body).into_owned()).collect()
    }
}

fn tools() -> Tools {
    let tools = Tools::new(&Gate::default());
    tools.insert("lamp", &json!({"type": "object", "properties": {"level": {"type": "integer", "maximum": 100}}}));
    tools
}

fn layer() -> GateLayer {
    GateLayer::new(&tools())
}

fn message(id: &str, level: &str) -> String {
    format!(
        r#"{{ "jsonrpc":"2.0", "id": {id}, "method":"tools/call","params":{{"name":"lamp","arguments":{{"level":{level}}}}}}}"#
    )
}

fn request(body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::post("/mcp").header(CONTENT_TYPE, "application/json").body(Full::new(body.into())).unwrap()
}

async fn send<B>(address: SocketAddr, request: Request<B>) -> (StatusCode, HeaderMap, String)
where
    B: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
{
    let stream = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    parts.headers.insert("host", HeaderValue::from_static("localhost"));
    let response = sender.send_request(Request::from_parts(parts, body)).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
}

async fn post(address: SocketAddr, body: impl Into<Bytes>) -> (StatusCode, Value) {
    let (status, headers, body) = send(address, request(body)).await;
    assert_eq!(headers[CONTENT_TYPE], "application/json", "{body}");
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test]
async fn what_is_no_invalid_call_passes_as_it_was() {
    let server = Server::json(r#" {"jsonrpc": "2.0" , "id":1,"result":{}}"#);
    let address = server.behind(layer()).await;
    let valid = message("1.0", "1e2");
    let bodies = [
        &valid,
        " {\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\" ,\"method\":\"ping\"}\r\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"name":"lamp","arguments":{"level":101}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"lamp","arguments":{"level":101}}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"lamp","arguments":null}}"#,
        &format!("[ {valid} ,\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}}]"),
        "[ ]",
    ];
    for body in bodies {
        let mut request = request(body.to_owned());
        request.headers_mut().insert("mcp-session-id", HeaderValue::from_static("s"));
        request.headers_mut().append("x-two", HeaderValue::from_static("1"));
        request.headers_mut().append("x-two", HeaderValue::from_static("2"));
        let (status, headers, answer) = send(address, request).await;
        assert_eq!(
            (status, headers["x-server"].as_bytes(), &*answer),
            (StatusCode::OK, &b"here"[..], server.answer),
            "{body}"
        );
        let got = server.got.lock().unwrap().pop().unwrap();
        assert_eq!((got.method, &*got.body), (Method::POST, body.as_bytes()));
        assert_eq!(got.headers.get_all("x-two").iter().collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(got.headers["mcp-session-id"], "s");
        assert_eq!(got.headers[CONTENT_LENGTH], body.len().to_string());
    }
}

#[tokio::test]
async fn extensions_and_trailers_pass_too() {
    let server = Server::json("{}");
    let trailers = HeaderMap::from_iter([("x-sum".parse().unwrap(), HeaderValue::from_static("7"))]);
    let batch = format!("[{},{}]", message("1", "1"), message("2", "101"));
    for body in [message("1", "1"), batch] {
        let body = Full::new(Bytes::from(body)).with_trailers(std::future::ready(Some(Ok(trailers.clone()))));
        let request = Request::post("/").extension(Mark(7)).body(body).unwrap();
        layer().layer(server.service()).oneshot(request).await.unwrap();
        let got = server.got.lock().unwrap().pop().unwrap();
        assert_eq!((got.mark, got.trailers.as_ref()), (Some(Mark(7)), Some(&trailers)));
    }
}

#[tokio::test]
async fn an_invalid_call_is_answered_in_the_terms_of_its_era() {
    let server = Server::json("{}");
    let address = server.behind(layer()).await;
    let result = json!({
        "content": [{"type": "text", "text": "Invalid input: the arguments do not match the tool's input schema.\n\
            - at /level: must be at most 100 (maximum)"}],
        "isError": true,
        "_meta": {META_ISSUES: [
            {"path": ["level"], "pointer": "/level", "keyword": "maximum", "message": "must be at most 100"},
        ]},
    });
    let (status, answer) = post(address, message("\"a\"", "101")).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({"jsonrpc": "2.0", "id": "a", "result": result})));

    let modern = message("1", "101").replace(
        r#""name""#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name""#,
    );
    let (status, answer) = post(address, modern).await;
    let mut expected = result;
    expected["resultType"] = "complete".into();
    assert_eq!((status, answer), (StatusCode::OK, json!({"jsonrpc": "2.0", "id": 1, "result": expected})));

    // A result of rmcp's type has a `resultType` of its own.
    let address_of_rmcp = serve(example::app()).await;
    let call = message("1", "101").replace("lamp", "set_lamp");
    assert_eq!(post(address_of_rmcp, call).await.1["result"].get("resultType"), None);

    // An id comes back as it was spelled.
    let (_, _, answer) = send(address, request(message("1.0e0", "[]"))).await;
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1.0e0,"result":{"#), "{answer}");
    assert_eq!(server.bodies(), [""; 0]);
}

#[tokio::test]
async fn a_hook_and_a_shape_are_those_of_the_policy() {
    let policy = Policy::new().structured(Structured::Issues).on_input_error(|failure, arguments| {
        let is_text = arguments.to_value().is_some_and(|arguments| arguments["level"].is_string());
        let mut reply = failure.reply(Structured::Nothing);
        reply.text = "Send a number.".to_owned();
        is_text.then_some(reply)
    });
    let tools = Tools::new(&Gate::new(policy));
    tools.insert("lamp", &json!({"type": "object", "properties": {"level": {"type": "integer", "maximum": 100}}}));
    let address = Server::json("{}").behind(GateLayer::new(&tools)).await;
    let (_, shaped) = post(address, message("1", "\"7\"")).await;
    assert_eq!(shaped["result"]["content"][0]["text"], "Send a number.");
    let (_, declined) = post(address, message("1", "101")).await;
    assert_eq!(declined["result"]["structuredContent"]["issues"][0]["pointer"], "/level");

    tools.insert("lamp", &json!({"$ref": "https://example.com/lamp"}));
    let (_, refused) = post(address, message("1", "1")).await;
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("This tool cannot be called: its input schema cannot be honoured"), "{text}");
}

#[tokio::test]
async fn tools_come_and_go_and_unknown_ones_are_refused_or_pass() {
    let tools = tools();
    let server = Server::json("{}");
    let refusing = server.behind(GateLayer::new(&tools)).await;
    let allowing = server.behind(GateLayer::new(&tools).unknown_tools(Unchecked::Allow)).await;
    assert_eq!(post(refusing, message("1", "1")).await, (StatusCode::OK, json!({})));
    tools.remove("lamp");
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: lamp"}});
    assert_eq!(post(refusing, message("1", "1")).await, (StatusCode::OK, unknown));
    assert_eq!(post(allowing, message("1", "101")).await, (StatusCode::OK, json!({})));
    let long = message("1", "1").replace("lamp", &"x".repeat(1000));
    assert_eq!(post(refusing, long).await.1["error"]["message"], format!("Unknown tool: {}", "x".repeat(64)));
    let nameless = message("1", "1").replace("name", "nam");
    assert_eq!(post(allowing, nameless).await.1["error"]["code"], -32602);
    assert_eq!(server.bodies(), [message("1", "1"), message("1", "101")]);
}

#[tokio::test]
async fn what_readers_could_disagree_on_is_refused() {
    let server = Server::json("{}");
    let address = server.behind(layer()).await;
    let valid = message("7", "1");
    for (body, code, id) in [
        (String::new(), -32700, Value::Null),
        ("{".to_owned(), -32700, Value::Null),
        (format!("\u{feff}{valid}"), -32700, Value::Null),
        (format!("{valid}{valid}"), -32700, Value::Null),
        (valid.replace("lamp", "\\ud800"), -32700, Value::Null),
        ("7".to_owned(), -32600, Value::Null),
        (valid.replace("2.0", "1.0"), -32600, json!(7)),
        (valid.replace("\"id\": 7", "\"id\": 7, \"id\": 8"), -32600, Value::Null),
        (valid.replace("\"arguments\"", "\"arguments\":{\"level\":101},\"arguments\""), -32602, json!(7)),
        (valid.replace("\"name\"", "\"name\":\"other\",\"n\\u0061me\""), -32602, json!(7)),
        (
            valid.replace("\"arguments\":{\"level\":1}", &format!("\"x\":{}{}", "[".repeat(600), "]".repeat(600))),
            -32600,
            json!(7),
        ),
        (message("null", "101"), -32600, Value::Null),
        (valid.replace("\"name\"", "\"Name\":\"other\",\"name\""), -32600, json!(7)),
        (
            valid
                .replace("\"jsonrpc\"", "\"Method\":\"tools/call\",\"jsonrpc\"")
                .replace("tools/call\",\"p", "ping\",\"p"),
            -32600,
            json!(7),
        ),
        ("[".to_owned(), -32700, Value::Null),
        (format!("[{}1]", "1,".repeat(1000)), -32600, Value::Null),
        // No response is due to these, and yet the client is told.
        (valid.replace("\"id\": 7,", "").replace("1}", "101}"), -32602, Value::Null),
        (format!("[{}]", valid.replace("\"id\": 7,", "").replace("1}", "101}")), -32602, Value::Null),
    ] {
        let (status, answer) = post(address, body.clone()).await;
        assert_eq!(
            (status, &answer["error"]["code"], &answer["id"]),
            (StatusCode::BAD_REQUEST, &json!(code), &id),
            "{body}"
        );
    }
    assert_eq!(server.bodies(), [""; 0]);
}

#[tokio::test]
async fn a_batch_is_served_but_for_what_is_refused() {
    let valid = [message("1", "1"), message("\"b\"", "2")];
    let batch = format!(
        "[{},{},{},{},17,{}]",
        valid[0],
        message("3", "101"),
        valid[1],
        message("4", "1").replace("lamp", "other"),
        message("5", "102").replace("\"id\": 5,", ""),
    );
    let onward = format!("[{},{}]", valid[0], valid[1]);
    let of_server = r#"{"jsonrpc":"2.0","id":"b","result":{ }},{"jsonrpc":"2.0","id":1,"result":{}}"#;

    let server = Server::json(r#"[{"jsonrpc":"2.0","id":"b","result":{ }},{"jsonrpc":"2.0","id":1,"result":{}}]"#);
    let address = server.behind(layer()).await;
    let (status, headers, answer) = send(address, request(batch.clone())).await;
    assert_eq!((status, &headers["x-server"]), (StatusCode::OK, &HeaderValue::from_static("here")));
    assert!(answer.starts_with(&format!("[{of_server},")), "{answer}");
    let responses: Vec<Value> = serde_json::from_str(&answer).unwrap();
    let ids: Vec<_> = responses.iter().map(|response| response["id"].clone()).collect();
    assert_eq!(ids, [json!("b"), json!(1), json!(3), json!(4), Value::Null]);
    assert_eq!(responses[2]["result"]["isError"], true);
    assert_eq!(responses[3]["error"]["code"], -32602);
    assert_eq!(responses[4]["error"]["code"], -32600);
    let got = server.got.lock().unwrap().pop().unwrap();
    assert_eq!((&*got.body, &got.headers[CONTENT_LENGTH]), (onward.as_bytes(), &onward.len().into()));

    // A stream goes on behind the events of the layer.
    let stream = ": hello\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
    let server = Server { content_type: "Text/Event-Stream; charset=utf-8", ..Server::json(stream) };
    let (status, headers, answer) = send(server.behind(layer()).await, request(batch.clone())).await;
    assert_eq!((status, headers.get(CONTENT_LENGTH)), (StatusCode::OK, None));
    let events = answer.strip_suffix(stream).unwrap();
    let datas: Vec<Value> = events
        .split_terminator("\n\n")
        .map(|event| serde_json::from_str(event.strip_prefix("event: message\ndata: ").unwrap()).unwrap())
        .collect();
    assert_eq!(datas, responses[2..]);

    let ended = Server { answer: "", ..server };
    assert_eq!(send(ended.behind(layer()).await, request(batch.clone())).await.2, events);

    // Nothing but notifications was left for the server.
    let server = Server { status: StatusCode::ACCEPTED, content_type: "", ..Server::default() };
    let notified = format!("[{},{}]", valid[0].replace("\"id\": 1,", ""), message("3", "101"));
    let (status, answer) = post(server.behind(layer()).await, notified).await;
    assert_eq!((status, answer), (StatusCode::OK, json!([responses[2]])));
    assert_eq!(server.bodies(), [format!("[{}]", valid[0].replace("\"id\": 1,", ""))]);

    // The server refuses all that it was asked.
    let server =
        Server { status: StatusCode::NOT_FOUND, content_type: "text/plain", answer: "gone", ..Server::default() };
    let (status, _, answer) = send(server.behind(layer()).await, request(batch.clone())).await;
    assert_eq!((status, &*answer), (StatusCode::NOT_FOUND, "gone"));

    // Its answer is none that others could be joined with; the last is longer than the limit.
    let (long, most) = (&*"[1]".repeat(1000).leak(), 2000);
    for (content_type, answer) in
        [("text/plain", "{}"), ("application/json", "{"), ("application/json", "7"), ("application/json", long)]
    {
        let server = Server { content_type, answer, ..Server::default() };
        let (status, answer) = post(server.behind(layer().max_body(most)).await, batch.clone()).await;
        assert_eq!((status, &answer["error"]["code"]), (StatusCode::INTERNAL_SERVER_ERROR, &json!(-32603)), "{answer}");
    }

    // Nothing is left.
    let server = Server::json("{}");
    let (status, answer) = post(server.behind(layer()).await, format!("[{}]", message("3", "101"))).await;
    assert_eq!((status, answer, server.bodies().len()), (StatusCode::OK, json!([responses[2]]), 0));
}

/// Bytes without an end, which are counted.
struct Endless(Arc<AtomicUsize>);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.fetch_add(100, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 100])))))
    }
}

/// What tells its length, and must not be read.
struct Unread(u64);

impl http_body::Body for Unread {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        panic!("the body was read")
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

#[tokio::test]
async fn no_more_is_read_than_the_limit() {
    let too_long = |most: usize| {
        let message = format!("Invalid request: the body must have at most {most} bytes");
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}})
    };
    let server = Server::json("{}");
    let body = message("1", "1");
    for (most, expected) in [
        (body.len(), (StatusCode::OK, json!({}))),
        (body.len() - 1, (StatusCode::PAYLOAD_TOO_LARGE, too_long(body.len() - 1))),
    ] {
        assert_eq!(post(server.behind(layer().max_body(most)).await, body.clone()).await, expected);
    }
    assert_eq!(server.bodies().len(), 1);

    let inner = service_fn(async |_: Request<Body>| -> Result<Response<Full<Bytes>>, Infallible> {
        panic!("the service was called")
    });
    let read = Arc::new(AtomicUsize::new(0));
    let endless = Request::post("/").body(Endless(read.clone())).unwrap();
    let response = layer().max_body(1099).layer(inner).oneshot(endless).await.unwrap();
    assert_eq!((response.status(), read.load(Ordering::Relaxed)), (StatusCode::PAYLOAD_TOO_LARGE, 1100));
    let announced = Request::post("/").body(Unread(1001)).unwrap();
    let response = layer().max_body(1000).layer(inner).oneshot(announced).await.unwrap();
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn what_is_no_json_is_not_read() {
    let inner = service_fn(async |request: Request<Body>| {
        Ok::<_, Infallible>(Response::new(Full::from(format!(
            "{:?}",
            http_body::Body::size_hint(request.body()).exact()
        ))))
    });
    let run = async |layer: GateLayer, method: Method, headers: &[(_, &'static str)]| {
        let mut request = Request::builder().method(method).body(Unread(7)).unwrap();
        for (name, value) in headers {
            request.headers_mut().append(name, HeaderValue::from_static(value));
        }
        let response = layer.layer(inner).oneshot(request).await.unwrap();
        (response.status(), String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().into()).unwrap())
    };
    let passed = (StatusCode::OK, "Some(7)".to_owned());
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS] {
        assert_eq!(run(layer(), method, &[(CONTENT_TYPE, "application/json")]).await, passed);
    }
    let form = &[(CONTENT_TYPE, "application/x-www-form-urlencoded")];
    assert_eq!(run(layer().other_media_types(Unchecked::Allow), Method::POST, form).await, passed);
    let refused = run(layer(), Method::POST, form).await;
    assert_eq!(refused.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(refused.1.contains("the Content-Type must be application/json"), "{}", refused.1);
    let encoded = run(layer(), Method::POST, &[(CONTENT_ENCODING, "gzip")]).await;
    assert_eq!(encoded.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(encoded.1.contains("the body must have no Content-Encoding"), "{}", encoded.1);

    // What is JSON by any of its names is checked, also where other types pass.
    let address = Server::json("{}").behind(layer().other_media_types(Unchecked::Allow)).await;
    for content_type in ["Application/JSON ; charset=utf-8", "application/vnd.x+json", ""] {
        let mut request = request(message("1", "101"));
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        if content_type.is_empty() {
            request.headers_mut().remove(CONTENT_TYPE);
        }
        let (_, _, answer) = send(address, request).await;
        assert!(answer.contains(r#""isError":true"#), "{content_type}: {answer}");
    }
}

#[tokio::test]
async fn hyper_serves_it_without_axum() {
    let server = Server::json("{}");
    let service = TowerToHyperService::new(layer().layer(server.service()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let stream = TokioIo::new(listener.accept().await.unwrap().0);
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(stream, service.clone()));
        }
    });
    assert_eq!(post(address, message("1", "1")).await, (StatusCode::OK, json!({})));
    assert_eq!(post(address, message("1", "101")).await.1["result"]["isError"], true);
    assert_eq!(server.bodies(), [message("1", "1")]);
}

#[test]
fn the_layer_is_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<GateLayer>();
    shared::<Tools>();
    shared::<<GateLayer as Layer<axum::routing::Route>>::Service>();
    fn service<S: Service<Request<axum::body::Body>>>() {}
    service::<<GateLayer as Layer<axum::routing::Route>>::Service>();
}
