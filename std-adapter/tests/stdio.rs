//! A session between a client and a server, line by line: what goes on, what comes back, and what the session asks for itself.
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema_mcp::stdio::Session;
use microschema_mcp::{Gate, META_ISSUES, Policy, Terms, Uncompilable};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

/// What went where.
#[derive(Debug, Default, PartialEq, Eq)]
struct Went {
    to_server: String,
    to_client: String,
}

impl Went {
    fn add(&mut self, onward: &[u8], back: &[u8]) {
        self.to_server.push_str(str::from_utf8(onward).unwrap());
        self.to_client.push_str(str::from_utf8(back).unwrap());
    }

    fn settle(mut self, session: &mut Session) -> Self {
        while session.is_due() {
            let passage = session.due();
            self.add(&passage.onward, &passage.back);
        }
        self
    }

    /// The only message for the client.
    fn answer(&self) -> Value {
        let line = self.to_client.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{self:?}");
        serde_json::from_str(line).unwrap()
    }

    /// The id of the only message for the server, which is one of the session's own.
    fn own_id(&self) -> String {
        assert_eq!(self.to_server.matches('\n').count(), 1, "{self:?}");
        let request: Value = serde_json::from_str(&self.to_server).unwrap();
        assert_eq!(request["method"], "tools/list", "{self:?}");
        request["id"].as_str().unwrap().to_owned()
    }
}

fn client(session: &mut Session, line: &str) -> Went {
    let passage = session.from_client(line.as_bytes());
    let mut went = Went::default();
    went.add(&passage.onward, &passage.back);
    went.settle(session)
}

fn server(session: &mut Session, line: &str) -> Went {
    let to_client = String::from_utf8(session.from_server(line.as_bytes()).into_owned()).unwrap();
    Went { to_client, ..Went::default() }.settle(session)
}

fn session() -> Session {
    Session::new(Gate::default())
}

/// A line of JSON, spelled as nobody would write it anew.
fn line(message: &Value) -> String {
    format!(" {}\r\n", message.to_string().replace("\"jsonrpc\":", "\"jsonrpc\" :  "))
}

fn request(id: Value, method: &str, params: Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

fn call(id: Value, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn response(id: Value, result: Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// A tool whose arguments and results have an integer `n` up to `most`.
fn tool(name: &str, most: u32) -> Value {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": most}}, "required": ["n"]});
    json!({"name": name, "inputSchema": schema, "outputSchema": schema})
}

/// A session that has seen the client list these tools.
fn knows(mut session: Session, tools: Value) -> Session {
    let went = client(&mut session, &request(json!("list"), "tools/list", json!({})));
    assert_eq!((went.to_server.is_empty(), went.to_client.as_str()), (false, ""));
    let page = response(json!("list"), json!({"tools": tools}));
    assert_eq!(server(&mut session, &page), Went { to_client: page, ..Went::default() });
    session
}

fn onward(line: &str) -> Went {
    Went { to_server: line.to_owned(), ..Went::default() }
}

fn back(line: &str) -> Went {
    Went { to_client: line.to_owned(), ..Went::default() }
}

fn issues(answer: &Value) -> &Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    &answer["result"]["_meta"][META_ISSUES]
}

#[test]
fn valid_calls_and_results_are_untouched() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    for id in [json!(1), json!("1"), json!(1.5)] {
        let line = call(id.clone(), "a", json!({"n": 9, "x": "\u{e9}\u{1f600}"}));
        assert_eq!(client(&mut session, &line), onward(&line));
        let line = response(id, json!({"content": [], "structuredContent": {"n": 1}}));
        assert_eq!(server(&mut session, &line), back(&line));
    }
    assert_eq!((session.stats().all.calls, session.stats().all.results, session.stats().pages), (3, 3, 0));
}

#[test]
fn invalid_calls_are_answered() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    let went = client(&mut session, &call(json!("\u{e9}\n"), "a", json!({"n": 10})));
    let answer = went.answer();
    assert_eq!((went.to_server.as_str(), &answer["id"]), ("", &json!("\u{e9}\n")));
    assert_eq!(issues(&answer)[0]["pointer"], "/n");
    assert_eq!(answer["result"].get("resultType"), None);
    // Omitted arguments are an empty object.
    let went = client(&mut session, &request(json!(2), "tools/call", json!({"name": "a"})));
    assert_eq!(issues(&went.answer())[0]["keyword"], "required");
    // However the method and the name are spelled.
    let text =
        call(json!(3), "a", json!({})).replace("tools/call", "tools\\/c\\u0061ll").replace("\"a\"", "\"\\u0061\"");
    assert_eq!(issues(&client(&mut session, &text).answer())[0]["keyword"], "required");
    assert_eq!((session.stats().all.calls, session.stats().all.refused_calls), (3, 3));
}

