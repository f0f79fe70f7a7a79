//! Tools over the wire: pages, calls, and what a model is told.

use crate::mcp::{Called, Message, Raw, Request, Tool, ToolError, Tools, ToolsError};
use crate::{Issues, Limits, Program, compile};
use serde_json::{Value, json};
use std::{boxed::Box, format, string::String, vec, vec::Vec};

const LED: &str = r#"{
  "name": "set_led",
  "description": "Sets an LED.",
  "inputSchema": {"type": "object", "properties": {"led": {"type": "integer", "minimum": 0, "maximum": 7}, "colour": {"enum": ["red", "green"]}},
    "required": ["led"], "additionalProperties": false}
}"#;
const READ: &str = r#"{"name":"read","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"value":{"maximum":9}},"required":["value"]}}"#;
const LOOSE: &str = r#"{"name":"l\u006fose","inputSchema":{}}"#;

fn program(schema: &str) -> Program<'static> {
    compile(schema.as_bytes(), Box::leak(Box::new([0; 4096]))).unwrap()
}

fn tool(definition: &'static str) -> Tool<'static> {
    let value: Value = serde_json::from_str(definition).unwrap();
    let output = value.get("outputSchema").map(|schema| program(&format!("{schema}")));
    Tool::new(definition.as_bytes(), program(&format!("{}", value["inputSchema"])), output).unwrap()
}

fn table() -> Tools<'static> {
    Tools::new(Vec::leak(vec![tool(LED), tool(READ), tool(LOOSE)])).unwrap()
}

fn request(method: &str, params: &Value) -> Request<'static> {
    let line = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let line: &'static str = String::leak(format!("{line}"));
    match Message::read(line.as_bytes()) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn parse(out: &[u8]) -> Value {
    assert!(!out.contains(&b'\n'), "a message is one line");
    serde_json::from_slice(out).unwrap()
}

/// The answer to a call; the handler gives the arguments back as structured content.
fn call_with<const N: usize>(tools: &Tools<'_>, params: &Value, room: usize) -> Value {
    let request = request("tools/call", params);
    let (mut issues, mut out) = (Issues::<N>::new(), vec![0; room]);
    let length = match tools.call(&request, &mut issues, &mut out).unwrap() {
        Called::Answered(length) => length,
        Called::Run(call) => call.structured(call.arguments, &mut issues, &mut out).unwrap(),
    };
    parse(&out[..length])
}

fn call(params: &Value) -> Value {
    call_with::<8>(&table(), params, 4096)
}

#[test]
fn wrong_arguments_are_a_tool_execution_error() {
    let answer = call(&json!({"name": "set_led", "arguments": {"color": "red", "led": 9}}));
    let text = "Invalid input: the arguments do not match the tool's input schema.\n\
        - at /color: is not an expected property; did you mean \"colour\"? (additionalProperties)\n\
        - at /led: must be at most 7 (maximum)";
    assert_eq!(answer["result"]["content"][0]["text"], text);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"].get("structuredContent"), None);
    assert_eq!(
        answer["result"]["_meta"]["microschema/issues"],
        json!([
            {"path": ["color"], "pointer": "/color", "keyword": "additionalProperties",
             "message": "is not an expected property; did you mean \"colour\"?"},
            {"path": ["led"], "pointer": "/led", "keyword": "maximum", "message": "must be at most 7"},
        ])
    );
    assert_eq!(answer["id"], 7);
}

#[test]
fn omitted_and_null_arguments_are_an_empty_object() {
    for params in [
        json!({"name": "set_led"}),
        json!({"name": "set_led", "arguments": null}),
        json!({"name": "set_led", "arguments": {}}),
    ] {
        let answer = call(&params);
        assert_eq!(answer["result"]["_meta"]["microschema/issues"][0]["path"], json!(["led"]), "{params}");
    }
    assert_eq!(call(&json!({"name": "loose"}))["result"]["structuredContent"], json!({}));
}

#[test]
fn what_is_no_call_is_a_protocol_error() {
    for (params, message) in [
        (json!({}), "Invalid params: name must be a string"),
        (json!({"name": 7}), "Invalid params: name must be a string"),
        (json!({"name": "nope\n"}), "Unknown tool: nope\n"),
        (json!({"name": "é".repeat(100)}), &*format!("Unknown tool: {}…", "é".repeat(64))),
        (json!({"name": "loose", "arguments": [1]}), "Invalid params: arguments must be an object"),
    ] {
        let answer = call(&params);
        assert_eq!((&answer["error"]["code"], &answer["error"]["message"]), (&json!(-32602), &json!(message)));
    }
    // Where the schema asks for an object, the model is told.
    let answer = call(&json!({"name": "set_led", "arguments": "{\"led\": 1}"}));
    assert_eq!(answer["result"]["_meta"]["microschema/issues"][0]["keyword"], "type");
}

