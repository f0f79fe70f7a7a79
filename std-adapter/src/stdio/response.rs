//! Messages of the server: the tools it lists, the results of calls, and what is not meant for the client at all.

use super::pending::{Id, Pending};
use super::{DEPTH, Session, tool_result};
use crate::{Document, Failure, Guard};
use microschema::Kind;
use microschema::mcp::{Message, Raw, Response};

/// What the client gets of a message.
#[derive(Debug)]
pub(super) enum Answer {
    AsItIs,
    /// It answers the session itself.
    Own,
    Instead(Vec<u8>),
}

impl Session {
    pub(super) fn message_of_server(&mut self, message: &[u8]) -> Answer {
        match Message::read_within(message, DEPTH) {
            Ok(Message::Response(Response { id: Some(id), result, .. })) => self.response(id, result),
            Ok(Message::Notification(notification)) => {
                if notification.method.equals(b"notifications/tools/list_changed") {
                    tracing::debug!("the server's tools have changed");
                    self.changes += 1;
                    self.table = Default::default();
                }
                Answer::AsItIs
            }
            Ok(_) => Answer::AsItIs,
            Err(_) if message.trim_ascii().is_empty() => Answer::AsItIs,
            Err(refusal) => {
                tracing::warn!(reason = %refusal.reason(), "a line of the server is no message, and is let through");
                self.stats.unreadable_of_server += 1;
                Answer::AsItIs
            }
        }
    }

    fn response(&mut self, id: Raw<'_>, result: Result<Raw<'_>, Raw<'_>>) -> Answer {
        if self.listing.is_own(id) {
            self.listing.answer(id, result, self.changes, &self.gate);
            return Answer::Own;
        }
        match (self.unanswered.remove(&Id::of(id)), result) {
            (Some(Pending::Listing { changes }), Ok(result)) if changes == self.changes => {
                match self.table.add_page(result, &self.gate) {
                    Ok(_) => tracing::debug!(tools = self.table.len(), "a page of tools is learned"),
                    Err(reason) => tracing::warn!(%reason, "nothing is learned from a list of tools"),
                }
                Answer::AsItIs
            }
            (Some(Pending::Call { guard, is_modern }), Ok(result)) => self.result(id, &guard, is_modern, result),
            _ => Answer::AsItIs,
        }
    }

    fn result(&mut self, id: Raw<'_>, guard: &Guard, is_modern: bool, result: Raw<'_>) -> Answer {
        let Some(content) = complete_content(result) else { return Answer::AsItIs };
        let tool = guard.contract().tool();
        self.stats.count(tool, |figures| figures.results += 1);
        let Some((failure, content)) = content.iter().find_map(|&content| refused(guard, content)) else {
            return Answer::AsItIs;
        };
        self.stats.count(tool, |figures| figures.refused_results += 1);
        if self.report_only {
            failure.trace_only();
            return Answer::AsItIs;
        }
        failure.trace();
        Answer::Instead(tool_result(id, is_modern, &guard.answer(&failure, content)))
    }
}

fn refused<'c>(guard: &Guard, content: Document<'c>) -> Option<(Failure, Document<'c>)> {
    guard.contract().judge_output(content).err().map(|failure| (failure, content))
}

/// The structured content of a result that is complete and no error, as often as it occurs: readers disagree on which one counts.
/// `None` for errors, requests for input, and handles of tasks.
fn complete_content(result: Raw<'_>) -> Option<Vec<Document<'_>>> {
    let (mut content, mut is_error, mut is_complete) = (Vec::new(), None, true);
    for (name, value) in result.elements() {
        let is = |member: &str| name.is_some_and(|name| name.equals(member.as_bytes()));
        if is("structuredContent") {
            content.push(Document::Bytes(value.as_bytes()));
        } else if is("isError") {
            is_error = Some(is_error != Some(false) && value.kind() == Kind::True);
        } else if is("resultType") {
            is_complete &= value.string().is_some_and(|kind| kind.equals(b"complete"));
        } else if is("task") {
            is_complete &= value.kind() != Kind::Object;
        }
    }
    if content.is_empty() {
        content.push(Document::Absent);
    }
    (is_complete && is_error != Some(true)).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::complete_content;
    use microschema::mcp::Raw;

    #[test]
    fn content_that_counts() {
        for (result, contents) in [
            (r#"{"content":[]}"#, Some(1)),
            (r#"{"structuredContent":{}}"#, Some(1)),
            (r#"{"structuredContent":null,"isError":false,"resultType":"complete"}"#, Some(1)),
            (r#"{"structuredContent":{},"structured\u0043ontent":1}"#, Some(2)),
            (r#"{"structuredContent":{},"isError":true}"#, None),
            (r#"{"structuredContent":{},"isError":true,"isError":false}"#, Some(1)),
            (r#"{"structuredContent":{},"isError":false,"isError":true}"#, Some(1)),
            (r#"{"resultType":"input_required","structuredContent":{}}"#, None),
            (r#"{"task":{"taskId":"1"}}"#, None),
        ] {
            let found = complete_content(Raw::new(result.as_bytes()).expect("JSON"));
            assert_eq!(found.map(|found| found.len()), contents, "{result}");
        }
    }
}
