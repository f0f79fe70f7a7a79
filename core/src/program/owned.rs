//! Programs that own their bytes, for servers that keep them longer than any buffer.

use super::{Program, ProgramError};
use alloc::boxed::Box;

/// A compiled schema that owns its bytes.
///
/// ```
/// use microschema::Options;
///
/// let program = Options::new().compile_owned(br#"{"type": "object", "required": ["level"]}"#)?;
/// assert_eq!(program.as_program().is_valid(b"{}"), Ok(false));
/// # Ok::<(), microschema::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct ProgramBuf {
    /// Verified, or from the compiler.
    bytes: Box<[u8]>,
}

impl ProgramBuf {
    /// Takes a program from its bytes: [`Program::from_bytes`], once for all runs.
    ///
    /// # Errors
    /// As there.
    pub fn from_bytes(bytes: Box<[u8]>) -> Result<Self, ProgramError> {
        Program::from_bytes(&bytes)?;
        Ok(Self { bytes })
    }

    /// The program. This costs nothing.
    #[inline]
    #[must_use]
    pub const fn as_program(&self) -> Program<'_> {
        Program::trusted(&self.bytes)
    }
}

impl core::fmt::Debug for ProgramBuf {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ProgramBuf").field("bytes", &self.bytes.len()).finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for ProgramBuf {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "ProgramBuf {{ bytes: {=usize} }}", self.bytes.len());
    }
}

#[cfg(feature = "compile")]
mod compile {
    use super::ProgramBuf;
    use crate::compile::{Options, SchemaError, SchemaErrorKind};
    use alloc::vec;

    /// Where the arena starts, and what it never outgrows.
    const FIRST_ARENA: usize = 1 << 10;
    const LAST_ARENA: usize = 64 << 20;

    impl Options<'_> {
        /// Compiles `schema` (JSON text) in an arena that grows as needed, up to 64 MiB.
        ///
        /// # Errors
        /// See [`SchemaErrorKind`].
        pub fn compile_owned(&self, schema: &[u8]) -> Result<ProgramBuf, SchemaError> {
            let mut size = schema.len().saturating_mul(3).clamp(FIRST_ARENA, LAST_ARENA);
            loop {
                let mut arena = vec![0; size];
                match self.compile(schema, &mut arena) {
                    Ok(program) => return Ok(ProgramBuf { bytes: program.as_bytes().into() }),
                    Err(error) if error.kind == SchemaErrorKind::ArenaFull && size < LAST_ARENA => {
                        size = size.saturating_mul(2).min(LAST_ARENA);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use crate::{Options, ProgramBuf, ProgramError, SchemaErrorKind};
        use std::format;
        use std::string::String;
        use std::vec;

        #[test]
        fn grows_until_it_fits() {
            // Each property takes room, and not much of the schema.
            let items: String = (0..400).map(|index| format!(r#""{index:x}":{{}},"#)).collect();
            let schema = format!(r#"{{"properties":{{{items}"last":{{"type":"null"}}}}}}"#);
            let error =
                Options::new().compile(schema.as_bytes(), &mut vec![0; schema.len() * 3]).expect_err("too small");
            assert_eq!(error.kind, SchemaErrorKind::ArenaFull);
            let program = Options::new().compile_owned(schema.as_bytes()).expect("fits");
            assert_eq!(program.as_program().is_valid(br#"{"last":1}"#), Ok(false));
        }

        #[test]
        fn other_errors_end_it() {
            let error = Options::new().compile_owned(br#"{"type": "text"}"#).expect_err("no such type");
            assert_eq!(error.kind, SchemaErrorKind::UnknownType);
        }

        #[test]
        fn bytes_are_verified_once() {
            let program = Options::new().compile_owned(br#"{"type": "null"}"#).expect("compiles");
            let bytes = program.as_program().as_bytes();
            let again = ProgramBuf::from_bytes(bytes.into()).expect("the same bytes");
            assert_eq!(again.as_program().is_valid(b"1"), Ok(false));
            assert_eq!(ProgramBuf::from_bytes([0; 4].into()).expect_err("no program"), ProgramError::NotAProgram);
        }
    }
}
