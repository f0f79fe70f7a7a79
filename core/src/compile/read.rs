//! Reading the texts. That one is no JSON is an error like any other.

use super::elements::{Element, Elements};
use super::error::{SchemaErrorKind, of_text};
use super::{Compiler, MAX_DEPTH};
use crate::error::Halt;
use crate::instance::{Instance, Kind, Next};
use crate::json::{self, Json};
use crate::text::Text;

impl<'s> Compiler<'_, 's> {
    #[cold]
    #[inline(never)]
    pub(super) fn halted(&self, halt: Halt) {
        let (kind, at) = of_text(halt.error());
        self.note(kind, at);
    }

    /// Notes what is no UTF-8.
    pub(super) fn check_bytes(&self, bytes: &[u8]) {
        if let Err(error) = Json::new(bytes) {
            let (kind, at) = of_text(Some(error));
            self.note(kind, at);
        }
    }

    /// What was read, or after an error anything.
    pub(super) fn read<T>(&self, result: Result<T, Halt>, otherwise: T) -> T {
        result.unwrap_or_else(|halt| {
            self.halted(halt);
            otherwise
        })
    }

    /// The kind of the value at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn kind(&self, at: usize) -> Kind {
        self.read(self.doc.kind(at), Kind::Null)
    }

    /// The place behind the value at `at`, which is not looked at.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn skip(&self, at: usize) -> usize {
        self.read(self.doc.skip(at, MAX_DEPTH.into()), at)
    }

    /// The same where the text may be another, and may be no schema.
    pub(super) fn skip_in(&self, doc: Json<'_>, at: usize) -> usize {
        self.read(doc.skip(at, json::MAX_DEPTH), at)
    }

    /// The string at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn text(&self, at: usize) -> Text<'s> {
        self.read(self.doc.string(at), (Text::plain(""), at)).0
    }

    /// The place of an array, which may have to have an item, and of an object, for what follows.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn begin_array(&self, at: usize, may_be_empty: bool) -> usize {
        if self.kind(at) != Kind::Array {
            return self.stop(SchemaErrorKind::ExpectedArray, at);
        }
        if !may_be_empty && !self.next_item(at, &mut { at }) {
            return self.stop(SchemaErrorKind::EmptyArray, at);
        }
        at
    }

    /// The same of an object.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn begin_object(&self, at: usize) -> usize {
        if self.kind(at) == Kind::Object { at } else { self.stop(SchemaErrorKind::ExpectedObject, at) }
    }

    /// Goes on to the next item of the array at `start`: `after` is the place behind the one before, or at first that of the array. `false` in the
    /// end, at the place behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next_item(&self, start: usize, after: &mut usize) -> bool {
        let next = self.read(self.doc.next_item(&mut self.doc.items(start), *after), Next::End(start));
        let (Next::Item(at) | Next::End(at)) = next;
        *after = at;
        matches!(next, Next::Item(_)) && !self.stopped()
    }

    /// The same for the members of an object: the name and the place of the value. `after` is the place of the name then.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next_member(&self, doc: Json<'s>, start: usize, after: &mut usize) -> Option<(Text<'s>, usize)> {
        match self.read(doc.next_member(&mut doc.members(start), *after), Next::End(start)) {
            Next::Item(member) if !self.stopped() => {
                *after = member.name_at;
                Some((member.name, member.value))
            }
            Next::Item(_) => None,
            Next::End(end) => {
                *after = end;
                None
            }
        }
    }

    /// The value of the first member of this name of the object at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn member_in(&self, doc: Json<'s>, at: usize, name: &[u8]) -> Option<usize> {
        if doc.kind(at) != Ok(Kind::Object) {
            return None;
        }
        let mut after = at;
        while let Some((found, value)) = self.next_member(doc, at, &mut after) {
            if found.equals(name) {
                return Some(value);
            }
            after = self.skip_in(doc, value);
        }
        None
    }

    /// The elements of the value at `at`, where that is a container.
    pub(super) fn elements(&self, doc: Json<'s>, at: usize) -> Option<Elements<'s>> {
        self.read(Elements::of(doc, at), None)
    }

    /// The next of them. `after` is the place behind the one before, or at first that of the container; in the end, behind that.
    pub(super) fn next_element(&self, elements: &mut Elements<'s>, after: &mut usize) -> Option<Element<'s>> {
        match self.read(elements.next(*after), Next::End(*after)) {
            Next::Item(element) if !self.stopped() => Some(element),
            Next::Item(_) => None,
            Next::End(end) => {
                *after = end;
                None
            }
        }
    }
}

/// The place behind the string at `at`.
pub(super) const fn behind(at: usize, text: Text<'_>) -> usize {
    at + text.end() + 2
}
