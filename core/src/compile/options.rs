//! What the caller chooses: the dialect, whether formats are asserted, the documents that a schema may refer to.

use super::Compiler;
use super::error::SchemaError;
use crate::program::Program;

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Dialect {
    /// `http://json-schema.org/draft-04/schema#`
    Draft4,
    /// `http://json-schema.org/draft-06/schema#`
    Draft6,
    /// `http://json-schema.org/draft-07/schema#`
    Draft7,
    /// `https://json-schema.org/draft/2019-09/schema`
    Draft2019_09,
    /// `https://json-schema.org/draft/2020-12/schema`, the default, also of MCP.
    #[default]
    Draft2020_12,
}

impl Dialect {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft2019_09, Self::Draft2020_12];

    /// The URI of the meta-schema, as `$schema` gives it.
    #[must_use]
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft2019_09 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft2020_12 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The dialect of this URI, with or without the trailing `#`, `http` or `https`.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::of(uri.as_bytes())
    }

    pub(super) fn of(uri: &[u8]) -> Option<Self> {
        let stem = stem(uri)?;
        Self::ALL.into_iter().find(|dialect| self::stem(dialect.uri().as_bytes()) == Some(stem))
    }
}

/// The part of a URI that tells dialects apart.
fn stem(uri: &[u8]) -> Option<&[u8]> {
    let uri = uri.strip_prefix(b"http")?;
    let uri = uri.strip_prefix(b"s").unwrap_or(uri).strip_prefix(b"://")?;
    Some(uri.strip_suffix(b"#").unwrap_or(uri))
}

/// How to compile.
///
/// ```
/// use microschema::{Dialect, Options};
///
/// let mut arena = [0; 256];
/// let program = Options::new().dialect(Dialect::Draft7).compile(br#"{"items": [{"type": "integer"}]}"#, &mut arena)?;
/// assert_eq!(program.is_valid(b"[1.5]"), Ok(false));
/// # Ok::<(), microschema::SchemaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options<'o> {
    pub(super) dialect: Dialect,
    pub(super) assert_formats: bool,
    pub(super) documents: &'o [(&'o str, &'o [u8])],
    pub(super) properties: &'o [(&'o str, &'o [u8])],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'o> Options<'o> {
    /// Draft 2020-12 where the schema does not say otherwise, formats asserted, no documents.
    #[must_use]
    pub const fn new() -> Self {
        Self { dialect: Dialect::Draft2020_12, assert_formats: true, documents: &[], properties: &[] }
    }

    /// The dialect of schemas without `$schema`.
    #[must_use]
    pub const fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Whether `format` is checked (the default, as MCP servers do) or only an annotation (as the specification has it). With it, in
    /// draft-07, `contentEncoding: base64` and `contentMediaType: application/json`; later dialects have those as annotations.
    #[must_use]
    pub const fn assert_formats(mut self, assert: bool) -> Self {
        self.assert_formats = assert;
        self
    }

    /// Documents that the schema may refer to: each with the URI it was retrieved from. Nothing is ever fetched.
    #[must_use]
    pub const fn documents(mut self, documents: &'o [(&'o str, &'o [u8])]) -> Self {
        self.documents = documents;
        self
    }

    /// Unicode properties for `\p{…}` in patterns: the name as it is written there, and the code points that have it, in order, as UTF-8 text
    /// that could stand between the brackets of a class. They come before those of the feature `unicode`; what runs the program needs neither.
    ///
    /// ```
    /// # #[cfg(feature = "regex")] {
    /// use microschema::Options;
    ///
    /// let mut arena = [0; 512];
    /// let properties = [("Script=Thai", "\u{e01}-\u{e3a}\u{e40}-\u{e5b}".as_bytes())];
    /// let program = Options::new().properties(&properties).compile(br#"{"pattern": "^\\p{Script=Thai}+$"}"#, &mut arena)?;
    /// assert_eq!(program.is_valid("\"ภาษา\"".as_bytes()), Ok(true));
    /// assert_eq!(program.is_valid(b"\"language\""), Ok(false));
    /// # }
    /// # Ok::<(), microschema::SchemaError>(())
    /// ```
    #[must_use]
    pub const fn properties(mut self, properties: &'o [(&'o str, &'o [u8])]) -> Self {
        self.properties = properties;
        self
    }

    /// Compiles `schema` (JSON text) into `arena`. The program borrows the part of the arena that it takes.
    ///
    /// The compiler needs more room than the program: about 28 bytes for each property of the objects it is in the middle of, 52 for each
    /// reference, and with more than four of those 12 for each definition. Three times the length of the schema is enough for almost any.
    ///
    /// # Errors
    /// See [`SchemaErrorKind`](crate::SchemaErrorKind).
    pub fn compile<'a>(&self, schema: &[u8], arena: &'a mut [u8]) -> Result<Program<'a>, SchemaError> {
        let mut compiler = Compiler::new(*self, schema, arena);
        compiler.whole();
        match compiler.error.get() {
            None => Ok(Program::trusted(compiler.arena.finish())),
            Some(error) => Err(error),
        }
    }
}

/// Compiles a schema (JSON text) into `arena`, with [`Options::new`].
///
/// # Errors
/// See [`SchemaErrorKind`](crate::SchemaErrorKind).
pub fn compile<'a>(schema: &[u8], arena: &'a mut [u8]) -> Result<Program<'a>, SchemaError> {
    Options::new().compile(schema, arena)
}
