//! The text of a schema, or of a document that it refers to. It is looked over once; reading it cannot fail from then on.

use crate::error::Error;
use crate::instance::{Instance, Kind};
use crate::issue::Segment;
use crate::json::{Json, MAX_DEPTH};
use crate::number::Number;
use crate::text::Text;

/// A text that was looked over. On any other, what is read means nothing, and reading ends nevertheless.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document<'s> {
    pub(super) json: Json<'s>,
}

impl<'s> Document<'s> {
    /// Whether it is JSON, all of it.
    pub(super) fn look_over(bytes: &[u8]) -> Result<(), Error> {
        let json = Json::new(bytes)?;
        let end = json.skip(json.white_space(0), MAX_DEPTH).and_then(|end| json.finish(end));
        end.or_else(|halt| halt.error().map_or(Ok(()), Err))
    }

    pub(super) const fn new(bytes: &'s [u8]) -> Self {
        Self { json: Json::trusted(bytes) }
    }

    pub(super) const fn bytes(self) -> &'s [u8] {
        self.json.bytes()
    }

    /// The bytes from `from` to `to`.
    pub(super) fn span(self, from: usize, to: usize) -> &'s [u8] {
        self.json.span(from, to)
    }

    fn byte(self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn root(self) -> usize {
        self.json.white_space(0)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn kind(self, at: usize) -> Kind {
        self.json.kind(at).unwrap_or(Kind::Null)
    }

    /// The place behind the value at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn skip(self, at: usize) -> usize {
        self.json.skip(at, MAX_DEPTH).unwrap_or(self.bytes().len())
    }

    /// The string at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn string(self, at: usize) -> Text<'s> {
        self.json.string(at).map_or(Text::plain(""), |(text, _)| text)
    }

    /// The number at `at`, and the place behind it.
    pub(super) fn number(self, at: usize) -> (Number<'s>, usize) {
        self.json.number(at).unwrap_or((Number::from_u64(0), at))
    }

    /// Goes on to the next item or member of a container: from the place of that, or from behind the one before. `false` where there is none,
    /// and then to the place behind the container.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn advance(self, at: &mut usize) -> bool {
        *at = self.json.white_space(*at);
        let goes_on = matches!(self.byte(*at), b',' | b'[' | b'{');
        if goes_on {
            *at = self.json.white_space(*at + 1);
        }
        let is_element = goes_on && !matches!(self.byte(*at), b']' | b'}');
        *at += usize::from(!is_element);
        is_element
    }

    /// The member at `at`: its name, and the place of its value.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn member(self, at: usize) -> (Text<'s>, usize) {
        let name = self.string(at);
        let colon = self.json.white_space(behind(at, name));
        (name, self.json.white_space(colon + 1))
    }

    /// The value of the first member of this name of the object at `at`.
    pub(super) fn member_of(self, mut at: usize, name: &[u8]) -> Option<usize> {
        if self.kind(at) != Kind::Object {
            return None;
        }
        while self.advance(&mut at) {
            let (found, value) = self.member(at);
            if found.equals(name) {
                return Some(value);
            }
            at = self.skip(value);
        }
        None
    }
}

/// A walk over the items or members of a container.
pub(super) struct Elements<'s> {
    doc: Document<'s>,
    pub(super) is_object: bool,
    /// The place behind the element before; in the end, behind the container.
    pub(super) after: usize,
    index: u32,
}

/// A member or an item.
pub(super) struct Element<'s> {
    /// Where it begins: a member's name, an item itself.
    pub(super) at: usize,
    pub(super) value: usize,
    pub(super) segment: Segment<'s>,
}

impl<'s> Elements<'s> {
    /// Those of the value at `at`; `None` when that is no container.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn of(doc: Document<'s>, at: usize) -> Option<Self> {
        let kind = doc.kind(at);
        matches!(kind, Kind::Array | Kind::Object).then(|| Self {
            doc,
            is_object: kind == Kind::Object,
            after: at,
            index: 0,
        })
    }

    /// The next one, where `after` was set to the place behind the one before.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next(&mut self) -> Option<Element<'s>> {
        if !self.doc.advance(&mut self.after) {
            return None;
        }
        let at = self.after;
        if self.is_object {
            let (name, value) = self.doc.member(at);
            return Some(Element { at, value, segment: Segment::Name(name) });
        }
        self.index += 1;
        Some(Element { at, value: at, segment: Segment::Index(self.index - 1) })
    }
}

/// The place behind the string at `at`.
pub(super) fn behind(at: usize, text: Text<'_>) -> usize {
    at + text.end() + 2
}
