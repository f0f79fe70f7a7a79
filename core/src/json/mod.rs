//! The reader: RFC 8259 in place over `&[u8]`, one pass, no recursion.
//!
//! UTF-8 is checked once for the whole text; after that a byte of 0x80 or more is just part of a string.

mod scan;

pub(crate) use scan::MAX_DEPTH;

use crate::error::{Error, Halt, JsonError, JsonErrorKind, Limit, MAX_LEN};
use crate::instance::{Instance, Kind, Member, Next};
use crate::number::Number;
use crate::text::{Text, same};

/// A JSON text as an [`Instance`]. A place is a byte offset.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    bytes: &'a [u8],
}

/// A walk over an array or an object.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Walk {
    first: bool,
}

impl<'a> Json<'a> {
    /// A reader over `bytes`.
    ///
    /// # Errors
    /// When the bytes are not UTF-8, or too many. Anything else is found when the value is read.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_LEN {
            return Err(Error::Limit(Limit::Size));
        }
        // Most texts are ASCII, which is quicker to see.
        if bytes.is_ascii() {
            return Ok(Self { bytes });
        }
        match core::str::from_utf8(bytes) {
            Ok(_) => Ok(Self { bytes }),
            Err(error) => Err(Error::Json(JsonError { kind: JsonErrorKind::InvalidUtf8, at: error.valid_up_to() })),
        }
    }

    /// A reader over text that is known to be UTF-8 and in bounds.
    pub(crate) const fn trusted(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The text.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes from `from` to `to`.
    pub(crate) fn span(self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    #[inline]
    fn fail<T>(self, kind: JsonErrorKind, at: usize) -> Result<T, Halt> {
        Err(Halt::json(kind, at))
    }

    #[cold]
    #[inline(never)]
    fn no_value(self, at: usize) -> Halt {
        let kind = if at < self.bytes.len() { JsonErrorKind::ExpectedValue } else { JsonErrorKind::EndsBeforeValue };
        Halt::json(kind, at)
    }

    /// The digits at `at` as the continuation of `value` (wrapping), and the place behind them.
    #[inline(always)]
    fn digits_value(self, mut at: usize, mut value: u64) -> (u64, usize) {
        while let Some(&digit @ b'0'..=b'9') = self.bytes.get(at) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            at += 1;
        }
        (value, at)
    }

    /// Reads a member's name at `at` and the colon behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn member(self, at: usize) -> Result<Member<'a, usize>, Halt> {
        match self.bytes.get(at) {
            Some(b'"') => {}
            Some(_) => return self.fail(JsonErrorKind::ExpectedName, at),
            None => return self.fail(JsonErrorKind::EndsInObject, at),
        }
        let (end, escaped) = self.string_end(at + 1)?;
        let name = Text::json(self.span(at + 1, end), escaped);
        let colon = self.white_space(end + 1);
        match self.bytes.get(colon) {
            Some(b':') => Ok(Member { name, name_at: at, value: self.white_space(colon + 1) }),
            Some(_) => self.fail(JsonErrorKind::ExpectedColon, colon),
            None => self.fail(JsonErrorKind::EndsInObject, colon),
        }
    }
}

/// What begins with a byte.
static KINDS: [Option<Kind>; 256] = {
    let mut kinds = [None; 256];
    kinds[b'"' as usize] = Some(Kind::String);
    kinds[b'{' as usize] = Some(Kind::Object);
    kinds[b'[' as usize] = Some(Kind::Array);
    kinds[b't' as usize] = Some(Kind::True);
    kinds[b'f' as usize] = Some(Kind::False);
    kinds[b'n' as usize] = Some(Kind::Null);
    kinds[b'-' as usize] = Some(Kind::Number);
    let mut digit = b'0';
    while digit <= b'9' {
        kinds[digit as usize] = Some(Kind::Number);
        digit += 1;
    }
    kinds
};

