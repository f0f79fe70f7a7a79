//! "flag" and "basic" output: on the official output tests, and against the engine on the whole official suite.

use microschema::{Dialect, Error, JsonError, JsonErrorKind, Limit, Options};
use microschema_mcp::output::{Evaluator, Output, OutputError, Reading};
use microschema_tests::generate::{Generator, Random};
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::suite;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::Path;

/// Locating comes to the verdict of the engine, whatever the schema.
fn agrees_with_the_engine(draft: &str, dialect: Dialect) {
    let Some(data) = microschema_tests::data() else { return };
    let folder = data.join("JSON-Schema-Test-Suite");
    let remotes = suite::remotes(&folder);
    let documents: Vec<(&str, &[u8])> = remotes.iter().map(|(uri, text)| (uri.as_str(), text.as_bytes())).collect();
    let (mut agreed, mut failed) = (0, Vec::new());
    for (name, path) in suite::files(&folder.join("tests").join(draft)) {
        let asserted = name.starts_with("optional/format/") || name == "optional/content.json";
        let reading = Reading { dialect, assert_formats: asserted, documents: &documents };
        for group in suite::groups(&path) {
            let label = format!("{draft}/{name}: {}", group.description);
            let mut evaluator = match Evaluator::new(group.schema.get().as_bytes(), &reading) {
                Ok(evaluator) => evaluator,
                Err(error) => {
                    failed.push(format!("{label}: schema refused: {error}"));
                    continue;
                }
            };
            for test in group.tests {
                match evaluator.basic(test.data.get().as_bytes()) {
                    Ok(output) if output.valid == test.valid => {
                        well_formed(&output);
                        agreed += 1;
                    }
                    other => failed.push(format!("{label}: {}: {other:?}", test.description)),
                }
            }
        }
    }
    println!("{draft}: {agreed} agree, {} do not", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn draft4() {
    agrees_with_the_engine("draft4", Dialect::Draft4);
}

#[test]
fn draft6() {
    agrees_with_the_engine("draft6", Dialect::Draft6);
}

#[test]
fn draft7() {
    agrees_with_the_engine("draft7", Dialect::Draft7);
}

#[test]
fn draft2019_09() {
    agrees_with_the_engine("draft2019-09", Dialect::Draft2019_09);
}

#[test]
fn draft2020_12() {
    agrees_with_the_engine("draft2020-12", Dialect::Draft2020_12);
}

/// The same for schemas that nobody thought of.
#[test]
fn agrees_on_generated_schemas() {
    let mut verdicts = [0, 0];
    for seed in 0..600 {
        let dialect = Dialect::ALL[seed as usize % Dialect::ALL.len()];
        let mut generator = SchemaGenerator { dialect, random: Random::new(seed) };
        let schema = generator.document();
        let text = schema.to_string();
        let reading = Reading { dialect, assert_formats: seed % 2 == 0, documents: &[] };
        let mut evaluator = Evaluator::new(text.as_bytes(), &reading).unwrap_or_else(|error| panic!("{error}: {text}"));
        for round in 0..6 {
            let instance = match round {
                0..3 => generator.instance(3),
                3 => Generator::new(&schema, seed).instance(12),
                _ => Generator::new(&schema, seed + round).instance(0),
            };
            let output = evaluator.basic(instance.to_string().as_bytes());
            let output = output.unwrap_or_else(|error| panic!("{error}: {text} {instance}"));
            well_formed(&output);
            verdicts[usize::from(output.valid)] += 1;
        }
    }
    println!("generated: {} valid, {} not", verdicts[1], verdicts[0]);
    assert!(verdicts[0] > 500 && verdicts[1] > 500, "{verdicts:?}");
}

/// What holds for any output.
fn well_formed(output: &Output) {
    assert_eq!(output.errors.is_empty(), output.valid, "{output:?}");
    assert!(output.annotations.is_empty() || output.valid, "{output:?}");
    for unit in &output.errors {
        assert!(!unit.valid && unit.error.is_some() && unit.annotation.is_none(), "{output:?}");
    }
    for unit in &output.annotations {
        assert!(unit.valid && unit.error.is_none() && unit.annotation.is_some(), "{output:?}");
    }
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    /// For each form of output a schema that it has to match.
    output: std::collections::BTreeMap<String, Box<RawValue>>,
}

/// Runs a file of output tests; gives how many passed.
fn run(groups: &str, dialect: Dialect, documents: &[(&str, &[u8])]) -> usize {
    let groups: Vec<Group> = serde_json::from_str(groups).expect("output tests");
    let reading = Reading { dialect, assert_formats: true, documents };
    let mut passed = 0;
    for group in groups {
        let mut evaluator = Evaluator::new(group.schema.get().as_bytes(), &reading).expect("a schema");
        for test in group.tests {
            let label = format!("{}: {}", group.description, test.description);
            let output = evaluator.basic(test.data.get().as_bytes()).expect(&label);
            for (form, schema) in test.output {
                let output = match form.as_str() {
                    "flag" => serde_json::to_string(&output.flag()),
                    "basic" => serde_json::to_string(&output),
                    // Not given.
                    "detailed" | "verbose" => continue,
                    _ => panic!("{label}: {form}"),
                };
                let output = output.expect("JSON");
                let mut expected = Evaluator::new(schema.get().as_bytes(), &reading).expect(&label);
                let verdict = expected.basic(output.as_bytes()).expect(&label);
                assert!(verdict.valid, "{label}:\n{output}\n{}", serde_json::to_string_pretty(&verdict).expect("JSON"));
                passed += 1;
            }
        }
    }
    passed
}

/// In the form of the official ones.
#[test]
fn output_tests_of_our_own() {
    let unit = include_bytes!("../data/output-unit.json");
    let documents: [(&str, &[u8]); 1] = [("https://microschema.example/output", unit)];
    assert_eq!(run(include_str!("../data/output-cases.json"), Dialect::Draft2020_12, &documents), 10);
}

#[test]
fn official_output_tests() {
    let Some(data) = microschema_tests::data() else { return };
    let folder = data.join("JSON-Schema-Test-Suite/output-tests");
    if !folder.is_dir() {
        eprintln!("skipped: no output tests in {}", folder.display());
        return;
    }
    for (draft, dialect) in suite::DIALECTS {
        let folder = folder.join(draft);
        if folder.is_dir() {
            let passed = run_folder(&folder, dialect);
            println!("{draft}: {passed} passed");
            assert!(passed > 0, "{draft}");
        }
    }
}

fn run_folder(folder: &Path, dialect: Dialect) -> usize {
    let schema = microschema_tests::read(&folder.join("output-schema.json"));
    let id = serde_json::from_str::<Value>(&schema).expect("JSON")["$id"].as_str().expect("an id").to_owned();
    let documents = [(id.as_str(), schema.as_bytes())];
    let files = suite::files(&folder.join("content"));
    files.iter().map(|(_, path)| run(&microschema_tests::read(path), dialect, &documents)).sum()
}

/// Depth and work are bounded, whatever the engine makes of the same schema.
#[test]
fn limits_are_no_verdicts() {
    let nested = |levels: usize| format!("{}{{}}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    let simple = br##"{"properties": {"a": {"$ref": "#"}}, "type": "object"}"##;
    let program = Options::new().compile_owned(simple).expect("a schema");
    let mut evaluator = Evaluator::new(simple, &Reading::default()).expect("a schema");
    let deepest = (0..400).rfind(|levels| program.as_program().is_valid(nested(*levels).as_bytes()) == Ok(true));
    let deepest = nested(deepest.expect("some depth"));
    assert!(evaluator.basic(deepest.as_bytes()).expect("as deep as the engine goes").valid);

    let chain = br##"{"properties": {"a": {"$ref": "#/$defs/a"}}, "type": "object", "$defs": {
        "a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"allOf": [{"$ref": "#"}]}}}"##;
    let mut evaluator = Evaluator::new(chain, &Reading::default()).expect("a schema");
    assert!(evaluator.basic(nested(66).as_bytes()).expect("within the limits").valid);
    let error = evaluator.basic(nested(67).as_bytes()).expect_err("too deep for this");
    assert_eq!(error, OutputError::Instance(Error::Limit(Limit::Depth)));
    let program = Options::new().compile_owned(chain).expect("a schema");
    assert_eq!(program.as_program().is_valid(nested(67).as_bytes()), Ok(true));

    let twice = br##"{"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}"##;
    let mut evaluator = Evaluator::new(twice, &Reading::default()).expect("a schema");
    let nested = format!("{}{}", "[".repeat(50), "]".repeat(50));
    let error = evaluator.basic(nested.as_bytes()).expect_err("too much for this");
    assert_eq!(error, OutputError::Instance(Error::Limit(Limit::Steps)));
}

/// A schema, an instance, and what is to be told: keyword location, instance location, annotation.
#[test]
fn annotations() {
    for (schema, instance, expected) in [
        (
            r#"{"title": "t", "description": "d", "default": {"a" : [1, " "]}, "$comment": "c"}"#,
            "1",
            json!([
                ["/title", "", "t"], ["/description", "", "d"], ["/default", "", {"a": [1, " "]}],
            ]),
        ),
        (
            r#"{"deprecated": true, "readOnly": false, "writeOnly": true, "examples": [1], "x-own": null}"#,
            "1",
            json!([
                ["/deprecated", "", true],
                ["/readOnly", "", false],
                ["/writeOnly", "", true],
                ["/examples", "", [1]],
                ["/x-own", "", null],
            ]),
        ),
        // Numbers stay as they are written, and no annotation survives the schema that it stands in.
        (
            r#"{"anyOf": [{"type": "string", "title": "s"}, {"default": 1e400}, {"title": "n"}]}"#,
            "1",
            json!([["/anyOf/1/default", "", "1e400"], ["/anyOf/2/title", "", "n"],]),
        ),
        (
            r#"{"not": {"type": "string", "title": "a"}, "if": false, "then": {"title": "b"}, "else": {"title": "c"}}"#,
            "1",
            json!([["/else/title", "", "c"],]),
        ),
        (
            r#"{"properties": {"a~/": {"title": "t"}, "b": true}, "patternProperties": {"^x": true}, "additionalProperties": {"title": "r"}}"#,
            r#"{"c": 1, "x\u0079": 2, "a~/": 3}"#,
            json!([
                ["/properties", "", ["a~/"]],
                ["/properties/a~0~1/title", "/a~0~1", "t"],
                ["/patternProperties", "", ["xy"]],
                ["/additionalProperties", "", ["c"]],
                ["/additionalProperties/title", "/c", "r"],
            ]),
        ),
        (
            r#"{"prefixItems": [true, {"title": "t"}], "contains": {"type": "string"}, "unevaluatedItems": {"title": "u"}}"#,
            r#"[1, 2, "a", 3]"#,
            json!([
                ["/prefixItems", "", 1],
                ["/prefixItems/1/title", "/1", "t"],
                ["/contains", "", [2]],
                ["/unevaluatedItems", "", true],
                ["/unevaluatedItems/title", "/3", "u"],
            ]),
        ),
        (
            r#"{"prefixItems": [true], "items": true, "contains": true}"#,
            "[1, 2]",
            json!([["/prefixItems", "", 0], ["/items", "", true], ["/contains", "", true],]),
        ),
        (
            r#"{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": {"title": "u"}}"#,
            r#"{"a": 1, "b": 2}"#,
            json!([
                ["/allOf/0/properties", "", ["a"]],
                ["/unevaluatedProperties", "", ["b"]],
                ["/unevaluatedProperties/title", "/b", "u"],
            ]),
        ),
        (
            r#"{"contentMediaType": "application/json", "contentSchema": {"type": "array"}, "format": "date"}"#,
            "1",
            json!([["/format", "", "date"],]),
        ),
        (
            r#"{"contentMediaType": "application/json", "contentSchema": {"type": "array"}}"#,
            r#""{}""#,
            json!([
                ["/contentMediaType", "", "application/json"], ["/contentSchema", "", {"type": "array"}],
            ]),
        ),
    ] {
        let output = basic(schema, instance);
        assert!(output.valid, "{schema}: {output:?}");
        let told = output.annotations.iter().map(|unit| {
            let annotation = unit.annotation.as_ref().expect("an annotation").get();
            // What is too great for the reader of this test is compared as text.
            let annotation = serde_json::from_str(annotation).unwrap_or_else(|_| json!(annotation));
            json!([unit.keyword_location, unit.instance_location, annotation])
        });
        assert_eq!(told.collect::<Vec<_>>(), *expected.as_array().expect("a list"), "{schema}");
    }
}

/// The same for errors: keyword location, instance location, message.
#[test]
fn errors() {
    for (schema, instance, expected) in [
        ("false", "1", json!([["", "", "no value is allowed here"]])),
        (
            r#"{"type": "string", "title": "t", "minimum": 3}"#,
            "1",
            json!([["/type", "", "must be a string"], ["/minimum", "", "must be at least 3"],]),
        ),
        // Each branch has its say, unless one of them holds.
        (
            r#"{"anyOf": [{"type": "string"}, {"maximum": 0}], "oneOf": [{"type": "string"}, true]}"#,
            "1",
            json!([
                ["/anyOf", "", "does not match any of the schemas"],
                ["/anyOf/0/type", "", "must be a string"],
                ["/anyOf/1/maximum", "", "must be at most 0"],
            ]),
        ),
        (
            r#"{"oneOf": [true, {"type": "integer"}, false], "not": {"const": 1}, "allOf": [true, false]}"#,
            "1",
            json!([
                ["/oneOf", "", "matches 2 of the schemas, where only one may match"],
                ["/not", "", "must not match the schema"],
                ["/allOf", "", "does not match all of the schemas"],
                ["/allOf/1", "", "no value is allowed here"],
            ]),
        ),
        (
            r#"{"required": ["a", "b"], "propertyNames": {"maxLength": 2}, "dependentSchemas": {"c": {"required": ["d"]}}}"#,
            r#"{"c": 1, "long": 1}"#,
            json!([
                ["/required", "", "/a: is required; /b: is required"],
                ["/propertyNames", "", "not all properties match"],
                ["/propertyNames/maxLength", "", "must have at most 2 characters"],
                ["/dependentSchemas/c", "", "must match, as the property is there"],
                ["/dependentSchemas/c/required", "", "/d: is required"],
            ]),
        ),
        (
            r#"{"contains": {"minimum": 5}, "minContains": 2, "maxContains": 1}"#,
            "[4, 5]",
            json!([
                ["/minContains", "", "must contain at least 2 items that match, but has 1"],
                ["/contains/minimum", "/0", "must be at least 5"],
            ]),
        ),
        (
            r#"{"contains": true, "maxContains": 1}"#,
            "[4, 5]",
            json!([["/maxContains", "", "must contain at most 1 items that match, but has 2"],]),
        ),
        (
            r#"{"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": {"const": 2}}}, "unevaluatedProperties": false}"#,
            r#"{"a": 1, "b": 1, "c": 0}"#,
            json!([
                ["/then", "", "must match, as the value matches the schema of `if`"],
                ["/then/properties", "", "not all properties match"],
                ["/then/properties/b/const", "/b", "must be 2"],
                ["/unevaluatedProperties", "", "something is left over that does not match"],
                ["/unevaluatedProperties", "/c", "no value is allowed here"],
            ]),
        ),
        // Exact, however many digits.
        (
            r#"{"items": {"maximum": 12345678901234567890.1}}"#,
            "[12345678901234567890.1, 12345678901234567890.2]",
            json!([
                ["/items", "", "not all items match"],
                ["/items/maximum", "/1", "must be at most 12345678901234567890.1"],
            ]),
        ),
    ] {
        let output = basic(schema, instance);
        let told = output.errors.iter().map(|unit| json!([unit.keyword_location, unit.instance_location, unit.error]));
        assert_eq!(told.collect::<Vec<_>>(), *expected.as_array().expect("a list"), "{schema}");
    }
}

/// The way leads through references; the absolute location is where the keyword stands.
#[test]
fn absolute_locations() {
    let other = br#"{"$defs": {"a b": {"type": "string"}}}"#;
    let documents: [(&str, &[u8]); 1] = [("https://example.com/other", other)];
    let reading = Reading { documents: &documents, ..Reading::default() };
    let locations = |schema: &str, instance: &str| {
        let output = Evaluator::new(schema.as_bytes(), &reading).expect(schema).basic(instance.as_bytes());
        let last = output.expect(schema).errors.pop().expect("an error");
        (last.keyword_location, last.absolute_keyword_location)
    };
    for (schema, instance, relative, absolute) in [
        (
            r##"{"$id": "https://example.com/s", "items": {"$ref": "other#/$defs/a%20b"}}"##,
            "[1]",
            "/items/$ref/type",
            Some("https://example.com/other#/$defs/a%20b/type"),
        ),
        (
            r##"{"$id": "https://example.com/s", "$ref": "#c", "$defs": {"a": {"$id": "/t", "$defs": {"b": {"type": "null"}}},
                "c": {"$anchor": "c", "$ref": "t#/$defs/b"}}}"##,
            "1",
            "/$ref/$ref/type",
            Some("https://example.com/t#/$defs/b/type"),
        ),
        (
            r##"{"$id": "https://example.com/s", "$ref": "list", "$defs": {
                "e": {"$dynamicAnchor": "element", "type": "string"},
                "list": {"$id": "list", "items": {"$dynamicRef": "#element"}, "$defs": {"e": {"$dynamicAnchor": "element"}}}}}"##,
            "[1]",
            "/$ref/items/$dynamicRef/type",
            Some("https://example.com/s#/$defs/e/type"),
        ),
        (
            r##"{"$id": "https://example.com/s", "patternProperties": {"^\"é": false}}"##,
            r#"{"\"é": 1}"#,
            "/patternProperties/^\"é",
            Some("https://example.com/s#/patternProperties/%5E%22%C3%A9"),
        ),
        // Without an absolute URI there is none.
        (r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}"##, "1", "/$ref/type", None),
        (r##"{"$id": "relative", "type": "null"}"##, "1", "/type", None),
    ] {
        let expected = (relative.to_owned(), absolute.map(str::to_owned));
        assert_eq!(locations(schema, instance), expected, "{schema}");
    }
}

