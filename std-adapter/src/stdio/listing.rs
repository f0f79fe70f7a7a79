//! The gate's own `tools/list`: page by page, until the end or until it is clear that there is none.

use super::table::{Table, Unlearned};
use crate::Gate;
use microschema::mcp::{Params, Raw};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// JSON-RPC's "method not found": a server without tools.
const UNKNOWN_METHOD: i64 = -32_601;

/// Members of `_meta` that a listing has to bring along, as every request does since 2026-07-28 (Overview, "`_meta`").
const META: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

/// What is known of the tools when a call is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The server has not been asked because of this call.
    NotYet,
    /// It has, and told.
    Answered,
    /// It has, and did not.
    InVain(Unlearned),
}

/// A listing of the gate's own.
#[derive(Debug)]
pub(super) struct Listing {
    /// What the ids of all its requests start with.
    prefix: String,
    number: u64,
    /// Whether the last request has no answer yet, be it too late.
    is_awaited: bool,
    state: State,
    /// How often the tools had changed when it was started.
    changes: u64,
    deadline: Instant,
    meta: Vec<u8>,
    tools: Table,
}

#[derive(Debug)]
enum State {
    Idle,
    /// A page is to be asked for: the first, or the one at this cursor.
    Due(Option<Vec<u8>>),
    Asked,
    Over(Asked),
}

impl Listing {
    pub(super) fn new() -> Self {
        // No client can guess the ids; one that uses such an id all the same is refused.
        let nonce = RandomState::new().hash_one(std::process::id());
        Self {
            prefix: format!("microschema-{nonce:016x}-"),
            number: 0,
            is_awaited: false,
            state: State::Idle,
            changes: 0,
            deadline: Instant::now(),
            meta: Vec::new(),
            tools: Table::default(),
        }
    }

    /// Whether an id is one of ours.
    pub(super) fn is_own(&self, id: Raw<'_>) -> bool {
        let Some(text) = id.string() else { return false };
        let mut codes = text.chars();
        self.prefix.chars().all(|c| codes.next() == Some(c.into()))
    }

    /// Starts, unless it is under way: with the `_meta` that is needed, from a request of the client's.
    pub(super) fn start(&mut self, because_of: &Params<'_>, patience: Duration) {
        if let State::Idle = self.state {
            self.state = State::Due(None);
            self.meta = own_meta(because_of);
            self.deadline = Instant::now() + patience;
        }
    }

    /// The request that is due, as a line.
    pub(super) fn request(&mut self, changes: u64) -> Option<Vec<u8>> {
        let State::Due(cursor) = &mut self.state else { return None };
        let cursor = cursor.take();
        if cursor.is_none() {
            (self.tools, self.changes) = (Table::default(), changes);
        }
        (self.state, self.is_awaited) = (State::Asked, true);
        self.number += 1;
        let mut line =
            format!(r#"{{"jsonrpc":"2.0","id":"{}{}","method":"tools/list""#, self.prefix, self.number).into_bytes();
        let mut before: &[u8] = br#","params":{"#;
        let members = [(&br#""cursor":"#[..], cursor.as_deref().unwrap_or_default()), (br#""_meta":"#, &self.meta)];
        for (name, value) in members.into_iter().filter(|(_, value)| !value.is_empty()) {
            line.extend([before, name, value].concat());
            before = b",";
        }
        line.extend_from_slice(if before == b"," { b"}}\n" } else { b"}\n" });
        Some(line)
    }

    /// Takes the answer to one of the requests. Tools that have changed since it was asked for are asked for again.
    pub(super) fn answer(&mut self, id: Raw<'_>, result: Result<Raw<'_>, Raw<'_>>, changes: u64, gate: &Gate) {
        let is_last = id.string().is_some_and(|id| id.equals(format!("{}{}", self.prefix, self.number).as_bytes()));
        if !is_last {
            return;
        }
        self.is_awaited = false;
        let State::Asked = self.state else { return };
        self.state = match result {
            _ if changes != self.changes => State::Due(None),
            Ok(result) => match self.tools.add_page(result, gate) {
                Ok(Some(cursor)) => State::Due(Some(cursor.as_bytes().to_vec())),
                Ok(None) => State::Over(Asked::Answered),
                Err(error) => State::Over(Asked::InVain(error)),
            },
            Err(error) => State::Over(match error.member("code").and_then(Raw::integer) {
                Some(UNKNOWN_METHOD) => Asked::Answered,
                code => Asked::InVain(Unlearned::Error(code)),
            }),
        };
    }

    /// Gives up, if it has taken too long.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.state = State::Over(Asked::InVain(Unlearned::Late));
        }
    }

    /// When to give up.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Due(_) | State::Asked => Some(self.deadline),
            State::Idle | State::Over(_) => None,
        }
    }

    /// Whether an answer of the server's may be for it.
    pub(super) const fn is_awaited(&self) -> bool {
        self.is_awaited
    }

    /// Whether there is something to send, or to make of it.
    pub(super) const fn is_due(&self) -> bool {
        matches!(self.state, State::Due(_) | State::Over(_))
    }

    /// What came of it, once it is over; then it is idle again.
    pub(super) fn outcome(&mut self) -> Option<(Asked, Table)> {
        let State::Over(asked) = self.state else { return None };
        self.state = State::Idle;
        Some((asked, std::mem::take(&mut self.tools)))
    }
}

/// An object of the members that are there; nothing if none is.
fn own_meta(params: &Params<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    for name in META {
        if let Some(value) = params.meta.and_then(|meta| meta.member(name)) {
            let before = if text.is_empty() { '{' } else { ',' };
            text.extend(format!("{before}\"{name}\":").into_bytes());
            text.extend_from_slice(value.as_bytes());
        }
    }
    if !text.is_empty() {
        text.push(b'}');
    }
    text
}
