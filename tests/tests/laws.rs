//! Laws that hold for every schema and every text, tried on generated ones.

use microschema::{Dialect, Error, Issues, JsonErrorKind, Limit, Limits, Options, Program, SchemaErrorKind, compile};
use microschema_tests::both;
use microschema_tests::generate::{Generator, Random, spell};
use microschema_tests::place::check_place;
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::toy::Tree;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Instances for each schema.
const INSTANCES: u64 = 4;

fn schema(seed: u64) -> Value {
    // Draft-04 tells numbers apart by their spelling, so that not all that is said here holds there.
    let dialect = Dialect::ALL[1 + (seed % 4) as usize];
    SchemaGenerator { dialect, random: Random::new(seed) }.document()
}

fn instance(schema: &Value, seed: u64) -> Value {
    match seed % 3 {
        0 => SchemaGenerator { dialect: Dialect::default(), random: Random::new(seed) }.instance(3),
        1 => Generator::new(schema, seed).instance(12),
        _ => Generator::new(schema, seed).instance(0),
    }
}

/// Compiles a schema, without assertion of formats, into an arena that is large enough.
fn compiled<'p>(schema: &str, arena: &'p mut Vec<u8>) -> Program<'p> {
    arena.resize(1 << 17, 0);
    Options::new()
        .assert_formats(false)
        .compile(schema.as_bytes(), arena)
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Changes a text in up to three places, mostly to something that looks like JSON.
fn damaged(mut text: Vec<u8>, random: &mut Random<'_>) -> Vec<u8> {
    const PIECES: [&[u8]; 40] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud800",
        b"\\udc00",
        b"\\u12",
        b"0",
        b"-",
        b"1",
        b".",
        b"e",
        b"E+",
        b"1e999",
        b"00",
        b"true",
        b"nul",
        b"null",
        b" ",
        b"\n",
        b"\x0B",
        b"\0",
        b"\x1F",
        b"\x7F",
        b"\xFF",
        b"\xC3",
        b"\xED\xA0\x80",
        b"\xEF\xBB\xBF",
        b"/",
        b"'",
        b"NaN",
        b"\"a\":1,",
        b"\\n",
        b"\\x",
        b"\xF0\x9F\x98\x80",
    ];
    for _ in 0..random.below(4) {
        let at = random.below(text.len() + 1);
        let until = (at + random.below(3)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..until)),
            1 => text.truncate(at),
            2 => drop(text.splice(at..until, random.pick(&PIECES).iter().copied())),
            _ => drop(text.splice(at..at, random.pick(&PIECES).iter().copied())),
        }
    }
    text
}

/// Whether some object names a member twice.
fn repeats_a_name(tree: &Tree) -> bool {
    match tree {
        Tree::Array(items) => items.iter().any(repeats_a_name),
        Tree::Object(members) => {
            let mut names = BTreeSet::new();
            members.iter().any(|(name, value)| !names.insert(name) || repeats_a_name(value))
        }
        _ => false,
    }
}

