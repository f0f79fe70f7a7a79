//! What a message of the client is, and whether it may go on. Nothing changes by looking.

use super::listing::Asked;
use super::table::Unlearned;
use super::{DEPTH, Session, error, written};
use crate::names;
use crate::place::decode;
use crate::{Document, Failure, Guard};
use microschema::mcp::{Message, Notification, Params, Raw, Reason, Refusal, Request};
use std::fmt::Display;

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// What is to become of a message.
#[derive(Debug)]
pub(super) enum Verdict<'l> {
    /// It is none that matters here.
    Passes,
    /// It asks for the tools: the answer is learned from.
    Lists(Raw<'l>),
    /// It takes back the request of this id.
    Cancels(Raw<'l>),
    /// The arguments are valid.
    Runs(Call<'l>),
    /// The arguments are not.
    Refused(Call<'l>, Failure),
    /// The server does not list such a tool: it will not know it.
    Unknown,
    /// The tools have to be learned first.
    Waits { id: Option<Raw<'l>>, params: Params<'l> },
    /// They could not be learned.
    Unlearned { id: Option<Raw<'l>>, name: String, reason: Unlearned, is_modern: bool },
    /// It is no message, or one that may be read in two ways.
    Unreadable { reason: String, answer: Option<Vec<u8>> },
}

/// A call of a tool that is known.
#[derive(Debug)]
pub(super) struct Call<'l> {
    pub(super) guard: Guard,
    /// `None` in a notification, which MCP does not have for calls, and servers may run all the same.
    pub(super) id: Option<Raw<'l>>,
    pub(super) arguments: Document<'l>,
    /// Whether it is of the stateless era, whose results have a `resultType`.
    pub(super) is_modern: bool,
}

impl Verdict<'_> {
    /// The parameters of a call that has to wait.
    pub(super) const fn waits_with(&self) -> Option<&Params<'_>> {
        match self {
            Self::Waits { params, .. } => Some(params),
            _ => None,
        }
    }
}

impl<'l> From<Refusal<'l>> for Verdict<'l> {
    fn from(refusal: Refusal<'l>) -> Self {
        let answer = refusal.is_answered().then(|| written(refusal.id(), |out| refusal.write(out)));
        Self::Unreadable { reason: refusal.reason().to_string(), answer }
    }
}

impl Session {
    pub(super) fn judge<'l>(&self, text: &'l [u8], asked: Asked) -> Verdict<'l> {
        let (id, method, params) = match Message::read_within(text, DEPTH) {
            Ok(Message::Request(Request { id, method, params, .. })) => (Some(id), Some(method), params),
            Ok(Message::Notification(Notification { method, params, .. })) => (None, Some(method), params),
            Ok(Message::Response(_)) => (None, None, Params::default()),
            Err(refusal) => return refusal.into(),
        };
        let is = |name: &str| method.is_some_and(|method| method.equals(name.as_bytes()));
        if id.is_some_and(|id| self.listing.is_own(id)) {
            return unreadable(id, Reason::Id, &Reason::Id);
        }
        if let Some(name) = names::ambiguous(text, &params, is(CALL)) {
            return unreadable(
                id,
                Reason::Shape,
                &format_args!("Invalid request: a member is called {name}, but for its case"),
            );
        }
        if is(CALL) {
            return match params.name.and_then(Raw::string) {
                Some(name) => self.judge_call(id, decode(name), params, asked),
                None => unreadable(id, Reason::Name, &Reason::Name),
            };
        }
        let cancelled = || params.raw.and_then(|params| params.member("requestId"));
        match id {
            Some(id) if is("tools/list") => Verdict::Lists(id),
            None if is("notifications/cancelled") => cancelled().map_or(Verdict::Passes, Verdict::Cancels),
            _ => Verdict::Passes,
        }
    }

    fn judge_call<'l>(&self, id: Option<Raw<'l>>, name: String, params: Params<'l>, asked: Asked) -> Verdict<'l> {
        let is_modern = params.meta_version.is_some();
        let waits = Verdict::Waits { id, params };
        // Calls do not overtake one another.
        if asked == Asked::NotYet && self.is_waiting() {
            return waits;
        }
        let Some(known) = self.table.get(&name) else {
            return match asked {
                Asked::NotYet => waits,
                Asked::Answered => Verdict::Unknown,
                Asked::InVain(reason) => Verdict::Unlearned { id, name, reason, is_modern },
            };
        };
        let arguments = Document::from(params.arguments.map(Raw::as_bytes));
        let call = || Call { guard: known.guard.clone(), id, arguments, is_modern };
        match known.guard.contract().judge_input(arguments) {
            Ok(()) => Verdict::Runs(call()),
            Err(_) if known.is_stale && asked == Asked::NotYet => waits,
            Err(failure) => Verdict::Refused(call(), failure),
        }
    }
}

/// A notification is not answered.
fn unreadable<'l>(id: Option<Raw<'l>>, kind: Reason, reason: &dyn Display) -> Verdict<'l> {
    let reason = reason.to_string();
    Verdict::Unreadable { answer: id.map(|id| error(Some(id), kind.code(), &reason)), reason }
}
