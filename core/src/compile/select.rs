//! Selecting: what tells the branches of an `anyOf` or `oneOf` apart, and conditions on one property, become a look-up.
//!
//! A branch is left out where the look-up shows that it must fail: its property has another value or is missing, or it is closed and does not
//! know the first member. What is left decides; where several are left, that is an `AnyOf` or `OneOf` of these.

use super::admits::{Fact, Selector, admits, applied, closed_names, knows, must_be_escaped, names_of};
use super::block::{Block, block_at, kind};
use super::branch::{offset_in, strings, word};
use super::table::entry;
use super::{Compiler, NONE};
use crate::hash;
use crate::program::code::Code;
use crate::program::op::{FIRST_NODE, LAST, Op, discriminator, group, mask, object};
use crate::text::Text;
use core::cell::Cell;

/// Branches that are told apart by more than a value for each: a bit for each fits a word.
const MOST_BRANCHES: usize = 64;
/// Values that are then looked at for each branch.
const MOST_VALUES: usize = 128;
/// Bytes of these values.
const MOST_BYTES: usize = 1024;
/// Names that a branch may begin with.
const MOST_NAMES: u32 = 4;
/// Properties that are tried.
const MOST_TRIED: usize = 8;
/// Schemas looked into to see whether a branch must fail.
const MOST_LOOKED_INTO: u32 = 32;
/// Different sets of branches.
const MOST_SETS: usize = 16;
const ANYTHING: u32 = mask::ALL as u32;

/// Schemas looked into so for a text of so many bytes.
pub(super) fn most_looks(text: &[u8]) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_mul(16).saturating_add(1 << 20)
}

/// The branches that are selected from.
struct Branches {
    op: Op,
    /// The property: where its name stands, and its length.
    name: usize,
    len: usize,
    count: usize,
    references: [u32; MOST_BRANCHES],
    /// Sets that a schema was written for.
    sets: [(u64, u32); MOST_SETS],
    sets_count: usize,
    /// Schemas that were looked into.
    looks: Cell<u32>,
}

impl Branches {
    fn set(&self, fits: &dyn Fn(u32) -> bool) -> u64 {
        let branches = self.references.iter().take(self.count).enumerate();
        branches.fold(0, |set, (bit, &branch)| set | u64::from(fits(branch)) << bit)
    }

    /// Those that may admit an object with such a property.
    fn admitting(&self, code: Code<'_>, fact: Fact<'_>) -> u64 {
        let name = code.slice(self.name, self.len);
        self.set(&|branch| {
            let mut left = MOST_LOOKED_INTO;
            let fits = admits(code, name, branch, fact, &mut left);
            self.looks.set(self.looks.get() + MOST_LOOKED_INTO - left);
            fits
        })
    }
}

impl Compiler<'_, '_> {
    /// Writes the instruction that selects among branches, where something tells them apart.
    pub(super) fn told_apart(&mut self, mark: usize, op: Op) -> bool {
        let code = Code::new(self.arena.written());
        let is_object = |&reference: &u32| code.types(reference) & mask::OBJECT != 0;
        let mut objects = self.branches(mark).filter(is_object);
        let first = [objects.next(), objects.next()];
        drop(objects);
        let [Some(first), Some(second)] = first else {
            return false;
        };
        for branch in [first, second] {
            for tried in 0..MOST_TRIED {
                let Some((name, len)) = self.constant_property(branch, tried).filter(|_| self.looks.get() > 0) else {
                    break;
                };
                if self.by_value(mark, op, name, len) {
                    return true;
                }
            }
        }
        self.by_first_name(mark, op)
    }

    /// Counts schemas that were looked into. Beyond so many, branches stay as they are.
    fn looked(&self, looks: u32) {
        self.looks.set(self.looks.get().saturating_sub(looks));
    }

