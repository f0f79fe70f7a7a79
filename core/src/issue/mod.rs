//! Issues: what is wrong with an instance. Two places and a detail each; text and paths are made on demand.

mod describe;
#[cfg(feature = "messages")]
mod message;

#[cfg(feature = "compile")]
pub(crate) use describe::write_segment;
pub use describe::{Description, Pointer, Segment};
#[cfg(feature = "messages")]
pub use message::Message;

use heapless::Vec;

/// One thing that is wrong with an instance: sixteen bytes (on 32-bit targets twelve).
///
/// [`describe`](Self::describe) turns it into a path, a keyword and a message, by walking the instance again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Issue {
    /// A reference whose type mask failed, or with [`INSTRUCTION`] set the offset of an instruction.
    pub(crate) code: u32,
    /// What goes with it: the part of the instruction, a table index, a number of branches.
    pub(crate) detail: u32,
    /// The place of the instance that failed.
    pub(crate) at: usize,
}

/// Marks [`Issue::code`] as the offset of an instruction.
pub(crate) const INSTRUCTION: u32 = 1 << 31;

impl Issue {
    /// Where in the instance: the byte offset of the value (for a parsed value, its address).
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }
}

/// Takes issues as they are found.
pub trait IssueSink {
    /// One more issue.
    fn push(&mut self, issue: Issue);
}

/// Up to `N` issues; more are counted.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Issues<const N: usize> {
    list: Vec<Issue, N>,
    omitted: u32,
}

impl<const N: usize> Issues<N> {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { list: Vec::new(), omitted: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.list.clear();
        self.omitted = 0;
    }

    /// The issues, in the order they were found.
    #[must_use]
    pub fn as_slice(&self) -> &[Issue] {
        &self.list
    }

    /// The issues, in the order they were found.
    pub fn iter(&self) -> core::slice::Iter<'_, Issue> {
        self.list.iter()
    }

    /// How many were found beyond the `N` that are kept.
    #[must_use]
    pub const fn omitted(&self) -> u32 {
        self.omitted
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.omitted == 0
    }
}

impl<const N: usize> IssueSink for Issues<N> {
    fn push(&mut self, issue: Issue) {
        if self.list.push(issue).is_err() {
            self.omitted = self.omitted.saturating_add(1);
        }
    }
}

impl<'a, const N: usize> IntoIterator for &'a Issues<N> {
    type Item = &'a Issue;
    type IntoIter = core::slice::Iter<'a, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Writes a number without the formatting machinery.
pub(crate) fn write_number(out: &mut dyn core::fmt::Write, number: u32) -> core::fmt::Result {
    crate::Number::from_u64(u64::from(number)).write(out)
}
