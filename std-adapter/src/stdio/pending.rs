//! Requests that the server has not answered, and the bound on what is kept because of them.

use crate::Guard;
use crate::place::decode;
use microschema::mcp::Raw;
use std::collections::HashMap;

/// What an entry takes besides its id, about.
const ENTRY: usize = 128;

/// The id of a request, which is found again however the other side spells it: `1.0` comes back as `1` from JavaScript.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Integer(i64),
    /// A number that is no integer, which MCP does not allow: as it is spelled.
    Number(String),
    Text(String),
}

/// A request whose answer is of interest.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    /// `tools/list`, sent when the tools had changed so often.
    Listing { changes: u64 },
    /// `tools/call` of a tool that has an output schema.
    Call { guard: Guard, is_modern: bool },
}

/// The requests of the client that are not answered.
#[derive(Debug, Default)]
pub(super) struct Unanswered {
    requests: HashMap<Id, Pending>,
    bytes: usize,
}

impl Id {
    pub(super) fn of(raw: Raw<'_>) -> Self {
        match (raw.string(), raw.integer()) {
            (Some(text), _) => Self::Text(decode(text)),
            (None, Some(integer)) => Self::Integer(integer),
            (None, None) => Self::Number(raw.as_str().to_owned()),
        }
    }

    fn bytes(&self) -> usize {
        ENTRY + if let Self::Number(text) | Self::Text(text) = self { text.len() } else { 0 }
    }
}

impl Unanswered {
    /// Keeps a request, unless that takes more than `room` bytes.
    pub(super) fn insert(&mut self, id: Id, request: Pending, room: usize) -> bool {
        let fits = id.bytes() <= room;
        if fits {
            self.remove(&id);
            self.bytes += id.bytes();
            self.requests.insert(id, request);
        }
        fits
    }

    pub(super) fn remove(&mut self, id: &Id) -> Option<Pending> {
        let request = self.requests.remove(id)?;
        self.bytes -= id.bytes();
        Some(request)
    }

    /// What they take, about.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, Pending, Unanswered};
    use microschema::mcp::Raw;

    fn id(text: &str) -> Id {
        Id::of(Raw::new(text.as_bytes()).expect("JSON"))
    }

    #[test]
    fn ids_are_found_however_they_are_spelled() {
        for (one, other) in [("1", "1.0"), ("100", "1e2"), (r#""a""#, r#""\u0061""#), ("1.5", "1.5")] {
            assert_eq!(id(one), id(other));
        }
        for (one, other) in [("1", r#""1""#), ("1.5", r#""1.5""#), ("1", "2")] {
            assert_ne!(id(one), id(other));
        }
    }

    #[test]
    fn what_is_kept_is_counted() {
        let mut unanswered = Unanswered::default();
        let listing = Pending::Listing { changes: 0 };
        assert!(unanswered.insert(id("1"), listing.clone(), 1000));
        let one = unanswered.bytes();
        assert!(unanswered.insert(id("1"), listing.clone(), 1000) && unanswered.bytes() == one);
        assert!(!unanswered.insert(id(r#""a long one""#), listing, 130));
        assert!(unanswered.remove(&id("1.0")).is_some() && unanswered.remove(&id("1")).is_none());
        assert_eq!(unanswered.bytes(), 0);
    }
}
