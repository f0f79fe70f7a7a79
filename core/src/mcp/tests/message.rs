//! What is read of a message, against `serde_json` and a plain reading of the specification.

use crate::mcp::{Era, Message, Params, Raw, Reason};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::{string::String, string::ToString, vec::Vec};

fn request(line: &str) -> (String, Params<'_>) {
    match Message::read(line.as_bytes()) {
        Ok(Message::Request(request)) => (request.id.as_str().to_string(), request.params),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn ids_come_back_as_they_are_spelled() {
    let million = "7".repeat(1_000_000);
    let long = std::format!("{:?}", "é".repeat(70_000));
    for id in ["0", "-1", "1.0", "1e400", "-0.0", r#""""#, r#""a\u0000""#, r#""\ud83d\ude00\/""#, &million, &long] {
        for line in [
            std::format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#),
            std::format!(" {{ \"method\" : \"m\" ,\r\n\t\"jsonrpc\" : \"2.0\" , \"\\u0069d\" : {id}\n}} "),
        ] {
            assert_eq!(request(&line).0, id);
        }
    }
}

#[test]
fn members_are_found_whatever_stands_around_them() {
    let (_, params) = request(
        r#"{"x":{"id":7,"params":{"name":"wrong"}},"jsonrpc":"2.0","id":1,"method":"tools/call","y":"\"method\":\"z\"",
        "params":{"n":{"name":"wrong","_meta":{}},"name":"right","arguments":{"name":"}\"{","a":[{}]},"cursor":"c","protocolVersion":"v",
        "_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{"a":{}},"n":{"io.modelcontextprotocol/protocolVersion":1}}}}"#,
    );
    let spelled = |raw: Option<Raw<'_>>| raw.map(|raw| raw.as_str().to_string());
    assert_eq!(spelled(params.name).as_deref(), Some(r#""right""#));
    assert_eq!(spelled(params.arguments).as_deref(), Some(r#"{"name":"}\"{","a":[{}]}"#));
    assert_eq!(spelled(params.cursor).as_deref(), Some(r#""c""#));
    assert_eq!(spelled(params.protocol_version).as_deref(), Some(r#""v""#));
    assert_eq!(spelled(params.meta_version).as_deref(), Some(r#""2026-07-28""#));
    assert_eq!(spelled(params.meta_capabilities).as_deref(), Some(r#"{"a":{}}"#));
    assert!(params.raw.is_some_and(|raw| raw.as_str().starts_with(r#"{"n""#)));
}

#[test]
fn every_reason_has_its_code_id_and_answer() {
    let duplicate = |name| Reason::DuplicateMember { name };
    let parameter = |name| Reason::DuplicateParameter { name };
    // The message; why it is refused; the id that is answered, `-` where no answer is due.
    for (line, reason, id) in [
        (r#"[]"#, Reason::NotAnObject, "null"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, Reason::NotAnObject, "null"),
        (r#""x""#, Reason::NotAnObject, "null"),
        (r#"{}"#, Reason::Version, "null"),
        (r#"{"id":1,"method":"m"}"#, Reason::Version, "1"),
        (r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, Reason::Version, "1"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, Reason::Version, "1"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, Reason::Id, "null"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, Reason::Id, "null"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, Reason::Id, "null"),
        (r#"{"jsonrpc":"2.0","id":{"id":1},"method":"m"}"#, Reason::Id, "null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":1}"#, Reason::Method, "1"),
        (r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, Reason::Method, "null"),
        (r#"{"jsonrpc":"2.0","id":1}"#, Reason::Shape, "1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#, Reason::Shape, "-"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{},"result":1}"#, Reason::Shape, "-"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}"#, Reason::Params, "1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, Reason::Params, "1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#, Reason::PositionalParams, "1"),
        (r#"{"jsonrpc":"2.0","method":"m","params":[]}"#, Reason::PositionalParams, "-"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":[]}}"#, Reason::Meta, "1"),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#, duplicate("id"), "null"),
        (r#"{"jsonrpc":"2.0","id":1,"\u006dethod":"m","method":"m"}"#, duplicate("method"), "1"),
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}"#, duplicate("jsonrpc"), "1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":1},"params":{"name":1}}"#, duplicate("params"), "1"),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"result":1}"#, duplicate("result"), "-"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":1,"arguments":2}}"#,
            parameter("arguments"),
            "1",
        ),
        (r#"{"jsonrpc":"2.0","method":"m","params":{"name":1,"name":2}}"#, parameter("name"), "-"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1,
            "io.modelcontextprotocol\/protocolVersion":1}}}"#,
            parameter("io.modelcontextprotocol/protocolVersion"),
            "1",
        ),
    ] {
        let refusal = Message::read(line.as_bytes()).expect_err(line);
        assert_eq!(refusal.reason(), reason, "{line}");
        let mut out = [0; 256];
        let length = refusal.write(&mut out).unwrap();
        if id == "-" {
            assert_eq!(length, 0, "{line}");
            continue;
        }
        let answer: Value = serde_json::from_slice(&out[..length]).unwrap();
        assert_eq!(answer["id"].to_string(), id, "{line}");
        assert_eq!(answer["error"]["code"], reason.code(), "{line}");
        assert_eq!(answer["error"]["message"], reason.to_string(), "{line}");
    }
}

#[test]
fn duplicates_without_a_meaning_are_let_through() {
    request(
        r#"{"jsonrpc":"2.0","id":1,"method":"m","x":1,"x":2,"params":{"x":1,"x":1,"id":1,"arguments":{"name":1,"name":2}}}"#,
    );
}

#[test]
fn an_era_is_told_by_both_members_or_none() {
    for (meta, expected) in [
        (r#"{}"#, "legacy"),
        (r#"{"io.modelcontextprotocol/protocolVersion":"v","io.modelcontextprotocol/clientCapabilities":{}}"#, "v"),
        (r#"{"io.modelcontextprotocol/protocolVersion":"v"}"#, "clientCapabilities"),
        (r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#, "protocolVersion"),
        (
            r#"{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}"#,
            "protocolVersion",
        ),
        (
            r#"{"io.modelcontextprotocol/protocolVersion":"v","io.modelcontextprotocol/clientCapabilities":[]}"#,
            "clientCapabilities",
        ),
    ] {
        let line = std::format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"_meta":{meta}}}}}"#);
        match request(&line).1.era() {
            Ok(Era::Legacy) => assert_eq!(expected, "legacy"),
            Ok(Era::Modern { version, capabilities }) => {
                assert!(version.equals(expected.as_bytes()));
                assert_eq!(capabilities.as_str(), "{}");
            }
            Err(reason) => {
                assert_eq!(reason.code(), -32602);
                assert!(reason.to_string().ends_with(expected), "{meta}: {reason}");
            }
        }
    }
}

#[test]
fn responses_are_told_from_errors() {
    let read = |line: &'static str| match Message::read(line.as_bytes()) {
        Ok(Message::Response(response)) => response,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(r#"{"jsonrpc":"2.0","id":1,"result":null}"#).result, Ok(Raw::NULL));
    let error = read(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#);
    assert_eq!((error.id, error.result), (Some(Raw::NULL), Err(Raw::EMPTY_OBJECT)));
    assert_eq!(read(r#"{"jsonrpc":"2.0","error":{}}"#).id, None);
}

/// Values, some of them of the kind that a member should have.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-999_i32..9999).prop_map(Value::from),
        prop_oneof!["[ -~]{0,8}", "\\PC{0,4}", "[\u{0}-\u{1f}\"\\\\]{0,4}"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_\"\u{1}]{0,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object(members: impl Strategy<Value = Vec<(&'static str, Value)>>) -> impl Strategy<Value = Value> {
    members
        .prop_map(|members| Value::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()))
}

fn member(
    name: &'static str,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    prop::option::weighted(0.7, value).prop_map(move |value| value.map(|value| (name, value)).into_iter().collect())
}

fn mostly(usual: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop_oneof![9 => usual, 1 => value()]
}

/// Messages, as lists of members without duplicates.
fn message() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let meta = object(
        (
            member("io.modelcontextprotocol/protocolVersion", mostly(Just(json!("2026-07-28")))),
            member("io.modelcontextprotocol/clientCapabilities", mostly(Just(json!({"elicitation": {}})))),
            member("progressToken", value()),
        )
            .prop_map(|(a, b, c)| [a, b, c].concat()),
    );
    let params = object(
        (
            member("name", mostly(Just(json!("tool")))),
            member("arguments", value()),
            member("cursor", value()),
            member("protocolVersion", value()),
            member("_meta", mostly(meta)),
            member("other", value()),
        )
            .prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f].concat()),
    );
    let kind = prop_oneof![
        8 => ("[a-z/\"é]{0,6}", member("params", mostly(params))).prop_map(|(method, mut members)| {
            members.push(("method", Value::from(method)));
            members
        }),
        2 => value().prop_map(|result| Vec::from([("result", result)])),
        2 => value().prop_map(|error| Vec::from([("error", error)])),
        1 => (value(), value()).prop_map(|(method, error)| Vec::from([("method", method), ("error", error)])),
    ];
    (
        member("id", mostly(any::<i32>().prop_map(Value::from))),
        mostly(Just(json!("2.0"))),
        kind,
        member("other", value()),
    )
        .prop_map(|(id, version, kind, other)| [id, Vec::from([("jsonrpc", version)]), kind, other].concat())
        .prop_shuffle()
}

/// Writes a value with white space and escapes in odd places.
fn spell(out: &mut String, value: &Value, noise: &mut u32) {
    space(out, noise);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                spell(out, item, noise);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            spell_object(out, &members, noise);
        }
        Value::String(text) => spell_string(out, text, noise),
        other => out.push_str(&other.to_string()),
    }
    space(out, noise);
}

fn spell_object(out: &mut String, members: &[(&str, Value)], noise: &mut u32) {
    out.push('{');
    for (index, (name, value)) in members.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        space(out, noise);
        spell_string(out, name, noise);
        space(out, noise);
        out.push(':');
        spell(out, value, noise);
    }
    space(out, noise);
    out.push('}');
}

fn spell_string(out: &mut String, text: &str, noise: &mut u32) {
    out.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\' | '\0'..='\u{1f}') || roll(noise, 5) {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&std::format!("\\u{unit:04x}")));
        } else {
            out.push(character);
        }
    }
    out.push('"');
}

fn space(out: &mut String, noise: &mut u32) {
    if roll(noise, 4) {
        out.push_str([" ", "\n", "\t", "\r\n"][*noise as usize % 4]);
    }
}

fn roll(noise: &mut u32, one_in: u32) -> bool {
    *noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).rotate_left(7);
    noise.is_multiple_of(one_in)
}

/// The specification, read over parsed values: the kind of message, or the error code.
fn expected(message: &Map<String, Value>) -> Result<&'static str, i32> {
    let (method, result, error) = (message.get("method"), message.get("result"), message.get("error"));
    let id = message.get("id");
    if message.get("jsonrpc") != Some(&json!("2.0"))
        || !id.is_none_or(|id| id.is_string() || id.is_number() || id.is_null())
    {
        return Err(-32600);
    }
    if [method, result, error].iter().flatten().count() != 1 {
        return Err(-32600);
    }
    let Some(method) = method else { return Ok("response") };
    if !method.is_string() || id.is_some_and(Value::is_null) {
        return Err(-32600);
    }
    match message.get("params") {
        None => {}
        Some(Value::Object(params)) if params.get("_meta").is_none_or(Value::is_object) => {}
        Some(Value::Object(_) | Value::Array(_)) => return Err(-32602),
        Some(_) => return Err(-32600),
    }
    Ok(if id.is_some() { "request" } else { "notification" })
}

fn parsed(raw: Option<Raw<'_>>) -> Option<Value> {
    raw.map(|raw| serde_json::from_slice(raw.as_bytes()).expect("a span is a value"))
}

fn same_params(params: &Params<'_>, message: &Map<String, Value>) {
    let of = |object: Option<&Value>, name: &str| object.and_then(|object| object.get(name)).cloned();
    let outer = message.get("params");
    let meta = of(outer, "_meta");
    assert_eq!(parsed(params.raw).as_ref(), outer);
    assert_eq!(parsed(params.name), of(outer, "name"));
    assert_eq!(parsed(params.arguments), of(outer, "arguments"));
    assert_eq!(parsed(params.cursor), of(outer, "cursor"));
    assert_eq!(parsed(params.protocol_version), of(outer, "protocolVersion"));
    assert_eq!(parsed(params.meta), meta);
    assert_eq!(parsed(params.meta_version), of(meta.as_ref(), "io.modelcontextprotocol/protocolVersion"));
    assert_eq!(parsed(params.meta_capabilities), of(meta.as_ref(), "io.modelcontextprotocol/clientCapabilities"));
}

proptest! {
    #[test]
    fn agrees_with_serde_json(members in message(), mut noise in any::<u32>()) {
        let mut line = String::new();
        spell_object(&mut line, &members, &mut noise);
        let Ok(Value::Object(message)) = serde_json::from_str(&line) else { panic!("{line}") };
        let read = Message::read(line.as_bytes());
        let kind = match &read {
            Ok(Message::Request(request)) => {
                prop_assert_eq!(parsed(Some(request.id)), message.get("id").cloned());
                prop_assert!(request.method.equals(message["method"].as_str().unwrap_or_default().as_bytes()));
                same_params(&request.params, &message);
                Ok("request")
            }
            Ok(Message::Notification(notification)) => {
                same_params(&notification.params, &message);
                Ok("notification")
            }
            Ok(Message::Response(response)) => {
                let result = response.result.map(|raw| parsed(Some(raw))).map_err(|raw| parsed(Some(raw)));
                prop_assert_eq!(result.clone().ok().flatten(), message.get("result").cloned());
                prop_assert_eq!(result.err().flatten(), message.get("error").cloned());
                Ok("response")
            }
            Err(refusal) => Err(refusal.reason().code()),
        };
        prop_assert_eq!(kind, expected(&message), "{}", line);
    }

    #[test]
    fn refuses_as_json_what_serde_json_refuses(
        members in message(),
        mut noise in any::<u32>(),
        at in any::<prop::sample::Index>(),
        with in prop_oneof!["[]\\[{}\",:\\\\ u0a\u{1}é-]{0,2}".prop_map(String::into_bytes), Just(Vec::from([0xC3]))],
        cut in any::<bool>(),
    ) {
        let mut line = String::new();
        spell_object(&mut line, &members, &mut noise);
        let mut line = line.into_bytes();
        let at = at.index(line.len());
        line.splice(at..=at, with);
        if cut {
            line.truncate(at);
        }
        let is_json = serde_json::from_slice::<Value>(&line).is_ok();
        let is_read = !matches!(Message::read(&line), Err(refusal) if refusal.reason().code() == -32700);
        prop_assert_eq!(is_read, is_json, "{}", String::from_utf8_lossy(&line));
    }
}
