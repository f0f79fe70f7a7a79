//! From the text of a JSON-RPC message to the spans of its parts, in one strict pass on the engine's own reader.

use super::params::{CAPABILITIES, Params, VERSION};
use super::raw::{Is, Raw};
use super::refusal::{INVALID_PARAMS, Reason, Refusal};
use crate::error::{Error, Halt, Limit};
use crate::instance::{Instance, Kind, Next};
use crate::json::{Json, MAX_DEPTH};
use crate::text::Text;

/// Levels of nesting that [`Message::read`] allows.
pub const DEPTH: u16 = 64;

/// A message of JSON-RPC 2.0, as spans of its text.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Message<'a> {
    /// Wants an answer.
    Request(Request<'a>),
    /// Must not be answered.
    Notification(Notification<'a>),
    /// Answers a request of ours.
    Response(Response<'a>),
}

/// A request.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Request<'a> {
    /// A string or a number, to be given back as it is spelled: `1.0` as `1.0`.
    ///
    /// MCP asks for integers; a fraction is taken as JSON-RPC takes it.
    pub id: Raw<'a>,
    /// What is asked for. [`is`](Self::is) compares it.
    pub method: Text<'a>,
    /// With what.
    pub params: Params<'a>,
}

/// A request that wants no answer.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Notification<'a> {
    /// What is told.
    pub method: Text<'a>,
    /// With what.
    pub params: Params<'a>,
}

/// The answer to a request of ours.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Response<'a> {
    /// Whose answer it is. `null` or absent in an error whose cause could not be read.
    pub id: Option<Raw<'a>>,
    /// The `result`, or the `error`.
    pub result: Result<Raw<'a>, Raw<'a>>,
}

impl<'a> Message<'a> {
    /// Reads a message that is nested at most [`DEPTH`] levels.
    ///
    /// The whole text is read: it is exactly one JSON value (RFC 8259), in UTF-8. Members that MCP gives no meaning are only checked to
    /// be well-formed. A member that has a meaning (`jsonrpc`, `id`, `method`, `params`, `result`, `error`, and those of [`Params`])
    /// must not occur twice, however it is spelled: readers disagree on which one counts (RFC 8259 section 4).
    ///
    /// ```
    /// use microschema::mcp::Message;
    ///
    /// let line = br#"{"jsonrpc":"2.0","id":"a\u0000","method":"tools/call","params":{"name":"n","arguments":{"a":"}"}}}"#;
    /// let Ok(Message::Request(request)) = Message::read(line) else { panic!() };
    /// assert_eq!(request.id.as_str(), r#""a\u0000""#);
    /// assert!(request.is("tools/call"));
    /// assert_eq!(request.params.arguments.unwrap().as_str(), r#"{"a":"}"}"#);
    /// ```
    ///
    /// # Errors
    /// A [`Refusal`], which knows how to answer.
    pub fn read(text: &'a [u8]) -> Result<Self, Refusal<'a>> {
        Self::read_within(text, DEPTH)
    }

    /// The same with another bound on nesting; the message itself is the first level. At most 512.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_within(text: &'a [u8], depth: u16) -> Result<Self, Refusal<'a>> {
        let mut spans = [None; FIELDS.len()];
        let mut reading = Reading {
            json: Json::trusted(text),
            depth: u32::from(depth).min(MAX_DEPTH),
            spans: &mut spans,
            fault: None,
            is_complete: false,
        };
        let read = Json::new(text).map_err(reason_of).and_then(|_| {
            reading.whole().map_err(|halt| {
                // No halt without an error: nothing is validated here.
                reason_of(halt.error().unwrap_or(Error::Limit(Limit::Depth)))
            })
        });
        match read.and_then(|()| reading.message()) {
            Ok(message) => Ok(message),
            Err(reason) => Err(reading.refuse(reason)),
        }
    }
}

impl<'a> Request<'a> {
    /// Whether this method is asked for.
    #[must_use]
    pub fn is(&self, method: &str) -> bool {
        self.method.is(method)
    }

    /// Refuses the request.
    #[must_use]
    pub const fn refuse(&self, reason: Reason) -> Refusal<'a> {
        Refusal { reason, id: Some(self.id), is_answered: true }
    }
}

const fn reason_of(error: Error) -> Reason {
    match error {
        Error::Json(error) => Reason::Json(error),
        Error::Limit(Limit::Size) => Reason::TooLong,
        Error::Limit(_) => Reason::TooDeep,
    }
}

/// The members that have a meaning: the level they are at (the message, `params`, `_meta`), and their names.
const FIELDS: [(u8, &str); 13] = [
    (0, "jsonrpc"),
    (0, "id"),
    (0, "method"),
    (0, "params"),
    (0, "result"),
    (0, "error"),
    (1, "name"),
    (1, "arguments"),
    (1, "cursor"),
    (1, "protocolVersion"),
    (1, "_meta"),
    (2, VERSION),
    (2, CAPABILITIES),
];

const ID: usize = 1;
const PARAMS: usize = 3;
const META: usize = 10;

struct Reading<'s, 'a> {
    json: Json<'a>,
    depth: u32,
    /// Apart, or a copy of them would be the only one that needs a function for that.
    spans: &'s mut [Option<Raw<'a>>; FIELDS.len()],
    /// The first fault that does not keep the rest from being read.
    fault: Option<Reason>,
    /// Whether the rest was read.
    is_complete: bool,
}

