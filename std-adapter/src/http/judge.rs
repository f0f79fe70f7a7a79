//! What a body holds, and whether it may go on.

use super::{Body, GateLayer, Unchecked, join, json};
use crate::batch::{self, TooMany};
use crate::names;
use crate::place::decode;
use crate::{Document, Reply};
use ::http::{Response, StatusCode};
use microschema::mcp::{Message, Notification, Raw, Reason, Request};
use serde::Serialize;
use serde_json::json;
use std::fmt::Display;

/// Levels of nesting that a message may have: as many as the reader allows.
const DEPTH: u16 = 512;
/// Characters of an unknown tool's name that are given back.
const SHOWN: usize = 64;

// Errors of JSON-RPC 2.0, section 5.1.
pub(super) const INVALID_REQUEST: i32 = -32_600;
const INVALID_PARAMS: i32 = -32_602;
pub(super) const INTERNAL: i32 = -32_603;

/// What is to become of a body.
pub(super) enum Judged {
    /// It goes on as it is.
    Passes,
    /// It is answered.
    Refused(Refusal),
    /// A part of a batch goes on, and the rest is answered.
    Split { onward: Vec<u8>, answers: Vec<Vec<u8>> },
}

/// The answer to a message that does not go on.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    /// A JSON-RPC response, or a batch of them.
    body: Vec<u8>,
    /// Whether it is to be sent in a batch, too: a notification has no response there.
    is_due: bool,
}

impl Refusal {
    /// An error that is about no message, but about the request of HTTP.
    pub(super) fn of_request(status: StatusCode, code: i32, text: &str) -> Self {
        tracing::debug!(%status, text, "request refused");
        let text =
            if code == INTERNAL { format!("Internal error: {text}") } else { format!("Invalid request: {text}") };
        Self { status, body: error(None, code, &text), is_due: true }
    }

    /// A response of JSON-RPC to the request of this id, with 200. What has no id gets an error, with 400 (Streamable HTTP, "Sending
    /// Messages").
    fn of_message(id: Option<Raw<'_>>, code: i32, text: &str) -> Self {
        let status = if id.is_some() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
        Self { status, body: error(id, code, text), is_due: id.is_some() }
    }

    /// What cannot be read, or be taken for different messages.
    fn of_unreadable(refusal: &microschema::mcp::Refusal<'_>) -> Self {
        let reason = refusal.reason();
        tracing::debug!(%reason, "message refused");
        Self {
            status: StatusCode::BAD_REQUEST,
            body: error(refusal.id(), reason.code(), &reason),
            is_due: refusal.is_answered(),
        }
    }

    pub(super) fn response(self) -> Response<Body> {
        json(self.status, self.body)
    }
}

impl<R: From<Reply> + Serialize> GateLayer<R> {
    pub(super) fn judge(&self, body: &[u8]) -> Judged {
        let messages = match batch::messages(body) {
            Ok(Some(messages)) => messages,
            Ok(None) => return self.refusal(body).map_or(Judged::Passes, Judged::Refused),
            Err(TooMany) => {
                let text = format!("a batch must have at most {} messages", batch::MOST);
                return Judged::Refused(Refusal::of_request(StatusCode::BAD_REQUEST, INVALID_REQUEST, &text));
            }
        };
        let (mut onward, mut refusals) = (Vec::new(), Vec::new());
        for message in messages {
            match self.refusal(message) {
                None => onward.push(message),
                Some(refusal) => refusals.push(refusal),
            }
        }
        if refusals.is_empty() {
            return Judged::Passes;
        }
        let is_due = refusals.iter().any(|refusal| refusal.is_due);
        if onward.is_empty() && !is_due {
            // No response is due to any of them, but the request of HTTP has to have one.
            return refusals.into_iter().next().map_or(Judged::Passes, Judged::Refused);
        }
        let answers: Vec<_> =
            refusals.into_iter().filter(|refusal| refusal.is_due).map(|refusal| refusal.body).collect();
        if onward.is_empty() {
            let body = join::joined(&answers);
            return Judged::Refused(Refusal { status: StatusCode::OK, body, is_due });
        }
        Judged::Split { onward: join::joined(&onward), answers }
    }

    /// The answer to a message that does not go on.
    fn refusal(&self, message: &[u8]) -> Option<Refusal> {
        let (id, method, params) = match Message::read_within(message, DEPTH) {
            Ok(Message::Request(Request { id, method, params, .. })) => (Some(id), method, params),
            // MCP has no such calls, but a server may run them.
            Ok(Message::Notification(Notification { method, params, .. })) => (None, method, params),
            Ok(Message::Response(_)) => return None,
            Err(refusal) => return Some(Refusal::of_unreadable(&refusal)),
        };
        let is_call = method.equals(b"tools/call");
        if let Some(name) = names::ambiguous(message, &params, is_call) {
            tracing::debug!(name, "message refused: a member is called so, but for its case");
            let text = format!("Invalid request: a member is called {name}, but for its case");
            let refusal = Refusal::of_message(id, INVALID_REQUEST, &text);
            return Some(Refusal { status: StatusCode::BAD_REQUEST, ..refusal });
        }
        if !is_call {
            return None;
        }
        let Some(name) = params.name.and_then(Raw::string).map(decode) else {
            return Some(Refusal::of_message(id, INVALID_PARAMS, &Reason::Name.to_string()));
        };
        let Some(guard) = self.tools.get(&name) else {
            let name: String = name.chars().take(SHOWN).collect();
            return match self.unknown_tools {
                Unchecked::Allow => {
                    tracing::warn!(tool = name, "call of an unknown tool is let through unchecked");
                    None
                }
                Unchecked::Refuse => {
                    tracing::debug!(tool = name, "call of an unknown tool refused");
                    Some(Refusal::of_message(id, INVALID_PARAMS, &format!("Unknown tool: {name}")))
                }
            };
        };
        let arguments = Document::from(params.arguments.map(Raw::as_bytes));
        let Some(id) = id else {
            let failure = guard.contract().check_input(arguments).err()?;
            return Some(Refusal::of_message(None, INVALID_PARAMS, &failure.to_string()));
        };
        let result = guard.check_input(arguments).err()?;
        let is_modern = params.meta_version.is_some();
        Some(Refusal { status: StatusCode::OK, body: response(id, &result, is_modern), is_due: true })
    }
}

