//! The README's chart: time from bytes to verdict, as bars, in SVG. Readable on light and on dark pages.

use crate::contest::BASE;
use crate::report::Report;
use std::fmt::Write;

const BARS: [(&str, &str); 8] = [
    (BASE, "serde_json skipping (no validation)"),
    ("microschema_is_valid", "microschema is_valid"),
    ("microschema_validate", "microschema validate"),
    ("sonic_rs_value", "sonic-rs tree (no validation)"),
    ("serde_typed", "serde structs"),
    ("serde_json_value", "serde_json Value (no validation)"),
    ("jsonschema_is_valid", "Value + jsonschema is_valid"),
    ("boon", "Value + boon"),
];

const LABELS: f64 = 250.0;
const PLOT: f64 = 400.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 50.0;
const WIDTH: f64 = LABELS + PLOT + 70.0;

/// The chart of a report.
pub fn svg(report: &Report) -> String {
    let panels: Vec<_> = [(true, "six MCP tools"), (false, "public benchmark sets")]
        .into_iter()
        .map(|(mcp, title)| {
            let bars: Vec<_> =
                BARS.iter().filter_map(|&(name, label)| Some((name, label, report.mean(mcp, name, BASE)?))).collect();
            (title, bars)
        })
        .filter(|(_, bars)| !bars.is_empty())
        .collect();
    let height: f64 = panels.iter().map(|(_, bars)| HEAD + ROW * bars.len() as f64).sum::<f64>() + 30.0;
    let longest = panels.iter().flat_map(|(_, bars)| bars).map(|bar| bar.2).fold(1.0, f64::max);
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="Time from bytes to verdict">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #24292f }}
.title {{ font-weight: 600 }}
.note {{ font-size: 11px; fill: #57606a }}
.peer {{ fill: #afb8c1 }}
.ours {{ fill: #0969da }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .note {{ fill: #8d96a0 }} .peer {{ fill: #57606a }} .ours {{ fill: #4493f8 }} }}
</style>
"##
    );
    let mut top = 0.0;
    for (title, bars) in &panels {
        let _ = writeln!(out, r#"<text class="title" x="10" y="{}">Bytes to verdict, {title}</text>"#, top + 24.0);
        top += HEAD - 14.0;
        for (name, label, ratio) in bars {
            let class = if name.starts_with("microschema") { "ours" } else { "peer" };
            let width = PLOT * ratio / longest;
            let _ = writeln!(
                out,
                r#"<text x="{}" y="{}" text-anchor="end">{label}</text><rect class="{class}" x="{LABELS}" y="{}" width="{width:.1}" height="{}" rx="2"/><text x="{:.1}" y="{}">{ratio:.2}</text>"#,
                LABELS - 8.0,
                top + 15.0,
                top + 3.0,
                ROW - 6.0,
                LABELS + width + 6.0,
                top + 15.0,
            );
            top += ROW;
        }
        top += 14.0;
    }
    let _ = writeln!(
        out,
        r#"<text class="note" x="10" y="{}">Time relative to serde_json::from_slice::&lt;IgnoredAny&gt;, geometric means; shorter is faster.</text>"#,
        top + 18.0
    );
    out.push_str("</svg>\n");
    out
}
