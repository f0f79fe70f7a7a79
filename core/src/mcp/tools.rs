//! The table of tools: `tools/list` in pages, `tools/call` up to the handler, and its answer.

use super::failure::{Failure, Subject, Unchecked};
use super::message::Request;
use super::raw::Raw;
use super::refusal::{INVALID_PARAMS, Reason};
use super::reply;
use super::tool::Tool;
use super::writer::{Full, Plain, write_start};
use crate::error::Error;
use crate::instance::Kind;
use crate::json::Json;
use crate::program::Program;
use crate::text::Text;
use crate::{Issues, Limits};
use core::fmt;

/// Characters of an unknown tool's name that are given back.
const SHOWN: usize = 64;

/// Of a result that lacks what its tool's output schema describes.
const NO_CONTENT: &str = "Tool returned no structured content, which its output schema asks for.";

/// The longest that can stand around the tools of a page, apart from the id.
const AROUND: &str = r#"{"jsonrpc":"2.0","id":,"result":{"resultType":"complete","tools":[,"#;
const BEHIND: &str = r#"],"nextCursor":"4294967295","ttlMs":4294967295,"cacheScope":"public"}}"#;

/// The tools of a server.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Tools<'t> {
    tools: &'t [Tool<'t>],
    limits: Limits,
    ttl_ms: u32,
}

/// Why tools do not make a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ToolsError {
    /// A tool has the name of one before it.
    DuplicateName {
        /// The index of the second.
        index: usize,
    },
    /// More tools than a cursor counts.
    TooMany,
}

/// What came of a `tools/call`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Called<'t, 'a> {
    /// The arguments are valid: it is the handler's turn.
    Run(Call<'t, 'a>),
    /// The call is refused; the answer is written, and this long.
    Answered(usize),
}

/// A call whose arguments are valid.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Call<'t, 'a> {
    /// The tool.
    pub tool: &'t Tool<'t>,
    /// Its index in the table.
    pub index: usize,
    /// The id of the request.
    pub id: Raw<'a>,
    /// The arguments: an object that the input schema accepts.
    pub arguments: Raw<'a>,
    limits: Limits,
}

impl<'t> Tools<'t> {
    /// A table of `tools`, which are listed in this order, with [`Limits::device`].
    ///
    /// # Errors
    /// When two have the same name, or there are more than 2³² − 1.
    pub fn new(tools: &'t [Tool<'t>]) -> Result<Self, ToolsError> {
        if u32::try_from(tools.len()).is_err() {
            return Err(ToolsError::TooMany);
        }
        let mut before = tools.iter();
        while let Some(tool) = before.next_back() {
            let name = tool.definition().name();
            if before.clone().any(|other| other.definition().name().equals_text(name)) {
                return Err(ToolsError::DuplicateName { index: before.len() });
            }
        }
        Ok(Self::from_build(tools))
    }

    /// A table as `build` writes it, which looked at the names.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_build(tools: &'t [Tool<'t>]) -> Self {
        Self { tools, limits: Limits::device(), ttl_ms: 0 }
    }

    /// Sets the limits that arguments and results are checked within.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long a client may go without listing the tools again (MCP 2026-07-28, Caching, `ttlMs`). At first: not at all.
    #[must_use]
    pub const fn ttl_ms(mut self, milliseconds: u32) -> Self {
        self.ttl_ms = milliseconds;
        self
    }

    /// The tools.
    #[must_use]
    pub const fn as_slice(&self) -> &'t [Tool<'t>] {
        self.tools
    }

    /// The tool of this name, and its index.
    #[must_use]
    pub fn find(&self, name: Text<'_>) -> Option<(usize, &'t Tool<'t>)> {
        self.tools.iter().enumerate().find(|(_, tool)| tool.definition().name().equals_text(name))
    }

    /// The least length of a buffer in which every tool can be listed, for ids of up to 32 bytes.
    #[must_use]
    pub fn page_length(&self) -> usize {
        let longest = self.tools.iter().map(|tool| tool.definition().raw().as_bytes().len()).max().unwrap_or(0);
        longest.saturating_add(AROUND.len() + BEHIND.len() + 32)
    }

    /// Answers `tools/list`: as many tools as fit the buffer, and a cursor for the next page (MCP, Pagination).
    ///
    /// A page of another length is a part of the buffer. The cursor is the index of the next tool, so that nothing has to be kept.
    ///
    /// # Errors
    /// When not even the error response fits.
    pub fn list(&self, request: &Request<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let Some(start) = self.page_start(request.params.cursor) else {
            return request.refuse(Reason::Cursor).write(out);
        };
        let mut next = start;
        let written = reply::result_with(out, request.id, &mut |json| {
            json.piece(r#"{"resultType":"complete","tools":["#);
            for tool in self.tools.iter().skip(start) {
                let before = json.mark();
                if !json.raw(tool.definition().raw()).has_room(BEHIND.len()) {
                    json.reset(before);
                    break;
                }
                next += 1;
            }
            json.piece("]");
            if next < self.tools.len() {
                json.piece(",\"nextCursor\":").text(&mut |out| crate::Number::from_u64(next as u64).write(out));
            }
            json.piece(",\"ttlMs\":").integer(self.ttl_ms.into()).piece(",\"cacheScope\":\"public\"}");
        });
        match written {
            Ok(length) if next > start || self.tools.is_empty() => Ok(length),
            _ => reply::too_long(out, Some(request.id)),
        }
    }

    /// Answers `tools/call` as far as the arguments: finds the tool, and checks them.
    ///
    /// Omitted or `null` arguments are `{}`. Answered without the handler are: an unknown tool and parameters that are none of a call
    /// (−32602, MCP, Tools, "Error Handling"), and arguments that the schema does not accept, or that cannot be checked within the
    /// limits (a tool execution error). Where the schema is the reason, `issues` tells what is wrong; else it is empty.
    ///
    /// # Errors
    /// When not even the error response fits.
    pub fn call<'a, const N: usize>(
        &self,
        request: &Request<'a>,
        issues: &mut Issues<N>,
        out: &mut [u8],
    ) -> Result<Called<'t, 'a>, Full> {
        let Some(name) = request.params.name.and_then(Raw::string) else {
            return request.refuse(Reason::Name).write(out).map(Called::Answered);
        };
        let Some((index, tool)) = self.find(name) else {
            let written = reply::error(out, Some(request.id), INVALID_PARAMS, &UnknownTool(name), None);
            return or_too_long(written, request.id, out).map(Called::Answered);
        };
        let arguments = match request.params.arguments {
            Some(arguments) if arguments.kind() != Kind::Null => arguments,
            _ => Raw::EMPTY_OBJECT,
        };
        let call = Call { tool, index, id: request.id, arguments, limits: self.limits };
        match call.check(Subject::Input, &tool.input(), arguments, issues, out)? {
            Some(length) => Ok(Called::Answered(length)),
            None if arguments.kind() != Kind::Object => {
                request.refuse(Reason::Arguments).write(out).map(Called::Answered)
            }
            None => Ok(Called::Run(call)),
        }
    }

    /// The index that a cursor stands for.
    fn page_start(&self, cursor: Option<Raw<'_>>) -> Option<usize> {
        let cursor = match cursor {
            Some(cursor) if cursor.kind() != Kind::Null => cursor.string()?,
            _ => return Some(0),
        };
        let mut index = 0_usize;
        for code in cursor.chars() {
            let digit = char::from_u32(code)?.to_digit(10)?;
            index = index.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        }
        (1..self.tools.len()).contains(&index).then_some(index)
    }
}

