//! Programs that come with the firmware: what they need of it, and how they are taken while it is compiled.

use super::walk::{self, Part};
use super::{Code, MAGIC, Program, ProgramError, VERSION};
use crate::format::Format;
use crate::hash;

/// Features of this crate without which a program cannot be run.
///
/// `unicode` is none of them: it is needed to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Needs {
    /// `regex`: there are patterns.
    pub regex: bool,
    /// `formats`: there are formats.
    pub formats: bool,
    /// `idn`: the format `idn-hostname`.
    pub idn: bool,
}

impl Needs {
    /// Whether this build has all of them.
    #[must_use]
    pub const fn are_built(self) -> bool {
        (!self.regex || cfg!(feature = "regex"))
            && (!self.formats || cfg!(feature = "formats"))
            && (!self.idn || cfg!(feature = "idn"))
    }
}

impl<'p> Program<'p> {
    /// What the program needs of the build that runs it. Cost: a pass over the program.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        let _ = walk::nodes(self.code(), |part, value, _| match part {
            Part::Pattern => needs.regex = true,
            Part::Format => {
                let format = u8::try_from(value).ok().and_then(Format::from_code);
                needs.formats = true;
                needs.idn |= format == Some(Format::IdnHostname);
                needs.regex |= format == Some(Format::Regex);
            }
            _ => {}
        });
        needs
    }

    /// Takes a program that was compiled together with the firmware, while that is compiled: for the initial value of a `static`, as
    /// `build` and `microschema compile --rust` write it.
    ///
    /// Unlike [`from_bytes`](Self::from_bytes) it costs a device nothing, neither time nor flash. In exchange, only the version, the
    /// checksum and the features are checked: that the image is what the compiler wrote, and that this build can run it. What it does
    /// not check is what the image means, so it is not for bytes from elsewhere (which it leaves as safe as `from_bytes` does, but they may
    /// accept anything).
    ///
    /// # Errors
    /// [`NotAProgram`](ProgramError::NotAProgram), [`Version`](ProgramError::Version), [`Checksum`](ProgramError::Checksum), and
    /// [`Unsupported`](ProgramError::Unsupported) without a place.
    pub const fn from_build(image: &'p [u8], needs: Needs) -> Result<Self, ProgramError> {
        let Some(([magic, version, checksum @ ..], rest)) = image.split_first_chunk::<6>() else {
            return Err(ProgramError::NotAProgram);
        };
        if *magic != MAGIC {
            return Err(ProgramError::NotAProgram);
        }
        if *version != VERSION {
            return Err(ProgramError::Version { found: *version });
        }
        if u32::from_le_bytes(*checksum) != hash::bytes(rest) {
            return Err(ProgramError::Checksum);
        }
        if !needs.are_built() {
            return Err(ProgramError::Unsupported { at: 0 });
        }
        Ok(Self { code: Code::new(image) })
    }
}

#[cfg(all(test, feature = "compile", feature = "regex", feature = "formats"))]
mod tests {
    use super::{Needs, Program, ProgramError};

    #[test]
    fn needs_are_what_the_instructions_ask_for() {
        let (none, mut arena) = (Needs::default(), [0; 1024]);
        for (schema, needs) in [
            (r#"{"type": "object", "properties": {"a": {"maximum": 1}}}"#, none),
            (r#"{"items": {"pattern": "^a"}}"#, Needs { regex: true, ..none }),
            (r#"{"patternProperties": {"^a": false}}"#, Needs { regex: true, ..none }),
            (r#"{"format": "date"}"#, Needs { formats: true, ..none }),
            (r#"{"format": "regex"}"#, Needs { formats: true, regex: true, ..none }),
            #[cfg(feature = "idn")]
            (r#"{"format": "idn-hostname"}"#, Needs { formats: true, idn: true, ..none }),
        ] {
            assert_eq!(crate::compile(schema.as_bytes(), &mut arena).unwrap().needs(), needs, "{schema}");
        }
    }

    #[test]
    fn an_image_that_was_altered_or_cannot_be_run_is_refused() {
        let mut arena = [0; 256];
        let image = crate::compile(br#"{"pattern": "^a", "maxLength": 7}"#, &mut arena).unwrap().as_bytes();
        let needs = Needs { regex: true, ..Needs::default() };
        assert_eq!(Program::from_build(image, needs).unwrap().is_valid(b"\"b\""), Ok(false));
        for at in 0..image.len() {
            let mut altered = image.to_vec();
            altered[at] ^= 4;
            let expected = match at {
                0 => ProgramError::NotAProgram,
                1 => ProgramError::Version { found: altered[1] },
                _ => ProgramError::Checksum,
            };
            assert_eq!(Program::from_build(&altered, needs).err(), Some(expected), "{at}");
        }
        assert_eq!(Program::from_build(&image[..5], needs).err(), Some(ProgramError::NotAProgram));
        #[cfg(not(feature = "idn"))]
        assert_eq!(
            Program::from_build(image, Needs { idn: true, ..needs }).err(),
            Some(ProgramError::Unsupported { at: 0 })
        );
    }
}
