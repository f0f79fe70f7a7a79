//! Programs: what the compiler makes of a schema. Position-independent bytes with a version and a checksum.

pub(crate) mod code;
mod listing;
pub(crate) mod names;
mod needs;
pub(crate) mod op;
mod stats;
#[cfg(all(test, feature = "compile"))]
mod tests;
mod verify;
pub(crate) mod walk;

pub use needs::Needs;
pub use stats::Stats;

use crate::error::{Error, Limit};
use crate::instance::Instance;
use crate::issue::{IssueSink, Issues, write_number};
use crate::json::Json;
use crate::limits::{Limits, Scratch};
use crate::machine::{self, MEMO, Run};
use code::Code;
use core::fmt;

/// First byte of every program.
pub(crate) const MAGIC: u8 = 0xB5;
/// Version of the image's layout. Other versions are refused.
pub(crate) const VERSION: u8 = 5;
/// Magic, version, checksum (32 bits), flags, root reference (24 bits).
pub(crate) const HEADER: usize = 10;
/// Zeros behind the last node, so that a word can be read wherever a byte can.
pub(crate) const PAD: usize = 7;

/// Bits of a program's flag byte.
pub(crate) mod flag {
    /// Needs scratch: very wide tables, unevaluated members or items, dynamic scope.
    pub(crate) const SCRATCH: u8 = 1;
    /// Tracks which members and items were evaluated.
    pub(crate) const TRACK: u8 = 1 << 1;
    /// Applies schemas to the same value again and again: what is known is worth remembering.
    pub(crate) const MEMO: u8 = 1 << 2;
    /// Needs a little scratch: tables of more than 64 names.
    pub(crate) const WIDE: u8 = 1 << 3;
    /// All of them.
    pub(crate) const ALL: u8 = 0xF;

    /// What an object's table of so many names needs: a bit in scratch for each beyond the first 64.
    pub(crate) const fn of_names(count: u32) -> u8 {
        match count {
            0..=64 => 0,
            65..=320 => WIDE,
            _ => SCRATCH,
        }
    }
}

/// A compiled schema.
///
/// A program borrows its bytes: from the arena it was compiled into, from flash, from a file. It is a slice in size, and `Copy`.
///
/// ```
/// let mut arena = [0; 1024];
/// let schema = br#"{"type": "object", "properties": {"level": {"type": "integer", "maximum": 10}}, "required": ["level"]}"#;
/// let program = microschema::compile(schema, &mut arena)?;
/// assert_eq!(program.is_valid(br#"{"level": 7}"#), Ok(true));
/// assert_eq!(program.is_valid(br#"{"level": 70}"#), Ok(false));
/// assert!(program.is_valid(br#"{"level": 7"#).is_err());
/// # Ok::<(), microschema::SchemaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Program<'p> {
    code: Code<'p>,
}

/// Why bytes were refused as a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ProgramError {
    /// The bytes do not begin like a program, or are too few.
    NotAProgram,
    /// Made by a version of this crate with another image layout: compile the schema again.
    Version {
        /// The version of the image.
        found: u8,
    },
    /// The bytes were altered: the checksum does not match.
    Checksum,
    /// The image does not follow its own structure at this byte.
    Malformed {
        /// Offset in the image.
        at: usize,
    },
    /// The program uses something this build leaves out (`pattern` without the feature `regex`, say).
    Unsupported {
        /// Offset of the instruction in the image.
        at: usize,
    },
}

impl<'p> Program<'p> {
    /// Takes a program from its bytes, as [`as_bytes`](Self::as_bytes) gave them, after checking them once and fully.
    ///
    /// Cost: linear in the length for programs up to 2 KiB, and at most quadratic beyond. Memory: half a kilobyte of stack.
    ///
    /// # Errors
    /// When the bytes are not a program of this version, or were damaged. Damage on purpose (with a matching checksum) is caught as
    /// far as it would break the structure; what passes runs within all limits.
    pub fn from_bytes(bytes: &'p [u8]) -> Result<Self, ProgramError> {
        verify::verify(bytes)?;
        Ok(Self { code: Code::new(bytes) })
    }

    /// A program whose bytes the compiler of this build wrote. With others it means nothing, though it runs within all limits.
    #[cfg(feature = "compile")]
    #[doc(hidden)]
    #[must_use]
    pub const fn trusted(bytes: &'p [u8]) -> Self {
        Self { code: Code::new(bytes) }
    }

    /// The bytes of the program, to be stored and read back with [`from_bytes`](Self::from_bytes).
    #[must_use]
    pub const fn as_bytes(&self) -> &'p [u8] {
        self.code.bytes()
    }

    pub(crate) const fn code(&self) -> Code<'p> {
        self.code
    }

    pub(crate) fn flags(&self) -> u8 {
        self.code.byte(HEADER - 4)
    }

    pub(crate) fn root(&self) -> u32 {
        self.code.u32(HEADER - 4) >> 8
    }

    /// Whether `instance` (JSON text) is valid, with [`Limits::default`]. Stops at the first failure.
    ///
    /// Allocates nothing. Time: linear in the instance for schemas without in-place applicators over containers.
    ///
    /// # Errors
    /// When the text read so far is not JSON, or a limit was reached. Text behind the first failure is not read.
    pub fn is_valid(&self, instance: &[u8]) -> Result<bool, Error> {
        self.validator().is_valid(instance)
    }

    /// Whether `instance` (JSON text) is valid, with [`Limits::default`]. What is wrong goes to `issues`, which is cleared first.
    ///
    /// The whole text is read, so that `Ok` also says that it is JSON.
    ///
    /// # Errors
    /// When the text is not JSON, or a limit was reached.
    pub fn validate<const N: usize>(&self, instance: &[u8], issues: &mut Issues<N>) -> Result<bool, Error> {
        issues.clear();
        self.validator().validate(instance, issues)
    }

    /// The same with limits of the caller's choice, and for instances that are not bytes.
    #[must_use]
    pub const fn validator(&self) -> Validator<'p> {
        Validator { program: *self, limits: Limits::new(), unique_names: false }
    }
}

