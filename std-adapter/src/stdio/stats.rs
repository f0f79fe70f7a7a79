//! What a session has seen, in figures.

use std::collections::BTreeMap;
use std::fmt;

/// Tools that are counted by name.
const NAMES: usize = 1_000;

/// Figures of a [`Session`](super::Session). `Display` gives a summary of a few lines.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Of all calls that were looked at.
    pub all: Figures,
    /// The same by the name of the tool, for the first thousand of those that the server lists.
    pub tools: BTreeMap<String, Figures>,
    /// Calls of tools that the server does not list.
    pub unknown_tools: u64,
    /// Calls of tools whose schemas could not be learned.
    pub unlearned: u64,
    /// Messages of the client that are none, and lines with too many at once.
    pub unreadable: u64,
    /// Messages of the server that are none.
    pub unreadable_of_server: u64,
    /// Lines that were longer than allowed, in either direction.
    pub too_long: u64,
    /// Pages of tools that the session itself asked for.
    pub pages: u64,
    /// Whether nothing was refused, only counted.
    pub report_only: bool,
}

/// Figures of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Calls that were looked at.
    pub calls: u64,
    /// Those whose arguments were refused.
    pub refused_calls: u64,
    /// Results that were checked against an output schema.
    pub results: u64,
    /// Those that were refused.
    pub refused_results: u64,
}

impl Stats {
    /// Counts for all and for the tool.
    pub(super) fn count(&mut self, tool: &str, count: impl Fn(&mut Figures)) {
        count(&mut self.all);
        if let Some(figures) = self.tools.get_mut(tool) {
            count(figures);
        } else if self.tools.len() < NAMES {
            count(self.tools.entry(tool.to_owned()).or_default());
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.report_only { "not valid (let through)" } else { "refused" };
        let mut line = |name: &str, figures: &Figures| {
            let Figures { calls, refused_calls, results, refused_results } = figures;
            writeln!(
                f,
                "{name}{calls} calls, {refused_calls} {not}; {results} results checked, {refused_results} {not}"
            )
        };
        line("", &self.all)?;
        self.tools.iter().try_for_each(|(name, figures)| line(&format!("  {name}: "), figures))?;
        for (what, count) in [
            ("calls of tools that the server does not list", self.unknown_tools),
            ("calls of tools whose schemas could not be learned", self.unlearned),
            ("messages of the client that are none", self.unreadable),
            ("messages of the server that are none", self.unreadable_of_server),
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
