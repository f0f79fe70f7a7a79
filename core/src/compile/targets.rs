//! The schemas that references lead to, findable by place and by the text of a reference.

use super::Compiler;
use super::error::SchemaErrorKind;
use super::resource::Location;
use crate::arena::Arena;

/// The schemas that references lead to, in a table at the very end of the arena; behind it, lists of those with the same hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Targets {
    at: usize,
    capacity: usize,
    /// How many there are.
    pub(super) len: usize,
    /// The innermost one in progress: its number, from 1.
    pub(super) open: u32,
    /// How many links there are.
    pub(super) links: u32,
}

/// Words of a target.
pub(super) mod word {
    pub(in crate::compile) const AT: usize = 0;
    /// The document, and `LONE`.
    pub(in crate::compile) const DOCUMENT: usize = 1;
    /// While it is being compiled, `OPEN` and the number of the one around it.
    pub(in crate::compile) const REFERENCE: usize = 2;
    /// Level of instance on which that began; then the place behind the schema.
    pub(in crate::compile) const LEVEL: usize = 3;
    /// Offset of the link node that recursion goes through; 0 when there is none.
    pub(in crate::compile) const LINK: usize = 4;
    /// Hash of the first reference that led here (never 0), where that stands, and its resource.
    pub(in crate::compile) const HASH: usize = 5;
    pub(in crate::compile) const TEXT: usize = 6;
    pub(in crate::compile) const RESOURCE: usize = 7;
    /// The next target of the same hash of place, and of the same hash of text: numbers from 1.
    pub(in crate::compile) const NEXT_AT: usize = 8;
    pub(in crate::compile) const NEXT_TEXT: usize = 9;
    /// When it was last looked at for a way back, and found to have none: level and number of links.
    pub(in crate::compile) const CHECKED: usize = 10;
    pub(in crate::compile) const COUNT: usize = 11;
}

/// In progress.
pub(super) const OPEN: u32 = 1 << 31;
/// The reference that led here first means nothing else, whatever the dynamic scope.
pub(super) const LONE: u32 = 1 << 16;
/// Targets of one hash. Honest ones are a handful.
const MAX_CHAIN: u32 = 256;

impl Targets {
    /// Bytes of a table of so many targets.
    pub(super) const fn size(capacity: usize) -> usize {
        capacity * (word::COUNT + 2) * 4
    }

    /// A table in bytes of the arena that are zero.
    pub(super) const fn new(at: usize, capacity: usize) -> Self {
        Self { at, capacity, len: 0, open: 0, links: 0 }
    }

    pub(super) fn slot(&self, index: usize) -> usize {
        self.at + index * word::COUNT * 4
    }

    /// Where the first of those with this hash is kept; `which` is 0 for places, 1 for texts.
    pub(super) fn head(&self, hash: u32, which: usize) -> usize {
        let index = ((u64::from(hash) * self.capacity as u64) >> 32) as usize;
        self.slot(self.capacity) + (index * 2 + which) * 4
    }

    /// Puts a target at the front of a list.
    pub(super) fn list(&self, arena: &mut Arena<'_>, slot: usize, head: usize, next: usize) {
        let number = (slot.saturating_sub(self.at) / (word::COUNT * 4)) as u32 + 1;
        arena.set_word(slot + next * 4, arena.word(head));
        arena.set_word(head, number);
    }

    /// The links to targets in progress on this level of the instance.
    pub(super) fn open_links(&self, arena: &Arena<'_>, level: u32) -> impl Iterator<Item = u32> {
        let mut number = self.open;
        core::iter::from_fn(move || {
            while let Some(index) = number.checked_sub(1) {
                let slot = self.slot(index as usize);
                number = arena.word(slot + word::REFERENCE * 4) & !OPEN;
                let link = arena.word(slot + word::LINK * 4);
                if link != 0 && arena.word(slot + word::LEVEL * 4) == level {
                    return Some(link);
                }
            }
            None
        })
    }

    /// A new target in progress; `None` when there is no room.
    pub(super) fn add(&mut self, arena: &mut Arena<'_>, location: Location, level: u32) -> Option<usize> {
        if self.len >= self.capacity {
            return None;
        }
        let slot = self.slot(self.len);
        self.len += 1;
        let words = [location.at as u32, u32::from(location.document), OPEN | self.open, level];
        for (index, word) in words.into_iter().enumerate() {
            arena.set_word(slot + index * 4, word);
        }
        self.open = self.len as u32;
        self.list(arena, slot, self.head(place_hash(location), 0), word::NEXT_AT);
        Some(slot)
    }
}

impl Compiler<'_, '_> {
    /// The first target in the list that begins at `head` and goes on at the word `next`, that `is` the one.
    pub(super) fn search_targets(&self, head: usize, next: usize, is: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        let mut number = self.arena.word(head);
        for _ in 0..MAX_CHAIN {
            let index = number.checked_sub(1).filter(|_| self.targets.capacity > 0)?;
            let slot = self.targets.slot(index as usize);
            if is(slot) {
                return Some(slot);
            }
            number = self.arena.word(slot + next * 4);
        }
        self.stop(SchemaErrorKind::TooCostly, 0)
    }

    pub(super) fn find_target(&self, location: Location) -> Option<usize> {
        let arena = &self.arena;
        self.search_targets(self.targets.head(place_hash(location), 0), word::NEXT_AT, &mut |slot| {
            arena.word(slot + word::AT * 4) as usize == location.at
                && arena.word(slot + word::DOCUMENT * 4) as u16 == location.document
        })
    }
}

fn place_hash(location: Location) -> u32 {
    (location.at as u32 ^ u32::from(location.document) << 16).wrapping_mul(0x9E37_79B9)
}
