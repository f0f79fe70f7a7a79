//! The image of a compiled pattern: its layout, its codes, and a reader that cannot go wrong on any bytes.
//!
//! ```text
//! flags u8 │ number of classes u8 │ their bytes u16 │ the classes, one behind the other
//! with LOOKS: look-arounds u8 │ start of each (u16, SUB in the top bit) │ start of the pattern itself u16
//! code, up to the end
//! with PARTS instead: for each part flags u8, NEGATED among them │ length of its code u16 │ code
//! ```
//! Parts are patterns on their own, all of which must match, or must not: `^(?=A)(?!B)C` is `^A`, not `^B`, and `^C`.
//!
//! Numbers are little-endian. Positions in the code count from its first byte, so an image can lie anywhere.
//!
//! A byte of code below [`RUN_STAR`] consumes one code point: itself, if it is ASCII; a class that everyone knows; or a
//! class of the table. A state of the matcher is the position of an instruction, so a literal costs a byte and a bit.

use super::class;

/// Bytes before the classes.
pub(super) const HEADER: usize = 4;
/// Each position in the code takes one bit in each of two sets on the matcher's stack.
pub(super) const MAX_CODE: usize = 1024;
/// Each takes four bytes on the matcher's stack.
pub(super) const MAX_SLOTS: usize = 16;
pub(super) const MAX_LOOKS: usize = 16;
pub(super) const MAX_CLASSES: u8 = 64;
/// Counts a shift register of one slot can hold.
pub(super) const REGISTER: u32 = 32;

/// At most one thread is ever alive: run it without sets.
pub(super) const ONE_PASS: u8 = 1;
/// The code reads the text from its end to its start.
pub(super) const BACKWARD: u8 = 2;
/// A match starts where reading starts.
pub(super) const ANCHORED: u8 = 4;
pub(super) const LOOKS: u8 = 8;
pub(super) const PARTS: u8 = 16;
/// Of a part: it must not match.
pub(super) const NEGATED: u8 = 0x80;

pub(super) const ANY_DIGIT: u8 = 0x80;
pub(super) const NOT_DIGIT: u8 = 0x81;
pub(super) const ANY_WORD: u8 = 0x82;
pub(super) const NOT_WORD: u8 = 0x83;
pub(super) const ANY_SPACE: u8 = 0x84;
pub(super) const NOT_SPACE: u8 = 0x85;
pub(super) const DOT: u8 = 0x86;
pub(super) const ANY: u8 = 0x87;
pub(super) const NONE: u8 = 0x88;
/// The first class of the table.
pub(super) const CUSTOM: u8 = 0x90;

/// `X*`: X.
pub(super) const RUN_STAR: u8 = 0xD0;
/// `X+`: X.
pub(super) const RUN_PLUS: u8 = 0xD1;
/// `X?`: X.
pub(super) const RUN_OPTION: u8 = 0xD2;
/// `X{n}`, one pass: X, n u8.
pub(super) const RUN_TIMES: u8 = 0xD3;
/// `X{m,n}`, one pass: X, m varint, n varint (0 for no bound).
pub(super) const RUN_RANGE: u8 = 0xD4;
/// A code point above ASCII: three bytes.
pub(super) const CHAR: u8 = 0xD5;
/// Starts the count behind it: nothing.
pub(super) const ENTER: u8 = 0xD6;
/// `X{m,n}` as a shift register, bit k for a thread that has seen k + 1: X, slot u8, m varint, n varint (0 for no bound).
pub(super) const COUNT_REGISTER: u8 = 0xD7;
/// The same, of the thread that has seen least.
pub(super) const COUNT_LEAST: u8 = 0xD8;
/// The same, of the thread that has seen most.
pub(super) const COUNT_MOST: u8 = 0xD9;
/// Four codes, with the high bits of the target in the lowest two bits: low byte of the target.
pub(super) const JUMP: u8 = 0xDC;
/// Goes on at the target as well as behind it. Encoded as `JUMP`.
pub(super) const SPLIT: u8 = 0xE0;
pub(super) const TEXT_START: u8 = 0xE4;
pub(super) const TEXT_END: u8 = 0xE5;
pub(super) const WORD_BOUNDARY: u8 = 0xE6;
pub(super) const NOT_WORD_BOUNDARY: u8 = 0xE7;
/// Look-around of one code point: X.
pub(super) const PEEK_AHEAD: u8 = 0xE8;
pub(super) const PEEK_AHEAD_NOT: u8 = 0xE9;
pub(super) const PEEK_BEHIND: u8 = 0xEA;
pub(super) const PEEK_BEHIND_NOT: u8 = 0xEB;
/// Look-around: index u8.
pub(super) const LOOK: u8 = 0xEC;
pub(super) const LOOK_NOT: u8 = 0xED;
/// The end of a look-around: index u8.
pub(super) const YIELD: u8 = 0xEE;
pub(super) const ACCEPT: u8 = 0xEF;
/// Accepts where there is nothing left to read.
pub(super) const ACCEPT_LAST: u8 = 0xF0;

