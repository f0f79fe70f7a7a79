//! Contracts: what they refuse, what they say about it, and within which bounds.
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema::{Issues, JsonErrorKind, Limit, Limits, Options, SchemaErrorKind};
use microschema_mcp::{
    Contract, Document, Failure, Gate, META_ISSUES, Policy, Reason, Reply, Segment, Side, Structured, Terms,
    Uncompilable,
};
use serde_json::{Value, json};

fn contract(input: Value, terms: Terms) -> Contract {
    let contract = Contract::new("tool", &input, Document::Absent, terms);
    assert_eq!(contract.problems(), []);
    contract
}

fn refused<'a>(input: Value, terms: Terms, arguments: impl Into<Document<'a>>) -> Failure {
    contract(input, terms).check_input(arguments).unwrap_err()
}

#[test]
fn the_root_is_an_object_whatever_the_schema_says() {
    for (text, message) in [
        ("[1]", "must be an object"),
        ("7", "must be an object"),
        (r#""{}""#, "must be an object: send the object itself, not a string of JSON"),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        for arguments in [Document::from(text), Document::from(&value)] {
            let failure = refused(json!({}), Terms::new(), arguments);
            let issue = &failure.issues()[0];
            assert_eq!((issue.path.len(), issue.keyword, &*issue.message), (0, "type", message));
            assert!(failure.to_string().ends_with(&format!("\n- at (root): {message} (type)")), "{failure}");
        }
    }
    // Where the schema says it too, it is said once.
    assert_eq!(refused(json!({"type": "object"}), Terms::new(), "[1]").issues().len(), 1);
    // Structured content may be any value that its schema allows.
    let output = Contract::new("tool", Document::Absent, &json!({"type": ["array", "null"]}), Terms::new());
    assert!(output.check_output("[1]").is_ok() && output.check_output(&Value::Null).is_ok());
    assert_eq!(output.check_output("{}").unwrap_err().side, Side::Output);
}

#[test]
fn absent_and_null_arguments_are_an_empty_object() {
    let schema = json!({"required": ["a"]});
    for arguments in [Document::Absent, Document::from(&Value::Null), "null".into(), "{}".into()] {
        let failure = refused(schema.clone(), Terms::new(), arguments);
        assert_eq!(failure.issues()[0].path, [Segment::Name("a".to_owned())]);
        assert!(contract(json!({}), Terms::new()).check_input(arguments).is_ok());
    }
}

#[test]
fn a_schema_that_takes_only_null_takes_absent_arguments() {
    let unit = contract(json!({"title": "null", "type": "null"}), Terms::new());
    assert!(unit.check_input(Document::Absent).is_ok() && unit.check_input("null").is_ok());
    assert!(unit.check_input("{}").is_err());
}

