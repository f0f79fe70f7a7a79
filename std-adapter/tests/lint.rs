//! `microschema lint` and `microschema compile`.

mod common;

use common::{Temporary, golden, run};
use microschema::Program;
use serde_json::{Value, json};

const TOOLS: &str = "examples/check/tools.json";

#[test]
fn tells_what_every_schema_costs_and_why_it_is_refused() {
    let ran = run(&["lint", TOOLS], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(3), ""));
    // Without the bytes of programs, which are the engine's affair; `lint` and `compile` must agree on them.
    let mut parts = ran.out.split("program ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut sizes = Vec::new();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        sizes.push(&part[..part.len() - rest.len()]);
        text += &format!("program N{rest}");
    }
    golden("lint.txt", &text);
    let schema = br#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"celsius": {"type": "number"}}}"#;
    let compiled = run(&["compile", "-"], schema);
    assert!(compiled.out.starts_with(&format!("program: {} bytes", sizes[1])), "{}", compiled.out);
}

#[test]
fn json_is_a_list_of_records() {
    let ran = run(&["lint", "--output", "json", TOOLS], b"");
    assert_eq!(ran.code, Some(3));
    let list: Value = serde_json::from_str(&ran.out).expect("JSON");
    let list = list.as_array().expect("a list");
    let of = |index: usize| &list[index];
    assert_eq!(list.len(), 3);
    assert_eq!((&of(0)["tool"], &of(0)["which"]), (&json!("read_sensor"), &json!("inputSchema")));
    assert_eq!(
        (&of(0)["refused"], &of(0)["reason"], &of(0)["dialect"]),
        (&json!(false), &Value::Null, &json!("2020-12"))
    );
    assert_eq!((&of(1)["which"], &of(1)["dialect"]), (&json!("outputSchema"), &json!("draft-07")));
    assert_eq!((&of(2)["refused"], &of(2)["program_bytes"]), (&json!(true), &Value::Null));
    let places: Vec<&Value> =
        of(2)["reasons"].as_array().expect("reasons").iter().map(|reason| &reason["pointer"]).collect();
    assert_eq!(places, ["/properties/speed/type", "/properties/curve/$ref", "/required"]);
    assert_eq!(of(0)["lenient"][0]["pointer"], "/properties/device/pattern");
    let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(TOOLS)).expect("the file");
    let at = of(0)["lenient"][0]["at"].as_u64().expect("an offset") as usize;
    assert!(text[at..].starts_with(r"\\-["), "{}", &text[at..at + 10]);
}

#[test]
fn every_wrapping_is_understood() {
    let tool = r#"{"name": "t", "inputSchema": {"type": "object"}}"#;
    for (file, tool) in [
        (tool.to_owned(), "t"),
        (format!("[{tool}]"), "t"),
        (format!(r#"{{"tools": [{tool}]}}"#), "t"),
        (format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{tool}]}}}}"#), "t"),
        (r#"{"type": "object"}"#.to_owned(), ""),
    ] {
        let ran = run(&["lint", "--output", "json", "-"], file.as_bytes());
        assert_eq!(ran.code, Some(0), "{file}: {}", ran.err);
        let list: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(list[0]["tool"].as_str().unwrap_or_default(), tool, "{file}");
        assert_eq!(list[0]["schema_bytes"], 18, "{file}");
    }
}

#[test]
fn schemas_are_compiled_as_they_are_written() {
    // A reader in between would drop the first `type`, or the last digits.
    let ran = run(&["lint", "-"], br#"[{"name": "t", "inputSchema": {"type": "object", "type": "object"}}]"#);
    assert_eq!(ran.code, Some(3), "{}", ran.out);
}

#[test]
fn every_reason_is_found_and_no_other() {
    let schema = br##"{
        "properties": {
            "a": {"type": ["string", "strin"]},
            "b": 5,
            "c": {"enum": 1, "minimum": "x", "allOf": []},
            "d": {"$ref": "#/properties/c/enum"},
            "e": {"required": ["a", 1, "a"], "minLength": -1, "allOf": [5]}
        },
        "multipleOf": 0
    }"##;
    let ran = run(&["lint", "--output", "json", "-"], schema);
    let list: Value = serde_json::from_str(&ran.out).expect("JSON");
    let mut places: Vec<&str> = list[0]["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|reason| reason["pointer"].as_str().expect("a pointer"))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            "/multipleOf",
            "/properties/a/type/1",
            "/properties/b",
            "/properties/c/allOf",
            "/properties/c/enum",
            "/properties/c/minimum",
            "/properties/e/allOf/0",
            "/properties/e/minLength",
            "/properties/e/required/1",
            "/properties/e/required/2",
        ]
    );
}

