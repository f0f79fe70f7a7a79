//! Keywords for arrays.

use super::block::{block_at, kind};
use super::keyword::Keyword;
use super::object::bit;
use super::{Compiler, Dialect, Draft, NONE};
use crate::instance::Kind;
use crate::program::op::{Op, array, group};

impl Compiler<'_, '_> {
    /// `items`: a schema for all items, or before 2020-12 an array of schemas for the first ones.
    pub(super) fn items(&mut self, at: usize, draft: &mut Draft) -> usize {
        if self.dialect < Dialect::Draft2020_12 && self.kind(at) == Kind::Array {
            return self.prefix_items(at);
        }
        self.child(at, draft.slot(Keyword::Items))
    }

    /// `prefixItems`, and `items` with an array before 2020-12.
    pub(super) fn prefix_items(&mut self, at: usize) -> usize {
        let mut after = self.begin_array(at, false);
        while self.next_item(at, &mut after) {
            let mut reference = 0;
            after = self.child(after, &mut reference);
            self.push_words(kind::PREFIX, &[reference]);
        }
        after
    }

    /// Turns what is known of arrays into one instruction.
    pub(super) fn seal_array(&mut self, draft: &Draft) {
        if draft.seen & KEYWORDS == 0 {
            return;
        }
        let mut prefix = 0_u32;
        let mut at = draft.mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            prefix += u32::from(block.kind == kind::PREFIX);
        }
        // Before 2020-12, what follows the prefix is `additionalItems`, which means nothing without one.
        let old_prefix =
            self.dialect < Dialect::Draft2020_12 && draft.has(Keyword::Items) && draft.of(Keyword::Items) == NONE;
        let rest = if old_prefix { draft.of(Keyword::AdditionalItems) } else { draft.of(Keyword::Items) };
        let flag = |condition: bool, flag: u8| if condition { flag } else { 0 };
        let flags = flag(draft.of(Keyword::MinItems) != NONE, array::MIN)
            | flag(draft.of(Keyword::MaxItems) != NONE, array::MAX)
            | flag(draft.of(Keyword::Contains) != NONE, array::CONTAINS)
            | flag(prefix > 0, array::PREFIX)
            | flag(rest != NONE, array::ITEMS)
            | flag(draft.unique, array::UNIQUE);
        if flags == 0 {
            return;
        }
        let flags = flags
            | flag(old_prefix && rest != NONE, array::OLD_NAMES)
            | flag(flags & array::CONTAINS != 0 && self.dialect >= Dialect::Draft2020_12, array::CONTAINS_EVALUATES);
        let mark = self.arena.len();
        self.push(Op::Array as u8);
        self.push(flags);
        for bound in [draft.of(Keyword::MinItems), draft.of(Keyword::MaxItems)] {
            if bound != NONE {
                self.push_varint(bound);
            }
        }
        if prefix > 0 {
            self.push_varint(prefix);
            let mut at = draft.mark;
            while let Some(block) = block_at(&self.arena, at) {
                at = block.next();
                if block.kind == kind::PREFIX {
                    let reference = block.word(&self.arena, 0);
                    self.push_varint(reference);
                }
            }
        }
        if rest != NONE {
            self.push_varint(rest);
        }
        if flags & array::CONTAINS != 0 {
            self.push_varint(draft.of(Keyword::Contains));
            self.push_varint(if draft.of(Keyword::MinContains) == NONE { 1 } else { draft.of(Keyword::MinContains) });
            // One more, and 0 where there is none.
            self.push_varint(draft.of(Keyword::MaxContains).wrapping_add(1));
        }
        if self.retire(draft.mark, &[kind::PREFIX]) {
            self.arena.release(draft.mark);
        }
        self.stash(kind::RUN + group::ARRAY.trailing_zeros() as u8, mark);
    }
}

/// The keywords that come together in the instruction.
const KEYWORDS: u64 = bit(Keyword::Items)
    | bit(Keyword::PrefixItems)
    | bit(Keyword::AdditionalItems)
    | bit(Keyword::Contains)
    | bit(Keyword::MinContains)
    | bit(Keyword::MaxContains)
    | bit(Keyword::MinItems)
    | bit(Keyword::MaxItems)
    | bit(Keyword::UniqueItems);
