//! A session between a client and a server: nothing that a client sends gets an invalid call to the server, however that reads it, and
//! whatever the two send, each answer of the session's own is a message of JSON-RPC.
//!
//! Input: whether a server has a say as well; lines, which then begin with `<` where the server sends them.
#![no_main]

use libfuzzer_sys::fuzz_target;
// For its seed of hash maps: a session has one.
use microschema_fuzz as _;
use microschema_mcp::Gate;
use microschema_mcp::stdio::Session;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#;
const TOOLS: &[u8] = br#"{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"dim","inputSchema":
    {"type":"object","properties":{"level":{"type":"integer","maximum":10}},"additionalProperties":false}}]}}"#;

fuzz_target!(|data: &[u8]| {
    let Some((&mode, stream)) = data.split_first() else { return };
    let mut session = Session::new(Gate::default()).keep(4096);
    session.from_client(LIST);
    session.from_server(TOOLS);
    let has_server = mode & 1 == 1;
    for line in stream.split_inclusive(|&byte| byte == b'\n') {
        if let (true, Some(line)) = (has_server, line.strip_prefix(b"<")) {
            session.from_server(line);
        } else {
            let passage = session.from_client(line);
            assert_answers(&passage.back);
            if !has_server {
                // Some servers end lines at a carriage return.
                passage.onward.split(|&byte| byte == b'\r' || byte == b'\n').for_each(assert_valid);
            }
        }
        while session.is_due() {
            assert_answers(&session.due().back);
        }
    }
});

fn assert_answers(back: &[u8]) {
    for line in back.split_inclusive(|&byte| byte == b'\n') {
        assert!(line.ends_with(b"\n"));
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            // An id is given back as it came, and may be more than an `f64` holds.
            Err(error) if error.to_string().starts_with("number out of range") => continue,
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(line)),
        };
        let answers = if let Value::Array(answers) = value { answers } else { vec![value] };
        for answer in answers {
            assert_eq!(answer["jsonrpc"], "2.0");
            assert!(answer.get("result").is_some() != answer.get("error").is_some() && answer.get("id").is_some());
        }
    }
}

/// Members in their order, those that come twice included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// All values of a member, by a reader that minds neither the case nor how often it occurs.
fn all<'a>(object: &'a str, name: &str) -> Vec<&'a str> {
    let members = serde_json::from_str::<Members<'a>>(object).map_or_else(|_| Vec::new(), |members| members.0);
    members.into_iter().filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.get()).collect()
}

fn is(values: &[&str], text: &str) -> bool {
    values.iter().any(|value| serde_json::from_str::<String>(value).is_ok_and(|value| value == text))
}

fn assert_valid(line: &[u8]) {
    let Ok(line) = str::from_utf8(line) else { return };
    let messages = serde_json::from_str::<Vec<&RawValue>>(line)
        .map_or_else(|_| vec![line], |all| all.into_iter().map(RawValue::get).collect());
    for message in messages {
        if !is(&all(message, "method"), "tools/call") {
            continue;
        }
        for params in all(message, "params") {
            if !is(&all(params, "name"), "dim") {
                continue;
            }
            for arguments in all(params, "arguments") {
                let levels = all(arguments, "level");
                let arguments: Value = match serde_json::from_str(arguments) {
                    Ok(arguments) => arguments,
                    // More than an `f64` holds, and yet at most ten.
                    Err(error) if error.to_string().starts_with("number out of range") => {
                        assert!(levels.iter().all(|level| level.starts_with('-')), "{message}");
                        continue;
                    }
                    Err(error) => panic!("{error}: {message}"),
                };
                let level = &arguments["level"];
                let is_integer = level.as_i64().is_some() || level.as_f64().is_some_and(|level| level.fract() == 0.0);
                let is_valid =
                    level.is_null() && arguments.get("level").is_none() || is_integer && level.as_f64() <= Some(10.0);
                assert!((arguments.is_null() || arguments.is_object()) && is_valid, "{message}");
            }
        }
    }
}
