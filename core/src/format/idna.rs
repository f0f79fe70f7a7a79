//! What IDNA asks of a label beyond its spelling (RFC 5891, section 4.2; RFC 5892; RFC 5893), from about five
//! kilobytes of tables.
//!
//! Labels have at most 63 code points, so the rules that look around do so as often as they like.

use super::host::LABEL;
use super::idna_table::{BLOCKS, CLASSES, COMPOSITES, GREEK, HEBREW, KANA_AND_HAN, RUNS, SECONDS, SHORT};

/// Whether `codes` may be a U-label, or the lower-case form of an ASCII label; notes in `direction` what the other
/// labels must know.
pub(super) fn check(codes: &[u32], direction: &mut Direction) -> bool {
    let mut classes = [0; LABEL];
    for (class, &code) in classes.iter_mut().zip(codes) {
        match lookup(code) {
            Some(found) => *class = found,
            None => return false,
        }
    }
    let Some(classes) = classes.get(..codes.len()) else { return false };
    direction.note(classes);
    classes.first().is_some_and(|&class| flags(class) & MARK == 0)
        && codes.iter().enumerate().all(|(place, &code)| context(code, place, codes, classes))
        && is_nfc(codes, classes)
}

/// What the labels read so far say about the direction of the whole name (RFC 5893).
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Direction {
    /// Some label holds a code point that runs from right to left: this is a Bidi domain name.
    bidi: bool,
    /// Some label breaks the Bidi rule, which only a Bidi domain name has to keep.
    broken: bool,
}

impl Direction {
    /// The verdict once all labels are noted.
    pub(super) fn is_consistent(self) -> bool {
        !(self.bidi && self.broken)
    }

    /// The Bidi rule, section 2. Whatever it excludes by class and is not listed here, RFC 5892 has excluded before.
    fn note(&mut self, classes: &[u8]) {
        let directions = classes.iter().map(|&class| flags(class) & DIRECTION);
        let mut seen = 0u8;
        let mut last = NONSPACING;
        for direction in directions.clone() {
            seen |= 1 << direction;
            if direction != NONSPACING {
                last = direction;
            }
        }
        let has = |direction: u8| seen & 1 << direction != 0;
        self.bidi |= has(RIGHT) || has(ARABIC_NUMBER);
        self.broken |= match directions.clone().next() {
            Some(RIGHT) => {
                has(LEFT)
                    || !matches!(last, RIGHT | ARABIC_NUMBER | EUROPEAN_NUMBER)
                    || has(ARABIC_NUMBER) && has(EUROPEAN_NUMBER)
            }
            Some(LEFT) => has(RIGHT) || has(ARABIC_NUMBER) || !matches!(last, LEFT | EUROPEAN_NUMBER),
            _ => true,
        };
    }
}

/// Flags of a class: its direction …
const DIRECTION: u8 = 7;
const LEFT: u8 = 0;
const RIGHT: u8 = 1;
const ARABIC_NUMBER: u8 = 2;
const EUROPEAN_NUMBER: u8 = 3;
const NONSPACING: u8 = 4;
/// … its `Joining_Type` …
const JOINING: u8 = 7 << 3;
const LEFT_JOINING: u8 = 1 << 3;
const RIGHT_JOINING: u8 = 2 << 3;
const DUAL_JOINING: u8 = 3 << 3;
const TRANSPARENT: u8 = 4 << 3;
/// … and whether its `General_Category` is Mark.
const MARK: u8 = 1 << 6;

const VIRAMA: u8 = 9;

fn flags(class: u8) -> u8 {
    CLASSES.get(usize::from(class)).map_or(0, |class| class.0)
}

/// `Canonical_Combining_Class`
fn combining(class: u8) -> u8 {
    CLASSES.get(usize::from(class)).map_or(0, |class| class.1)
}

/// The class of a code point that is PVALID, CONTEXTJ or CONTEXTO.
fn lookup(code: u32) -> Option<u8> {
    let block = BLOCKS.partition_point(|&(first, _)| first <= code).checked_sub(1)?;
    let &(mut at, offset) = BLOCKS.get(block)?;
    let mut bytes = RUNS.get(usize::from(offset)..)?.iter();
    loop {
        let &head = bytes.next()?;
        let class = match SHORT.get(usize::from(head >> 4)) {
            Some(&class) => class,
            None => *bytes.next()?,
        };
        at += extended(u32::from(head >> 2 & 3), &mut bytes)?;
        let more = extended(u32::from(head & 3), &mut bytes)?;
        if code < at {
            return None;
        }
        // The top bit stands for every other code point: the alternation of upper and lower case.
        let step = u32::from(class >> 7);
        let last = at + (more << step);
        if code <= last {
            return if (code - at) & step == 0 { Some(class & 0x7F) } else { None };
        }
        at = last + 1;
    }
}

type Bytes = core::slice::Iter<'static, u8>;

/// A field of two bits, which continues as a variable-length integer when all are set.
fn extended(field: u32, bytes: &mut Bytes) -> Option<u32> {
    if field < 3 { Some(field) } else { Some(3 + varint(bytes)?) }
}

