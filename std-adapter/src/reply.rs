//! Failures as tool results, in no SDK's types.

use crate::failure::{Failure, Reason, Side};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The key of the issues in a result's `_meta`.
pub const META_ISSUES: &str = "microschema/issues";
/// The key, in a result's `_meta`, of how many issues were left out; it is there when some were.
pub const META_OMITTED: &str = "microschema/omitted";

/// A tool execution error (`CallToolResult` with `isError: true`), as it goes over the wire.
///
/// Each SDK's result is made from it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The text of the only content block.
    pub text: String,
    /// `structuredContent`.
    pub structured_content: Option<Value>,
    /// `_meta`.
    pub meta: Map<String, Value>,
}

/// What a failure puts into `structuredContent`.
///
/// Nothing by default: clients made with the TypeScript SDK of version 1 check structured content against the tool's output schema
/// even where the result is an error, and throw when it does not match; the model then never reads what was wrong. Choose another
/// where no tool has an output schema, or where output schemas allow for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Structured {
    /// Nothing.
    #[default]
    Nothing,
    /// `{"issues": […], "omitted": 0}`, with the issues as in `_meta`.
    Issues,
    /// Problem details (RFC 9457): `status`, `title`, `detail`, and `errors` with a `pointer` (as a URI fragment) and a `detail` each.
    ProblemDetails,
}

impl Failure {
    /// The tool execution error to answer with: the text, the issues in `_meta`, and what `structured` says.
    #[must_use]
    pub fn reply(&self, structured: Structured) -> Reply {
        let mut meta = Map::new();
        meta.insert(META_ISSUES.to_owned(), self.issues_json());
        if self.omitted() > 0 {
            meta.insert(META_OMITTED.to_owned(), self.omitted().into());
        }
        let structured_content = match structured {
            Structured::Nothing => None,
            Structured::Issues => Some(json!({"issues": self.issues_json(), "omitted": self.omitted()})),
            Structured::ProblemDetails => Some(self.problem_details()),
        };
        Reply { text: self.to_string(), structured_content, meta }
    }

    /// The issues as JSON: an array of `{"path", "pointer", "keyword", "message"}`.
    #[must_use]
    pub fn issues_json(&self) -> Value {
        let issue = |issue| serde_json::to_value(issue).unwrap_or_default();
        self.issues().iter().map(issue).collect()
    }

    /// The failure as problem details (RFC 9457).
    ///
    /// The type is `about:blank`, which is left out (section 4.2.1); so the title is that of the status.
    #[must_use]
    pub fn problem_details(&self) -> Value {
        let (status, title) = match (&self.reason, self.side) {
            (Reason::Schema(_), _) | (_, Side::Output) => (500, "Internal Server Error"),
            (Reason::Json(_), Side::Input) => (400, "Bad Request"),
            (Reason::Limit(_), Side::Input) => (413, "Content Too Large"),
            _ => (422, "Unprocessable Content"),
        };
        let errors: Vec<Value> = self
            .issues()
            .iter()
            .map(|issue| json!({"pointer": fragment(&issue.pointer), "detail": issue.message}))
            .collect();
        let mut problem = json!({"status": status, "title": title, "detail": self.summary(), "errors": errors});
        if self.omitted() > 0 {
            problem["omitted"] = self.omitted().into();
        }
        problem
    }
}

/// A JSON Pointer as a URI fragment (RFC 6901 section 6): what a fragment may not have (RFC 3986 section 3.5) is percent-encoded.
fn fragment(pointer: &str) -> String {
    let mut fragment = "#".to_owned();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
            fragment.push(char::from(byte));
        } else {
            let _ = write!(fragment, "%{byte:02X}");
        }
    }
    fragment
}

impl Serialize for Reply {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'a> {
            content: [Content<'a>; 1],
            #[serde(skip_serializing_if = "Option::is_none")]
            structured_content: Option<&'a Value>,
            is_error: bool,
            #[serde(rename = "_meta")]
            meta: &'a Map<String, Value>,
        }
        #[derive(Serialize)]
        struct Content<'a> {
            r#type: &'a str,
            text: &'a str,
        }
        let content = [Content { r#type: "text", text: &self.text }];
        let structured_content = self.structured_content.as_ref();
        Wire { content, structured_content, is_error: true, meta: &self.meta }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::fragment;

    #[test]
    fn fragments_have_what_uris_allow() {
        // The examples of RFC 6901 section 6.
        for (pointer, expected) in [
            ("", "#"),
            ("/foo/0", "#/foo/0"),
            ("/a~1b", "#/a~1b"),
            ("/c%d", "#/c%25d"),
            ("/i\\j", "#/i%5Cj"),
            ("/ ", "#/%20"),
        ] {
            assert_eq!(fragment(pointer), expected);
        }
        assert_eq!(fragment("/ü#"), "#/%C3%BC%23");
    }
}
