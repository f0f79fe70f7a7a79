//! `ipv4` and `ipv6`, on their own and inside a URI or an address literal. A parser stops behind the address; what may
//! follow is the caller's to check.

use super::cursor::{Cursor, DIGIT, HEX};

/// `IPv4address` of RFC 3986, the dotted quad of RFC 2673: four octets, no leading zeros.
pub(super) fn v4(at: &mut Cursor<'_>) -> bool {
    for part in 0..4 {
        if part > 0 && !at.take(b'.') {
            return false;
        }
        let zero = at.sees(b'0');
        let Some(mut octet) = at.number(1) else { return false };
        while at.is(DIGIT) {
            let Some(digit) = at.number(1) else { return false };
            octet = octet.wrapping_mul(10).wrapping_add(digit);
            if zero || octet > 255 {
                return false;
            }
        }
    }
    true
}

/// The text forms of RFC 4291, section 2.2: eight groups, `::` once for one or more of them, the last two groups in
/// dotted decimal if wanted.
pub(super) fn v6(at: &mut Cursor<'_>) -> bool {
    let mut groups = 0u32;
    let mut gap = at.take(b':');
    if gap && !at.take(b':') {
        return false;
    }
    // Whether the address may end here: behind `::`, and behind a group.
    let mut may_end = gap;
    loop {
        let start = *at;
        let digits = at.skip(HEX);
        if digits == 0 {
            break;
        }
        if at.sees(b'.') {
            *at = start;
            groups += 2;
            may_end = v4(at);
            break;
        }
        groups += 1;
        if digits > 4 || groups > 8 {
            return false;
        }
        may_end = true;
        if !at.take(b':') {
            break;
        }
        may_end = at.take(b':');
        if may_end && gap {
            return false;
        }
        gap |= may_end;
    }
    may_end && if gap { groups < 8 } else { groups == 8 }
}
