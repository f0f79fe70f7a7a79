//! A small MCP server on the core's own parts, of both eras: what a device would run, without its wire.

use microschema::Issues;
use microschema::mcp::{Called, Era, Fed, Full, Lines, Message, Plain, Raw, Reason, Refusal, Request, Tools, reply};

const VERSIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// Feeds `input` to the server. Each answer goes to `send`; `out` holds one at a time.
pub fn serve(lines: &mut Lines<'_>, mut input: &[u8], tools: &Tools<'_>, out: &mut [u8], send: &mut dyn FnMut(&[u8])) {
    loop {
        let (written, rest) = match lines.feed(input) {
            Fed::Consumed => return,
            Fed::Line { line, rest } => (answer(line, tools, out), rest),
            Fed::TooLong { rest } => (Refusal::TOO_LONG.write(out), rest),
        };
        match written.map(|length| &out[..length]) {
            Ok([]) => {}
            Ok(answer) => send(answer),
            Err(Full) => panic!("the buffer is too small for any answer"),
        }
        input = rest;
    }
}

/// Answers one message, and gives the length of the answer: 0 if none is due.
///
/// A call that is valid gives its arguments back, as structured content.
pub fn answer(line: &[u8], tools: &Tools<'_>, out: &mut [u8]) -> Result<usize, Full> {
    let request = match Message::read(line) {
        Ok(Message::Request(request)) => request,
        Ok(_) => return Ok(0),
        Err(refusal) => return refusal.write(out),
    };
    match request.params.era() {
        Ok(Era::Legacy) if request.is("initialize") => {
            let result = Raw::new(br#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}"#);
            return reply::result(out, request.id, result.unwrap_or(Raw::NULL));
        }
        Ok(Era::Legacy) if request.is("ping") => return reply::result(out, request.id, Raw::EMPTY_OBJECT),
        Ok(Era::Modern { version, .. }) if !VERSIONS.iter().any(|known| version.equals(known.as_bytes())) => {
            return reply::unsupported_version(out, request.id, &VERSIONS, version);
        }
        Ok(Era::Modern { .. }) if request.is("server/discover") => return discover(&request, out),
        Ok(_) => {}
        Err(reason) => return request.refuse(reason).write(out),
    }
    if request.is("tools/list") {
        return tools.list(&request, out);
    }
    if !request.is("tools/call") {
        return request.refuse(Reason::UnknownMethod).write(out);
    }
    let mut issues = Issues::<4>::new();
    match tools.call(&request, &mut issues, out)? {
        Called::Answered(length) => Ok(length),
        Called::Run(call) if call.arguments == Raw::EMPTY_OBJECT => call.error(out, &Plain("nothing to do")),
        Called::Run(call) => call.structured(call.arguments, &mut issues, out),
    }
}

fn discover(request: &Request<'_>, out: &mut [u8]) -> Result<usize, Full> {
    reply::result_with(out, request.id, &mut |json| {
        json.begin_object().name("resultType").string("complete").name("supportedVersions").begin_array();
        for version in VERSIONS {
            json.string(version);
        }
        json.end_array().name("capabilities").begin_object().name("tools").begin_object().end_object().end_object();
        json.name("ttlMs").integer(0).name("cacheScope").string("public").end_object();
    })
}