#[test]
fn the_stateless_era_gets_a_result_type() {
    let mut session = session();
    let capabilities = json!({"sampling": {}});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "progressToken": 7,
    });
    let params = json!({"name": "a", "arguments": {"n": 10}, "_meta": meta});
    let went = client(&mut session, &request(json!(1), "tools/call", params.clone()));
    // The session's own request has what every request has to have, and not what is the client's alone.
    let asked: Value = serde_json::from_str(&went.to_server).unwrap();
    let expected = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    assert_eq!(asked["params"], json!({"_meta": expected}));
    let tools = json!({"resultType": "complete", "tools": [tool("a", 9)], "ttlMs": 60_000});
    let answer = server(&mut session, &response(asked["id"].clone(), tools)).answer();
    assert_eq!((&answer["id"], &answer["result"]["resultType"]), (&json!(1), &json!("complete")));

    let mut valid = params;
    valid["arguments"]["n"] = json!(1);
    client(&mut session, &request(json!(2), "tools/call", valid));
    let bad = json!({"resultType": "complete", "content": [], "structuredContent": {"n": 10}});
    let answer = server(&mut session, &response(json!(2), bad)).answer();
    assert_eq!(
        (issues(&answer)[0]["pointer"].as_str(), &answer["result"]["resultType"]),
        (Some("/n"), &json!("complete"))
    );
}

#[test]
fn results_that_break_the_promise_are_replaced() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    let content = |value: Value| json!({"content": [], "structuredContent": value});
    for (result, is_let_through) in [
        (content(json!({"n": 10})), false),
        (content(json!([])), false),
        (content(json!({"n": 1})), true),
        (json!({"content": [], "isError": true, "structuredContent": {"n": 10}}), true),
        (json!({"content": []}), true),
        (json!({"resultType": "input_required", "inputRequests": {}}), true),
        (json!({"task": {"taskId": "t"}}), true),
    ] {
        let sent = call(json!(1), "a", json!({"n": 1}));
        assert_eq!(client(&mut session, &sent), onward(&sent));
        let line = response(json!(1), result.clone());
        let went = server(&mut session, &line);
        if is_let_through {
            assert_eq!(went, back(&line));
        } else {
            let text = went.answer()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            assert!(text.starts_with("Tool returned structured content that does not match"), "{text}");
        }
        // The same again is no answer to anything.
        assert_eq!(server(&mut session, &line), back(&line), "{result}");
    }
    // Whichever of two the client reads.
    client(&mut session, &call(json!(1), "a", json!({"n": 1})));
    let twice = r#"{"jsonrpc":"2.0","id":1.0,"result":{"structuredContent":{"n":1},"structuredContent":{"n":10}}}"#;
    let went = server(&mut session, twice);
    assert!(went.to_client.starts_with(r#"{"jsonrpc":"2.0","id":1.0,"#), "{went:?}");
    assert_eq!(issues(&went.answer())[0]["pointer"], "/n");
    // Errors of the protocol are the server's.
    client(&mut session, &call(json!(1), "a", json!({"n": 1})));
    let error = line(&json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}));
    assert_eq!(server(&mut session, &error), back(&error));
}