impl<'a> Reading<'_, 'a> {
    fn whole(&mut self) -> Result<(), Halt> {
        let at = self.json.root()?;
        let end = match self.json.kind(at)? {
            Kind::Object => self.object(at, 0)?,
            _ => {
                self.fault(Reason::NotAnObject);
                self.value_end(at, 0)?
            }
        };
        self.json.finish(end)?;
        self.is_complete = true;
        Ok(())
    }

    /// Reads the object at `at`, and the one within it that has members of a meaning: three levels deep at most.
    fn object(&mut self, at: usize, level: u8) -> Result<usize, Halt> {
        if self.depth <= u32::from(level) {
            self.fault(Reason::TooDeep);
        }
        let mut members = self.json.members(at);
        let mut after = at;
        loop {
            let member = match self.json.next_member(&mut members, after)? {
                Next::Item(member) => member,
                Next::End(after) => return Ok(after),
            };
            let known = |&(of, name): &(u8, &str)| of == level && member.name.is(name);
            let Some(field) = FIELDS.iter().position(known) else {
                after = self.value_end(member.value, level + 1)?;
                continue;
            };
            after = match self.json.kind(member.value)? {
                Kind::Object if field == PARAMS || field == META => self.object(member.value, level + 1)?,
                _ => self.value_end(member.value, level + 1)?,
            };
            let span = Raw::trusted(self.json.span(member.value, after));
            let before = self.spans.get_mut(field).and_then(|slot| slot.replace(span));
            if before.is_some() {
                self.duplicate(field);
            }
        }
    }

    /// The place behind the value at `at`, which is within `level` others. One that is nested too deeply is passed over if that can be
    /// done at all, so that the id behind it is found.
    fn value_end(&mut self, at: usize, level: u8) -> Result<usize, Halt> {
        match self.json.skip(at, self.depth.saturating_sub(u32::from(level))) {
            Err(halt) if halt.error() == Some(Error::Limit(Limit::Depth)) => {
                self.fault(Reason::TooDeep);
                self.json.skip(at, MAX_DEPTH)
            }
            end => end,
        }
    }

    fn duplicate(&mut self, field: usize) {
        let Some(&(level, name)) = FIELDS.get(field) else { return };
        self.fault(match level {
            0 => Reason::DuplicateMember { name },
            _ => Reason::DuplicateParameter { name },
        });
        if field == ID {
            // Which of them it is, nobody knows.
            if let Some(id) = self.spans.get_mut(ID) {
                *id = Some(Raw::NULL);
            }
        }
    }

    /// Keeps the first fault; one of the request outweighs one of its parameters.
    fn fault(&mut self, reason: Reason) {
        if self.fault.is_none_or(|before| before.code() < reason.code()) {
            self.fault = Some(reason);
        }
    }

    /// What the spans amount to.
    fn message(&self) -> Result<Message<'a>, Reason> {
        let [jsonrpc, id, method, params, result, error, ..] = *self.spans;
        match self.fault {
            Some(fault) if fault.code() != INVALID_PARAMS => return Err(fault),
            _ => {}
        }
        if !jsonrpc.and_then(Raw::string).is_some_and(|version| version.is("2.0")) {
            return Err(Reason::Version);
        }
        let id_is_null = match id.map(Raw::kind) {
            None | Some(Kind::String | Kind::Number) => false,
            Some(Kind::Null) => true,
            Some(_) => return Err(Reason::Id),
        };
        let result = match (method, result, error) {
            (Some(_), None, None) => None,
            (None, Some(result), None) => Some(Ok(result)),
            (None, None, Some(error)) => Some(Err(error)),
            _ => return Err(Reason::Shape),
        };
        if let Some(result) = result {
            return Ok(Message::Response(Response { id, result }));
        }
        let method = method.and_then(Raw::string).ok_or(Reason::Method)?;
        if id_is_null {
            return Err(Reason::Id);
        }
        match params.map(Raw::kind) {
            None | Some(Kind::Object) => {}
            Some(Kind::Array) => return Err(Reason::PositionalParams),
            Some(_) => return Err(Reason::Params),
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let params = self.params()?;
        Ok(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(Notification { method, params }),
        })
    }

    fn params(&self) -> Result<Params<'a>, Reason> {
        let [_, _, _, raw, _, _, name, arguments, cursor, protocol_version, meta, meta_version, meta_capabilities] =
            *self.spans;
        if meta.is_some_and(|meta| meta.kind() != Kind::Object) {
            return Err(Reason::Meta);
        }
        Ok(Params { raw, name, arguments, cursor, protocol_version, meta, meta_version, meta_capabilities })
    }

    fn refuse(&self, reason: Reason) -> Refusal<'a> {
        let [_, id, method, _, result, error, ..] = *self.spans;
        // A notification that has nothing wrong with it but its parameters, or that they are too deep for us.
        let is_sound = reason.code() == INVALID_PARAMS || (reason == Reason::TooDeep && self.is_complete);
        let is_notification = is_sound && id.is_none() && method.is_some_and(|method| method.kind() == Kind::String);
        let is_response = result.is_some() || error.is_some();
        let is_parsed = !matches!(reason, Reason::Json(_));
        let id = id.filter(|id| is_parsed && matches!(id.kind(), Kind::String | Kind::Number));
        Refusal { reason, id, is_answered: !(is_notification || is_response) }
    }
}
