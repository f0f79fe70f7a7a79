//! A tool: its definition, as `tools/list` shows it, and its compiled schemas.

use super::raw::{Is, Raw};
use crate::error::Error;
use crate::instance::{Instance, Kind, Next};
use crate::json::{Json, MAX_DEPTH};
use crate::program::Program;
use crate::text::Text;
use core::fmt;
use core::ops::Range;

/// The definition of a tool (MCP, Tools, "Tool"), as JSON: what is declared is what is checked.
///
/// ```
/// use microschema::mcp::Definition;
///
/// let definition = Definition::read(br#"{"name": "get_time", "inputSchema": {"type": "object", "additionalProperties": false}}"#)?;
/// assert!(definition.name().equals(b"get_time"));
/// assert!(definition.input_schema().as_str().starts_with('{'));
/// assert!(definition.output_schema().is_none());
/// # Ok::<(), microschema::mcp::ToolError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Definition<'t> {
    raw: Raw<'t>,
    name: Text<'t>,
    input_schema: Raw<'t>,
    output_schema: Option<Raw<'t>>,
}

/// A tool that can be called: a definition and the programs of its schemas.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Tool<'t> {
    definition: Definition<'t>,
    input: Program<'t>,
    output: Option<Program<'t>>,
}

/// Why a definition is not that of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ToolError {
    /// The definition is not JSON.
    Json(Error),
    /// The definition is not an object.
    NotAnObject,
    /// `name`, `inputSchema` or `outputSchema` occurs twice.
    DuplicateMember,
    /// `name` is missing, or not a string.
    Name,
    /// `inputSchema` is missing, or not an object ("MUST be a valid JSON Schema object").
    InputSchema,
    /// There is an `outputSchema` without a program, or a program without an `outputSchema`.
    OutputProgram,
}

impl<'t> Definition<'t> {
    /// Reads a definition. Members other than `name`, `inputSchema` and `outputSchema` are passed on as they are.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &'t [u8]) -> Result<Self, ToolError> {
        let raw = Raw::new(text).map_err(ToolError::Json)?;
        if raw.kind() != Kind::Object {
            return Err(ToolError::NotAnObject);
        }
        let [name, input_schema, output_schema] = members(raw, ["name", "inputSchema", "outputSchema"])?;
        let name = name.and_then(Raw::string).ok_or(ToolError::Name)?;
        let input_schema = input_schema.filter(|schema| schema.kind() == Kind::Object).ok_or(ToolError::InputSchema)?;
        Ok(Self { raw, name, input_schema, output_schema })
    }

    /// The whole definition.
    #[must_use]
    pub const fn raw(&self) -> Raw<'t> {
        self.raw
    }

    /// `name`
    #[must_use]
    pub const fn name(&self) -> Text<'t> {
        self.name
    }

    /// `inputSchema`: to be compiled.
    #[must_use]
    pub const fn input_schema(&self) -> Raw<'t> {
        self.input_schema
    }

    /// `outputSchema`: to be compiled as well.
    #[must_use]
    pub const fn output_schema(&self) -> Option<Raw<'t>> {
        self.output_schema
    }
}

impl<'t> Tool<'t> {
    /// A tool of a definition (JSON) and the programs that its schemas were compiled into, here or when the image was built.
    ///
    /// # Errors
    /// When the definition is none, or declares an output schema that nobody would check.
    pub fn new(definition: &'t [u8], input: Program<'t>, output: Option<Program<'t>>) -> Result<Self, ToolError> {
        let definition = Definition::read(definition)?;
        if definition.output_schema.is_some() != output.is_some() {
            return Err(ToolError::OutputProgram);
        }
        Ok(Self { definition, input, output })
    }

    /// A tool as `build` writes it: a definition that it read, its name, and where its schemas stand.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_build(
        definition: &'t str,
        name: &'t str,
        input: (Range<usize>, Program<'t>),
        output: Option<(Range<usize>, Program<'t>)>,
    ) -> Self {
        let (input_schema, input) = input;
        let (output_schema, output) = match output {
            Some((schema, program)) => (Some(span(definition, schema)), Some(program)),
            None => (None, None),
        };
        let definition = Definition {
            raw: Raw::trusted(definition.as_bytes()),
            name: Text::plain(name),
            input_schema: span(definition, input_schema),
            output_schema,
        };
        Self { definition, input, output }
    }

    /// The definition.
    #[must_use]
    pub const fn definition(&self) -> &Definition<'t> {
        &self.definition
    }

    /// The program for arguments.
    #[must_use]
    pub const fn input(&self) -> Program<'t> {
        self.input
    }

    /// The program for structured content.
    #[must_use]
    pub const fn output(&self) -> Option<Program<'t>> {
        self.output
    }
}

const fn span(text: &str, span: Range<usize>) -> Raw<'_> {
    let value = match text.as_bytes().split_at_checked(span.end) {
        Some((start, _)) => start.split_at_checked(span.start),
        None => None,
    };
    match value {
        Some((_, value)) => Raw::trusted(value),
        None => Raw::NULL,
    }
}

/// The members of an object that are called so.
fn members<'t, const N: usize>(object: Raw<'t>, names: [&str; N]) -> Result<[Option<Raw<'t>>; N], ToolError> {
    let json = Json::trusted(object.as_bytes());
    let mut found = [None; N];
    let mut walk = json.members(0);
    let mut after = 0;
    let failed = |_| ToolError::NotAnObject;
    while let Next::Item(member) = json.next_member(&mut walk, after).map_err(failed)? {
        after = json.skip(member.value, MAX_DEPTH).map_err(failed)?;
        for (name, slot) in names.iter().zip(&mut found) {
            let value = Raw::trusted(json.span(member.value, after));
            if member.name.is(name) && slot.replace(value).is_some() {
                return Err(ToolError::DuplicateMember);
            }
        }
    }
    Ok(found)
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::NotAnObject => f.write_str("definition is not an object"),
            Self::DuplicateMember => f.write_str("member of the definition occurs twice"),
            Self::Name => f.write_str("definition has no name"),
            Self::InputSchema => f.write_str("inputSchema must be an object"),
            Self::OutputProgram => f.write_str("outputSchema and its program come together"),
        }
    }
}

impl core::error::Error for ToolError {}
