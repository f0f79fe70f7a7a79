//! The reader: RFC 8259 in place over `&[u8]`, one pass, no recursion.
//!
//! UTF-8 is checked once for the whole text; after that a byte of 0x80 or more is just part of a string.

mod name;
mod scan;

pub(crate) use scan::MAX_DEPTH;

use crate::error::{Error, Halt, JsonError, JsonErrorKind, Limit, MAX_LEN};
use crate::instance::{Instance, Kind, Member, Next, Search};
use crate::number::Number;
#[cfg(not(any(target_os = "none", feature = "small")))]
use crate::program::code::{Candidates, PLAIN_OFFSET};
use crate::program::code::{HEAD_BITS, LONG};
use crate::program::op::mask_of;
#[cfg(not(any(target_os = "none", feature = "small")))]
use crate::text::same;
use crate::text::{Text, is_ascii, utf8_end};
#[cfg(not(any(target_os = "none", feature = "small")))]
use core::ops::Range;

/// A JSON text as an [`Instance`]. A place is a byte offset.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    bytes: &'a [u8],
}

/// The digits of a short number: on a device as many as one register holds.
#[cfg(target_os = "none")]
type Short = u32;
#[cfg(not(target_os = "none"))]
type Short = u64;
/// How many there may be.
const SHORT_DIGITS: usize = if cfg!(target_os = "none") { 9 } else { 18 };

