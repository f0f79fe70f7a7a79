//! `hostname` (RFC 1123, and RFC 5891 for A-labels), `idn-hostname` (RFC 5890), and the domains of mailboxes: labels
//! between dots.
//!
//! A label is copied out, code point by code point, into the only buffer that the formats have. It is what
//! bounds the work: a label ends the check at its 64th code point, a name at its 254th octet.
//!
//! Without the feature `idn`, an A-label is decoded and must be canonical, hold something beyond ASCII, and have its
//! hyphens where a U-label may. What takes tables is not asked then: which code points IDNA allows, in which context,
//! in which direction, in which normal form.

use super::cursor::{ALPHA, Cursor, DIGIT, has_class};
#[cfg(feature = "idn")]
use super::idna;
use super::punycode;

/// What a label may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rules {
    /// Letters, digits and hyphens; `xn--` must begin an A-label.
    Hostname,
    /// The same or a U-label.
    #[cfg(feature = "idn")]
    IdnHostname,
    /// `sub-domain` of RFC 5321: letters, digits and hyphens.
    Domain,
    /// `sub-domain` of RFC 6531: the same with anything beyond ASCII.
    IdnDomain,
}

/// Labels to the end of the text.
pub(super) fn name(at: &mut Cursor<'_>, rules: Rules) -> bool {
    let mut octets = 0;
    #[cfg(feature = "idn")]
    let mut direction = idna::Direction::default();
    loop {
        let mut label = Label::new();
        while !at.at_end() && !is_separator(at.code(), rules) {
            if label.push(at.code()).is_none() {
                return false;
            }
            at.bump();
        }
        let Some(length) = label_octets(&mut label, rules) else { return false };
        octets += length + 1;
        if octets > NAME + 1 {
            return false;
        }
        #[cfg(feature = "idn")]
        if rules.follow_idna() && !idna::check(label.codes(), &mut direction) {
            return false;
        }
        if at.at_end() {
            break;
        }
        at.bump();
    }
    #[cfg(feature = "idn")]
    return direction.is_consistent();
    #[cfg(not(feature = "idn"))]
    true
}

/// The code points of one label.
pub(super) struct Label {
    codes: [u32; LABEL],
    len: usize,
}

impl Label {
    pub(super) fn new() -> Self {
        Self { codes: [0; LABEL], len: 0 }
    }

    pub(super) fn codes(&self) -> &[u32] {
        self.codes.get(..self.len).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a code point at the end; `None` if the label is full.
    pub(super) fn push(&mut self, code: u32) -> Option<()> {
        *self.codes.get_mut(self.len)? = code;
        self.len += 1;
        Some(())
    }

    /// Puts a code point in at `place`; `None` if the label is full.
    pub(super) fn insert(&mut self, place: usize, code: u32) -> Option<()> {
        let mut moved = code;
        for slot in self.codes.get_mut(place..=self.len)? {
            core::mem::swap(slot, &mut moved);
        }
        self.len += 1;
        Some(())
    }

    /// Keeps `count` code points from `from` on, and leaves what is behind them where it is stored.
    pub(super) fn keep(&mut self, from: usize, count: usize) -> Option<()> {
        for at in 0..count {
            *self.codes.get_mut(at)? = self.stored(from + at)?;
        }
        self.len = count;
        Some(())
    }

    /// What is stored at a place, whether it still counts or not.
    pub(super) fn stored(&self, at: usize) -> Option<u32> {
        self.codes.get(at).copied()
    }

    fn make_ascii_lowercase(&mut self) {
        for code in &mut self.codes {
            if has_class(*code, ALPHA) {
                *code |= 0x20;
            }
        }
    }
}

impl Rules {
    fn follow_idna(self) -> bool {
        !matches!(self, Self::Domain | Self::IdnDomain)
    }
}

/// The largest label in octets, and so in code points too.
pub(super) const LABEL: usize = 63;
/// The largest name in octets, dots included: 255 on the wire, where each label has a length before it and the root
/// ends it.
const NAME: usize = 253;
const HYPHEN: u32 = b'-' as u32;

/// The octets of a label as the domain name system has it; `None` if it may not stand under `rules`. An A-label is
/// replaced by what it decodes to, and other ASCII comes out in lower case, where IDNA has a say.
fn label_octets(label: &mut Label, rules: Rules) -> Option<usize> {
    let codes = label.codes();
    let len = codes.len();
    let is_wide = codes.iter().any(|&code| code >= 0x80);
    if !hyphens_inside(codes) || !codes.iter().all(|&code| is_ldh(code) || code >= 0x80) {
        return None;
    }
    if is_wide {
        return match rules {
            Rules::IdnDomain => Some(len),
            #[cfg(feature = "idn")]
            Rules::IdnHostname if !has_prefix(codes) => {
                punycode::encoded_len(codes).map(|encoded| encoded as usize + PREFIX).filter(|&octets| octets <= LABEL)
            }
            _ => None,
        };
    }
    if rules.follow_idna() {
        label.make_ascii_lowercase();
        let codes = label.codes();
        if has_prefix(codes) {
            if codes.starts_with(&[u32::from(b'x'), u32::from(b'n')]) {
                punycode::decode(label)?;
                let u_label = label.codes();
                if !hyphens_inside(u_label) || has_prefix(u_label) || u_label.iter().all(|&code| code < 0x80) {
                    return None;
                }
            } else if rules != Rules::Hostname {
                // RFC 5890, section 2.3.1: other reserved labels are for no one to use. RFC 1123 does not know them.
                return None;
            }
        }
    }
    Some(len)
}

/// The length of `xn--`.
pub(super) const PREFIX: usize = 4;

/// Whether a label has a code point, and no hyphen at either end.
fn hyphens_inside(codes: &[u32]) -> bool {
    codes.first().is_some_and(|&code| code != HYPHEN) && codes.last() != Some(&HYPHEN)
}

/// Whether two hyphens stand where `xn--` has them (RFC 5891, section 4.2.3.1).
fn has_prefix(codes: &[u32]) -> bool {
    matches!(codes, [_, _, HYPHEN, HYPHEN, ..])
}

fn is_ldh(code: u32) -> bool {
    has_class(code, ALPHA | DIGIT) || code == HYPHEN
}

/// The dot; in an `idn-hostname`, also the three that RFC 3490, section 3.1, counts as one.
fn is_separator(code: u32, rules: Rules) -> bool {
    #[cfg(feature = "idn")]
    if rules == Rules::IdnHostname && matches!(code, 0x3002 | 0xFF0E | 0xFF61) {
        return true;
    }
    let _ = rules;
    code == u32::from(b'.')
}
