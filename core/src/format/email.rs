//! `email` (`Mailbox` of RFC 5321, section 4.1.2) and `idn-email` (the same as RFC 6531, section 3.3, extends it).

use super::cursor::{ALPHA, ATOM, Cursor, DIGIT};
use super::{host, ip};

/// A mailbox. With `idn`, code points beyond ASCII are let in wherever RFC 6531 has `UTF8-non-ascii`, and as they are:
/// it asks neither for NFC nor for a label that IDNA would register.
pub(super) fn mailbox(at: &mut Cursor<'_>, idn: bool) -> bool {
    let local = if at.sees(b'"') { quoted(at, idn) } else { dotted(at, idn) };
    if !local || !at.take(b'@') {
        return false;
    }
    if at.take(b'[') {
        return literal(at) && at.take(b']') && at.at_end();
    }
    host::name(at, if idn { host::Rules::IdnDomain } else { host::Rules::Domain })
}

/// The largest local part in octets (section 4.5.3.1.1).
const LOCAL_PART: u32 = 64;

/// `Dot-string`
fn dotted(at: &mut Cursor<'_>, idn: bool) -> bool {
    let mut octets = 0;
    let mut in_atom = false;
    loop {
        let code = at.code();
        if at.is(ALPHA | DIGIT | ATOM) || is_wide(code, idn) {
            in_atom = true;
        } else if at.sees(b'.') && in_atom {
            in_atom = false;
        } else {
            return in_atom;
        }
        if !count(&mut octets, code) {
            return false;
        }
        at.bump();
    }
}

/// `Quoted-string`, its quotes included.
fn quoted(at: &mut Cursor<'_>, idn: bool) -> bool {
    // The quotes count.
    let mut octets = 2;
    at.bump();
    loop {
        if at.take(b'"') {
            return true;
        }
        // `quoted-pairSMTP`: a backslash stands before any printable ASCII.
        let pair = at.sees(b'\\') && count(&mut octets, at.code());
        if pair {
            at.bump();
        }
        let code = at.code();
        let printable = matches!(code, 0x20..=0x7E) && (pair || code != u32::from(b'\\'));
        if !(printable || !pair && is_wide(code, idn)) || !count(&mut octets, code) {
            return false;
        }
        at.bump();
    }
}

/// An address literal behind its bracket. Of `General-address-literal`, only the tag `IPv6` was ever registered.
fn literal(at: &mut Cursor<'_>) -> bool {
    if at.is(DIGIT) {
        return ip::v4(at);
    }
    for byte in *b"ipv6:" {
        if !at.take(byte) && !at.take(byte.to_ascii_uppercase()) {
            return false;
        }
    }
    ip::v6(at)
}

/// `UTF8-non-ascii`
fn is_wide(code: u32, idn: bool) -> bool {
    idn && (0x80..0x11_0000).contains(&code)
}

/// Adds the UTF-8 length of `code`; false beyond [`LOCAL_PART`].
fn count(octets: &mut u32, code: u32) -> bool {
    *octets += match code {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0x800..0x1_0000 => 3,
        _ => 4,
    };
    *octets <= LOCAL_PART
}
