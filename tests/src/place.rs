//! Whether an issue is where it says.

use serde_json::Value;

/// Checks that the path of an issue leads to a value that its keyword can fail on, or to where a property is missing, and that its
/// pointer says the same.
///
/// # Panics
/// When it does not.
pub fn check_place(instance: &Value, issue: &Value) {
    let path = issue["path"].as_array().expect("a path");
    let pointer = issue["pointer"].as_str().expect("a pointer");
    let keyword = issue["keyword"].as_str().expect("a keyword");
    let segments = path.iter().map(|segment| match segment {
        Value::String(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        index => format!("/{index}"),
    });
    assert_eq!(pointer, segments.collect::<String>(), "{issue}");
    let values = resolve(instance, path);
    assert_eq!(instance.pointer(pointer), values.last().copied().flatten(), "{issue}");
    let (last, before) = values.split_last().expect("the root at least");
    let place = last.or_else(|| before.last().copied().flatten());
    let about_name = issue["message"].as_str().is_some_and(|message| message.starts_with("the name of this property "));
    match keyword {
        "required" | "dependentRequired" => {
            let parent = before.last().expect("a missing property has a path").expect("its object is there");
            assert!(parent.is_object() && last.is_none(), "{issue} is not missing");
        }
        "additionalProperties" | "unevaluatedProperties" => {
            assert!(last.is_some() && path.last().is_some_and(Value::is_string), "{issue} is no property");
        }
        "items" | "additionalItems" | "unevaluatedItems" => {
            assert!(last.is_some() && path.last().is_some_and(Value::is_u64), "{issue} is no item");
        }
        _ => {
            let place = place.expect("the place is there");
            assert!(last.is_some(), "{issue} leads nowhere");
            if let Some(subject) = subject(keyword) {
                assert_eq!(if about_name { "string" } else { type_of(place) }, subject, "{issue}");
            }
        }
    }
}

/// The values on the way to the end of a path; the last may be missing.
fn resolve<'v>(root: &'v Value, path: &[Value]) -> Vec<Option<&'v Value>> {
    let mut values = vec![Some(root)];
    for segment in path {
        let at = values.last().copied().flatten();
        values.push(at.and_then(|at| match segment {
            Value::String(name) => at.get(name),
            _ => at.get(segment.as_u64()? as usize),
        }));
    }
    values
}

/// The type that a keyword speaks of, where it is one.
fn subject(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        "minLength" | "maxLength" | "pattern" | "format" => "string",
        "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains" | "maxContains" => "array",
        "minProperties" | "maxProperties" => "object",
        _ => return None,
    })
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
