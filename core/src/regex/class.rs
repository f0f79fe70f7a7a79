//! Sets of code points, encoded.
//!
//! ```text
//! kind u8: low half: number of ASCII ranges (15: a bitmap of 16 bytes instead); OTHER, CHANGES, BLOCKS
//! ASCII: low u8, high u8 of each range
//! with CHANGES: length of what follows u16, then varints: from U+0080 to where that changes, and from there to where it changes back, …
//! with BLOCKS: in front of each 64 changes how far they lead (u24; the last: 0xFFFFFF) and their length u8
//! ```
//! Code points above ASCII are in the set (OTHER) or not, up to the first change.

use super::error::{PatternErrorKind as Error, PatternLimit};
use super::parse::{ClassItem, Parser, Property};
use super::program::{ANY, ANY_DIGIT, ANY_SPACE, ANY_WORD, DOT, NOT_DIGIT, NOT_SPACE, NOT_WORD};
use crate::arena::{Arena, Full};
use crate::text::Text;

const BITMAP: u8 = 15;
const OTHER: u8 = 0x10;
const CHANGES: u8 = 0x20;
const BLOCKS: u8 = 0x40;
/// More ASCII ranges than this take more room than a bitmap.
const MAX_PAIRS: u8 = 8;
/// Changes of a block. An even number: behind it everything is as before.
const BLOCK: usize = 64;
const BLOCK_HEADER: usize = 4;
/// How far the last block leads.
const NO_END: u32 = 0xFF_FFFF;
/// Ranges of a pattern.
pub(super) const MAX_RANGES: usize = 1 << 15;
/// The first code point above ASCII, and the last.
const FIRST: u32 = 0x80;
pub(super) const LAST: u32 = 0x10_FFFF;

/// The classes with a code of their own.
pub(super) fn well_known(code: u8) -> &'static [u8] {
    match code {
        ANY_DIGIT => b"\x0109",
        NOT_DIGIT => b"\x12\0/:\x7F",
        ANY_WORD => b"\x0409AZ__az",
        NOT_WORD => b"\x15\0/:@[^``{\x7F",
        // All that is WhiteSpace or LineTerminator: U+00A0, U+1680, U+2000 to 200A, U+2028, 2029, U+202F, U+205F, U+3000, U+FEFF.
        ANY_SPACE => {
            b"\x22\x09\x0D  \x15\0\x20\x01\xDF\x2B\x01\xFF\x12\x0B\x1D\x02\x05\x01\x2F\x01\xA0\x1F\x01\xFE\x9D\x03\x01"
        }
        NOT_SPACE => {
            b"\x33\0\x08\x0E\x1F!\x7F\x15\0\x20\x01\xDF\x2B\x01\xFF\x12\x0B\x1D\x02\x05\x01\x2F\x01\xA0\x1F\x01\xFE\x9D\x03\x01"
        }
        // All but U+000A, U+000D, U+2028, U+2029.
        DOT => b"\x33\0\x09\x0B\x0C\x0E\x7F\x03\0\xA8\x3F\x02",
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
    let mut changes = Changes::of(kind, rest);
    let (mut found, mut left) = (kind & OTHER != 0, c - FIRST);
    loop {
        if let Some((span, behind)) = changes.block()
            && left >= span
        {
            left -= span;
            changes.bytes = behind;
            continue;
        }
        for _ in 0..BLOCK {
            match changes.gap().and_then(|gap| left.checked_sub(gap)) {
                Some(rest) => left = rest,
                None => break,
            }
            found = !found;
        }
        return found;
    }
}

/// Where the class changes.
struct Changes<'a> {
    bytes: &'a [u8],
    in_blocks: bool,
}

impl<'a> Changes<'a> {
    /// Of the class that begins with `kind`, and what is behind that.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn of(kind: u8, rest: &'a [u8]) -> Self {
        let start = ascii_len(kind) + 2;
        let end = start + changes_len(kind, rest);
        Self { bytes: rest.get(start..end).unwrap_or_default(), in_blocks: kind & BLOCKS != 0 }
    }

    /// Steps over the header of a block: how far that leads, and what is behind it. `None` where there are no blocks.
    fn block(&mut self) -> Option<(u32, &'a [u8])> {
        if !self.in_blocks {
            return None;
        }
        let (&[a, b, c, len], rest) = self.bytes.split_first_chunk::<BLOCK_HEADER>()?;
        self.bytes = rest;
        Some((u32::from_le_bytes([a, b, c, 0]), rest.get(usize::from(len)..).unwrap_or_default()))
    }

    /// How far it is to the next change.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn gap(&mut self) -> Option<u32> {
        let (mut value, mut shift) = (0u32, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u32::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 || shift > 28 {
                return Some(value);
            }
        }
    }
}

