//! Calls every entry point of the features built in. It is linked and weighed, never run.
#![no_std]
#![no_main]

#[cfg(feature = "every")]
mod every;

use probe as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    #[cfg(feature = "load")]
    engine::call();
    loop {}
}

#[cfg(feature = "load")]
mod engine {
    use core::hint::black_box;
    use microschema::{Issues, Program};
    use probe::opaque;

    pub fn call() {
        #[cfg(feature = "built")]
        let program = Program::from_build(opaque::bytes(), microschema::Needs::default());
        #[cfg(not(feature = "built"))]
        let program = Program::from_bytes(opaque::bytes());
        match program {
            Ok(program) => run(&program),
            Err(error) => show(&black_box(error)),
        }
        #[cfg(feature = "compile")]
        match microschema::compile(opaque::bytes(), opaque::buffer()) {
            Ok(program) => run(&program),
            Err(error) => show(&black_box(error)),
        }
    }

    #[inline(never)]
    fn run(program: &Program<'_>) {
        black_box(program.as_bytes());
        #[cfg(feature = "mcp")]
        super::server::run(*program);
        #[cfg(feature = "every")]
        super::every::call(*program);
        if let Err(error) = black_box(program.is_valid(opaque::bytes())) {
            show(&error);
        }
        let mut issues = Issues::<8>::new();
        let _ = black_box(program.validate(opaque::bytes(), &mut issues));
        for issue in issues.iter() {
            black_box(&issue);
            #[cfg(feature = "messages")]
            render(&issue.describe(program, opaque::bytes()));
        }
    }

    /// What is for people at a desk: not among what is weighed, but it must not panic either.
    #[cfg(feature = "every")]
    fn show(what: &dyn core::fmt::Display) {
        use core::fmt::Write as _;
        let mut sink = probe::sink::Sink::default();
        let _ = black_box(write!(sink, "{what}"));
        black_box(sink.0);
    }

    #[cfg(not(feature = "every"))]
    fn show<T>(_: &T) {}

    #[cfg(feature = "messages")]
    fn render(issue: &(impl core::fmt::Display + serde::Serialize)) {
        use core::fmt::Write as _;
        let mut sink = probe::sink::Sink::default();
        let _ = black_box(write!(sink, "{issue}"));
        let _ = black_box(issue.serialize(&mut sink));
        black_box(sink.0);
        #[cfg(feature = "json")]
        let _ = black_box(serde_json_core::to_slice(issue, opaque::buffer()));
    }
}

/// An MCP server without its wire: every answer there is.
#[cfg(feature = "mcp")]
mod server {
    use core::hint::black_box;
    use microschema::mcp::{
        Called, Definition, Era, Fed, Full, Lines, Message, Plain, Raw, Reason, Refusal, Request, Tool, Tools, reply,
    };
    use microschema::{Issues, Program};
    use probe::opaque;

    pub fn run(program: Program<'_>) {
        black_box(Definition::read(opaque::bytes()).is_ok());
        let Ok(tool) = Tool::new(opaque::bytes(), program, black_box(Some(program))) else { return };
        let tools = [tool, tool];
        let Ok(tools) = Tools::new(&tools) else { return };
        black_box(tools.page_length());
        let mut lines = Lines::new(opaque::buffer());
        let mut input = opaque::bytes();
        loop {
            let (written, rest) = match lines.feed(input) {
                Fed::Line { line, rest } => (answer(line, &tools, opaque::buffer()), rest),
                Fed::TooLong { rest } => (Refusal::TOO_LONG.write(opaque::buffer()), rest),
                Fed::Consumed => break,
            };
            let _ = black_box(written);
            input = rest;
        }
        black_box(lines.unfinished());
    }

    #[inline(never)]
    fn answer(line: &[u8], tools: &Tools<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let request = match Message::read(line) {
            Ok(Message::Request(request)) => request,
            Ok(other) => {
                black_box(&other);
                return Ok(0);
            }
            Err(refusal) => return refusal.write(out),
        };
        match request.params.era() {
            Ok(Era::Modern { version, .. }) if !version.equals(b"2026-07-28") => {
                return reply::unsupported_version(out, request.id, &["2026-07-28"], version);
            }
            Ok(_) => {}
            Err(reason) => return request.refuse(reason).write(out),
        }
        if request.is("initialize") || request.is("server/discover") {
            return reply::result_with(out, request.id, &mut |json| {
                json.begin_object().name("a").null().name("b").boolean(black_box(true)).end_object();
            });
        }
        if request.is("ping") {
            return reply::result(out, request.id, Raw::EMPTY_OBJECT);
        }
        if request.is("tools/list") {
            return tools.list(&request, out);
        }
        if request.is("tools/call") {
            call(&request, tools, out)
        } else {
            request.refuse(Reason::UnknownMethod).write(out)
        }
    }

    fn call(request: &Request<'_>, tools: &Tools<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let mut issues = Issues::<8>::new();
        match tools.call(request, &mut issues, out)? {
            Called::Answered(length) => Ok(length),
            Called::Run(call) => match (black_box(call.index), Raw::new(opaque::bytes())) {
                (0, _) => call.text(out, &Plain("done")),
                (_, Ok(content)) => call.structured(content, &mut issues, out),
                _ => call.error(out, &Plain("no sensor")),
            },
        }
    }
}
