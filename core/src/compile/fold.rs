//! Folding: what several parts of a schema say of an object becomes one instruction, so that one pass over the object checks it all.
//!
//! Folded are the `Object` instructions of a schema and of those it applies by `allOf` or `$ref`; conditions (`if`, `not`) on members
//! that the instruction knows; `anyOf` and `oneOf` of names (`seen`); and `unevaluatedProperties`, where nothing else of the schema evaluates properties.

use super::block::{Block, block_at, kind};
use super::branch::offset_in;
use super::plain::{MOST_NAMES, Object, Plain, window};
use super::table::entry;
use super::{Compiler, NONE};
use crate::hash;
use crate::program::code::Code;
use crate::program::op::{FIRST_NODE, LAST, Op, UNEVALUATED, Why, discriminator, group, mask, object};
use crate::program::walk::{self, Part};
use core::ops::Range;

/// Schemas that are folded into one.
pub(super) const MOST: usize = 16;
/// Schemas looked into for what they evaluate, and bytes of all of them.
const MOST_LOOKED_INTO: usize = 32;
const MOST_LOOKED_AT: usize = 4096;

/// Records of instructions for objects.
pub(super) const RUN: u8 = kind::RUN + group::OBJECT.trailing_zeros() as u8;
/// Parts that only one of the instructions may have: they go by the names in its own table.
const RICH: u8 = object::ADDITIONAL | object::NAMES | object::PATTERNS | object::DEPENDENT;

/// A node that is about to be written.
pub(super) struct Node {
    pub(super) mask: u8,
    pub(super) why: Why,
    /// Its records: from here, and down to there.
    pub(super) from: usize,
    pub(super) to: usize,
    /// `unevaluatedProperties`; `NONE` once it is folded in.
    pub(super) unevaluated: u32,
}

/// A walk over the records of a node: its own, and those that were added at `more`.
pub(super) struct Records {
    at: usize,
    to: usize,
    more: usize,
}

impl Records {
    pub(super) const fn new(node: &Node, more: usize) -> Self {
        Self { at: node.from, to: node.to, more }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next(&mut self, compiler: &Compiler<'_, '_>) -> Option<Block> {
        if self.at <= self.to {
            (self.at, self.to, self.more) = (self.more, 0, 0);
        }
        let block = block_at(&compiler.arena, self.at)?;
        self.at = block.next();
        Some(block)
    }
}

/// The instruction that comes of it. Its names are `ENTRY` records.
pub(super) struct Folded {
    /// Where the entries begin.
    pub(super) mark: usize,
    pub(super) count: u32,
    /// What is taken as it is from the first.
    pub(super) first: Option<Object>,
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) mask: u8,
    pub(super) taken: [Option<Block>; MOST],
    pub(super) taken_count: usize,
    pub(super) conditions: u32,
    /// Values that conditions look at.
    pub(super) watched: u32,
    /// Whether other instructions for objects are left.
    pub(super) left_over: bool,
}