fn varint(bytes: &mut Bytes) -> Option<u32> {
    let mut value = 0;
    let mut shift = 0u32;
    loop {
        let &byte = bytes.next()?;
        value |= u32::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

/// The contextual rules of RFC 5892, appendix A.
fn context(code: u32, place: usize, codes: &[u32], classes: &[u8]) -> bool {
    let before = place.checked_sub(1);
    let code_before = before.and_then(|at| codes.get(at)).copied();
    let code_after = codes.get(place + 1).copied();
    match code {
        // Zero width joiner and non-joiner.
        0x200C | 0x200D => {
            let class_before = before.and_then(|at| classes.get(at));
            class_before.is_some_and(|&class| combining(class) == VIRAMA) || code == 0x200C && joins(place, classes)
        }
        // Middle dot.
        0xB7 => code_before == Some(u32::from(b'l')) && code_after == Some(u32::from(b'l')),
        // Greek keraia.
        0x375 => is_in(&GREEK, code_after),
        // Hebrew geresh and gershayim.
        0x5F3 | 0x5F4 => is_in(&HEBREW, code_before),
        // Katakana middle dot.
        0x30FB => codes.iter().any(|&code| is_in(&KANA_AND_HAN, Some(code))),
        // Arabic-Indic digits and extended ones do not mix.
        0x660..=0x669 => !codes.iter().any(|code| (0x6F0..=0x6F9).contains(code)),
        0x6F0..=0x6F9 => !codes.iter().any(|code| (0x660..=0x669).contains(code)),
        _ => true,
    }
}

/// Whether the non-joiner at `place` breaks a cursive connection.
fn joins(place: usize, classes: &[u8]) -> bool {
    let kind = |&class: &u8| Some(flags(class) & JOINING).filter(|&kind| kind != TRANSPARENT);
    let before = classes.iter().take(place).rev().find_map(kind);
    let after = classes.iter().skip(place + 1).find_map(kind);
    matches!(before, Some(LEFT_JOINING | DUAL_JOINING)) && matches!(after, Some(RIGHT_JOINING | DUAL_JOINING))
}

fn is_in(ranges: &[(u32, u32)], code: Option<u32>) -> bool {
    code.is_some_and(|code| ranges.iter().any(|&(first, last)| (first..=last).contains(&code)))
}

/// Whether normalisation form C leaves the label as it is.
///
/// No valid code point changes alone, so what can change is the order of marks, and a code point that composes with
/// the starter before it: a mark with what is left of that starter when the marks that sort behind it are taken off
/// again, another starter by the first code point that it is composed of.
fn is_nfc(codes: &[u32], classes: &[u8]) -> bool {
    let mut starter = None;
    let mut previous = 0;
    for (&code, &class) in codes.iter().zip(classes) {
        let rank = combining(class);
        if rank != 0 && rank < previous {
            return false;
        }
        let blocked = previous != 0 && previous >= rank;
        if let Some(mut base) = starter
            && !blocked
            && SECONDS.contains(&code)
        {
            let mut added = code;
            if rank == 0 {
                while let Some((first, _)) = parts(added) {
                    added = first;
                }
            } else {
                while let Some((first, second)) = parts(base)
                    && lookup(second).map_or(0, combining) > rank
                {
                    base = first;
                }
            }
            if Composites::new().any(|(_, first, second)| first == base && second == added) {
                return false;
            }
        }
        if rank == 0 {
            starter = Some(code);
        }
        previous = rank;
    }
    true
}

/// What a primary composite is composed of.
fn parts(code: u32) -> Option<(u32, u32)> {
    Composites::new().find(|parts| parts.0 == code).map(|(_, first, second)| (first, second))
}

/// The primary composites, each with the two code points that it is composed of.
struct Composites {
    bytes: Bytes,
    composite: u32,
    first: u32,
}

impl Composites {
    fn new() -> Self {
        Self { bytes: COMPOSITES.iter(), composite: 0, first: 0 }
    }
}

impl Iterator for Composites {
    type Item = (u32, u32, u32);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        self.composite = self.composite.wrapping_add(varint(&mut self.bytes)?);
        let change = varint(&mut self.bytes)?;
        // The lowest bit is the sign.
        self.first = match change & 1 {
            0 => self.first.wrapping_add(change >> 1),
            _ => self.first.wrapping_sub(change >> 1),
        };
        let second = *SECONDS.get(usize::from(*self.bytes.next()?))?;
        Some((self.composite, self.first, second))
    }
}

#[cfg(test)]
mod tests {
    use super::super::idna_table::FINGERPRINT;
    use super::{Composites, Direction, check, combining, flags, lookup};
    use std::vec::Vec;

    #[test]
    fn the_tables_unpack_to_what_was_packed() {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut add = |value: u32| hash = (hash ^ u64::from(value)).wrapping_mul(0x100_0000_01B3);
        for code in 0..0x11_0000 {
            if let Some(class) = lookup(code) {
                add(code);
                add(u32::from(flags(class)));
                add(u32::from(combining(class)));
            }
        }
        for (composite, first, second) in Composites::new() {
            add(composite);
            add(first);
            add(second);
        }
        assert_eq!(hash, FINGERPRINT);
    }

    fn allows(text: &str) -> bool {
        let codes: Vec<u32> = text.chars().map(u32::from).collect();
        let mut direction = Direction::default();
        check(&codes, &mut direction) && direction.is_consistent()
    }

    #[test]
    fn only_normal_form_c() {
        for text in ["bücher", "ế", "q\u{323}\u{302}", "a\u{338}", "ṩ", "কো", "が", "u\u{16121}\u{16121}"] {
            assert!(allows(text), "{text}");
        }
        for text in [
            // A starter and its mark; a composite and one more.
            "u\u{308}",
            "e\u{302}\u{301}",
            "ê\u{301}",
            // The mark sorts before the one inside the composite.
            "ê\u{323}",
            "ṡ\u{323}",
            // Marks out of order.
            "q\u{302}\u{323}",
            // A vowel sign that is no mark by class.
            "ক\u{9C7}\u{9BE}",
            "か\u{3099}",
            // The second vowel sign begins with one that joins the first.
            "u\u{1611E}\u{16121}",
        ] {
            assert!(!allows(text), "{text}");
        }
        // The mark is blocked by one of its own class.
        assert!(allows("q\u{302}\u{301}"));
        assert!(allows("u\u{30D}\u{308}"));
    }
}
