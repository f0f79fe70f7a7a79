//! The matcher: one thread where that is enough, otherwise all threads side by side, as sets of states.
//!
//! Both read every code point once and do at most one round over the code for each. Memory is fixed: two sets of
//! [`MAX_CODE`] bits and [`MAX_SLOTS`] counters.

use super::class;
use super::compile::MAX_PENDING;
use super::error::OutOfSteps;
use super::program::{
    ACCEPT, ACCEPT_LAST, ANCHORED, ANY_WORD, BACKWARD, CHAR, COUNT_LEAST, COUNT_MOST, COUNT_REGISTER, ENTER, Image,
    JUMP, LOOK, LOOK_NOT, MAX_CODE, MAX_SLOTS, NOT_WORD_BOUNDARY, ONE_PASS, PARTS, PEEK_AHEAD, PEEK_AHEAD_NOT,
    PEEK_BEHIND, PEEK_BEHIND_NOT, REGISTER, RUN_OPTION, RUN_PLUS, RUN_RANGE, RUN_STAR, RUN_TIMES, SPLIT, TEXT_END,
    TEXT_START, WORD_BOUNDARY, YIELD,
};
use crate::text::{Backward, Text};

pub(super) const BITS: usize = usize::BITS as usize;
const WORDS: usize = MAX_CODE / BITS;
const FROM_START: u8 = ONE_PASS | ANCHORED;

/// Whether the pattern matches somewhere in the text. A program that is no image of a pattern matches nothing.
#[inline(never)]
pub(super) fn is_match(program: &[u8], text: Text<'_>, steps: &mut usize) -> Result<bool, OutOfSteps> {
    match Image::parse(program) {
        Some(image) if image.has(PARTS) => parts_match(&image, text, steps),
        Some(image) => code_matches(&image, text, steps),
        None => Ok(false),
    }
}

#[inline(never)]
fn parts_match(image: &Image<'_>, text: Text<'_>, steps: &mut usize) -> Result<bool, OutOfSteps> {
    let mut rest = image.code;
    while let Some((part, negated)) = image.part(&mut rest) {
        spend(steps, 1)?;
        if code_matches(&part, text, steps)? == negated {
            return Ok(false);
        }
    }
    Ok(rest.is_empty())
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
fn code_matches(image: &Image<'_>, text: Text<'_>, steps: &mut usize) -> Result<bool, OutOfSteps> {
    // Up to the first run or choice, an instruction is a byte of code, and takes a byte of the text if that is ASCII.
    let mut same = 0;
    if !cfg!(any(target_os = "none", feature = "small")) && image.flags == FROM_START {
        let verdict = loop {
            match (image.byte(same), text.stored(same).first()) {
                (0..RUN_STAR, None) => break Some(false),
                (op @ ..RUN_STAR, Some(&c)) if c < 0x80 && (c != b'\\' || text.as_plain().is_some()) => {
                    if !image.consumes(op, u32::from(c)) {
                        break Some(false);
                    }
                    same += 1;
                }
                (ACCEPT, _) | (ACCEPT_LAST, None) => break Some(true),
                (ACCEPT_LAST, _) => break Some(false),
                _ => break None,
            }
        };
        spend(steps, same + usize::from(verdict.is_some()))?;
        if let Some(verdict) = verdict {
            return Ok(verdict);
        }
    }
    let mut matcher = Matcher::new(image, text, steps);
    if image.has(ONE_PASS) {
        return matcher.one_pass(same);
    }
    #[cfg(not(any(target_os = "none", feature = "small")))]
    if let Some(verdict) = matcher.in_words()? {
        return Ok(verdict);
    }
    matcher.side_by_side()
}

#[inline]
fn spend(left: &mut usize, steps: usize) -> Result<(), OutOfSteps> {
    let enough = *left >= steps;
    *left = left.saturating_sub(steps);
    if enough { Ok(()) } else { Err(OutOfSteps) }
}

pub(super) struct Matcher<'p, 't, 's> {
    pub image: &'p Image<'p>,
    pub text: Text<'t>,
    pub backward: bool,
    cursor: Backward<'t>,
    pub steps: &'s mut usize,
}