/// A program with the limits to run it under.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Validator<'p> {
    program: Program<'p>,
    limits: Limits,
    unique_names: bool,
}

impl<'p> Validator<'p> {
    /// Sets the limits.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether an object anywhere in the instance that names a member twice is refused as
    /// [`DuplicateName`](crate::JsonErrorKind::DuplicateName). By default only names are that the schema declares or counts, since the others
    /// cannot be read in two ways by what relies on the schema.
    ///
    /// Cost: one more pass over the instance. Memory: 9 KiB of stack (768 bytes on 32-bit targets) for objects of more than twelve members.
    ///
    /// ```
    /// # use microschema::compile;
    /// # let mut arena = [0; 64];
    /// let program = compile(br#"{"type": "object"}"#, &mut arena)?;
    /// let instance = br#"{"a": {"b": 1, "b": 2}}"#;
    /// assert_eq!(program.is_valid(instance), Ok(true));
    /// assert!(program.validator().unique_names(true).is_valid(instance).is_err());
    /// # Ok::<(), microschema::SchemaError>(())
    /// ```
    #[must_use]
    pub const fn unique_names(mut self, unique: bool) -> Self {
        self.unique_names = unique;
        self
    }

    /// See [`Program::is_valid`].
    ///
    /// # Errors
    /// As there.
    pub fn is_valid(&self, instance: &[u8]) -> Result<bool, Error> {
        self.run(Json::new(instance)?, None)
    }

    /// See [`Program::validate`]; `issues` is not cleared here.
    ///
    /// # Errors
    /// As there.
    pub fn validate(&self, instance: &[u8], issues: &mut dyn IssueSink) -> Result<bool, Error> {
        self.run(Json::new(instance)?, Some(issues))
    }

    /// Runs over any [`Instance`].
    ///
    /// # Errors
    /// As [`Program::validate`].
    pub fn run<'i, I: Instance<'i>>(&self, instance: I, issues: Option<&mut dyn IssueSink>) -> Result<bool, Error> {
        let run = self.run_of(instance);
        match self.program.flags() & !flag::TRACK {
            0 => machine::run(run, issues, &mut []),
            flag::MEMO | flag::WIDE => with_little(run, issues),
            _ => {
                // Mostly some of it is enough, and is cleared in less time.
                if LARGE && issues.is_none() {
                    match with_some(self.run_of(instance)) {
                        Err(Error::Limit(Limit::Scratch)) => {}
                        result => return result,
                    }
                }
                with_scratch(run, issues)
            }
        }
    }

    /// The same with scratch memory of the caller's, for schemas that need more than the 4 KiB (on 32-bit targets
    /// 1 KiB) that are taken from the stack otherwise. It may hold anything; without the last 256 words (64) it goes on, but does not
    /// remember what schemas that are applied in several branches came to.
    ///
    /// # Errors
    /// As [`Program::validate`].
    pub fn run_with<'i, I: Instance<'i>>(
        &self,
        instance: I,
        issues: Option<&mut dyn IssueSink>,
        scratch: &mut [u32],
    ) -> Result<bool, Error> {
        // It may come from another run.
        if let Some(memo) = scratch.last_chunk_mut::<MEMO>() {
            memo.fill(0);
        }
        machine::run(self.run_of(instance), issues, scratch)
    }

    const fn run_of<I: Copy>(&self, instance: I) -> Run<'p, I> {
        Run { program: self.program, instance, limits: self.limits, unique_names: self.unique_names }
    }
}

/// Words of scratch beside [`MEMO`] that most runs can do with.
const SOME: usize = 192;
/// Whether all of the scratch takes time to clear.
const LARGE: bool = cfg!(all(target_pointer_width = "64", not(any(target_os = "none", feature = "small"))));

/// Apart, so that only the programs that need the scratch have it on the stack.
#[inline(never)]
fn with_scratch<'i, I: Instance<'i>>(run: Run<'_, I>, issues: Option<&mut dyn IssueSink>) -> Result<bool, Error> {
    machine::run(run, issues, Scratch::default().words())
}

#[inline(never)]
fn with_some<'i, I: Instance<'i>>(run: Run<'_, I>) -> Result<bool, Error> {
    machine::run(run, None, &mut [0; MEMO + SOME])
}

#[inline(never)]
fn with_little<'i, I: Instance<'i>>(run: Run<'_, I>, issues: Option<&mut dyn IssueSink>) -> Result<bool, Error> {
    machine::run(run, issues, &mut [0; MEMO])
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("bytes", &self.as_bytes().len()).finish()
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, number) = match *self {
            Self::NotAProgram => ("not a compiled schema", None),
            Self::Version { found } => {
                ("compiled schema of a version that this build does not read: ", Some(u32::from(found)))
            }
            Self::Checksum => ("compiled schema is damaged: the checksum does not match", None),
            Self::Malformed { at } => ("compiled schema is malformed at byte ", Some(at as u32)),
            Self::Unsupported { at } => {
                ("compiled schema needs a feature that this build leaves out, at byte ", Some(at as u32))
            }
        };
        f.write_str(text)?;
        number.map_or(Ok(()), |number| write_number(f, number))
    }
}

impl core::error::Error for ProgramError {}
