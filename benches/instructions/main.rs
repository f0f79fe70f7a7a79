//! `instructions SET PASSES [ignored_any]`: compiles a set's schema and runs `is_valid` over its valid instances that many times (or
//! parses them into `IgnoredAny`, as a yardstick). Made to run under a tool that counts instructions; prints the bytes of a pass.

use microschema::Options;
use microschema_benches::sets;
use serde::de::IgnoredAny;
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(passes)) = (arguments.next(), arguments.next().and_then(|n| n.parse::<u32>().ok())) else {
        eprintln!("usage: instructions SET PASSES [ignored_any]");
        return ExitCode::FAILURE;
    };
    let mut all = sets::mcp().expect("the sets of this repository");
    if !all.iter().any(|set| set.name == name) {
        all.extend(sets::public().expect("readable sets").into_iter().flatten());
    }
    let Some(set) = all.into_iter().find(|set| set.name == name) else {
        eprintln!("no set {name}");
        return ExitCode::FAILURE;
    };
    let mut arena = vec![0; 4 * set.schema.len() + 1024];
    let program =
        Options::new().assert_formats(false).compile(&set.schema, &mut arena).expect("a schema that compiles");
    let ignored_any = arguments.next().is_some_and(|what| what == "ignored_any");
    for _ in 0..passes {
        for instance in &set.valid {
            if ignored_any {
                assert!(black_box(serde_json::from_slice::<IgnoredAny>(black_box(instance))).is_ok());
                continue;
            }
            assert_eq!(black_box(program).is_valid(black_box(instance)), Ok(true));
        }
    }
    println!("{}", set.valid.iter().map(Vec::len).sum::<usize>());
    ExitCode::SUCCESS
}
