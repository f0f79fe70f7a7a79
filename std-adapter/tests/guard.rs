//! `microschema guard` as a process: between pipes, with a server that lives, dies, and gets signals.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use common::{Temporary, run};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

fn messages(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `guard -- sh -c SCRIPT`, with pipes.
fn guard_script(script: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_microschema"))
        .args(["guard", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

async fn rmcp_client() -> RunningService<RoleClient, ()> {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_microschema"));
    command.arg("guard");
    ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap()
}

async fn call_by(client: &RunningService<RoleClient, ()>, tool: &'static str, arguments: Value) -> CallToolResult {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.call_tool(request).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn a_real_client_talks_to_the_guarded_sample() {
    let client = rmcp_client().await;
    // Before it lists anything.
    let result = call_by(&client, "set_lamp", json!({"lamp": "desk", "level": "50"})).await;
    assert_eq!(result.is_error, Some(true));
    assert_eq!(
        text(&result),
        "Invalid input: the arguments do not match the tool's input schema.\n\
         - at /lamp: must match the pattern ^[a-z]+-[0-9]{1,2}$ (pattern)\n\
         - at /level: must be an integer: send the number without quotes (type)"
    );
    let names: Vec<_> = client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["set_lamp", "set_schedule", "read_sensor"]);

    let result = call_by(&client, "set_lamp", json!({"lamp": "desk-1", "level": 50})).await;
    assert_eq!((text(&result), &result.meta), ("\"desk-1\" is at 50 %.", &None));
    let days = json!([{"day": "mon", "entries": [{"from": "06:30", "celsius": 21}, {"from": "24:00", "celsius": 5}]}]);
    let result = call_by(&client, "set_schedule", json!({"days": days})).await;
    let issues = &result.meta.as_ref().unwrap().0["microschema/issues"];
    assert_eq!(issues[0]["path"], json!(["days", 0, "entries", 1, "from"]));

    let result = call_by(&client, "read_sensor", json!({"room": "hall"})).await;
    assert_eq!(result.structured_content, Some(json!({"room": "hall", "celsius": 21.5})));
    let result = call_by(&client, "read_sensor", json!({"room": "attic"})).await;
    assert!(text(&result).ends_with("\n- at /celsius: must be at most 85 (maximum)"), "{}", text(&result));
    client.cancel().await.unwrap();
}

#[test]
fn calls_at_once_are_each_answered_once() {
    let input: String = (0..1000)
        .map(|id| match id % 3 {
            0 => call(id, "set_lamp", &json!({"lamp": "desk-1", "level": id % 150})),
            1 => call(id, "read_sensor", &json!({"room": "hall"})),
            _ => call(id, "read_sensor", &json!({"room": "attic"})),
        })
        .collect();
    let ran = run(&["guard", "--log", "off"], input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let answers: BTreeMap<u64, bool> = messages(&ran.out)
        .into_iter()
        .map(|answer| (answer["id"].as_u64().unwrap(), answer["result"]["isError"] == true))
        .collect();
    let expected = (0..1000).map(|id| (id, id % 3 == 2 || (id % 3 == 0 && id % 150 > 100))).collect();
    assert_eq!(answers, expected);
    assert_eq!(ran.out.lines().count(), 1000);
}

#[test]
fn bytes_go_through_as_they_are() {
    let large =
        format!("{}\r\n", json!({"jsonrpc": "2.0", "method": "x", "params": {"text": "\u{e9}\"".repeat(1 << 20)}}));
    let odd = " {\"method\":\"x\" ,\"id\":1.0e0 , \"jsonrpc\":\"2.\\u0030\"}\n\n\r\n";
    let last = r#"{"jsonrpc":"2.0","id":null,"error":{}}"#;
    let input = [&large, odd, &large, last].concat();
    let ran = run(&["guard", "--", "cat"], input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out == input);
}

#[test]
fn sockets_and_files_are_as_good_as_pipes() {
    let line = call(1, "set_lamp", &json!({"lamp": "desk-1", "level": 101}));
    let guard = |stdin: Stdio, stdout: Stdio| {
        Command::new(env!("CARGO_BIN_EXE_microschema")).arg("guard").stdin(stdin).stdout(stdout).spawn().unwrap()
    };
    // Sockets are what Node.js gives its children.
    let ((mut ours, input), (mut answers, output)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
    let mut child = guard(OwnedFd::from(input).into(), OwnedFd::from(output).into());
    ours.write_all(line.as_bytes()).unwrap();
    drop(ours);
    let mut text = String::new();
    answers.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(messages(&text)[0]["result"]["isError"], true);

    let (input, output) = (Temporary::new("input", line.as_bytes()), Temporary::new("output", b""));
    let (stdin, stdout) = (File::open(input.path()).unwrap(), File::create(output.path()).unwrap());
    assert_eq!(guard(stdin.into(), stdout.into()).wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read_to_string(output.path()).unwrap(), text);
}

#[test]
fn report_only_passes_any_bytes() {
    // Neither JSON nor UTF-8, with lines of up to 8000 bytes where 1000 are looked at.
    let mut state = 1_u32;
    let mut bytes = Vec::new();
    while bytes.len() < 2 << 20 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let length = state as usize >> 19;
        bytes.extend((0..length).map(|at| (state >> (at % 24)) as u8).map(|byte| if byte == b'\n' { 0 } else { byte }));
        bytes.push(b'\n');
    }
    bytes.extend(b"no end");
    let mut child = Command::new(env!("CARGO_BIN_EXE_microschema"))
        .args(["guard", "--report-only", "--log", "off", "--max-message", "1000", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), bytes.clone());
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.stdout == bytes, "{} bytes of {}", output.stdout.len(), bytes.len());
}

#[test]
fn lines_that_are_too_long_are_dropped_and_answered() {
    let long = json!({"jsonrpc": "2.0", "method": "x", "params": {"text": "x".repeat(100_000)}, "id": "long"});
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let ran =
        run(&["guard", "--max-message", "1000", "--stats", "--", "cat"], format!("{ping}{long}\n{ping}").as_bytes());
    let (mut answers, echoed): (Vec<_>, Vec<_>) =
        messages(&ran.out).into_iter().partition(|message| message["method"] != "ping");
    assert_eq!((answers.len(), echoed.len()), (1, 2), "{}", ran.out);
    let answer = answers.pop().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("long"), &json!(-32600)));
    assert!(ran.err.contains("\n  lines that were too long: 1\n"), "{}", ran.err);
}

#[test]
fn a_server_that_does_not_list_its_tools_cannot_be_called() {
    let ran = run(&["guard", "--list-timeout", "0", "--", "sh", "-c", "cat >&2"], call(1, "a", &json!({})).as_bytes());
    let text = messages(&ran.out)[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.ends_with("its schemas could not be learned: tools/list was not answered in time."), "{text}");
    assert!(ran.err.contains("\"method\":\"tools/list\"") && !ran.err.contains("tools/call"), "{}", ran.err);
}

#[test]
fn the_summary_counts_what_passed() {
    let input = [
        call(1, "set_lamp", &json!({"lamp": "desk-1", "level": 1})),
        call(2, "set_lamp", &json!({"lamp": "desk-1", "level": 101})),
        call(3, "read_sensor", &json!({"room": "attic"})),
        call(4, "nope", &json!({})),
    ]
    .concat();
    let ran = run(&["guard", "--stats", "--log", "off"], input.as_bytes());
    let expected = "4 calls, 1 refused; 1 results checked, 1 refused\n  \
        read_sensor: 1 calls, 0 refused; 1 results checked, 1 refused\n  \
        set_lamp: 2 calls, 1 refused; 0 results checked, 0 refused\n  \
        calls of tools that the server does not list: 1\n  \
        pages of tools that the gate itself asked for: 1\n";
    assert_eq!(ran.err, expected);
    let ran = run(&["guard", "--report-only"], input.as_bytes());
    let seen: Vec<_> = ran.err.lines().map(|line| line.split_once(" WARN ").unwrap().1).collect();
    let event = "microschema_mcp::failure: does not match its schema, and is let through tool=";
    assert_eq!(
        seen,
        [
            format!("{event}\"set_lamp\" side=input places=/level maximum omitted=0"),
            format!("{event}\"read_sensor\" side=output places=/celsius maximum omitted=0"),
        ]
    );
    assert!(messages(&ran.out).iter().all(|answer| answer["result"]["isError"] != true));
}

#[test]
fn exit_codes_and_standard_error_are_the_servers() {
    let ran = run(&["guard", "--", "sh", "-c", "printf 'server log' >&2; exit 7"], b"");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(7), "", "server log"));
    assert_eq!(run(&["guard", "sh", "-c", "exit 0"], b"").code, Some(0));
    let ran = run(&["guard", "--", "./no-such-server"], b"");
    assert_eq!(ran.code, Some(127));
    assert!(ran.err.starts_with("error: cannot run ./no-such-server: "), "{}", ran.err);
    assert_eq!(run(&["guard", "--", "./Cargo.toml"], b"").code, Some(126));
}

