//! Verdicts against those of two other validators: on instances generated for the schemas of real tools, and on generated schemas.
//!
//! Formats are annotations here: what they admit is settled by the official suite.

use microschema::{Dialect, Options};
use microschema_tests::generate::{Generator, Random, spell, spell_all_but_numbers};
use microschema_tests::peers::{boon, is_known, jsonschema};
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::{both, tools};
use serde_json::Value;
use std::collections::BTreeMap;

/// Instances for each schema.
const INSTANCES: u64 = 20;
/// Of 100 values, how many are slips: in every other instance none.
const SLIPS: usize = 12;
/// Generated schemas.
const SCHEMAS: u64 = 5000;

/// Schemas that a peer refuses, and why it need not.
const REFUSED_BY: [(&str, &str); 2] = [
    // A value occurs twice in an `enum`. "Elements in the array SHOULD be unique" (draft-07 validation, section 6.1.2): no must.
    ("@api7/apisix-mcp/delete_resource inputSchema", "boon"),
    ("@api7/apisix-mcp/get_resource inputSchema", "boon"),
];

#[test]
fn schemas_of_real_tools() {
    let Some(data) = microschema_tests::data() else { return };
    let mut comparison = Comparison::default();
    for (number, tool) in tools::schemas(&data).iter().enumerate() {
        let schema: Value = serde_json::from_str(tool.schema.get()).expect("JSON");
        let mut generator = Generator::new(&schema, number as u64);
        let instances: Vec<Value> =
            (0..INSTANCES).map(|index| generator.instance(if index % 2 == 0 { 0 } else { SLIPS })).collect();
        comparison.add(&tool.name(), Dialect::Draft2020_12, tool.schema.get(), &schema, &instances);
    }
    comparison.finish();
}

#[test]
fn generated_schemas() {
    let mut comparison = Comparison::default();
    for seed in 0..SCHEMAS {
        // Half of them for the newest dialect.
        let dialect = Dialect::ALL[4 - (seed % 8 % 5) as usize];
        let mut schemas = SchemaGenerator { dialect, random: Random::new(seed) };
        let schema = schemas.document();
        // In draft-04, whether a number is an integer is a matter of its spelling.
        let text = match dialect {
            Dialect::Draft4 => spell_all_but_numbers(&schema, &mut Random::new(seed)),
            _ => spell(&schema, &mut Random::new(seed)),
        };
        let mut generator = Generator::new(&schema, seed);
        let instances: Vec<Value> = (0..INSTANCES)
            .map(|index| match index % 4 {
                0 => generator.instance(0),
                1 => generator.instance(SLIPS),
                _ => schemas.instance(3),
            })
            .collect();
        comparison.add(&format!("seed {seed}"), dialect, &text, &schema, &instances);
    }
    comparison.finish();
}

/// Counts verdicts, and lists where they differ.
#[derive(Default)]
struct Comparison {
    schemas: usize,
    refused: usize,
    valid: usize,
    invalid: usize,
    keywords: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl Comparison {
    fn add(&mut self, name: &str, dialect: Dialect, text: &str, schema: &Value, instances: &[Value]) {
        self.schemas += 1;
        let mut arena = vec![0; 1 << 18];
        let compiled = Options::new().assert_formats(false).compile(text.as_bytes(), &mut arena);
        let peers = [("boon", boon(schema, instances)), ("jsonschema", jsonschema(schema, instances))];
        for (peer, result) in &peers {
            if result.is_ok() != compiled.is_ok() && !REFUSED_BY.contains(&(name, peer)) {
                self.faults.push(format!("{name}: {compiled:?}, {peer} {result:?}\n{text}"));
            }
        }
        let Ok(program) = compiled else {
            self.refused += 1;
            return;
        };
        for (index, instance) in instances.iter().enumerate() {
            let mut random = Random::new((self.schemas ^ index) as u64);
            let text = match dialect {
                Dialect::Draft4 => spell_all_but_numbers(instance, &mut random),
                _ => spell(instance, &mut random),
            };
            let verdict = match both::validate(&program, text.as_bytes()) {
                Ok(outcome) => {
                    for issue in &outcome.json {
                        *self.keywords.entry(issue["keyword"].to_string()).or_default() += 1;
                    }
                    outcome.verdict
                }
                Err(message) => {
                    self.faults.push(format!("{name}: {message}\n{schema}\n{text}"));
                    continue;
                }
            };
            match verdict {
                Ok(true) => self.valid += 1,
                _ => self.invalid += 1,
            }
            for (peer, result) in &peers {
                if let Ok(verdicts) = result
                    && verdict != Ok(verdicts[index])
                    && !is_known(peer, dialect, schema)
                {
                    self.faults.push(format!("{name}: {verdict:?}, {peer} {}\n{schema}\n{text}", verdicts[index]));
                }
            }
        }
    }

    fn finish(self) {
        println!("{} schemas, {} refused by all", self.schemas, self.refused);
        println!("{} valid and {} invalid instances; issues by keyword: {:?}", self.valid, self.invalid, self.keywords);
        assert!(self.faults.is_empty(), "{} differences:\n{}", self.faults.len(), self.faults.join("\n"));
        assert!(self.valid > 10_000 && self.invalid > 10_000, "instances of both kinds");
    }
}
