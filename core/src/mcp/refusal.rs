//! Why a message is refused, and the error response that says so (JSON-RPC 2.0 section 5.1).

use super::raw::Raw;
use super::reply;
use super::writer::Full;
use crate::error::JsonError;
use core::fmt;

/// The error code for parameters that do not fit the method (JSON-RPC 2.0 section 5.1).
pub(super) const INVALID_PARAMS: i32 = -32_602;
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Reason {
    /// Not JSON: −32700.
    Json(JsonError),
    /// Longer than the buffer, or than this build can read: −32600.
    TooLong,
    /// Nested more deeply than allowed: −32600.
    TooDeep,
    /// Not an object: −32600. A batch is an array, and MCP has none since 2025-06-18.
    NotAnObject,
    /// `jsonrpc` is not `"2.0"`: −32600.
    Version,
    /// `id` is neither a string nor a number: −32600. MCP does not allow `null` (Overview, "Requests").
    Id,
    /// `method` is not a string: −32600.
    Method,
    /// Neither `method` nor `result` nor `error`, or two of them: −32600.
    Shape,
    /// `params` is not a structured value: −32600.
    Params,
    /// A member that has a meaning here occurs twice: −32600.
    DuplicateMember {
        /// Its name.
        name: &'static str,
    },
    /// The same within `params` or `_meta`: −32602.
    DuplicateParameter {
        /// Its name.
        name: &'static str,
    },
    /// `params` is an array: −32602. JSON-RPC has such parameters, MCP does not.
    PositionalParams,
    /// `_meta` is not an object: −32602.
    Meta,
    /// `_meta` lacks a member that this version requires: −32602.
    MissingMeta {
        /// Its name.
        name: &'static str,
    },
    /// `params.name` is not a string: −32602.
    Name,
    /// `params.arguments` is not an object, and the tool's schema does not mind: −32602.
    Arguments,
    /// `params.cursor` is none that this server gave: −32602 (Pagination, "Error Handling").
    Cursor,
    /// The method is not known: −32601.
    UnknownMethod,
    /// The response does not fit its buffer: −32603.
    ResponseTooLong,
}

impl Reason {
    /// The error code of JSON-RPC.
    #[must_use]
    pub const fn code(&self) -> i32 {
        match self {
            Self::Json(_) => PARSE_ERROR,
            Self::TooLong
            | Self::TooDeep
            | Self::NotAnObject
            | Self::Version
            | Self::Id
            | Self::Method
            | Self::Shape
            | Self::Params
            | Self::DuplicateMember { .. } => INVALID_REQUEST,
            Self::UnknownMethod => -32_601,
            Self::ResponseTooLong => -32_603,
            Self::DuplicateParameter { .. }
            | Self::PositionalParams
            | Self::Meta
            | Self::MissingMeta { .. }
            | Self::Name
            | Self::Arguments
            | Self::Cursor => INVALID_PARAMS,
        }
    }

    /// What the code says, and what it does not.
    const fn texts(&self) -> (&'static str, &'static str) {
        let kind = match self.code() {
            PARSE_ERROR => "Parse error: ",
            INVALID_REQUEST => "Invalid request: ",
            INVALID_PARAMS => "Invalid params: ",
            _ => "",
        };
        let text = match self {
            Self::Json(_) => "",
            Self::TooLong => "the message is too long",
            Self::TooDeep => "nested too deeply",
            Self::NotAnObject => "the message is not an object",
            Self::Version => "jsonrpc must be \"2.0\"",
            Self::Id => "id must be a string or a number",
            Self::Method => "method must be a string",
            Self::Shape => "neither a request nor a response",
            Self::Params | Self::PositionalParams => "params must be an object",
            Self::DuplicateMember { .. } | Self::DuplicateParameter { .. } => "member occurs twice: ",
            Self::Meta => "_meta must be an object",
            Self::MissingMeta { .. } => "_meta must have a valid ",
            Self::Name => "name must be a string",
            Self::Arguments => "arguments must be an object",
            Self::Cursor => "cursor is not known",
            Self::UnknownMethod => "Method not found",
            Self::ResponseTooLong => "Internal error: the response is too long",
        };
        (kind, text)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = self.texts();
        f.write_str(kind)?;
        f.write_str(text)?;
        match self {
            Self::Json(error) => fmt::Display::fmt(error, f),
            Self::DuplicateMember { name } | Self::DuplicateParameter { name } | Self::MissingMeta { name } => {
                f.write_str(name)
            }
            _ => Ok(()),
        }
    }
}

impl core::error::Error for Reason {}

/// A message that is refused, and what is known of its sender's wish for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refusal<'a> {
    pub(super) reason: Reason,
    pub(super) id: Option<Raw<'a>>,
    pub(super) is_answered: bool,
}

impl<'a> Refusal<'a> {
    /// A message of which nothing is known: the framer could not hold it.
    pub const TOO_LONG: Refusal<'static> = Refusal { reason: Reason::TooLong, id: None, is_answered: true };

    /// Why.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The id to answer with. `None` where it could not be read (JSON-RPC 2.0 section 5: the answer's id is then `null`).
    #[must_use]
    pub const fn id(&self) -> Option<Raw<'a>> {
        self.id
    }

    /// Whether the sender is told. Notifications are never answered (JSON-RPC 2.0 section 4.1), nor are responses.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// Writes the error response, and gives its length: 0 if none is due.
    ///
    /// ```
    /// use microschema::mcp::Message;
    ///
    /// let refusal = Message::read(br#"{"jsonrpc": "2.0", "method": "tools/ca"#).unwrap_err();
    /// let mut out = [0; 128];
    /// let length = refusal.write(&mut out)?;
    /// assert_eq!(
    ///     core::str::from_utf8(&out[..length]).unwrap(),
    ///     r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: input ends inside a string at byte 38"}}"#
    /// );
    /// # Ok::<(), microschema::mcp::Full>(())
    /// ```
    ///
    /// # Errors
    /// When the buffer has no room for it, not even without the id.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Full> {
        if !self.is_answered {
            return Ok(0);
        }
        match reply::error(out, self.id, self.reason.code(), &self.reason, None) {
            Err(Full) if self.id.is_some() => reply::too_long(out, self.id),
            written => written,
        }
    }
}
