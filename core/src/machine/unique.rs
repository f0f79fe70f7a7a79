//! Telling elements apart: `uniqueItems`, and names where members are counted.
//!
//! Elements are hashed into a table on the stack, or in scratch where the caller brought more of that. When they are more than the table holds, the walk is repeated, each time for another
//! share of the hashes; the work is the number of walks times the elements.

use super::{Budget, Machine, Mode, QUICK, equal};
use crate::error::{Halt, JsonErrorKind, Limit};
use crate::hash;
use crate::instance::{Instance, Kind, Next};
use crate::program::op::part;
use crate::text::Text;

/// Words an element takes in the table: hash, place, index.
const WORDS: usize = 3;
/// Places of the table for short arrays.
const FEW: usize = 16;
/// Places of the table for longer ones, where there is stack enough to tell these from long ones.
const SOME: usize = if cfg!(any(target_os = "none", feature = "small")) { FEW } else { 128 };
/// Places of the table for long ones: 9 KiB of stack, on 32-bit targets 768 bytes.
const MANY: usize = if cfg!(target_pointer_width = "64") { 768 } else { 64 };

/// Names that are compared one by one; none where code and stack are short.
const FEW_NAMES: usize = if cfg!(any(target_os = "none", feature = "small")) { 0 } else { 12 };

/// The table is full: there are more shares to try, or it is an error.
const FULL: Halt = Halt::limit(Limit::Scratch);

