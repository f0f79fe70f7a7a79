//! Keywords for arrays.

use super::block::{self, block_at, kind};
use super::error::{Result, SchemaErrorKind, stop};
use super::keyword::Keyword;
use super::object::bit;
use super::{Compiler, Dialect, Draft, NONE, kind_of};
use crate::instance::{Instance, Kind, Next};
use crate::program::op::{Op, array, group};

impl Compiler<'_, '_> {
    /// `items`: a schema for all items, or before 2020-12 an array of schemas for the first ones.
    pub(super) fn items(&mut self, at: usize, draft: &mut Draft) -> Result<usize> {
        if self.dialect < Dialect::Draft2020_12 && kind_of(self.doc, at) == Some(Kind::Array) {
            return self.prefix_items(at);
        }
        self.child(at, &mut draft.items)
    }

    /// `prefixItems`, and `items` with an array before 2020-12.
    pub(super) fn prefix_items(&mut self, at: usize) -> Result<usize> {
        self.each_item(at, false, &mut |compiler, item| {
            let mut reference = 0;
            let after = compiler.child(item, &mut reference)?;
            block::push_words(&mut compiler.arena, kind::PREFIX, &[reference])?;
            Ok(after)
        })
    }

    /// Reads an array item by item; `read` gives the place behind the item.
    pub(super) fn each_item(
        &mut self,
        at: usize,
        may_be_empty: bool,
        read: &mut dyn FnMut(&mut Self, usize) -> Result<usize>,
    ) -> Result<usize> {
        let doc = self.doc;
        if kind_of(doc, at) != Some(Kind::Array) {
            return Err(self.unexpected(SchemaErrorKind::ExpectedArray, at));
        }
        let mut items = doc.items(at);
        let mut after = at;
        let mut empty = true;
        loop {
            match doc.next_item(&mut items, after)? {
                Next::End(_) if empty && !may_be_empty => return stop(SchemaErrorKind::EmptyArray, at),
                Next::End(end) => return Ok(end),
                Next::Item(item) => {
                    empty = false;
                    after = read(self, item)?;
                }
            }
        }
    }

    /// Turns what is known of arrays into one instruction.
    pub(super) fn seal_array(&mut self, draft: &Draft) -> Result<()> {
        if draft.seen & KEYWORDS == 0 {
            return Ok(());
        }
        let mut prefix = 0_u64;
        let mut at = draft.mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            prefix += u64::from(block.kind == kind::PREFIX);
        }
        // Before 2020-12, what follows the prefix is `additionalItems`, which means nothing without one.
        let old_prefix = self.dialect < Dialect::Draft2020_12 && draft.has(Keyword::Items) && draft.items == NONE;
        let rest = if old_prefix { draft.additional_items } else { draft.items };
        let flag = |condition: bool, flag: u8| if condition { flag } else { 0 };
        let flags = flag(draft.min_items != NONE, array::MIN)
            | flag(draft.max_items != NONE, array::MAX)
            | flag(prefix > 0, array::PREFIX)
            | flag(rest != NONE, array::ITEMS)
            | flag(draft.contains != NONE, array::CONTAINS)
            | flag(draft.unique, array::UNIQUE);
        if flags == 0 {
            return Ok(());
        }
        let flags = flags
            | flag(old_prefix && rest != NONE, array::OLD_NAMES)
            | flag(draft.contains != NONE && self.dialect >= Dialect::Draft2020_12, array::CONTAINS_EVALUATES);
        let mark = self.arena.len();
        self.arena.push(Op::Array as u8)?;
        self.arena.push(flags)?;
        for bound in [draft.min_items, draft.max_items] {
            if bound != NONE {
                self.arena.push_varint(u64::from(bound))?;
            }
        }
        if prefix > 0 {
            self.arena.push_varint(prefix)?;
            let mut at = draft.mark;
            while let Some(block) = block_at(&self.arena, at) {
                at = block.next();
                if block.kind == kind::PREFIX {
                    let reference = block.word(&self.arena, 0);
                    self.arena.push_varint(u64::from(reference))?;
                }
            }
        }
        if rest != NONE {
            self.arena.push_varint(u64::from(rest))?;
        }
        if draft.contains != NONE {
            self.arena.push_varint(u64::from(draft.contains))?;
            self.arena.push_varint(if draft.min_contains == NONE { 1 } else { u64::from(draft.min_contains) })?;
            self.arena.push_varint(if draft.max_contains == NONE { 0 } else { u64::from(draft.max_contains) + 1 })?;
        }
        if self.retire(draft.mark, &[kind::PREFIX]) {
            self.arena.release(draft.mark);
        }
        block::stash(&mut self.arena, kind::RUN + group::ARRAY.trailing_zeros() as u8, mark)?;
        Ok(())
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