#[test]
fn bytes_that_are_not_json_are_told_apart_from_those_that_were_cut_off() {
    let cut = refused(json!({}), Terms::new(), r#"{"text": "Once upon"#);
    assert!(matches!(cut.reason, Reason::Json(error) if error.kind == JsonErrorKind::EndsInString));
    assert_eq!(
        cut.to_string(),
        "Invalid input: the arguments were cut off: input ends inside a string at byte 19. Send the whole call again."
    );
    let wrong = refused(json!({}), Terms::new(), "{'a': 1}");
    assert_eq!(
        wrong.to_string(),
        "Invalid input: the arguments cannot be read: expected a member name in quotes at byte 1."
    );
    assert_eq!(wrong.problem_details()["status"], 400);
}

#[test]
fn names_that_come_twice_are_refused_on_request() {
    let bytes = r#"{"other": {"a": 1, "a": 2}}"#;
    assert!(contract(json!({}), Terms::new()).check_input(bytes).is_ok());
    let failure = refused(json!({}), Terms::new().unique_names(true), bytes);
    assert!(matches!(failure.reason, Reason::Json(error) if error.kind == JsonErrorKind::DuplicateName));
}

#[test]
fn limits_refuse() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(20), "]".repeat(20));
    let terms = Terms::new().limits(Limits::new().with_depth(10));
    let schema = json!({"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "properties": {"a": {"$ref": "#/$defs/a"}}});
    let value: Value = serde_json::from_str(&deep).unwrap();
    for arguments in [Document::from(&*deep), Document::from(&value)] {
        let failure = refused(schema.clone(), terms.clone(), arguments);
        assert!(matches!(failure.reason, Reason::Limit(Limit::Depth)), "{failure:?}");
        assert_eq!(failure.to_string(), "Invalid input: the arguments could not be checked: depth limit reached.");
        assert_eq!(failure.problem_details()["status"], 413);
    }
}

#[test]
fn issues_and_their_text_are_bounded() {
    let many: Vec<Value> = (0..100_000).map(Value::from).collect();
    let arguments = json!({"list": many});
    let failure = refused(json!({"properties": {"list": {"items": {"type": "string"}}}}), Terms::new(), &arguments);
    assert_eq!((failure.issues().len(), failure.omitted()), (5, 99_995));
    assert!(failure.to_string().ends_with("\n- and 99995 more"));
    assert!(failure.to_string().len() < 500, "{failure}");

    let name = "n".repeat(1000);
    let arguments = json!({ &*name: {"b": 1} });
    let terms = Terms::new().characters(10);
    let failure = refused(json!({"additionalProperties": {"additionalProperties": false}}), terms, &arguments);
    let issue = &failure.issues()[0];
    assert_eq!(issue.path, [Segment::Name("nnnnnnnnn…".to_owned())]);
    assert_eq!((&*issue.pointer, &*issue.message), ("/nnnnnnnnn…", "is not an …"));

    let none = refused(json!({"required": ["a"]}), Terms::new().issues(0), "{}");
    assert_eq!((none.issues().len(), none.omitted()), (0, 1));
    assert!(none.to_string().ends_with("\n- and 1 more"));
}

#[test]
fn values_show_only_when_asked_for() {
    let schema = json!({"properties": {"pin": {"maximum": 9}}});
    let arguments = json!({"pin": 123_456});
    let silent = refused(schema.clone(), Terms::new(), &arguments);
    assert!(!silent.to_string().contains("123"), "{silent}");
    let telling = refused(schema, Terms::new().show_values(4), &arguments);
    assert!(telling.to_string().ends_with("must be at most 9, got 123… (maximum)"), "{telling}");
}

#[test]
fn a_schema_that_cannot_be_honoured_is_a_problem_with_its_place() {
    let input = json!({"type": "object", "properties": {"a/b": {"pattern": "("}}});
    let refusing = Contract::new("tool", &input, Document::Absent, Terms::new());
    let [problem] = refusing.problems() else { panic!("{refusing:?}") };
    assert_eq!((problem.side, &*problem.pointer), (Side::Input, "/properties/a~1b/pattern"));
    assert_eq!(problem.kind, SchemaErrorKind::InvalidPattern);
    let failure = refusing.check_input("{}").unwrap_err();
    assert!(matches!(&failure.reason, Reason::Schema(of) if of == problem));
    assert_eq!(failure.problem_details()["status"], 500);

    let allowing = Contract::new("tool", &input, Document::Absent, Terms::new().uncompilable(Uncompilable::Allow));
    assert_eq!(allowing.problems().len(), 1);
    assert!(allowing.check_input("{}").is_ok());
    // What is not checked need not compile.
    assert!(Contract::new("tool", &input, Document::Absent, Terms::new().check_input(false)).problems().is_empty());
    // Not even a schema that is not JSON makes it panic.
    assert_eq!(Contract::new("tool", "{", "", Terms::new()).problems().len(), 2);
}

#[test]
fn formats_are_asserted_unless_told_otherwise() {
    let schema = json!({"properties": {"mail": {"format": "email"}, "count": {"format": "uint32"}}});
    let arguments = json!({"mail": "nobody", "count": 1});
    assert_eq!(refused(schema.clone(), Terms::new(), &arguments).issues().len(), 1);
    assert!(contract(schema, Terms::new().assert_formats(false)).check_input(&arguments).is_ok());
}

#[test]
fn a_reply_goes_over_the_wire_as_a_tool_error() {
    let schema = json!({"properties": {"a b": {"maximum": 1}}});
    let failure = refused(schema, Terms::new(), r#"{"a b": 2}"#);
    let issue = json!({"path": ["a b"], "pointer": "/a b", "keyword": "maximum", "message": "must be at most 1"});
    let text =
        "Invalid input: the arguments do not match the tool's input schema.\n- at /a b: must be at most 1 (maximum)";
    let mut expected = json!({
        "content": [{"type": "text", "text": text}],
        "isError": true,
        "_meta": {META_ISSUES: [issue]},
    });
    assert_eq!(serde_json::to_value(failure.reply(Structured::Nothing)).unwrap(), expected);
    expected["structuredContent"] = json!({"issues": [issue], "omitted": 0});
    assert_eq!(serde_json::to_value(failure.reply(Structured::Issues)).unwrap(), expected);
    expected["structuredContent"] = json!({
        "status": 422,
        "title": "Unprocessable Content",
        "detail": "Invalid input: the arguments do not match the tool's input schema.",
        "errors": [{"pointer": "#/a%20b", "detail": "must be at most 1"}],
    });
    assert_eq!(serde_json::to_value(failure.reply(Structured::ProblemDetails)).unwrap(), expected);
}

#[test]
fn hooks_see_the_failure_and_what_it_is_about() {
    let policy = Policy::<Reply>::new().on_input_error(|failure, arguments| {
        let wanted = arguments.as_object()?.get("locale")?.as_str()? == "de";
        let mut reply = failure.reply(Structured::Nothing);
        reply.text = format!("Ungültig: {}", failure.tool);
        wanted.then_some(reply)
    });
    let gate = Gate::new(policy).tool("plain", |_| Policy::new());
    let schema = json!({"properties": {"a": false}});
    let answer = |tool: &str, locale: &str| {
        let guard = gate.guard(tool, &schema, Document::Absent);
        guard.check_input(&json!({"a": 1, "locale": locale})).unwrap_err().text
    };
    assert_eq!(answer("greet", "de"), "Ungültig: greet");
    assert!(answer("greet", "en").starts_with("Invalid input: "));
    assert!(answer("plain", "de").starts_with("Invalid input: "));
}

/// The text with which the core's table of tools answers a call of the only tool, whose result would be `content`.
fn text_of_core(schemas: &[Value; 2], arguments: &str, content: &str, limits: Limits) -> String {
    use microschema::mcp::{Called, Message, Raw, Tool, Tools};
    let definition = json!({"name": "tool", "inputSchema": schemas[0], "outputSchema": schemas[1]}).to_string();
    let [input, output] =
        schemas.each_ref().map(|schema| Options::new().compile_owned(schema.to_string().as_bytes()).unwrap());
    let tool = [Tool::new(definition.as_bytes(), input.as_program(), Some(output.as_program())).unwrap()];
    let tools = Tools::new(&tool).unwrap().limits(limits);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"tool","arguments":{arguments}}}}}"#
    );
    let Ok(Message::Request(request)) = Message::read(line.as_bytes()) else { panic!("{line}") };
    let (mut issues, mut out) = (Issues::<5>::new(), [0; 4096]);
    let length = match tools.call(&request, &mut issues, &mut out).unwrap() {
        Called::Answered(length) => length,
        Called::Run(call) if content.is_empty() => call.text(&mut out, &"").unwrap(),
        Called::Run(call) => call.structured(Raw::new(content.as_bytes()).unwrap(), &mut issues, &mut out).unwrap(),
    };
    let answer: Value = serde_json::from_slice(&out[..length]).unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_same_failure_reads_the_same_from_the_core() {
    let terms = Terms::new().require_structured_content(true);
    let schema =
        json!({"properties": {"pin": {"type": "integer", "maximum": 9}}, "required": ["a", "b", "c", "d", "e"]});
    for (input, content, limits) in [
        (r#"{"pin": 10, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}"#, "", Limits::new()),
        (r#"{"pin": "7"}"#, "", Limits::new()),
        (r#"{"pin": 1, "pin": 2}"#, "", Limits::new()),
        (r#"{"pin": [[1]]}"#, "", Limits::new().with_depth(2)),
        (r#"{"pin": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}"#, "", Limits::new()),
        (r#"{"pin": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}"#, r#"{"pin": 10}"#, Limits::new()),
        (r#"{"pin": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}"#, r#"{"pin": 1, "pin": 2}"#, Limits::new()),
        (r#"{"pin": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}"#, "[[[1]]]", Limits::new().with_depth(2)),
    ] {
        let contract = Contract::new("tool", &schema, &schema, terms.clone().limits(limits));
        let content_or_none = (!content.is_empty()).then_some(content);
        let failure = contract.check_input(input).and_then(|()| contract.check_output(content_or_none)).unwrap_err();
        let schemas = [schema.clone(), schema.clone()];
        assert_eq!(text_of_core(&schemas, input, content, limits), failure.to_string(), "{input} {content}");
    }
}
