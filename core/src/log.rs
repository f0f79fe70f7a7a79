//! `defmt::Format` where it cannot be derived: what is written is decided here, the text is made on the host.

use crate::instance::Instance;
use crate::{Description, Json, Number, Pointer, Program, Text};
use defmt::{Display2Format, Format, Formatter, write};

/// As it is stored: escapes and all.
impl Format for Text<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=str}", core::str::from_utf8(self.stored(0)).unwrap_or_default());
    }
}

impl Format for Json<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=[u8]:a}", self.bytes());
    }
}

impl Format for Number<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", Display2Format(self));
    }
}

impl Format for Program<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "Program({=usize} bytes)", self.as_bytes().len());
    }
}

impl<'i, I: Instance<'i>> Format for Description<'_, 'i, I> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", Display2Format(self));
    }
}

impl<'i, I: Instance<'i>> Format for Pointer<'_, '_, 'i, I> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", Display2Format(self));
    }
}

#[cfg(feature = "messages")]
impl<'i, I: Instance<'i>> Format for crate::Message<'_, '_, 'i, I> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", Display2Format(self));
    }
}

#[cfg(feature = "regex")]
impl Format for crate::Pattern<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "Pattern({=usize} bytes)", self.as_bytes().len());
    }
}

#[cfg(feature = "alloc")]
impl Format for crate::ProgramBuf {
    fn format(&self, f: Formatter<'_>) {
        self.as_program().format(f);
    }
}

#[cfg(feature = "alloc")]
impl Format for crate::Registry {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "Registry({=usize} programs)", self.len());
    }
}
