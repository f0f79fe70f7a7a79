//! Sets of code points, encoded.
//!
//! ```text
//! kind u8: low half: number of ASCII ranges (15: a bitmap of 16 bytes instead); NEGATED, RANGES, PROPERTIES
//! ASCII: low u8, high u8 of each range
//! with RANGES: count varint, then varint (low - end of the one before, at first 0x80), varint (high - low)
//! with PROPERTIES: count u8, then varint (identifier << 1 | negated)
//! ```
//! A code point above ASCII is in the set if it is in a range or has a property; NEGATED turns that round.

use super::error::{PatternErrorKind as Error, PatternLimit};
use super::parse::Property;
use super::program::{ANY, ANY_DIGIT, ANY_SPACE, ANY_WORD, DOT, NOT_DIGIT, NOT_SPACE, NOT_WORD};
use crate::arena::{Arena, Full};

const BITMAP: u8 = 15;
const NEGATED: u8 = 0x10;
const RANGES: u8 = 0x20;
const PROPERTIES: u8 = 0x40;
/// More ASCII ranges than this take more room than a bitmap.
const MAX_PAIRS: u8 = 8;
const MAX_RANGES: usize = 256;
const LAST: u32 = 0x10_FFFF;
/// The property of ECMA-262's WhiteSpace and LineTerminator.
const SPACE: u16 = 0;

/// The classes with a code of their own.
pub(super) fn well_known(code: u8) -> &'static [u8] {
    match code {
        ANY_DIGIT => b"\x0109",
        NOT_DIGIT => b"\x12\0/:\x7F",
        ANY_WORD => b"\x0409AZ__az",
        NOT_WORD => b"\x15\0/:@[^``{\x7F",
        ANY_SPACE => b"\x42\x09\x0D  \x01\0",
        NOT_SPACE => b"\x53\0\x08\x0E\x1F!\x7F\x01\0",
        // All but U+000A, U+000D, U+2028, U+2029.
        DOT => b"\x33\0\x09\x0B\x0C\x0E\x7F\x01\xA8\x3F\x01",
        ANY => b"\x11\0\x7F",
        _ => b"\0",
    }
}

/// Whether `c` is in an encoded class.
#[inline]
pub(super) fn contains(class: &[u8], c: u32) -> bool {
    let Some((&kind, rest)) = class.split_first() else {
        return false;
    };
    if c < 0x80 { contains_ascii(kind, rest, c as u8) } else { contains_other(kind, rest, c) }
}

#[inline]
fn contains_ascii(kind: u8, rest: &[u8], c: u8) -> bool {
    let count = kind & 15;
    if count == BITMAP {
        return rest.get(usize::from(c >> 3)).is_some_and(|bits| bits >> (c & 7) & 1 != 0);
    }
    let (pairs, _) = rest.as_chunks::<2>();
    for &[low, high] in pairs.iter().take(usize::from(count)) {
        if c <= high {
            return c >= low;
        }
    }
    false
}

/// How many bytes at the start of `text` are ASCII characters of an encoded class. `escaped`: a backslash stands for
/// something else.
pub(super) fn ascii_run(class: &[u8], text: &[u8], escaped: bool) -> usize {
    let Some((&kind, rest)) = class.split_first() else {
        return 0;
    };
    let (pairs, _) = rest.as_chunks::<2>();
    let pairs = pairs.get(..usize::from(kind & 15)).unwrap_or_default();
    let outside = if kind & 15 == BITMAP || escaped {
        text.iter().position(|&c| !contains_ascii(kind, rest, c) || (escaped && c == b'\\'))
    } else {
        // Without branches: the text is what no predictor has seen before.
        let within = |c: u8, &[low, high]: &[u8; 2]| c.wrapping_sub(low) <= high.wrapping_sub(low);
        text.iter().position(|&c| !pairs.iter().fold(false, |found, pair| found | within(c, pair)))
    };
    outside.unwrap_or(text.len())
}

#[inline(never)]
fn contains_other(kind: u8, rest: &[u8], c: u32) -> bool {
    let mut reader = Reader { bytes: rest.get(ascii_len(kind)..).unwrap_or_default() };
    let mut found = false;
    if kind & RANGES != 0 {
        let mut end = 0x80;
        for _ in 0..reader.varint() {
            if reader.bytes.is_empty() {
                break;
            }
            let low = reader.varint().saturating_add(end);
            end = reader.varint().saturating_add(low);
            found |= c >= low && c <= end;
        }
    }
    if kind & PROPERTIES != 0 && !found {
        for _ in 0..reader.byte() {
            let property = reader.varint();
            found |= has_property((property >> 1) as u16, c) != (property & 1 != 0);
        }
    }
    found != (kind & NEGATED != 0)
}

