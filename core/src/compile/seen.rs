//! `anyOf` and `oneOf` of schemas that ask an object for names alone: the instruction that reads the object knows which are there.

use super::Compiler;
use super::block::{Block, kind};
use super::fold::{Folded, MOST, Node, RUN, Records};
use super::plain::{MOST_NAMES, Plain};
use crate::program::op::{FIRST_NODE, LAST, ONE_OF, Op, group, mask};

impl Compiler<'_, '_> {
    /// The `anyOf` or `oneOf` of schemas that ask objects for names alone: where their references stand, and how many there are.
    pub(super) fn some_required(&self, block: &Block, types: u8) -> Option<(Op, usize, u32)> {
        if block.kind != RUN && (block.kind != kind::LAST_RUN || types != mask::OBJECT) {
            return None;
        }
        let code = self.all();
        let op = Op::of(code.byte(block.at)).filter(|op| matches!(op, Op::AnyOf | Op::OneOf))?;
        let mut at = block.at + 1;
        let count = code.varint(&mut at);
        let mut references = at;
        let fits =
            count <= MOST as u32 && (0..count).all(|_| Plain::required(code, code.varint(&mut references)).is_some());
        fits.then_some((op, at, count))
    }

    /// Takes such a one: what is there tells which hold.
    pub(super) fn take_some(&mut self, folded: &mut Folded, block: Block) {
        let Some((_, mut references, count)) = self.some_required(&block, folded.mask) else {
            return;
        };
        let (code, mut at) = (self.all(), references);
        let names = (0..count)
            .filter_map(|_| Plain::required(code, code.varint(&mut at)))
            .fold(0, |sum, object| sum + object.table.count);
        self.spend(names as usize * folded.count as usize);
        if folded.count + names > MOST_NAMES {
            return;
        }
        for _ in 0..count {
            let reference = self.all().varint(&mut references);
            if let Some(object) = Plain::required(self.all(), reference) {
                self.add_names(folded, &object);
            }
        }
        folded.conditions += 1;
        block.set_kind(&mut self.arena, kind::CONDITION);
    }

    /// Writes an `anyOf` or `oneOf` of names. It stands behind a lone instruction for objects, where no other comes between.
    pub(super) fn write_some(&mut self, node: &Node, folded: &Folded, op: Op, mut references: usize, count: u32) {
        let own = self.arena.len();
        self.extend(&[mask::ALL, group::ANY, op as u8 | LAST]);
        self.push_varint(count);
        let mut at = references;
        for _ in 0..count {
            let reference = self.all().varint(&mut at);
            self.push_varint(reference);
        }
        let front = self.arena.len();
        self.push(Op::SomeSeen as u8 | if op == Op::OneOf { ONE_OF } else { 0 });
        self.push_varint(count);
        for _ in 0..count {
            let reference = self.all().varint(&mut references);
            let names = Plain::required(self.all(), reference).map_or(0, |object| self.required_names(folded, &object));
            self.push_bits(names);
        }
        self.push_varint(own as u32 + FIRST_NODE + 1);
        let mut records = Records::new(node, folded.mark);
        let mut alone = folded.mask == mask::OBJECT && folded.conditions == 1 && !folded.left_over;
        while let Some(block) = records.next(self) {
            alone &= block.kind != kind::LAST_RUN || self.was_taken(folded, &block);
        }
        self.stash(if alone { kind::LAST_RUN } else { RUN }, front);
    }
}
