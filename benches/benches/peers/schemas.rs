//! One schema, compiled by everybody. Formats are asserted by nobody: ours is told so, for the others the keyword is taken out.

use microschema::{Options, Program, SchemaError};
use serde_json::{Map, Value};

/// The peers' validators for one schema.
pub struct Peers {
    /// `jsonschema`, with the features that its users without network turn off turned off.
    pub jsonschema: jsonschema::Validator,
    /// `boon`; it refuses some schemas.
    pub boon: Option<Boon>,
}

/// A schema compiled by `boon`.
pub struct Boon {
    schemas: boon::Schemas,
    index: boon::SchemaIndex,
}

impl Boon {
    pub fn is_valid(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }
}

impl Peers {
    pub fn of(schema: &Value) -> Self {
        Self { jsonschema: jsonschema(schema), boon: boon(schema) }
    }
}

/// Compiles with ours.
pub fn microschema<'a>(schema: &[u8], arena: &'a mut [u8]) -> Result<Program<'a>, SchemaError> {
    Options::new().assert_formats(false).compile(schema, arena)
}

/// Compiles with `jsonschema`.
pub fn jsonschema(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .should_validate_formats(false)
        .build(schema)
        .expect("jsonschema takes every schema of the sets")
}

/// Compiles with `boon`.
pub fn boon(schema: &Value) -> Option<Boon> {
    const URL: &str = "http://localhost/schema.json";
    let mut compiler = boon::Compiler::new();
    let mut schemas = boon::Schemas::new();
    compiler.add_resource(URL, schema.clone()).ok()?;
    let index = compiler.compile(URL, &mut schemas).ok()?;
    Some(Boon { schemas, index })
}

/// The schema without `format`.
pub fn without_formats(schema: &[u8]) -> Value {
    let mut schema = serde_json::from_slice(schema).expect("schemas are JSON");
    strip(&mut schema);
    schema
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(members) => {
            if members.get("format").is_some_and(Value::is_string) {
                members.remove("format");
            }
            strip_members(members);
        }
        _ => {}
    }
}

fn strip_members(members: &mut Map<String, Value>) {
    for (name, value) in members {
        if !matches!(name.as_str(), "const" | "enum" | "default" | "examples") {
            strip(value);
        }
    }
}
