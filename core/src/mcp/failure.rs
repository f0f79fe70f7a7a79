//! A call whose arguments, or whose result, do not match the tool's schema, told to the model.

use super::raw::Raw;
use super::reply;
use super::writer::{Full, write_issues};
use crate::error::Error;
use crate::{Issue, Issues, Program};
use core::fmt;

/// Which of the two schemas of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Subject {
    /// The arguments, and `inputSchema`.
    Input,
    /// The structured content, and `outputSchema`.
    Output,
}

/// Issues to be told as a tool execution error. `Display` gives the text:
///
/// ```text
/// Invalid input: the arguments do not match the tool's input schema.
/// - at /age: must be at most 120 (maximum)
/// - and 3 more
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Failure<'f> {
    subject: Subject,
    program: Program<'f>,
    instance: Raw<'f>,
    issues: &'f [Issue],
    omitted: u32,
}

/// A value that could not be checked, and why.
pub(super) struct Unchecked(pub(super) Subject, pub(super) Error);

impl<'f> Failure<'f> {
    /// The issues that `program` found in `instance`.
    #[must_use]
    pub fn new<const N: usize>(
        subject: Subject,
        program: &Program<'f>,
        instance: Raw<'f>,
        issues: &'f Issues<N>,
    ) -> Self {
        Self { subject, program: *program, instance, issues: issues.as_slice(), omitted: issues.omitted() }
    }

    /// Writes the response: `isError`, the text, and the issues themselves in `_meta["microschema/issues"]`, each with `path`,
    /// `pointer`, `keyword` and `message`. As many issues as fit; the others are counted in the text.
    ///
    /// # Errors
    /// When it does not fit even without any issue.
    pub fn write(&self, out: &mut [u8], id: Raw<'_>) -> Result<usize, Full> {
        let mut shown = self.issues.len();
        loop {
            let some = self.first(shown);
            let written = reply::tool_result(out, id, &some, &mut |json| {
                json.piece(r#","isError":true,"_meta":{"microschema/issues":["#);
                write_issues(json, some.issues, &some.program, some.instance.as_bytes());
                json.piece("]}");
            });
            if written.is_ok() || shown == 0 {
                return written;
            }
            shown /= 2;
        }
    }

    fn first(&self, shown: usize) -> Self {
        let issues = self.issues.get(..shown).unwrap_or_default();
        let left_out = u32::try_from(self.issues.len().saturating_sub(issues.len())).unwrap_or(u32::MAX);
        Self { issues, omitted: self.omitted.saturating_add(left_out), ..*self }
    }
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.subject {
            Subject::Input => "Invalid input: the arguments do not match the tool's input schema.",
            Subject::Output => "Tool returned structured content that does not match its output schema.",
        })?;
        for issue in self.issues {
            f.write_str("\n- ")?;
            fmt::Display::fmt(&issue.describe(&self.program, self.instance.as_bytes()), f)?;
        }
        if self.omitted > 0 {
            f.write_str("\n- and ")?;
            crate::Number::from_u64(self.omitted.into()).write(f)?;
            f.write_str(" more")?;
        }
        Ok(())
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Subject::Input => "Invalid input: the arguments ",
            Subject::Output => "Tool returned structured content that ",
        })?;
        f.write_str(match self.1 {
            Error::Json(_) => "cannot be read: ",
            Error::Limit(_) => "could not be checked: ",
        })?;
        fmt::Display::fmt(&self.1, f)?;
        f.write_str(".")
    }
}
