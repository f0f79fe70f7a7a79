//! What of a tool is checked, within which bounds, and what becomes of schemas that cannot be honoured.

use microschema::Limits;

/// The terms of a [`Contract`](crate::Contract).
///
/// ```
/// use microschema_mcp::Terms;
///
/// let terms = Terms::new().issues(10).characters(120).check_output(false);
/// # let _ = terms;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub(crate) issues: usize,
    pub(crate) characters: usize,
    pub(crate) shown: u16,
    pub(crate) limits: Limits,
    pub(crate) assert_formats: bool,
    pub(crate) unique_names: bool,
    pub(crate) uncompilable: Uncompilable,
    pub(crate) check_input: bool,
    pub(crate) check_output: bool,
    pub(crate) require_structured_content: bool,
}

/// What becomes of a tool whose schema cannot be honoured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncompilable {
    /// Every call of the tool is refused, before it runs. An error event tells so once, when the contract is made.
    #[default]
    Refuse,
    /// What that schema describes goes through unchecked. An error event tells so once, when the contract is made.
    Allow,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// Input and output are checked; five issues are told, with at most 300 characters each and no values;
    /// a tool with a schema that cannot be honoured is refused.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            issues: 5,
            characters: 300,
            shown: 0,
            limits: Limits::new(),
            assert_formats: true,
            unique_names: false,
            uncompilable: Uncompilable::Refuse,
            check_input: true,
            check_output: true,
            require_structured_content: false,
        }
    }

    /// How many issues are told; the rest are counted.
    #[must_use]
    pub const fn issues(mut self, most: usize) -> Self {
        self.issues = most;
        self
    }

    /// How many characters of a message are told, and of a path. What is cut ends in `…`.
    #[must_use]
    pub const fn characters(mut self, most: usize) -> Self {
        self.characters = most;
        self
    }

    /// Also show the value that failed, up to so many characters of it. By default values stay out of messages.
    #[must_use]
    pub const fn show_values(mut self, characters: u16) -> Self {
        self.shown = characters;
        self
    }

    /// Bounds on the work of one check. What reaches them is refused.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether `format` is checked (the default) or only an annotation.
    #[must_use]
    pub const fn assert_formats(mut self, assert: bool) -> Self {
        self.assert_formats = assert;
        self
    }

    /// Whether bytes in which any object names a member twice are refused, see
    /// [`Validator::unique_names`](microschema::Validator::unique_names). By default only names are that the schema declares or counts.
    #[must_use]
    pub const fn unique_names(mut self, unique: bool) -> Self {
        self.unique_names = unique;
        self
    }

    /// What becomes of a tool whose schema cannot be honoured.
    #[must_use]
    pub const fn uncompilable(mut self, uncompilable: Uncompilable) -> Self {
        self.uncompilable = uncompilable;
        self
    }

    /// Whether arguments are checked.
    #[must_use]
    pub const fn check_input(mut self, check: bool) -> Self {
        self.check_input = check;
        self
    }

    /// Whether structured content is checked.
    #[must_use]
    pub const fn check_output(mut self, check: bool) -> Self {
        self.check_output = check;
        self
    }

    /// Whether a result that is no error must have structured content when the tool has an output schema. By default such a result
    /// goes through.
    #[must_use]
    pub const fn require_structured_content(mut self, require: bool) -> Self {
        self.require_structured_content = require;
        self
    }
}