/// Whether the class is encoded as it should be, to its last byte.
pub(super) fn verify(class: &[u8]) -> bool {
    length(class) == Some(class.len())
}

/// The length of the class that `bytes` starts with; `None` if it is not well-formed.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let (&kind, rest) = bytes.split_first()?;
    let mut reader = Reader { bytes: rest.get(ascii_len(kind)..)? };
    if kind & 0x80 != 0 {
        return None;
    }
    if kind & RANGES != 0 {
        let mut end = 0x80u32;
        for _ in 0..reader.varint() {
            let low = reader.checked_varint()?.checked_add(end)?;
            end = reader.checked_varint()?.checked_add(low).filter(|&end| end <= LAST)?;
        }
    }
    if kind & PROPERTIES != 0 {
        for _ in 0..reader.byte() {
            property_exists(reader.checked_varint()? >> 1).then_some(())?;
        }
    }
    Some(bytes.len() - reader.bytes.len())
}

/// What can be told of a class without its code points: enough to see that two have none in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    /// A bit for each ASCII character.
    ascii: [u32; 4],
    /// Whether there may be code points above ASCII.
    other: bool,
}

impl Outline {
    pub(super) const NOTHING: Self = Self { ascii: [0; 4], other: false };
    pub(super) const EVERYTHING: Self = Self { ascii: [u32::MAX; 4], other: true };

    pub(super) fn add_char(&mut self, c: u32) {
        match self.ascii.get_mut((c >> 5) as usize) {
            Some(word) => *word |= 1 << (c & 31),
            None => self.other = true,
        }
    }

    pub(super) fn add_class(&mut self, class: &[u8]) {
        for c in 0..0x80 {
            if contains(class, c) {
                self.add_char(c);
            }
        }
        self.other |= class.first().is_some_and(|kind| kind & (NEGATED | RANGES | PROPERTIES) != 0);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.ascii.iter_mut().zip(other.ascii).for_each(|(a, b)| *a |= b);
        self.other |= other.other;
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        (self.other && other.other) || self.ascii.iter().zip(other.ascii).any(|(a, b)| a & b != 0)
    }

    #[inline(never)]
    fn has(&self, c: u32) -> bool {
        self.ascii.get((c >> 5) as usize).is_some_and(|word| word >> (c & 31) & 1 != 0)
    }
}

/// A class while it is read. Ranges above ASCII, in order, and then properties lie at the arena's back, two words each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builder {
    ascii: Outline,
    base: usize,
    ranges: usize,
    properties: usize,
}

impl Builder {
    pub(super) fn new(arena: &Arena<'_>) -> Self {
        Self { ascii: Outline::NOTHING, base: arena.back(), ranges: 0, properties: 0 }
    }

    pub(super) fn add_range(&mut self, arena: &mut Arena<'_>, low: u32, high: u32) -> Result<(), Error> {
        for c in low..=high.min(0x7F) {
            self.ascii.add_char(c);
        }
        if high < 0x80 {
            return Ok(());
        }
        let low = low.max(0x80);
        let mut slot = self.slot(arena)?;
        // Keep the ranges in order, before the properties (whose first word is larger than any code point).
        for _ in 0..self.ranges + self.properties {
            let before = slot + 8;
            if arena.word(before) <= low {
                break;
            }
            let (low, high) = (arena.word(before), arena.word(before + 4));
            arena.set_word(slot, low);
            arena.set_word(slot + 4, high);
            slot = before;
        }
        arena.set_word(slot, low);
        arena.set_word(slot + 4, high);
        self.ranges += 1;
        Ok(())
    }

    pub(super) fn add_class(&mut self, arena: &mut Arena<'_>, code: u8) -> Result<(), Error> {
        let class = well_known(code);
        self.ascii.add_class(class);
        match code {
            NOT_DIGIT | NOT_WORD => self.add_range(arena, 0x80, LAST),
            ANY_SPACE | NOT_SPACE => self.push_property(arena, SPACE, code == NOT_SPACE),
            _ => Ok(()),
        }
    }

    #[cfg(not(feature = "unicode"))]
    pub(super) fn add_property(&mut self, _: &mut Arena<'_>, _: Property) -> Result<(), Error> {
        Err(Error::UnicodeProperty)
    }

