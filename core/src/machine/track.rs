//! What only some schemas need: which members and items were evaluated (`unevaluatedProperties`, `unevaluatedItems`), and the dynamic
//! scope (`$dynamicRef`). Both live in scratch, and cost nothing where a schema has neither.

use super::Machine;
use super::unique::Walk;
use crate::error::{Halt, Limit};
use crate::instance::{Instance, Kind};

/// A set of the ordinals of members or items that were evaluated: a bit each, in scratch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    base: usize,
    words: usize,
}

impl Marks {
    fn new(count: u32, scratch: &mut [u32], top: &mut usize) -> Result<Self, Halt> {
        let words = (count as usize).div_ceil(32);
        let base = *top;
        let end = base.saturating_add(words);
        scratch.get_mut(base..end).ok_or(Halt::limit(Limit::Scratch))?.fill(0);
        *top = end;
        Ok(Self { base, words })
    }

    /// An empty set of the same size, for a branch that may come to nothing.
    pub(super) fn fork(&self, scratch: &mut [u32], top: &mut usize) -> Result<Self, Halt> {
        Self::new(self.words.saturating_mul(32) as u32, scratch, top)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn set(&self, scratch: &mut [u32], ordinal: u32) {
        let word = ordinal as usize / 32;
        if word < self.words
            && let Some(word) = scratch.get_mut(self.base + word)
        {
            *word |= 1 << (ordinal % 32);
        }
    }

    fn is_full(&self, scratch: &[u32], count: u32) -> bool {
        (0..count).all(|ordinal| self.contains(scratch, ordinal))
    }

    fn contains(&self, scratch: &[u32], ordinal: u32) -> bool {
        scratch.get(self.base + ordinal as usize / 32).is_some_and(|word| word >> (ordinal % 32) & 1 != 0)
    }

    /// Adds another set of the same size.
    pub(super) fn merge(&self, other: &Self, scratch: &mut [u32]) {
        for i in 0..self.words.min(other.words) {
            let more = scratch.get(other.base + i).copied().unwrap_or(0);
            if let Some(word) = scratch.get_mut(self.base + i) {
                *word |= more;
            }
        }
    }

    fn fill(&self, scratch: &mut [u32]) {
        if let Some(words) = scratch.get_mut(self.base..self.base.saturating_add(self.words)) {
            words.fill(u32::MAX);
        }
    }
}

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Runs an `Unevaluated` instruction: the rest of the schema first, then what it left over.
    #[inline(never)]
    pub(super) fn unevaluated(&mut self, pc: usize, next: &mut usize, at: I::Place) -> Result<I::Place, Halt> {
        let code = self.code;
        let inner = code.varint(next);
        // Plus one, so that 0 is none.
        let (members, items) = (code.varint(next), code.varint(next));
        let kind = self.instance.kind(at)?;
        let reference = match kind {
            Kind::Object => members.checked_sub(1),
            Kind::Array => items.checked_sub(1),
            _ => None,
        };
        let Some(reference) = reference else {
            return self.apply(inner, at);
        };
        let top = self.top;
        let outer = self.marks;
        let count = self.count(at, kind)?;
        let marks = Marks::new(count, self.scratch, &mut self.top)?;
        self.marks = Some(marks);
        let end = self.apply(inner, at)?;
        self.marks = None;
        if marks.is_full(self.scratch, count) {
            if let Some(outer) = &outer {
                outer.fill(self.scratch);
            }
            self.marks = outer;
            self.top = top;
            return Ok(end);
        }
        let mut walk = Walk::start(self.instance, at, kind == Kind::Object);
        let mut ordinal = 0;
        while let Some((_, _, element)) = walk.next(self.instance, &mut self.budget)? {
            self.budget.spend(1)?;
            self.optional = kind == Kind::Object;
            walk.after = if marks.contains(self.scratch, ordinal) {
                self.skip(element)?
            } else if reference == 0 {
                self.fail(pc, u32::from(kind == Kind::Array), element)?;
                self.skip(element)?
            } else {
                self.apply(reference, element)?
            };
            ordinal += 1;
        }
        // What was left over is evaluated now.
        if let Some(outer) = &outer {
            outer.fill(self.scratch);
        }
        self.marks = outer;
        self.top = top;
        Ok(end)
    }

    fn count(&mut self, at: I::Place, kind: Kind) -> Result<u32, Halt> {
        let mut walk = Walk::start(self.instance, at, kind == Kind::Object);
        let mut count = 0_u32;
        while let Some((_, _, element)) = walk.next(self.instance, &mut self.budget)? {
            self.budget.spend(1)?;
            count = count.saturating_add(1);
            walk.after = self.skip(element)?;
        }
        Ok(count)
    }

    /// Runs a `Scope` instruction: enters a schema resource.
    #[inline(never)]
    pub(super) fn scoped(&mut self, resource: u32, reference: u32, at: I::Place) -> Result<I::Place, Halt> {
        let (scope, top) = (self.scope, self.top);
        let entry =
            self.scratch.get_mut(top..).and_then(<[u32]>::first_chunk_mut::<2>).ok_or(Halt::limit(Limit::Scratch))?;
        *entry = [resource, scope as u32];
        self.scope = top + 1;
        self.top = top + 2;
        let end = self.apply(reference, at)?;
        (self.scope, self.top) = (scope, top);
        Ok(end)
    }

    /// Runs a `DynamicRef` instruction: the outermost resource of the dynamic scope that has the anchor decides.
    #[inline(never)]
    pub(super) fn dynamic_ref(&mut self, next: &mut usize, at: I::Place) -> Result<I::Place, Halt> {
        let code = self.code;
        let mut target = code.varint(next);
        let count = code.varint(next);
        let candidates = *next;
        for _ in 0..count {
            code.varint(next);
            code.varint(next);
        }
        let mut scope = self.scope;
        while let Some(entry) = scope.checked_sub(1) {
            let Some([resource, outer]) = self.scratch.get(entry..).and_then(<[u32]>::first_chunk::<2>).copied() else {
                break;
            };
            let mut at = candidates;
            for _ in 0..count {
                self.budget.spend(1)?;
                let (of, reference) = (code.varint(&mut at), code.varint(&mut at));
                if of == resource {
                    target = reference;
                }
            }
            scope = outer as usize;
        }
        self.apply(target, at)
    }
}