/// A name that comes twice is found where it stands, even if only a keyword minds that the engine has no use for.
#[test]
fn duplicate_names_are_no_verdicts() {
    for schema in [r#"{"items": {"required": ["a"]}}"#, r#"{"items": {"anyOf": [true, {"required": ["a"]}]}}"#] {
        let mut evaluator = Evaluator::new(schema.as_bytes(), &Reading::default()).expect(schema);
        let error = evaluator.basic(br#"[1, {"a": 1, "a": 2}]"#).expect_err(schema);
        let twice = JsonError { kind: JsonErrorKind::DuplicateName, at: 13 };
        assert_eq!(error, OutputError::Instance(Error::Json(twice)), "{schema}");
    }
}

/// What is left out is not written as `null`, and what is written has the names of the specification.
#[test]
fn as_json() {
    let output = basic(r#"{"$id": "https://example.com/s", "type": "string"}"#, "1");
    assert_eq!(serde_json::to_value(output.flag()).expect("JSON"), json!({"valid": false}));
    assert_eq!(
        serde_json::to_string(&output).expect("JSON"),
        concat!(
            r##"{"valid":false,"keywordLocation":"","absoluteKeywordLocation":"https://example.com/s#","instanceLocation":"","##,
            r##""errors":[{"valid":false,"keywordLocation":"/type","absoluteKeywordLocation":"https://example.com/s#/type","##,
            r##""instanceLocation":"","error":"must be a string"}]}"##
        )
    );
    assert_eq!(
        serde_json::to_string(&basic(r#"{"readOnly": true}"#, "1")).expect("JSON"),
        concat!(
            r#"{"valid":true,"keywordLocation":"","instanceLocation":"","#,
            r#""annotations":[{"valid":true,"keywordLocation":"/readOnly","instanceLocation":"","annotation":true}]}"#
        )
    );
    let nothing = serde_json::to_string(&basic("true", "1")).expect("JSON");
    assert_eq!(nothing, r#"{"valid":true,"keywordLocation":"","instanceLocation":""}"#);
}

fn basic(schema: &str, instance: &str) -> Output {
    let mut evaluator = Evaluator::new(schema.as_bytes(), &Reading::default()).expect(schema);
    let output = evaluator.basic(instance.as_bytes()).expect(schema);
    well_formed(&output);
    output
}
