//! Objects of whose members `patternProperties` or a schema of `additionalProperties` speaks, or that have many names: what they say most.
//! Left out on bare metal, where one function runs all that `plain_object` does not.

use super::Machine;
use super::member::UNNAMED;
use super::object::{Seen, min_and_max};
use crate::error::Halt;
use crate::instance::{Instance, Next};
use crate::program::code::{Code, NO_REFERENCE, Table};
use crate::program::op::{mask, object, part};
use core::ops::Range;

/// What the parts of an `Object` instruction may be for [`Machine::described_object`].
const DESCRIBED: u8 =
    object::TABLE | object::REQUIRED | object::ADDITIONAL | object::PATTERNS | object::MIN | object::MAX;

const ANYTHING: u32 = mask::ALL as u32;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Runs an `Object` instruction that is none for `plain_object`.
    #[inline(never)]
    pub(super) fn rich_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        if I::BY_NAME && self.code.byte(pc + 1) & !DESCRIBED == 0 && self.marks.is_none() && self.watched == 0 {
            self.described_object(pc, at, levels)
        } else {
            self.any_object(pc, at, levels)
        }
    }

    /// As `any_object`, where nothing is watched, no evaluated members are noted, and no more is said than the parts of [`DESCRIBED`].
    #[inline(never)]
    pub(super) fn described_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        let code = self.code;
        let flags = code.byte(pc + 1);
        let mut next = pc + 2;
        let mut table = Table::EMPTY;
        if flags & object::TABLE != 0 {
            table = Table::read(code, next);
            next = table.end;
        }
        let mut first_required = 0;
        if flags & object::REQUIRED != 0 {
            first_required = code.varint64(&mut next);
            for _ in 1..table.count.div_ceil(64) {
                code.varint64(&mut next);
            }
        }
        let additional = if flags & object::ADDITIONAL != 0 { code.varint(&mut next) } else { ANYTHING };
        let mut patterns = 0..0;
        let mut lenient = true;
        if flags & object::PATTERNS != 0 {
            let len = code.length(&mut next);
            patterns = next..next.saturating_add(len);
            next = patterns.end;
            lenient = admit_everything(code, patterns.clone());
        }
        self.budget.enter(levels)?;
        let top = self.top;
        self.budget.spend_bytes(table.count as usize)?;
        let mut seen = Seen::new(table.count, self.scratch, &mut self.top)?;
        let mut expected = table.entries;
        let mut after = at;
        let mut undeclared = 0_u32;
        let mut name = self.instance.first_name(at)?;
        let end = loop {
            let name_at = match name {
                Next::Item(name_at) => name_at,
                Next::End(end) => break end,
            };
            let member = self.member_named(&table, expected, name_at)?;
            let value = member.value;
            self.budget.spend_element(self.instance.span(after, value))?;
            if member.index == UNNAMED {
                undeclared = undeclared.saturating_add(1);
                self.optional = true;
            } else {
                self.note_named(&mut seen, member.index, first_required, name_at)?;
                expected = member.after;
            }
            let mut value_end = None;
            if member.reference != NO_REFERENCE {
                value_end = Some(self.apply(member.reference, value)?);
            }
            // What admits everything only tells that the member is not an additional one.
            if !(patterns.is_empty() || lenient && value_end.is_some()) {
                value_end = self.pattern_properties(patterns.clone(), name_at, value, value_end)?;
            }
            after = match value_end {
                Some(end) => end,
                None => self.additional(pc, additional, value)?,
            };
            name = self.instance.next_name(after)?;
        };
        self.budget.spend_bytes(self.instance.span(after, end))?;
        let missing = first_required & !seen.first;
        if missing != 0 {
            self.missing(pc, missing, 0, at)?;
        }
        if table.count > 64 && self.code.byte(pc + 1) & object::REQUIRED != 0 {
            self.required_beyond(pc, table.end, table.count, &seen, at)?;
        }
        let flags = self.code.byte(pc + 1);
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(code, &mut next, flags);
            let count = undeclared.saturating_add(seen.count(table.count, self.scratch));
            self.keep_count(pc, at, (min, count, max), undeclared)?;
        }
        (self.seen, self.passed) = (seen.first, u64::MAX);
        self.next = next;
        self.budget.leave(levels);
        self.top = top;
        Ok(end)
    }

    /// Applies the schema of `additionalProperties`.
    #[inline(never)]
    fn additional(&mut self, pc: usize, additional: u32, value: I::Place) -> Result<I::Place, Halt> {
        match additional {
            0 => {
                self.fail(pc, part::ADDITIONAL, value)?;
                self.skip(value)
            }
            ANYTHING => self.skip(value),
            _ => self.apply(additional, value),
        }
    }
}

/// Whether what is said of all names that match a pattern is nothing.
#[inline]
fn admit_everything(code: Code<'_>, patterns: Range<usize>) -> bool {
    let mut at = patterns.start;
    while at < patterns.end {
        let reference = code.varint(&mut at);
        let len = code.length(&mut at);
        at = at.saturating_add(len);
        if reference != ANYTHING {
            return false;
        }
    }
    true
}