    /// The name (place and length in the arena) of the `skip`th property of a branch that must be one of some strings.
    fn constant_property(&self, mut reference: u32, skip: usize) -> Option<(usize, usize)> {
        let code = Code::new(self.arena.written());
        for _ in 0..4 {
            if let Some(names) = names_of(code, reference) {
                let is_constant = |entry: &crate::program::code::Entry<'_>| {
                    strings(code, entry.reference).is_some() && !must_be_escaped(entry.name)
                };
                let entry = names.table.iter(code).filter(is_constant).nth(skip)?;
                return Some((offset_in(code, entry.name)?, entry.name.len()));
            }
            let (op, mut at) = applied(code, reference)?;
            match op {
                Op::AllOf | Op::AnyOf | Op::OneOf => {
                    code.varint(&mut at);
                    reference = code.varint(&mut at);
                }
                Op::Discriminator if skip == 0 => {
                    let selector = Selector::read(code, at);
                    let has_values = selector.what & (discriminator::FIRST | discriminator::IF) == 0;
                    return has_values.then_some((selector.name, selector.len));
                }
                _ => return None,
            }
        }
        None
    }

    /// Selects by the value of a property.
    fn by_value(&mut self, mark: usize, op: Op, name: usize, len: usize) -> bool {
        let back = self.arena.back();
        let (mut at, mut branches, mut values, mut simple, mut required) = (mark, 0, 0, true, true);
        while at > back
            && let Some(block) = block_at(&self.arena, at)
        {
            at = block.next();
            if block.kind == kind::BRANCH {
                let reference = block.word(&self.arena, word::REFERENCE);
                let (listed, is_required) =
                    self.list_values(reference, reference, name, len, &mut { MOST_LOOKED_INTO });
                let code = Code::new(self.arena.written());
                simple = simple
                    && listed > 0
                    && names_of(code, reference).is_some()
                    && code.types(reference) == mask::OBJECT;
                required &= is_required;
                values += listed;
                branches += 1;
                if !simple && values > MOST_VALUES {
                    break;
                }
            }
        }
        let repeats = values > 0 && self.drop_doubles(back, values);
        let wrote = if simple && !repeats {
            // Where the property may be missing, the branches are tried as they are.
            let missing = if required { None } else { Some(self.all_branches(mark, op)) };
            Some([None, missing, None])
        } else if values > 1 && branches <= MOST_BRANCHES && values <= MOST_VALUES && self.is_short(back) {
            self.narrowed(mark, back, op, name, len)
        } else {
            None
        };
        let Some(rest) = wrote else {
            self.arena.release(back);
            return false;
        };
        let what = if op == Op::OneOf { discriminator::ONE_OF } else { discriminator::ANY_OF };
        let front = self.write_selector(back, what, name, len, rest);
        self.finish_branches(mark, front, kind::LAST_RUN);
        true
    }

    /// Makes an entry for each value that the property may have in a schema, which is the branch or applied by it; gives their number, 0
    /// when that is unknown, and whether the property must be there.
    fn list_values(&mut self, branch: u32, reference: u32, name: usize, len: usize, left: &mut u32) -> (usize, bool) {
        *left = left.saturating_sub(1);
        let code = Code::new(self.arena.written());
        if code.types(reference) & mask::OBJECT == 0 {
            return (0, false);
        }
        if let Some(names) = names_of(code, reference) {
            let found = names.table.find(code, Text::json(code.slice(name, len), false), &mut 0);
            let required = found.is_some_and(|entry| names.requires(entry.index));
            return match found.and_then(|entry| strings(code, entry.reference)) {
                Some(values) => (self.push_values(&values, branch), required),
                None => (0, false),
            };
        }
        match applied(code, reference) {
            Some((Op::AllOf | Op::AnyOf | Op::OneOf, mut at)) => {
                let (mut values, mut count) = (0, code.varint(&mut at));
                while count > 0 && *left > 0 {
                    let reference = Code::new(self.arena.written()).varint(&mut at);
                    values += self.list_values(branch, reference, name, len, left).0;
                    count -= 1;
                }
                (values, false)
            }
            Some((Op::Discriminator, at)) => {
                let selector = Selector::read(code, at);
                if selector.is_by(code, code.slice(name, len)) {
                    return (self.push_values(&selector.table, branch), false);
                }
                (0, false)
            }
            _ => (0, false),
        }
    }

    /// Whether the values, which are entries since `back`, are worth a table of their own.
    fn is_short(&self, back: usize) -> bool {
        let (code, mut bytes) = (Code::new(self.arena.all()), 0);
        let mut entries = Entries { at: back };
        while let Some((_, value)) = entries.next(code, self) {
            bytes += value.len();
        }
        bytes <= MOST_BYTES
    }

    /// Gives each of the values, which are entries since `back`, the branches that admit it, where that leaves out enough of them; and those for
    /// what is no object, for objects without the property, and for any other value.
    fn narrowed(&mut self, mark: usize, back: usize, op: Op, name: usize, len: usize) -> Option<[Option<u32>; 3]> {
        let mut branches = Branches {
            op,
            name,
            len,
            count: 0,
            references: [0; MOST_BRANCHES],
            sets: [(0, 0); MOST_SETS],
            sets_count: 0,
            looks: Cell::new(0),
        };
        for (slot, reference) in branches.references.iter_mut().zip(self.branches(mark)) {
            *slot = reference;
            branches.count += 1;
        }
        let code = Code::new(self.arena.all());
        let objects = branches.set(&|branch| code.types(branch) & mask::OBJECT != 0).count_ones();
        let (mut values, mut admitted, mut common) = (0, 0, None);
        let mut entries = Entries { at: back };
        while let Some((_, value)) = entries.next(code, self) {
            let admitting = branches.admitting(code, Fact::Is(value));
            common = Some(if values == 0 || common == Some(admitting) { admitting } else { 0 });
            values += 1;
            admitted += admitting.count_ones();
        }
        // Where most are left, a look-up would only come on top.
        self.looked(branches.looks.take());
        if admitted * 3 > values * objects * 2 {
            return None;
        }
        let is_listed = |value: &[u8]| {
            let mut entries = Entries { at: back };
            core::iter::from_fn(|| entries.next(code, self)).any(|(_, listed)| listed == value)
        };
        let no_object = branches.set(&|branch| code.types(branch) & !mask::OBJECT != 0);
        let missing = branches.admitting(code, Fact::Missing);
        let mut other = branches.admitting(code, Fact::Other(&is_listed));
        self.looked(branches.looks.take());
        let mut entries = Entries { at: back };
        if let Some(common) = common.filter(|&common| common != 0 && other & !common == 0) {
            // That the property is there is all that counts. One value stays, as a table is not empty.
            other = common;
            entries.next(code, self);
            while let Some((block, _)) = entries.next(Code::new(self.arena.all()), self) {
                block.set_kind(&mut self.arena, kind::DEAD);
            }
            entries = Entries { at: back };
        }
        loop {
            let code = Code::new(self.arena.all());
            let Some((block, value)) = entries.next(code, self) else {
                break;
            };
            let admitting = branches.admitting(code, Fact::Is(value));
            // Where none admits it, the branch that lists it says why.
            if let Some(reference) = self.of_set(&mut branches, admitting, true) {
                block.set_word(&mut self.arena, entry::REFERENCE, reference);
            }
        }
        Some([
            self.of_set(&mut branches, no_object, false),
            self.of_set(&mut branches, missing, false),
            self.of_set(&mut branches, other, true),
        ])
    }

    /// A schema for a set of branches. With `apart`, an object that it admits does not have the property twice: another value of it
    /// could match a branch that is left out.
    fn of_set(&mut self, branches: &mut Branches, set: u64, apart: bool) -> Option<u32> {
        if set == 0 {
            return None;
        }
        let apart = apart && branches.op == Op::OneOf;
        if apart && let Some((_, reference)) = branches.sets.iter().take(branches.sets_count).find(|(of, _)| *of == set)
        {
            return Some(*reference);
        }
        let mut chosen = [0; MOST_BRANCHES];
        let mut count = 0;
        for bit in (0..branches.count).filter(|bit| set >> bit & 1 != 0) {
            let mut reference = branches.references.get(bit).copied().unwrap_or(0);
            if apart {
                reference = self.knowing(reference, branches.name, branches.len);
            }
            if let Some(slot) = chosen.get_mut(count) {
                *slot = reference;
                count += 1;
            }
        }
        let reference = match chosen.get(..count).unwrap_or_default() {
            [one] => *one,
            several => {
                let node = self.arena.len();
                self.extend(&[mask::ALL, group::ANY, branches.op as u8 | LAST]);
                self.push_varint(count as u32);
                for &reference in several {
                    self.push_varint(reference);
                }
                self.again += 1;
                node as u32 + FIRST_NODE
            }
        };
        if apart && let Some(slot) = branches.sets.get_mut(branches.sets_count) {
            *slot = (set, reference);
            branches.sets_count += 1;
        }
        Some(reference)
    }

    /// The schema, so that no object that it admits has this property twice.
    pub(super) fn knowing(&mut self, reference: u32, name: usize, len: usize) -> u32 {
        let code = Code::new(self.arena.all());
        if knows(code, code.slice(name, len), reference, &mut { MOST_LOOKED_INTO }) {
            return reference;
        }
        let names = self.arena.len();
        self.extend(&[mask::ALL, group::OBJECT, Op::Object as u8 | LAST, object::TABLE]);
        let back = self.arena.back();
        let hash = hash::bytes(self.arena.range(name, name + len));
        self.push_words(kind::ENTRY, &[hash, name as u32, NONE, entry::WRITTEN, len as u32]);
        self.table(back, kind::ENTRY, 0);
        self.arena.release(back);
        let names = names as u32 + FIRST_NODE;
        if reference == ANYTHING {
            return names;
        }
        let node = self.arena.len();
        self.extend(&[mask::ALL, group::ANY, Op::AllOf as u8 | LAST, 2]);
        self.push_varint(reference);
        self.push_varint(names);
        self.again += 1;
        node as u32 + FIRST_NODE
    }

    /// Selects by the first member, where all branches that admit objects are closed: by the names that they begin with or require, as far as
    /// only one of them has them.
    fn by_first_name(&mut self, mark: usize, op: Op) -> bool {
        let code = Code::new(self.arena.written());
        let (mut count, mut closed) = (0, true);
        for branch in self.branches(mark) {
            count += 1;
            closed &= code.types(branch) & mask::OBJECT == 0 || closed_names(code, branch).is_some();
        }
        if !closed || count > MOST_BRANCHES || self.looks.get() == 0 {
            return false;
        }
        let back = self.arena.back();
        let (mut at, mut selected) = (mark, 0);
        while at > back
            && let Some(block) = block_at(&self.arena, at)
        {
            at = block.next();
            if block.kind != kind::BRANCH {
                continue;
            }
            let reference = block.word(&self.arena, word::REFERENCE);
            let Some(names) = closed_names(Code::new(self.arena.written()), reference) else {
                continue;
            };
            let (mut next, mut found) = (names.table.entries, 0);
            while found < MOST_NAMES {
                let code = Code::new(self.arena.written());
                let Some(name) = names.table.entry(code, next) else {
                    break;
                };
                next = name.after;
                let is_likely = name.index == 0 || names.requires(name.index);
                let knows = |&branch: &u32| {
                    closed_names(code, branch)
                        .is_some_and(|names| names.table.find(code, Text::json(name.name, false), &mut 0).is_some())
                };
                self.looked(if is_likely { count as u32 } else { 1 });
                // A branch that stands there twice has it twice.
                if is_likely && self.branches(mark).filter(knows).nth(1).is_none() {
                    let at = offset_in(code, name.name).unwrap_or(0);
                    let words = [hash::bytes(name.name), at as u32, reference, entry::WRITTEN, name.name.len() as u32];
                    self.push_words(kind::ENTRY, &words);
                    found += 1;
                }
            }
            selected += u32::from(found > 0);
        }
        if selected < 2 {
            self.arena.release(back);
            return false;
        }
        let code = Code::new(self.arena.written());
        let only_objects = self.branches(mark).all(|branch| code.types(branch) == mask::OBJECT);
        let all = Some(self.all_branches(mark, op));
        let what = discriminator::FIRST | if op == Op::OneOf { discriminator::ONE_OF } else { discriminator::ANY_OF };
        let front = self.write_selector(back, what, 0, 0, [all.filter(|_| !only_objects), all, all]);
        self.finish_branches(mark, front, kind::LAST_RUN);
        true
    }

    /// A schema of all branches as they are.
    fn all_branches(&mut self, mark: usize, op: Op) -> u32 {
        let node = self.arena.len();
        self.extend(&[mask::ALL, group::ANY]);
        self.write_branches(mark, op);
        self.arena.set(node + 2, self.arena.get(node + 2) | LAST);
        self.again += 1;
        node as u32 + FIRST_NODE
    }

    /// Writes the instruction whose values are the entries since `back`, at the front; gives where it starts.
    pub(super) fn write_selector(
        &mut self,
        back: usize,
        what: u8,
        name: usize,
        len: usize,
        rest: [Option<u32>; 3],
    ) -> usize {
        let front = self.arena.len();
        self.push(Op::Discriminator as u8);
        self.push(what);
        self.push_varint(len as u32);
        self.append(name, len);
        self.table(back, kind::ENTRY, 0);
        for reference in rest {
            self.push_varint(reference.map_or(0, |reference| reference + 1));
        }
        front
    }
}

/// A walk over entries whose names are written.
struct Entries {
    at: usize,
}

impl Entries {
    fn next<'c>(&mut self, code: Code<'c>, compiler: &Compiler<'_, '_>) -> Option<(Block, &'c [u8])> {
        loop {
            let block = block_at(&compiler.arena, self.at)?;
            self.at = block.next();
            if block.kind == kind::ENTRY {
                return Some((block, entry_name(code, compiler, &block)));
            }
        }
    }
}

/// The name of an entry that is written.
pub(super) fn entry_name<'c>(code: Code<'c>, compiler: &Compiler<'_, '_>, block: &Block) -> &'c [u8] {
    let (at, len) = (block.word(&compiler.arena, entry::AT), block.word(&compiler.arena, entry::LEN));
    code.slice(at as usize, len as usize)
}