/// The bytes of its changes.
fn changes_len(kind: u8, rest: &[u8]) -> usize {
    match rest.get(ascii_len(kind)..).and_then(<[u8]>::first_chunk::<2>) {
        Some(&length) if kind & CHANGES != 0 => usize::from(u16::from_le_bytes(length)),
        _ => 0,
    }
}

/// The length of the class that `bytes` starts with; `None` if it is longer than they are.
#[inline]
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let (&kind, rest) = bytes.split_first()?;
    let mut length = 1 + ascii_len(kind);
    if kind & CHANGES != 0 {
        length += 2 + changes_len(kind, rest);
    }
    Some(length).filter(|&length| length <= bytes.len())
}

/// Whether a class is one that the compiler could have written, as far as that bounds the time to look something up: whatever its changes are,
/// there is a set that they mean.
pub(super) fn is_bounded(class: &[u8]) -> bool {
    let Some((&kind, rest)) = class.split_first() else {
        return false;
    };
    let mut changes = Changes::of(kind, rest);
    while changes.in_blocks {
        match changes.block() {
            // Each change takes a byte at least.
            Some((_, behind)) if behind.is_empty() || changes.bytes.len() >= BLOCK + behind.len() => {
                changes.bytes = behind;
            }
            Some(_) => return false,
            None => break,
        }
    }
    kind & 0x80 == 0
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
        self.other |= kind & (OTHER | CHANGES) != 0;
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

/// A class while it is read. Its ranges above ASCII lie at the arena's back, two words each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builder {
    ascii: Outline,
    base: usize,
    pub ranges: usize,
}

