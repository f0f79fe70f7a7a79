//! What the log gets to see: names and places, never values.
#![allow(clippy::unwrap_used, reason = "a test")]

use microschema_mcp::{Contract, Document, Terms};
use serde_json::{Value, json};
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps events as text.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The events of `work`.
fn events(work: impl FnOnce()) -> Vec<String> {
    let kept = Kept::default();
    tracing::subscriber::with_default(kept.clone(), work);
    Arc::into_inner(kept.0).unwrap().into_inner().unwrap()
}

#[test]
fn failures_are_events_without_values() {
    let schema = json!({"properties": {"pin": {"maximum": 9}}, "required": ["name"]});
    // Even where the caller gets to see values.
    let contract = Contract::new("unlock", &schema, &schema, Terms::new().show_values(20).issues(1));
    let secret = json!({"pin": 123_456});
    let seen = events(|| {
        assert!(contract.check_input(&secret).is_err());
        assert!(contract.check_output(&secret).is_err());
        assert!(contract.check_input(r#"{"pin": 123456"#).is_err());
        assert!(contract.check_input(&json!({"pin": 1, "name": ""})).is_ok());
    });
    assert_eq!(
        seen,
        [
            r#"DEBUG message=tool call refused tool="unlock" places=/pin maximum omitted=1"#,
            r#"WARN message=tool result refused tool="unlock" places=/pin maximum omitted=1"#,
            "DEBUG message=tool call refused tool=\"unlock\" places=Invalid input: the arguments were cut off: \
             input ends inside an object at byte 14. Send the whole call again. omitted=0",
        ]
    );
}

#[test]
fn a_schema_that_cannot_be_honoured_is_an_error_event_once() {
    let schema: Value = json!({"properties": {"a": {"type": "text"}}});
    let seen = events(|| {
        let contract = Contract::new("broken", &schema, Document::Absent, Terms::new());
        assert_eq!(contract.problems().len(), 1);
    });
    let [event] = &*seen else { panic!("{seen:?}") };
    assert!(event.starts_with("ERROR ") && event.contains(r#"tool="broken""#), "{event}");
    assert!(event.contains("/properties/a/type: unknown type"), "{event}");
}
