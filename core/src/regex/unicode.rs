//! The properties of `\p{…}`, from tables of 16 KiB (Unicode 17): General_Category, Script, Script_Extensions and the
//! binary properties of ECMA-262.
//!
//! `tests/tools/unicode-tables.mjs` writes `unicode.bin`: offsets of nine sections (u16), then
//! 0. categories: runs over all code points: value in the low five bits (30: `Lu` and `Ll` in turn), length in the high
//!    three or, if that is 0, in the varint behind;
//! 1. scripts: the two most frequent, then runs: length in the low six bits; in the high two what the value is: 0 in the
//!    byte behind, 1 that of the run before the last, 2 and 3 the most frequent; then, if the length is 0, the length as varint;
//! 2. extensions: gap varint, length varint, set u8; 3. the sets: number of scripts, scripts;
//! 4. binary properties: an earlier property that this one is like (its own number: none), then what differs from that: a mask of
//!    the categories that mostly do (u32), length (u16) of the code points where that is wrong: varints, from one change to the next;
//! 5. to 7. the names of categories, binary properties and scripts: an entry ends with a space, its spellings are
//!    separated by `=`; an empty one is the first four letters.

use super::class::LAST;

static TABLES: &[u8] = include_bytes!("unicode.bin");

/// Sections.
const CATEGORY_RUNS: usize = 0;
const SCRIPT_RUNS: usize = 1;
const EXTENSION_RUNS: usize = 2;
const SETS: usize = 3;
const BINARIES: usize = 4;
const CATEGORY_NAMES: usize = 5;
const BINARY_NAMES: usize = 6;
const SCRIPT_NAMES: usize = 7;

/// Identifiers: categories and their groups, binary properties, scripts, extensions.
const CATEGORIES: u16 = 0;
const BINARY: u16 = CATEGORIES + 38;
const SCRIPTS: u16 = BINARY + 53;
const EXTENSIONS: u16 = SCRIPTS + 175;
#[cfg(test)]
const COUNT: u16 = EXTENSIONS + 175;

const SINGLE: u32 = 30;
/// `LC`, `L`, `M`, `N`, `P`, `S`, `Z`, `C`: the first and the last category of each.
const GROUPS: [(u8, u8); 8] = [(0, 2), (0, 4), (5, 7), (8, 10), (11, 17), (18, 21), (22, 24), (25, 29)];

/// The identifier of a property: `Lu`, `gc=Letter`, `Script=Greek`, `scx=Grek`, `Alphabetic`, …
pub(super) fn find(name: &[u8]) -> Option<u16> {
    let Some(at) = name.iter().position(|&b| b == b'=') else {
        return named(CATEGORY_NAMES, name, CATEGORIES).or_else(|| named(BINARY_NAMES, name, BINARY));
    };
    let value = name.get(at + 1..)?;
    match name.get(..at)? {
        b"General_Category" | b"gc" => named(CATEGORY_NAMES, value, CATEGORIES),
        b"Script" | b"sc" => named(SCRIPT_NAMES, value, SCRIPTS),
        b"Script_Extensions" | b"scx" => named(SCRIPT_NAMES, value, EXTENSIONS),
        _ => None,
    }
}

/// The code points that have a property, in order.
pub(super) fn each_range<E>(id: u16, mut add: impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
    let mut property = Property::new(id);
    let (mut at, mut low, mut is_in) = (0, 0, false);
    while at <= LAST {
        let (has, end) = property.at(at);
        if has != is_in {
            if is_in {
                add(low, at - 1)?;
            }
            (low, is_in) = (at, has);
        }
        at = end;
    }
    if is_in { add(low, LAST) } else { Ok(()) }
}

fn named(names: usize, value: &[u8], base: u16) -> Option<u16> {
    for (number, entry) in (base..).zip(section(names).split(|&b| b == b' ')) {
        let short = entry.get(..4).unwrap_or_default();
        let mut spellings =
            entry.split(|&b| b == b'=').map(|spelling| if spelling.is_empty() { short } else { spelling });
        if !value.is_empty() && spellings.any(|spelling| spelling == value) {
            return Some(number);
        }
    }
    None
}

/// More binary properties are never like one another.
const MAX_ALIKE: usize = 8;

