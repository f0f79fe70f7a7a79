//! Conditions on the value of one property (`if` with `const` or `enum`) become a look-up of it: those that stand side by side, and those
//! of which each is the `else` of the one before.

use super::admits::{Selector, must_be_escaped, names_at};
use super::block::{Block, block_at, kind};
use super::branch::{offset_in, strings};
use super::fold::{Node, RUN, Records};
use super::keyword::Keyword;
use super::plain::Plain;
use super::select::entry_name;
use super::table::entry;
use super::{Compiler, Draft, NONE};
use crate::hash;
use crate::program::code::{Code, Table};
use crate::program::op::{FIRST_NODE, LAST, Op, discriminator, group, mask};
use crate::program::walk;
use crate::text::Text;

/// Values of one look-up.
const MOST_VALUES: usize = 128;
const ANYTHING: u32 = mask::ALL as u32;

/// A condition on the value of one property.
pub(super) struct Choice {
    kind: u8,
    /// Where the property's name stands, and its length.
    name: usize,
    len: usize,
    values: Table,
    then: u32,
    otherwise: u32,
    /// For what is no object, and for objects without the property.
    no_object: u32,
    missing: u32,
}

impl Choice {
    /// Whether it says nothing but what follows from its values.
    const fn is_lone(&self) -> bool {
        self.otherwise == ANYTHING && self.missing == ANYTHING && self.no_object == ANYTHING
    }
}

/// Conditions that become one instruction.
struct Group {
    choice: Choice,
    /// Where its entries begin, and how many there are.
    back: usize,
    values: usize,
    rest: [Option<u32>; 3],
    /// The node of the `else` that was taken in, as far as nothing else refers to it.
    spent: usize,
}

impl Compiler<'_, '_> {
    /// `else`, and whether nothing else can refer to what was written for it.
    pub(super) fn otherwise(&mut self, at: usize, draft: &mut Draft) -> usize {
        let (targets, front) = (self.targets.len, self.arena.len());
        let after = self.schema(at, draft.slot(Keyword::Else));
        let reference = draft.of(Keyword::Else);
        let is_own = reference >= front as u32 + FIRST_NODE && !self.is_target_since(targets, reference);
        self.own_else = if is_own { reference } else { NONE };
        after
    }

    /// A condition on nothing but what string a property is.
    pub(super) fn choice(&self, block: &Block, types: u8) -> Option<Choice> {
        if !matches!(block.kind, RUN | kind::LAST_RUN) {
            return None;
        }
        let code = Code::new(self.arena.all());
        if Op::of(code.byte(block.at)) != Some(Op::If) {
            return None;
        }
        let mut at = block.at + 1;
        let [condition, then, otherwise] = [(); 3].map(|()| code.varint(&mut at));
        let object = Plain::names(code, condition)?;
        let entry = object.table.iter(code).next().filter(|entry| !must_be_escaped(entry.name))?;
        let values = strings(code, entry.reference).filter(|_| object.table.count == 1)?;
        let no_object = match code.types(condition) {
            _ if types == mask::OBJECT => ANYTHING,
            mask::ALL => then,
            mask::OBJECT => otherwise,
            _ => return None,
        };
        Some(Choice {
            kind: block.kind,
            name: offset_in(code, entry.name)?,
            len: entry.name.len(),
            values,
            then,
            otherwise,
            no_object,
            missing: if object.required & 1 != 0 { otherwise } else { then },
        })
    }

    /// Turns conditions of a node into look-ups. They are added at the back.
    pub(super) fn choose(&mut self, node: &Node, back: usize) {
        let mut records = Records::new(node, back);
        let mut group: Option<Group> = None;
        while let Some(block) = records.next(self) {
            let Some(choice) = self.choice(&block, node.mask) else {
                continue;
            };
            if let Some(known) = group.take() {
                if self.joins(&known, &choice) {
                    group = Some(known);
                } else {
                    self.write_group(&known);
                }
            }
            block.set_kind(&mut self.arena, kind::DEAD);
            let is_known = self.knows_already(node, back, &choice);
            let mut then = choice.then;
            if !is_known {
                then = self.knowing(then, choice.name, choice.len);
            }
            match &mut group {
                Some(group) => group.values += self.push_values(&choice.values, then),
                None => group = Some(self.begin_group(choice, then, is_known)),
            }
        }
        if let Some(group) = group {
            self.write_group(&group);
        }
    }

