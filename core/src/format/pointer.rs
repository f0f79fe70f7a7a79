//! `json-pointer` (RFC 6901), `relative-json-pointer` (draft-handrews-relative-json-pointer-01) and `uuid` (RFC 4122).

use super::cursor::{Cursor, DIGIT, HEX};

/// Nothing, or reference tokens that each begin with `/`; `~` only as `~0` and `~1`. Reads to the end.
pub(super) fn json_pointer(at: &mut Cursor<'_>) -> bool {
    if !at.at_end() && !at.sees(b'/') {
        return false;
    }
    while !at.at_end() {
        let tilde = at.sees(b'~');
        at.bump();
        if tilde && !at.take(b'0') && !at.take(b'1') {
            return false;
        }
    }
    true
}

/// A number without leading zeros, then a JSON Pointer or `#`. Reads to the end.
pub(super) fn relative_json_pointer(at: &mut Cursor<'_>) -> bool {
    if !at.take(b'0') && at.skip(DIGIT) == 0 {
        return false;
    }
    if at.take(b'#') { at.at_end() } else { json_pointer(at) }
}

/// Five groups of hexadecimal digits in either case; version and variant may be any.
pub(super) fn uuid(at: &mut Cursor<'_>) -> bool {
    for (group, &digits) in [8u8, 4, 4, 4, 12].iter().enumerate() {
        if group > 0 && !at.take(b'-') {
            return false;
        }
        for _ in 0..digits {
            if !at.take_class(HEX) {
                return false;
            }
        }
    }
    true
}