#[test]
fn results_are_checked_against_the_output_schema() {
    let answer = call(&json!({"name": "read", "arguments": {"more": "\n", "value": 9}}));
    assert_eq!(answer["result"]["structuredContent"], json!({"value": 9, "more": "\n"}));
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"more":"\n","value":9}"#);
    assert_eq!(answer["result"].get("isError"), None);

    let answer = call(&json!({"name": "read", "arguments": {"value": 10}}));
    let text = "Tool returned structured content that does not match its output schema.\n- at /value: must be at most 9 (maximum)";
    assert_eq!(answer["result"]["content"][0]["text"], text);
    assert_eq!(answer["result"]["isError"], true);

    let (mut issues, mut out) = (Issues::<1>::new(), [0; 512]);
    let Ok(Called::Run(call)) = table().call(&request("tools/call", &json!({"name": "read"})), &mut issues, &mut out)
    else {
        panic!()
    };
    let length = call.text(&mut out, &"9").unwrap();
    assert_eq!(parse(&out[..length])["result"]["isError"], true);
    let length = call.error(&mut out, &"no sensor").unwrap();
    assert_eq!(parse(&out[..length])["result"]["content"][0]["text"], "no sensor");
}

#[test]
fn a_limit_is_told_as_such() {
    let mut deep = json!([]);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    let answer = call(&json!({"name": "set_led", "arguments": {"led": 1, "colour": deep}}));
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Invalid input: the arguments could not be checked: depth limit reached."
    );
    assert_eq!(answer["result"]["isError"], true);
    let tools = table().limits(Limits::device().with_steps(0));
    let answer = call_with::<8>(&tools, &json!({"name": "set_led", "arguments": {"led": 1}}), 4096);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Invalid input: the arguments could not be checked: step limit reached."
    );
}

#[test]
fn issues_are_only_those_that_a_call_is_refused_for() {
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"set_led","arguments":{{"led":9,"colour":{deep}}}}}}}"#
    );
    let Ok(Message::Request(request)) = Message::read(line.as_bytes()) else { panic!() };
    let (mut issues, mut out) = (Issues::<8>::new(), [0; 512]);
    let Ok(Called::Answered(_)) = table().call(&request, &mut issues, &mut out) else { panic!("ran") };
    assert!(issues.is_empty(), "{issues:?}");
    let mut found = Issues::<8>::new();
    let _ = table().as_slice()[0]
        .input()
        .validator()
        .limits(Limits::device())
        .validate(request.params.arguments.unwrap().as_bytes(), &mut found);
    assert!(!found.is_empty(), "there is one before the limit");
}

#[test]
fn a_declared_argument_that_occurs_twice_is_refused() {
    let line =
        br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"set_led","arguments":{"led":1,"led":9}}}"#;
    let Ok(Message::Request(request)) = Message::read(line) else { panic!() };
    let (mut issues, mut out) = (Issues::<1>::new(), [0; 512]);
    let Ok(Called::Answered(length)) = table().call(&request, &mut issues, &mut out) else { panic!("ran") };
    let text = "Invalid input: the arguments cannot be read: member name occurs twice at byte 9.";
    assert_eq!(parse(&out[..length])["result"]["content"][0]["text"], text);
}

#[test]
fn answers_shrink_to_their_buffer() {
    let params = json!({"name": "set_led", "arguments": {"led": "x", "colour": 1, "a": 1, "b": 2, "c": 3}});
    let whole = call_with::<3>(&table(), &params, 4096);
    let text = whole["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("\n- and 2 more"), "{text}");
    let mut kinds = Vec::new();
    for room in 128..1200 {
        let answer = call_with::<3>(&table(), &params, room);
        assert_eq!(answer["id"], 7);
        let issues = answer["result"]["_meta"]["microschema/issues"].as_array().map_or(-1, |list| list.len() as i64);
        if kinds.last() != Some(&issues) {
            kinds.push(issues);
        }
        if issues < 0 {
            assert_eq!(answer["error"]["code"], -32603);
        } else {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains(&format!("and {} more", 5 - issues)), "{text}");
        }
    }
    assert_eq!(kinds, [-1, 0, 1, 3]);
}