/// A property, read from its first code point to its last.
struct Property {
    /// Of scripts or of categories.
    runs: Runs,
    /// The script, or a bit for each category.
    script: Option<u8>,
    categories: u32,
    /// Of the binary properties that this one is like, and of itself: the next change, and those behind.
    changes: [(u32, &'static [u8]); MAX_ALIKE],
    /// Whether it is the other way round from here on.
    is_changed: bool,
    extensions: Extensions,
}

impl Property {
    fn new(id: u16) -> Self {
        let is_script = id >= SCRIPTS;
        let mut property = Self {
            runs: Runs::new(is_script),
            script: None,
            categories: 0,
            changes: [(u32::MAX, &[]); MAX_ALIKE],
            is_changed: false,
            extensions: Extensions { runs: &[], first: u32::MAX, end: u32::MAX, has: false },
        };
        if is_script {
            property.script = Some(((id - SCRIPTS) % (EXTENSIONS - SCRIPTS)) as u8);
            if id >= EXTENSIONS {
                property.extensions = Extensions { runs: section(EXTENSION_RUNS), first: 0, end: 0, has: false };
            }
        } else if id >= BINARY {
            property.binary(id - BINARY);
        } else {
            let (first, last) = match u32::from(id).checked_sub(SINGLE) {
                Some(group) => GROUPS.get(group as usize).copied().unwrap_or_default(),
                None => (id as u8, id as u8),
            };
            property.categories = (2 << last) - (1 << first);
        }
        property
    }

    fn binary(&mut self, mut number: u16) {
        for slot in &mut self.changes {
            let mut entries = section(BINARIES);
            for _ in 0..number {
                entries = binary_entry(entries).map_or(&[], |(_, _, _, rest)| rest);
            }
            let Some((base, mask, mut changes, _)) = binary_entry(entries) else {
                return;
            };
            self.categories ^= mask;
            if !changes.is_empty() {
                *slot = (varint(&mut changes), changes);
            }
            // Only ever an earlier one.
            if base >= number {
                return;
            }
            number = base;
        }
    }

    /// Whether `c` has the property, and up to where that is so. `c` never gets less.
    fn at(&mut self, c: u32) -> (bool, u32) {
        let (value, mut end) = self.runs.at(c);
        let mut has = match self.script {
            Some(script) => value == script,
            None => self.categories.checked_shr(value.into()).unwrap_or(0) & 1 != 0,
        };
        for (next, behind) in &mut self.changes {
            while *next <= c {
                self.is_changed = !self.is_changed;
                *next = if behind.is_empty() { u32::MAX } else { next.saturating_add(varint(behind)) };
            }
            end = end.min(*next);
        }
        has ^= self.is_changed;
        if let Some(script) = self.script {
            let extensions = &mut self.extensions;
            extensions.advance(c, script);
            if c >= extensions.first {
                (has, end) = (extensions.has, extensions.end);
            }
            end = end.min(if c < extensions.first { extensions.first } else { extensions.end });
        }
        (has, end)
    }
}

/// Runs of code points of one script, or category.
struct Runs {
    bytes: &'static [u8],
    /// Of scripts.
    frequent: Option<[u8; 2]>,
    /// The value of the last run and of that before it; where it begins and ends.
    last: u8,
    before: u8,
    start: u32,
    end: u32,
}

impl Runs {
    fn new(of_scripts: bool) -> Self {
        let (mut bytes, mut frequent) = (section(CATEGORY_RUNS), None);
        if of_scripts {
            bytes = section(SCRIPT_RUNS);
            frequent = Some([byte(&mut bytes), byte(&mut bytes)]);
        }
        Self { bytes, frequent, last: 0, before: 0, start: 0, end: 0 }
    }

    /// The value of `c`, and up to where that is the same.
    fn at(&mut self, c: u32) -> (u8, u32) {
        while c >= self.end {
            if self.bytes.is_empty() {
                return (u8::MAX, LAST + 1);
            }
            let head = byte(&mut self.bytes);
            let (value, mut length) = match (head >> 6, self.frequent) {
                (_, None) => (head & 31, u32::from(head >> 5)),
                (0, _) => (byte(&mut self.bytes), u32::from(head & 63)),
                (1, _) => (self.before, u32::from(head & 63)),
                (number, Some(frequent)) => (frequent[usize::from(number & 1)], u32::from(head & 63)),
            };
            (self.before, self.last) = (self.last, value);
            if length == 0 {
                length = varint(&mut self.bytes);
            }
            (self.start, self.end) = (self.end, self.end.saturating_add(length));
        }
        if self.frequent.is_none() && u32::from(self.last) == SINGLE {
            return (((c - self.start) & 1) as u8, c + 1);
        }
        (self.last, self.end)
    }
}

/// Code points of more scripts than one, or of another than that by which they go.
struct Extensions {
    runs: &'static [u8],
    first: u32,
    end: u32,
    /// Whether those from `first` to `end` have the script.
    has: bool,
}

impl Extensions {
    fn advance(&mut self, c: u32, script: u8) {
        while c >= self.end {
            if self.runs.is_empty() {
                (self.first, self.end) = (u32::MAX, u32::MAX);
                return;
            }
            self.first = self.end.saturating_add(varint(&mut self.runs));
            self.end = self.first.saturating_add(varint(&mut self.runs));
            let mut sets = section(SETS);
            for _ in 0..byte(&mut self.runs) {
                let count = usize::from(byte(&mut sets));
                sets = sets.get(count..).unwrap_or_default();
            }
            let count = usize::from(byte(&mut sets));
            self.has = sets.iter().take(count).any(|&other| other == script);
        }
    }
}

/// Property that it is like, mask, changes, and the entries behind.
fn binary_entry(entries: &[u8]) -> Option<(u16, u32, &[u8], &[u8])> {
    let (&[base, a, b, d, e, low, high], rest) = entries.split_first_chunk::<7>()?;
    let (changes, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
    Some((u16::from(base), u32::from_le_bytes([a, b, d, e]), changes, rest))
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
fn section(number: usize) -> &'static [u8] {
    let offset = |index: usize| match TABLES.get(2 * index..).and_then(<[u8]>::first_chunk::<2>) {
        Some(&bytes) => usize::from(u16::from_le_bytes(bytes)),
        None => 0,
    };
    TABLES.get(offset(number)..offset(number + 1)).unwrap_or_default()
}

fn byte(bytes: &mut &[u8]) -> u8 {
    match bytes.split_first() {
        Some((&first, rest)) => {
            *bytes = rest;
            first
        }
        None => 0,
    }
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
fn varint(bytes: &mut &[u8]) -> u32 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let next = byte(bytes);
        value |= u32::from(next & 0x7F) << shift;
        shift += 7;
        if next < 0x80 || shift > 21 {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BINARIES, COUNT, MAX_ALIKE, binary_entry, each_range, section};
    use core::convert::Infallible;

    /// Of what `unicode-tables.mjs` packed, which wrote it here.
    const PACKED: u64 = 0xB367_0FCA_296D_BC40; // FINGERPRINT

    #[test]
    fn the_tables_unpack_to_what_was_packed() {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut add = |value: u32| hash = (hash ^ u64::from(value)).wrapping_mul(0x100_0000_01B3);
        for id in 0..COUNT {
            let mut end = 0;
            let Ok(()) = each_range::<Infallible>(id, |low, high| {
                assert!(low <= high && (low > end || end == 0), "{id}: {low:x} {high:x}");
                end = high + 1;
                for c in (low..=high).filter(|c| *c < 512 || c % 1021 == 0) {
                    add(u32::from(id) + 1);
                    add(c);
                }
                Ok(())
            });
        }
        assert_eq!(hash, PACKED);
    }

    #[test]
    fn no_more_properties_are_alike_than_there_is_room_for() {
        let mut alike = std::vec::Vec::new();
        let mut entries = section(BINARIES);
        while let Some((base, _, _, rest)) = binary_entry(entries) {
            let before = if usize::from(base) < alike.len() { alike[usize::from(base)] } else { 0 };
            alike.push(before + 1);
            entries = rest;
        }
        assert_eq!(alike.len(), 53);
        assert!(alike.iter().all(|&alike| alike <= MAX_ALIKE), "{alike:?}");
    }
}
