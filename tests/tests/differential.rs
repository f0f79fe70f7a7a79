//! Verdicts against those of two other validators: on instances generated for the schemas of real tools, and on generated schemas.
//!
//! Formats are annotations here: what they admit is settled by the official suite.

use microschema::{Dialect, Options};
use microschema_tests::generate::{Generator, Random, spell, spell_all_but_numbers};
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::{both, tools};
use serde_json::Value;

/// Instances for each schema.
const INSTANCES: u64 = 20;
/// Of 100 values, how many are slips: in every other instance none.
const SLIPS: usize = 12;
/// Generated schemas.
const SCHEMAS: u64 = 5000;

/// `boon` asserts formats before 2019-09 whatever one says; each name can be overridden.
const FORMATS: [&str; 26] = [
    "date-time",
    "date",
    "time",
    "duration",
    "period",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ip-address",
    "host-name",
    "ipv4",
    "ipv6",
    "uri",
    "url",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "semver",
    "uuid4",
    "color",
];

/// Schemas that a peer refuses, and why it need not.
const REFUSED_BY: [(&str, &str); 2] = [
    // A value occurs twice in an `enum`. "Elements in the array SHOULD be unique" (draft-07 validation, section 6.1.2): no must.
    ("@api7/apisix-mcp/delete_resource inputSchema", "boon"),
    ("@api7/apisix-mcp/get_resource inputSchema", "boon"),
];

fn boon_check(schema: &Value, instances: &[Value]) -> Result<Vec<bool>, String> {
    let mut compiler = boon::Compiler::new();
    for name in FORMATS {
        compiler.register_format(boon::Format { name, func: |_| Ok(()) });
    }
    let (mut schemas, place) = (boon::Schemas::new(), "http://tests.example/schema.json");
    compiler.add_resource(place, schema.clone()).map_err(|error| error.to_string())?;
    let index = compiler.compile(place, &mut schemas).map_err(|error| error.to_string())?;
    Ok(instances.iter().map(|instance| schemas.validate(instance, index).is_ok()).collect())
}

fn jsonschema_check(schema: &Value, instances: &[Value]) -> Result<Vec<bool>, String> {
    let validator = jsonschema::options()
        .should_validate_formats(false)
        .offline()
        .build(schema)
        .map_err(|error| error.to_string())?;
    Ok(instances.iter().map(|instance| validator.is_valid(instance)).collect())
}

#[test]
fn verdicts_agree() {
    let Some(data) = microschema_tests::data() else { return };
    let mut arena = vec![0; 1 << 18];
    let (mut valid, mut invalid, mut refused) = (0, 0, 0);
    let mut disagreements = Vec::new();
    let mut keywords = std::collections::BTreeMap::new();
    for (number, tool) in tools::schemas(&data).iter().enumerate() {
        let schema: Value = serde_json::from_str(tool.schema.get()).expect("JSON");
        let mut generator = Generator::new(&schema, number as u64);
        let instances: Vec<Value> =
            (0..INSTANCES).map(|index| generator.instance(if index % 2 == 0 { 0 } else { SLIPS })).collect();
        let program = match Options::new().assert_formats(false).compile(tool.schema.get().as_bytes(), &mut arena) {
            Ok(program) => program,
            Err(_) => {
                refused += 1;
                for (peer, result) in
                    [("boon", boon_check(&schema, &[])), ("jsonschema", jsonschema_check(&schema, &[]))]
                {
                    if result.is_ok() {
                        disagreements.push(format!("{}: {peer} takes the schema", tool.name()));
                    }
                }
                continue;
            }
        };
        let boon = boon_check(&schema, &instances);
        let jsonschema = jsonschema_check(&schema, &instances);
        for (peer, result) in [("boon", &boon), ("jsonschema", &jsonschema)] {
            if let Err(error) = result
                && !REFUSED_BY.contains(&(tool.name().as_str(), peer))
            {
                disagreements.push(format!("{}: {peer} refuses the schema: {error}", tool.name()));
            }
        }
        for (index, instance) in instances.iter().enumerate() {
            let text = spell(instance, &mut Random(number as u64 ^ index as u64));
            let verdict = match both::validate(&program, text.as_bytes()) {
                Ok(outcome) => {
                    for issue in &outcome.json {
                        *keywords.entry(issue["keyword"].to_string()).or_insert(0) += 1;
                    }
                    outcome.verdict
                }
                Err(message) => panic!("{}: {message}\n{}\n{text}", tool.name(), tool.schema),
            };
            match verdict {
                Ok(true) => valid += 1,
                Ok(false) => invalid += 1,
                Err(_) => {}
            }
            for (peer, result) in [("boon", &boon), ("jsonschema", &jsonschema)] {
                if let Ok(verdicts) = result
                    && verdict != Ok(verdicts[index])
                {
                    disagreements.push(format!(
                        "{}: {verdict:?}, but {peer} {}:\n{}\n{text}",
                        tool.name(),
                        verdicts[index],
                        tool.schema
                    ));
                }
            }
        }
    }
    println!("{keywords:?}");
    println!("{valid} valid and {invalid} invalid instances; {refused} schemas refused");
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n"));
}