/// The first pair of equal elements: their indices, and where the second one (or its name) stands.
struct Pair<P> {
    first: u32,
    second: u32,
    at: P,
}

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    #[inline(never)]
    pub(super) fn unique_items(&mut self, pc: usize, at: I::Place, count: u32) -> Result<(), Halt> {
        if let Some(pair) = self.equal_pair(at, count, false)? {
            // Two indices of 14 bits each; the message counts on no more.
            let detail = pair.first.min(0x3FFF) | pair.second.min(0x3FFF) << 14;
            self.fail(pc, part::UNIQUE | detail << part::BITS, at)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn distinct_names(&mut self, at: I::Place, count: u32) -> Result<(), Halt> {
        match self.equal_pair(at, count, true)? {
            Some(pair) => Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(pair.at))),
            None => Ok(()),
        }
    }

    /// No object in the value at `at` may name a member twice. Gives the place behind the value.
    pub(super) fn distinct_names_everywhere(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        let kind = self.instance.kind(at)?;
        if kind != Kind::Object && kind != Kind::Array {
            return self.instance.skip(at, 0);
        }
        let depth = self.budget.depth;
        self.budget.enter(1)?;
        let mut walk = Walk::start(self.instance, at, kind == Kind::Object);
        // The names of small objects are compared as they come.
        let mut names = [Text::plain(""); FEW_NAMES];
        let mut count = 0_usize;
        while let Some((name, name_at, value)) = walk.next(self.instance, &mut self.budget)? {
            self.budget.spend(1)?;
            if let Some(name) = name {
                let before = names.get(..count).unwrap_or_default();
                if before.iter().any(|other| other.equals_text(name)) {
                    return Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(name_at)));
                }
                if let Some(slot) = names.get_mut(count) {
                    *slot = name;
                }
                count += 1;
            }
            walk.after = match self.instance.kind(value)? {
                Kind::Object | Kind::Array => self.distinct_names_everywhere(value)?,
                _ => self.instance.skip(value, 0)?,
            };
        }
        self.budget.depth = depth;
        if count > FEW_NAMES {
            self.distinct_names(at, u32::try_from(count).unwrap_or(u32::MAX))?;
        }
        Ok(walk.end)
    }

    fn equal_pair(&mut self, at: I::Place, count: u32, names: bool) -> Result<Option<Pair<I::Place>>, Halt> {
        if count as usize <= FEW - FEW / 4 {
            return self.equal_pair_among(at, names, &mut [0; FEW * WORDS]);
        }
        if count as usize <= SOME - SOME / 4 {
            return self.equal_pair_among_some(at, names);
        }
        if self.scratch.len().saturating_sub(self.top) > MANY * WORDS {
            let scratch = core::mem::take(&mut self.scratch);
            let table = scratch.get_mut(self.top..).unwrap_or_default();
            table.fill(0);
            let pair = self.equal_pair_among(at, names, table);
            self.scratch = scratch;
            return pair;
        }
        self.equal_pair_among_many(at, names)
    }

    #[inline(never)]
    fn equal_pair_among_some(&mut self, at: I::Place, names: bool) -> Result<Option<Pair<I::Place>>, Halt> {
        self.equal_pair_among(at, names, &mut [0; SOME * WORDS])
    }

    #[inline(never)]
    fn equal_pair_among_many(&mut self, at: I::Place, names: bool) -> Result<Option<Pair<I::Place>>, Halt> {
        self.equal_pair_among(at, names, &mut [0; MANY * WORDS])
    }

    /// The table is all zeros.
    fn equal_pair_among(
        &mut self,
        at: I::Place,
        names: bool,
        table: &mut [u32],
    ) -> Result<Option<Pair<I::Place>>, Halt> {
        if QUICK && !names && I::BY_NAME {
            match self.equal_items(at, table) {
                Err(FULL) => table.fill(0),
                result => return result,
            }
        }
        let mut shares = 1_u32;
        loop {
            match self.equal_pair_in(at, names, table, shares) {
                Err(FULL) if shares < 1 << 16 => shares *= 2,
                result => return result,
            }
        }
    }

    /// The same for items, where the table has room for all of them.
    fn equal_items(&mut self, at: I::Place, table: &mut [u32]) -> Result<Option<Pair<I::Place>>, Halt> {
        let slots = table.as_chunks_mut::<WORDS>().0;
        let mut walk = self.instance.items(at);
        let (mut after, mut index) = (at, 0_u32);
        while let Next::Item(item) = self.instance.next_item(&mut walk, after)? {
            self.budget.spend_bytes(self.instance.span(after, item))?;
            let hash;
            (hash, after) = match self.instance.string_hash(item) {
                Some((hash, behind)) => {
                    self.budget.spend_element(self.instance.span(item, behind))?;
                    (hash, behind)
                }
                None => equal::hash(self.instance, item, &mut self.budget)?,
            };
            if index as usize >= slots.len() - slots.len() / 4 {
                return Err(FULL);
            }
            let hash = hash | 1;
            let mut slot = ((u64::from(hash) * slots.len() as u64) >> 32) as usize;
            while let Some(&[stored, short, first]) = slots.get(slot)
                && stored != 0
            {
                self.budget.spend(1)?;
                if stored == hash && self.same(at, short, None, item, false)? {
                    return Ok(Some(Pair { first, second: index, at: item }));
                }
                slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
            }
            if let Some(free) = slots.get_mut(slot) {
                *free = [hash, self.instance.remember(item, index), index];
            }
            index += 1;
        }
        Ok(None)
    }

    fn equal_pair_in(
        &mut self,
        at: I::Place,
        names: bool,
        table: &mut [u32],
        shares: u32,
    ) -> Result<Option<Pair<I::Place>>, Halt> {
        let capacity = table.len() / WORDS;
        let mut found: Option<Pair<I::Place>> = None;
        for share in 0..shares {
            if shares > 1 {
                table.fill(0);
            }
            let mut used = 0;
            let mut index = 0_u32;
            let mut walk = Walk::start(self.instance, at, names);
            while let Some((key, name_at, value)) = walk.next(self.instance, &mut self.budget)? {
                let element_hash = match key {
                    Some(name) => {
                        self.budget.spend(1)?;
                        walk.after = self.skip(value)?;
                        hash::text(name)
                    }
                    None => {
                        let (hash, after) = equal::hash(self.instance, value, &mut self.budget)?;
                        walk.after = after;
                        hash
                    }
                };
                // The low bits choose the share, the high ones the slot; 0 marks a free slot.
                let element_hash = element_hash | 1;
                let mine = (element_hash >> 1) & (shares - 1) == share;
                if mine && found.as_ref().is_none_or(|pair| index < pair.second) {
                    if used >= capacity - capacity / 4 {
                        return Err(FULL);
                    }
                    let mut slot = ((u64::from(element_hash) * capacity as u64) >> 32) as usize;
                    loop {
                        let Some([stored, short, first]) =
                            table.get_mut(slot * WORDS..).and_then(<[u32]>::first_chunk_mut::<WORDS>)
                        else {
                            return Err(FULL);
                        };
                        if *stored == 0 {
                            *stored = element_hash;
                            *short = self.instance.remember(value, index);
                            *first = index;
                            used += 1;
                            break;
                        }
                        self.budget.spend(1)?;
                        if *stored == element_hash && self.same(at, *short, key, value, names)? {
                            found = Some(Pair { first: *first, second: index, at: name_at });
                            break;
                        }
                        slot = if slot + 1 == capacity { 0 } else { slot + 1 };
                    }
                }
                if found.is_some() && (self.mode == Mode::Quiet || shares == 1) {
                    return Ok(found);
                }
                index = index.saturating_add(1);
            }
        }
        Ok(found)
    }

    fn same(
        &mut self,
        container: I::Place,
        short: u32,
        name: Option<Text<'i>>,
        value: I::Place,
        names: bool,
    ) -> Result<bool, Halt> {
        let Some(other) = self.instance.recall(container, short) else {
            return Ok(false);
        };
        if !names {
            return Ok(equal::equal(self.instance, other, self.instance, value, &mut self.budget)?.is_some());
        }
        // Names are remembered by their value's place: find the member again.
        let mut walk = Walk::start(self.instance, container, true);
        while let Some((key, _, at)) = walk.next(self.instance, &mut self.budget)? {
            self.budget.spend(1)?;
            if self.instance.id(at) == self.instance.id(other) {
                return Ok(matches!((key, name), (Some(a), Some(b)) if a.equals_text(b)));
            }
            walk.after = self.skip(at)?;
        }
        Ok(false)
    }
}

