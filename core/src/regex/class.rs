//! Sets of code points, encoded.
//!
//! ```text
//! kind u8: low half: number of ASCII ranges (15: a bitmap of 16 bytes instead); NEGATED, RANGES, PROPERTIES
//! ASCII: low u8, high u8 of each range
//! with RANGES: count u8, then varint low, varint (high - low)
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
const MAX_RANGES: u8 = 255;
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
        DOT => b"\x33\0\x09\x0B\x0C\x0E\x7F\x01\xA8\x40\x01",
        ANY => b"\x11\0\x7F",
        _ => b"\0",
    }
}

/// Whether `c` is in an encoded class.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
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
    for &[low, high] in pairs(kind, rest) {
        if c <= high {
            return c >= low;
        }
    }
    false
}

/// The ASCII ranges of a class that is no bitmap.
#[inline]
fn pairs(kind: u8, rest: &[u8]) -> &[[u8; 2]] {
    rest.get(..2 * usize::from(kind & 15)).unwrap_or_default().as_chunks().0
}

const BYTES: usize = size_of::<usize>();
/// The lowest and the highest bit of each byte of a word.
const ONES: usize = usize::MAX / 0xFF;
const TOPS: usize = ONES << 7;

/// How many bytes at the start of `text`, but no more than `max`, are ASCII characters of an encoded class; or, if not
/// `within`, ASCII characters outside of it. `escaped`: a backslash stands for something else.
pub(super) fn ascii_run(class: &[u8], text: &[u8], max: usize, escaped: bool, within: bool) -> usize {
    let Some((&kind, rest)) = class.split_first() else {
        return 0;
    };
    let text = text.get(..max).unwrap_or(text);
    if kind & 15 == BITMAP {
        let ends = |&c: &u8| c >= 0x80 || contains_ascii(kind, rest, c) != within || (escaped && c == b'\\');
        return text.iter().position(ends).unwrap_or(text.len());
    }
    let pairs = pairs(kind, rest);
    let mut left = text;
    while !left.is_empty() {
        // A word at a time, and without branches: the text is what no predictor has seen before.
        let (word, next) = match left.split_first_chunk() {
            Some((&bytes, next)) => (usize::from_le_bytes(bytes), next),
            None => (word_of(left), &[][..]),
        };
        // The top bits of the bytes that are in a range, and then of those that end the run.
        let mut found = 0;
        for &[low, high] in pairs {
            let above = (word | TOPS).wrapping_sub(ONES * usize::from(low));
            let below = (TOPS | (ONES * usize::from(high))).wrapping_sub(word & !TOPS);
            found |= above & below;
        }
        let mut ends = if within { !found } else { found } | word;
        if escaped {
            // A byte less one borrows where it is zero; the first one found is never wrong.
            let other = word ^ (ONES * usize::from(b'\\'));
            ends |= other.wrapping_sub(ONES) & !other;
        }
        ends &= TOPS;
        if ends != 0 {
            let run = text.len() - left.len() + (ends.trailing_zeros() / 8) as usize;
            return run.min(text.len());
        }
        left = next;
    }
    text.len()
}

/// Less bytes than a word has.
#[inline]
fn word_of(bytes: &[u8]) -> usize {
    let last = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &c| word << 8 | usize::from(c));
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two overlap in bytes that are the same.
        (Some(first), Some(other)) if BYTES > 4 => {
            (u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*other)) << (8 * (bytes.len() - 4) % 64)) as usize
        }
        _ => last(bytes),
    }
}