#[test]
fn verdicts_agree_on_generated_schemas() {
    let mut disagreements = Vec::new();
    let (mut valid, mut invalid) = (0, 0);
    let mut arena = vec![0; 1 << 18];
    for seed in 0..SCHEMAS {
        let dialect = Dialect::ALL[4 - (seed % 8 % 5) as usize];
        let mut schemas = SchemaGenerator { dialect, random: Random(seed) };
        let schema = schemas.document();
        let text = spell(&schema, &mut Random(seed));
        let program = match Options::new().assert_formats(false).compile(text.as_bytes(), &mut arena) {
            Ok(program) => program,
            Err(error) => {
                disagreements.push(format!("seed {seed}: {error}: {schema}"));
                continue;
            }
        };
        let mut generator = Generator::new(&schema, seed);
        let instances: Vec<Value> = (0..INSTANCES)
            .map(|index| match index % 4 {
                0 => generator.instance(0),
                1 => generator.instance(SLIPS),
                _ => schemas.instance(3),
            })
            .collect();
        let peers = [("boon", boon_check(&schema, &instances)), ("jsonschema", jsonschema_check(&schema, &instances))];
        for (index, instance) in instances.iter().enumerate() {
            let mut random = Random(seed ^ index as u64);
            let text = match dialect {
                Dialect::Draft4 => spell_all_but_numbers(instance, &mut random),
                _ => spell(instance, &mut random),
            };
            let verdict = match both::validate(&program, text.as_bytes()) {
                Ok(outcome) => outcome.verdict,
                Err(message) => {
                    disagreements.push(format!("seed {seed}: {message}\n{schema}\n{text}"));
                    continue;
                }
            };
            match verdict {
                Ok(true) => valid += 1,
                Ok(false) => invalid += 1,
                Err(_) => {}
            }
            for (peer, result) in &peers {
                let other = result.as_ref().map(|verdicts| verdicts[index]).map_err(String::as_str);
                if other != verdict.map_err(|_| "a limit") && !is_known(peer, dialect, &schema) {
                    disagreements.push(format!("seed {seed}: {verdict:?}, {peer} {other:?}\n{schema}\n{instance}"));
                }
            }
        }
    }
    println!("{SCHEMAS} schemas, {valid} valid and {invalid} invalid instances");
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n"));
}

/// Whether the schema has what a peer is known to get wrong.
fn is_known(peer: &str, dialect: Dialect, schema: &Value) -> bool {
    match (peer, dialect) {
        // "All other properties in a `$ref` object MUST be ignored" (core, section 8.3): those newer than draft-04 are not.
        ("boon", Dialect::Draft6 | Dialect::Draft7) => any_object(schema, &|object| {
            object.contains_key("$ref")
                && ["const", "contains", "propertyNames", "if"].iter().any(|name| object.contains_key(*name))
        }),
        // Items that `contains` matches count as evaluated from 2020-12 on, not before.
        ("jsonschema", Dialect::Draft2019_09) => {
            let has = |name: &str| any_object(schema, &|object| object.contains_key(name));
            has("contains") && has("unevaluatedItems")
        }
        _ => false,
    }
}

fn any_object(value: &Value, test: &dyn Fn(&serde_json::Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(members) => test(members) || members.values().any(|value| any_object(value, test)),
        Value::Array(items) => items.iter().any(|item| any_object(item, test)),
        _ => false,
    }
}
