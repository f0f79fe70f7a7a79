//! Calls every entry point of the features built in. It is linked and weighed, never run.
#![no_std]
#![no_main]

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
        match Program::from_bytes(opaque::bytes()) {
            Ok(program) => run(&program),
            Err(error) => drop(black_box(error)),
        }
        #[cfg(feature = "compile")]
        match microschema::compile(opaque::bytes(), opaque::buffer()) {
            Ok(program) => run(&program),
            Err(error) => drop(black_box(error)),
        }
    }

    #[inline(never)]
    fn run(program: &Program<'_>) {
        black_box(program.as_bytes());
        let _ = black_box(program.is_valid(opaque::bytes()));
        let mut issues = Issues::<8>::new();
        let _ = black_box(program.validate(opaque::bytes(), &mut issues));
        for issue in issues.iter() {
            black_box(&issue);
            #[cfg(feature = "messages")]
            render(&issue.describe(program, opaque::bytes()));
        }
    }

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
