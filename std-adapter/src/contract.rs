//! What a tool promises: its two schemas, compiled once.

use crate::document::Document;
use crate::failure::{Failure, Reason, Side};
use crate::place;
use crate::report::{Found, not_an_object};
use crate::terms::{Terms, Uncompilable};
use crate::value::Tree;
use microschema::{Error, Options, Program, ProgramBuf, SchemaErrorKind};
use std::fmt;
use std::sync::Arc;

/// A tool's schemas, compiled, with the terms to check calls under. A clone shares them.
///
/// Checking takes arguments and structured content as bytes or as `serde_json` values in place. What is valid is let through without
/// any allocation.
///
/// ```
/// use microschema_mcp::{Contract, Document, Terms};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"age": {"maximum": 120}}, "required": ["name"]});
/// let contract = Contract::new("greet", &schema, Document::Absent, Terms::new());
/// assert!(contract.check_input(&json!({"name": "Ada", "age": 36})).is_ok());
///
/// let failure = contract.check_input(br#"{"age": 200}"#).unwrap_err();
/// assert_eq!(failure.to_string(), "Invalid input: the arguments do not match the tool's input schema.
/// - at /age: must be at most 120 (maximum)
/// - at /name: is required (required)");
/// ```
#[derive(Clone, Debug)]
pub struct Contract(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tool: Arc<str>,
    terms: Terms,
    /// `None` where nothing is checked.
    input: Option<ProgramBuf>,
    output: Option<ProgramBuf>,
    problems: Vec<SchemaProblem>,
}

/// Why a schema cannot be honoured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaProblem {
    /// Which schema.
    pub side: Side,
    /// The JSON Pointer of the place in the schema.
    pub pointer: String,
    /// The reason.
    pub kind: SchemaErrorKind,
}