    /// Whether an instruction for objects of the node has the property in its table.
    fn knows_already(&self, node: &Node, back: usize, choice: &Choice) -> bool {
        let code = Code::new(self.arena.all());
        let name = Text::json(code.slice(choice.name, choice.len), false);
        let mut records = Records::new(node, back);
        while let Some(block) = records.next(self) {
            let table = if block.kind == RUN { names_at(code, block.at) } else { None };
            if table.is_some_and(|table| table.find(code, name, &mut 0).is_some()) {
                return true;
            }
        }
        false
    }

    /// Whether another condition is on the same property, and neither of the two says anything of other values or of those of the other.
    fn joins(&self, group: &Group, choice: &Choice) -> bool {
        let code = Code::new(self.arena.all());
        let same = |choice: &Choice| code.slice(choice.name, choice.len);
        self.spend(group.values);
        group.choice.is_lone()
            && choice.is_lone()
            && group.choice.kind == choice.kind
            && same(&group.choice) == same(choice)
            && group.values + choice.values.count as usize <= MOST_VALUES
            && !choice.values.iter(code).any(|value| self.has_value(group.back, value.name))
    }

    fn has_value(&self, back: usize, value: &[u8]) -> bool {
        let code = Code::new(self.arena.all());
        let mut at = back;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY && entry_name(code, self, &block) == value {
                return true;
            }
        }
        false
    }

    /// Begins with a condition whose `then` knows the property. An `else` that is such a condition itself is taken in.
    fn begin_group(&mut self, choice: Choice, then: u32, is_known: bool) -> Group {
        let [mut no_object, mut missing, mut other] = [choice.no_object, choice.missing, choice.otherwise];
        let chained = self.chained(&choice);
        let chained_in = chained.is_some();
        if chained.is_none() && !is_known {
            other = self.knowing(other, choice.name, choice.len);
        }
        let back = self.arena.back();
        let mut values = self.push_values(&choice.values, then);
        if let Some(inner) = chained {
            let mut next = inner.table.entries;
            loop {
                let code = Code::new(self.arena.all());
                let Some(entry) = inner.table.entry(code, next) else {
                    break;
                };
                next = entry.after;
                if choice.values.find(code, Text::json(entry.name, false), &mut 0).is_some() {
                    continue;
                }
                let (at, len) = (offset_in(code, entry.name).unwrap_or(0), entry.name.len());
                let words =
                    [hash::bytes(entry.name), at as u32, entry.reference.unwrap_or(NONE), entry::WRITTEN, len as u32];
                self.push_words(kind::ENTRY, &words);
                values += 1;
            }
            let [inner_no_object, inner_missing, inner_other] = inner.rest.map(|rest| rest.unwrap_or(ANYTHING));
            for (slot, inner) in [(&mut no_object, inner_no_object), (&mut missing, inner_missing)] {
                if *slot == choice.otherwise {
                    *slot = inner;
                }
            }
            other = inner_other;
        }
        let is_spent = choice.otherwise == self.own_else && ![no_object, missing, other].contains(&choice.otherwise);
        let spent = walk::target(choice.otherwise).filter(|_| chained_in && is_spent).unwrap_or(usize::MAX);
        Group { choice, back, values, rest: [Some(no_object), Some(missing), Some(other)], spent }
    }

    /// The look-up that the `else` of a condition is, if it is one of the same property.
    fn chained(&self, choice: &Choice) -> Option<Selector> {
        let code = Code::new(self.arena.all());
        let node = walk::target(choice.otherwise)?;
        let lone = [mask::ALL, group::ANY, Op::Discriminator as u8 | LAST];
        if code.slice(node, 3) != lone || code.byte(node + 3) != discriminator::IF {
            return None;
        }
        let inner = Selector::read(code, node + 3);
        let fits = code.slice(inner.name, inner.len) == code.slice(choice.name, choice.len)
            && (inner.table.count + choice.values.count) as usize <= MOST_VALUES;
        fits.then_some(inner)
    }

    fn write_group(&mut self, group: &Group) {
        let choice = &group.choice;
        let front = self.write_selector(group.back, discriminator::IF, choice.name, choice.len, group.rest);
        let mut at = group.back;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY {
                block.set_kind(&mut self.arena, kind::DEAD);
            }
        }
        self.stash(choice.kind, front);
        if group.spent < front && walk::node(Code::new(self.arena.written()), group.spent, |_, _, _| {}) == Ok(front) {
            self.arena.truncate(group.spent);
        }
    }
}
