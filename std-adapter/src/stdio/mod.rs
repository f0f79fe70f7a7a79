//! The stdio transport, seen from between: every line of a client on its way to the server, and of the server on its way back.
//!
//! A [`Session`] learns the tools from what passes by, and takes an invalid call out of the way. It does no I/O of its own: the command
//! `microschema guard` does, and so may any other gateway whose messages are lines or datagrams of JSON.
//!
//! ```text
//! client ─► from_client ─► onward ─► server        lines as they came, byte for byte
//!        ◄─ back ◄┘    due ─► onward ┘             refusals; tools/list of the session's own, and calls that waited for it
//! client ◄─ from_server ◄──────────── server       answers to those are kept; results are checked
//! ```
//!
//! - Tools are learned from the answers to the client's `tools/list`. For a tool that is not known the session asks by itself, through
//!   all pages, while the call waits; `notifications/tools/list_changed` makes it forget them all.
//! - A result with `ttlMs` (2026-07-28) holds that long: a call that tools of yore would refuse makes the session ask again first.
//! - An invalid call is answered in the shape of the [`Gate`]. So is a result whose structured content is not what the tool promised.
//! - A line of the client that is no message is refused, as a server that reads it more leniently might find a call in it. So is a
//!   carriage return within a line, where some servers end it, and a member `Method`, which some take for `method`.
//! - A line of the server that is no message goes on to the client as it is; an event tells.
//! - Not covered: the result of a call that was answered with a task, which comes later.
//!
//! ```
//! use microschema_mcp::{Gate, stdio::Session};
//!
//! let mut session = Session::new(Gate::default());
//! let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dim","arguments":{"level":101}}}"#;
//! assert!(session.from_client(call).onward.is_empty());
//!
//! // The call waits for the tools to be known.
//! let request = session.due().onward;
//! let id = request.split(|&byte| byte == b'"').nth(7).unwrap();
//! let answer = format!(
//!     r#"{{"jsonrpc":"2.0","id":"{}","result":{{"tools":[{{"name":"dim","inputSchema":{{"properties":{{"level":{{"maximum":100}}}}}}}}]}}}}"#,
//!     str::from_utf8(id)?
//! );
//! assert!(session.from_server(answer.as_bytes()).is_empty());
//!
//! let passage = session.due();
//! assert!(passage.onward.is_empty());
//! assert!(str::from_utf8(&passage.back)?.contains(r"\n- at /level: must be at most 100 (maximum)"));
//! # Ok::<(), std::str::Utf8Error>(())
//! ```

mod line;
mod listing;
mod long;
mod pending;
mod response;
mod skim;
mod stats;
mod table;
mod verdict;

pub use stats::{Figures, Stats};

use crate::batch::TooMany;
use crate::{Gate, Reply, Uncompilable};
use line::{Line, Rewritten, joined};
use listing::{Asked, Listing};
use long::Long;
use microschema::mcp::{Full, Message, Params, Plain, Raw, Reason, reply};
use pending::{Id, Pending, Unanswered};
use response::Answer;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use table::Table;
use verdict::{Call, Verdict};

/// Levels of nesting that a message may have: as many as the reader allows.
const DEPTH: u16 = 512;

/// Internal error (JSON-RPC 2.0 section 5.1).
const INTERNAL: i32 = -32_603;

/// A client and a server, and what passes between them.
#[derive(Debug)]
pub struct Session {
    gate: Gate,
    report_only: bool,
    patience: Duration,
    most: usize,
    table: Table,
    /// How often the tools have changed.
    changes: u64,
    listing: Listing,
    unanswered: Unanswered,
    /// Lines with calls that wait for the tools to be known, in their order.
    held: VecDeque<Vec<u8>>,
    held_bytes: usize,
    /// Answers to requests of the server.
    to_server: Vec<u8>,
    long: Long,
    stats: Stats,
}

/// What becomes of a line of the client.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Passage<'l> {
    /// For the server: the line, or what is left of it, or nothing.
    pub onward: Cow<'l, [u8]>,
    /// For the client: answers to what does not go on, as a line, or nothing.
    pub back: Vec<u8>,
}

impl Session {
    /// A session under this policy. It keeps at most 32 MiB, and waits up to 30 seconds for the server to list its tools.
    #[must_use]
    pub fn new(gate: Gate) -> Self {
        Self {
            gate,
            report_only: false,
            patience: Duration::from_secs(30),
            most: 32 << 20,
            table: Table::default(),
            changes: 0,
            listing: Listing::new(),
            unanswered: Unanswered::default(),
            held: VecDeque::new(),
            held_bytes: 0,
            to_server: Vec::new(),
            long: Long::default(),
            stats: Stats::default(),
        }
    }

    /// Whether everything goes on, and what would have been refused is only counted and told in events. Off at first.
    #[must_use]
    pub fn report_only(mut self, report_only: bool) -> Self {
        (self.report_only, self.stats.report_only) = (report_only, report_only);
        self
    }