#[inline(never)]
fn contains_other(kind: u8, rest: &[u8], c: u32) -> bool {
    let mut reader = Reader { bytes: rest.get(ascii_len(kind)..).unwrap_or_default() };
    let mut found = false;
    if kind & RANGES != 0 {
        for _ in 0..reader.byte() {
            let low = reader.varint();
            found |= c.wrapping_sub(low) <= reader.varint();
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

/// The length of the class that `bytes` starts with; `None` if it is not well-formed.
#[inline]
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    match bytes.first() {
        Some(&kind) if kind & (RANGES | PROPERTIES | 0x80) == 0 => {
            Some(1 + ascii_len(kind)).filter(|&length| length <= bytes.len())
        }
        _ => length_of_other(bytes),
    }
}

#[inline(never)]
fn length_of_other(bytes: &[u8]) -> Option<usize> {
    let (&kind, rest) = bytes.split_first()?;
    let mut reader = Reader { bytes: rest.get(ascii_len(kind)..)? };
    if kind & 0x80 != 0 {
        return None;
    }
    if kind & RANGES != 0 {
        for _ in 0..reader.byte() {
            let low = reader.checked_varint()?;
            low.checked_add(reader.checked_varint()?).filter(|&high| high <= LAST)?;
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

    /// Adds ASCII characters.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn add_ascii(&mut self, low: u32, high: u32) {
        for (word, start) in self.ascii.iter_mut().zip([0, 32, 64, 96]) {
            let (low, high) = (low.max(start), high.min(start + 31));
            if low <= high {
                *word |= u32::MAX >> (31 - (high - low)) << (low - start);
            }
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn add_class(&mut self, class: &[u8]) {
        let Some((&kind, rest)) = class.split_first() else {
            return;
        };
        if kind & 15 == BITMAP {
            let (words, _) = rest.as_chunks::<4>();
            self.ascii.iter_mut().zip(words).for_each(|(word, bits)| *word |= u32::from_le_bytes(*bits));
        } else {
            for &[low, high] in rest.as_chunks::<2>().0.iter().take(usize::from(kind & 15)) {
                self.add_ascii(low.into(), high.into());
            }
        }
        self.other |= kind & (NEGATED | RANGES | PROPERTIES) != 0;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.ascii.iter_mut().zip(other.ascii).for_each(|(a, b)| *a |= b);
        self.other |= other.other;
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn meets(&self, other: &Self) -> bool {
        (self.other && other.other) || self.ascii.iter().zip(other.ascii).any(|(a, b)| a & b != 0)
    }

    /// Whether all of it is in the other, as far as can be told: what is above ASCII cannot.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        !self.other && self.ascii.iter().zip(other.ascii).all(|(a, b)| a & !b == 0)
    }

    /// The first ASCII character from `from` on that is in it, or is not; 0x80 when there is none.
    #[inline(never)]
    fn next(&self, from: u32, is_in: bool) -> u32 {
        let mut from = from;
        while let Some(&word) = self.ascii.get((from >> 5) as usize) {
            let word = if is_in { word } else { !word } >> (from & 31);
            if word != 0 {
                return from + word.trailing_zeros();
            }
            from = (from | 31) + 1;
        }
        0x80
    }
}

/// A class while it is read. What it holds above ASCII lies at the arena's back, two words each: a range, or
/// [`IS_PROPERTY`] and a property.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builder {
    ascii: Outline,
    /// Whether everything above ASCII is in.
    everything: bool,
    base: usize,
    ranges: u8,
    properties: u8,
}

const IS_PROPERTY: u32 = u32::MAX;

impl Builder {
    pub(super) fn new(arena: &Arena<'_>) -> Self {
        Self { ascii: Outline::NOTHING, everything: false, base: arena.back(), ranges: 0, properties: 0 }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn add_range(&mut self, arena: &mut Arena<'_>, low: u32, high: u32) -> Result<(), Error> {
        self.ascii.add_ascii(low, high);
        if low <= 0x80 && high == LAST {
            self.everything = true;
        } else if high >= 0x80 {
            self.record(arena, low.max(0x80), high)?;
            self.ranges += 1;
        }
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
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn finish(self, arena: &mut Arena<'_>, negated: bool) -> Result<(), Full> {
        let start = arena.len();
        let (mut pairs, mut end) = (0, 0);
        arena.push(0)?;
        loop {
            let low = self.ascii.next(end, !negated);
            if low >= 0x80 {
                break;
            }
            end = self.ascii.next(low, negated);
            pairs += 1;
            arena.extend(&[low as u8, end.wrapping_sub(1) as u8])?;
        }
        if pairs > MAX_PAIRS {
            arena.truncate(start + 1);
            pairs = BITMAP;
            for word in self.ascii.ascii {
                arena.extend(&(if negated { !word } else { word }).to_le_bytes())?;
            }
        }
        let mut kind = pairs;
        if negated != self.everything {
            kind |= NEGATED;
        }
        if !self.everything {
            // A pass over the records for each of the two.
            for (flag, count) in [(RANGES, self.ranges), (PROPERTIES, self.properties)] {
                if count == 0 {
                    continue;
                }
                kind |= flag;
                arena.push(count)?;
                let mut at = self.base;
                for _ in 0..self.ranges + self.properties {
                    at -= 8;
                    let (low, high) = (arena.word(at), arena.word(at + 4));
                    if (low == IS_PROPERTY) == (flag == PROPERTIES) {
                        if flag == RANGES {
                            arena.push_varint(u64::from(low))?;
                        }
                        arena.push_varint(u64::from(high))?;
                    }
                }
            }
        }
        arena.set(start, kind);
        arena.release(self.base);
        Ok(())
    }

    fn push_property(&mut self, arena: &mut Arena<'_>, id: u16, negated: bool) -> Result<(), Error> {
        self.record(arena, IS_PROPERTY, u32::from(id) << 1 | u32::from(negated))?;
        self.properties += 1;
        Ok(())
    }

    /// Keeps a range as its start and its length, less one.
    fn record(&self, arena: &mut Arena<'_>, low: u32, high: u32) -> Result<(), Error> {
        if self.ranges + self.properties == MAX_RANGES {
            return Err(Error::TooLarge(PatternLimit::Ranges));
        }
        let at = arena.reserve(8)?;
        arena.set_word(at, low);
        arena.set_word(at + 4, if low == IS_PROPERTY { high } else { high - low });
        Ok(())
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

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
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

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn checked_varint(&mut self) -> Option<u32> {
        if self.bytes.is_empty() { None } else { Some(self.varint()) }
    }
}