/// A result as a message. Since 2026-07-28 results have a `resultType`, and none had before.
fn response(id: Raw<'_>, result: &impl Serialize, is_modern: bool) -> Vec<u8> {
    let mut result = match serde_json::to_value(result) {
        Ok(result) => result,
        Err(fault) => {
            return error(Some(id), INTERNAL, &format!("Internal error: the result cannot be written: {fault}"));
        }
    };
    if let Some(result) = result.as_object_mut() {
        if is_modern {
            result.entry("resultType").or_insert_with(|| "complete".into());
        } else {
            result.remove("resultType");
        }
    }
    message(Some(id), "result", &result)
}

fn error(id: Option<Raw<'_>>, code: i32, text: &(impl Display + ?Sized)) -> Vec<u8> {
    message(id, "error", &json!({"code": code, "message": text.to_string()}))
}

/// A response with the id as it was spelled.
fn message(id: Option<Raw<'_>>, member: &str, value: &serde_json::Value) -> Vec<u8> {
    let id = id.unwrap_or(Raw::NULL);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{GateLayer, Judged};
    use crate::http::{Gate, Tools};
    use proptest::prelude::*;
    use proptest::sample::{Index, select};
    use serde_json::{Value, json};

    /// Some of these members as an object, in any order and any number of times.
    fn object<S: Strategy<Value = String>>(member: S) -> impl Strategy<Value = String> {
        prop::collection::vec(member, 1..4).prop_map(|members| format!("{{{}}}", members.join(",")))
    }

    fn message() -> impl Strategy<Value = String> {
        let params = object(
            select(vec![
                r#""name":"lamp""#,
                r#""name":"lamp","arguments":{"level":1}"#,
                r#""arguments":{"level":101},"name":"lamp""#,
                r#""n\u0061me": "lamp""#,
                r#""name":"other""#,
                r#""NAME":"lamp""#,
                r#""arguments":{"level":1}"#,
                r#""arguments":{"level":101}"#,
                r#""\u0061rguments":{"level":1,"level":101}"#,
                r#""arguments":null"#,
                r#""_meta":{"arguments":{"level":101}}"#,
            ])
            .prop_map(str::to_owned),
        );
        let rest = select(vec![
            r#""id":1"#,
            r#""id":"a""#,
            r#""method":"tools/call""#,
            r#""method" : "tools\/call""#,
            r#""method":"ping""#,
            r#""Method":"tools/call""#,
            r#""result":{}"#,
        ]);
        let version = r#""jsonrpc":"2.0","method":"tools/call""#;
        let member = prop_oneof![
            3 => params.prop_map(|params| format!(r#""params":{params}"#)),
            2 => rest.prop_map(str::to_owned),
        ];
        prop_oneof![
            4 => prop::collection::vec(member.clone(), 1..3).prop_map(move |members| format!("{{{version},{}}}", members.join(","))),
            1 => object(member),
        ]
    }

    /// A message or a batch, with a byte missing now and then.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let whole = prop_oneof![
            message(),
            prop::collection::vec(message(), 0..4).prop_map(|messages| format!("[{}]", messages.join(" ,"))),
        ];
        (whole, prop::option::weighted(0.2, any::<Index>())).prop_map(|(whole, gone)| {
            let mut body = whole.into_bytes();
            if let Some(gone) = gone {
                body.remove(gone.index(body.len()));
            }
            body
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Another reader, which takes the last of two members, finds no invalid call in what goes on.
        #[test]
        fn what_goes_on_has_no_invalid_call(body in body()) {
            let tools = Tools::new(&Gate::default());
            tools.insert("lamp", &json!({"type": "object", "properties": {"level": {"maximum": 100}}}));
            let onward = match GateLayer::new(&tools).judge(&body) {
                Judged::Passes => body,
                Judged::Refused(refusal) => {
                    prop_assert!(serde_json::from_slice::<Value>(&refusal.body).is_ok());
                    return Ok(());
                }
                Judged::Split { onward, answers } => {
                    prop_assert!(answers.iter().all(|answer| serde_json::from_slice::<Value>(answer).is_ok()));
                    onward
                }
            };
            let messages = match serde_json::from_slice(&onward).expect("what goes on is JSON") {
                Value::Array(messages) => messages,
                message => vec![message],
            };
            for message in messages.iter().filter(|message| message["method"] == "tools/call") {
                let guard = tools.get(message["params"]["name"].as_str().expect("a call has a name")).expect("the tool is known");
                prop_assert!(guard.contract().check_input(message["params"].get("arguments")).is_ok());
            }
        }
    }
}