impl Contract {
    /// Compiles the schemas of a tool. A side whose schema is [absent](Document::Absent) is not checked.
    ///
    /// A schema that cannot be honoured is one of the [problems](Self::problems); the terms tell what becomes of the tool's calls.
    #[must_use]
    pub fn new<'s>(
        tool: impl Into<Arc<str>>,
        input_schema: impl Into<Document<'s>>,
        output_schema: impl Into<Document<'s>>,
        terms: Terms,
    ) -> Self {
        let tool = tool.into();
        let mut problems = Vec::new();
        let mut compile = |side, schema: Document<'_>, wanted: bool| {
            if !wanted {
                return None;
            }
            compile(side, schema, &terms).unwrap_or_else(|problem| {
                let (tool, fate) = (&*tool, terms.uncompilable);
                tracing::error!(tool, %problem, ?fate, "schema cannot be honoured");
                problems.push(problem);
                None
            })
        };
        let input = compile(Side::Input, input_schema.into(), terms.check_input);
        let output = compile(Side::Output, output_schema.into(), terms.check_output);
        Self(Arc::new(Inner { tool, terms, input, output, problems }))
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// The schemas that cannot be honoured, for servers that had rather not start.
    #[must_use]
    pub fn problems(&self) -> &[SchemaProblem] {
        &self.0.problems
    }

    /// Checks the arguments of a call, before the tool runs. Arguments that are absent or `null` are `{}`;
    /// a schema that takes nothing but `null` is content with them, too.
    ///
    /// # Errors
    /// When the tool is not to run. An event at the level `debug` tells so, with places but no values.
    pub fn check_input<'a>(&self, arguments: impl Into<Document<'a>>) -> Result<(), Failure> {
        self.judge_input(arguments.into()).inspect_err(Failure::trace)
    }

    /// Checks the structured content of a result that is no error.
    ///
    /// # Errors
    /// When the result is not to leave the server. An event at the level `warn` tells so, with places but no values.
    pub fn check_output<'a>(&self, structured_content: impl Into<Document<'a>>) -> Result<(), Failure> {
        self.judge_output(structured_content.into()).inspect_err(Failure::trace)
    }

    /// Whether results are checked.
    pub(crate) fn has_output(&self) -> bool {
        self.0.output.is_some()
    }

    /// [`check_input`](Self::check_input) without an event.
    pub(crate) fn judge_input(&self, arguments: Document<'_>) -> Result<(), Failure> {
        if let Some(problem) = self.0.problems.first()
            && self.0.terms.uncompilable == Uncompilable::Refuse
        {
            return Err(self.failure(Side::Input, Reason::Schema(problem.clone())));
        }
        let Some(program) = &self.0.input else { return Ok(()) };
        let program = program.as_program();
        match self.check(Side::Input, program, arguments.or_empty_object()) {
            Err(reason) if !(arguments.is_nothing() && takes_nothing(program, &reason)) => {
                Err(self.failure(Side::Input, reason))
            }
            _ => Ok(()),
        }
    }

    /// [`check_output`](Self::check_output) without an event.
    pub(crate) fn judge_output(&self, structured_content: Document<'_>) -> Result<(), Failure> {
        let Some(program) = &self.0.output else { return Ok(()) };
        match structured_content {
            Document::Absent if self.0.terms.require_structured_content => {
                Err(self.failure(Side::Output, Reason::NoStructuredContent))
            }
            Document::Absent => Ok(()),
            content => self
                .check(Side::Output, program.as_program(), content)
                .map_err(|reason| self.failure(Side::Output, reason)),
        }
    }

    fn check(&self, side: Side, program: Program<'_>, document: Document<'_>) -> Result<(), Reason> {
        let terms = &self.0.terms;
        let validator = program.validator().limits(terms.limits).unique_names(terms.unique_names);
        let mut found = Found::new(terms);
        let verdict = match document {
            Document::Absent => Ok(true),
            Document::Bytes(bytes) => validator.validate(bytes, &mut found),
            Document::Value(value) => validator.run(Tree::of(value), Some(&mut found)),
            Document::Object(object) => validator.run(Tree::of_object(object), Some(&mut found)),
        };
        Err(match verdict {
            Ok(true) if side == Side::Output || document.is_object() => return Ok(()),
            Ok(true) => Reason::Invalid { issues: vec![not_an_object(document)], omitted: 0 },
            Ok(false) => Reason::Invalid { issues: found.describe(&program, document, terms), omitted: found.omitted },
            Err(Error::Json(error)) => Reason::Json(error),
            Err(Error::Limit(limit)) => Reason::Limit(limit),
            // `Error` may grow; what it then tells is no verdict either.
            Err(_) => Reason::Limit(microschema::Limit::Size),
        })
    }

    fn failure(&self, side: Side, reason: Reason) -> Failure {
        Failure { tool: self.0.tool.clone(), side, reason }
    }
}

/// Whether the schema takes `null` and no object at all: that of a handler over `()`.
fn takes_nothing(program: Program<'_>, reason: &Reason) -> bool {
    let Reason::Invalid { issues, omitted: 0 } = reason else { return false };
    matches!(&**issues, [issue] if issue.path.is_empty() && issue.keyword == "type")
        && program.is_valid(b"null") == Ok(true)
}

fn compile(side: Side, schema: Document<'_>, terms: &Terms) -> Result<Option<ProgramBuf>, SchemaProblem> {
    let text;
    let bytes = match schema {
        Document::Absent => return Ok(None),
        Document::Bytes(bytes) => bytes,
        // Writing a value to memory cannot fail; if it did, the empty text would be refused.
        Document::Value(value) => {
            text = serde_json::to_vec(value).unwrap_or_default();
            &text
        }
        Document::Object(object) => {
            text = serde_json::to_vec(object).unwrap_or_default();
            &text
        }
    };
    match Options::new().assert_formats(terms.assert_formats).compile_owned(bytes) {
        Ok(program) => Ok(Some(program)),
        Err(error) => Err(SchemaProblem { side, pointer: error.pointer(bytes).to_string(), kind: error.kind }),
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = place::shown(&self.pointer);
        write!(f, "{} schema cannot be honoured: at {pointer}: {}", self.side, self.kind)
    }
}

impl std::error::Error for SchemaProblem {}
