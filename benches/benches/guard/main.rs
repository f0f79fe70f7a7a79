//! What `microschema guard` costs: time for each valid call, and memory for a large one that is refused.
//!
//! `cargo bench -p microschema-benches --bench guard -- [--quick] [latency] [memory]`
//!
//! Everything runs over pipes, in processes of its own: the guard is the binary, built here in the profile `release`; servers are this
//! binary again, in a role.

mod latency;
mod link;
mod memory;
mod servers;

use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The argument before the name of a server to be.
const ROLE: &str = "--role";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, name] = &arguments[..]
        && role == ROLE
    {
        return servers::run(name);
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !has("latency") && !has("memory");
    let guard = guard()?;
    if all || has("latency") {
        latency::run(&guard, if has("--quick") { 2_000 } else { 20_000 })?;
    }
    if all || has("memory") {
        memory::run(&guard)?;
    }
    Ok(())
}

/// The command line, built.
fn guard() -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "microschema-mcp", "--bin", "microschema"])
        .arg("--message-format=json")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    let messages = String::from_utf8(output.stdout)?;
    let executable =
        |line| serde_json::from_str::<serde_json::Value>(line).ok()?["executable"].as_str().map(PathBuf::from);
    messages.lines().filter_map(executable).next_back().ok_or_else(|| "the command line was not built".into())
}