#[test]
fn a_server_that_dies_takes_the_guard_along() {
    // With a call that waits for its tools.
    let ran = run(&["guard", "--", "sh", "-c", "read line; exit 3"], call(1, "a", &json!({})).as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    // What it has said before is passed on; and it dies while the client is still there.
    let mut child = guard_script("printf 'last words'; kill -KILL $$");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.signal(), output.stdout.as_slice()), (Some(9), &b"last words"[..]));
    drop(stdin);
    // Another process holds its output for longer than it lives itself.
    let ran = run(&["guard", "--", "sh", "-c", "sleep 10 2>/dev/null & echo last words; exit 4"], b"");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), "last words\n"));
    assert!(ran.err.contains("another process holds its output"), "{}", ran.err);
}

#[test]
fn signals_go_to_the_server() {
    for signal in ["TERM", "INT", "HUP", "USR1"] {
        let mut child = guard_script(&format!(
            "trap 'echo got {signal}; exit 9' {signal}; echo ready; while :; do sleep 0.05; done"
        ));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
        );
        assert_eq!(lines.next().unwrap().unwrap(), format!("got {signal}"));
        assert_eq!(child.wait().unwrap().code(), Some(9));
    }
    // One that the server does not catch ends both alike.
    let mut child = guard_script("echo ready; exec sleep 60");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