#[test]
fn a_tool_must_have_an_input_schema() {
    let ran = run(&["lint", "-"], br#"{"tools": [{"name": "t", "outputSchema": {}}]}"#);
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.starts_with("t inputSchema: refused: the tool has no inputSchema\n"), "{}", ran.out);
}

#[test]
fn lint_of_what_is_not_json_is_4() {
    let ran = run(&["lint", "-"], b"{\"tools\": [");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""));
    assert!(ran.err.contains("input ends inside an array at byte 11"), "{}", ran.err);
}

#[test]
fn compile_writes_a_program_that_loads() {
    let file = Temporary::new("program.bin", b"");
    let ran = run(&["compile", "examples/check/schema.json", "-o", file.path()], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let bytes = std::fs::read(&file.0).expect("the program");
    let program = Program::from_bytes(&bytes).expect("a program");
    assert_eq!(program.is_valid(br#"{"device": "a", "mode": "off"}"#), Ok(true));
    assert_eq!(program.is_valid(br#"{"device": "a", "mode": "on"}"#), Ok(false));
    assert!(ran.out.starts_with(&format!("program: {} bytes", bytes.len())), "{}", ran.out);
}

#[test]
fn compile_writes_rust_for_a_firmware() {
    let schema = "examples/check/schema.json";
    let ran = run(&["compile", schema, "--rust", "CHECK"], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("pub static CHECK: ::microschema::Program<'static> = "), "{}", ran.out);
    let image: Vec<u8> =
        ran.out.lines().flat_map(|row| row.split_terminator(',')).filter_map(|byte| byte.parse().ok()).collect();
    let program = Program::from_bytes(&image).expect("a program");
    assert_eq!(program.is_valid(br#"{"device": "a", "mode": "on"}"#), Ok(false));

    let file = Temporary::new("program.rs", b"");
    let figures = run(&["compile", schema, "--rust", "CHECK", "-o", file.path()], b"");
    assert!(figures.out.starts_with(&format!("program: {} bytes", image.len())), "{}", figures.out);
    assert_eq!(std::fs::read_to_string(&file.0).expect("the text"), ran.out);

    let ran = run(&["compile", schema, "--rust", "9"], b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), "error: --rust: `9` is no Rust identifier\n"));
}

#[test]
fn compile_tells_instructions_depth_and_stack() {
    let schema = br#"{"type": "object", "properties": {"level": {"minimum": 1, "maximum": 10}, "tags": {"items": {"maxLength": 9}}}}"#;
    let ran = run(&["compile", "--listing", "-"], schema);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("\ninstructions: 5 in 4 nodes\ndepth: 3\nstack: "), "{}", ran.out);
    assert!(ran.out.contains("\"tags\": @"), "{}", ran.out);
    // What it says of the stack is a measurement, not nothing.
    let stack = ran.out.split("stack: ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a figure");
    assert!(stack.parse::<usize>().expect("a number") > 500, "{}", ran.out);

    let ran = run(&["compile", "-"], br##"{"properties": {"next": {"$ref": "#"}}}"##);
    assert!(ran.out.contains("\ndepth: as deep as the instance, for the schema is recursive\n"), "{}", ran.out);
    assert!(!ran.out.contains('@'), "{}", ran.out);
}

#[test]
fn compile_grows_its_buffer() {
    let names: Vec<String> = (0..5_000).map(|index| format!("\"property{index}\": {{\"type\": \"string\"}}")).collect();
    let schema = format!("{{\"properties\": {{{}}}}}", names.join(","));
    assert_eq!(run(&["compile", "-"], schema.as_bytes()).code, Some(0));
}

#[test]
fn compile_refuses_with_3() {
    let ran = run(&["compile", "-"], br#"{"type": "int"}"#);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    assert!(ran.err.starts_with("error: schema refused: at /type: unknown type"), "{}", ran.err);
}
