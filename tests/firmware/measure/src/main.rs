//! Runs under QEMU: checks the verdicts, prints what each operation takes of the stack, and marks the spans that
//! the `icount` plugin counts. A line is `figure NAME VALUE`, `span NAME BYTES`, `issue JSON` or `wrong WHAT`; the
//! exit code tells whether all was right.
#![no_std]
#![no_main]

mod lines;
mod span;
mod stack;

use core::{fmt::Write, hint::black_box};

use cortex_m_semihosting::{
    debug,
    hio::{self, HostStream},
};
use lines::Lines;
use microschema::{Issues, Program};
use panic_halt as _;
use span::{span_begin, span_end};
use stack::stack_of;

const SCHEMA: &[u8] = include_bytes!("../../../../benches/data/mcp-sensor-actuate/schema.json");
const VALID: &[u8] = include_bytes!("../../../../benches/data/mcp-sensor-actuate/instances.jsonl");
const INVALID: &[u8] = include_bytes!("../../../../benches/data/mcp-sensor-actuate/invalid.jsonl");
const NESTED: &[u8] = include_bytes!("../data/nested.invalid.json");

/// The same schema and that of `NESTED`, compiled on the host.
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut ARENA: [u8; 16 << 10] = [0; 16 << 10];
    let status = match hio::hstdout() {
        Ok(out) => {
            let mut report = Report { out, wrong: false };
            measure(&mut report, ARENA);
            if report.wrong { debug::EXIT_FAILURE } else { debug::EXIT_SUCCESS }
        }
        Err(()) => debug::EXIT_FAILURE,
    };
    debug::exit(status);
    loop {}
}

fn measure(report: &mut Report, arena: &mut [u8]) {
    let (valid, invalid) = (Lines::of(VALID), Lines::of(INVALID));
    let image = programs::ACTUATE.as_bytes();

    let (depth, compiled) = stack_of(|| microschema::compile(black_box(SCHEMA), arena));
    report.figure("stack.compile", depth);
    let Ok(compiled) = compiled else { return report.wrong("the schema does not compile") };
    report.check(compiled.as_bytes() == image, "the device compiles to other bytes than the host");
    report.figure("bytes.program", compiled.as_bytes().len());

    let (depth, loaded) = stack_of(|| Program::from_bytes(black_box(image)));
    report.figure("stack.from_bytes", depth);
    let Ok(program) = loaded else { return report.wrong("the image does not load") };

    verdicts(report, &program, &valid, &invalid);
    nested(report);

    report.span("from_bytes", image.len(), || Program::from_bytes(black_box(image)).is_ok());
    report.span("is_valid", valid.bytes(), || valid.iter().all(|call| program.is_valid(call) == Ok(true)));
    report.span("validate", valid.bytes(), || {
        valid.iter().all(|call| program.validate(call, &mut Issues::<8>::new()) == Ok(true))
    });
    report.span("validate_invalid", invalid.bytes(), || {
        invalid.iter().all(|call| program.validate(call, &mut Issues::<8>::new()) == Ok(false))
    });
    report.span("compile", SCHEMA.len(), || microschema::compile(black_box(SCHEMA), arena).is_ok());
}

fn verdicts(report: &mut Report, program: &Program<'_>, valid: &Lines<'_>, invalid: &Lines<'_>) {
    report.check(valid.iter().count() == 8 && invalid.iter().count() == 5, "calls are missing");
    for call in valid.iter() {
        let mut issues = Issues::<8>::new();
        report.check(program.is_valid(call) == Ok(true), "a valid call is refused");
        report.check(program.validate(call, &mut issues) == Ok(true), "a valid call is refused, with issues");
        report.check(issues.iter().count() == 0, "a valid call has issues");
    }
    for call in invalid.iter() {
        let mut issues = Issues::<8>::new();
        report.check(program.is_valid(call) == Ok(false), "an invalid call passes");
        report.check(program.validate(call, &mut issues) == Ok(false), "an invalid call passes, with issues");
        report.check(issues.iter().count() > 0, "an invalid call has no issue");
        report.issues(program, &issues, call);
    }
    report.check(program.is_valid(b"{\"device\":\"heater0\",\"op\":\"re").is_err(), "a truncated call has a verdict");
}

/// The stack of a call sixteen levels deep, with an issue at its bottom and one more beside it.
fn nested(report: &mut Report) {
    let program = programs::NESTED;
    let (depth, verdict) = stack_of(|| program.is_valid(black_box(NESTED)));
    report.figure("stack.is_valid", depth);
    report.check(verdict == Ok(false), "the nested call passes");
    let mut issues = Issues::<8>::new();
    let (depth, verdict) = stack_of(|| program.validate(black_box(NESTED), &mut issues));
    report.figure("stack.validate", depth + size_of_val(&issues));
    report.check(verdict == Ok(false), "the nested call passes, with issues");
    let mut text = [0; 512];
    let (depth, _) = stack_of(|| {
        issues.iter().all(|issue| serde_json_core::to_slice(&issue.describe(&program, NESTED), &mut text).is_ok())
    });
    report.figure("stack.describe", depth);
    report.issues(&program, &issues, NESTED);
}

struct Report {
    out: HostStream,
    wrong: bool,
}

impl Report {
    fn figure(&mut self, name: &str, value: usize) {
        let _ = writeln!(self.out, "figure {name} {value}");
    }

    fn wrong(&mut self, what: &str) {
        self.wrong = true;
        let _ = writeln!(self.out, "wrong {what}");
    }

    fn check(&mut self, right: bool, what: &str) {
        if !right {
            self.wrong(what);
        }
    }

    /// Has the plugin count the instructions of `work`, which tells whether it did what it should.
    fn span(&mut self, name: &str, bytes: usize, work: impl FnOnce() -> bool) {
        span_begin();
        let right = black_box(work());
        span_end();
        self.check(right, name);
        let _ = writeln!(self.out, "span {name} {bytes}");
    }

    fn issues(&mut self, program: &Program<'_>, issues: &Issues<8>, instance: &[u8]) {
        for issue in issues.iter() {
            let mut text = [0; 512];
            let json = serde_json_core::to_slice(&issue.describe(program, instance), &mut text)
                .ok()
                .and_then(|len| text.get(..len))
                .and_then(|json| str::from_utf8(json).ok());
            match json {
                Some(json) => drop(writeln!(self.out, "issue {json}")),
                None => self.wrong("an issue does not serialise"),
            }
        }
    }
}
