//! Two other validators, formats as annotations: what those admit is settled by the official suite.

use microschema::Dialect;
use serde_json::Value;

/// `boon` asserts formats before 2019-09 whatever one says; each name can be overridden.
#[rustfmt::skip]
const FORMATS: [&str; 26] = [
    "date-time", "date", "time", "duration", "period", "email", "idn-email", "hostname", "idn-hostname", "ip-address",
    "host-name", "ipv4", "ipv6", "uri", "url", "uri-reference", "iri", "iri-reference", "uri-template", "uuid",
    "json-pointer", "relative-json-pointer", "regex", "semver", "uuid4", "color",
];

/// The verdicts of `boon`.
///
/// # Errors
/// It does not take the schema.
pub fn boon(schema: &Value, instances: &[Value]) -> Result<Vec<bool>, String> {
    let mut compiler = boon::Compiler::new();
    for name in FORMATS {
        compiler.register_format(boon::Format { name, func: |_| Ok(()) });
    }
    let (mut schemas, place) = (boon::Schemas::new(), "http://tests.example/schema.json");
    compiler.add_resource(place, schema.clone()).map_err(|error| error.to_string())?;
    let index = compiler.compile(place, &mut schemas).map_err(|error| error.to_string())?;
    Ok(instances.iter().map(|instance| schemas.validate(instance, index).is_ok()).collect())
}

/// The verdicts of `jsonschema`.
///
/// # Errors
/// It does not take the schema.
pub fn jsonschema(schema: &Value, instances: &[Value]) -> Result<Vec<bool>, String> {
    let options = jsonschema::options().should_validate_formats(false).offline();
    let validator = options.build(schema).map_err(|error| error.to_string())?;
    Ok(instances.iter().map(|instance| validator.is_valid(instance)).collect())
}

/// Whether the schema has what a peer is known to get wrong.
#[must_use]
pub fn is_known(peer: &str, dialect: Dialect, schema: &Value) -> bool {
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
