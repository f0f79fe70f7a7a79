//! The patterns of a schema, for what `lint` has to say of them.

use microschema::{Instance, Json, Kind, Pattern};
use microschema_mcp::place::{self, Step, each_element};

/// The places where a pattern is read leniently, with the pointer to the pattern.
pub fn lenient(json: Json<'_>) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    if let Ok(root) = json.root() {
        schema(json, root, &mut Vec::new(), &mut found);
    }
    found
}

/// Where the schemas are in a keyword's value.
enum Shape {
    Schemas,
    Map,
    Patterns,
    Pattern,
    Other,
}

fn shape(keyword: &str) -> Shape {
    match keyword {
        "pattern" => Shape::Pattern,
        "patternProperties" => Shape::Patterns,
        "properties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => Shape::Map,
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        | "if"
        | "then"
        | "else" => Shape::Schemas,
        _ => Shape::Other,
    }
}

fn schema(json: Json<'_>, at: usize, path: &mut Vec<Step>, found: &mut Vec<(String, usize)>) {
    if !matches!(json.kind(at), Ok(Kind::Object)) {
        return;
    }
    each_element(json, at, &mut |step| {
        let (shape, value) = (shape(&step.name), step.value.start);
        path.push(step);
        match shape {
            Shape::Pattern => pattern(json, value, path, found),
            Shape::Schemas if matches!(json.kind(value), Ok(Kind::Array)) => each_schema(json, value, path, found),
            Shape::Schemas => schema(json, value, path, found),
            Shape::Map => each_schema(json, value, path, found),
            Shape::Patterns => {
                each_element(json, value, &mut |step| {
                    let name = step.name_span.as_ref().map(|name| name.start);
                    path.push(step);
                    if let Some(name) = name {
                        pattern(json, name, path, found);
                    }
                    path.pop();
                });
                each_schema(json, value, path, found);
            }
            Shape::Other => {}
        }
        path.pop();
    });
}

fn each_schema(json: Json<'_>, container: usize, path: &mut Vec<Step>, found: &mut Vec<(String, usize)>) {
    each_element(json, container, &mut |step| {
        let value = step.value.start;
        path.push(step);
        schema(json, value, path, found);
        path.pop();
    });
}

fn pattern(json: Json<'_>, at: usize, path: &[Step], found: &mut Vec<(String, usize)>) {
    if let Ok(Kind::String) = json.kind(at)
        && let Ok((text, _)) = json.string(at)
    {
        // Behind the quote.
        found.extend(Pattern::lenient(text).map(|offset| (place::pointer(path), at + 1 + offset)));
    }
}
