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
        show(program);
        #[cfg(feature = "panic-never")]
        black_box(program.stats());
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
    #[cfg(all(feature = "panic-never", feature = "messages"))]
    fn show(what: &dyn core::fmt::Display) {
        use core::fmt::Write as _;
        let mut sink = probe::sink::Sink::default();
        let _ = black_box(write!(sink, "{what}"));
        black_box(sink.0);
    }

    #[cfg(not(all(feature = "panic-never", feature = "messages")))]
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
