//! A walk over the values in a container of the schema's text, of either kind.

use crate::error::Halt;
use crate::instance::{Instance, Kind, Next};
use crate::issue::Segment;
use crate::json::{Json, Walk};

/// A walk over an array or an object.
pub(super) struct Elements<'s> {
    doc: Json<'s>,
    walk: Walk,
    is_object: bool,
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
    pub(super) fn of(doc: Json<'s>, at: usize) -> Result<Option<Self>, Halt> {
        let is_object = match doc.kind(at)? {
            Kind::Object => true,
            Kind::Array => false,
            _ => return Ok(None),
        };
        Ok(Some(Self { doc, walk: doc.items(at), is_object, index: 0 }))
    }

    /// The next one. `after` is the place behind the one before, or at first that of the container.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next(&mut self, after: usize) -> Result<Next<Element<'s>, usize>, Halt> {
        if self.is_object {
            return Ok(match self.doc.next_member(&mut self.walk, after)? {
                Next::Item(member) => {
                    Next::Item(Element { at: member.name_at, value: member.value, segment: Segment::Name(member.name) })
                }
                Next::End(end) => Next::End(end),
            });
        }
        Ok(match self.doc.next_item(&mut self.walk, after)? {
            Next::Item(item) => {
                self.index += 1;
                Next::Item(Element { at: item, value: item, segment: Segment::Index(self.index - 1) })
            }
            Next::End(end) => Next::End(end),
        })
    }

    pub(super) fn is_object(&self) -> bool {
        self.is_object
    }
}
