//! Programs that own their bytes, and many of them by name. Needs an allocator.

use crate::hash;
use crate::program::{Program, ProgramError};
use crate::{Options, SchemaError, SchemaErrorKind};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{BuildHasherDefault, Hasher};
use hashbrown::HashMap;

/// Greatest arena that is tried: no program takes as much.
const MOST: usize = 1 << 26;

/// A compiled schema that owns its bytes.
///
/// ```
/// use microschema::Options;
///
/// let program = Options::new().compile_owned(br#"{"type": "integer"}"#)?;
/// assert_eq!(program.as_program().is_valid(b"7"), Ok(true));
/// # Ok::<(), microschema::SchemaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProgramBuf {
    bytes: Box<[u8]>,
}

impl ProgramBuf {
    /// Takes a program from its bytes, see [`Program::from_bytes`].
    ///
    /// # Errors
    /// As there.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ProgramError> {
        Program::from_bytes(&bytes)?;
        Ok(Self { bytes: bytes.into_boxed_slice() })
    }

    /// The program.
    #[must_use]
    pub const fn as_program(&self) -> Program<'_> {
        // Checked, or written by the compiler.
        Program::trusted(&self.bytes)
    }

    /// The bytes of the program.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }
}

impl Options<'_> {
    /// Compiles `schema` into memory of its own, whatever that takes (at most 64 MiB).
    ///
    /// # Errors
    /// See [`SchemaErrorKind`].
    pub fn compile_owned(&self, schema: &[u8]) -> Result<ProgramBuf, SchemaError> {
        let mut size = schema.len().saturating_mul(4).saturating_add(1024);
        loop {
            let mut arena = vec![0; size.min(MOST)];
            match self.compile(schema, &mut arena) {
                Ok(program) => {
                    let len = program.as_bytes().len();
                    arena.truncate(len);
                    return Ok(ProgramBuf { bytes: arena.into_boxed_slice() });
                }
                Err(error) if error.kind == SchemaErrorKind::ArenaFull && size < MOST => size = size.saturating_mul(2),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Compiled schemas by name, such as those of all tools of a server.
///
/// ```
/// use microschema::{Options, Registry};
///
/// let mut tools = Registry::new();
/// tools.insert("set_level", Options::new().compile_owned(br#"{"type": "object"}"#)?);
/// assert_eq!(tools.get("set_level").unwrap().is_valid(b"[]"), Ok(false));
/// assert!(tools.get("get_level").is_none());
/// # Ok::<(), microschema::SchemaError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    programs: HashMap<Box<str>, ProgramBuf, BuildHasherDefault<NameHasher>>,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a program; gives back the one that had the name before.
    pub fn insert(&mut self, name: &str, program: ProgramBuf) -> Option<ProgramBuf> {
        self.programs.insert(name.into(), program)
    }

    /// The program of this name. Cost: independent of their number.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Program<'_>> {
        self.programs.get(name).map(ProgramBuf::as_program)
    }

    /// Takes a program out.
    pub fn remove(&mut self, name: &str) -> Option<ProgramBuf> {
        self.programs.remove(name)
    }

    /// The number of programs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }
}

/// The hash of names that programs use, too. Names are the server's own: nobody floods it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameHasher {
    state: u64,
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.state = self.state.rotate_left(32) ^ u64::from(hash::bytes(bytes));
    }

    fn finish(&self) -> u64 {
        // The table takes its bits from both ends.
        self.state.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}
