//! `uri`, `uri-reference` (RFC 3986), `iri` and `iri-reference` (RFC 3987): one grammar, since an IRI differs only in
//! the code points beyond ASCII it lets in.

use super::cursor::{ALPHA, Cursor, DIGIT, HEX, MARK, SUB_DELIM};
use super::ip;

/// A URI; with `relative`, a reference; with `iri`, the same of RFC 3987.
///
/// Every code point is read at most twice: what may be a scheme or user information is read as that first.
pub(super) fn reference(at: &mut Cursor<'_>, iri: bool, relative: bool) -> bool {
    let start = *at;
    let absolute = scheme(at);
    if !absolute {
        if !relative {
            return false;
        }
        *at = start;
    }
    if at.take(b'/') {
        if at.take(b'/') && !authority(at, iri) {
            return false;
        }
    } else if !absolute {
        // `path-noscheme`: without a scheme, the first segment has no colon.
        run(at, iri, b"@");
        if at.sees(b':') {
            return false;
        }
    }
    run(at, iri, b":@/");
    if at.take(b'?') {
        loop {
            run(at, iri, b":@/?");
            if !(iri && is_private(at.code())) {
                break;
            }
            at.bump();
        }
    }
    if at.take(b'#') {
        run(at, iri, b":@/?");
    }
    at.at_end()
}

/// `ucschar` of RFC 3987: beyond ASCII but for private use, noncharacters, and the controls and specials around them.
pub(super) fn is_ucschar(code: u32) -> bool {
    match code {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0x1_0000..0xF_0000 => code & 0xFFFF < 0xFFFE && !(0xE_0000..0xE_1000).contains(&code),
        _ => false,
    }
}

/// `iprivate` of RFC 3987.
pub(super) fn is_private(code: u32) -> bool {
    matches!(code, 0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD)
}

/// `scheme ":"`
fn scheme(at: &mut Cursor<'_>) -> bool {
    if !at.take_class(ALPHA) {
        return false;
    }
    while at.take_class(ALPHA | DIGIT) || at.take(b'+') || at.take(b'-') || at.take(b'.') {}
    at.take(b':')
}

/// `authority`, up to and without what may follow it.
fn authority(at: &mut Cursor<'_>, iri: bool) -> bool {
    let start = *at;
    run(at, iri, b":");
    if !at.take(b'@') {
        *at = start;
    }
    if at.take(b'[') {
        if !(ip_future(at) || ip::v6(at)) || !at.take(b']') {
            return false;
        }
    } else {
        // `reg-name`, which every IPv4 address is too, and so is one that is out of range.
        run(at, iri, b"");
    }
    if at.take(b':') {
        at.skip(DIGIT);
    }
    at.sees(b'/') || at.sees(b'?') || at.sees(b'#') || at.at_end()
}

/// `IPvFuture`. Consumes nothing where there is no version letter; an IPv6 address cannot begin with one.
fn ip_future(at: &mut Cursor<'_>) -> bool {
    if !at.take(b'v') && !at.take(b'V') {
        return false;
    }
    if at.skip(HEX) == 0 || !at.take(b'.') {
        return false;
    }
    let mut found = false;
    while at.take_class(ALPHA | DIGIT | MARK | SUB_DELIM) || at.take(b':') {
        found = true;
    }
    found
}

/// Steps over `unreserved`, `sub-delims`, percent-encoded octets and the bytes of `more`. It stops before a `%` that
/// encodes nothing, where no caller can go on.
fn run(at: &mut Cursor<'_>, iri: bool, more: &[u8]) {
    loop {
        let code = at.code();
        if at.is(ALPHA | DIGIT | MARK | SUB_DELIM)
            || more.iter().any(|&byte| u32::from(byte) == code)
            || (iri && is_ucschar(code))
        {
            at.bump();
            continue;
        }
        let start = *at;
        if !at.take_percent_encoded() {
            *at = start;
            return;
        }
    }
}
