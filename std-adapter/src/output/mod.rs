//! Output as JSON Schema 2020-12 has it (core, section 12): "flag" and "basic".
//!
//! The engine's programs fold schemas together and keep no keyword locations. So [`Evaluator`] walks the schema document itself, along the
//! applicators and references, and asks the engine for each assertion, as a schema of that one keyword. The verdict of the whole is
//! always that of the engine's program. This is for reading and for tools: a call is checked many times faster by the program alone.
//!
//! The other dialects give the same output, their annotations as 2020-12 has them.

mod evaluate;
mod keyword;
mod programs;
mod resource;
mod tree;

use evaluate::Run;
use microschema::{Dialect, Error, Options, ProgramBuf, SchemaError};
use programs::Programs;
use resource::{Documents, Place, Resources};
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt;
use tree::Trees;

/// How a schema is read, as with [`microschema::Options`].
#[derive(Clone, Copy, Debug)]
pub struct Reading<'s> {
    /// The dialect of schemas without `$schema`.
    pub dialect: Dialect,
    /// Whether `format` is checked; else it is only an annotation.
    pub assert_formats: bool,
    /// Documents that the schema may refer to, each with the URI it was retrieved from.
    pub documents: &'s [(&'s str, &'s [u8])],
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self { dialect: Dialect::default(), assert_formats: true, documents: &[] }
    }
}

/// The "basic" output: a flat list of errors, or of annotations where the instance is valid.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The verdict.
    pub valid: bool,
    /// Of the whole: empty.
    pub keyword_location: String,
    /// The URI of the schema, where it has an absolute one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute_keyword_location: Option<String>,
    /// Of the whole: empty.
    pub instance_location: String,
    /// What is wrong, if anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Unit>,
    /// What the schema says about parts of a valid instance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Unit>,
}

impl Output {
    /// The "flag" output: the verdict and nothing else.
    #[must_use]
    pub const fn flag(&self) -> Flag {
        Flag { valid: self.valid }
    }
}

/// The "flag" output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// The verdict.
    pub valid: bool,
}

/// An error or an annotation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unit {
    /// Whether the keyword (or the schema that is `false`) is satisfied.
    pub valid: bool,
    /// The way to the keyword from the root of the schema, through references: a JSON Pointer.
    pub keyword_location: String,
    /// The keyword's own URI. Left out where its resource has no absolute one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute_keyword_location: Option<String>,
    /// The JSON Pointer to the value in the instance. What `propertyNames` has to say of a name is about the object.
    pub instance_location: String,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The annotation, as the schema has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<Box<RawValue>>,
}

/// Why there is no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputError {
    /// The engine gave no verdict, or locating came to a limit of its own.
    Instance(Error),
    /// The engine and the evaluator disagree: an error of this crate.
    Disagreement,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instance(error) => error.fmt(f),
            Self::Disagreement => f.write_str("the locations contradict the verdict (please report this)"),
        }
    }
}

impl std::error::Error for OutputError {}

impl From<Error> for OutputError {
    fn from(error: Error) -> Self {
        Self::Instance(error)
    }
}

/// A schema, ready to tell where in it and in an instance something is wrong.
///
/// ```
/// use microschema_mcp::output::{Evaluator, Reading};
///
/// let schema = br##"{"properties": {"level": {"$ref": "#/$defs/level"}}, "$defs": {"level": {"maximum": 10}}}"##;
/// let mut evaluator = Evaluator::new(schema, &Reading::default())?;
/// let output = evaluator.basic(br#"{"level": 70}"#)?;
/// let last = output.errors.last().unwrap();
/// assert_eq!(last.keyword_location, "/properties/level/$ref/maximum");
/// assert_eq!(last.instance_location, "/level");
/// assert_eq!(last.error.as_deref(), Some("must be at most 10"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Evaluator<'s> {
    program: ProgramBuf,
    documents: Documents<'s>,
    resources: Resources,
    schema: Option<Place>,
    programs: Programs,
}

impl<'s> Evaluator<'s> {
    /// Reads a schema.
    ///
    /// # Errors
    /// Those of [`microschema::Options::compile`].
    pub fn new(schema: &'s [u8], reading: &Reading<'s>) -> Result<Self, SchemaError> {
        let options =
            Options::new().dialect(reading.dialect).assert_formats(reading.assert_formats).documents(reading.documents);
        let program = options.compile_owned(schema)?;
        let documents = Documents::new(schema, reading);
        let (resources, schema) = Resources::new(&documents, reading);
        Ok(Self { program, documents, resources, schema, programs: Programs::default() })
    }

    /// The "basic" output for an instance.
    ///
    /// # Errors
    /// Those of [`microschema::Program::validate`]; also [`Limit::Depth`](microschema::Limit::Depth) and
    /// [`Limit::Steps`](microschema::Limit::Steps) where the way through the schema is longer than the engine's.
    pub fn basic(&mut self, instance: &[u8]) -> Result<Output, OutputError> {
        // The whole text is read, so that what is not JSON is found behind a failure, too.
        let valid = programs::run(self.program.as_program(), instance)?.is_none();
        let mut trees = Trees::default();
        let (Some(schema), Some(root)) = (&self.schema, trees.read(instance)) else {
            return Err(OutputError::Disagreement);
        };
        let mut run = Run::new(&self.documents, &mut self.resources, &mut self.programs, &trees, instance);
        let verdict = run.whole(schema, root)?;
        if verdict.valid != valid {
            return Err(OutputError::Disagreement);
        }
        Ok(Output {
            valid,
            keyword_location: String::new(),
            absolute_keyword_location: self.resources.absolute(schema, ""),
            instance_location: String::new(),
            errors: verdict.errors,
            annotations: verdict.annotations,
        })
    }
}
