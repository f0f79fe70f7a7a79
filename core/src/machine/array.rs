//! Arrays: one pass over the items.

use super::Machine;
use crate::error::Halt;
use crate::instance::{Instance, Next};
use crate::program::op::{array, mask, part};

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Whether an `Array` instruction with these flags is one for [`plain_array`](Self::plain_array). On devices all are run by one function,
    /// as a second would take more flash than it saves time.
    #[inline(always)]
    pub(super) fn is_plain_array(&self, flags: u8) -> bool {
        const PLAIN: u8 = array::MIN | array::MAX | array::ITEMS | array::UNIQUE | array::OLD_NAMES;
        !cfg!(any(target_os = "none", feature = "small")) && flags & !PLAIN == 0 && self.marks.is_none()
    }

    /// What most schemas say of an array: `items`, and how many. For an instruction that stands alone.
    #[inline(never)]
    pub(super) fn plain_array(&mut self, pc: usize, at: I::Place) -> Result<I::Place, Halt> {
        self.budget.enter(1)?;
        let flags = self.code.byte(pc + 1);
        let mut next = pc + 2;
        let min = if flags & array::MIN != 0 { self.code.varint(&mut next) } else { 0 };
        let max = if flags & array::MAX != 0 { self.code.varint(&mut next) } else { u32::MAX };
        let items = if flags & array::ITEMS != 0 { self.code.varint(&mut next) } else { u32::from(mask::ALL) };
        let mut walk = self.instance.items(at);
        let (mut after, mut count) = (at, 0);
        let end = loop {
            let item = match self.instance.next_item(&mut walk, after)? {
                Next::End(end) => {
                    self.budget.spend_bytes(self.instance.span(after, end))?;
                    break end;
                }
                Next::Item(item) => item,
            };
            self.budget.spend_element(self.instance.span(after, item))?;
            if count == max {
                self.fail(pc, part::MAX, at)?;
            }
            self.optional = false;
            after = if items == 0 {
                self.fail(pc, part::ITEMS, item)?;
                self.skip(item)?
            } else {
                self.apply(items, item)?
            };
            count += 1;
        };
        if count < min {
            self.fail(pc, part::MIN, at)?;
        }
        if flags & array::UNIQUE != 0 && count > 1 {
            self.unique_items(pc, at, count)?;
        }
        self.budget.leave(1);
        Ok(end)
    }

    /// Runs the `Array` instruction at `pc`, so many levels down, and leaves the place behind it in `self.next`.
    #[inline(always)]
    pub(super) fn array(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        if self.instance.names_are_unique() {
            self.check_array(pc, at, levels)?;
            return Ok(at);
        }
        self.any_array(pc, at, levels)
    }

    #[inline(never)]
    pub(super) fn any_array(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<I::Place, Halt> {
        self.budget.enter(levels)?;
        let flags = self.code.byte(pc + 1);
        let mut next = pc + 2;
        let min = if flags & array::MIN != 0 { self.code.varint(&mut next) } else { 0 };
        let max = if flags & array::MAX != 0 { self.code.varint(&mut next) } else { u32::MAX };
        let prefix_len = if flags & array::PREFIX != 0 { self.code.varint(&mut next) } else { 0 };
        let mut prefix = next;
        self.budget.spend_bytes(prefix_len as usize)?;
        for _ in 0..prefix_len {
            self.code.varint(&mut next);
        }
        let items = if flags & array::ITEMS != 0 { self.code.varint(&mut next) } else { u32::from(mask::ALL) };
        let contains = next;

        let marks = self.marks.take();
        let mut walk = self.instance.items(at);
        let mut after = at;
        let mut count = 0_u32;
        let mut matched = 0_u32;
        let end = loop {
            let item = match self.instance.next_item(&mut walk, after)? {
                Next::End(end) => {
                    self.budget.spend_bytes(self.instance.span(after, end))?;
                    break end;
                }
                Next::Item(item) => item,
            };
            self.budget.spend_element(self.instance.span(after, item))?;
            if count == max {
                // Reported once, as soon as it is known.
                self.fail(pc, part::MAX, at)?;
            }
            self.optional = false;
            let mut evaluated = true;
            let mut item_end = if count < prefix_len {
                let reference = self.code.varint(&mut prefix);
                Some(self.apply(reference, item)?)
            } else if items == 0 {
                self.fail(pc, part::ITEMS, item)?;
                None
            } else if items != u32::from(mask::ALL) {
                Some(self.apply(items, item)?)
            } else {
                evaluated = flags & array::ITEMS != 0;
                None
            };
            if flags & array::CONTAINS != 0
                && let Some(end) = self.contained(contains, item)?
            {
                matched = matched.saturating_add(1);
                evaluated |= flags & array::CONTAINS_EVALUATES != 0;
                item_end = item_end.or(Some(end));
            }
            if let Some(marks) = &marks
                && evaluated
            {
                marks.set(self.scratch, count);
            }
            after = match item_end {
                Some(end) => end,
                None => self.skip(item)?,
            };
            count = count.saturating_add(1);
        };
        self.marks = marks;
        if count < min {
            self.fail(pc, part::MIN, at)?;
        }
        if flags & array::CONTAINS != 0 {
            self.code.varint(&mut next);
            let (least, most) = (self.code.varint(&mut next), self.code.varint(&mut next));
            if matched < least {
                self.fail(pc, part::CONTAINS, at)?;
            }
            if most != 0 && matched >= most {
                self.fail(pc, part::MAX_CONTAINS, at)?;
            }
        }
        if flags & array::UNIQUE != 0 && count > 1 {
            self.unique_items(pc, at, count)?;
        }
        self.next = next;
        self.budget.leave(levels);
        Ok(end)
    }

    /// The place behind an item that the schema of `contains` holds of.
    #[inline(never)]
    fn contained(&mut self, mut contains: usize, item: I::Place) -> Result<Option<I::Place>, Halt> {
        let code = self.code;
        let (reference, _, most) = (code.varint(&mut contains), code.varint(&mut contains), code.varint(&mut contains));
        // With a maximum, an item may not count because the schema does not hold.
        if most != 0 { self.decides(reference, item, false) } else { self.holds(reference, item, false) }
    }
}