#[test]
fn a_call_waits_for_all_pages_of_tools() {
    let mut session = session();
    let valid = call(json!(1), "b", json!({"n": 2}));
    let asked = client(&mut session, &valid);
    assert_eq!(asked.to_client, "");
    assert!(session.is_waiting() && session.deadline().is_some());
    // What is no call does not wait, and calls keep their order.
    let ping = request(json!(2), "ping", json!({}));
    assert_eq!(client(&mut session, &ping), onward(&ping));
    let invalid = call(json!(3), "a", json!({"n": 2}));
    assert_eq!(client(&mut session, &invalid), Went::default());

    let page = json!({"tools": [tool("a", 1)], "nextCursor": "2\u{e9}\""});
    let next = server(&mut session, &response(json!(asked.own_id()), page));
    let second: Value = serde_json::from_str(&next.to_server).unwrap();
    assert_eq!((&second["params"], next.to_client.as_str()), (&json!({"cursor": "2\u{e9}\""}), ""));
    assert_ne!(second["id"], json!(asked.own_id()));
    let last = server(&mut session, &response(second["id"].clone(), json!({"tools": [tool("b", 2)]})));
    assert_eq!(last.to_server, valid);
    assert_eq!((&last.answer()["id"], &issues(&last.answer())[0]["pointer"]), (&json!(3), &json!("/n")));
    assert!(!session.is_waiting() && session.deadline().is_none());
    assert_eq!((session.stats().pages, session.stats().all.calls), (2, 2));
}

#[test]
fn calls_that_could_go_on_keep_their_order() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    let (first, second) = (call(json!(1), "new", json!({})), call(json!(2), "a", json!({"n": 1})));
    let asked = client(&mut session, &first);
    assert_eq!(client(&mut session, &second), Went::default());
    // The last line of the client's input may lack its end; what waits must not be taken for its rest.
    let ping = request(json!(3), "ping", json!({})).trim().to_owned();
    assert_eq!(client(&mut session, &ping), onward(&format!("{ping}\n")));
    let went = server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 9)]})));
    assert_eq!(went, onward(&[first, second].concat()));
    assert_eq!(client(&mut session, &ping), onward(&ping));
}

#[test]
fn the_clients_own_pages_are_learned_from() {
    let mut session = knows(session(), json!([tool("a", 1)]));
    client(&mut session, &request(json!(5), "tools/list", json!({"cursor": "x"})));
    server(&mut session, &response(json!(5), json!({"tools": [tool("b", 2)]})));
    assert_eq!(issues(&client(&mut session, &call(json!(1), "a", json!({"n": 2}))).answer())[0]["pointer"], "/n");
    assert_eq!(issues(&client(&mut session, &call(json!(2), "b", json!({"n": 3}))).answer())[0]["pointer"], "/n");
    assert_eq!(session.stats().pages, 0);
}

#[test]
fn changed_tools_are_asked_for_again() {
    let mut session = knows(session(), json!([tool("a", 1)]));
    // This listing is from before the change.
    client(&mut session, &request(json!(9), "tools/list", json!({})));
    let changed = line(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert_eq!(server(&mut session, &changed), back(&changed));
    server(&mut session, &response(json!(9), json!({"tools": [tool("a", 1)]})));

    let sent = call(json!(1), "a", json!({"n": 5}));
    let asked = client(&mut session, &sent);
    // They change while they are being listed.
    server(&mut session, &changed);
    let again = server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 1)]})));
    assert_ne!(asked.own_id(), again.own_id());
    let went = server(&mut session, &response(json!(again.own_id()), json!({"tools": [tool("a", 9)]})));
    assert_eq!(went, onward(&sent));
}

#[test]
fn tools_that_may_be_out_of_date_refuse_nothing_unasked() {
    let mut session = session();
    client(&mut session, &request(json!(1), "tools/list", json!({})));
    server(&mut session, &response(json!(1), json!({"tools": [tool("a", 1)], "ttlMs": 0})));
    let valid = call(json!(2), "a", json!({"n": 1}));
    assert_eq!(client(&mut session, &valid), onward(&valid));
    let sent = call(json!(3), "a", json!({"n": 5}));
    let asked = client(&mut session, &sent);
    let went = server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 9)], "ttlMs": 0})));
    assert_eq!(went, onward(&sent));
    // What still refuses it, refuses it.
    let asked = client(&mut session, &call(json!(4), "a", json!({"n": 10})));
    let went = server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 9)], "ttlMs": 0})));
    assert_eq!(issues(&went.answer())[0]["pointer"], "/n");
}

#[test]
fn a_tool_that_the_server_does_not_list_is_the_servers_to_refuse() {
    let mut session = knows(session(), json!([tool("a", 1)]));
    let sent = call(json!(1), "nope", json!({}));
    let asked = client(&mut session, &sent);
    let went = server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 1)]})));
    assert_eq!((went, session.stats().unknown_tools), (onward(&sent), 1));
    // So it is with a server that has no tools at all.
    let asked = client(&mut session, &sent);
    let error =
        json!({"jsonrpc": "2.0", "id": asked.own_id(), "error": {"code": -32601, "message": "Method not found"}});
    assert_eq!(server(&mut session, &line(&error)), onward(&sent));
}