#[test]
fn pages_hold_every_tool_once() {
    let tools = table().ttl_ms(60_000);
    let mut most = 0;
    for room in tools.page_length()..2000 {
        let (mut cursor, mut names, mut pages) = (Value::Null, Vec::new(), 0);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let mut out = vec![0; room];
            let length = tools.list(&request("tools/list", &params), &mut out).unwrap();
            let page = parse(&out[..length])["result"].clone();
            assert_eq!((&page["ttlMs"], &page["cacheScope"]), (&json!(60_000), &json!("public")));
            names.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()));
            pages += 1;
            match page.get("nextCursor") {
                Some(next) => cursor = next.clone(),
                None => break,
            }
        }
        assert_eq!(names, ["set_led", "read", "loose"], "{room}");
        most = most.max(pages);
        assert!(pages == 1 || room < 700, "{pages} pages of {room}");
    }
    assert_eq!(most, 2);
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let list = |params: Value, room: usize| {
        let mut out = vec![0; room];
        let length = table().list(&request("tools/list", &params), &mut out).unwrap();
        parse(&out[..length])["error"]["code"].clone()
    };
    assert_eq!(list(json!({}), 200), -32603);
    for cursor in
        [json!("0"), json!("3"), json!("x"), json!(""), json!(1), json!("99999999999999999999999999"), json!("-1")]
    {
        if cursor == "" {
            continue;
        }
        assert_eq!(list(json!({"cursor": cursor}), 2000), -32602, "{cursor}");
    }
    assert_eq!(list(json!({"cursor": ""}), 2000), -32602);
    assert_eq!(list(json!({"cursor": null}), 2000), Value::Null);
    let mut out = [0; 200];
    let length = Tools::new(&[]).unwrap().list(&request("tools/list", &json!({})), &mut out).unwrap();
    assert_eq!(parse(&out[..length])["result"]["tools"], json!([]));
}

#[test]
fn definitions_are_checked() {
    let input = program("{}");
    for (definition, error) in [
        ("[]", ToolError::NotAnObject),
        (r#"{"inputSchema":{}}"#, ToolError::Name),
        (r#"{"name":1,"inputSchema":{}}"#, ToolError::Name),
        (r#"{"name":"a"}"#, ToolError::InputSchema),
        (r#"{"name":"a","inputSchema":true}"#, ToolError::InputSchema),
        (r#"{"name":"a","name":"b","inputSchema":{}}"#, ToolError::DuplicateMember),
        (r#"{"name":"a","inputSchema":{},"outputSchema":{}}"#, ToolError::OutputProgram),
    ] {
        assert_eq!(Tool::new(definition.as_bytes(), input, None).err(), Some(error), "{definition}");
    }
    assert!(matches!(Tool::new(b"{", input, None), Err(ToolError::Json(_))));
    assert_eq!(
        Tool::new(br#"{"name":"a","inputSchema":{}}"#, input, Some(input)).err(),
        Some(ToolError::OutputProgram)
    );
    let twice = [tool(LOOSE), tool(LED), tool(LOOSE)];
    assert_eq!(Tools::new(&twice).err(), Some(ToolsError::DuplicateName { index: 2 }));
}

#[test]
fn arguments_are_read_as_types() {
    /// The length of a string, however it was handed over.
    struct Length(usize);

    impl<'de> serde::Deserialize<'de> for Length {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl serde::de::Visitor<'_> for Visitor {
                type Value = Length;
                fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    f.write_str("a string")
                }
                fn visit_str<E>(self, text: &str) -> Result<Length, E> {
                    Ok(Length(text.len()))
                }
            }
            deserializer.deserialize_str(Visitor)
        }
    }

    #[derive(serde::Deserialize)]
    struct Led<S> {
        led: u8,
        colour: S,
    }
    let plain = Raw::new(br#"{"led": 3, "colour": "red"}"#).unwrap();
    let escaped = Raw::new(br#"{"led": 3, "colour": "r\u0065d"}"#).unwrap();
    let led: Led<&str> = plain.typed(&mut []).unwrap();
    assert_eq!((led.led, led.colour), (3, "red"));
    let led: Led<Length> = escaped.typed(&mut [0; 16]).unwrap();
    assert_eq!(led.colour.0, 3);
    assert!(escaped.typed::<Led<&str>>(&mut [0; 16]).is_err());
}
