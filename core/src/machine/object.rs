//! Objects: one pass over the members, each name looked up in the table that the compiler laid down.

use super::Machine;
use crate::error::{Halt, JsonErrorKind, Limit};
use crate::instance::{Instance, Next};
use crate::program::code::{Code, Entry, Found, Hint, Table};
use crate::program::op::{mask, object, part};
use crate::text::Text;

/// A member: its entry in the table, and where its name and its value stand.
type Member<P> = (Option<Found>, P, P);

/// Which entries of the table the object has named: the first 64 in a word, the rest in scratch.
pub(super) struct Seen {
    first: u64,
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

    #[inline]
    fn contains(&self, index: u32, scratch: &[u32]) -> bool {
        if index < 64 {
            return self.first >> index & 1 != 0;
        }
        let index = index as usize - 64;
        scratch.get(self.wide + index / 32).is_some_and(|word| word >> (index % 32) & 1 != 0)
    }
}

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
        if self.code.byte(pc + 1) & !PLAIN == object::TABLE && self.marks.is_none() && self.watched == 0 {
            self.plain_object(pc, at, levels)
        } else {
            self.any_object(pc, at, levels)
        }
    }

    /// What most schemas say of an object: `properties`, `required`, `additionalProperties: false` and how many, with at most 64 names.
    #[inline(never)]
    fn plain_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        let flags = self.code.byte(pc + 1);
        let table = Table::read(self.code, pc + 2);
        let mut next = table.end;
        let required = if flags & object::REQUIRED != 0 { self.code.varint64(&mut next) } else { 0 };
        let closed = flags & object::ADDITIONAL != 0;
        if table.count > 64 || (closed && self.code.varint(&mut next) != 0) {
            return self.any_object(pc, at, levels);
        }
        self.budget.enter(levels)?;
        let mut undeclared = 0_u32;
        let mut seen = 0_u64;
        let mut hint = table.hint();
        let mut members = self.instance.members(at);
        let mut after = at;
        let end = loop {
            self.budget.spend(1)?;
            let member = match self.expected_member(&table, hint, &mut members, after) {
                Some(member) => member,
                None => self.next_member(&table, hint, &mut members, after)?,
            };
            let (found, name_at, value) = match member {
                Next::Item(found) => found,
                Next::End(end) => break end,
            };
            let mut reference = None;
            if let Some(found) = found {
                let bit = 1 << (found.index % 64);
                if seen & bit != 0 {
                    return Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(name_at)));
                }
                seen |= bit;
                hint = found.hint_behind();
                reference = found.reference;
                self.optional = required & bit == 0;
            } else {
                undeclared = undeclared.saturating_add(1);
            }
            after = match reference {
                Some(reference) => self.apply(reference, value)?,
                // Named by nothing, or by `required` alone.
                None => {
                    if closed {
                        self.fail(pc, part::ADDITIONAL, value)?;
                    }
                    self.skip(value)?
                }
            };
        };
        self.seen = seen;
        let missing = required & !seen;
        if missing != 0 {
            self.missing(pc, missing, 0, at)?;
        }
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(self.code, &mut next, flags);
            let count = undeclared.saturating_add(seen.count_ones());
            self.keep_count(pc, at, (min, count, max), undeclared)?;
        }
        self.next = next;
        self.budget.leave(levels);
        Ok(end)
    }

    /// The next member where it is the one expected, or the end.
    #[inline(always)]
    fn expected_member(
        &mut self,
        table: &Table,
        hint: Hint,
        members: &mut I::Members,
        after: I::Place,
    ) -> Option<Next<Member<I::Place>, I::Place>> {
        let entry = table.expected(self.code, hint).filter(|entry| !entry.escaped)?;
        Some(match self.instance.next_member_named(members, after, entry.name)? {
            Next::Item((name_at, value)) => Next::Item((Some(entry.found()), name_at, value)),
            Next::End(end) => Next::End(end),
        })
    }

    /// The entry of a name. Only what somebody wrote down has its members in the order of the schema, mostly.
    #[inline]
    fn find(&mut self, table: &Table, hint: Hint, name: Text<'_>) -> Option<Entry<'p>> {
        if self.instance.names_are_unique() {
            table.find(self.code, name, &mut self.budget.steps)
        } else {
            table.find_near(self.code, hint, name, &mut self.budget.steps)
        }
    }

    /// The next member, whatever it is.
    #[inline(never)]
    fn next_member(
        &mut self,
        table: &Table,
        hint: Hint,
        members: &mut I::Members,
        after: I::Place,
    ) -> Result<Next<Member<I::Place>, I::Place>, Halt> {
        Ok(match self.instance.next_member(members, after)? {
            Next::End(end) => Next::End(end),
            Next::Item(member) => {
                self.budget.spend_bytes(member.name.end())?;
                let entry = self.find(table, hint, member.name);
                Next::Item((entry.map(|entry| entry.found()), member.name_at, member.value))
            }
        })
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
        let mut passed = u64::MAX;
        let (top, marks) = (self.top, self.marks.take());
        self.budget.spend_bytes(table.count as usize)?;
        let mut seen = Seen::new(table.count, self.scratch, &mut self.top)?;
        let mut hint = table.hint();
        let mut members = self.instance.members(at);
        let mut after = at;
        let mut count = 0_u32;
        let mut undeclared = 0_u32;
        let end = loop {
            self.budget.spend(1)?;
            let expected = table
                .expected(code, hint)
                .filter(|entry| !entry.escaped)
                .and_then(|entry| Some((self.instance.next_member_named(&mut members, after, entry.name)?, entry)));
            let (name, name_at, value, entry) = match expected {
                Some((Next::End(end), _)) => break end,
                Some((Next::Item((name_at, value)), entry)) => {
                    (Text::json(entry.name, false), name_at, value, Some(entry))
                }
                None => match self.instance.next_member(&mut members, after)? {
                    Next::End(end) => break end,
                    Next::Item(member) => {
                        self.budget.spend_bytes(member.name.end())?;
                        let entry = self.find(&table, hint, member.name);
                        (member.name, member.name_at, member.value, entry)
                    }
                },
            };
            let mut value_end = None;
            match entry {
                Some(entry) => {
                    if !seen.insert(entry.index, self.scratch) {
                        return Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(name_at)));
                    }
                    hint = entry.found().hint_behind();
                    if let Some(reference) = entry.reference {
                        self.optional = entry.index < 64 && first_required >> entry.index & 1 == 0;
                        value_end = Some(self.apply(reference, value)?);
                    }
                    if watched != 0 {
                        passed &= !self.failing(watched, entry.index, value)?;
                    }
                }
                None => undeclared = undeclared.saturating_add(1),
            }
            if !patterns.is_empty() {
                value_end = self.pattern_properties(patterns.clone(), name, value, value_end)?;
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
        (self.seen, self.passed) = (seen.first, passed);

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
        self.next = next;
        self.budget.leave(levels);
        self.top = top;
        Ok(end)
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
    fn pattern_properties(
        &mut self,
        patterns: core::ops::Range<usize>,
        name: Text<'_>,
        value: I::Place,
        mut after: Option<I::Place>,
    ) -> Result<Option<I::Place>, Halt> {
        let mut at = patterns.start;
        while at < patterns.end {
            let reference = self.code.varint(&mut at);
            let len = self.code.length(&mut at);
            if self.matches(self.code.slice(at, len), name)? {
                self.again += 1;
                let end = self.apply(reference, value)?;
                self.again -= 1;
                after = after.or(Some(end));
            }
            at = at.saturating_add(len);
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
                self.fail(pc, part::REQUIRED | (base + bit) << part::BITS, at)?;
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

#[cfg(all(test, feature = "compile"))]
mod tests {
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    #[test]
    fn members_behind_the_first_64_are_read() {
        for count in [63, 64, 65, 100] {
            let names: Vec<String> = (0..count).map(|i| format!("\"p{i}\"")).collect();
            let properties: Vec<String> =
                names.iter().map(|name| format!("{name}: {{\"type\": \"integer\"}}")).collect();
            let members: Vec<String> = names.iter().map(|name| format!("{name}: 1")).collect();
            let schema =
                format!("{{\"properties\": {{{}}}, \"required\": [{}]}}", properties.join(","), names.join(","));
            let mut arena = [0; 8192];
            let program = crate::compile(schema.as_bytes(), &mut arena).unwrap();
            assert_eq!(program.is_valid(format!("{{{}}}", members.join(",")).as_bytes()), Ok(true), "{count}");
            assert_eq!(
                program.is_valid(format!("{{{}, \"x\": 1}}", members.join(",")).as_bytes()),
                Ok(true),
                "{count}"
            );
            assert_eq!(program.is_valid(format!("{{{}}}", members[1..].join(",")).as_bytes()), Ok(false), "{count}");
        }
    }
}
