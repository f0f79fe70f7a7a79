//! `instructions SET PASSES [ignored_any | value | compile]`: compiles a set's schema and runs `is_valid` over its valid instances that many times
//! (or parses them into `IgnoredAny`, as a yardstick; or runs over parsed values; or only compiles, that many times). Made to run under a tool that
//! counts instructions; prints the bytes of a pass.

use microschema::Options;
use microschema_benches::sets;
use microschema_mcp::Tree;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(passes)) = (arguments.next(), arguments.next().and_then(|n| n.parse::<u32>().ok())) else {
        eprintln!("usage: instructions SET PASSES [ignored_any | value | compile]");
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
    let what = arguments.next().unwrap_or_default();
    let mut arena = vec![0; 4 * set.schema.len() + 1024];
    let options = Options::new().assert_formats(false);
    for _ in 1..if what == "compile" { passes } else { 1 } {
        black_box(options.compile(black_box(&set.schema), &mut arena).expect("a schema that compiles"));
    }
    let program = options.compile(&set.schema, &mut arena).expect("a schema that compiles");
    if what == "compile" {
        println!("{}", set.schema.len());
        return ExitCode::SUCCESS;
    }
    let values: Vec<Value> =
        set.valid.iter().map(|text| serde_json::from_slice(text).expect("an instance that is JSON")).collect();
    for _ in 0..passes {
        match what.as_str() {
            "ignored_any" => {
                for text in &set.valid {
                    assert!(black_box(serde_json::from_slice::<IgnoredAny>(black_box(text))).is_ok());
                }
            }
            "value" => {
                for value in &values {
                    assert_eq!(black_box(program).validator().run(Tree::of(black_box(value)), None), Ok(true));
                }
            }
            _ => {
                for text in &set.valid {
                    assert_eq!(black_box(program).is_valid(black_box(text)), Ok(true));
                }
            }
        }
    }
    println!("{}", set.valid.iter().map(Vec::len).sum::<usize>());
    ExitCode::SUCCESS
}