fn the_server_ends_with_its_client() {
    // The client closes its end, and the server sees the end of its input.
    let mut child = guard_script("cat; echo over; exit 5");
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(5), &b"over\n"[..]));
    // The client does not read any more, and the server sees its output closed.
    let mut child = guard_script("trap '' PIPE; while echo more; do sleep 0.01; done 2>/dev/null; exit 6");
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(6));
}

#[test]
fn a_client_that_is_slow_gets_everything() {
    // What the server has left in the pipe when it exits, and what the guard holds, is more than the client's pipe takes.
    let mut child = guard_script("head -c 100000 /dev/zero | tr '\\0' 'x'; echo; exec printf end");
    std::thread::sleep(Duration::from_secs(3));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.len(), text.ends_with("\nend")), (100_004, true));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // One that does not read at all does not keep it from being ended.
    let mut child = guard_script("head -c 300000 /dev/zero | tr '\\0' 'x'");
    let stdout = child.stdout.take();
    let pid = child.id().to_string();
    while child.try_wait().unwrap().is_none() {
        Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(stdout);
}

#[test]
fn events_that_nobody_reads_are_lost_and_nothing_else() {
    let mut child = guard_script("cat");
    drop(child.stderr.take());
    child.stdin.take().unwrap().write_all(b"no message\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(messages(str::from_utf8(&output.stdout).unwrap())[0]["error"]["code"], -32700);
}

#[test]
fn neither_direction_waits_for_the_other() {
    // The server writes a megabyte before it reads its first line, and the client sends one before it reads.
    let mut child = guard_script("head -c 1000000 /dev/zero | tr '\\0' 'x'; echo; cat");
    let ping = format!("{}\n", json!({"jsonrpc": "2.0", "method": "x", "params": {"text": "y".repeat(1_000_000)}}));
    let (mut stdin, input) = (child.stdin.take().unwrap(), ping.clone());
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.stdout == [format!("{}\n", "x".repeat(1_000_000)), ping].concat().as_bytes());
}
