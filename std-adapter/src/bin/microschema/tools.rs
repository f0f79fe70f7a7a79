//! The schemas of a file: a schema by itself, a tool, or a `tools/list` result in any of its wrappings.

use microschema::{Instance, Json, Kind};
use microschema_mcp::place::{decode, each_element};
use std::ops::Range;

/// A schema within a file.
#[derive(Clone, Debug)]
pub struct Found {
    /// The name of its tool; a schema by itself has none.
    pub tool: Option<String>,
    /// The member of the tool that it is, or `schema`.
    pub which: &'static str,
    /// Where it stands; `None` for a tool without one, though it must have it.
    pub span: Option<Range<usize>>,
}

const INPUT: &str = "inputSchema";
const OUTPUT: &str = "outputSchema";

/// All schemas of a text that is known to be JSON, in its order.
pub fn schemas(json: Json<'_>, root: Range<usize>) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some(tools) = tool_list(json, root.start) {
        each_element(json, tools, &mut |tool| tool_schemas(json, tool.value.start, &mut found));
    } else if has_schema(json, root.start) {
        tool_schemas(json, root.start, &mut found);
    } else {
        found.push(Found { tool: None, which: "schema", span: Some(root) });
    }
    found
}

/// The array of tools: the text itself, its `tools`, or those of its `result`.
fn tool_list(json: Json<'_>, root: usize) -> Option<usize> {
    let is_array = |at: &usize| matches!(json.kind(*at), Ok(Kind::Array));
    let tools_of = |at: usize| member(json, at, "tools").map(|tools| tools.start).filter(is_array);
    Some(root)
        .filter(is_array)
        .or_else(|| tools_of(root))
        .or_else(|| member(json, root, "result").and_then(|result| tools_of(result.start)))
}

fn has_schema(json: Json<'_>, tool: usize) -> bool {
    [INPUT, OUTPUT].into_iter().any(|which| member(json, tool, which).is_some())
}

fn tool_schemas(json: Json<'_>, tool: usize, found: &mut Vec<Found>) {
    let name = member(json, tool, "name").and_then(|name| string(json, name.start));
    let name = name.unwrap_or_else(|| "(unnamed)".to_owned());
    let input = member(json, tool, INPUT);
    found.push(Found { tool: Some(name.clone()), which: INPUT, span: input });
    if let Some(output) = member(json, tool, OUTPUT) {
        found.push(Found { tool: Some(name), which: OUTPUT, span: Some(output) });
    }
}

/// The value of a member.
pub fn member(json: Json<'_>, object: usize, name: &str) -> Option<Range<usize>> {
    let mut found = None;
    each_element(json, object, &mut |step| {
        if step.name_span.is_some() && step.name == name {
            found = Some(step.value);
        }
    });
    found
}

/// The string at a place.
pub fn string(json: Json<'_>, at: usize) -> Option<String> {
    match json.kind(at) {
        Ok(Kind::String) => json.string(at).ok().map(|(text, _)| decode(text)),
        _ => None,
    }
}