    #[cfg(feature = "unicode")]
    pub(super) fn add_property(&mut self, arena: &mut Arena<'_>, property: Property) -> Result<(), Error> {
        let id = property.id.ok_or(Error::UnicodeProperty)?;
        for c in 0..0x80 {
            if has_property(id, c) != property.negated {
                self.ascii.add_char(c);
            }
        }
        self.push_property(arena, id, property.negated)
    }

    /// Appends the encoded class to the arena's front and gives back what lies at its back.
    pub(super) fn finish(self, arena: &mut Arena<'_>, negated: bool) -> Result<(), Full> {
        let start = arena.len();
        let (mut pairs, mut inside) = (0, false);
        arena.push(0)?;
        for c in 0..=0x80 {
            // The start and the end of each range.
            let has = c < 0x80 && self.ascii.has(c) != negated;
            if has != inside {
                inside = has;
                pairs += u8::from(has);
                arena.push((c - u32::from(!has)) as u8)?;
            }
        }
        if pairs > MAX_PAIRS {
            arena.truncate(start + 1);
            pairs = BITMAP;
            for word in self.ascii.ascii {
                arena.extend(&(if negated { !word } else { word }).to_le_bytes())?;
            }
        }
        let (ranges, everything) = self.merged(arena, false)?;
        let properties = if everything { 0 } else { self.properties };
        let mut kind = pairs;
        if negated != everything {
            kind |= NEGATED;
        }
        if ranges > 0 && !everything {
            kind |= RANGES;
        }
        if properties > 0 {
            kind |= PROPERTIES;
        }
        arena.set(start, kind);
        if kind & RANGES != 0 {
            arena.push_varint(ranges as u64)?;
            self.merged(arena, true)?;
        }
        if properties > 0 {
            arena.push(properties as u8)?;
            for index in self.ranges..self.ranges + self.properties {
                arena.push_varint(u64::from(arena.word(self.record(index) + 4)))?;
            }
        }
        arena.release(self.base);
        Ok(())
    }

    /// Counts the ranges, those that touch as one, and encodes them if asked to. Also whether they are everything.
    fn merged(&self, arena: &mut Arena<'_>, encode: bool) -> Result<(usize, bool), Full> {
        let (mut count, mut end, mut index, mut everything) = (0, 0x80, 0, false);
        while index < self.ranges {
            let low = arena.word(self.record(index));
            let mut high = arena.word(self.record(index) + 4);
            index += 1;
            while index < self.ranges && arena.word(self.record(index)) <= high.saturating_add(1) {
                high = high.max(arena.word(self.record(index) + 4));
                index += 1;
            }
            if encode {
                arena.push_varint(u64::from(low - end))?;
                arena.push_varint(u64::from(high - low))?;
            }
            everything = low == 0x80 && high == LAST;
            end = high;
            count += 1;
        }
        Ok((count, everything))
    }

    fn push_property(&mut self, arena: &mut Arena<'_>, id: u16, negated: bool) -> Result<(), Error> {
        let slot = self.slot(arena)?;
        arena.set_word(slot, u32::MAX);
        arena.set_word(slot + 4, u32::from(id) << 1 | u32::from(negated));
        self.properties += 1;
        Ok(())
    }

    fn slot(&self, arena: &mut Arena<'_>) -> Result<usize, Error> {
        if self.ranges + self.properties >= MAX_RANGES - 1 {
            return Err(Error::TooLarge(PatternLimit::Ranges));
        }
        Ok(arena.reserve(8)?)
    }

    fn record(&self, index: usize) -> usize {
        self.base.saturating_sub(8 * (index + 1))
    }
}

fn ascii_len(kind: u8) -> usize {
    if kind & 15 == BITMAP { 16 } else { 2 * usize::from(kind & 15) }
}

fn has_property(id: u16, c: u32) -> bool {
    if id == SPACE {
        return matches!(c, 9..=13 | 32 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF);
    }
    #[cfg(feature = "unicode")]
    return super::unicode::contains(id, c);
    #[cfg(not(feature = "unicode"))]
    false
}

fn property_exists(id: u32) -> bool {
    #[cfg(feature = "unicode")]
    return id < u32::from(super::unicode::COUNT);
    #[cfg(not(feature = "unicode"))]
    return id == u32::from(SPACE);
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte
            }
            None => 0,
        }
    }

    fn varint(&mut self) -> u32 {
        let (mut value, mut shift) = (0u32, 0);
        loop {
            let byte = self.byte();
            value |= u32::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 || shift >= 35 {
                return value;
            }
        }
    }

    fn checked_varint(&mut self) -> Option<u32> {
        if self.bytes.is_empty() { None } else { Some(self.varint()) }
    }
}
