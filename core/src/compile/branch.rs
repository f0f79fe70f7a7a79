//! `allOf`, `anyOf`, `oneOf`: folded into the schema around them where that means the same.

use super::block::{Block, block_at, kind};
use super::fold::Node;
use super::keyword::Keyword;
use super::table::entry;
use super::{Compiler, Draft, FOLDS, NONE};
use crate::hash;
use crate::instance::Kind;
use crate::program::code::{Code, Table};
use crate::program::op::{ANY_OF, DISTINCT, FIRST_NODE, LAST, ONE_OF, Op, Why, group, mask};

/// Words of a `BRANCH` record.
pub(super) mod word {
    pub(in crate::compile) const MASK: usize = 0;
    pub(in crate::compile) const WHY: usize = 1;
    pub(in crate::compile) const REFERENCE: usize = 2;
}

/// Records of instructions for strings.
const STRINGS: u8 = kind::RUN + group::STRING.trailing_zeros() as u8;

impl Compiler<'_, '_> {
    /// `allOf`: the instructions of each branch become instructions of the schema.
    pub(super) fn all_of(&mut self, at: usize, draft: &mut Draft) -> usize {
        let mut after = self.begin_array(at, false);
        while self.next_item(at, &mut after) {
            let mut branch = Draft::new(&self.arena);
            after = self.inline(after, &mut branch);
            draft.narrow(branch.mask, branch.why);
        }
        after
    }

    /// Reads a schema that applies to the same value into a draft of its own, and seals it.
    pub(super) fn inline(&mut self, at: usize, draft: &mut Draft) -> usize {
        if self.kind(at) != Kind::Object || self.is_resource(at) {
            let mut reference = 0;
            let after = self.schema(at, &mut reference);
            self.apply_in_place(reference, draft);
            return after;
        }
        if self.check_only {
            return self.check_object(at);
        }
        let after = self.keywords(at, draft);
        if draft.of(Keyword::UnevaluatedProperties) != NONE || draft.of(Keyword::UnevaluatedItems) != NONE {
            // It looks at its own annotations only.
            let reference = self.emit(draft);
            *draft = Draft::new(&self.arena);
            self.apply_in_place(reference, draft);
        } else {
            self.seal(draft);
        }
        after
    }

    /// Applies a compiled schema to the same value.
    pub(super) fn apply_in_place(&mut self, reference: u32, draft: &mut Draft) {
        if reference < FIRST_NODE {
            draft.narrow(reference as u8, Why::Type);
            return;
        }
        self.instruction(Op::AllOf, group::ANY, &[1, reference]);
    }

    /// `anyOf`, `oneOf`. Branches for different types become one node: the type of the value tells which is meant.
    pub(super) fn some_of(&mut self, at: usize, op: Op, draft: &mut Draft) -> usize {
        let why = if op == Op::OneOf { Why::OneOf } else { Why::AnyOf };
        let mark = self.arena.back();
        let mut after = self.begin_array(at, false);
        while self.next_item(at, &mut after) {
            let record = self.push_words(kind::BRANCH, &[0, 0, 0]);
            let mut branch = Draft::new(&self.arena);
            after = self.inline(after, &mut branch);
            record.set_word(&mut self.arena, word::MASK, u32::from(branch.mask));
            record.set_word(&mut self.arena, word::WHY, branch.why as u32);
        }
        if self.check_only {
            return after;
        }
        if let Some(union) = self.disjoint(mark) {
            self.merge(mark);
            draft.narrow(union, why);
            return after;
        }
        if self.constants(mark, op) {
            draft.narrow(mask::STRING, why);
            return after;
        }
        self.emit_branches(mark);
        let code = Code::new(self.arena.written());
        let union = self.branches(mark).fold(0, |union, branch| union | code.types(branch));
        draft.narrow(union, why);
        if FOLDS && self.told_apart(mark, op) {
            return after;
        }
        let front = self.arena.len();
        self.write_branches(mark, op);
        self.finish_branches(mark, front, kind::LAST_RUN);
        after
    }

