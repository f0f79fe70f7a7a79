//! Nothing allocates: not compiling, not loading, not validating, not describing what is wrong, not serving tools.

use microschema::mcp::{Definition, Lines, Tool, Tools};
use microschema::{Issues, Options, Program};
use microschema_mcp::{Contract, Document, Terms};
use microschema_tests::server::serve;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::{self, Write};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` and gives what it gave, and how often it allocated.
fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = work();
    (result, COUNT.get() - before)
}

/// Takes text into a fixed buffer; what does not fit is dropped.
struct Buffer {
    bytes: [u8; 4096],
    len: usize,
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.len;
        let taken = text.len().min(room);
        self.bytes[self.len..self.len + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.len += taken;
        Ok(())
    }
}

/// A schema with every kind of keyword, and an instance that fails most of them.
const SCHEMA: &[u8] = br##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"node": {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/node"}}}, "required": ["v"]}},
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 8, "pattern": "^(?=[a-z])[a-z0-9_]+$"},
        "when": {"format": "date-time"}, "host": {"format": "idn-hostname"}, "mail": {"format": "email"},
        "level": {"type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5},
        "mode": {"enum": ["slow", "fast", 1.5, {"a": [1]}]}, "kind": {"const": "x"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 1, "maxItems": 3},
        "pair": {"prefixItems": [{"type": "integer"}, {"type": "null"}], "items": false},
        "some": {"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3},
        "shape": {"oneOf": [
            {"properties": {"type": {"const": "circle"}, "r": {"type": "number"}}, "required": ["type", "r"]},
            {"properties": {"type": {"const": "square"}, "a": {"type": "number"}}, "required": ["type", "a"]}]},
        "any": {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "integer", "minimum": 7}, {"type": "null"}]},
        "tree": {"$ref": "#/$defs/node"},
        "if": {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        "not": {"not": {"type": "string"}},
        "rest": {"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false, "maxProperties": 1}
    },
    "patternProperties": {"^x-": {"type": "string"}},
    "propertyNames": {"maxLength": 10},
    "dependentRequired": {"name": ["when", "mail"]}, "dependentSchemas": {"mode": {"required": ["level"]}},
    "required": ["name", "missing"],
    "additionalProperties": false
}"##;

const INSTANCE: &[u8] = br#"{
    "name": "Z\u00fcrich, and more", "when": "soon", "host": "-a", "mode": "medium", "kind": "y", "tags": ["a", "b", "c", "a", 5],
    "pair": [1.5, null, 3], "some": [1], "shape": {"type": "circle", "a": 1}, "any": 3, "tree": {"v": 1, "kids": [{"kids": []}]},
    "if": {"a": 1}, "not": "x", "rest": {"a": 1, "b": 2}, "level": 12.25, "x-a": 1, "nmae": 1, "a name too long": 1
}"#;

#[test]
fn nothing_allocates() {
    let mut arena = vec![0; 1 << 16];
    let (program, count) = counted(|| Options::new().compile(SCHEMA, &mut arena));
    let program = program.expect("the schema compiles");
    assert_eq!(count, 0, "compile");

    let image = program.as_bytes().to_vec();
    let (program, count) = counted(|| Program::from_bytes(&image));
    let program = program.expect("the image is a program");
    assert_eq!(count, 0, "from_bytes");

    assert_eq!(counted(|| program.is_valid(INSTANCE)), (Ok(false), 0), "is_valid");

    let mut issues = Issues::<64>::new();
    assert_eq!(counted(|| program.validate(INSTANCE, &mut issues)), (Ok(false), 0), "validate");
    assert!(issues.as_slice().len() >= 20 && issues.omitted() == 0, "{issues:?}");

    let mut text = Buffer { bytes: [0; 4096], len: 0 };
    let (result, count) = counted(|| {
        issues.iter().try_for_each(|issue| writeln!(text, "{}", issue.describe(&program, INSTANCE).show_value(20)))
    });
    result.expect("the buffer takes everything");
    assert_eq!(count, 0, "Display of {issues:?}");

    let mut json = [0; 8192];
    let (written, count) = counted(|| {
        let mut serializer = serde_json::Serializer::new(&mut json[..]);
        let described = issues.iter().map(|issue| issue.describe(&program, INSTANCE));
        serde::Serializer::collect_seq(&mut serializer, described)
    });
    written.expect("the buffer takes everything");
    assert_eq!(count, 0, "Serialize");
}

#[test]
fn errors_allocate_nothing() {
    let mut arena = [0; 1024];
    let mut text = Buffer { bytes: [0; 4096], len: 0 };
    let ((), count) = counted(|| {
        let error = Options::new().compile(br#"{"type": "strng"}"#, &mut arena).expect_err("no such type");
        write!(text, "{error}").expect("fits");
        let program = Options::new().compile(b"{}", &mut arena).expect("compiles");
        let error = program.is_valid(br#"{"a": "cut"#).expect_err("cut off");
        write!(text, "{error}").expect("fits");
    });
    assert_eq!(count, 0);
    assert!(text.len > 20);
}

#[test]
fn a_server_allocates_nothing() {
    let definition =
        br#"{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"maximum": 1, "pattern": "^a+$"}}}}"#;
    let mut arena = [0; 1024];
    let (mut buffer, mut out) = ([0; 512], [0; 1024]);
    let (answered, count) = counted(|| {
        let schema = Definition::read(definition).expect("a definition").input_schema();
        let program = Options::new().compile(schema.as_bytes(), &mut arena).expect("compiles");
        let tools = [Tool::new(definition, program, None).expect("a tool")];
        let tools = Tools::new(&tools).expect("a table");
        let mut answered = 0;
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":"2","method":"tools/call","params":{"name":"t","arguments":{"a":1}}}"#,
            r#"{"jsonrpc":"2.0","id":"3","method":"tools/call","params":{"name":"t","arguments":{"a":2}}}"#,
            r#"{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"t","arguments":{"a":"\u0062\ud83d\ude00"}}}"#,
            r#"{"jsonrpc":"2.0","id":"5","method":"tools/call","params":{"name":"u"}}"#,
            r#"{"jsonrpc":"2.0","id":6,"method":"#,
        ] {
            let mut lines = Lines::new(&mut buffer);
            serve(&mut lines, line.as_bytes(), &tools, &mut out, &mut |_| answered += 1);
            serve(&mut lines, b"\n", &tools, &mut out, &mut |_| answered += 1);
        }
        answered
    });
    assert_eq!((answered, count), (6, 0));
}

#[test]
fn the_counter_counts() {
    assert_eq!(counted(|| vec![1_u8; 10].len()), (10, 1));
}

#[test]
fn a_contract_lets_valid_calls_through_without_allocating() {
    let schema = String::from_utf8_lossy(SCHEMA).replace(r#", "missing""#, "");
    let contract = Contract::new("tool", &*schema, &*schema, Terms::new());
    let text = r#"{"name": "valve", "when": "2026-11-30T14:00:00Z", "mail": "a@example.org", "level": 2, "mode": "fast",
        "tags": ["a", "b"], "pair": [1, null], "shape": {"type": "circle", "r": 0.25}, "any": null, "rest": {"a": 1},
        "tree": {"v": 1e300, "kids": [{"v": -7}]}, "x-a": ""}"#;
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let object = value.as_object().expect("an object");
    for document in [Document::from(text), Document::from(&value), Document::from(object)] {
        // The first number of a process finds out how `serde_json` was built.
        let _ = (contract.check_input(document), contract.check_output(document));
        let (result, allocations) = counted(|| (contract.check_input(document), contract.check_output(document)));
        assert!(matches!(result, (Ok(()), Ok(()))), "{result:?}");
        assert_eq!(allocations, 0, "{document:?}");
    }
}
