//! The tool schemas of real MCP servers, and calls of them.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::Path;

/// A schema of a tool, as it was published.
#[derive(Debug, Deserialize)]
pub struct ToolSchema {
    pub server: String,
    pub tool: String,
    pub which: String,
    pub schema: Box<RawValue>,
}

/// A schema with calls and their verdicts.
#[derive(Debug, Deserialize)]
pub struct ToolCalls {
    pub server: String,
    pub tool: String,
    pub schema: Box<RawValue>,
    pub cases: Vec<Case>,
}

/// Arguments (or a result) and whether they are valid.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub data: Box<RawValue>,
    pub valid: bool,
}

impl ToolSchema {
    /// The server and the tool, as lists of exceptions name a schema.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{} {}", self.server, self.tool, self.which)
    }
}

/// The schemas of `tool-schemas.jsonl`.
#[must_use]
pub fn schemas(data: &Path) -> Vec<ToolSchema> {
    let path = data.join("tool-schemas.jsonl");
    crate::read(&path)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .collect()
}

/// The files of `tool-calls`, by name.
#[must_use]
pub fn calls(data: &Path) -> Vec<(String, ToolCalls)> {
    crate::suite::files(&data.join("tool-calls"))
        .into_iter()
        .map(|(name, path)| {
            let calls = serde_json::from_str(&crate::read(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, calls)
        })
        .collect()
}

/// JSON text without white space between its tokens. Everything else stays as it is spelled.
#[must_use]
pub fn minify(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else {
            if character.is_ascii_whitespace() {
                continue;
            }
            in_string = character == '"';
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::minify;

    #[test]
    fn minify_keeps_strings_and_numbers() {
        assert_eq!(
            minify(" { \"a b\" : [ 1.0e2 , \"\\\\\" , \"\\\" x\" ] }\n"),
            "{\"a b\":[1.0e2,\"\\\\\",\"\\\" x\"]}"
        );
    }
}