/// The part of the code that a simulation runs.
#[derive(Clone, Copy)]
struct Scope {
    from: usize,
    entry: usize,
    to: usize,
    /// Whether it is a look-around that runs by itself: from one position, up to its first `YIELD`.
    look: bool,
}

struct Sets {
    /// States to be entered at this position.
    pending: Set,
    /// States entered at this position.
    seen: Set,
    slots: [u32; MAX_SLOTS],
}

struct Set([usize; WORDS]);

impl<'p, 't, 's> Matcher<'p, 't, 's> {
    #[inline]
    pub(super) fn new(image: &'p Image<'p>, text: Text<'t>, steps: &'s mut usize) -> Self {
        Self { image, text, backward: image.has(BACKWARD), cursor: Backward::new(text), steps }
    }
}

impl Matcher<'_, '_, '_> {
    /// The code point that is read next from `at`, and the position behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn read(&mut self, at: usize) -> Option<(u32, usize)> {
        match self.text.stored(at).first() {
            Some(&c) if !self.backward && self.is_plain(c) => Some((u32::from(c), at + 1)),
            _ => self.read_other(at),
        }
    }

    #[inline(never)]
    fn read_other(&mut self, at: usize) -> Option<(u32, usize)> {
        if self.backward { self.cursor.prev(at) } else { self.text.next(at) }
    }

    /// Whether a byte of the text is an ASCII character that stands for itself.
    #[inline]
    fn is_plain(&self, byte: u8) -> bool {
        byte < 0x80 && (byte != b'\\' || self.text.as_plain().is_some())
    }

    #[inline]
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), OutOfSteps> {
        spend(self.steps, steps)
    }

    /// Whether the zero-width assertion `op` holds between two code points.
    fn holds(&self, op: u8, at: usize, before: Option<u32>, after: Option<u32>) -> bool {
        let word = |c: Option<u32>| c.is_some_and(|c| class::contains(class::well_known(ANY_WORD), c));
        let peek = |c: Option<u32>| c.is_some_and(|c| self.image.consumes(self.image.byte(at + 1), c));
        match op {
            TEXT_START => before.is_none(),
            TEXT_END => after.is_none(),
            WORD_BOUNDARY => word(before) != word(after),
            NOT_WORD_BOUNDARY => word(before) == word(after),
            PEEK_AHEAD => peek(after),
            PEEK_AHEAD_NOT => !peek(after),
            PEEK_BEHIND => peek(before),
            PEEK_BEHIND_NOT => !peek(before),
            _ => false,
        }
    }

    /// The pattern is such that the next code point tells the way: a thread that consumes has no rivals. So many bytes of code have taken as
    /// many of the text.
    #[inline(never)]
    fn one_pass(&mut self, start: usize) -> Result<bool, OutOfSteps> {
        let image = *self.image;
        let mut at = if self.backward { self.text.end() } else { start };
        // Where to go on instead, should the code point at `mark` not be consumed; and jumps taken there.
        let (mut pending, mut alternatives) = ([0u16; MAX_PENDING], 0usize);
        let (mut mark, mut jumps) = (usize::MAX, 0usize);
        let (mut pc, mut left) = (start, *self.steps);
        let verdict = loop {
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => break Err(OutOfSteps),
            };
            let op = image.byte(pc);
            let next = match op {
                0..RUN_STAR => match self.read(at) {
                    Some((c, behind)) if image.consumes(op, c) => {
                        at = behind;
                        Some(pc + 1)
                    }
                    _ => None,
                },
                RUN_OPTION => {
                    if let Some((c, behind)) = self.read(at)
                        && image.consumes(image.byte(pc + 1), c)
                    {
                        at = behind;
                    }
                    Some(pc + 2)
                }
                RUN_STAR..=RUN_RANGE => {
                    let (min, max, behind) = match op {
                        RUN_STAR => (0, u32::MAX, pc + 2),
                        RUN_PLUS => (1, u32::MAX, pc + 2),
                        RUN_TIMES => (u32::from(image.byte(pc + 2)), u32::from(image.byte(pc + 2)), pc + 3),
                        _ => image.bounds(pc + 2),
                    };
                    let (count, end) = self.run(image.byte(pc + 1), max, at);
                    at = end;
                    left = match left.checked_sub(count as usize) {
                        Some(left) => left,
                        None => break Err(OutOfSteps),
                    };
                    Some(behind).filter(|_| count >= min)
                }
                CHAR => match self.read(at) {
                    Some((c, behind)) if c == char_at(&image, pc) => {
                        at = behind;
                        Some(pc + 4)
                    }
                    _ => None,
                },
                ACCEPT => break Ok(true),
                ACCEPT_LAST if self.read(at).is_none() => break Ok(true),
                ACCEPT_LAST => None,
                JUMP..TEXT_START => {
                    if at != mark {
                        (mark, alternatives, jumps) = (at, 0, 0);
                    }
                    jumps += 1;
                    let (target, behind) = (image.target(pc), pc + 2);
                    // Only an image that no compiler made goes in circles.
                    if jumps > MAX_CODE {
                        None
                    } else if op < SPLIT {
                        Some(target)
                    } else {
                        // Once more round a loop before going on behind it.
                        let (first, other) = if target > pc { (behind, target) } else { (target, behind) };
                        match pending.get_mut(alternatives) {
                            Some(slot) => *slot = other as u16,
                            None => break Ok(false),
                        }
                        alternatives += 1;
                        Some(first)
                    }
                }
                _ => {
                    let (before, after) = (self.cursor.prev(at), self.text.next(at));
                    let holds = self.holds(op, pc, before.map(|(c, _)| c), after.map(|(c, _)| c));
                    Some(pc + if op >= PEEK_AHEAD { 2 } else { 1 }).filter(|_| holds)
                }
            };
            pc = match next {
                Some(next) => next,
                None if at == mark && alternatives > 0 => {
                    alternatives -= 1;
                    pending.get(alternatives).copied().map_or(0, usize::from)
                }
                None => break Ok(false),
            };
        };
        *self.steps = if verdict.is_ok() { left } else { 0 };
        verdict
    }

    /// Consumes up to `max` code points of a class. Gives their number and the position behind the last.
    #[inline]
    fn run(&mut self, code: u8, max: u32, at: usize) -> (u32, usize) {
        if self.backward {
            return self.run_other(code, max, 0, at);
        }
        let literal = [1, code, code];
        let class = if code < 0x80 { &literal } else { self.image.class(code) };
        let stored = self.text.stored(at);
        let length = class::ascii_run(class, stored, max as usize, self.text.as_plain().is_none(), true);
        let (count, at) = (length as u32, at + length);
        // What ended it has been looked at, if it is an ASCII character.
        match stored.get(length) {
            Some(&c) if !self.is_plain(c) => self.run_other(code, max, count, at),
            _ => (count, at),
        }
    }

    #[inline(never)]
    fn run_other(&mut self, code: u8, max: u32, mut count: u32, mut at: usize) -> (u32, usize) {
        while count < max
            && let Some((c, behind)) = self.read(at)
            && self.image.consumes(code, c)
        {
            at = behind;
            count += 1;
        }
        (count, at)
    }

    /// All threads side by side. Keeps its sets out of its callers' frames.
    #[inline(never)]
    pub(super) fn side_by_side(&mut self) -> Result<bool, OutOfSteps> {
        let mut sets = Sets { pending: Set([0; WORDS]), seen: Set([0; WORDS]), slots: [0; MAX_SLOTS] };
        let scope = Scope { from: 0, entry: self.image.start(), to: self.image.code.len(), look: false };
        let at = if self.backward { self.text.end() } else { 0 };
        self.simulate(&mut sets, scope, at, None)
    }

    /// At each position the states that can be reached without reading are entered first, lowest
    /// first (so that a look-around, which lies before what asks for it, is decided by then); then each consumes or dies.
    fn simulate(
        &mut self,
        sets: &mut Sets,
        scope: Scope,
        mut at: usize,
        mut passed: Option<u32>,
    ) -> Result<bool, OutOfSteps> {
        let image = self.image;
        let again = !scope.look && !image.has(ANCHORED);
        let running = !scope.look && image.looks() > 0;
        let literal = Some(image.byte(scope.entry)).filter(|&op| op < 0x80 && again && !running && !self.backward);
        sets.pending.insert(scope.entry);
        loop {
            let step = self.read(at);
            let coming = step.map(|(c, _)| c);
            let (before, after) = if self.backward { (coming, passed) } else { (passed, coming) };
            // A bit for each look-around that holds here, and for each count that starts here.
            let (mut holding, mut entered) = (0u32, 0u32);
            if running {
                for index in 0..image.looks() {
                    let (start, by_itself) = image.look(index);
                    if !by_itself {
                        sets.pending.insert(start);
                    }
                }
            }
            let mut steps = 1;
            while let Some(state) = sets.pending.take_lowest(scope.from, scope.to) {
                if !sets.seen.add(state) {
                    continue;
                }
                steps += 1;
                let op = image.byte(state);
                match op {
                    RUN_STAR | RUN_OPTION => sets.pending.insert(state + 2),
                    ENTER => {
                        let (min, _, behind) = image.bounds(state + 4);
                        entered |= 1u32.wrapping_shl(u32::from(image.byte(state + 3)));
                        sets.pending.insert(state + 1);
                        if min == 0 {
                            sets.pending.insert(behind);
                        }
                    }
                    COUNT_REGISTER..=COUNT_MOST => {
                        let (min, max, behind) = image.bounds(state + 3);
                        let slot = sets.slots.get(usize::from(image.byte(state + 2))).copied().unwrap_or(0);
                        if is_enough(op, slot, min, max) {
                            sets.pending.insert(behind);
                        }
                    }
                    JUMP..SPLIT => sets.pending.insert(image.target(state)),
                    SPLIT..TEXT_START => {
                        sets.pending.insert(image.target(state));
                        sets.pending.insert(state + 2);
                    }
                    TEXT_START..LOOK if self.holds(op, state, before, after) => {
                        sets.pending.insert(state + if op >= PEEK_AHEAD { 2 } else { 1 });
                    }
                    LOOK | LOOK_NOT => {
                        let index = usize::from(image.byte(state + 1));
                        let (start, by_itself) = image.look(index);
                        let holds = if !by_itself {
                            holding.wrapping_shr(index as u32) & 1 != 0
                        } else if scope.look {
                            false
                        } else {
                            let body = Scope { from: start, entry: start, to: image.look(index + 1).0, look: true };
                            self.simulate(sets, body, at, passed)?
                        };
                        if holds == (op == LOOK) {
                            sets.pending.insert(state + 2);
                        }
                    }
                    YIELD if scope.look => {
                        self.clear(sets, scope);
                        return Ok(true);
                    }
                    YIELD => holding |= 1u32.wrapping_shl(u32::from(image.byte(state + 1))),
                    ACCEPT => return Ok(true),
                    ACCEPT_LAST if step.is_none() => return Ok(true),
                    _ => {}
                }
            }
            self.spend(steps)?;
            let Some((c, behind)) = step else {
                self.clear(sets, scope);
                return Ok(false);
            };
            let alive = self.consume(sets, scope, c, entered);
            if again {
                sets.pending.insert(scope.entry);
            } else if !alive {
                return Ok(false);
            }
            (at, passed) = (behind, Some(c));
            if let Some(literal) = literal
                && !alive
            {
                // Nothing is under way: on to where a match can start.
                let skipped = self.text.ascii_before(at, literal);
                self.spend(skipped.len())?;
                if let Some(&last) = skipped.last() {
                    (at, passed) = (at + skipped.len(), Some(u32::from(last)));
                }
            }
        }
    }

    /// Takes every state that was entered over `c`; tells whether any got there.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn consume(&mut self, sets: &mut Sets, scope: Scope, c: u32, entered: u32) -> bool {
        let image = self.image;
        let mut alive = false;
        while let Some(state) = sets.seen.take_lowest(scope.from, scope.to) {
            let op = image.byte(state);
            match op {
                0..RUN_STAR if image.consumes(op, c) => sets.pending.insert(state + 1),
                RUN_STAR if image.consumes(image.byte(state + 1), c) => sets.pending.insert(state),
                RUN_PLUS if image.consumes(image.byte(state + 1), c) => {
                    sets.pending.insert(state);
                    sets.pending.insert(state + 2);
                }
                RUN_OPTION if image.consumes(image.byte(state + 1), c) => sets.pending.insert(state + 2),
                CHAR if c == char_at(image, state) => sets.pending.insert(state + 4),
                COUNT_REGISTER..=COUNT_MOST => {
                    let number = image.byte(state + 2);
                    let Some(slot) = sets.slots.get_mut(usize::from(number)) else {
                        continue;
                    };
                    let fresh = entered.wrapping_shr(u32::from(number)) & 1;
                    let (min, max, _) = image.bounds(state + 3);
                    *slot =
                        if image.consumes(image.byte(state + 1), c) { counted(op, *slot, fresh, min, max) } else { 0 };
                    if *slot == 0 {
                        continue;
                    }
                    sets.pending.insert(state);
                }
                _ => continue,
            }
            alive = true;
        }
        alive
    }

    /// Leaves nothing behind of a simulation that ends early.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn clear(&self, sets: &mut Sets, scope: Scope) {
        while let Some(state) =
            sets.pending.take_lowest(scope.from, scope.to).or_else(|| sets.seen.take_lowest(scope.from, scope.to))
        {
            if (COUNT_REGISTER..=COUNT_MOST).contains(&self.image.byte(state))
                && let Some(slot) = sets.slots.get_mut(usize::from(self.image.byte(state + 2)))
            {
                *slot = 0;
            }
        }
    }
}

