//! Schemas applied to the same value again: `anyOf`, `oneOf`, `not`, `if`, and the branch that was meant when none fits.

use super::{Machine, Mode, Token};
use crate::error::Halt;
use crate::instance::{Instance, Kind, Next, Search};
use crate::issue::{INSTRUCTION, Issue};
use crate::program::code::{Code, Table};
use crate::program::op::{DISTINCT, FIRST_NODE, Op, Why, discriminator, mask, mask_of};

/// Detail of a failed `oneOf` that more than one branch matches: this bit, and the numbers of the first two (14 bits each).
pub(crate) const SEVERAL: u32 = 1 << 31;
/// Detail of a failed discriminator: the property is missing, or its value is none of the table.
pub(crate) const NO_PROPERTY: u32 = 1;
pub(crate) const NO_BRANCH: u32 = 2;

/// How much a failure tells against the branch having been meant: a constant that differs most, a missing property little.
pub(super) fn weight(code: Code<'_>, issue: &Issue) -> u32 {
    const CONSTANT: u32 = 1000;
    const TYPE: u32 = 30;
    const OTHER: u32 = 10;
    if issue.code & INSTRUCTION == 0 {
        return match issue.code.checked_sub(FIRST_NODE).map(|node| Why::of(code.byte(node as usize + 1))) {
            Some(Why::Const | Why::Enum) => CONSTANT,
            _ => TYPE,
        };
    }
    match Op::of(code.byte((issue.code & !INSTRUCTION) as usize)) {
        Some(Op::StringConst | Op::ValueConst | Op::StringEnum | Op::ValueEnum) => CONSTANT,
        _ => OTHER,
    }
}

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Applies a schema without reporting: the place behind the value when it is valid. With `annotate`, what a valid schema evaluated
    /// counts as evaluated.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn holds(&mut self, reference: u32, at: I::Place, annotate: bool) -> Result<Option<I::Place>, Halt> {
        self.budget.spend(1)?;
        let (mode, depth, top, scope) = (self.mode, self.budget.depth, self.top, self.scope);
        let again = self.again;
        self.again = again.saturating_add(1);
        let outer = self.marks.take();
        if annotate && let Some(outer) = &outer {
            self.marks = Some(outer.fork(self.scratch, &mut self.top)?);
        }
        let inner = self.marks;
        self.mode = Mode::Quiet;
        let result = self.apply(reference, at);
        self.mode = mode;
        self.again = again;
        self.budget.depth = depth;
        self.scope = scope;
        self.top = top;
        self.marks = outer;
        match result {
            Ok(after) => {
                if let (Some(outer), Some(inner)) = (&outer, &inner) {
                    outer.merge(inner, self.scratch);
                }
                Ok(Some(after))
            }
            Err(Halt::INVALID) => Ok(None),
            Err(halt) => Err(halt),
        }
    }

    /// As [`holds`](Self::holds), where the value may be valid because the schema does not hold (`not`, `if`, `oneOf`).
    ///
    /// What does not hold was read up to its first failure. A name that comes twice would make it hold or not, depending on who reads; so
    /// the whole instance is looked through, once, and no object in it may name a member twice. Not for a value without names, and not where
    /// the failure is `certain`.
    pub(super) fn decides(&mut self, reference: u32, at: I::Place, annotate: bool) -> Result<Option<I::Place>, Halt> {
        let held = self.holds(reference, at, annotate)?;
        if held.is_none()
            && !self.distinct
            && !self.instance.names_are_unique()
            && self.certain != self.instance.id(at)
            && matches!(self.instance.kind(at)?, Kind::Array | Kind::Object)
        {
            let (root, depth) = (self.instance.root()?, self.budget.depth);
            self.budget.depth = self.depth;
            self.distinct_names_everywhere(root)?;
            self.budget.depth = depth;
            self.distinct = true;
        }
        Ok(held)
    }

    /// The only branch of an `AnyOf` or `OneOf` that admits values of the type at hand, 0 where there is another or none.
    #[inline(never)]
    pub(super) fn only_branch(&mut self, next: &mut usize, at: I::Place) -> Result<u32, Halt> {
        let kind = self.instance.kind(at)?;
        let count = self.code.varint(next);
        self.budget.spend_bytes(count as usize)?;
        let mut only = 0;
        for _ in 0..count {
            let reference = self.code.varint(next);
            if self.code.types(reference) & mask_of(kind) != 0 {
                if only != 0 {
                    return Ok(0);
                }
                only = reference;
            }
        }
        Ok(only)
    }

    /// Runs an `AnyOf` or `OneOf` instruction of which several branches, or none, admit the type of the value.
    #[inline(never)]
    pub(super) fn some_of(
        &mut self,
        op: Op,
        pc: usize,
        next: &mut usize,
        at: I::Place,
    ) -> Result<Option<I::Place>, Halt> {
        let code = self.code;
        let distinct = code.byte(pc) & DISTINCT != 0;
        let count = code.varint(next);
        let references = *next;
        let kind = self.instance.kind(at)?;
        // All branches must run where they leave annotations.
        let enough = if op == Op::OneOf { 2 } else { 1 };
        let enough = if self.marks.is_some() { u32::MAX } else { enough };
        let id = self.instance.id(at);
        let mut certain = true;
        let mut after = None;
        let mut matched = 0_u32;
        let mut first = 0;
        let mut second = 0;
        for index in 0..count {
            let reference = code.varint(next);
            if matched >= enough || code.types(reference) & mask_of(kind) == 0 {
                continue;
            }
            let held = if op == Op::OneOf && !distinct {
                self.decides(reference, at, true)
            } else {
                self.holds(reference, at, true)
            };
            let held = held?;
            certain &= held.is_some() || self.certain == id;
            if let Some(end) = held {
                after = after.or(Some(end));
                matched += 1;
                match matched {
                    1 => first = index,
                    2 => second = index,
                    _ => {}
                }
            }
        }
        if matched == 1 || (matched > 1 && op == Op::AnyOf) {
            return Ok(after);
        }
        if matched > 1 {
            self.fail(pc, SEVERAL | first.min(0x3FFF) | second.min(0x3FFF) << 14, at)?;
            return Ok(after);
        }
        if self.mode != Mode::Collect {
            let failed = self.fail(pc, 0, at);
            if certain {
                self.certain = id;
            }
            return failed.map(|()| None);
        }
        match self.meant(references, count, kind, at)? {
            Some(reference) => Ok(Some(self.apply(reference, at)?)),
            None => {
                self.fail(pc, 0, at)?;
                Ok(None)
            }
        }
    }

    /// The branch that was meant: of the right type, and with the least against it.
    #[cold]
    #[inline(never)]
    fn meant(&mut self, mut references: usize, count: u32, kind: Kind, at: I::Place) -> Result<Option<u32>, Halt> {
        let mut best = None;
        let mut least = u32::MAX;
        for _ in 0..count {
            let reference = self.code.varint(&mut references);
            if self.code.types(reference) & mask_of(kind) == 0 {
                continue;
            }
            let (found, depth, top, scope) = (self.found, self.budget.depth, self.top, self.scope);
            let marks = self.marks.take();
            self.mode = Mode::Score;
            self.found = 0;
            let result = self.apply(reference, at);
            let score = self.found;
            self.mode = Mode::Collect;
            (self.found, self.budget.depth, self.top, self.scope) = (found, depth, top, scope);
            self.marks = marks;
            result?;
            if score < least {
                least = score;
                best = Some(reference);
            }
        }
        Ok(best)
    }

    /// Runs a `Discriminator` instruction over an object of which nothing else is said.
    #[inline(never)]
    pub(super) fn discriminator(&mut self, pc: usize, at: I::Place) -> Result<I::Place, Halt> {
        let Some((reference, by_value)) = self.told(pc + 1, at)? else {
            return self.run(pc, at, &Token::Other(None));
        };
        self.budget.enter(1)?;
        let condition = u32::from(self.code.byte(pc + 1) == discriminator::IF);
        self.again += condition;
        let end = self.apply(reference, at);
        if by_value {
            // Another value of the property would lead elsewhere.
            self.certain = usize::MAX;
        }
        self.again -= condition;
        self.budget.leave(1);
        end
    }

    /// The schema that a `Discriminator` with these operands has for an object, as far as that is told in few instructions; and whether that is by
    /// the value of the property.
    #[inline(always)]
    fn told(&mut self, operands: usize, at: I::Place) -> Result<Option<(u32, bool)>, Halt> {
        let code = self.code;
        let what = code.byte(operands);
        let mut name = operands + 1;
        let len = code.length(&mut name);
        // A condition that holds evaluates what it looks at.
        if what == discriminator::IF && self.marks.is_some() {
            return Ok(None);
        }
        let Next::Item(name_at) = self.instance.first_name(at)? else { return Ok(None) };
        let by_name = what & discriminator::FIRST != 0;
        let key = if by_name {
            name_at
        } else {
            match self.instance.value_of(name_at, code.slice(name, len)) {
                Some(value) => value,
                None => return self.told_later(name, len, name_at),
            }
        };
        let table = Table::read(code, name.saturating_add(len));
        let Some(entry) = self.quick_entry(&table, key) else { return Ok(None) };
        self.budget.spend_element(self.instance.span(at, key))?;
        Ok(table.head(code, entry).reference.map(|reference| (reference, !by_name)))
    }

    /// The entry that the string at `at` is in a table, as far as that is quick to see.
    #[inline(always)]
    fn quick_entry(&mut self, table: &Table, at: I::Place) -> Option<usize> {
        if table.indexed() {
            return self.indexed_entry(table, at);
        }
        match self.search(table, table.entries, at) {
            Search::Found(entry, _) => Some(entry),
            _ => None,
        }
    }

    #[inline(never)]
    fn indexed_entry(&mut self, table: &Table, at: I::Place) -> Option<usize> {
        let (index, wide, entries) = table.parts(self.code).filter(|_| table.is_plain())?;
        let (entry, _) = self.instance.entry_indexed(at, index, wide, entries, &mut self.budget.steps)?;
        entry.map(|entry| table.entries.wrapping_add(entry))
    }

    /// The same where the member with this name is not the first.
    #[inline(never)]
    fn told_later(&mut self, name: usize, len: usize, first: I::Place) -> Result<Option<(u32, bool)>, Halt> {
        let code = self.code;
        let table = Table::read(code, name.saturating_add(len));
        let wanted = code.slice(name, len);
        let mut name_at = first;
        loop {
            let Some(behind) = self.instance.plain_end(name_at) else { return Ok(None) };
            let Some(value) = self.instance.value_behind(behind) else { return Ok(None) };
            self.budget.spend_element(self.instance.span(name_at, value))?;
            let after = self.skip(value)?;
            match self.instance.next_name(after)? {
                Next::Item(next) => name_at = next,
                Next::End(_) => {
                    // There is none.
                    let mut next = table.end;
                    code.varint(&mut next);
                    return Ok(code.varint(&mut next).checked_sub(1).map(|reference| (reference, false)));
                }
            }
            if let Some(key) = self.instance.value_of(name_at, wanted) {
                let Some(entry) = self.quick_entry(&table, key) else { return Ok(None) };
                self.budget.spend_element(self.instance.span(name_at, key))?;
                return Ok(table.head(code, entry).reference.map(|reference| (reference, true)));
            }
        }
    }

    /// Runs a `Discriminator` instruction: the value of one property, or the name of the first one, tells which branch is meant.
    #[inline(never)]
    pub(super) fn discriminate(&mut self, pc: usize, next: &mut usize, at: I::Place) -> Result<Option<I::Place>, Halt> {
        const ANYTHING: u32 = mask::ALL as u32;
        let code = self.code;
        let what = code.byte(*next);
        let mut name_at = *next + 1;
        let len = code.length(&mut name_at);
        let name = code.slice(name_at, len);
        let table = Table::read(code, name_at.saturating_add(len));
        *next = table.end;
        let (no_object, missing, other) = (code.varint(next), code.varint(next), code.varint(next));
        let (mut place, mut detail, mut reference) = (at, 0, no_object.checked_sub(1));
        if self.instance.kind(at)? == Kind::Object {
            (detail, reference) = (NO_PROPERTY, missing.checked_sub(1));
            if let Some((key, ordinal)) = self.key(at, name, what & discriminator::FIRST != 0)? {
                (place, detail, reference) = (key, NO_BRANCH, other.checked_sub(1));
                if self.instance.kind(key)? == Kind::String {
                    let entry = self.entry_of(&table, key)?;
                    reference = entry.unwrap_or(reference);
                    // A condition that holds evaluates what it looks at.
                    if let Some(marks) = &self.marks
                        && what == discriminator::IF
                        && entry.is_some()
                    {
                        marks.set(self.scratch, ordinal);
                    }
                }
            }
        }
        match reference {
            // Nothing that a condition is about.
            Some(ANYTHING) => Ok(None),
            Some(reference) => {
                self.again += u32::from(what == discriminator::IF);
                let end = self.apply(reference, at);
                // Another value of the property would lead elsewhere.
                if detail == NO_BRANCH && what & discriminator::FIRST == 0 {
                    self.certain = usize::MAX;
                }
                self.again -= u32::from(what == discriminator::IF);
                end.map(Some)
            }
            None => {
                let failed = self.fail(pc, detail, place);
                if detail != NO_BRANCH {
                    self.certain = self.instance.id(at);
                }
                failed.map(|()| None)
            }
        }
    }

    /// What hangs on the string at `at` in a table; `None` where that has no such entry.
    fn entry_of(&mut self, table: &Table, at: I::Place) -> Result<Option<Option<u32>>, Halt> {
        let found = self.search(table, table.entries, at);
        if let Search::Found(entry, _) = found {
            return Ok(Some(table.head(self.code, entry).reference));
        }
        let (text, _) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        if matches!(found, Search::Missing) && text.as_plain().is_some() {
            return Ok(None);
        }
        Ok(table.find(self.code, text, &mut self.budget.steps).map(|entry| entry.reference))
    }

    /// The value of the first member of this name, or the name of the first of all; and its number.
    fn key(&mut self, at: I::Place, name: &[u8], first: bool) -> Result<Option<(I::Place, u32)>, Halt> {
        if first && I::BY_NAME {
            self.budget.spend(1)?;
            match self.instance.first_name(at)? {
                Next::End(_) => return Ok(None),
                Next::Item(name_at) if self.instance.types(name_at) == mask::STRING => {
                    self.budget.spend_bytes(self.instance.span(at, name_at))?;
                    return Ok(Some((name_at, 0)));
                }
                Next::Item(_) => {}
            }
        }
        let mut members = self.instance.members(at);
        let (mut after, mut ordinal) = (at, 0);
        loop {
            self.budget.spend(1)?;
            match self.instance.next_member(&mut members, after)? {
                Next::End(_) => return Ok(None),
                Next::Item(member) if first => return Ok(Some((member.name_at, ordinal))),
                Next::Item(member) => {
                    self.budget.spend_bytes(self.instance.span(after, member.value))?;
                    if member.name.equals(name) {
                        return Ok(Some((member.value, ordinal)));
                    }
                    after = self.skip(member.value)?;
                    ordinal = ordinal.saturating_add(1);
                }
            }
        }
    }
}
