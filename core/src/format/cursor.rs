//! A reading position in a [`Text`] with the current code point at hand, and the ASCII classes the grammars share.

use crate::text::Text;

/// What [`Cursor::code`] holds behind the last code point.
pub(super) const END: u32 = u32::MAX;

/// A place in a text. Copying it is how a parser comes back to where it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: Text<'a>,
    after: usize,
    code: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        let mut cursor = Self { text, after: 0, code: END };
        cursor.bump();
        cursor
    }

    /// The current code point, or [`END`].
    #[inline]
    pub(super) fn code(&self) -> u32 {
        self.code
    }

    #[inline]
    pub(super) fn at_end(&self) -> bool {
        self.code == END
    }

    /// Moves to the next code point. Kept out of line: it holds the only copy of the decoder in all formats.
    #[inline(never)]
    pub(super) fn bump(&mut self) {
        #[cfg(test)]
        super::tests::count_step();
        self.code = match self.text.next(self.after) {
            Some((code, after)) => {
                self.after = after;
                code
            }
            None => END,
        };
    }

    /// Whether the current code point is `byte`.
    #[inline]
    pub(super) fn sees(&self, byte: u8) -> bool {
        self.code == u32::from(byte)
    }

    /// Whether the current code point is ASCII and in one of `classes`.
    #[inline]
    pub(super) fn is(&self, classes: u8) -> bool {
        has_class(self.code, classes)
    }

    /// Steps over `byte` if it is the current code point.
    #[inline(never)]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.sees(byte);
        if found {
            self.bump();
        }
        found
    }

    /// Steps over one code point of `classes`.
    #[inline(never)]
    pub(super) fn take_class(&mut self, classes: u8) -> bool {
        let found = self.is(classes);
        if found {
            self.bump();
        }
        found
    }

    /// Steps over all code points of `classes` that follow, and counts them.
    pub(super) fn skip(&mut self, classes: u8) -> usize {
        let mut count = 0usize;
        while self.take_class(classes) {
            count = count.saturating_add(1);
        }
        count
    }

    /// A decimal number of exactly `digits` digits, which the caller keeps below ten.
    #[inline(never)]
    pub(super) fn number(&mut self, digits: usize) -> Option<u32> {
        let mut value = 0u32;
        for _ in 0..digits {
            let digit = self.code;
            if !self.take_class(DIGIT) {
                return None;
            }
            value = value.wrapping_mul(10).wrapping_add(digit.wrapping_sub(u32::from(b'0')));
        }
        Some(value)
    }

    /// Steps over `%` and two hexadecimal digits (RFC 3986, section 2.1).
    pub(super) fn take_percent_encoded(&mut self) -> bool {
        self.take(b'%') && self.take_class(HEX) && self.take_class(HEX)
    }
}

pub(super) const ALPHA: u8 = 1;
pub(super) const DIGIT: u8 = 1 << 1;
/// `HEXDIG`, in either case.
pub(super) const HEX: u8 = 1 << 2;
/// What RFC 3986 adds to letters and digits to make `unreserved`.
pub(super) const MARK: u8 = 1 << 3;
/// `sub-delims` of RFC 3986.
pub(super) const SUB_DELIM: u8 = 1 << 4;
/// What RFC 5322 adds to letters and digits to make `atext`.
pub(super) const ATOM: u8 = 1 << 5;
/// `literals` of RFC 6570 (with erratum 6937, the apostrophe) but for `%`.
pub(super) const LITERAL: u8 = 1 << 6;
/// `operator` of RFC 6570.
pub(super) const OPERATOR: u8 = 1 << 7;

#[inline]
pub(super) fn has_class(code: u32, classes: u8) -> bool {
    CLASSES.get(code as usize).is_some_and(|&found| found & classes != 0)
}

static CLASSES: [u8; 128] = classes();

const fn classes() -> [u8; 128] {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let byte = i as u8;
        if byte.is_ascii_alphabetic() {
            table[i] |= ALPHA;
        }
        if byte.is_ascii_digit() {
            table[i] |= DIGIT;
        }
        if byte.is_ascii_hexdigit() {
            table[i] |= HEX;
        }
        if byte.is_ascii_graphic() {
            table[i] |= LITERAL;
        }
        i += 1;
    }
    add(&mut table, b"-._~", MARK);
    add(&mut table, b"!$&'()*+,;=", SUB_DELIM);
    add(&mut table, b"!#$%&'*+-/=?^_`{|}~", ATOM);
    add(&mut table, b"+#./;?&=,!@|", OPERATOR);
    // Graphic ASCII that is no literal: toggled off.
    add(&mut table, b"\"%<>\\^`{|}", LITERAL);
    table
}

const fn add(table: &mut [u8; 128], bytes: &[u8], class: u8) {
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] ^= class;
        i += 1;
    }
}