/// Every member is looked at, however many are declared, and a repeated one is found.
#[test]
fn wide_objects_are_read_to_their_end() {
    for count in [1, 8, 9, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 200] {
        let properties: Vec<String> = (0..count).map(|i| format!(r#""k{i}":{{"type":"integer"}}"#)).collect();
        let schema = format!(r#"{{"items":{{"properties":{{{}}}}}}}"#, properties.join(","));
        let mut arena = Vec::new();
        let program = compiled(&schema, &mut arena);
        for wrong in [None, Some(0), Some(count / 2), Some(count - 1)] {
            let value = |i| if Some(i) == wrong { "null" } else { "1" };
            let mut members: Vec<String> = (0..count).map(|i| format!(r#""k{i}":{}"#, value(i))).collect();
            for _ in 0..2 {
                let text = format!("[{{{}}}]", members.join(","));
                let outcome = both::validate(&program, text.as_bytes()).expect("all ways agree");
                assert_eq!(outcome.verdict, Ok(wrong.is_none()), "{text}");
                let repeated = format!("[{{{},{}}}]", members.join(","), members[count / 2]);
                let outcome = both::validate(&program, repeated.as_bytes()).expect("all ways agree");
                assert!(
                    matches!(outcome.verdict, Err(Error::Json(error)) if error.kind == JsonErrorKind::DuplicateName)
                );
                members.reverse();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Both modes and both readers agree, however the instance is spelled; so does the program of the schema spelled otherwise.
    #[test]
    fn spelling_makes_no_difference(seed: u64) {
        let schema = schema(seed);
        let (mut arena, mut other_arena) = (Vec::new(), Vec::new());
        let program = compiled(&schema.to_string(), &mut arena);
        let other = compiled(&spell(&schema, &mut Random::new(seed)), &mut other_arena);
        for number in 0..INSTANCES {
            let instance = instance(&schema, seed.wrapping_add(number));
            let plain = both::validate(&program, instance.to_string().as_bytes()).expect("all ways agree");
            let spelled = spell(&instance, &mut Random::new(seed));
            for program in [&program, &other] {
                let outcome = both::validate(program, spelled.as_bytes()).expect("all ways agree");
                prop_assert_eq!(outcome.verdict, plain.verdict, "{}\n{}", schema, spelled);
            }
        }
    }

    /// An issue's path leads to a value that its keyword can fail on, or to where a property is missing.
    #[test]
    fn places_are_where_they_say(seed: u64) {
        let schema = schema(seed);
        let mut arena = Vec::new();
        let program = compiled(&schema.to_string(), &mut arena);
        for number in 0..INSTANCES {
            let instance = instance(&schema, seed.wrapping_add(number));
            let outcome = both::validate(&program, spell(&instance, &mut Random::new(seed)).as_bytes()).expect("all ways agree");
            for issue in &outcome.json {
                check_place(&instance, issue);
            }
        }
    }

    /// The reader takes what RFC 8259 takes, whatever the schema looks at; but lone surrogates, as the other parser does.
    #[test]
    fn reader_takes_what_the_other_parser_takes(seed: u64) {
        let schema = schema(seed);
        let (mut arena, mut open_arena) = (Vec::new(), Vec::new());
        let programs = [compiled(&schema.to_string(), &mut arena), compiled("{}", &mut open_arena)];
        let mut random = Random::new(seed);
        let text = damaged(spell(&instance(&schema, seed), &mut random).into_bytes(), &mut random);
        let tree = std::str::from_utf8(&text).ok().and_then(|text| Tree::parse(text).ok());
        for program in programs {
            let mut issues = Issues::<1>::new();
            let result = program.validate(&text, &mut issues);
            let shown = String::from_utf8_lossy(&text);
            match result {
                Err(Error::Json(error)) => {
                    prop_assert!(error.at <= text.len(), "{:?} for {}", error, shown);
                    // Names that occur twice are refused where the schema tells them apart.
                    let repeats = error.kind == JsonErrorKind::DuplicateName && tree.as_ref().is_some_and(repeats_a_name);
                    prop_assert!(tree.is_none() || repeats, "{:?} for {}", error, shown);
                }
                _ => prop_assert!(result.is_ok() && tree.is_some(), "{:?} for {}", result, shown),
            }
        }
    }

    /// Of names that occur twice, those that the schema declares are refused, and all of them where it counts members.
    #[test]
    fn repeated_names_are_refused_where_told_apart(names in proptest::collection::vec(0_usize..6, 0..6)) {
        const SPELLED: [&str; 6] = ["a", "\\u0061", "b", "c", "\\u0063", "d"];
        const MEANT: [&str; 6] = ["a", "a", "b", "c", "c", "d"];
        let members: Vec<String> = names.iter().map(|&name| format!("\"{}\":1", SPELLED[name])).collect();
        let text = format!("{{{}}}", members.join(","));
        let repeats = |name: &str| names.iter().filter(|&&index| MEANT[index] == name).count() > 1;
        for (schema, refused) in [
            (r#"{"properties":{"a":true},"required":["b"]}"#, repeats("a") || repeats("b")),
            (r#"{"allOf":[{"properties":{"b":{}}},{"properties":{"a":{"type":"integer"}}}]}"#, repeats("a") || repeats("b")),
            (r#"{"properties":{"c":{}},"if":{"properties":{"a":{"type":"integer"}}}}"#, repeats("a") || repeats("c")),
            (r##"{"properties":{"b":{}},"$ref":"#/$defs/d","$defs":{"d":{"properties":{"a":{}}}}}"##, repeats("a") || repeats("b")),
            (r#"{"maxProperties":9}"#, MEANT.iter().any(|name| repeats(name))),
            (r#"{"properties":{"a":{}},"minProperties":0}"#, MEANT.iter().any(|name| repeats(name))),
            (r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, false),
        ] {
            let mut arena = Vec::new();
            let outcome = both::validate(&compiled(schema, &mut arena), text.as_bytes()).expect("all ways agree");
            let is_refused =
                matches!(outcome.verdict, Err(Error::Json(error)) if error.kind == JsonErrorKind::DuplicateName);
            prop_assert_eq!(is_refused, refused, "{} {}", schema, text);
        }
    }

    /// A text that is cut off is told from one that is wrong.
    #[test]
    fn truncation_is_its_own_error(seed: u64, cut: u64) {
        let schema = schema(seed);
        let mut arena = Vec::new();
        let program = compiled(&schema.to_string(), &mut arena);
        let text = spell(&Value::Array(vec![instance(&schema, seed)]), &mut Random::new(seed));
        let text = text.trim_end();
        let mut at = (cut % text.len() as u64) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let mut issues = Issues::<1>::new();
        match program.validate(&text.as_bytes()[..at], &mut issues) {
            Err(Error::Json(error)) => {
                prop_assert!(error.kind.is_truncated(), "{:?} for {}", error, &text[..at]);
                prop_assert_eq!(error.at, at, "{:?} for {}", error, &text[..at]);
            }
            other => prop_assert!(false, "{:?} for {}", other, &text[..at]),
        }
    }

    /// Whatever the schema, compiling ends with a program or an error; and a program runs on whatever there is.
    #[test]
    fn compiling_never_panics(seed: u64) {
        let schema = schema(seed);
        let mut random = Random::new(seed);
        let text = damaged(spell(&schema, &mut random).into_bytes(), &mut random);
        let mut arena = vec![0; 1 << 16];
        match compile(&text, &mut arena) {
            Ok(program) => {
                let instance = damaged(spell(&instance(&schema, seed), &mut random).into_bytes(), &mut random);
                let (mut issues, mut out) = (Issues::<4>::new(), String::new());
                let result = program.validate(&instance, &mut issues);
                prop_assert!(result != Ok(false) || !issues.is_empty());
                for issue in &issues {
                    out.push_str(&issue.describe(&program, &instance).show_value(10).to_string());
                }
            }
            Err(error) => prop_assert!(error.at <= text.len(), "{:?}", error),
        }
    }

    /// A program survives as bytes, and damage to them is found.
    #[test]
    fn images_are_checked(seed: u64, damage: u64) {
        let schema = schema(seed);
        let mut arena = Vec::new();
        let mut image = compiled(&schema.to_string(), &mut arena).as_bytes().to_vec();
        prop_assert_eq!(Program::from_bytes(&image).map(|program| program.as_bytes()), Ok(&image[..]), "{}", schema);
        let (at, bit) = (damage as usize % image.len(), (damage >> 61) as u32);
        image[at] ^= 1 << bit;
        prop_assert!(Program::from_bytes(&image).is_err(), "bit {} of byte {} for {}", bit, at, schema);
        image[at] ^= 1 << bit;
        image.truncate(at);
        prop_assert!(Program::from_bytes(&image).is_err(), "cut at byte {} for {}", at, schema);
    }

    /// An arena is large enough from some size on, and below it the error says so.
    #[test]
    fn arena_is_full_below_some_size(seed: u64) {
        let schema = schema(seed).to_string();
        let mut arena = Vec::new();
        let image = compiled(&schema, &mut arena).as_bytes().to_vec();
        let mut fitted = false;
        for size in (0..4096).step_by(64 + (seed % 61) as usize) {
            let mut arena = vec![0xA5; size];
            match Options::new().assert_formats(false).compile(schema.as_bytes(), &mut arena) {
                Ok(program) => {
                    fitted = true;
                    prop_assert_eq!(program.as_bytes(), &image, "{}", schema);
                }
                Err(error) => {
                    prop_assert_eq!(error.kind, SchemaErrorKind::ArenaFull, "{}", schema);
                    prop_assert!(!fitted, "{} bytes suffice not, though less did: {}", size, schema);
                }
            }
        }
    }

    /// A limit is reached exactly: with one step or level less there is no verdict, with as many as are needed the verdict is the same.
    #[test]
    fn limits_are_exact(seed: u64) {
        let schema = schema(seed);
        let mut arena = Vec::new();
        let program = compiled(&schema.to_string(), &mut arena);
        let text = instance(&schema, seed).to_string();
        let expected = program.is_valid(text.as_bytes());
        let with = |limits| program.validator().limits(limits).is_valid(text.as_bytes());
        let steps = |steps| with(Limits::new().with_steps(steps));
        let depth = |depth| with(Limits::new().with_depth(depth));
        let limit = |limit| Err(Error::Limit(limit));
        let (mut low, mut high) = (0, Limits::new().steps);
        while low < high {
            let middle = (low + high) / 2;
            if steps(middle) == expected { high = middle } else { low = middle + 1 }
        }
        for fewer in (0..low).step_by(1 + low as usize / 20).chain(low.checked_sub(1)) {
            prop_assert_eq!(steps(fewer), limit(Limit::Steps), "{} steps of {} for {}\n{}", fewer, low, schema, text);
        }
        let needed = (0..=Limits::new().depth).find(|&levels| depth(levels) == expected).expect("the default suffices");
        for levels in 0..needed {
            prop_assert_eq!(depth(levels), limit(Limit::Depth), "{} levels of {} for {}\n{}", levels, needed, schema, text);
        }
        prop_assert_eq!(depth(needed + 1), expected);
    }
}

/// A second pass over an object reads all of it: what it declares and the first pass does not may come twice.
#[test]
fn every_occurrence_of_a_member_is_validated() {
    let instance = br#"{"a": 1, "b": 2, "a": "x"}"#;
    for schema in [
        r##"{"properties": {"b": {}}, "allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"properties": {"a": {"type": "integer"}}}}}"##,
        r##"{"allOf": [{"$ref": "#/$defs/x"}], "properties": {"b": {}}, "$defs": {"x": {"properties": {"a": {"type": "integer"}}}}}"##,
        r#"{"properties": {"b": {}}, "if": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}, "else": false}"#,
        r#"{"properties": {"b": {}}, "not": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}"#,
        r#"{"properties": {"b": {}}, "anyOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["c"]}]}"#,
        r#"{"properties": {"b": {}}, "oneOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["b"]}]}"#,
        r#"{"properties": {"a": {}}, "if": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}, "else": false}"#,
        r#"{"properties": {"a": {}}, "not": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}"#,
        r#"{"allOf": [{"if": {"properties": {"a": {"const": "x"}}}, "then": false}], "properties": {"a": {}, "b": {}}}"#,
        r#"{"properties": {"b": {}}, "dependentSchemas": {"b": {"properties": {"a": {"type": "integer"}}}}}"#,
    ] {
        let mut arena = [0; 1024];
        let program = compile(schema.as_bytes(), &mut arena).expect(schema);
        let mut issues = Issues::<4>::new();
        assert_ne!(program.is_valid(instance), Ok(true), "{schema}");
        assert_ne!(program.validate(instance, &mut issues), Ok(true), "{schema}");
    }
}
