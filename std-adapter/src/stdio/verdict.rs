//! What a message of the client is, and whether it may go on. Nothing changes by looking.

use super::listing::Asked;
use super::table::Unlearned;
use super::{DEPTH, Session};
use crate::place::decode;
use crate::{Document, Failure, Guard};
use microschema::mcp::{Message, Notification, Params, Raw, Reason, Refusal, Request};

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
    /// It is no message.
    Unreadable(Refusal<'l>),
    /// A call that names no tool and cannot be answered.
    NoTool,
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

impl Session {
    pub(super) fn judge<'l>(&self, message: &'l [u8], asked: Asked) -> Verdict<'l> {
        match Message::read_within(message, DEPTH) {
            Ok(Message::Request(request)) if self.listing.is_own(request.id) => {
                Verdict::Unreadable(request.refuse(Reason::Id))
            }
            Ok(Message::Request(request)) if request.is("tools/call") => self.judge_request(&request, asked),
            Ok(Message::Request(request)) if request.is("tools/list") => Verdict::Lists(request.id),
            Ok(Message::Notification(notification)) => self.judge_notification(&notification, asked),
            Ok(_) => Verdict::Passes,
            Err(refusal) => Verdict::Unreadable(refusal),
        }
    }

    fn judge_request<'l>(&self, request: &Request<'l>, asked: Asked) -> Verdict<'l> {
        match request.params.name.and_then(Raw::string) {
            Some(name) => self.judge_call(Some(request.id), decode(name), request.params, asked),
            None => Verdict::Unreadable(request.refuse(Reason::Name)),
        }
    }

    fn judge_notification<'l>(&self, notification: &Notification<'l>, asked: Asked) -> Verdict<'l> {
        let params = notification.params;
        if notification.method.equals(b"tools/call") {
            return match params.name.and_then(Raw::string) {
                Some(name) => self.judge_call(None, decode(name), params, asked),
                None => Verdict::NoTool,
            };
        }
        let is_cancellation = notification.method.equals(b"notifications/cancelled");
        match params.raw.filter(|_| is_cancellation).and_then(|params| params.member("requestId")) {
            Some(id) => Verdict::Cancels(id),
            None => Verdict::Passes,
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