impl Call<'_, '_> {
    /// Answers with a text. A tool that declares an output schema has to give structured content: then this is an error.
    ///
    /// # Errors
    /// When not even the error response fits.
    pub fn text(&self, out: &mut [u8], text: &dyn fmt::Display) -> Result<usize, Full> {
        let written = match self.tool.output() {
            None => reply::text(out, self.id, text),
            Some(_) => reply::tool_error(out, self.id, &Plain(NO_CONTENT)),
        };
        or_too_long(written, self.id, out)
    }

    /// Answers with a tool execution error: what went wrong, for the model to act on.
    ///
    /// # Errors
    /// When not even the error response fits.
    pub fn error(&self, out: &mut [u8], text: &dyn fmt::Display) -> Result<usize, Full> {
        or_too_long(reply::tool_error(out, self.id, text), self.id, out)
    }

    /// Answers with structured content, if the output schema accepts it; else that is what is told, as a tool execution error.
    ///
    /// Up to 2025-11-25 the content must be an object.
    ///
    /// # Errors
    /// When not even the error response fits.
    pub fn structured<const N: usize>(
        &self,
        content: Raw<'_>,
        issues: &mut Issues<N>,
        out: &mut [u8],
    ) -> Result<usize, Full> {
        if let Some(program) = self.tool.output()
            && let Some(length) = self.check(Subject::Output, &program, content, issues, out)?
        {
            return Ok(length);
        }
        or_too_long(reply::structured(out, self.id, content), self.id, out)
    }

    /// `None` if the value is valid, else the length of the answer that tells why not.
    fn check<const N: usize>(
        &self,
        subject: Subject,
        program: &Program<'_>,
        value: Raw<'_>,
        issues: &mut Issues<N>,
        out: &mut [u8],
    ) -> Result<Option<usize>, Full> {
        issues.clear();
        let instance = Json::trusted(value.as_bytes());
        let written = match program.validator().limits(self.limits).run(instance, Some(issues)) {
            Ok(true) => return Ok(None),
            Ok(false) => Failure::new(subject, program, value, issues).write(out, self.id),
            Err(error) => {
                // Those that were found are not why.
                issues.clear();
                self.unchecked(subject, error, out)
            }
        };
        or_too_long(written, self.id, out).map(Some)
    }

    fn unchecked(&self, subject: Subject, error: Error, out: &mut [u8]) -> Result<usize, Full> {
        reply::tool_error(out, self.id, &Unchecked(subject, error))
    }
}

fn or_too_long(written: Result<usize, Full>, id: Raw<'_>, out: &mut [u8]) -> Result<usize, Full> {
    written.or_else(|Full| reply::too_long(out, Some(id)))
}

struct UnknownTool<'a>(Text<'a>);

impl fmt::Display for UnknownTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unknown tool: ")?;
        write_start(f, self.0, SHOWN)
    }
}

impl fmt::Display for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DuplicateName { .. } => "two tools have the same name",
            Self::TooMany => "too many tools",
        })
    }
}

impl core::error::Error for ToolsError {}
