//! Verdicts against those of two other validators, on instances generated for the schemas of real tools.
//!
//! Formats are annotations here: what they admit is settled by the official suite.

use microschema::Options;
use microschema_tests::generate::{Generator, Random, spell};
use microschema_tests::{both, tools};
use serde_json::Value;

/// Instances for each schema.
const INSTANCES: u64 = 20;
/// Of 100 values, how many are slips: in every other instance none.
const SLIPS: usize = 12;

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