#[test]
fn tools_that_cannot_be_learned_are_refused_or_let_through() {
    let allow = || Gate::new(Policy::new().terms(Terms::new().uncompilable(Uncompilable::Allow)));
    for answer in [json!({"error": {"code": -32603, "message": "no"}}), json!({"result": {}}), Value::Null] {
        for is_allowed in [false, true] {
            let gate = if is_allowed { allow() } else { Gate::default() };
            let mut session = Session::new(gate).patience(Duration::ZERO);
            let sent = call(json!(1), "a", json!({}));
            let asked = client(&mut session, &sent);
            let went = if answer.is_null() {
                session.expire();
                Went::default().settle(&mut session)
            } else {
                let mut answer = answer.clone();
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = json!(asked.own_id());
                server(&mut session, &line(&answer))
            };
            if is_allowed {
                assert_eq!(went, onward(&sent));
            } else {
                let text = went.answer()["result"]["content"][0]["text"].clone();
                assert!(text.as_str().unwrap().starts_with("This tool cannot be called now: "), "{text}");
            }
            assert_eq!(session.stats().unlearned, 1);
            // An answer that is too late is nobody's.
            let late = response(json!(asked.own_id()), json!({"tools": [tool("a", 1)]}));
            assert_eq!(server(&mut session, &late), Went::default());
        }
    }
}

