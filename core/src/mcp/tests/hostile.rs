//! Input that nobody would send by accident: every bit of it answered or dropped by name.

use crate::mcp::{Definition, Fed, Full, Lines, Message, Raw, Reason, Refusal};
use proptest::prelude::*;
use serde_json::Value;
use std::{format, string::String, vec, vec::Vec};

/// What a server says to a stream: an answer to each `ping`, a refusal of everything else.
fn answers(stream: &[u8], buffer: usize) -> Vec<String> {
    let (mut buffer, mut out) = (vec![0; buffer], [0; 160]);
    let mut lines = Lines::new(&mut buffer);
    let mut answers = Vec::new();
    for piece in stream.chunks(7) {
        let mut input = piece;
        loop {
            let (written, rest) = match lines.feed(input) {
                Fed::Consumed => break,
                Fed::TooLong { rest } => (Refusal::TOO_LONG.write(&mut out), rest),
                Fed::Line { line, rest } => (answer(line, &mut out), rest),
            };
            let length = written.unwrap();
            answers.push(String::from_utf8(out[..length].to_vec()).unwrap());
            input = rest;
        }
    }
    answers
}

fn answer(line: &[u8], out: &mut [u8]) -> Result<usize, Full> {
    match Message::read(line) {
        Ok(Message::Request(request)) => match crate::mcp::reply::result(out, request.id, Raw::EMPTY_OBJECT) {
            Err(Full) => crate::mcp::reply::too_long(out, Some(request.id)),
            written => written,
        },
        Ok(_) => Ok(0),
        Err(refusal) => refusal.write(out),
    }
}

#[test]
fn a_ping_is_answered_after_anything() {
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let deep = |levels: usize| {
        [
            &b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":"[..],
            &vec![b'['; levels],
            &vec![b']'; levels],
            b"},\"id\":1}",
        ]
        .concat()
    };
    let hostile: Vec<(Vec<u8>, i64, &str)> = vec![
        (vec![b'['; 4000], -32600, "null"),
        (vec![b'['; 400], -32700, "null"),
        (deep(62), 0, "1"),
        (deep(63), -32600, "1"),
        (deep(500), -32600, "1"),
        // Too deep to find out what the id is.
        (deep(600), -32600, "null"),
        (b"{\"a\":".repeat(300), -32700, "null"),
        (vec![b'x'; 5000], -32600, "null"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\x28\"}".to_vec(), -32700, "null"),
        (b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}".to_vec(), -32700, "null"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}".to_vec(), -32700, "null"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"m\"}".to_vec(), -32700, "null"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}{}".to_vec(), -32700, "null"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"a\":1".to_vec(),
            -32700,
            "null",
        ),
        // An id that cannot be given back: the answer says so without it.
        ([&b"{\"jsonrpc\":\"2.0\",\"id\":"[..], &vec![b'9'; 3000], b",\"method\":\"m\"}"].concat(), -32603, "null"),
        (
            [&b"{\"jsonrpc\":\"2.0\",\"id\":"[..], &vec![b'9'; 1_000_000], b",\"method\":\"m\"}"].concat(),
            -32600,
            "null",
        ),
        (vec![0; 100], -32700, "null"),
    ];
    for (bytes, code, id) in hostile {
        let stream = [&bytes[..], b"\n\r\n", ping.as_bytes(), b"\n"].concat();
        let answers = answers(&stream, 4096);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
        assert_eq!(answers.len(), 2, "{shown}");
        let first: Value = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!((first["error"]["code"].as_i64().unwrap_or(0), &*format!("{}", first["id"])), (code, id), "{shown}");
        assert_eq!(answers[1], r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    }
}

#[test]
fn glued_and_split_frames_are_told_apart() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let stream = format!("{ping}\n{ping}\r\n{ping}{ping}\n{}\n{}\n{ping}\n", &ping[..20], &ping[20..]);
    let answers = answers(stream.as_bytes(), 100);
    let codes: Vec<Value> =
        answers.iter().map(|answer| serde_json::from_str::<Value>(answer).unwrap()["error"]["code"].clone()).collect();
    assert_eq!(codes, [Value::Null, Value::Null, (-32700).into(), (-32700).into(), (-32700).into(), Value::Null]);
}

#[test]
fn a_message_that_is_cut_off_says_where() {
    let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"a":[1,"\u00e9\ud83d\ude00",true]},"_meta":{}}}"#;
    assert!(Message::read(line).is_ok());
    for end in 0..line.len() {
        let refusal = Message::read(&line[..end]).expect_err("cut off");
        assert!(
            matches!(refusal.reason(), Reason::Json(error) if error.kind.is_truncated()),
            "{end}: {:?}",
            refusal.reason()
        );
        assert_eq!((refusal.id(), refusal.is_answered()), (None, true));
    }
}

#[test]
fn a_notification_that_is_too_deep_is_dropped() {
    let line = br#"{"jsonrpc":"2.0","method":"m","params":{"a":[[[]]]}}"#;
    assert!(Message::read_within(line, 5).is_ok());
    for depth in 0..5 {
        let refusal = Message::read_within(line, depth).unwrap_err();
        assert_eq!((refusal.reason(), refusal.is_answered()), (Reason::TooDeep, false), "{depth}");
    }
}

proptest! {
    #[test]
    fn any_bytes_get_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..64), depth in any::<u16>(), room in 0_usize..200) {
        let mut out = vec![0; room];
        if let Err(refusal) = Message::read_within(&bytes, depth) {
            let _ = refusal.write(&mut out);
        }
        let _ = (Raw::new(&bytes), Definition::read(&bytes));
    }

    #[test]
    fn json_of_any_shape_gets_a_verdict(text in "[]\\[{}\",:\\\\ 0-9ijdnprsu]{0,40}") {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{{text}}}}}"#);
        let is_json = serde_json::from_str::<Value>(&line).is_ok();
        let is_read = !matches!(Message::read(line.as_bytes()), Err(refusal) if refusal.reason().code() == -32700);
        prop_assert!(is_json || !is_read, "{}", line);
    }
}