    /// How long a call waits for the server to list its tools.
    #[must_use]
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How many bytes are kept of calls that wait and of requests that are not answered; what is beyond is refused.
    #[must_use]
    pub const fn keep(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// What has been seen.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Takes a line of the client, with its end or without.
    pub fn from_client<'l>(&mut self, line: &'l [u8]) -> Passage<'l> {
        self.pass(line, Asked::NotYet)
    }

    /// Takes a line of the server, and gives what the client gets of it.
    pub fn from_server<'l>(&mut self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let Ok(Line { messages, is_batch }) = Line::read(line) else {
            tracing::warn!("a batch of the server is too long to be looked at, and is let through");
            self.stats.unreadable_of_server += 1;
            return Cow::Borrowed(line);
        };
        let mut rewritten = Rewritten::new(line, is_batch);
        for message in messages {
            match self.message_of_server(message) {
                Answer::AsItIs => rewritten.keep(message),
                Answer::Own => rewritten.take_out(),
                Answer::Instead(answer) => rewritten.replace(answer),
            }
        }
        rewritten.finish()
    }

    /// What is to be sent of the session's own accord; look at it after every line, and when the [deadline](Self::deadline) has passed.
    pub fn due(&mut self) -> Passage<'static> {
        let mut all = Passage { onward: Cow::Owned(std::mem::take(&mut self.to_server)), back: Vec::new() };
        if let Some((asked, tools)) = self.listing.outcome() {
            match asked {
                Asked::InVain(reason) => tracing::warn!(%reason, "the server's tools could not be learned"),
                _ => {
                    tracing::debug!(tools = tools.len(), "the server's tools are learned");
                    self.table = tools;
                }
            }
            self.held_bytes = 0;
            for line in std::mem::take(&mut self.held) {
                let passage = self.pass(&line, asked);
                all.onward.to_mut().extend_from_slice(&passage.onward);
                all.back.extend(passage.back);
            }
        }
        if let Some(request) = self.listing.request(self.changes) {
            self.stats.pages += 1;
            all.onward.to_mut().extend(request);
        }
        all
    }

    /// Whether [`due`](Self::due) has something to send.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        // Not within a line that goes by in parts.
        !self.long.is_amid_client && (self.listing.is_due() || !self.to_server.is_empty())
    }

    /// Until when the server has to list its tools; then [`expire`](Self::expire).
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        self.listing.deadline()
    }

    /// Gives up on the server's list of tools, if it is past the deadline.
    pub fn expire(&mut self) {
        self.listing.expire(Instant::now());
    }

    /// Whether calls wait for the tools to be known: then the server is not to be told yet that the client has no more.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// Looks at all messages of a line, then does what is due to each. A line of which one call has to wait waits as a whole.
    fn pass<'l>(&mut self, line: &'l [u8], asked: Asked) -> Passage<'l> {
        if line.trim_ascii().is_empty() {
            return Passage { onward: Cow::Borrowed(line), back: Vec::new() };
        }
        let (messages, is_batch) = match Line::read(line) {
            Ok(_) if has_inner_return(line) => return self.refuse_line(line, "a carriage return within the line"),
            Ok(Line { messages, is_batch }) => (messages, is_batch),
            Err(TooMany) => return self.refuse_line(line, "too many messages in a batch"),
        };
        let verdicts: Vec<_> = messages.iter().map(|message| self.judge(message, asked)).collect();
        if let Some(params) = verdicts.iter().find_map(Verdict::waits_with)
            && self.hold(line, params)
        {
            return Passage::default();
        }
        let (mut onward, mut answers) = (Rewritten::new(line, is_batch), Vec::new());
        for (message, verdict) in messages.into_iter().zip(verdicts) {
            match self.settle(verdict) {
                Ok(()) => onward.keep(message),
                Err(answer) => {
                    onward.take_out();
                    answers.extend((!answer.is_empty()).then_some(answer));
                }
            }
        }
        let mut onward = onward.finish();
        if self.is_waiting() && !onward.is_empty() && !onward.ends_with(b"\n") {
            // The last line of the client's input; those that wait come behind it.
            onward.to_mut().push(b'\n');
        }
        Passage { onward, back: joined(&answers, is_batch) }
    }

    /// Keeps a line until the tools are known, if there is room for it.
    fn hold(&mut self, line: &[u8], params: &Params<'_>) -> bool {
        let fits = line.len() <= self.room();
        if fits {
            self.held_bytes += line.len();
            self.held.push_back(line.to_vec());
            self.listing.start(params, self.patience);
        }
        fits
    }

    /// Does what a verdict says. `Err` is the answer to a message that does not go on; it may be empty.
    fn settle(&mut self, verdict: Verdict<'_>) -> Result<(), Vec<u8>> {
        match verdict {
            Verdict::Passes => Ok(()),
            Verdict::Lists(id) => {
                // One that is not kept is not learned from.
                let room = self.room();
                self.unanswered.insert(Id::of(id), Pending::Listing { changes: self.changes }, room);
                Ok(())
            }
            Verdict::Cancels(id) => {
                self.cancel(&Id::of(id));
                Ok(())
            }
            Verdict::Unknown => {
                self.stats.all.calls += 1;
                self.stats.unknown_tools += 1;
                Ok(())
            }
            Verdict::Runs(call) => {
                self.stats.count(call.guard.contract().tool(), |figures| figures.calls += 1);
                self.expect(call)
            }
            Verdict::Refused(call, failure) => {
                self.stats.count(call.guard.contract().tool(), |figures| {
                    figures.calls += 1;
                    figures.refused_calls += 1;
                });
                if self.report_only {
                    failure.trace_only();
                    return self.expect(call);
                }
                failure.trace();
                let reply = call.guard.answer(&failure, call.arguments);
                Err(call.id.map(|id| tool_result(id, call.is_modern, &reply)).unwrap_or_default())
            }
            Verdict::Unlearned { id, name, reason, is_modern } => {
                self.stats.all.calls += 1;
                self.stats.unlearned += 1;
                if self.report_only || self.gate.uncompilable(&name) == Uncompilable::Allow {
                    tracing::error!(%reason, "a call is let through unchecked: the server's tools are not known");
                    return Ok(());
                }
                let text = format!("This tool cannot be called now: its schemas could not be learned: {reason}.");
                let reply = Reply { text, structured_content: None, meta: serde_json::Map::new() };
                Err(id.map(|id| tool_result(id, is_modern, &reply)).unwrap_or_default())
            }
            Verdict::Waits { id, .. } => self.refuse_or_report(
                "too many calls wait for the server to list its tools",
                id.map(|id| error(Some(id), INTERNAL, "Internal error: too many calls wait")),
            ),
            Verdict::Unreadable { reason, answer } => {
                self.stats.unreadable += 1;
                self.refuse_or_report(&reason, answer)
            }
        }
    }

    /// Remembers a call whose result is to be checked.
    fn expect(&mut self, call: Call<'_>) -> Result<(), Vec<u8>> {
        let Some(id) = call.id.filter(|_| call.guard.contract().has_output()) else { return Ok(()) };
        let (room, is_modern) = (self.room(), call.is_modern);
        if self.unanswered.insert(Id::of(id), Pending::Call { guard: call.guard, is_modern }, room) {
            return Ok(());
        }
        let answer = error(Some(id), INTERNAL, "Internal error: too many calls are not answered");
        self.refuse_or_report("too many calls are not answered", Some(answer))
    }

    /// Refuses a message with this answer, or lets it through where everything is.
    fn refuse_or_report(&self, reason: &str, answer: Option<Vec<u8>>) -> Result<(), Vec<u8>> {
        if self.report_only {
            tracing::warn!(reason, "a message of the client would be refused, and is let through");
            return Ok(());
        }
        tracing::warn!(reason, "a message of the client is refused");
        Err(answer.unwrap_or_default())
    }

    /// Refuses a line as a whole.
    fn refuse_line<'l>(&mut self, line: &'l [u8], reason: &str) -> Passage<'l> {
        self.stats.unreadable += 1;
        let answer = error(None, Reason::NotAnObject.code(), &format!("Invalid request: {reason}"));
        match self.refuse_or_report(reason, Some(answer)) {
            Ok(()) => Passage { onward: Cow::Borrowed(line), back: Vec::new() },
            Err(answer) => Passage { onward: Cow::default(), back: joined(&[answer], false) },
        }
    }

    /// Forgets a request that the client is no longer interested in.
    fn cancel(&mut self, id: &Id) {
        self.unanswered.remove(id);
        let is_it = |line: &Vec<u8>| match Message::read_within(line, DEPTH) {
            Ok(Message::Request(request)) => Id::of(request.id) == *id,
            _ => false,
        };
        if let Some(at) = self.held.iter().position(is_it)
            && let Some(line) = self.held.remove(at)
        {
            self.held_bytes -= line.len();
        }
    }

    fn room(&self) -> usize {
        self.most.saturating_sub(self.held_bytes).saturating_sub(self.unanswered.bytes())
    }
}

/// Whether a carriage return stands elsewhere than before the line feed.
fn has_inner_return(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).contains(&b'\r')
}

/// A result, as a message.
fn tool_result(id: Raw<'_>, is_modern: bool, reply: &Reply) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Result<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<&'a str>,
        #[serde(flatten)]
        reply: &'a Reply,
    }
    let result = Result { result_type: is_modern.then_some("complete"), reply };
    let mut message = [br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), br#","result":"#].concat();
    // Writing to memory cannot fail, nor can a map whose keys are strings.
    let _ = serde_json::to_writer(&mut message, &result);
    message.push(b'}');
    message
}

fn error(id: Option<Raw<'_>>, code: i32, message: &str) -> Vec<u8> {
    written(id, |out| reply::error(out, id, code, &Plain(message), None))
}

/// Lets the core write an error response: its text is short.
fn written(id: Option<Raw<'_>>, write: impl FnOnce(&mut [u8]) -> Result<usize, Full>) -> Vec<u8> {
    let mut out = vec![0; 512 + id.map_or(0, |id| id.as_bytes().len())];
    let length = write(&mut out).unwrap_or(0);
    out.truncate(length);
    out
}