type Element<'i, P> = (Option<Text<'i>>, P, P);

/// A walk over items, or over members.
pub(super) struct Walk<'i, I: Instance<'i>> {
    elements: Elements<I::Items, I::Members>,
    /// The place behind the last element, for who takes the walk to put there.
    pub(super) after: I::Place,
    /// The place behind the container, once the walk is at its end.
    pub(super) end: I::Place,
}

enum Elements<I, M> {
    Items(I),
    Members(M),
}

impl<'i, I: Instance<'i>> Walk<'i, I> {
    pub(super) fn start(instance: I, at: I::Place, names: bool) -> Self {
        let elements =
            if names { Elements::Members(instance.members(at)) } else { Elements::Items(instance.items(at)) };
        Self { elements, after: at, end: at }
    }

    /// The next member's name, where that stands, and the value; of an item the value twice. What is read on the way there costs.
    pub(super) fn next(&mut self, instance: I, budget: &mut Budget) -> Result<Option<Element<'i, I::Place>>, Halt> {
        let next = match &mut self.elements {
            Elements::Items(items) => match instance.next_item(items, self.after)? {
                Next::Item(item) => Ok((None, item, item)),
                Next::End(end) => Err(end),
            },
            Elements::Members(members) => match instance.next_member(members, self.after)? {
                Next::Item(member) => Ok((Some(member.name), member.name_at, member.value)),
                Next::End(end) => Err(end),
            },
        };
        let (Ok((_, _, to)) | Err(to)) = next;
        budget.spend_bytes(instance.span(self.after, to))?;
        self.end = to;
        Ok(next.ok())
    }
}