/// A walk over an array or an object.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Walk {
    start: usize,
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
        if is_ascii(bytes) {
            return Ok(Self { bytes });
        }
        match utf8_end(bytes) {
            end if end == bytes.len() => Ok(Self { bytes }),
            at => Err(Error::Json(JsonError { kind: JsonErrorKind::InvalidUtf8, at })),
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
    fn digits_value(self, mut at: usize, mut value: Short) -> (Short, usize) {
        while let Some(&digit @ b'0'..=b'9') = self.bytes.get(at) {
            value = value.wrapping_mul(10).wrapping_add(Short::from(digit - b'0'));
            at += 1;
        }
        (value, at)
    }

    #[cold]
    #[inline(never)]
    fn no_member<T>(self, at: usize) -> Result<T, Halt> {
        let ends = at >= self.bytes.len();
        self.fail(if ends { JsonErrorKind::EndsInObject } else { JsonErrorKind::ExpectedCommaOrBrace }, at)
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

/// Bytes with which a value may begin, and where there is room for it those with which none does.
const STARTS: usize = if cfg!(any(target_os = "none", feature = "small")) { 128 } else { 256 };

/// What begins with a byte.
#[inline(always)]
fn kind_of(byte: u8) -> Option<Kind> {
    KINDS.get(usize::from(byte)).copied().flatten()
}

static KINDS: [Option<Kind>; STARTS] = {
    let mut kinds = [None; STARTS];
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
            Some(&byte) => match kind_of(byte) {
                Some(kind) => Ok(kind),
                None => Err(self.no_value(at)),
            },
            None => Err(self.no_value(at)),
        }
    }

    #[inline(always)]
    fn types(self, at: usize) -> u8 {
        self.bytes.get(at).map_or(0, |&byte| kind_of(byte).map_or(0, mask_of))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn literal(self, at: usize) -> Result<usize, Halt> {
        if cfg!(any(target_os = "none", feature = "small")) {
            return self.literal_end(at);
        }
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(b"true" | b"null") => Ok(at + 4),
            _ => self.literal_end(at),
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn string(self, at: usize) -> Result<(Text<'a>, usize), Halt> {
        let (end, escaped) = self.string_end(at + 1)?;
        Ok((Text::json(self.span(at + 1, end), escaped), end + 1))
    }

    #[inline]
    fn string_len(self, at: usize) -> Option<(usize, usize)> {
        let (end, _) = self.string_end(at + 1).ok()?;
        Some((end - at - 1, end + 1))
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline)]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn string_among(self, at: usize, entries: &[u8], count: u8) -> Search<usize> {
        let Some([b'"', word @ ..]) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<9>) else {
            return Search::Open;
        };
        let word = u64::from_le_bytes(*word);
        let letter = word as u8;
        if letter == b'"' {
            return Search::Open;
        }
        let mut rest = entries;
        for index in 0..count {
            let Some([head, _, first @ ..]) = rest.first_chunk::<10>() else {
                return Search::Open;
            };
            let len = usize::from(head >> HEAD_BITS);
            if len == LONG {
                return Search::Open;
            }
            // The first letter tells most apart.
            if first[0] == letter
                && let Some(end) = self.is_name(at, word, rest, 2)
            {
                return Search::Found(index.into(), end + 1);
            }
            let Some(behind) = rest.get(2 + len..) else {
                return Search::Open;
            };
            rest = behind;
        }
        Search::Missing
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn number(self, at: usize) -> Result<(Number<'a>, usize), Halt> {
        if cfg!(any(target_os = "none", feature = "small"))
            && let Some((mantissa, places, end)) = self.short_number(at)
        {
            return Ok((Number::from_short(mantissa, places), end));
        }
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
        if digits + places > SHORT_DIGITS || matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            return None;
        }
        let mantissa = mantissa as i64;
        Some((if negative { -mantissa } else { mantissa }, places as u32, end))
    }

    #[inline]
    fn items(self, at: usize) -> Walk {
        Walk { start: at }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn next_item(self, walk: &mut Walk, after: usize) -> Result<Next<usize, usize>, Halt> {
        if after == walk.start {
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
    fn members(self, at: usize) -> Walk {
        Walk { start: at }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn next_member(self, walk: &mut Walk, after: usize) -> Result<Next<Member<'a, usize>, usize>, Halt> {
        match if after == walk.start { self.first_name(after)? } else { self.next_name(after)? } {
            Next::Item(name_at) => Ok(Next::Item(self.member(name_at)?)),
            Next::End(end) => Ok(Next::End(end)),
        }
    }

    const BY_NAME: bool = true;

    #[inline(always)]
    fn first_name(self, at: usize) -> Result<Next<usize, usize>, Halt> {
        let at = self.white_space(at + 1);
        Ok(if self.bytes.get(at) == Some(&b'}') { Next::End(at + 1) } else { Next::Item(at) })
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn next_name(self, after: usize) -> Result<Next<usize, usize>, Halt> {
        let at = self.white_space(after);
        match self.bytes.get(at) {
            Some(b',') => Ok(Next::Item(self.white_space(at + 1))),
            Some(b'}') => Ok(Next::End(at + 1)),
            _ => self.no_member(at),
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    fn value_named(self, name_at: usize, entry: &[u8]) -> Option<usize> {
        let end = self.is_named(name_at, entry)?;
        match self.bytes.get(end..)?.first_chunk() {
            Some(b"\":") => Some(self.white_space(end + 2)),
            _ => None,
        }
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    fn value_of(self, name_at: usize, name: &[u8]) -> Option<usize> {
        let start = name_at + 1;
        let end = start + name.len();
        if self.bytes.get(name_at) != Some(&b'"') || self.special_from(start) != end {
            return None;
        }
        match self.bytes.get(end..)?.first_chunk() {
            Some(b"\":") if same(self.span(start, end), name) => Some(self.white_space(end + 2)),
            _ => None,
        }
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    fn entry_among(self, at: usize, entries: &[u8], range: Range<usize>) -> Search<usize> {
        // With what is read behind the last name, however short.
        const BEHIND: usize = 7;
        if self.bytes.get(at) != Some(&b'"') {
            return Search::Open;
        }
        let word = self.word_at(at + 1);
        let letter = word as u8;
        // An empty name is left to others.
        if letter == b'"' {
            return Search::Open;
        }
        let (mut next, mut end) = (range.start, range.end);
        for _ in 0..2 {
            let mut rest = entries.get(next..end.wrapping_add(BEHIND)).unwrap_or_default();
            let part_end = end.wrapping_add(BEHIND);
            while let Some([head, _, _, _, _, first @ ..]) = rest.first_chunk::<{ PLAIN_OFFSET + 1 + BEHIND }>() {
                let len = usize::from(head >> HEAD_BITS);
                if len == LONG {
                    return Search::Open;
                }
                // The first letter tells most apart.
                if first[0] == letter
                    && let Some(name_end) = self.is_name(at, word, rest, PLAIN_OFFSET)
                {
                    return Search::Found(part_end.wrapping_sub(rest.len()), name_end + 1);
                }
                let Some(behind) = rest.get(PLAIN_OFFSET + len..) else { break };
                rest = behind;
            }
            (next, end) = (0, range.start);
        }
        Search::Missing
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    fn entry_indexed(
        self,
        at: usize,
        index: &[u8],
        wide: bool,
        entries: &[u8],
        steps: &mut u32,
    ) -> Option<(Option<usize>, usize)> {
        let (first, hash, len) = self.hashed_string(at)?;
        for entry in Candidates::new(index, wide, hash) {
            *steps = steps.saturating_sub(1);
            let [head, _, _, _, _, word @ ..] = entries.get(entry..)?.first_chunk::<{ PLAIN_OFFSET + 8 }>()?;
            // A name of the table that must be escaped is none without escapes.
            if usize::from(*head) >> HEAD_BITS == len {
                let differs = first ^ u64::from_le_bytes(*word);
                let same = if len <= 8 {
                    differs.wrapping_shl((len as u32 * 8).wrapping_neg()) == 0
                } else {
                    differs == 0 && self.is_long_name(at, entries.get(entry..)?, PLAIN_OFFSET).is_some()
                };
                if same {
                    return Some((Some(entry), at + len + 2));
                }
            }
        }
        Some((None, at + len + 2))
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    fn string_hash(self, at: usize) -> Option<(u32, usize)> {
        let (_, hash, len) = self.hashed_string(at)?;
        Some((hash, at + len + 2))
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline(always)]
    fn plain_end(self, at: usize) -> Option<usize> {
        let end = self.special_from(at + 1);
        if self.bytes.get(at) == Some(&b'"') && self.bytes.get(end) == Some(&b'"') { Some(end + 1) } else { None }
    }

    #[cfg(not(any(target_os = "none", feature = "small")))]
    #[inline]
    fn value_behind(self, name_end: usize) -> Option<usize> {
        if self.bytes.get(name_end) == Some(&b':') { Some(self.white_space(name_end + 1)) } else { None }
    }

    #[inline]
    fn member_at(self, name_at: usize) -> Result<Member<'a, usize>, Halt> {
        self.member(name_at)
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
        to.wrapping_sub(from)
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
