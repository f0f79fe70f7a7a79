//! `microschema::build`: what a build script makes is what the compiler makes at run time, and a build that must not be is refused.

use microschema::Options;
use microschema::build::{Programs, program_to_rust};
use microschema::mcp::{Definition, Raw, Tool};
use std::fs;
use std::path::PathBuf;

mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

const DEFINITIONS: [&str; 3] = [
    include_str!("../firmware/server/tools/schedule.json"),
    include_str!("../firmware/server/tools/write_register.json"),
    include_str!("../firmware/server/tools/read_temperature.json"),
];

fn compiled(schema: &[u8]) -> Vec<u8> {
    Options::new().compile_owned(schema).expect("compiles").into_bytes()
}

#[test]
fn a_program_is_the_one_that_the_compiler_makes() {
    let schema = include_bytes!("../../std-adapter/examples/check/schema.json");
    assert_eq!(programs::CHECK.as_bytes(), compiled(schema));
    assert_eq!(programs::CHECK.is_valid(br#"{"device": "a", "mode": "on"}"#), Ok(false));
}

#[test]
fn a_table_has_the_tools_as_they_are_declared() {
    let tools = programs::TOOLS.as_slice();
    assert_eq!((programs::SCHEDULE, programs::WRITE_REGISTER, programs::READ_TEMPERATURE, tools.len()), (0, 1, 2, 3));
    for (tool, definition) in tools.iter().zip(DEFINITIONS) {
        let declared = Definition::read(definition.as_bytes()).expect("a definition");
        let text = tool.definition().raw().as_str();
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(value, serde_json::from_str::<serde_json::Value>(definition).expect("JSON"));
        assert!(!text.contains('\n') && text.len() < definition.len(), "{text}");

        assert!(tool.definition().name().equals_text(declared.name()));
        assert_eq!(tool.input().as_bytes(), compiled(declared.input_schema().as_bytes()));
        assert_eq!(
            tool.output().map(|program| program.as_bytes().to_vec()),
            declared.output_schema().map(|schema| compiled(schema.as_bytes()))
        );
        // The spans are those that reading the definition gives.
        let read = Tool::new(text.as_bytes(), tool.input(), tool.output()).expect("a tool");
        assert_eq!(read.definition().input_schema(), tool.definition().input_schema());
        assert_eq!(read.definition().output_schema(), tool.definition().output_schema());
    }
}

/// A file for one test.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("microschema-{}-{name}", std::process::id()));
        fs::write(&path, text).expect("the temporary folder is writable");
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What stands before the first colon and space is the file.
fn refusal(programs: &Programs<'_>) -> String {
    let error = programs.to_rust().expect_err("it is refused").to_string();
    assert_eq!(error, format!("{:?}", programs.to_rust().expect_err("again")), "Cargo shows the one for the other");
    error
}

#[test]
fn a_schema_that_does_not_compile_is_named_with_its_place() {
    let file = File::new("schema.json", "{\n  \"properties\": {\"é\": {\"type\": \"int\"}}\n}");
    let path = file.0.display();
    let text = refusal(&Programs::new().schema("A", &file.0));
    assert!(text.starts_with(&format!("{path}:2:32: schema refused: at /properties/é/type: unknown type")), "{text}");
    let file = File::new("tool.json", "{\"name\": \"a\",\n\"inputSchema\":\n {\"type\": 1}}");
    let path = file.0.display();
    let text = refusal(&Programs::new().tools("T", &[&file.0]));
    assert!(text.starts_with(&format!("{path}:3:11: schema refused: at /type: ")), "{text}");
    let file = File::new("no-tool.json", "{\"name\": \"a\"}");
    let path = file.0.display();
    assert_eq!(refusal(&Programs::new().tools("T", &[&file.0])), format!("{path}: inputSchema must be an object"));
    assert!(refusal(&Programs::new().schema("A", "no/such.json")).starts_with("no/such.json: "));
}

#[test]
fn names_are_checked() {
    let schema = File::new("true.json", "true");
    let one = File::new("one.json", r#"{"name": "set-led", "inputSchema": {}}"#);
    let same = File::new("same.json", r#"{"name": "set-\u006ced", "inputSchema": {}}"#);
    let other = File::new("other.json", r#"{"name": "set.led", "inputSchema": {}}"#);
    for name in ["", "9", "a-b", "a b", "é", "_"] {
        assert_eq!(refusal(&Programs::new().schema(name, &schema.0)), format!("`{name}` is no Rust identifier"));
    }
    assert_eq!(refusal(&Programs::new().schema("A", &schema.0).tools("A", &[&one.0])), "`A` is the name of two items");
    assert_eq!(refusal(&Programs::new().tools("T", &[&one.0, &other.0])), "`SET_LED` is the name of two items");
    assert_eq!(
        refusal(&Programs::new().tools("T", &[&one.0, &same.0])),
        format!("{}: another tool has this name", same.0.display())
    );
}

#[test]
fn strings_keep_their_space_and_their_escapes() {
    let definition = r#"{ "name": "9 \u0041", "description": "a \" b\\", "inputSchema": { "const": "x  \\\" y" } }"#;
    let file = File::new("escapes.json", definition);
    let text = Programs::new().tools("T", &[&file.0]).to_rust().expect("it is written");
    let compact = r#"{"name":"9 \u0041","description":"a \" b\\","inputSchema":{"const":"x  \\\" y"}}"#;
    assert!(text.contains(&format!("{compact:?}, \"9 A\"")), "{text}");
    assert!(text.contains("pub const _9_A: usize = 0;"), "{text}");
    Raw::new(compact.as_bytes()).expect("JSON");
}

#[test]
fn what_a_program_needs_is_asked_for() {
    let mut arena = [0; 256];
    let program = microschema::compile(br#"{"format": "idn-hostname"}"#, &mut arena).expect("compiles");
    let text = program_to_rust("HOST", "Of a host.", &program).expect("it is written");
    assert!(text.contains("Needs { regex: false, formats: true, idn: true }"), "{text}");
    assert!(text.contains("this program needs: formats, idn\""), "{text}");
}
