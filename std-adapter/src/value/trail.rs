//! A tree with the way to one of its places known beforehand, for describing the issue there.
//!
//! The engine finds the way down by asking at each level which element holds the place. A tree answers that by searching; with the ids
//! of the way collected in one search, it is a look at them.

use super::{Items, Members, Place, Tree};
use microschema::{Halt, Instance, Kind, Member, Next, Number, Text};

/// A [`Tree`] with the ids from its root to one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trail<'a, 't> {
    tree: Tree<'a>,
    ids: &'t [usize],
}

impl<'a, 't> Trail<'a, 't> {
    /// Searches for `id`; `ids` is kept by the caller.
    pub(crate) fn to(tree: Tree<'a>, id: usize, ids: &'t mut Vec<usize>) -> Self {
        *ids = tree.trail(id);
        Self { tree, ids }
    }
}

impl<'a> Instance<'a> for Trail<'a, '_> {
    type Place = Place<'a>;
    type Items = Items<'a>;
    type Members = Members<'a>;

    fn holds(self, at: Place<'a>, _: Place<'a>, _: usize) -> bool {
        self.ids.contains(&self.id(at))
    }

    fn root(self) -> Result<Place<'a>, Halt> {
        self.tree.root()
    }

    fn kind(self, at: Place<'a>) -> Result<Kind, Halt> {
        self.tree.kind(at)
    }

    fn string(self, at: Place<'a>) -> Result<(Text<'a>, Place<'a>), Halt> {
        self.tree.string(at)
    }

    fn number(self, at: Place<'a>) -> Result<(Number<'a>, Place<'a>), Halt> {
        self.tree.number(at)
    }

    fn items(self, at: Place<'a>) -> Items<'a> {
        self.tree.items(at)
    }

    fn next_item(self, items: &mut Items<'a>, after: Place<'a>) -> Result<Next<Place<'a>, Place<'a>>, Halt> {
        self.tree.next_item(items, after)
    }

    fn members(self, at: Place<'a>) -> Members<'a> {
        self.tree.members(at)
    }

    fn next_member(
        self,
        members: &mut Members<'a>,
        after: Place<'a>,
    ) -> Result<Next<Member<'a, Place<'a>>, Place<'a>>, Halt> {
        self.tree.next_member(members, after)
    }

    fn skip(self, at: Place<'a>, depth: u32) -> Result<Place<'a>, Halt> {
        self.tree.skip(at, depth)
    }

    fn finish(self, after: Place<'a>) -> Result<(), Halt> {
        self.tree.finish(after)
    }

    fn id(self, at: Place<'a>) -> usize {
        self.tree.id(at)
    }

    fn remember(self, element: Place<'a>, index: u32) -> u32 {
        self.tree.remember(element, index)
    }

    fn recall(self, container: Place<'a>, short: u32) -> Option<Place<'a>> {
        self.tree.recall(container, short)
    }
}
