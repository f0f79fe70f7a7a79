//! What a gate has seen, in figures.

use std::collections::BTreeMap;
use std::fmt;

/// Tools that are counted by name.
const NAMES: usize = 1_000;

/// Figures of a [`Session`](super::Session). `Display` gives a summary of a few lines.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Calls that were looked at.
    pub calls: u64,
    /// Those whose arguments were refused.
    pub refused_calls: u64,
    /// Those of a tool that the server does not list.
    pub unknown_tools: u64,
    /// Those of tools whose schemas could not be learned.
    pub unlearned: u64,
    /// Results that were checked against an output schema.
    pub results: u64,
    /// Those that were refused.
    pub refused_results: u64,
    /// Lines of the client that are no messages, or too many at once.
    pub unreadable: u64,
    /// Lines of the server that are no messages.
    pub unreadable_of_server: u64,
    /// Lines that were longer than allowed, in either direction.
    pub too_long: u64,
    /// How often the gate asked for the tools itself, page by page.
    pub pages: u64,
    /// Calls, refused calls and refused results by the name of the tool, for the first thousand of them.
    pub tools: BTreeMap<String, [u64; 3]>,
    /// Whether nothing was refused, only counted.
    pub report_only: bool,
}

/// A column of [`Stats::tools`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    Call,
    RefusedCall,
    RefusedResult,
}

impl Stats {
    pub(super) fn count(&mut self, tool: &str, column: Column) {
        match column {
            Column::Call => self.calls += 1,
            Column::RefusedCall => self.refused_calls += 1,
            Column::RefusedResult => self.refused_results += 1,
        }
        if let Some(figures) = self.tools.get_mut(tool) {
            figures[column as usize] += 1;
        } else if self.tools.len() < NAMES {
            let mut figures = [0; 3];
            figures[column as usize] = 1;
            self.tools.insert(tool.to_owned(), figures);
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.report_only { "not valid (let through)" } else { "refused" };
        write!(f, "{} calls, {} {not}; ", self.calls, self.refused_calls)?;
        writeln!(f, "{} results checked, {} {not}", self.results, self.refused_results)?;
        for (tool, [calls, refused, results]) in &self.tools {
            writeln!(f, "  {tool}: {calls} calls, {refused} {not}; {results} results {not}")?;
        }
        for (what, count) in [
            ("calls of tools that the server does not list", self.unknown_tools),
            ("calls of tools whose schemas could not be learned", self.unlearned),
            ("lines of the client that are no messages", self.unreadable),
            ("lines of the server that are no messages", self.unreadable_of_server),
            ("lines that were too long", self.too_long),
            ("pages of tools that the gate itself asked for", self.pages),
        ] {
            if count > 0 {
                writeln!(f, "  {what}: {count}")?;
            }
        }
        Ok(())
    }
}