impl<'a> Instance<'a> for Json<'a> {
    type Place = usize;
    type Items = Walk;
    type Members = Walk;

    #[inline]
    fn root(self) -> Result<usize, Halt> {
        Ok(self.white_space(0))
    }

    #[inline(always)]
    fn kind(self, at: usize) -> Result<Kind, Halt> {
        match self.bytes.get(at) {
            Some(&byte) => match KINDS[usize::from(byte)] {
                Some(kind) => Ok(kind),
                None => Err(self.no_value(at)),
            },
            None => Err(self.no_value(at)),
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn literal(self, at: usize, kind: Kind) -> Result<usize, Halt> {
        match kind {
            Kind::True => self.literal_end(at, b"true"),
            Kind::False => self.literal_end(at, b"false"),
            _ => self.literal_end(at, b"null"),
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn string(self, at: usize) -> Result<(Text<'a>, usize), Halt> {
        let (end, escaped) = self.string_end(at + 1)?;
        Ok((Text::json(self.span(at + 1, end), escaped), end + 1))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn string_named(self, at: usize, text: &[u8]) -> Option<usize> {
        let end = at + 1 + text.len();
        let is_same = self.bytes.get(end) == Some(&b'"')
            && self.bytes.get(at) == Some(&b'"')
            && self.bytes.get(at + 1..end).is_some_and(|found| same(found, text));
        is_same.then_some(end + 1)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn number(self, at: usize) -> Result<(Number<'a>, usize), Halt> {
        let end = self.number_end(at)?;
        Ok((Number::from_literal(self.span(at, end)), end))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn short_number(self, at: usize) -> Option<(i64, u32, usize)> {
        let negative = self.bytes.get(at) == Some(&b'-');
        let start = at + usize::from(negative);
        let (mut mantissa, point) = self.digits_value(start, 0);
        let digits = point - start;
        if digits == 0 || (digits > 1 && self.bytes.get(start) == Some(&b'0')) {
            return None;
        }
        let mut end = point;
        let mut places = 0;
        if self.bytes.get(point) == Some(&b'.') {
            (mantissa, end) = self.digits_value(point + 1, mantissa);
            places = end - point - 1;
            if places == 0 {
                return None;
            }
        }
        if digits + places > 18 || matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            return None;
        }
        let mantissa = mantissa as i64;
        Some((if negative { -mantissa } else { mantissa }, places as u32, end))
    }

    #[inline]
    fn items(self, _: usize) -> Walk {
        Walk { first: true }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn next_item(self, walk: &mut Walk, after: usize) -> Result<Next<usize, usize>, Halt> {
        if walk.first {
            walk.first = false;
            let at = self.white_space(after + 1);
            return match self.bytes.get(at) {
                Some(b']') => Ok(Next::End(at + 1)),
                Some(_) => Ok(Next::Item(at)),
                None => self.fail(JsonErrorKind::EndsInArray, at),
            };
        }
        let at = self.white_space(after);
        match self.bytes.get(at) {
            Some(b',') => Ok(Next::Item(self.white_space(at + 1))),
            Some(b']') => Ok(Next::End(at + 1)),
            Some(_) => self.fail(JsonErrorKind::ExpectedCommaOrBracket, at),
            None => self.fail(JsonErrorKind::EndsInArray, at),
        }
    }

    #[inline]
    fn members(self, _: usize) -> Walk {
        Walk { first: true }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn next_member(self, walk: &mut Walk, after: usize) -> Result<Next<Member<'a, usize>, usize>, Halt> {
        let at = if walk.first {
            walk.first = false;
            let at = self.white_space(after + 1);
            if let Some(b'}') = self.bytes.get(at) {
                return Ok(Next::End(at + 1));
            }
            at
        } else {
            let at = self.white_space(after);
            match self.bytes.get(at) {
                Some(b',') => self.white_space(at + 1),
                Some(b'}') => return Ok(Next::End(at + 1)),
                Some(_) => return self.fail(JsonErrorKind::ExpectedCommaOrBrace, at),
                None => return self.fail(JsonErrorKind::EndsInObject, at),
            }
        };
        Ok(Next::Item(self.member(at)?))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn next_member_named(self, walk: &mut Walk, after: usize, name: &[u8]) -> Option<Next<(usize, usize), usize>> {
        let at = if walk.first {
            self.white_space(after + 1)
        } else {
            let at = self.white_space(after);
            match self.bytes.get(at) {
                Some(b',') => self.white_space(at + 1),
                Some(b'}') => return Some(Next::End(at + 1)),
                _ => return None,
            }
        };
        let end = self.string_named(at, name)?;
        let colon = self.white_space(end);
        if self.bytes.get(colon) != Some(&b':') {
            return None;
        }
        walk.first = false;
        Some(Next::Item((at, self.white_space(colon + 1))))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn skip(self, at: usize, depth: u32) -> Result<usize, Halt> {
        match self.bytes.get(at) {
            Some(b'"') => Ok(self.string_end(at + 1)?.0 + 1),
            Some(b'-' | b'0'..=b'9') => self.number_end(at),
            _ => self.value_end(at, depth),
        }
    }

    #[inline]
    fn span(self, from: usize, to: usize) -> usize {
        to.saturating_sub(from)
    }

    fn finish(self, after: usize) -> Result<(), Halt> {
        let at = self.white_space(after);
        if at < self.bytes.len() { self.fail(JsonErrorKind::TrailingText, at) } else { Ok(()) }
    }

    fn id(self, at: usize) -> usize {
        at
    }

    fn holds(self, at: usize, after: usize, id: usize) -> bool {
        at <= id && id < after
    }

    fn remember(self, element: usize, _: u32) -> u32 {
        u32::try_from(element).unwrap_or(u32::MAX)
    }

    fn recall(self, _: usize, short: u32) -> Option<usize> {
        usize::try_from(short).ok()
    }
}