impl<'a, 's> Compiler<'a, 's> {
    /// The whole arena: instructions in records are read like those that are written.
    pub(super) fn all(&self) -> Code<'_> {
        Code::new(self.arena.all())
    }

    /// Replaces the records of a node by fewer that mean the same. They are added at the back.
    pub(super) fn fold(&mut self, node: &mut Node) {
        let (mut objects, mut first, mut conditions) = (0, None, false);
        let mut records = Records::new(node, 0);
        while let Some(block) = records.next(self) {
            conditions |= matches!(Op::of(self.arena.get(block.at)), Some(Op::If | Op::Not));
            if let Some(pc) = self.operand(&block) {
                objects += 1;
                // Of those with more than names, the first one is to be taken first.
                if first.is_none() && self.arena.get(pc + 1) & RICH != 0 {
                    first = Some(block);
                }
            }
        }
        if objects == 0 || (objects == 1 && !conditions && node.unevaluated == NONE) {
            return;
        }
        self.fold_objects(node, first);
    }

    #[inline(never)]
    fn fold_objects(&mut self, node: &mut Node, first: Option<Block>) {
        let mark = self.arena.back();
        let mut folded = Folded {
            mark,
            count: 0,
            first: None,
            min: 0,
            max: NONE,
            mask: node.mask,
            taken: [None; MOST],
            taken_count: 0,
            conditions: 0,
            watched: 0,
            left_over: false,
        };
        if let Some(block) = first {
            self.take(&mut folded, block);
        }
        let mut records = Records::new(node, 0);
        while let Some(block) = records.next(self) {
            if Some(block.at) != first.map(|first| first.at) && self.operand(&block).is_some() {
                self.take(&mut folded, block);
            }
        }
        if folded.taken_count == 0 {
            self.arena.release(mark);
            return;
        }
        let mut records = Records::new(node, mark);
        while let Some(block) = records.next(self) {
            self.take_condition(&mut folded, block);
        }
        let closes = node.unevaluated != NONE && self.evaluates_nothing_more(node, &folded);
        // A condition that was taken is no longer a record of its own.
        if folded.taken_count == 1 && folded.conditions == 0 && !closes {
            self.arena.release(mark);
            return;
        }
        if folded.mask != node.mask {
            (node.mask, node.why) = (folded.mask, Why::Type);
        }
        if closes {
            if let Some(first) = &mut folded.first
                && first.additional == NONE
            {
                first.additional = node.unevaluated;
                first.op |= UNEVALUATED;
            }
            node.unevaluated = NONE;
        }
        self.write_folded(node, &folded);
    }

    /// Where the `Object` instruction of a record stands, or of the schema that it applies.
    fn operand(&self, block: &Block) -> Option<usize> {
        match block.kind {
            RUN if Op::of(self.arena.get(block.at)) == Some(Op::Object) => Some(block.at),
            kind::LAST_RUN => Plain::of(self.all(), self.lone_reference(block)?).map(|plain| plain.pc),
            _ => None,
        }
    }

    /// Takes in what a record says of objects, where that can be done.
    fn take(&mut self, folded: &mut Folded, block: Block) {
        let code = self.all();
        let is_first = folded.first.is_none();
        let fitting = self.operand(&block).and_then(|pc| Object::at(code, pc)).filter(|object| {
            (is_first || object.flags & RICH == 0)
                && folded.count + object.table.count <= MOST_NAMES
                && folded.taken_count < MOST
                // `additionalProperties` goes by the names beside it.
                && (folded.first.as_ref().is_none_or(|first| first.additional == NONE)
                    || object.table.iter(code).all(|entry| entry.reference.is_none() || self.declares(folded, entry.name)))
        });
        let Some(object) = fitting else {
            folded.left_over = true;
            return;
        };
        if block.kind == kind::LAST_RUN
            && let Some(reference) = self.lone_reference(&block)
            && let Some(plain) = Plain::of(self.all(), reference)
        {
            folded.mask &= self.arena.get(plain.node);
            for (index, &from) in plain.any.iter().take(plain.count).enumerate() {
                let next = plain.any.get(index + 1).filter(|_| index + 1 < plain.count);
                let instruction = self.apart(from..next.copied().unwrap_or(plain.end));
                let front = self.arena.len();
                self.append(instruction.start, instruction.len());
                self.arena.set(front, self.arena.get(front) & !LAST);
                self.stash(kind::LAST_RUN, front);
            }
        }
        self.spend(object.table.count as usize * folded.count as usize);
        let mut next = object.table.entries;
        loop {
            let code = self.all();
            let Some(entry) = object.table.entry(code, next) else {
                break;
            };
            next = entry.after;
            let required = (object.required >> (entry.index % MOST_NAMES)) as u32 & entry::REQUIRED;
            let (at, len, reference) = (offset_in(code, entry.name), entry.name.len(), entry.reference.unwrap_or(NONE));
            self.add_name(folded, at.unwrap_or(0), len, reference, required);
        }
        folded.min = folded.min.max(object.min);
        folded.max = folded.max.min(object.max);
        if is_first {
            folded.first = Some(object);
        }
        if let Some(slot) = folded.taken.get_mut(folded.taken_count) {
            *slot = Some(block);
            folded.taken_count += 1;
        }
    }

    /// What an instruction for any type says by itself: one that goes by what the `Object` before it saw is what it was made of.
    fn apart(&self, instruction: Range<usize>) -> Range<usize> {
        let code = self.all();
        if Op::of(code.byte(instruction.start)) != Some(Op::SomeSeen) {
            return instruction;
        }
        let mut branches = None;
        walk::instruction(code, instruction.start, |part, value, _| {
            if part == Part::Otherwise {
                branches = walk::target(value);
            }
        });
        let whole = |node| walk::node(code, node, |_, _, _| {}).ok().map(|end| node + 2..end);
        branches.and_then(whole).unwrap_or(instruction)
    }

    /// The number of a name's entry, and the entry.
    pub(super) fn named(&self, folded: &Folded, name: &[u8]) -> Option<(u32, Block)> {
        let (mut at, mut index) = (folded.mark, 0);
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY {
                let (from, len) = (block.word(&self.arena, entry::AT) as usize, block.word(&self.arena, entry::LEN));
                if self.arena.range(from, from + len as usize) == name {
                    return Some((index, block));
                }
                index += 1;
            }
        }
        None
    }

    /// Whether a name has a schema.
    fn declares(&self, folded: &Folded, name: &[u8]) -> bool {
        self.named(folded, name).is_some_and(|(_, block)| block.word(&self.arena, entry::REFERENCE) != NONE)
    }

    /// Adds a name that stands in the arena, or to what is said of it.
    pub(super) fn add_name(&mut self, folded: &mut Folded, at: usize, len: usize, reference: u32, flags: u32) {
        let name = self.arena.range(at, at + len);
        let Some((_, block)) = self.named(folded, name) else {
            let words = [hash::bytes(name), at as u32, reference, entry::WRITTEN | flags, len as u32];
            self.push_words(kind::ENTRY, &words);
            folded.count += 1;
            return;
        };
        let both = self.both(block.word(&self.arena, entry::REFERENCE), reference);
        block.set_word(&mut self.arena, entry::REFERENCE, both);
        let flags = block.word(&self.arena, entry::FLAGS) | flags;
        block.set_word(&mut self.arena, entry::FLAGS, flags);
    }

    /// A reference to what two schemas say, each of which may be none.
    fn both(&mut self, one: u32, other: u32) -> u32 {
        const ANYTHING: u32 = mask::ALL as u32;
        match (one, other) {
            (NONE | ANYTHING, reference) if reference != NONE => reference,
            (reference, NONE | ANYTHING) => reference,
            _ if one == other => one,
            _ if one < FIRST_NODE && other < FIRST_NODE => one & other,
            _ => {
                let node = self.arena.len();
                self.extend(&[mask::ALL, group::ANY, Op::AllOf as u8 | LAST, 2]);
                self.push_varint(one);
                self.push_varint(other);
                node as u32 + FIRST_NODE
            }
        }
    }

    /// The references of an `if` or a `not` that is there for objects alone: condition, then, else.
    fn condition(&self, block: &Block, types: u8) -> Option<(Op, [u32; 3])> {
        if block.kind != RUN && (block.kind != kind::LAST_RUN || types != mask::OBJECT) {
            return None;
        }
        let code = self.all();
        let op = Op::of(code.byte(block.at)).filter(|op| matches!(op, Op::If | Op::Not))?;
        let mut references = [u32::from(mask::ALL); 3];
        let mut at = block.at + 1;
        for reference in references.iter_mut().take(if op == Op::If { 3 } else { 1 }) {
            *reference = code.varint(&mut at);
        }
        Some((op, references))
    }

    /// Adds the names of a condition, without what it says of them.
    pub(super) fn add_names(&mut self, folded: &mut Folded, object: &Object) {
        let mut next = object.table.entries;
        loop {
            let code = self.all();
            let Some(entry) = object.table.entry(code, next) else {
                return;
            };
            next = entry.after;
            let (at, len) = (offset_in(code, entry.name), entry.name.len());
            self.add_name(folded, at.unwrap_or(0), len, NONE, 0);
        }
    }

    /// Takes a condition that looks at nothing but scalars of names which the instruction has schemas for, and at what is there.
    fn take_condition(&mut self, folded: &mut Folded, block: Block) {
        let Some((_, references)) = self.condition(&block, folded.mask) else {
            return self.take_some(folded, block);
        };
        let code = self.all();
        let [condition, then, otherwise] = references;
        let Some(condition) = Plain::names(code, condition) else {
            return;
        };
        let branches = [then, otherwise].map(|branch| Plain::required(code, branch));
        // Where more is to be checked than what is there, a look-up leads to it.
        let is_decided = |(&branch, names): (&u32, &Option<Object>)| branch == u32::from(mask::ALL) || names.is_some();
        if !references.iter().skip(1).zip(&branches).all(is_decided) && self.choice(&block, folded.mask).is_some() {
            return;
        }
        let names = branches.iter().flatten().fold(condition.table.count, |sum, object| sum + object.table.count);
        let watched = condition.table.iter(code).filter(|entry| entry.reference.is_some()).count() as u32;
        let knows =
            condition.table.iter(code).all(|entry| entry.reference.is_none() || self.declares(folded, entry.name));
        self.spend(names as usize * folded.count as usize);
        if !knows || folded.count + names > MOST_NAMES || folded.watched + watched > MOST_NAMES {
            return;
        }
        for object in [Some(condition)].into_iter().chain(branches).flatten() {
            self.add_names(folded, &object);
        }
        folded.conditions += 1;
        folded.watched += watched;
        block.set_kind(&mut self.arena, kind::CONDITION);
    }

    /// Whether the schema evaluates no other properties than the instruction does.
    fn evaluates_nothing_more(&self, node: &Node, folded: &Folded) -> bool {
        let Some(first) = &folded.first else {
            return false;
        };
        if first.additional != NONE {
            return true;
        }
        let mut look = Look { references: [0; MOST_LOOKED_INTO], count: 0, fits: !folded.left_over };
        let code = self.all();
        let mut records = Records::new(node, folded.mark);
        while let Some(block) = records.next(self) {
            if self.was_taken(folded, &block) {
                let pc = self.operand(&block).unwrap_or(block.at);
                walk::instruction(code, pc, |part, value, _| {
                    if part == Part::Dependent {
                        look.at(value);
                    }
                });
            } else if matches!(block.kind, RUN | kind::LAST_RUN | kind::CONDITION) {
                walk::instruction(code, block.at, |part, value, name| {
                    // What a condition looks at, the instruction has schemas for.
                    if block.kind != kind::CONDITION || part != Part::If {
                        look.part(part, value, &mut || self.declares(folded, name));
                    }
                });
            }
        }
        let (mut next, mut left) = (0, MOST_LOOKED_AT);
        while next < look.count && look.fits {
            let mut name: &[u8] = &[];
            let node = look.references.get(next).map_or(0, |&reference| (reference - FIRST_NODE) as usize);
            let end = walk::node(window(code, node, left), node, |part, value, bytes| {
                if part == Part::Entry {
                    name = bytes;
                }
                look.part(part, value, &mut || self.declares(folded, name));
            });
            match end {
                Ok(end) => left = left.saturating_sub(end - node),
                Err(_) => look.fits = false,
            }
            next += 1;
        }
        self.spend((MOST_LOOKED_AT - left).saturating_mul(folded.count as usize) / 8);
        look.fits
    }

    pub(super) fn was_taken(&self, folded: &Folded, block: &Block) -> bool {
        folded.taken.iter().flatten().any(|taken| taken.at == block.at)
    }

    /// Writes the instruction, what is to be watched for before it, and the conditions behind it.
    fn write_folded(&mut self, node: &Node, folded: &Folded) {
        let Some(first) = &folded.first else {
            return;
        };
        if folded.watched > 0 {
            let front = self.arena.len();
            self.push(Op::Watch as u8);
            self.push_varint(folded.watched);
            let mut records = Records::new(node, folded.mark);
            while let Some(block) = self.next_condition(&mut records) {
                if let Some((_, [condition, ..])) = self.condition(&block, mask::OBJECT) {
                    self.write_watched(folded, condition);
                }
            }
            self.stash(RUN, front);
        }
        self.write_object(folded, first);
        let mut watched = 0;
        let mut records = Records::new(node, folded.mark);
        while let Some(block) = self.next_condition(&mut records) {
            if let Some((op, references, count)) = self.some_required(&block, mask::OBJECT) {
                self.write_some(node, folded, op, references, count);
                continue;
            }
            let Some((op, [condition, then, otherwise])) = self.condition(&block, mask::OBJECT) else {
                break;
            };
            let front = self.arena.len();
            let code = self.all();
            let (mut must, mut passes) = (0, 0);
            if let Some(object) = Plain::names(code, condition) {
                must = self.required_names(folded, &object);
                let count = object.table.iter(code).filter(|entry| entry.reference.is_some()).count() as u32;
                passes = ones(count) << watched;
                watched += count;
            }
            let branches = [then, otherwise].map(|branch| {
                (branch, Plain::required(code, branch).map_or(0, |object| self.required_names(folded, &object)))
            });
            self.push(if op == Op::If { Op::IfSeen } else { Op::NotSeen } as u8);
            self.push_bits(must);
            self.push_bits(passes);
            for (branch, names) in branches.into_iter().filter(|_| op == Op::If) {
                self.push_bits(names);
                self.push_varint(branch);
            }
            self.stash(RUN, front);
        }
        for block in folded.taken.iter().flatten() {
            block.set_kind(&mut self.arena, kind::DEAD);
        }
        self.retire(node.from, &[kind::CONDITION]);
        self.retire(folded.mark, &[kind::ENTRY, kind::CONDITION]);
    }

    fn next_condition(&self, records: &mut Records) -> Option<Block> {
        loop {
            let mut block = records.next(self)?;
            if block.kind == kind::CONDITION {
                block.kind = RUN;
                return Some(block);
            }
        }
    }

    /// Which of the names must be there.
    pub(super) fn required_names(&self, folded: &Folded, object: &Object) -> u64 {
        let code = self.all();
        object
            .table
            .iter(code)
            .filter(|entry| object.required >> (entry.index % MOST_NAMES) & 1 != 0)
            .filter_map(|entry| self.named(folded, entry.name))
            .fold(0, |bits, (index, _)| bits | 1 << (index % MOST_NAMES))
    }

    fn write_watched(&mut self, folded: &Folded, condition: u32) {
        let Some(object) = Plain::names(self.all(), condition) else {
            return;
        };
        let mut next = object.table.entries;
        while let Some(entry) = object.table.entry(self.all(), next) {
            next = entry.after;
            if let (Some(reference), Some((index, _))) = (entry.reference, self.named(folded, entry.name)) {
                self.push_varint(index);
                self.push_varint(reference);
            }
        }
    }

    fn write_object(&mut self, folded: &Folded, first: &Object) {
        let (mut at, mut required) = (folded.mark, false);
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            required |= block.kind == kind::ENTRY && block.word(&self.arena, entry::FLAGS) & entry::REQUIRED != 0;
        }
        let front = self.arena.len();
        let has = |is_there, flag| if is_there { flag } else { 0 };
        let flags = has(folded.count > 0, object::TABLE)
            | has(required, object::REQUIRED)
            | has(first.additional != NONE, object::ADDITIONAL)
            | has(folded.min > 0, object::MIN)
            | has(folded.max != NONE, object::MAX)
            | first.flags & (object::NAMES | object::PATTERNS | object::DEPENDENT);
        self.push(first.op);
        self.push(flags);
        self.table(folded.mark, kind::ENTRY, 0);
        if required {
            self.required_bits(folded.mark);
        }
        for reference in [first.additional, first.names].into_iter().filter(|&reference| reference != NONE) {
            self.push_varint(reference);
        }
        self.write_section(&first.patterns, flags & object::PATTERNS);
        if folded.min > 0 {
            self.push_varint(folded.min);
        }
        if folded.max != NONE {
            self.push_varint(folded.max);
        }
        self.write_section(&first.dependent, flags & object::DEPENDENT);
        self.stash(RUN, front);
    }

    fn write_section(&mut self, bytes: &Range<usize>, is_there: u8) {
        if is_there != 0 {
            self.push_varint(bytes.len() as u32);
            self.append(bytes.start, bytes.len());
        }
    }
}

/// So many bits.
const fn ones(count: u32) -> u64 {
    match 1_u64.checked_shl(count) {
        Some(bit) => bit - 1,
        None => u64::MAX,
    }
}

/// Looking into the schemas that are applied to the same value.
struct Look {
    references: [u32; MOST_LOOKED_INTO],
    count: usize,
    fits: bool,
}

impl Look {
    fn at(&mut self, reference: u32) {
        if reference >= FIRST_NODE && !self.references.iter().take(self.count).any(|&known| known == reference) {
            match self.references.get_mut(self.count) {
                Some(slot) => *slot = reference,
                None => self.fits = false,
            }
            self.count += 1;
        }
    }

    fn part(&mut self, part: Part, value: u32, declares: &mut dyn FnMut() -> bool) {
        match part {
            Part::Property => self.fits &= declares(),
            // A condition evaluates what it looks at.
            Part::Discriminates => self.fits &= value != u32::from(discriminator::IF),
            // What these evaluate is not known here.
            Part::Additional
            | Part::PatternProperty
            | Part::Link
            | Part::Rest
            | Part::Scope
            | Part::Static
            | Part::Candidate => self.fits = false,
            Part::Not => {}
            _ if part.is_in_place() => self.at(value),
            _ => {}
        }
    }
}
