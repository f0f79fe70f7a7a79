//! Verdicts against those of two other validators: on instances generated for the schemas of real tools, and on generated schemas.
//!
//! Formats are annotations here: what they admit is settled by the official suite.

use microschema::{Dialect, Error, JsonErrorKind, Options};
use microschema_tests::generate::{Generator, Random, spell, spell_all_but_numbers};
use microschema_tests::object_generator::ObjectGenerator;
use microschema_tests::peers::{boon, is_known, jsonschema};
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::{both, tools};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Instances for each schema.
const INSTANCES: u64 = 20;
/// Of 100 values, how many are slips: in every other instance none.
const SLIPS: usize = 12;
/// Generated schemas.
const SCHEMAS: u64 = 5000;
/// The same of objects, which take longer.
const OBJECTS: u64 = 1500;

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
        let text = spelled(&schema, dialect, &mut Random::new(seed));
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

/// In draft-04, whether a number is an integer is a matter of its spelling.
fn spelled(value: &Value, dialect: Dialect, random: &mut Random<'_>) -> String {
    if dialect == Dialect::Draft4 { spell_all_but_numbers(value, random) } else { spell(value, random) }
}

/// A generator of schemas of objects, half of them for the newest dialect.
fn objects(seed: u64) -> ObjectGenerator<'static> {
    let dialect = Dialect::ALL[4 - (seed % 8 % 5) as usize];
    let evaluated = dialect >= Dialect::Draft2019_09 && (seed / 8).is_multiple_of(3);
    ObjectGenerator { dialect, random: Random::new(seed), evaluated }
}

/// What the compiler makes look-ups and bits of means what it says.
#[test]
fn generated_objects() {
    let mut comparison = Comparison::default();
    for seed in 0..OBJECTS {
        let mut generator = objects(seed);
        let schema = generator.document();
        let text = spelled(&schema, generator.dialect, &mut Random::new(seed));
        let mut instances: Vec<Value> = (0..INSTANCES).map(|_| generator.object(2)).collect();
        instances.extend([json!("a"), json!("b"), json!({}), json!([]), Value::Null]);
        comparison.add(&format!("seed {seed}"), generator.dialect, &text, &schema, &instances);
    }
    comparison.finish();
}

/// An object in which a name comes twice is not valid, unless it is valid whichever of the two counts.
#[test]
fn names_that_come_twice() {
    let (mut valid, mut refused) = (0, 0);
    for seed in 0..OBJECTS {
        let mut generator = objects(seed);
        let schema = generator.document();
        let mut arena = vec![0; 1 << 18];
        let text = schema.to_string();
        let Ok(program) = Options::new().assert_formats(false).compile(text.as_bytes(), &mut arena) else { continue };
        for _ in 0..INSTANCES {
            let Some((object, name, other)) = generator.two_readings() else { continue };
            let mut members: Vec<String> = [(&name, &other)]
                .into_iter()
                .chain(object.as_object().into_iter().flatten())
                .map(|(name, value)| format!("{}:{value}", spell(&name.as_str().into(), &mut generator.random)))
                .collect();
            for index in 1..members.len() {
                members.swap(index, generator.random.below(index + 1));
            }
            let text = format!("{{{}}}", members.join(","));
            match program.is_valid(text.as_bytes()) {
                Ok(true) => {
                    valid += 1;
                    let mut second = object.clone();
                    second[&name] = other;
                    for reading in [object, second] {
                        let reading = reading.to_string();
                        assert_eq!(program.is_valid(reading.as_bytes()), Ok(true), "{schema}\n{text}\n{reading}");
                    }
                }
                Ok(false) => {}
                Err(Error::Json(error)) if error.kind == JsonErrorKind::DuplicateName => refused += 1,
                Err(error) => panic!("{schema}\n{text}: {error}"),
            }
        }
    }
    assert!(valid > 1000 && refused > 1000, "{valid} valid, {refused} refused");
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
            let text = spelled(instance, dialect, &mut random);
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
        assert!(self.valid.min(self.invalid) > (self.valid + self.invalid) / 10, "instances of both kinds");
    }
}