/// The image, taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image<'p> {
    pub flags: u8,
    pub classes: u8,
    table: &'p [u8],
    looks: &'p [u8],
    pub code: &'p [u8],
}

impl<'p> Image<'p> {
    pub(super) fn parse(program: &'p [u8]) -> Option<Self> {
        let (&[flags, classes, low, high], rest) = program.split_first_chunk::<HEADER>()?;
        let (table, code) = rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        let mut image = Self { flags, classes, table, looks: &[], code };
        if flags & LOOKS != 0 {
            let (&count, rest) = image.code.split_first()?;
            (image.looks, image.code) = rest.split_at_checked(2 * usize::from(count) + 2)?;
        }
        Some(image)
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The next part, and whether it must not match. `rest` begins as the code of an image with [`PARTS`].
    pub(super) fn part(&self, rest: &mut &'p [u8]) -> Option<(Self, bool)> {
        let (&[flags, low, high], behind) = rest.split_first_chunk::<3>()?;
        let (code, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        *rest = behind;
        Some((Self { flags: flags & !NEGATED, code, ..*self }, flags & NEGATED != 0))
    }

    /// The encoded class of a code between `ANY_DIGIT` and `RUN_STAR`; empty if there is none.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn class(&self, code: u8) -> &'p [u8] {
        match code.checked_sub(CUSTOM) {
            // What follows the class does no harm: it tells its length.
            Some(index) => self.classes_from(index).unwrap_or_default(),
            None => class::well_known(code),
        }
    }

    /// The classes from number `index` on.
    #[inline]
    fn classes_from(&self, index: u8) -> Option<&'p [u8]> {
        let mut classes = self.table;
        for _ in 0..index.min(self.classes) {
            classes = classes.get(class::length(classes)?..)?;
        }
        Some(classes)
    }

    /// Whether there are as many classes as it says, and nothing else where they are.
    pub(super) fn holds_its_classes(&self) -> bool {
        let mut rest = self.table;
        for _ in 0..self.classes {
            let (class, behind) = rest.split_at_checked(class::length(rest).unwrap_or(0)).unwrap_or_default();
            if !class::is_bounded(class) {
                return false;
            }
            rest = behind;
        }
        rest.is_empty()
    }

    /// Whether a byte of code below `RUN_STAR` consumes `c`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn consumes(&self, code: u8, c: u32) -> bool {
        if code < 0x80 { c == u32::from(code) } else { class::contains(self.class(code), c) }
    }

    /// The number of look-arounds.
    pub(super) fn looks(&self) -> usize {
        (self.looks.len() / 2).saturating_sub(1)
    }

    /// Where look-around `index` starts, and whether it runs by itself when it is asked for. Behind the last: the pattern.
    pub(super) fn look(&self, index: usize) -> (usize, bool) {
        match self.looks.get(2 * index..).and_then(<[u8]>::first_chunk::<2>) {
            Some(&[low, high]) => (usize::from(high & 0x7F) << 8 | usize::from(low), high & 0x80 != 0),
            None => (0, false),
        }
    }

    /// Where the code of the pattern itself starts.
    pub(super) fn start(&self) -> usize {
        self.look(self.looks()).0
    }

    /// The target of the jump or split at `at`.
    #[inline]
    pub(super) fn target(&self, at: usize) -> usize {
        usize::from(self.byte(at) & 3) << 8 | usize::from(self.byte(at + 1))
    }

    /// A byte of code; behind the end, one that means nothing.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.code.get(at).copied().unwrap_or(0xFF)
    }

    /// The varint at `at`, and the position behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn varint(&self, mut at: usize) -> (u32, usize) {
        let (mut value, mut shift) = (0u32, 0u32);
        loop {
            let byte = self.byte(at);
            at += 1;
            value |= u32::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 || shift >= 35 {
                return (value, at);
            }
        }
    }

    /// The two varints at `at` as bounds, and the position behind them.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn bounds(&self, at: usize) -> (u32, u32, usize) {
        let (min, at) = self.varint(at);
        let (max, at) = self.varint(at);
        (min, if max == 0 { u32::MAX } else { max }, at)
    }
}
