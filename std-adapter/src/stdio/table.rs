//! The tools of a server, as its `tools/list` tells of them.

use crate::place::decode;
use crate::{Gate, Guard};
use microschema::Kind;
use microschema::mcp::{Definition, Raw, ToolError};
use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

/// Tools that are kept.
const TOOLS: usize = 10_000;
/// Bytes of all their definitions.
const BYTES: usize = 64 << 20;

/// The tools that are known.
#[derive(Debug, Default)]
pub(super) struct Table {
    tools: HashMap<String, Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    guard: Guard,
    /// Until when the server said that it holds, where it said so.
    expires: Option<Instant>,
    bytes: usize,
}

/// A tool that is known.
#[derive(Debug)]
pub(super) struct Known<'t> {
    pub(super) guard: &'t Guard,
    /// Whether it may have changed by now.
    pub(super) is_stale: bool,
}

/// Why the tools of a server are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unlearned {
    /// The answer is an error, with this code.
    Error(Option<i64>),
    /// The answer has no array `tools`.
    Shape,
    /// There are too many of them.
    TooMany,
    /// The answer did not come in time.
    Late,
}

impl Table {
    pub(super) fn get(&self, name: &str) -> Option<Known<'_>> {
        let entry = self.tools.get(name)?;
        let is_stale = entry.expires.is_some_and(|expires| expires <= Instant::now());
        Some(Known { guard: &entry.guard, is_stale })
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// Adds the tools of a page, and gives the cursor of the next one, as it is spelled.
    pub(super) fn add_page<'r>(&mut self, result: Raw<'r>, gate: &Gate) -> Result<Option<Raw<'r>>, Unlearned> {
        let tools = result.member("tools").filter(|tools| tools.kind() == Kind::Array).ok_or(Unlearned::Shape)?;
        // Without one the tools hold until a notification says otherwise (2025-11-25 and earlier have no other means).
        let ttl = result.member("ttlMs").and_then(Raw::integer).map(|ms| u64::try_from(ms).unwrap_or(0));
        let expires = ttl.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
        for (_, tool) in tools.elements() {
            self.add(tool, gate, expires)?;
        }
        Ok(result.member("nextCursor").filter(|cursor| cursor.kind() == Kind::String))
    }

    fn add(&mut self, tool: Raw<'_>, gate: &Gate, expires: Option<Instant>) -> Result<(), Unlearned> {
        let Some(name) = tool.member("name").and_then(Raw::string).map(decode) else {
            tracing::error!("a tool has no name: it cannot be called");
            return Ok(());
        };
        let bytes = tool.as_bytes().len();
        if let Some(before) = self.tools.remove(&name) {
            self.bytes -= before.bytes;
        }
        if self.tools.len() >= TOOLS || self.bytes + bytes > BYTES {
            return Err(Unlearned::TooMany);
        }
        self.bytes += bytes;
        let guard = guard(&name, tool, gate);
        self.tools.insert(name, Entry { guard, expires, bytes });
        Ok(())
    }
}

fn guard(name: &str, tool: Raw<'_>, gate: &Gate) -> Guard {
    let (input, output) = match Definition::read(tool.as_bytes()) {
        Ok(definition) => (definition.input_schema(), definition.output_schema()),
        Err(error) => {
            tracing::error!(tool = name, %error, "the tool's definition cannot be read");
            match error {
                ToolError::InputSchema => {
                    (tool.member("inputSchema").unwrap_or(Raw::NULL), tool.member("outputSchema"))
                }
                // Whichever was meant: `null` is no schema, and refused as such.
                _ => (Raw::NULL, None),
            }
        }
    };
    // Some serialisers write `null` for what is not there.
    let output = output.filter(|schema| schema.kind() != Kind::Null);
    gate.guard(name, input.as_bytes(), output.map(Raw::as_bytes))
}

impl fmt::Display for Unlearned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(Some(code)) => write!(f, "tools/list was answered with the error {code}"),
            Self::Error(None) => f.write_str("tools/list was answered with an error"),
            Self::Shape => f.write_str("the answer to tools/list has no array of tools"),
            Self::TooMany => write!(f, "the server has more than {TOOLS} tools, or {} MiB of them", BYTES >> 20),
            Self::Late => f.write_str("tools/list was not answered in time"),
        }
    }
}
