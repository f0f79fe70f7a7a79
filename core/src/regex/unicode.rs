//! The properties of `\p{…}`, from tables of 20 KiB (Unicode 17): General_Category, Script, Script_Extensions and the
//! binary properties of ECMA-262.
//!
//! `tests/tools/unicode-tables.mjs` writes `unicode.bin`: offsets of eleven sections (u16), then
//! 0. categories: runs over all code points: value in the low five bits (30: `Lu` and `Ll` in turn), length in the high
//!    three or, if that is 0, in the varint behind;
//! 1. their index: for each 32nd run its first code point (u24) and its position (u16);
//! 2. scripts: runs of value u8, length varint; 3. their index;
//! 4. extensions: gap varint, length varint, set u8; 5. the sets: number of scripts, scripts;
//! 6. binary properties: a mask of the categories that mostly have it (u32), length (u16) of the code points where
//!    that is wrong: varints, from one change to the next;
//! 7. to 9. the names of categories, binary properties and scripts: an entry ends with a space, its spellings are
//!    separated by `=`.

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
        if !value.is_empty() && entry.split(|&b| b == b'=').any(|spelling| spelling == value) {
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
    while let Some((&byte, rest)) = runs.split_first() {
        runs = rest;
        let (mut value, mut length) = (u32::from(byte), 0);
        if table == 0 {
            (value, length) = (value & 31, value >> 5);
        }
        if length == 0 {
            length = varint(&mut runs);
        }
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

fn has_binary(number: u16, category: u32, c: u32) -> bool {
    let mut entries = section(6);
    for _ in 0..number {
        let length = u16::from_le_bytes([entries.get(4).copied().unwrap_or(0), entries.get(5).copied().unwrap_or(0)]);
        entries = entries.get(6 + usize::from(length)..).unwrap_or_default();
    }
    let Some((&[a, b, d, e, low, high], rest)) = entries.split_first_chunk::<6>() else {
        return false;
    };
    let mut has = u32::from_le_bytes([a, b, d, e]).checked_shr(category).unwrap_or(0) & 1 != 0;
    let mut changes = rest.get(..usize::from(u16::from_le_bytes([low, high]))).unwrap_or_default();
    let mut at = 0;
    while !changes.is_empty() {
        at += varint(&mut changes);
        if at > c {
            break;
        }
        has = !has;
    }
    has
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
