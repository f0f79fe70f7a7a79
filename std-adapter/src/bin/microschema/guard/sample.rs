//! A small MCP server to try the guard with. As most servers do, it declares schemas and checks nothing against them.

use microschema::mcp::{Full, JsonWriter, Message, Plain, Raw, Reason, Request, reply};
use std::io::{self, BufRead, Write};

/// The command that runs it, which `--help` does not list.
pub const COMMAND: &str = "sample-server";

const TOOLS: &str = include_str!("sample.json");

/// Versions with a handshake, newest first; and the stateless one.
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MODERN: &str = "2026-07-28";

/// Answers line by line, until there are no more.
pub fn run(input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // Room for what comes back of the line, however it is escaped, and for the tools.
        let mut answer = vec![0; 8 * 1024 + 6 * line.len()];
        if let Ok(length @ 1..) = answer_line(&line, &mut answer) {
            out.write_all(answer.get(..length).unwrap_or_default())?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn answer_line(line: &[u8], out: &mut [u8]) -> Result<usize, Full> {
    let request = match Message::read(line) {
        Ok(Message::Request(request)) => request,
        Ok(_) => return Ok(0),
        Err(_) if line.trim_ascii().is_empty() => return Ok(0),
        Err(refusal) => return refusal.write(out),
    };
    if request.is("initialize") {
        let asked = request.params.protocol_version.and_then(Raw::string);
        let known = LEGACY.iter().find(|version| asked.is_some_and(|asked| asked.equals(version.as_bytes())));
        reply::result_with(out, request.id, &mut |json| {
            json.begin_object().name("protocolVersion").string(known.unwrap_or(&LEGACY[0]));
            describe(json);
            json.end_object();
        })
    } else if request.is("server/discover") {
        reply::result_with(out, request.id, &mut |json| {
            json.begin_object().name("resultType").string("complete");
            json.name("supportedVersions").begin_array().string(MODERN).end_array();
            describe(json);
            json.name("ttlMs").integer(3_600_000).name("cacheScope").string("public").end_object();
        })
    } else if request.is("ping") {
        reply::result(out, request.id, Raw::EMPTY_OBJECT)
    } else if request.is("tools/list") {
        let Ok(tools) = Raw::new(TOOLS.as_bytes()) else { return Err(Full) };
        reply::result_with(out, request.id, &mut |json| {
            json.begin_object().name("resultType").string("complete").name("tools").raw(tools);
            json.name("ttlMs").integer(3_600_000).name("cacheScope").string("public").end_object();
        })
    } else if request.is("tools/call") {
        call(&request, out)
    } else {
        request.refuse(Reason::UnknownMethod).write(out)
    }
}

fn describe(json: &mut JsonWriter<'_>) {
    json.name("capabilities").begin_object().name("tools").begin_object().end_object().end_object();
    json.name("serverInfo").begin_object().name("name").string("microschema sample");
    json.name("version").string(env!("CARGO_PKG_VERSION")).end_object();
}

fn call(request: &Request<'_>, out: &mut [u8]) -> Result<usize, Full> {
    let name = request.params.name.and_then(Raw::string);
    let is = |tool: &str| name.is_some_and(|name| name.equals(tool.as_bytes()));
    let argument = |name| request.params.arguments.and_then(|arguments| arguments.member(name));
    let shown = |name| argument(name).map_or("nothing", Raw::as_str);
    if is("set_lamp") {
        reply::text(out, request.id, &format_args!("{} is at {} %.", shown("lamp"), shown("level")))
    } else if is("set_schedule") {
        let days = argument("days").map_or(0, |days| days.elements().count());
        reply::text(out, request.id, &format_args!("Scheduled {days} days."))
    } else if is("read_sensor") {
        let room = argument("room").unwrap_or(Raw::NULL);
        let celsius = match room.as_str() {
            r#""attic""# => "999",
            r#""cellar""# => "11.5",
            _ => "21.5",
        };
        let content = format!(r#"{{"room":{room},"celsius":{celsius}}}"#);
        let content = Raw::new(content.as_bytes()).unwrap_or(Raw::NULL);
        reply::structured(out, request.id, content)
    } else {
        reply::error(out, Some(request.id), -32_602, &Plain("Unknown tool"), None)
    }
}