impl Builder {
    pub(super) fn new(arena: &Arena<'_>) -> Self {
        Self { ascii: Outline::NOTHING, base: arena.back(), ranges: 0 }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn add_range(&mut self, arena: &mut Arena<'_>, low: u32, high: u32) -> Result<(), Error> {
        self.ascii.add_ascii(low, high);
        if high >= FIRST {
            if self.ranges >= MAX_RANGES {
                return Err(Error::TooLarge(PatternLimit::Ranges));
            }
            arena.take(8)?;
            self.set(arena, self.ranges, [low.max(FIRST), high]);
            self.ranges += 1;
        }
        Ok(())
    }

    pub(super) fn add_class(&mut self, arena: &mut Arena<'_>, code: u8) -> Result<(), Error> {
        let class = well_known(code);
        self.ascii.add_class(class);
        let Some((&kind, rest)) = class.split_first() else {
            return Ok(());
        };
        let (mut changes, mut low, mut is_in) = (Changes::of(kind, rest), FIRST, kind & OTHER != 0);
        while let Some(gap) = changes.gap() {
            let end = low + gap;
            if is_in {
                self.add_range(arena, low, end - 1)?;
            }
            (low, is_in) = (end, !is_in);
        }
        if is_in { self.add_range(arena, low, LAST) } else { Ok(()) }
    }

    /// Adds a property: as the caller gave it, or from the tables.
    pub(super) fn add_property(
        &mut self,
        arena: &mut Arena<'_>,
        parser: &Parser<'_>,
        property: Property,
    ) -> Result<(), Error> {
        let id = property.id.ok_or(Error::UnicodeProperty)?;
        // What has been seen, where all else is meant.
        let mut seen = 0;
        let mut add = |low: u32, high: u32| {
            if !property.negated {
                return self.add_range(arena, low, high);
            }
            if low > seen {
                self.add_range(arena, seen, low - 1)?;
            }
            if low < seen {
                return Err(Error::UnicodeProperty);
            }
            seen = high + 1;
            Ok(())
        };
        match parser.properties.get(usize::from(id)) {
            Some(&(_, set)) => {
                let mut items = Parser::new(Text::json(set, false), false);
                while items.at < set.len() {
                    match items.class_item() {
                        Ok(ClassItem::Range(low, high)) => add(low, high)?,
                        _ => return Err(Error::UnicodeProperty),
                    }
                }
            }
            #[cfg(feature = "unicode")]
            None => super::unicode::each_range(id - parser.properties.len() as u16, &mut add)?,
            #[cfg(not(feature = "unicode"))]
            None => return Err(Error::UnicodeProperty),
        }
        if property.negated && seen <= LAST { self.add_range(arena, seen, LAST) } else { Ok(()) }
    }

    /// Appends the encoded class to the arena's front and gives back what lies at its back.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn finish(self, arena: &mut Arena<'_>, negated: bool) -> Result<(), Full> {
        let start = arena.len();
        let (mut pairs, mut end) = (0, 0);
        arena.push(0)?;
        loop {
            let low = self.ascii.next(end, !negated);
            if low >= FIRST {
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
        let kind = pairs | self.changes(arena, negated)?;
        arena.set(start, kind);
        arena.release(self.base);
        Ok(())
    }

    /// Appends what stands for the ranges; gives the flags.
    fn changes(&self, arena: &mut Arena<'_>, negated: bool) -> Result<u8, Full> {
        self.sort(arena);
        let start = arena.len();
        let mut kind = if negated { OTHER } else { 0 };
        let in_blocks = self.ranges > BLOCK / 2;
        // The last change, and in a block: where that begins, its first code point, and how many changes are left.
        let (mut at, mut block, mut from, mut left) = (FIRST, 0, FIRST, 0);
        let mut index = 0;
        while index < self.ranges {
            let [low, mut high] = self.get(arena, index);
            index += 1;
            while index < self.ranges {
                let [next, end] = self.get(arena, index);
                if next > high + 1 {
                    break;
                }
                high = high.max(end);
                index += 1;
            }
            for change in [low, high + 1] {
                if change == FIRST {
                    kind ^= OTHER;
                } else if change <= LAST {
                    if kind & CHANGES == 0 {
                        kind |= CHANGES;
                        arena.extend(&[0; 2])?;
                    }
                    if in_blocks && left == 0 {
                        end_block(arena, block, at - from);
                        (block, from, left) = (arena.len(), at, BLOCK);
                        kind |= BLOCKS;
                        arena.extend(&[0; BLOCK_HEADER])?;
                    }
                    left = left.wrapping_sub(1);
                    arena.push_varint(u64::from(change - at))?;
                    at = change;
                }
            }
        }
        if kind & CHANGES != 0 {
            end_block(arena, block, NO_END);
            // What is longer is refused with the table of classes.
            let len = arena.len() - start - 2;
            arena.set(start, len as u8);
            arena.set(start + 1, (len >> 8) as u8);
        }
        Ok(kind)
    }

    /// Orders the ranges by where they begin.
    // Shell's way, as it takes little code: nearly linear where they are in order, and never quadratic.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn sort(&self, arena: &mut Arena<'_>) {
        let mut stride = usize::MAX.checked_shr(self.ranges.leading_zeros()).unwrap_or(0) / 2;
        while stride > 0 {
            for index in stride..self.ranges {
                let range = self.get(arena, index);
                let mut to = index;
                while let Some(before) = to.checked_sub(stride) {
                    let other = self.get(arena, before);
                    if other <= range {
                        break;
                    }
                    self.set(arena, to, other);
                    to = before;
                }
                self.set(arena, to, range);
            }
            stride /= 2;
        }
    }

    fn get(&self, arena: &Arena<'_>, index: usize) -> [u32; 2] {
        let at = self.at(index);
        [arena.word(at), arena.word(at + 4)]
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn set(&self, arena: &mut Arena<'_>, index: usize, [low, high]: [u32; 2]) {
        let at = self.at(index);
        arena.set_word(at, low);
        arena.set_word(at + 4, high);
    }

    fn at(&self, index: usize) -> usize {
        self.base.saturating_sub(8 * (index + 1))
    }
}

/// Tells the header of the block at `at`, if there is one, how far the block leads.
fn end_block(arena: &mut Arena<'_>, at: usize, span: u32) {
    if at > 0 {
        let len = arena.len() - at - BLOCK_HEADER;
        arena.set_word(at, span | (len as u32) << 24);
    }
}

fn ascii_len(kind: u8) -> usize {
    if kind & 15 == BITMAP { 16 } else { 2 * usize::from(kind & 15) }
}
