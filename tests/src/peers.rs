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

/// Applications of schemas up to which a peer is asked. Neither remembers what a schema came to: where two branches apply the same schema to
/// the items again (`"d": {"items": {"anyOf": [{"$ref": "#/d"}, {"$ref": "#/d"}]}}`), each level of the instance doubles them, and twenty
/// levels are gigabytes for `boon`, which keeps an error for each, and seconds for `jsonschema`.
const MOST: [(&str, u32); 2] = [("boon", 30_000), ("jsonschema", 300_000)];

/// Whether a peer comes to a verdict soon, and without taking all memory: counted as if each keyword looked at all it can.
#[must_use]
pub fn is_cheap(peer: &str, schema: &Value, instance: &Value) -> bool {
    MOST.iter().all(|(name, most)| *name != peer || applications(schema, instance, *most) < *most)
}

/// How often schemas are applied, the ones within included; at most `most`.
fn applications(schema: &Value, instance: &Value, most: u32) -> u32 {
    let mut count = Applications { root: schema, left: most };
    count.of(schema, instance);
    most - count.left
}

struct Applications<'v> {
    root: &'v Value,
    left: u32,
}

impl<'v> Applications<'v> {
    fn of(&mut self, schema: &'v Value, instance: &'v Value) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            self.of_keyword(schema, keyword, value, instance);
        }
    }

    fn of_keyword(&mut self, schema: &'v Value, keyword: &str, value: &'v Value, instance: &'v Value) {
        let members = instance.as_object().into_iter().flatten();
        let items = instance.as_array().into_iter().flatten();
        match keyword {
            "$ref" => {
                let target = value.as_str().and_then(|reference| self.root.pointer(reference.strip_prefix('#')?));
                target.into_iter().for_each(|target| self.of(target, instance));
            }
            "not" | "if" | "then" | "else" => self.of(value, instance),
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array().into_iter().flatten().for_each(|branch| self.of(branch, instance));
            }
            "dependentSchemas" | "dependencies" => {
                value.as_object().into_iter().flatten().for_each(|(_, branch)| self.of(branch, instance));
            }
            "properties" => {
                members
                    .for_each(|(name, member)| value.get(name).into_iter().for_each(|schema| self.of(schema, member)));
            }
            "patternProperties" => {
                let schemas = value.as_object();
                members.for_each(|(_, member)| {
                    schemas.into_iter().flatten().for_each(|(_, schema)| self.of(schema, member))
                });
            }
            "additionalProperties" => {
                let properties = schema.get("properties");
                let is_known = |name: &str| properties.is_some_and(|properties| properties.get(name).is_some());
                members.filter(|(name, _)| !is_known(name)).for_each(|(_, member)| self.of(value, member));
            }
            "unevaluatedProperties" => members.for_each(|(_, member)| self.of(value, member)),
            // A string has nothing in it, as `null`.
            "propertyNames" => members.for_each(|_| self.of(value, &Value::Null)),
            "prefixItems" | "items" if value.is_array() => {
                value.as_array().into_iter().flatten().zip(items).for_each(|(schema, item)| self.of(schema, item));
            }
            "items" | "additionalItems" | "contains" | "unevaluatedItems" => {
                items.for_each(|item| self.of(value, item))
            }
            _ => {}
        }
    }
}

fn any_object(value: &Value, test: &dyn Fn(&serde_json::Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(members) => test(members) || members.values().any(|value| any_object(value, test)),
        Value::Array(items) => items.iter().any(|item| any_object(item, test)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{applications, is_cheap};
    use serde_json::json;

    #[test]
    fn applications_multiply_with_the_levels_of_an_instance() {
        let schema = json!({"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}});
        // The items, their two branches, and what each of these refers to.
        assert_eq!(applications(&schema, &json!([]), 99), 1);
        assert_eq!(applications(&schema, &json!([[]]), 99), 1 + 1 + 2 + 2);
        let mut instance = json!([]);
        for _ in 0..40 {
            instance = json!([instance]);
        }
        assert_eq!(applications(&schema, &instance, 12345), 12345);
        assert!(!is_cheap("boon", &schema, &instance) && !is_cheap("jsonschema", &schema, &instance));
    }

    #[test]
    fn each_keyword_counts_what_it_applies() {
        let object = json!({"a": 1, "b": [1, 2]});
        for (schema, expected) in [
            (json!({"type": "object"}), 1),
            (json!({"properties": {"a": true, "c": true}}), 2),
            (json!({"properties": {"a": true}, "additionalProperties": true}), 3),
            (
                json!({"patternProperties": {"a": {"items": true}, "b": {"items": true}}, "propertyNames": true}),
                1 + 4 + 4 + 2,
            ),
            (json!({"unevaluatedProperties": {"contains": {}, "prefixItems": [true, true, true]}}), 1 + 2 + 2 + 2),
            (json!({"allOf": [true], "oneOf": [true, true], "not": {}, "if": {}, "then": {}, "else": {}}), 1 + 3 + 4),
            (json!({"dependencies": {"a": ["b"], "b": {}}, "dependentSchemas": {"a": {}}}), 1 + 3),
            (json!({"$ref": "#/$defs/d", "$defs": {"d": {"properties": {"a": {"$ref": "#"}}}}}), 1 + 1 + 3),
        ] {
            assert_eq!(applications(&schema, &object, 99), expected, "{schema}");
        }
    }
}
