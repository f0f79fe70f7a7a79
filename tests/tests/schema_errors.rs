//! Every way a schema can be invalid in its dialect is an error of the compiler, at the right place; and what compiles is valid
//! against the meta-schema of its dialect.

use microschema::Dialect::{self, Draft4, Draft6, Draft7, Draft2019_09, Draft2020_12};
use microschema::SchemaErrorKind::{self, *};
use microschema::{Options, compile};
use microschema_tests::{suite, tools};
use std::ops::RangeInclusive;

const ALL: RangeInclusive<Dialect> = Draft4..=Draft2020_12;
const BOOLEANS: RangeInclusive<Dialect> = Draft6..=Draft2020_12;
const NEW: RangeInclusive<Dialect> = Draft2019_09..=Draft2020_12;

/// Dialects, schema, error, and the JSON Pointer of the place.
const INVALID: &[(RangeInclusive<Dialect>, &str, SchemaErrorKind, &str)] = &[
    (ALL, "1", ExpectedSchema, ""),
    (Draft4..=Draft4, "true", ExpectedSchema, ""),
    (ALL, r#"{"type": "any"}"#, UnknownType, "/type"),
    (ALL, r#"{"type": 1}"#, ExpectedArray, "/type"),
    (ALL, r#"{"type": []}"#, EmptyArray, "/type"),
    (ALL, r#"{"type": ["null", "any"]}"#, UnknownType, "/type/1"),
    (ALL, r#"{"type": ["null", "null"]}"#, DuplicateItem, "/type/1"),
    (ALL, r#"{"enum": 1}"#, ExpectedArray, "/enum"),
    (Draft4..=Draft4, r#"{"enum": []}"#, EmptyArray, "/enum"),
    (Draft4..=Draft4, r#"{"enum": [1, [2], 1]}"#, DuplicateItem, "/enum/2"),
    (Draft4..=Draft4, r#"{"enum": [null, null]}"#, DuplicateItem, "/enum/1"),
    (Draft4..=Draft4, r#"{"enum": [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]}"#, DuplicateItem, "/enum/1"),
    (ALL, r#"{"title": 1}"#, ExpectedString, "/title"),
    (ALL, r#"{"description": []}"#, ExpectedString, "/description"),
    (ALL, r#"{"format": 1}"#, ExpectedString, "/format"),
    (ALL, r#"{"pattern": 1}"#, ExpectedString, "/pattern"),
    (ALL, r#"{"pattern": "("}"#, InvalidPattern, "/pattern"),
    (ALL, r#"{"patternProperties": {"(": {}}}"#, InvalidPattern, "/patternProperties/("),
    (ALL, r#"{"multipleOf": "1"}"#, ExpectedNumber, "/multipleOf"),
    (ALL, r#"{"multipleOf": 0}"#, ExpectedPositive, "/multipleOf"),
    (ALL, r#"{"multipleOf": -2}"#, ExpectedPositive, "/multipleOf"),
    (ALL, r#"{"maximum": "1"}"#, ExpectedNumber, "/maximum"),
    (ALL, r#"{"minimum": null}"#, ExpectedNumber, "/minimum"),
    (Draft4..=Draft4, r#"{"maximum": 1, "exclusiveMaximum": 1}"#, ExpectedBoolean, "/exclusiveMaximum"),
    (Draft4..=Draft4, r#"{"exclusiveMaximum": true}"#, MissingKeyword, "/exclusiveMaximum"),
    (Draft4..=Draft4, r#"{"maximum": 1, "exclusiveMinimum": false}"#, MissingKeyword, "/exclusiveMinimum"),
    (BOOLEANS, r#"{"exclusiveMaximum": true}"#, ExpectedNumber, "/exclusiveMaximum"),
    (BOOLEANS, r#"{"exclusiveMinimum": true}"#, ExpectedNumber, "/exclusiveMinimum"),
    (ALL, r#"{"maxLength": -1}"#, ExpectedCount, "/maxLength"),
    (ALL, r#"{"minLength": 1.5}"#, ExpectedCount, "/minLength"),
    (Draft4..=Draft4, r#"{"minLength": 1.0}"#, ExpectedCount, "/minLength"),
    (ALL, r#"{"maxItems": "1"}"#, ExpectedCount, "/maxItems"),
    (ALL, r#"{"minItems": -1}"#, ExpectedCount, "/minItems"),
    (ALL, r#"{"maxProperties": true}"#, ExpectedCount, "/maxProperties"),
    (ALL, r#"{"minProperties": -1}"#, ExpectedCount, "/minProperties"),
    (NEW, r#"{"contains": {}, "minContains": -1}"#, ExpectedCount, "/minContains"),
    (NEW, r#"{"maxContains": {}}"#, ExpectedCount, "/maxContains"),
    (ALL, r#"{"uniqueItems": 1}"#, ExpectedBoolean, "/uniqueItems"),
    (ALL, r#"{"required": true}"#, ExpectedArray, "/required"),
    (ALL, r#"{"required": [1]}"#, ExpectedString, "/required/0"),
    (ALL, r#"{"required": ["a", "b", "\u0061"]}"#, DuplicateItem, "/required/2"),
    (Draft4..=Draft4, r#"{"required": []}"#, EmptyArray, "/required"),
    (ALL, r#"{"properties": []}"#, ExpectedObject, "/properties"),
    (ALL, r#"{"properties": {"a": 1}}"#, ExpectedSchema, "/properties/a"),
    (ALL, r#"{"properties": {"a": {}, "\u0061": {}}}"#, DuplicateName, "/properties/a"),
    (ALL, r#"{"type": "null", "type": "null"}"#, DuplicateName, "/type"),
    (ALL, r#"{"patternProperties": {"a": 1}}"#, ExpectedSchema, "/patternProperties/a"),
    (ALL, r#"{"additionalProperties": 1}"#, ExpectedSchema, "/additionalProperties"),
    (BOOLEANS, r#"{"propertyNames": "a"}"#, ExpectedSchema, "/propertyNames"),
    (ALL, r#"{"dependencies": 1}"#, ExpectedObject, "/dependencies"),
    (ALL, r#"{"dependencies": {"a": "b"}}"#, ExpectedSchema, "/dependencies/a"),
    (ALL, r#"{"dependencies": {"a": [1]}}"#, ExpectedString, "/dependencies/a/0"),
    (ALL, r#"{"dependencies": {"a": ["b", "b"]}}"#, DuplicateItem, "/dependencies/a/1"),
    (Draft4..=Draft4, r#"{"dependencies": {"a": []}}"#, EmptyArray, "/dependencies/a"),
    (Draft4..=Draft4, r#"{"dependencies": {"a": true}}"#, ExpectedSchema, "/dependencies/a"),
    (NEW, r#"{"dependentRequired": {"a": {}}}"#, ExpectedArray, "/dependentRequired/a"),
    (NEW, r#"{"dependentRequired": {"a": ["b", "c", "b"]}}"#, DuplicateItem, "/dependentRequired/a/2"),
    (NEW, r#"{"dependentSchemas": {"a": ["b"]}}"#, ExpectedSchema, "/dependentSchemas/a"),
    (ALL, r#"{"items": 1}"#, ExpectedSchema, "/items"),
    (Draft4..=Draft4, r#"{"items": true}"#, ExpectedSchema, "/items"),
    (Draft4..=Draft2019_09, r#"{"items": []}"#, EmptyArray, "/items"),
    (Draft2020_12..=Draft2020_12, r#"{"items": [{}]}"#, ExpectedSchema, "/items"),
    (Draft2020_12..=Draft2020_12, r#"{"prefixItems": []}"#, EmptyArray, "/prefixItems"),
    (Draft4..=Draft2019_09, r#"{"additionalItems": 1}"#, ExpectedSchema, "/additionalItems"),
    (BOOLEANS, r#"{"contains": 1}"#, ExpectedSchema, "/contains"),
    (ALL, r#"{"allOf": []}"#, EmptyArray, "/allOf"),
    (ALL, r#"{"anyOf": {}}"#, ExpectedArray, "/anyOf"),
    (ALL, r#"{"oneOf": [{}, 1]}"#, ExpectedSchema, "/oneOf/1"),
    (ALL, r#"{"not": []}"#, ExpectedSchema, "/not"),
    (Draft7..=Draft2020_12, r#"{"if": 1}"#, ExpectedSchema, "/if"),
    (Draft7..=Draft2020_12, r#"{"then": 1}"#, ExpectedSchema, "/then"),
    (Draft7..=Draft2020_12, r#"{"else": 1}"#, ExpectedSchema, "/else"),
    (NEW, r#"{"unevaluatedItems": 1}"#, ExpectedSchema, "/unevaluatedItems"),
    (NEW, r#"{"unevaluatedProperties": 1}"#, ExpectedSchema, "/unevaluatedProperties"),
    (ALL, r#"{"$schema": 1}"#, ExpectedString, "/$schema"),
    (ALL, r#"{"$schema": "http://nowhere.example/schema"}"#, UnknownDialect, "/$schema"),
    (ALL, r#"{"$ref": 1}"#, ExpectedString, "/$ref"),
    (ALL, r##"{"$ref": "#/nowhere"}"##, UnresolvedReference, "/$ref"),
    (Draft4..=Draft4, r#"{"id": 1}"#, ExpectedString, "/id"),
    (BOOLEANS, r#"{"$id": 1}"#, ExpectedString, "/$id"),
    (NEW, r##"{"$id": "http://localhost/a#b"}"##, InvalidIdentifier, "/$id"),
    (NEW, r#"{"$anchor": 1}"#, ExpectedString, "/$anchor"),
    (NEW, r#"{"$anchor": ""}"#, InvalidIdentifier, "/$anchor"),
    (NEW, r#"{"$anchor": "1a"}"#, InvalidIdentifier, "/$anchor"),
    (Draft2019_09..=Draft2019_09, r#"{"$anchor": "_a"}"#, InvalidIdentifier, "/$anchor"),
    (Draft2020_12..=Draft2020_12, r#"{"$anchor": "a:b"}"#, InvalidIdentifier, "/$anchor"),
    (Draft2020_12..=Draft2020_12, r##"{"$dynamicAnchor": "#a"}"##, InvalidIdentifier, "/$dynamicAnchor"),
    (Draft2019_09..=Draft2019_09, r#"{"$recursiveAnchor": "a"}"#, ExpectedBoolean, "/$recursiveAnchor"),
    (NEW, r#"{"$vocabulary": []}"#, ExpectedObject, "/$vocabulary"),
    (NEW, r#"{"$vocabulary": {"https://localhost/v": 1}}"#, ExpectedBoolean, "/$vocabulary/https:~1~1localhost~1v"),
    (Draft7..=Draft2020_12, r#"{"$comment": 1}"#, ExpectedString, "/$comment"),
    (Draft7..=Draft2020_12, r#"{"readOnly": "true"}"#, ExpectedBoolean, "/readOnly"),
    (Draft7..=Draft2020_12, r#"{"writeOnly": 0}"#, ExpectedBoolean, "/writeOnly"),
    (NEW, r#"{"deprecated": 1}"#, ExpectedBoolean, "/deprecated"),
    (BOOLEANS, r#"{"examples": {}}"#, ExpectedArray, "/examples"),
    (Draft7..=Draft2020_12, r#"{"contentMediaType": 1}"#, ExpectedString, "/contentMediaType"),
    (Draft7..=Draft2020_12, r#"{"contentEncoding": 1}"#, ExpectedString, "/contentEncoding"),
    (NEW, r#"{"contentSchema": {"type": 1}}"#, ExpectedArray, "/contentSchema/type"),
    (ALL, r#"{"definitions": 1}"#, ExpectedObject, "/definitions"),
    (ALL, r#"{"definitions": {"a": 1}}"#, ExpectedSchema, "/definitions/a"),
    (
        NEW,
        r#"{"$defs": {"a": {"items": {"anyOf": [{"minimum": ""}]}}}}"#,
        ExpectedNumber,
        "/$defs/a/items/anyOf/0/minimum",
    ),
    (ALL, r#"{"definitions": {"a": {"required": ["b", "b"]}}}"#, DuplicateItem, "/definitions/a/required/1"),
    (
        ALL,
        r#"{"definitions": {"a": {"definitions": {"b": {"not": 1}}}}}"#,
        ExpectedSchema,
        "/definitions/a/definitions/b/not",
    ),
];

/// What no dialect minds, or only some.
const VALID: &[(RangeInclusive<Dialect>, &str)] = &[
    (BOOLEANS, r#"{"enum": []}"#),
    (BOOLEANS, r#"{"enum": [1, 1.0]}"#),
    (BOOLEANS, r#"{"minLength": 1.0, "required": [], "dependencies": {"a": []}}"#),
    (
        Draft4..=Draft4,
        r#"{"additionalItems": true, "additionalProperties": false, "maximum": 1, "exclusiveMaximum": true}"#,
    ),
    (
        Draft4..=Draft4,
        r#"{"const": 1, "if": 1, "$id": 1, "examples": 1, "contains": 1, "propertyNames": 1, "$comment": 1}"#,
    ),
    (Draft4..=Draft7, r#"{"$defs": 1, "$anchor": 1, "dependentRequired": 1, "minContains": 1, "unevaluatedItems": 1}"#),
    (Draft4..=Draft2019_09, r#"{"prefixItems": 1, "$dynamicRef": 1, "$dynamicAnchor": 1}"#),
    (Draft2020_12..=Draft2020_12, r#"{"additionalItems": 1}"#),
    (NEW, r##"{"$id": "http://localhost/a#"}"##),
    (
        ALL,
        r##"{"default": {"type": 1}, "definitions": {"a": {"$ref": "#/nowhere", "pattern": "("}}, "x-unknown": {"type": 1}}"##,
    ),
];

/// Documents that have nothing to do with it, but are looked through.
const DOCUMENTS: &[(&str, &[u8])] = &[
    ("http://a.example/a", br#"{"$defs": {"b": {"$id": "http://a.example/b", "id": "http://a.example/b"}}}"#),
    ("http://a.example/c", br#"{"$id": "http://a.example/c", "$anchor": "x", "$dynamicAnchor": "y"}"#),
];

#[test]
fn each_rule_has_its_error() {
    let mut arena = [0; 4096];
    for (dialects, schema, kind, pointer) in INVALID {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| dialects.contains(dialect)) {
            for documents in [&[][..], DOCUMENTS] {
                let options = Options::new().dialect(dialect).documents(documents);
                match options.compile(schema.as_bytes(), &mut arena) {
                    Ok(_) => panic!("{dialect:?} {schema}: compiles"),
                    Err(error) => {
                        let found = (error.kind, error.pointer(schema.as_bytes()).to_string(), error.document);
                        assert_eq!(found, (*kind, (*pointer).to_owned(), None), "{dialect:?} {schema}");
                    }
                }
            }
        }
    }
    for (dialects, schema) in VALID {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| dialects.contains(dialect)) {
            let result = Options::new().dialect(dialect).compile(schema.as_bytes(), &mut arena).map(|_| ());
            assert_eq!(result, Ok(()), "{dialect:?} {schema}");
        }
    }
}

/// Whether the meta-schema of the dialect admits a schema.
struct Meta {
    arenas: Vec<Vec<u8>>,
}

impl Meta {
    fn new() -> Self {
        let compiled = Dialect::ALL.map(|dialect| {
            let schema = format!(r#"{{"$ref":"{}"}}"#, dialect.uri());
            let mut arena = vec![0; 1 << 17];
            let options = Options::new().dialect(dialect).assert_formats(false);
            options.compile(schema.as_bytes(), &mut arena).expect("meta-schemas are schemas").as_bytes().to_vec()
        });
        Self { arenas: compiled.into() }
    }

    fn admits(&self, dialect: Dialect, schema: &str) -> bool {
        let program = microschema::Program::from_bytes(&self.arenas[dialect as usize]).expect("a program");
        program.is_valid(schema.as_bytes()).unwrap_or(false)
    }
}

/// What the compiler refuses and meta-schemas do not speak of.
fn is_beyond_meta_schemas(kind: SchemaErrorKind) -> bool {
    matches!(
        kind,
        UnresolvedReference
            | InvalidReference
            | CyclicReference
            | UnknownDialect
            | UnknownVocabulary
            | InvalidPattern
            | BackReference
            | UnicodeProperty
            | PatternTooLarge
            | NumberTooLong
            | DuplicateName
    )
}

/// The dialect that a schema names, else `default`; `None` where it is of another.
fn dialect_of(schema: &str, default: Dialect) -> Option<Dialect> {
    let value: serde_json::Value = serde_json::from_str(schema).ok()?;
    match value.get("$schema").and_then(|uri| uri.as_str()) {
        Some(uri) => Dialect::from_uri(uri),
        None => Some(default),
    }
}

fn compare(meta: &Meta, name: &str, schema: &str, default: Dialect, arena: &mut [u8], differ: &mut Vec<String>) {
    let Some(dialect) = dialect_of(schema, default) else { return };
    // Before 2019-09, what stands beside a `$ref` is ignored, though the meta-schema looks at it.
    let valid = meta.admits(dialect, schema);
    let compiled = Options::new().dialect(default).assert_formats(false).compile(schema.as_bytes(), arena).map(|_| ());
    match compiled {
        Ok(()) if !valid => differ.push(format!("{name}: compiles, though it is invalid")),
        Err(error) if valid && !is_beyond_meta_schemas(error.kind) => {
            differ.push(format!("{name}: {error}, though it is valid"));
        }
        _ => {}
    }
}

#[test]
fn what_compiles_is_valid_against_its_meta_schema() {
    let meta = Meta::new();
    let mut arena = vec![0; 1 << 20];
    let mut differ = Vec::new();
    for (dialects, schema) in INVALID.iter().map(|row| (&row.0, row.1)).chain(VALID.iter().map(|row| (&row.0, row.1))) {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| dialects.contains(dialect)) {
            // The meta-schema of draft-07 that is built in knows no `writeOnly`, that of draft-04 no `$ref`.
            let is_unknown = match dialect {
                Draft4 => schema.contains("$ref"),
                Draft7 => schema.contains("writeOnly"),
                _ => false,
            };
            if !is_unknown {
                compare(&meta, &format!("{dialect:?} {schema}"), schema, dialect, &mut arena, &mut differ);
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    let Some(data) = microschema_tests::data() else { return };
    for schema in tools::schemas(&data) {
        compare(&meta, &schema.name(), schema.schema.get(), Draft2020_12, &mut arena, &mut differ);
    }
    for (folder, dialect) in suite::DIALECTS {
        for (name, path) in suite::files(&data.join("JSON-Schema-Test-Suite/tests").join(folder)) {
            for group in suite::groups(&path) {
                let name = format!("{folder}/{name}: {}", group.description);
                compare(&meta, &name, group.schema.get(), dialect, &mut arena, &mut differ);
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

#[test]
fn repeats_in_an_enum_are_kept_once() {
    let size = |schema: &str| compile(schema.as_bytes(), &mut vec![0; 1 << 16]).expect("a schema").as_bytes().len();
    assert_eq!(
        size(r#"{"enum": ["a", "b", "\u0061", 1, 1.0, [1], [1e0], null, null]}"#),
        size(r#"{"enum": ["a", "b", 1, [1], null]}"#)
    );
    let many: Vec<String> = (0..100).map(|i| format!("\"v{i}\"")).collect();
    let once = format!(r#"{{"enum": [{}]}}"#, many.join(","));
    let twice = format!(r#"{{"enum": [{0},{0}]}}"#, many.join(","));
    assert_eq!(size(&once), size(&twice));
}

#[test]
fn repeats_are_found_behind_many_names() {
    let names: Vec<String> = (0..100).map(|i| format!("\"n{i}\"")).collect();
    let names = names.join(",");
    for schema in [
        format!(r#"{{"required": [{names},"n90"]}}"#),
        format!(r#"{{"dependentRequired": {{"a": [{names}], "b": [{names},"n90"]}}}}"#),
        format!(r#"{{"dependencies": {{"a": [{names},"n90"]}}}}"#),
        format!(r#"{{"properties": {{"n7": {{}}}}, "required": [{names},"n7"]}}"#),
    ] {
        let error = compile(schema.as_bytes(), &mut vec![0; 1 << 16]).expect_err("a repeat");
        assert_eq!((error.kind, error.at), (DuplicateItem, schema.rfind("\"n").unwrap()), "{schema}");
    }
}
