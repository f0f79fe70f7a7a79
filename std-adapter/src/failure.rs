//! What is wrong with a call, as a value that servers can look at and turn into any result they like.

use crate::SchemaProblem;
use microschema::{JsonError, Limit};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Why a call, or its result, was not let through.
///
/// `Display` gives the text that a model reads:
///
/// ```text
/// Invalid input: the arguments do not match the tool's input schema.
/// - at /age: must be at most 120 (maximum)
/// - and 2 more
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The tool.
    pub tool: Arc<str>,
    /// Whether it is about the arguments or about the result.
    pub side: Side,
    /// The reason.
    pub reason: Reason,
}

/// What a failure, or a schema, is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The arguments of a call, and `inputSchema`.
    Input,
    /// The structured content of a result, and `outputSchema`.
    Output,
}

/// Why a call, or its result, was not let through.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// It does not match the schema.
    Invalid {
        /// What is wrong with it, in the order it was found; at most as many as [`Terms::issues`](crate::Terms::issues) says.
        issues: Vec<Issue>,
        /// How many more there are.
        omitted: u32,
    },
    /// The bytes are not JSON; `is_truncated` of the kind tells that they were cut off.
    Json(JsonError),
    /// A limit was reached. This is not a verdict.
    Limit(Limit),
    /// A schema of the tool cannot be honoured, and so none of its calls.
    Schema(SchemaProblem),
    /// There is no structured content, though the terms require it.
    NoStructuredContent,
}

/// One thing that is wrong, as Standard Schema has it, with the keyword and a JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Issue {
    /// The way from the root. It ends with the name of a property that is missing or not expected.
    pub path: Vec<Segment>,
    /// The same as a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The keyword that failed.
    pub keyword: &'static str,
    /// What was expected.
    pub message: String,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Segment {
    /// The name of a member.
    Name(String),
    /// The index of an item.
    Index(u32),
}

impl Failure {
    /// The issues; none when the reason is another.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        match &self.reason {
            Reason::Invalid { issues, .. } => issues,
            _ => &[],
        }
    }

    /// How many issues were left out.
    #[must_use]
    pub const fn omitted(&self) -> u32 {
        match self.reason {
            Reason::Invalid { omitted, .. } => omitted,
            _ => 0,
        }
    }

    /// The first line of the text: what is wrong as a whole.
    #[must_use]
    pub fn summary(&self) -> String {
        match (&self.reason, self.side) {
            (Reason::Invalid { .. }, Side::Input) => {
                "Invalid input: the arguments do not match the tool's input schema.".to_owned()
            }
            (Reason::Invalid { .. }, Side::Output) => {
                "Tool returned structured content that does not match its output schema.".to_owned()
            }
            (Reason::Json(error), Side::Input) if error.kind.is_truncated() => {
                format!("Invalid input: the arguments were cut off: {error}. Send the whole call again.")
            }
            (Reason::Json(error), Side::Input) => format!("Invalid input: the arguments cannot be read: {error}."),
            (Reason::Json(error), Side::Output) => {
                format!("Tool returned structured content that cannot be read: {error}.")
            }
            (Reason::Limit(limit), Side::Input) => {
                format!("Invalid input: the arguments could not be checked: {limit}.")
            }
            (Reason::Limit(limit), Side::Output) => {
                format!("Tool returned structured content that could not be checked: {limit}.")
            }
            (Reason::Schema(problem), _) => format!("This tool cannot be called: its {problem}."),
            (Reason::NoStructuredContent, _) => {
                "Tool returned no structured content, which its output schema asks for.".to_owned()
            }
        }
    }

    /// One event, with names and paths but no values.
    pub(crate) fn trace(&self) {
        let (tool, places) = (&*self.tool, Places(self));
        match self.side {
            Side::Input => tracing::debug!(tool, %places, omitted = self.omitted(), "tool call refused"),
            Side::Output => tracing::warn!(tool, %places, omitted = self.omitted(), "tool result refused"),
        }
    }

    /// The event of a failure that is only reported: one level for both sides, as nothing else tells of it.
    pub(crate) fn trace_only(&self) {
        let (tool, places, side) = (&*self.tool, Places(self), self.side);
        tracing::warn!(tool, %side, %places, omitted = self.omitted(), "does not match its schema, and is let through");
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        for issue in self.issues() {
            write!(f, "\n- {issue}")?;
        }
        match self.omitted() {
            0 => Ok(()),
            omitted => write!(f, "\n- and {omitted} more"),
        }
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.path.is_empty() { "(root)" } else { &self.pointer };
        write!(f, "at {pointer}: {} ({})", self.message, self.keyword)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Output => "output",
        })
    }
}

/// Where a failure is, for the log: `/age maximum, /name required`.
struct Places<'a>(&'a Failure);

impl fmt::Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.0.reason, Reason::Invalid { .. }) {
            return f.write_str(&self.0.summary());
        }
        for (index, issue) in self.0.issues().iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} {}", issue.pointer, issue.keyword)?;
        }
        Ok(())
    }
}
