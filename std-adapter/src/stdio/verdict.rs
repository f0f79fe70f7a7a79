//! What a message of the client is, and whether it may go on. Nothing changes by looking.

use super::listing::Asked;
use super::table::Unlearned;
use super::{DEPTH, Session, error, written};
use crate::place::{decode, each_element};
use crate::{Document, Failure, Guard};
use microschema::mcp::{Message, Notification, Params, Raw, Reason, Refusal, Request};
use microschema::{Instance, Json};

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// Members of a message, and of the parameters of a call.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: [&str; 2] = ["name", "arguments"];

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

impl From<Refusal<'_>> for Verdict<'_> {
    fn from(refusal: Refusal<'_>) -> Self {
        let answer = refusal.is_answered().then(|| written(refusal.id(), |out| refusal.write(out)));
        Self::Unreadable { reason: refusal.reason().to_string(), answer }
    }
}

impl Session {
    pub(super) fn judge<'l>(&self, message: &'l [u8], asked: Asked) -> Verdict<'l> {
        match Message::read_within(message, DEPTH) {
            Ok(Message::Request(request)) if self.listing.is_own(request.id) => request.refuse(Reason::Id).into(),
            Ok(read) if let Some(name) = ambiguous_name(message, &read) => {
                let id = if let Message::Request(request) = read { Some(request.id) } else { None };
                let reason = format!("Invalid request: a member is called {name}, but for upper and lower case");
                let answer = id.map(|id| error(Some(id), Reason::Shape.code(), &reason));
                Verdict::Unreadable { reason, answer }
            }
            Ok(Message::Request(request)) if request.is(CALL) => match request.params.name.and_then(Raw::string) {
                Some(name) => self.judge_call(Some(request.id), decode(name), request.params, asked),
                None => request.refuse(Reason::Name).into(),
            },
            Ok(Message::Request(request)) if request.is("tools/list") => Verdict::Lists(request.id),
            Ok(Message::Notification(notification)) => self.judge_notification(&notification, asked),
            Ok(_) => Verdict::Passes,
            Err(refusal) => refusal.into(),
        }
    }

    fn judge_notification<'l>(&self, notification: &Notification<'l>, asked: Asked) -> Verdict<'l> {
        let params = notification.params;
        if notification.method.equals(CALL.as_bytes()) {
            return match params.name.and_then(Raw::string) {
                Some(name) => self.judge_call(None, decode(name), params, asked),
                None => Verdict::Unreadable { reason: Reason::Name.to_string(), answer: None },
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

/// A name of ours that a member has but for upper and lower case, by which some servers (Go's `encoding/json`) take it for that.
fn ambiguous_name(message: &[u8], read: &Message<'_>) -> Option<&'static str> {
    let json = Json::new(message).ok()?;
    let (method, params) = match read {
        Message::Request(Request { method, params, .. }) => (method, params.raw),
        Message::Notification(Notification { method, params, .. }) => (method, params.raw),
        Message::Response(_) => return ambiguous(json, json.root().ok()?, &MEMBERS),
    };
    let of_call = |params: Raw<'_>| ambiguous(Json::new(params.as_bytes()).ok()?, 0, &PARAMS);
    let is_call = method.equals(CALL.as_bytes());
    ambiguous(json, json.root().ok()?, &MEMBERS).or_else(|| params.filter(|_| is_call).and_then(of_call))
}

fn ambiguous(json: Json<'_>, object: usize, names: &[&'static str]) -> Option<&'static str> {
    let mut found = None;
    each_element(json, object, &mut |member| {
        let fold = |c: char| c.to_uppercase().flat_map(char::to_lowercase);
        let is_like = |name: &str| member.name != name && member.name.chars().flat_map(fold).eq(name.chars());
        found = found.or(names.iter().find(|name| is_like(name)));
    });
    found.copied()
}
