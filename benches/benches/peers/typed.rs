//! What a hand-written handler would do: `serde` structs that refuse unknown members. They check far less than the schemas.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::hint::black_box;

/// A function that tells whether the text deserialises into the struct of this set.
pub fn of(set: &str) -> Option<fn(&[u8]) -> bool> {
    Some(match set {
        "mcp-playwright-click" => reads::<Click>,
        "mcp-fs-edit-file" => reads::<EditFile>,
        "mcp-github-create-issue" => reads::<CreateIssue>,
        "mcp-sensor-actuate" => reads::<Actuate>,
        _ => return None,
    })
}

fn reads<T: DeserializeOwned>(text: &[u8]) -> bool {
    black_box(serde_json::from_slice::<T>(text)).is_ok()
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Click {
    element: String,
    r#ref: String,
    double_click: Option<bool>,
    button: Option<Button>,
    modifiers: Option<Vec<Modifier>>,
    position: Option<Position>,
    timeout: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Button {
    Left,
    Right,
    Middle,
}

#[derive(Debug, Deserialize)]
enum Modifier {
    Alt,
    Control,
    ControlOrMeta,
    Meta,
    Shift,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Position {
    x: f64,
    y: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct EditFile {
    path: String,
    edits: Vec<Edit>,
    dry_run: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Edit {
    old_text: String,
    new_text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct CreateIssue {
    owner: String,
    repo: String,
    title: String,
    body: Option<String>,
    assignees: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    milestone: Option<u64>,
    r#type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Actuate {
    device: String,
    op: Operation,
    channel: u8,
    value: Option<f64>,
    unit: Option<Unit>,
    duration_ms: Option<u32>,
    samples: Option<Vec<f64>>,
    limits: Option<Range>,
    ack: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Set,
    Read,
    Pulse,
    Ramp,
    Calibrate,
}

#[derive(Debug, Deserialize)]
enum Unit {
    C,
    V,
    #[serde(rename = "mA")]
    MilliAmpere,
    #[serde(rename = "rpm")]
    PerMinute,
    #[serde(rename = "pct")]
    Percent,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Range {
    min: f64,
    max: f64,
    hysteresis: Option<f64>,
}