impl Set {
    /// Adds a state; tells whether it is new.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn add(&mut self, state: usize) -> bool {
        let Some(word) = self.0.get_mut(state / BITS) else {
            return false;
        };
        let bit = 1 << (state % BITS);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    #[inline]
    fn insert(&mut self, state: usize) {
        self.add(state);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn take_lowest(&mut self, from: usize, to: usize) -> Option<usize> {
        let mut below = (1usize << (from % BITS)) - 1;
        for (index, word) in self.0.iter_mut().enumerate().take(to / BITS + 1).skip(from / BITS) {
            let left = *word & !below;
            if left != 0 {
                let state = index * BITS + left.trailing_zeros() as usize;
                if state >= to {
                    return None;
                }
                *word &= !(left & left.wrapping_neg());
                return Some(state);
            }
            below = 0;
        }
        None
    }
}

/// Whether what a slot has counted is within the bounds.
#[inline(never)]
pub(super) fn is_enough(op: u8, slot: u32, min: u32, max: u32) -> bool {
    if op == COUNT_REGISTER {
        slot & low_bits(max) & !low_bits(min.saturating_sub(1)) != 0
    } else {
        slot != 0 && slot >= min
    }
}

/// The slot after one more. `fresh`: 1 if a thread starts to count here.
#[inline(never)]
pub(super) fn counted(op: u8, slot: u32, fresh: u32, min: u32, max: u32) -> u32 {
    match op {
        COUNT_REGISTER => (slot << 1 | fresh) & low_bits(max),
        COUNT_LEAST if fresh != 0 => 1,
        COUNT_LEAST => Some(slot.saturating_add(1)).filter(|&count| count <= max).unwrap_or(0),
        _ => slot.saturating_add(1).min(min),
    }
}

fn low_bits(count: u32) -> u32 {
    if count >= REGISTER { u32::MAX } else { (1 << count) - 1 }
}

pub(super) fn char_at(image: &Image<'_>, at: usize) -> u32 {
    u32::from(image.byte(at + 1)) | u32::from(image.byte(at + 2)) << 8 | u32::from(image.byte(at + 3)) << 16
}
