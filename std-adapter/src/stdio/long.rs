//! Lines that are too long to be held: refused by the id that was found in passing, or where everything goes on, passed on unread.

use super::pending::Id;
use super::skim::{Kind, Skim};
use super::{INTERNAL, Passage, Session, error, joined};
use microschema::mcp::{Raw, Reason};
use std::borrow::Cow;

/// Lines of which parts have gone by.
#[derive(Debug, Default)]
pub(super) struct Long {
    of_client: Skim,
    /// Whether a line of the client is under way.
    pub(super) is_amid_client: bool,
    of_server: Skim,
    /// Whether the line of the server goes on.
    goes_on: Option<bool>,
}

impl Session {
    /// Takes a part of a line of the client that is too long to be taken as a whole.
    ///
    /// With the last part a request is answered with an error, and the server gets an error in place of a response. Anything else is
    /// dropped. An event tells.
    pub fn part_from_client<'l>(&mut self, part: &'l [u8], is_last: bool) -> Passage<'l> {
        let mut passage = Passage::default();
        if self.report_only {
            passage.onward = Cow::Borrowed(part);
        }
        self.long.of_client.feed(part);
        self.long.is_amid_client = !is_last;
        if is_last {
            let skim = std::mem::take(&mut self.long.of_client);
            self.count_long("client");
            match skim.kind() {
                _ if self.report_only => {}
                Kind::Request | Kind::Other => {
                    let reason = Reason::TooLong;
                    passage.back = joined(&[error(skim.id(), reason.code(), &reason.to_string())], false);
                }
                Kind::Response => passage.onward = Cow::Owned(instead(skim.id(), "client")),
                Kind::Notification => {}
            }
        }
        passage
    }

    /// Takes a part of a line of the server that is too long to be taken as a whole, and gives what the client gets of it.
    ///
    /// With the last part the client gets an error in place of a response, and a request of the server is answered with one. Anything
    /// else is dropped. An event tells.
    pub fn part_from_server<'l>(&mut self, part: &'l [u8], is_last: bool) -> Cow<'l, [u8]> {
        // What may answer the session itself is not for the client.
        let goes_on = *self.long.goes_on.get_or_insert(self.report_only && !self.listing.is_awaited());
        self.long.of_server.feed(part);
        if is_last {
            let skim = std::mem::take(&mut self.long.of_server);
            self.long.goes_on = None;
            self.count_long("server");
            match (skim.kind(), skim.id()) {
                (Kind::Response, Some(id)) if self.listing.is_own(id) => {
                    self.listing.answer(id, Err(Raw::NULL), self.changes, &self.gate);
                    return Cow::default();
                }
                (Kind::Response, id) => {
                    id.map(|id| self.unanswered.remove(&Id::of(id)));
                    if !goes_on {
                        return Cow::Owned(instead(id, "server"));
                    }
                }
                (Kind::Request, id) if !goes_on => {
                    let reason = Reason::TooLong;
                    let answer = error(id, reason.code(), &reason.to_string());
                    self.to_server.extend(joined(&[answer], false));
                }
                _ => {}
            }
        }
        if goes_on { Cow::Borrowed(part) } else { Cow::default() }
    }

    fn count_long(&mut self, side: &str) {
        self.stats.too_long += 1;
        let (report_only, side) = (self.report_only, side.to_owned());
        tracing::warn!(side, report_only, "a line is too long to be looked at");
    }
}

/// The error response in place of one that is too long; nothing where its id could not be read.
fn instead(id: Option<Raw<'_>>, side: &str) -> Vec<u8> {
    let answer = |id| error(Some(id), INTERNAL, &format!("Internal error: the answer of the {side} is too long"));
    id.map(|id| joined(&[answer(id)], false)).unwrap_or_default()
}
