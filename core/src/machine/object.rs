//! Objects: one pass over the members, each name looked up in the table that the compiler laid down.

use super::member::UNNAMED;
use super::{Machine, QUICK};
use crate::error::{Halt, JsonErrorKind, Limit};
use crate::instance::{Instance, Next};
use crate::program::code::{Code, NO_REFERENCE, Table};
use crate::program::op::{mask, object, part};

/// Which entries of the table the object has named: the first 64 in a word, the rest in scratch.
pub(super) struct Seen {
    pub(super) first: u64,
    wide: usize,
}

impl Seen {
    pub(super) fn new(count: u32, scratch: &mut [u32], top: &mut usize) -> Result<Self, Halt> {
        let wide = *top;
        if count > 64 {
            let words = (count as usize - 64).div_ceil(32);
            let end = top.saturating_add(words);
            scratch.get_mut(wide..end).ok_or(Halt::limit(Limit::Scratch))?.fill(0);
            *top = end;
        }
        Ok(Self { first: 0, wide })
    }

    /// False when it was there already.
    #[inline]
    pub(super) fn insert(&mut self, index: u32, scratch: &mut [u32]) -> bool {
        if index < 64 {
            let fresh = self.first >> index & 1 == 0;
            self.first |= 1 << index;
            return fresh;
        }
        let index = index as usize - 64;
        scratch.get_mut(self.wide + index / 32).is_none_or(|word| {
            let fresh = *word >> (index % 32) & 1 == 0;
            *word |= 1 << (index % 32);
            fresh
        })
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn contains(&self, index: u32, scratch: &[u32]) -> bool {
        if index < 64 {
            return self.first >> index & 1 != 0;
        }
        let index = index as usize - 64;
        scratch.get(self.wide + index / 32).is_some_and(|word| word >> (index % 32) & 1 != 0)
    }

    /// How many there are of so many.
    pub(super) fn count(&self, count: u32, scratch: &[u32]) -> u32 {
        let words = (count.saturating_sub(64) as usize).div_ceil(32);
        let beyond = scratch.get(self.wide..self.wide.saturating_add(words)).unwrap_or_default();
        beyond.iter().fold(self.first.count_ones(), |sum, word| sum.saturating_add(word.count_ones()))
    }
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
pub(super) fn min_and_max(code: Code<'_>, next: &mut usize, flags: u8) -> (u32, u32) {
    let min = if flags & object::MIN != 0 { code.varint(next) } else { 0 };
    let max = if flags & object::MAX != 0 { code.varint(next) } else { u32::MAX };
    (min, max)
}

/// The bound of `minProperties` or `maxProperties` of the `Object` instruction at `pc`.
#[cfg(feature = "messages")]
pub(crate) fn bound(code: Code<'_>, pc: usize, of: u32) -> u32 {
    let flags = code.byte(pc + 1);
    let mut next = pc + 2;
    if flags & object::TABLE != 0 {
        let table = Table::read(code, next);
        next = table.end;
        if flags & object::REQUIRED != 0 {
            for _ in 0..table.count.div_ceil(64) {
                code.varint64(&mut next);
            }
        }
    }
    for part in [object::ADDITIONAL, object::NAMES] {
        if flags & part != 0 {
            code.varint(&mut next);
        }
    }
    if flags & object::PATTERNS != 0 {
        next = code.length(&mut next).saturating_add(next);
    }
    let (min, max) = min_and_max(code, &mut next, flags);
    if of == part::MIN { min } else { max }
}

impl<'p, 'i, I: Instance<'i>> Machine<'p, '_, '_, I> {
    /// Runs the `Object` instruction at `pc`, so many levels down, and leaves the place behind it in `self.next`.
    ///
    /// Objects are always read to their end, though the names that matter may all have been there: one of them could come again.
    #[inline(always)]
    pub(super) fn object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        const PLAIN: u8 = object::REQUIRED | object::ADDITIONAL | object::MIN | object::MAX;
        if self.instance.names_are_unique() {
            self.check_object(pc, at, levels)?;
            return Ok(at);
        }
        if I::BY_NAME && self.code.byte(pc + 1) & !PLAIN == object::TABLE && self.marks.is_none() && self.watched == 0 {
            self.plain_object(pc, at, levels)
        } else if QUICK {
            self.rich_object(pc, at, levels)
        } else {
            self.any_object(pc, at, levels)
        }
    }

    /// What most schemas say of an object: `properties`, `required`, `additionalProperties: false` and how many, with at most 64 names.
    // What is not asked for in the loop is read again behind it: there are too few registers.
    #[inline(never)]
    fn plain_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        let flags = self.code.byte(pc + 1);
        let table = Table::read(self.code, pc + 2);
        let mut next = table.end;
        let required = if flags & object::REQUIRED != 0 { self.code.varint64(&mut next) } else { 0 };
        if table.count > 64 || (flags & object::ADDITIONAL != 0 && self.code.varint(&mut next) != 0) {
            return if QUICK { self.described_object(pc, at, levels) } else { self.any_object(pc, at, levels) };
        }
        self.budget.enter(levels)?;
        let mut undeclared = 0_u32;
        let mut seen = 0_u64;
        // Where entries are quick to compare with.
        let end_of_plain = if table.is_plain() { table.end } else { 0 };
        let mut expected = table.entries;
        let mut after = at;
        let mut name = self.instance.first_name(at)?;
        let end = loop {
            let name_at = match name {
                Next::Item(name_at) => name_at,
                Next::End(end) => break end,
            };
            let member = if expected < end_of_plain
                && let Some(member) = self.expected_member(expected, name_at)
            {
                member
            } else {
                self.other_member(&table, expected, name_at)?
            };
            self.budget.spend_element(self.instance.span(after, member.value))?;
            if member.index == UNNAMED {
                undeclared = undeclared.saturating_add(1);
            } else {
                let bit = 1 << (member.index % 64);
                if seen & bit != 0 {
                    return Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(name_at)));
                }
                seen |= bit;
                expected = member.after;
                self.optional = required & bit == 0;
            }
            after = if member.reference == NO_REFERENCE {
                self.undescribed(pc, member.value)?
            } else {
                self.apply(member.reference, member.value)?
            };
            name = self.instance.next_name(after)?;
        };
        self.budget.spend_bytes(self.instance.span(after, end))?;
        self.seen = seen;
        self.next = next;
        let missing = required & !seen;
        if missing != 0 {
            self.missing(pc, missing, 0, at)?;
        }
        let flags = self.code.byte(pc + 1);
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(self.code, &mut next, flags);
            self.next = next;
            let count = undeclared.saturating_add(seen.count_ones());
            if undeclared > 1 || !(min..=max).contains(&count) {
                self.keep_count(pc, at, (min, count, max), undeclared)?;
            }
        }
        self.budget.leave(levels);
        Ok(end)
    }

    /// The value of a member that is named by nothing, or by `required` alone.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(always))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(never))]
    fn undescribed(&mut self, pc: usize, value: I::Place) -> Result<I::Place, Halt> {
        if self.code.byte(pc + 1) & object::ADDITIONAL != 0 {
            self.fail(pc, part::ADDITIONAL, value)?;
        }
        self.skip(value)
    }

    /// The same for all that an object's schema can say.
    #[inline(never)]
    pub(super) fn any_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        self.budget.enter(levels)?;
        let code = self.code;
        let flags = code.byte(pc + 1);
        let mut next = pc + 2;
        let table = if flags & object::TABLE != 0 { Table::read(code, next) } else { Table::EMPTY };
        if flags & object::TABLE != 0 {
            next = table.end;
        }
        let required = next;
        let mut first_required = 0;
        if flags & object::REQUIRED != 0 {
            first_required = code.varint64(&mut next);
            for _ in 1..table.count.div_ceil(64) {
                code.varint64(&mut next);
            }
        }
        let additional = if flags & object::ADDITIONAL != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        let names = if flags & object::NAMES != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        let patterns = if flags & object::PATTERNS != 0 {
            let len = code.length(&mut next);
            let start = next;
            next = start.saturating_add(len);
            start..next
        } else {
            0..0
        };

        let watched = core::mem::take(&mut self.watched);
        let watched_members = self.watched_members(watched);
        let mut passed = u64::MAX;
        let (top, marks) = (self.top, self.marks.take());
        self.budget.spend_bytes(table.count as usize)?;
        let mut seen = Seen::new(table.count, self.scratch, &mut self.top)?;
        let mut expected = table.entries;
        let mut members = self.instance.members(at);
        let mut after = at;
        let mut count = 0_u32;
        let mut undeclared = 0_u32;
        self.budget.spend(1)?;
        let end = loop {
            let (member, name_at) = if I::BY_NAME {
                let name = if count == 0 { self.instance.first_name(at)? } else { self.instance.next_name(after)? };
                match name {
                    Next::Item(name_at) => (self.member_named(&table, expected, name_at)?, name_at),
                    Next::End(end) => break end,
                }
            } else {
                match self.instance.next_member(&mut members, after)? {
                    Next::Item(member) => (self.look_up(&table, member.name, member.value)?, member.name_at),
                    Next::End(end) => break end,
                }
            };
            let value = member.value;
            self.budget.spend_element(self.instance.span(after, value))?;
            let mut value_end = None;
            if member.index == UNNAMED {
                undeclared = undeclared.saturating_add(1);
                self.optional = true;
            } else {
                self.note_named(&mut seen, member.index, first_required, name_at)?;
                expected = member.after;
                if member.reference != NO_REFERENCE {
                    value_end = Some(self.apply(member.reference, value)?);
                }
                if watched_members >> (member.index % 64) & 1 != 0 {
                    passed &= !self.failing(watched, member.index, value)?;
                }
            }
            if !patterns.is_empty() {
                value_end = self.pattern_properties(patterns.clone(), name_at, value, value_end)?;
            }
            let mut evaluated = true;
            if value_end.is_none() {
                if additional == 0 {
                    self.fail(pc, part::ADDITIONAL, value)?;
                } else if additional != u32::from(mask::ALL) {
                    value_end = Some(self.apply(additional, value)?);
                } else {
                    evaluated = flags & object::ADDITIONAL != 0;
                }
            }
            if let Some(marks) = &marks
                && evaluated
            {
                marks.set(self.scratch, count);
            }
            if names != u32::from(mask::ALL) {
                self.property_name(names, name_at)?;
            }
            after = match value_end {
                Some(end) => end,
                None => self.skip(value)?,
            };
            count = count.saturating_add(1);
        };
        self.marks = marks;
        self.budget.spend_bytes(self.instance.span(after, end))?;

        if flags & object::REQUIRED != 0 {
            let missing = first_required & !seen.first;
            if missing != 0 {
                self.missing(pc, missing, 0, at)?;
            }
            if table.count > 64 {
                self.required_beyond(pc, required, table.count, &seen, at)?;
            }
        }
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(code, &mut next, flags);
            self.keep_count(pc, at, (min, count, max), undeclared)?;
        }
        if flags & object::DEPENDENT != 0 {
            self.dependents(pc, &mut next, &seen, at)?;
        }
        // Not before: what the dependencies apply has objects of its own.
        (self.seen, self.passed) = (seen.first, passed);
        self.next = next;
        self.budget.leave(levels);
        self.top = top;
        Ok(end)
    }

    /// Bits of the members that are watched, by the lowest six of their numbers.
    #[inline(always)]
    pub(super) fn watched_members(&self, mut list: usize) -> u64 {
        if list == 0 {
            return 0;
        }
        let mut members = 0;
        for _ in 0..self.code.varint(&mut list) {
            members |= 1 << (self.code.varint(&mut list) % 64);
            self.code.varint(&mut list);
        }
        members
    }

    /// Tries the value of a member against what is watched of it: the bits of what it fails.
    #[inline(never)]
    pub(super) fn failing(&mut self, mut list: usize, member: u32, value: I::Place) -> Result<u64, Halt> {
        let mut failing = 0;
        for bit in 0..self.code.varint(&mut list) {
            let index = self.code.varint(&mut list);
            let reference = self.code.varint(&mut list);
            if index == member && self.holds(reference, value, false)?.is_none() {
                failing |= 1 << (bit % 64);
            }
        }
        Ok(failing)
    }

    /// Whether the condition of an `IfSeen` or `NotSeen` instruction holds of the object that was just read.
    pub(super) fn was_seen(&mut self, next: &mut usize) -> Result<bool, Halt> {
        self.budget.spend(1)?;
        let (seen, passed) = (self.code.varint64(next), self.code.varint64(next));
        Ok(self.seen & seen == seen && self.passed & passed == passed)
    }

    /// Runs an `IfSeen` instruction.
    #[inline(never)]
    pub(super) fn if_seen(&mut self, next: &mut usize, at: I::Place) -> Result<(), Halt> {
        let held = self.was_seen(next)?;
        let mut branch = || (self.code.varint64(next), self.code.varint(next));
        let (then, otherwise) = (branch(), branch());
        let (names, reference) = if held { then } else { otherwise };
        if reference != u32::from(mask::ALL) && (names == 0 || self.seen & names != names) {
            let (seen, passed) = (self.seen, self.passed);
            self.again += 1;
            self.apply(reference, at)?;
            self.again -= 1;
            (self.seen, self.passed) = (seen, passed);
        }
        Ok(())
    }

    /// Runs a `SomeSeen` instruction: `anyOf` or `oneOf` of schemas that ask for names alone.
    #[inline(never)]
    pub(super) fn some_seen(&mut self, one: bool, next: &mut usize, at: I::Place) -> Result<(), Halt> {
        let mut held = 0_u32;
        for _ in 0..self.code.varint(next) {
            self.budget.spend(1)?;
            let names = self.code.varint64(next);
            held = held.saturating_add(u32::from(self.seen & names == names));
        }
        let reference = self.code.varint(next).saturating_sub(1);
        if held == 1 || (held > 1 && !one) {
            return Ok(());
        }
        let (seen, passed) = (self.seen, self.passed);
        self.again += 1;
        self.apply(reference, at)?;
        self.again -= 1;
        (self.seen, self.passed) = (seen, passed);
        Ok(())
    }

    /// `minProperties` and `maxProperties`. Where members are counted, no name may come twice; declared ones were told apart before.
    #[inline(never)]
    pub(super) fn keep_count(
        &mut self,
        pc: usize,
        at: I::Place,
        (min, count, max): (u32, u32, u32),
        undeclared: u32,
    ) -> Result<(), Halt> {
        if undeclared > 1 && !self.instance.names_are_unique() {
            self.distinct_names(at, count)?;
        }
        if count < min {
            self.fail(pc, part::MIN, at)?;
        }
        if count > max {
            self.fail(pc, part::MAX, at)?;
        }
        Ok(())
    }

    /// Applies the schemas of all patterns that the name matches.
    #[inline(never)]
    pub(super) fn pattern_properties(
        &mut self,
        patterns: core::ops::Range<usize>,
        name_at: I::Place,
        value: I::Place,
        mut after: Option<I::Place>,
    ) -> Result<Option<I::Place>, Halt> {
        let mut at = patterns.start;
        while at < patterns.end {
            let reference = self.code.varint(&mut at);
            let len = self.code.length(&mut at);
            let program = self.code.slice(at, len);
            at = at.saturating_add(len);
            // What admits everything only tells that the member is not an additional one.
            if reference == u32::from(mask::ALL) && after.is_some() {
                continue;
            }
            let (name, _) = self.instance.string(name_at)?;
            if self.matches(program, name)? {
                self.again += 1;
                let end = self.apply(reference, value)?;
                self.again -= 1;
                after = after.or(Some(end));
            }
        }
        Ok(after)
    }

    #[inline(never)]
    fn property_name(&mut self, names: u32, name: I::Place) -> Result<(), Halt> {
        self.apply(names, name).map(|_| ())
    }

    /// The required names behind the first 64 entries.
    #[inline(never)]
    pub(super) fn required_beyond(
        &mut self,
        pc: usize,
        mut bits: usize,
        count: u32,
        seen: &Seen,
        at: I::Place,
    ) -> Result<(), Halt> {
        self.code.varint64(&mut bits);
        let mut base = 64;
        while base < count {
            let mut missing = self.code.varint64(&mut bits);
            for bit in 0..64 {
                if seen.contains(base + bit, self.scratch) {
                    missing &= !(1 << bit);
                }
            }
            self.missing(pc, missing, base, at)?;
            base = base.saturating_add(64);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn missing(&mut self, pc: usize, missing: u64, base: u32, at: I::Place) -> Result<(), Halt> {
        for bit in 0..64 {
            if missing >> bit & 1 != 0 {
                self.budget.spend(1)?;
                let failed = self.fail(pc, part::REQUIRED | (base + bit) << part::BITS, at);
                self.certain = self.instance.id(at);
                failed?;
            }
        }
        Ok(())
    }

    /// `dependentRequired`, `dependentSchemas`, `dependencies`.
    #[inline(never)]
    pub(super) fn dependents(&mut self, pc: usize, next: &mut usize, seen: &Seen, at: I::Place) -> Result<(), Halt> {
        let code = self.code;
        let len = code.length(next);
        let end = next.saturating_add(len);
        self.budget.spend_bytes(len.saturating_mul(8))?;
        while *next < end {
            let trigger = code.varint(next);
            let present = seen.contains(trigger, self.scratch);
            match code.varint(next) {
                0 => {
                    let reference = code.varint(next);
                    if present {
                        self.again += 1;
                        self.apply(reference, at)?;
                        self.again -= 1;
                    }
                }
                count => {
                    for _ in 1..count {
                        let wanted = code.varint(next);
                        if present && !seen.contains(wanted, self.scratch) {
                            let names = wanted.min(0x3FFF) | trigger.min(0x3FFF) << 14;
                            self.fail(pc, part::DEPENDENT | names << part::BITS, at)?;
                        }
                    }
                }
            }
        }
        *next = end;
        Ok(())
    }
}