    /// Writes an `AnyOf` or `OneOf` of all branches.
    pub(super) fn write_branches(&mut self, mark: usize, op: Op) {
        let code = Code::new(self.arena.written());
        let count = self.branches(mark).count();
        let distinct =
            op == Op::OneOf && self.branches(mark).all(|branch| super::plain::tells_names_apart(code, branch));
        self.push(op as u8 | if distinct { DISTINCT } else { 0 });
        self.push_varint(count as u32);
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::BRANCH {
                let reference = block.word(&self.arena, word::REFERENCE);
                self.push_varint(reference);
            }
        }
    }

    /// Branches that are nothing but strings become one table of them.
    fn constants(&mut self, mark: usize, op: Op) -> bool {
        let (mut branches, mut tables) = (0, 0);
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            match block.kind {
                kind::BRANCH
                    if branches == tables && block.word(&self.arena, word::MASK) == u32::from(mask::STRING) =>
                {
                    branches += 1;
                }
                STRINGS if is_strings(self.arena.get(block.at)) => tables += 1,
                kind::BRANCH | 0..=kind::LAST_RUN => return false,
                _ => {}
            }
        }
        if branches != tables || branches == 0 {
            return false;
        }
        let back = self.arena.back();
        let (mut at, mut count) = (mark, 0);
        while at > back
            && let Some(block) = block_at(&self.arena, at)
        {
            at = block.next();
            if block.kind == STRINGS {
                let table = Table::read(Code::new(self.arena.all()), block.at + 1);
                count += self.push_values(&table, NONE);
            }
        }
        // Of several equal values of an `anyOf` the first is enough; a look-up of them (`if`) may have each only once.
        if self.drop_doubles(back, count) && op == Op::OneOf {
            self.arena.release(back);
            return false;
        }
        let front = self.arena.len();
        self.push(Op::StringEnum as u8 | if op == Op::OneOf { ONE_OF } else { ANY_OF });
        self.table(back, kind::ENTRY, 0);
        self.finish_branches(mark, front, STRINGS);
        true
    }

    /// Makes an entry for each value of a table; gives their number.
    pub(super) fn push_values(&mut self, table: &Table, reference: u32) -> usize {
        let (mut next, mut count) = (table.entries, 0);
        loop {
            let code = Code::new(self.arena.all());
            let Some(value) = table.entry(code, next) else {
                return count;
            };
            next = value.after;
            let at = offset_in(code, value.name).unwrap_or(0);
            let (hash, len) = (hash::bytes(value.name), value.name.len());
            self.push_words(kind::ENTRY, &[hash, at as u32, reference, entry::WRITTEN, len as u32]);
            count += 1;
        }
    }

    /// Whether two of the entries made since `back` have the same text. The later ones are dropped.
    pub(super) fn drop_doubles(&mut self, back: usize, count: usize) -> bool {
        let same = |compiler: &Self, one: Block, other: Block| {
            let text = |block: Block| {
                let at = block.word(&compiler.arena, entry::AT) as usize;
                compiler.arena.range(at, at + block.word(&compiler.arena, entry::LEN) as usize)
            };
            text(one) == text(other)
        };
        self.drop_same(back, count, same).is_some()
    }

    /// Drops the records of all branches, and makes what stands at the front since `front` the instruction for them.
    pub(super) fn finish_branches(&mut self, mark: usize, front: usize, kind: u8) {
        let len = self.arena.len() - front;
        self.arena.release(mark);
        // What was released lies above; the copy goes down from there, over it.
        let block = self.push_block(kind, len);
        self.arena.copy(front, block.at, len);
        self.arena.truncate(front);
    }

    /// The union of the branches' types when no two admit the same and each instruction can go to one type.
    fn disjoint(&self, mark: usize) -> Option<u8> {
        let (mut union, mut taken, mut current) = (0, 0, 0);
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            match block.kind {
                kind::BRANCH => {
                    current = block.word(&self.arena, word::MASK) as u8;
                    let types = if current & mask::NUMBER != 0 { current | mask::NUMBER } else { current };
                    if taken & types != 0 {
                        return None;
                    }
                    taken |= types;
                    union |= current;
                }
                kind::LAST_RUN => {
                    only_group(current)?;
                }
                _ => {}
            }
        }
        Some(union)
    }

    /// Makes the branches' instructions the schema's own.
    fn merge(&mut self, mark: usize) {
        let mut current = 0;
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            match block.kind {
                kind::BRANCH => {
                    current = block.word(&self.arena, word::MASK) as u8;
                    block.set_kind(&mut self.arena, kind::DEAD);
                }
                kind::LAST_RUN => {
                    if let Some(group) = only_group(current) {
                        block.set_kind(&mut self.arena, kind::RUN + group);
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes a node for each branch.
    fn emit_branches(&mut self, mark: usize) {
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind != kind::BRANCH {
                continue;
            }
            let mut end = at;
            while let Some(inner) = block_at(&self.arena, end)
                && inner.kind != kind::BRANCH
            {
                end = inner.next();
            }
            let mask = block.word(&self.arena, word::MASK) as u8;
            let why = Why::of((block.word(&self.arena, word::WHY) as u8) << Why::SHIFT);
            let reference = self.emit_node(&mut Node { mask, why, from: at, to: end, unevaluated: NONE });
            block.set_word(&mut self.arena, word::REFERENCE, reference);
            at = end;
        }
    }

    pub(super) fn branches(&self, mark: usize) -> impl Iterator<Item = u32> {
        let mut at = mark;
        core::iter::from_fn(move || {
            while let Some(block) = block_at(&self.arena, at) {
                at = block.next();
                if block.kind == kind::BRANCH {
                    return Some(block.word(&self.arena, word::REFERENCE));
                }
            }
            None
        })
    }
}

/// The table of a schema that admits nothing but the strings in it.
pub(super) fn strings(code: Code<'_>, reference: Option<u32>) -> Option<Table> {
    let node = reference?.checked_sub(FIRST_NODE)? as usize;
    let op = code.byte(node + 2);
    let fits = code.byte(node) == mask::STRING
        && code.byte(node + 1) & group::ALL == group::STRING
        && is_strings(op)
        && op & LAST != 0;
    fits.then(|| Table::read(code, node + 3))
}

const fn is_strings(op: u8) -> bool {
    matches!(Op::of(op), Some(Op::StringConst | Op::StringEnum))
}

/// Where a part of the code stands in it.
pub(super) fn offset_in(code: Code<'_>, part: &[u8]) -> Option<usize> {
    (part.as_ptr() as usize).checked_sub(code.bytes().as_ptr() as usize)
}

/// The number of the one group that values of these types belong to.
const fn only_group(mask: u8) -> Option<u8> {
    const NUMBERS: u8 = group::NUMBER.trailing_zeros() as u8;
    match mask {
        mask::INTEGER | mask::FRACTION | mask::NUMBER => Some(NUMBERS),
        mask::STRING => Some(group::STRING.trailing_zeros() as u8),
        mask::ARRAY => Some(group::ARRAY.trailing_zeros() as u8),
        mask::OBJECT => Some(group::OBJECT.trailing_zeros() as u8),
        _ => None,
    }
}