#[test]
fn a_schema_that_cannot_be_honoured_follows_the_policy() {
    let remote = json!({"type": "object", "properties": {"n": {"$ref": "https://example.com/n"}}});
    for tools in [
        json!([{"name": "a", "inputSchema": remote}]),
        json!([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": remote}]),
        json!([{"name": "a"}]),
        json!([{"name": "a", "inputSchema": null}]),
        json!([{"name": "a", "inputSchema": [1]}]),
    ] {
        let sent = call(json!(1), "a", json!({}));
        let mut refusing = knows(session(), tools.clone());
        let answer = client(&mut refusing, &sent).answer();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("This tool cannot be called: its ") && text.contains(" schema cannot be honoured"),
            "{text}"
        );
        let gate = Gate::new(Policy::new().terms(Terms::new().uncompilable(Uncompilable::Allow)));
        assert_eq!(client(&mut knows(Session::new(gate), tools), &sent), onward(&sent));
    }
    // Twice is not once.
    let twice = r#"{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"a","inputSchema":{},"inputSchema":{}}]}}"#;
    let mut session = session();
    client(&mut session, &request(json!(0), "tools/list", json!({})));
    server(&mut session, twice);
    assert_eq!(client(&mut session, &call(json!(1), "a", json!({}))).answer()["result"]["isError"], true);
    // An output schema of `null` is none.
    let mut session = knows(self::session(), json!([{"name": "a", "inputSchema": {}, "outputSchema": null}]));
    let sent = call(json!(1), "a", json!({}));
    assert_eq!(client(&mut session, &sent), onward(&sent));
}

#[test]
fn what_is_no_message_is_not_given_to_the_server() {
    let mut session = knows(session(), json!([tool("a", 1)]));
    let of = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{rest}\n");
    for (line, code) in [
        (of(r#"{"name":"a","arguments":{"n":1}"#), -32700),
        (of(r#"{"name":"a","name":"b","arguments":{"n":1}}}"#), -32602),
        (of(r#"{"name":"a","arguments":{"n":1},"arguments":{"n":2}}}"#), -32602),
        (of(r#"{"name":"a","arguments":{"n":NaN}}}"#), -32700),
        (of(r#"{"name":"a","arguments":{"n":1,"s":"\ud800"}}}"#), -32700),
        (of(r#"{"name":1,"arguments":{"n":1}}}"#), -32602),
        (of(r#"["a",{"n":1}]}"#), -32602),
        (of(r#"{"name":"a"}}"#).replace("2.0", "1.0"), -32600),
        (of(r#"{"name":"a"}}"#).replace("\"id\":1", "\"id\":null"), -32600),
        (of(r#"{"name":"a"}}"#).replace("\"id\":1", "\"id\":1,\"result\":1"), 0),
        (of("{\r\"name\":\"a\"}}"), -32600),
        (of(r#"{"name":"a","Arguments":{"n":2},"arguments":{"n":1}}}"#), -32600),
        (of(r#"{"name":"b"},"Method":"tools/call"}"#).replace("tools/call\",\"p", "ping\",\"p"), -32600),
        (of(r#"{"name":"a","arguments":{"n":1}},"param\u017f":{"name":"a"}}"#), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"\u{212a}\":1,\"METHOD\":\"tools/call\"}\n".to_owned(), 0),
        ("7\n".to_owned(), -32600),
        (format!("[{}1]\n", "1,".repeat(1000)), -32600),
        (of(&format!("{{\"a\":{}1{}}}}}", "[".repeat(600), "]".repeat(600))), -32600),
    ] {
        let went = client(&mut session, &line);
        assert_eq!(went.to_server, "", "{line}");
        if code == 0 {
            assert_eq!(went.to_client, "", "{line}");
        } else {
            assert_eq!(went.answer()["error"]["code"], code, "{line}");
        }
    }
    assert_eq!(session.stats().unreadable, 18);
}

#[test]
fn what_is_no_message_of_the_server_goes_through() {
    let mut session = session();
    for line in ["Listening on stdio\r\n", "\n", " \r\n", "{\"jsonrpc\":\"2.0\"\n", "\u{1b}[32mready\u{1b}[0m", "[]\n"]
    {
        assert_eq!(server(&mut session, line), back(line));
    }
    assert_eq!(session.stats().unreadable_of_server, 3);
    for line in ["\n", "\r\n", " \n"] {
        assert_eq!(client(&mut session, line), onward(line));
    }
}

#[test]
fn ids_of_the_sessions_own_are_not_the_clients() {
    let mut session = session();
    let id = client(&mut session, &call(json!(1), "a", json!({}))).own_id();
    let went = client(&mut session, &request(json!(id), "ping", json!({})));
    assert_eq!((went.to_server.as_str(), &went.answer()["error"]["code"]), ("", &json!(-32600)));
    // Another session has others.
    let mut other = self::session();
    assert_ne!(id, client(&mut other, &call(json!(1), "a", json!({}))).own_id());
    // A request of the server's own may have any id.
    let ping = request(json!(id), "ping", json!({}));
    assert_eq!(server(&mut session, &ping), back(&ping));
}

#[test]
fn batches_lose_only_what_is_refused() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    let message = |line: String| line.trim().to_owned();
    let (good, ping) = (message(call(json!(1), "a", json!({"n": 1}))), message(request(json!(2), "ping", json!({}))));
    let bad = |id: u32| message(call(json!(id), "a", json!({"n": 10})));

    let line = format!("[ {good} ,{ping}]\r\n");
    assert_eq!(client(&mut session, &line), onward(&line));
    let went = client(&mut session, &format!("[{}, {good}, 7, {ping} , {}]\n", bad(3), bad(4)));
    assert_eq!(went.to_server, format!("[{good},{ping}]\n"));
    let answer = went.answer();
    let ids: Vec<_> = answer.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(3), &Value::Null, &json!(4)]);
    assert_eq!(issues(&answer[0])[0]["pointer"], "/n");
    let went = client(&mut session, &format!("[{}]\n", bad(5)));
    assert_eq!((went.to_server.as_str(), went.answer().as_array().map(Vec::len)), ("", Some(1)));

    // A batch with a call of a tool that is not known waits as a whole.
    let mut session = self::session();
    let line = format!("[{ping},{good},{}]\n", bad(3));
    let asked = client(&mut session, &line);
    let (own, result) = (asked.own_id(), json!({"tools": [tool("a", 9)]}));
    // The answer comes in a batch as well, beside one that is the client's.
    let pong = message(response(json!(2), json!({})));
    let went = server(&mut session, &format!("[{},{pong}]\n", message(response(json!(own), result))));
    let mut lines = went.to_client.lines();
    assert_eq!(lines.next(), Some(format!("[{pong}]").as_str()));
    let answers: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!((&answers[0]["id"], went.to_server), (&json!(3), format!("[{ping},{good}]\n")));

    // Results in a batch are checked one by one.
    let fine = message(response(json!(7), json!({})));
    let went =
        server(&mut session, &format!("[{fine},{}]\n", message(response(json!(1), json!({"structuredContent": {}})))));
    assert!(went.to_client.starts_with(&format!("[{fine},")), "{went:?}");
    assert_eq!(issues(&went.answer()[1])[0]["keyword"], "required");
}

#[test]
fn calls_without_an_id_are_dropped_when_they_are_invalid() {
    let mut session = knows(session(), json!([tool("a", 9)]));
    let call = |n: u32| {
        line(&json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "a", "arguments": {"n": n}}}))
    };
    assert_eq!(client(&mut session, &call(9)), onward(&call(9)));
    assert_eq!(client(&mut session, &call(10)), Went::default());
    assert_eq!(client(&mut session, &line(&json!({"jsonrpc": "2.0", "method": "tools/call"}))), Went::default());
}

#[test]
fn cancelled_calls_are_forgotten() {
    let mut session = session();
    let asked = client(&mut session, &call(json!("c"), "a", json!({"n": 1})));
    let cancel = line(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}}));
    assert_eq!(client(&mut session, &cancel), onward(&cancel));
    assert!(!session.is_waiting());
    assert_eq!(
        server(&mut session, &response(json!(asked.own_id()), json!({"tools": [tool("a", 9)]}))),
        Went::default()
    );
    // One that runs: its result is nobody's concern.
    client(&mut session, &call(json!("c"), "a", json!({"n": 1})));
    client(&mut session, &cancel);
    let late = response(json!("c"), json!({"structuredContent": {}}));
    assert_eq!(server(&mut session, &late), back(&late));
}

#[test]
fn what_is_kept_is_bounded() {
    let mut session = session().keep(500);
    let held = call(json!(1), "a", json!({"n": 1, "s": "x".repeat(300)}));
    client(&mut session, &held);
    let went = client(&mut session, &call(json!(2), "a", json!({"n": 1, "s": "x".repeat(300)})));
    assert_eq!((&went.answer()["id"], &went.answer()["error"]["code"]), (&json!(2), &json!(-32603)));

    let mut session = knows(self::session().keep(500), json!([tool("a", 9)]));
    let refused = (1..9).find(|&id| !client(&mut session, &call(json!(id), "a", json!({"n": 1}))).to_client.is_empty());
    assert_eq!(refused, Some(4));
    // Room is made by answers.
    server(&mut session, &response(json!(2), json!({})));
    assert_eq!(client(&mut session, &call(json!(5), "a", json!({"n": 1}))).to_client, "");
}

#[test]
fn report_only_lets_everything_through() {
    let mut session = knows(session().report_only(true), json!([tool("a", 9)]));
    for line in [call(json!(1), "a", json!({"n": 10})), "{\"jsonrpc\":\n".to_owned(), "[1,\r2]\n".to_owned()] {
        assert_eq!(client(&mut session, &line), onward(&line));
    }
    let bad = response(json!(1), json!({"structuredContent": {"n": 10}}));
    assert_eq!(server(&mut session, &bad), back(&bad));
    let stats = session.stats();
    assert_eq!((stats.all.calls, stats.all.refused_calls, stats.all.refused_results, stats.unreadable), (1, 1, 1, 2));
    assert!(
        stats.to_string().starts_with("1 calls, 1 not valid (let through); 1 results checked, 1 not valid"),
        "{stats}"
    );
}

/// Feeds a line in parts.
fn parts(session: &mut Session, line: &str, of_client: bool) -> Went {
    let mut went = Went::default();
    let middle = line.len() / 2;
    for (part, is_last) in [(&line[..middle], false), (&line[middle..], true)] {
        if of_client {
            let passage = session.part_from_client(part.as_bytes(), is_last);
            went.add(&passage.onward, &passage.back);
        } else {
            let to_client = session.part_from_server(part.as_bytes(), is_last).into_owned();
            went.add(&[], &to_client);
        }
    }
    went.settle(session)
}

#[test]
fn lines_that_are_too_long_are_answered_by_their_id() {
    let mut session = session();
    let went = parts(&mut session, &call(json!("x"), "a", json!({"id": 7})), true);
    assert_eq!((&went.answer()["id"], &went.answer()["error"]["code"]), (&json!("x"), &json!(-32600)));
    let went = parts(&mut session, &response(json!(3), json!({"id": 7})), true);
    let to_server: Value = serde_json::from_str(&went.to_server).unwrap();
    assert_eq!(
        (&to_server["id"], &to_server["error"]["code"], went.to_client.as_str()),
        (&json!(3), &json!(-32603), "")
    );
    assert_eq!(parts(&mut session, &line(&json!({"method": "x", "params": {}})), true), Went::default());

    let went = parts(&mut session, &response(json!(4), json!({"id": 7})), false);
    assert_eq!((&went.answer()["id"], &went.answer()["error"]["code"]), (&json!(4), &json!(-32603)));
    let went = parts(&mut session, &request(json!(5), "sampling/createMessage", json!({})), false);
    let to_server: Value = serde_json::from_str(&went.to_server).unwrap();
    assert_eq!(
        (&to_server["id"], &to_server["error"]["code"], went.to_client.as_str()),
        (&json!(5), &json!(-32600), "")
    );
    assert_eq!(session.stats().too_long, 5);

    // The list that the session asked for.
    let asked = client(&mut session, &call(json!(6), "a", json!({})));
    let went = parts(&mut session, &response(json!(asked.own_id()), json!({"tools": []})), false);
    assert_eq!((&went.answer()["id"], &went.answer()["result"]["isError"]), (&json!(6), &json!(true)));

    let mut session = self::session().report_only(true);
    let (sent, answer) = (call(json!(1), "a", json!({})), response(json!(1), json!({})));
    assert_eq!(parts(&mut session, &sent, true), onward(&sent));
    assert_eq!(parts(&mut session, &answer, false), back(&answer));
}

#[test]
fn what_goes_by_in_parts_is_not_mixed_with_anything() {
    let mut session = session().report_only(true);
    let asked = client(&mut session, &call(json!(1), "a", json!({})));
    // The server's list of tools, in parts, is still not for the client.
    let list = response(json!(asked.own_id()), json!({"tools": [tool("a", 9)]}));
    assert_eq!(*session.part_from_server(&list.as_bytes()[..9], false), *b"");
    // While the client is amid a line, nothing else is sent to the server.
    assert_eq!(*session.part_from_client(b"{\"a\":", false).onward, *b"{\"a\":");
    assert_eq!(*session.part_from_server(&list.as_bytes()[9..], true), *b"");
    assert!(!session.is_due());
    assert_eq!(*session.part_from_client(b"1}\n", true).onward, *b"1}\n");
    // Then the call goes on: the tools could not be learned, and nothing is refused.
    assert!(session.is_due());
    assert_eq!(Went::default().settle(&mut session), onward(&call(json!(1), "a", json!({}))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever a server says and whatever a client says that is no call: the same bytes come out, in one piece or none.
    #[test]
    fn any_other_line_goes_through(line in "[ -~\u{e9}\r]{0,60}\n?", method in "[a-z/]{1,12}", id in 0..5_u32) {
        let mut session = knows(session(), json!([tool("a", 9)]));
        prop_assert_eq!(server(&mut session, &line), back(&line));
        let sent = request(json!(id), &method, json!({"text": line}));
        prop_assert_eq!(client(&mut session, &sent), onward(&sent));
        let answer = response(json!(id), json!({"text": line, "structuredContent": {"n": 10}}));
        prop_assert_eq!(server(&mut session, &answer), back(&answer));
    }

    /// Nothing that a client sends makes the session panic, or lets an invalid call through.
    #[test]
    fn no_line_lets_an_invalid_call_through(at in 0..120_usize, byte in any::<u8>(), cut in 0..3_usize) {
        let mut session = knows(session(), json!([tool("a", 9)]));
        let mut bytes = call(json!(1), "a", json!({"n": 10})).into_bytes();
        let at = at % bytes.len();
        bytes.splice(at..(at + cut).min(bytes.len()), [byte]);
        let onward = session.from_client(&bytes).onward;
        // Read by a lenient reader, it is no invalid call of this tool any more.
        if let Ok(value) = serde_json::from_slice::<Value>(&onward) {
            let is_call = value["method"] == "tools/call" && value["params"]["name"] == "a";
            let n = &value["params"]["arguments"]["n"];
            prop_assert!(!is_call || n.as_f64().is_some_and(|n| n <= 9.0), "{value}");
        }
    }
}
