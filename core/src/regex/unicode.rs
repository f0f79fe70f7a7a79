//! The properties of `\p{…}`, from tables of 17 KiB (Unicode 17): General_Category, Script, Script_Extensions and the
//! binary properties of ECMA-262.
//!
//! `tests/tools/unicode-tables.mjs` writes `unicode.bin`: offsets of eleven sections (u16), then
//! 0. categories: runs over all code points: value in the low five bits (30: `Lu` and `Ll` in turn), length in the high
//!    three or, if that is 0, in the varint behind;
//! 1. their index: for each 32nd run its first code point (u24) and its position (u16);
//! 2. scripts: the two most frequent, then runs: length in the low six bits; in the high two what the value is: 0 in the
//!    byte behind, 1 that of the run before the last, 2 and 3 the most frequent; then, if the length is 0, the length as varint;
//! 3. their index; for a run that stands in it, no other is before it;
//! 4. extensions: gap varint, length varint, set u8; 5. the sets: number of scripts, scripts;
//! 6. binary properties: an earlier property that this one is like (its own number: none), then what differs from that: a mask of
//!    the categories that mostly do (u32), length (u16) of the code points where that is wrong: varints, from one change to the next;
//! 7. to 9. the names of categories, binary properties and scripts: an entry ends with a space, its spellings are
//!    separated by `=`; an empty one is the first four letters.

static TABLES: &[u8] = include_bytes!("unicode.bin");

/// Identifiers: 0 is taken by white space; then categories and their groups, binary properties, scripts, extensions.
const CATEGORIES: u16 = 1;
const BINARY: u16 = CATEGORIES + 38;
const SCRIPTS: u16 = BINARY + 53;
const EXTENSIONS: u16 = SCRIPTS + 175;
pub(super) const COUNT: u16 = EXTENSIONS + 175;

const SINGLE: u32 = 30;
/// `LC`, `L`, `M`, `N`, `P`, `S`, `Z`, `C`: the first and the last category of each.
const GROUPS: [(u8, u8); 8] = [(0, 2), (0, 4), (5, 7), (8, 10), (11, 17), (18, 21), (22, 24), (25, 29)];

/// The identifier of a property: `Lu`, `gc=Letter`, `Script=Greek`, `scx=Grek`, `Alphabetic`, …
pub(super) fn find(name: &[u8]) -> Option<u16> {
    let Some(at) = name.iter().position(|&b| b == b'=') else {
        return named(7, name, CATEGORIES).or_else(|| named(8, name, BINARY));
    };
    let value = name.get(at + 1..)?;
    match name.get(..at)? {
        b"General_Category" | b"gc" => named(7, value, CATEGORIES),
        b"Script" | b"sc" => named(9, value, SCRIPTS),
        b"Script_Extensions" | b"scx" => named(9, value, EXTENSIONS),
        _ => None,
    }
}

/// Whether a code point has a property.
pub(super) fn contains(id: u16, c: u32) -> bool {
    if id >= SCRIPTS {
        let script = if id >= EXTENSIONS { id - EXTENSIONS } else { id - SCRIPTS };
        return if id >= EXTENSIONS { has_extension(script as u8, c) } else { value(2, c) == u32::from(script) };
    }
    let category = value(0, c);
    if id >= BINARY {
        return has_binary(id - BINARY, category, c);
    }
    let id = u32::from(id.wrapping_sub(CATEGORIES));
    match id.checked_sub(SINGLE).and_then(|group| GROUPS.get(group as usize)) {
        Some(&(first, last)) => (u32::from(first)..=u32::from(last)).contains(&category),
        None => category == id,
    }
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

/// The category (`table` 0) or the script (2) of a code point.
fn value(table: usize, c: u32) -> u32 {
    let (mut start, mut at) = (0, 0);
    for entry in section(table + 1).as_chunks::<5>().0 {
        let [a, b, d, low, high] = *entry;
        let first = u32::from_le_bytes([a, b, d, 0]);
        if first > c {
            break;
        }
        (start, at) = (first, usize::from(u16::from_le_bytes([low, high])));
    }
    let mut runs = section(table).get(at..).unwrap_or_default();
    let (mut last, mut before) = (0, 0);
    while !runs.is_empty() {
        let head = byte(&mut runs);
        let (value, mut length) = match head >> 6 {
            _ if table == 0 => (head & 31, u32::from(head >> 5)),
            0 => (byte(&mut runs), u32::from(head & 63)),
            1 => (before, u32::from(head & 63)),
            frequent => (section(table).get(usize::from(frequent & 1)).copied().unwrap_or(0), u32::from(head & 63)),
        };
        (before, last) = (last, value);
        if length == 0 {
            length = varint(&mut runs);
        }
        let value = u32::from(value);
        if c - start < length {
            return if table == 0 && value == SINGLE { (c - start) & 1 } else { value };
        }
        start += length;
    }
    u32::MAX
}

fn has_extension(script: u8, c: u32) -> bool {
    let mut runs = section(4);
    let mut at = 0u32;
    while !runs.is_empty() {
        let first = at + varint(&mut runs);
        at = first + varint(&mut runs);
        let set = byte(&mut runs);
        if c < first {
            break;
        }
        if c < at {
            let mut sets = section(5);
            for _ in 0..set {
                let count = usize::from(byte(&mut sets));
                sets = sets.get(count..).unwrap_or_default();
            }
            let count = usize::from(byte(&mut sets));
            return sets.iter().take(count).any(|&other| other == script);
        }
    }
    value(2, c) == u32::from(script)
}

fn has_binary(mut number: u16, category: u32, c: u32) -> bool {
    let mut has = false;
    loop {
        let mut entries = section(6);
        for _ in 0..number {
            entries = binary_entry(entries).map_or(&[], |(_, _, _, rest)| rest);
        }
        let Some((base, mask, mut changes, _)) = binary_entry(entries) else {
            return false;
        };
        has ^= mask.checked_shr(category).unwrap_or(0) & 1 != 0;
        let mut at = 0;
        while !changes.is_empty() {
            at += varint(&mut changes);
            if at > c {
                break;
            }
            has = !has;
        }
        // Only ever an earlier one.
        if base >= number {
            return has;
        }
        number = base;
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
    use super::{COUNT, contains};

    /// Of what `unicode-tables.mjs` packed, which wrote it here.
    const PACKED: u64 = 0xB367_0FCA_296D_BC40; // FINGERPRINT

    #[test]
    fn the_tables_unpack_to_what_was_packed() {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut add = |value: u32| hash = (hash ^ u64::from(value)).wrapping_mul(0x100_0000_01B3);
        for id in 1..COUNT {
            for c in (0..0x11_0000).filter(|c| *c < 512 || c % 1021 == 0) {
                if contains(id, c) {
                    add(u32::from(id));
                    add(c);
                }
            }
        }
        assert_eq!(hash, PACKED);
    }
}
