//! `uri-template` (RFC 6570, section 2, all four levels).

use super::cursor::{ALPHA, Cursor, DIGIT, LITERAL, OPERATOR};
use super::uri;

pub(super) fn template(at: &mut Cursor<'_>) -> bool {
    while !at.at_end() {
        let ok = if at.take(b'{') {
            expression(at)
        } else if at.sees(b'%') {
            at.take_percent_encoded()
        } else {
            literal(at)
        };
        if !ok {
            return false;
        }
    }
    true
}

fn literal(at: &mut Cursor<'_>) -> bool {
    let found = at.is(LITERAL) || uri::is_ucschar(at.code()) || uri::is_private(at.code());
    at.bump();
    found
}

/// `[ operator ] variable-list "}"`. The operators kept for extensions are in the grammar too.
fn expression(at: &mut Cursor<'_>) -> bool {
    at.take_class(OPERATOR);
    loop {
        if !variable(at) {
            return false;
        }
        if !at.take(b',') {
            return at.take(b'}');
        }
    }
}

/// `varname [ modifier-level4 ]`
fn variable(at: &mut Cursor<'_>) -> bool {
    loop {
        if !name_part(at) {
            return false;
        }
        if !at.take(b'.') {
            break;
        }
    }
    if at.take(b':') {
        // `max-length`: 1 to 9999, no leading zero.
        return !at.sees(b'0') && matches!(at.skip(DIGIT), 1..=4);
    }
    at.take(b'*');
    true
}

/// `1*varchar`
fn name_part(at: &mut Cursor<'_>) -> bool {
    let mut found = false;
    loop {
        if at.sees(b'%') {
            if !at.take_percent_encoded() {
                return false;
            }
        } else if !at.take_class(ALPHA | DIGIT) && !at.take(b'_') {
            return found;
        }
        found = true;
    }
}
