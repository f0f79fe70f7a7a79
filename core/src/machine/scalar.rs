//! Strings and numbers: what a schema says of a value that holds no others.

use super::{Machine, Token};
use crate::error::{Halt, Limit};
use crate::instance::{Instance, Search};
use crate::number::{Number, is_short_integer, short_power};
use crate::program::code::{MAX_UNINDEXED, Table};
use crate::program::op::{FIRST_NODE, LAST, Op, VARIANT, WORD, group, mask};
use crate::text::Text;
use core::cmp::Ordering;

/// The first byte of a run that is one `StringEnum`, or one `StringConst`, or one `Pattern`.
pub(super) const ENUM: u8 = Op::StringEnum as u8 | LAST;
pub(super) const CONST: u8 = Op::StringConst as u8 | LAST;
pub(super) const PATTERN: u8 = Op::Pattern as u8 | LAST;
pub(super) const MIN_LENGTH: u8 = Op::MinLength as u8;
pub(super) const MAX_LENGTH: u8 = Op::MaxLength as u8;
pub(super) const LAST_MIN_LENGTH: u8 = MIN_LENGTH | LAST;
pub(super) const LAST_MAX_LENGTH: u8 = MAX_LENGTH | LAST;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// A string. What most schemas say of one is settled here, or a call further in the last place.
    #[inline(never)]
    pub(super) fn string_node(&mut self, node: usize, at: I::Place, head: u32) -> Result<I::Place, Halt> {
        let [_, second, first, _] = head.to_le_bytes();
        if second & group::ALL != group::STRING {
            return self.any_string(node, at);
        }
        match first & !VARIANT {
            ENUM | CONST => self.enum_node(node, at),
            PATTERN if !cfg!(any(target_os = "none", feature = "small")) => self.pattern_node(node, at),
            MIN_LENGTH | MAX_LENGTH | LAST_MIN_LENGTH | LAST_MAX_LENGTH
                if !cfg!(any(target_os = "none", feature = "small")) =>
            {
                self.lengths_node(node, at)
            }
            _ => self.any_string(node, at),
        }
    }

    /// A string of which is said how long it is.
    #[inline(never)]
    fn lengths_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        match self.keeps_lengths(node + 2, at) {
            Some((len, after)) => self.budget.spend_bytes(len).map(|()| after),
            None => self.any_string(node, at),
        }
    }

    /// A string of which is said that it is one of some.
    #[inline(never)]
    fn enum_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        // A table of few, without references, whose size takes one byte or two.
        let [_, count, size, more] = self.code.word(node + 2).to_le_bytes();
        if count & 1 == 0
            && u32::from(count / 2) <= MAX_UNINDEXED
            && size & more < 0x80
            && let Some(entries) = self.code.bytes().get(node + 5 + usize::from(size >> 7)..)
        {
            match self.instance.string_among(at, entries, count / 2) {
                Search::Found(_, after) => return Ok(after),
                Search::Missing if !cfg!(any(target_os = "none", feature = "small")) => {
                    return self.not_among(node, at);
                }
                _ => {}
            }
        }
        self.any_string(node, at)
    }

    /// The same for a string that is none of them, unless it is written with escapes.
    #[inline(never)]
    fn not_among(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let (text, after) = self.instance.string(at)?;
        if text.as_plain().is_none() {
            return self.any_string(node, at);
        }
        self.budget.spend_bytes(text.end())?;
        self.fail(node + 2, 0, at)?;
        Ok(after)
    }

    /// A string of which is said that it matches a pattern.
    #[inline(never)]
    fn pattern_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let (text, after) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        let mut next = node + 3;
        let len = self.code.length(&mut next);
        if !self.matches(self.code.slice(next, len), text)? {
            self.fail(node + 2, 0, at)?;
        }
        Ok(after)
    }

    #[inline(never)]
    fn any_string(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let second = self.code.byte(node + 1);
        let (text, after) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        if second & group::STRING != 0 {
            self.run_string(super::run_start(self.code, node, second, group::STRING), at, text)?;
        }
        if second & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::String(text, after))
    }

    /// The place behind a string that keeps to all bounds of a run on its length, as far as that is seen from its bytes.
    #[inline(always)]
    pub(super) fn keeps_lengths(&self, mut pc: usize, at: I::Place) -> Option<(usize, I::Place)> {
        let (len, after) = self.instance.string_len(at)?;
        loop {
            let byte = self.code.byte(pc);
            let mut next = pc + 1;
            let bound = self.code.length(&mut next);
            let keeps = match byte & !LAST {
                MIN_LENGTH if len >= bound => bound <= 1 || self.has_at_least(at, bound),
                MAX_LENGTH => len <= bound,
                _ => false,
            };
            if !keeps {
                return None;
            }
            if byte & LAST != 0 {
                return Some((len, after));
            }
            pc = next;
        }
    }

    #[inline(never)]
    fn has_at_least(&self, at: I::Place, bound: usize) -> bool {
        self.instance.string(at).is_ok_and(|(text, _)| is_at_least(text, bound))
    }

    /// A number that is short, as most are, within bounds that are short, too, is settled here: without a call, without the stack.
    #[inline(never)]
    pub(super) fn number_node(&mut self, node: usize, at: I::Place, head: u32) -> Result<I::Place, Halt> {
        let [mask, second, _, _] = head.to_le_bytes();
        if second & group::ANY == 0
            && let Some((mantissa, places, after)) = self.instance.short_number(at)
            && (mask & mask::NUMBER == mask::NUMBER
                || (mask & mask::NUMBER == mask::INTEGER) == is_short_integer(mantissa, places))
            && (second & group::NUMBER == 0
                || (second & group::ALL == group::NUMBER && self.keeps_bounds(node + 2, mantissa, places)))
        {
            return Ok(after);
        }
        self.any_number(node, at)
    }

    #[inline(never)]
    fn any_number(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let [mask, second, _, _] = self.code.word(node).to_le_bytes();
        let (number, after) = self.instance.number(at)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        if mask & mask::NUMBER != mask::NUMBER && (mask & mask::NUMBER == mask::INTEGER) != number.is_integer() {
            return self.wrong_type(node as u32 + FIRST_NODE, at);
        }
        if second & group::NUMBER != 0 {
            self.run_number(super::run_start(self.code, node, second, group::NUMBER), at, &number)?;
        }
        if second & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::Number(&number, after))
    }

    /// Runs the instructions for a string; those that are not for strings alone are left to [`run`](Self::run).
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(super) fn run_string(&mut self, mut pc: usize, at: I::Place, text: Text<'i>) -> Result<(), Halt> {
        let code = self.code;
        loop {
            let byte = code.byte(pc);
            let mut next = pc + 1;
            let fits = match Op::of(byte) {
                Some(Op::MinLength) => is_at_least(text, code.length(&mut next)),
                Some(Op::MaxLength) => is_at_most(text, code.length(&mut next)),
                Some(Op::StringEnum | Op::StringConst) => {
                    let table = Table::read(code, next);
                    next = table.end;
                    self.budget.spend(1)?;
                    table.find(code, text, &mut self.budget.steps).is_some()
                }
                Some(op @ (Op::Pattern | Op::Format)) => self.looks_like(op, &mut next, text)?,
                _ => return self.run_here(pc, at, &Token::String(text, at)),
            };
            if !fits {
                self.fail(pc, 0, at)?;
            }
            if byte & LAST != 0 {
                return Ok(());
            }
            pc = next;
        }
    }

    /// Runs a `Pattern` or `Format` instruction.
    #[inline(never)]
    fn looks_like(&mut self, op: Op, next: &mut usize, text: Text<'i>) -> Result<bool, Halt> {
        if op == Op::Format {
            let format = self.code.byte(*next);
            *next += 1;
            return self.conforms(format, text);
        }
        let len = self.code.length(next);
        let program = self.code.slice(*next, len);
        *next = next.saturating_add(len);
        let source = self.code.length(next);
        *next = next.saturating_add(source);
        self.matches(program, text)
    }

    /// Whether a short number keeps to all bounds of a run, which are integers of 32 bits. False also when it takes more than that to tell.
    #[inline(always)]
    pub(super) fn keeps_bounds(&self, pc: usize, mantissa: i64, places: u32) -> bool {
        const MINIMUM: u8 = Op::Minimum as u8;
        const EXCLUSIVE_MINIMUM: u8 = Op::ExclusiveMinimum as u8;
        const EXCLUSIVE_MAXIMUM: u8 = Op::ExclusiveMaximum as u8;
        const FROM: u8 = MINIMUM | WORD;
        const TO: u8 = Op::Maximum as u8 | WORD | LAST;
        let (Some(power), Some(mut rest)) = (short_power(places), self.code.bytes().get(pc..)) else {
            return false;
        };
        // Mostly it is these two.
        if !cfg!(any(target_os = "none", feature = "small"))
            && let Some([FROM, a, b, c, d, TO, e, f, g, h]) = rest.first_chunk()
        {
            let [least, most] = [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(|bound| i64::from(i32::from_le_bytes(bound)));
            return (least * i64::from(power)..=most * i64::from(power)).contains(&mantissa);
        }
        while let Some(([op, bound @ ..], behind)) = rest.split_first_chunk::<5>() {
            let code = (op & !LAST).wrapping_sub(WORD);
            // 32 bits by 30: no overflow.
            let above = mantissa - i64::from(i32::from_le_bytes(*bound)) * i64::from(power);
            let within = if matches!(code, MINIMUM | EXCLUSIVE_MINIMUM) { above } else { -above };
            if within < i64::from(code >= EXCLUSIVE_MINIMUM) || !(MINIMUM..=EXCLUSIVE_MAXIMUM).contains(&code) {
                return false;
            }
            if op & LAST != 0 {
                return true;
            }
            rest = behind;
        }
        false
    }

    /// Runs the instructions for a number; those that are not for numbers alone are left to [`run`](Self::run).
    #[inline(never)]
    pub(super) fn run_number(&mut self, mut pc: usize, at: I::Place, number: &Number<'i>) -> Result<(), Halt> {
        let code = self.code;
        loop {
            let byte = code.byte(pc);
            let op = match Op::of(byte) {
                Some(
                    op @ (Op::Minimum
                    | Op::Maximum
                    | Op::ExclusiveMinimum
                    | Op::ExclusiveMaximum
                    | Op::MultipleOf
                    | Op::PlainInteger),
                ) => op,
                _ => return self.run_here(pc, at, &Token::Number(number, at)),
            };
            let mut next = pc + 1;
            let mut fits = true;
            if op == Op::PlainInteger {
                fits = number.is_plain_integer();
            } else if let Some((operand, behind)) = code.number(pc) {
                next = behind;
                fits = match op {
                    Op::MultipleOf => number.is_multiple_of(operand).ok_or(Halt::limit(Limit::Number))?,
                    _ => keeps_bound(op, number.compare(operand)),
                };
            }
            if !fits {
                self.fail(pc, 0, at)?;
            }
            if byte & LAST != 0 {
                return Ok(());
            }
            pc = next;
        }
    }

    #[cfg(feature = "regex")]
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn matches(&mut self, program: &[u8], text: Text<'_>) -> Result<bool, Halt> {
        let mut steps = self.budget.steps as usize;
        let result = crate::regex::is_match(program, text, &mut steps);
        self.budget.steps = steps as u32;
        result.map_err(|_| Halt::limit(Limit::Steps))
    }

    // Without the engine a program with patterns is refused before it runs.
    #[cfg(not(feature = "regex"))]
    pub(super) fn matches(&mut self, _: &[u8], _: Text<'_>) -> Result<bool, Halt> {
        Err(Halt::limit(Limit::Steps))
    }

    #[cfg(feature = "formats")]
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn conforms(&mut self, format: u8, text: Text<'_>) -> Result<bool, Halt> {
        self.budget.spend(1 + (text.end() / 8) as u32)?;
        crate::format::Format::from_code(format)
            .map_or(Some(true), |format| crate::format::check(format, text))
            .ok_or(Halt::limit(Limit::Depth))
    }

    // Without formats a program that asserts one is refused before it runs.
    #[cfg(not(feature = "formats"))]
    fn conforms(&mut self, _: u8, _: Text<'_>) -> Result<bool, Halt> {
        Err(Halt::limit(Limit::Steps))
    }
}

/// Whether a number that compares so with a bound keeps to it.
#[inline(always)]
fn keeps_bound(op: Op, order: Ordering) -> bool {
    match op {
        Op::Minimum => order != Ordering::Less,
        Op::Maximum => order != Ordering::Greater,
        Op::ExclusiveMinimum => order == Ordering::Greater,
        _ => order == Ordering::Less,
    }
}

/// Whether a string has so many code points. Most are settled by their bytes alone, as a code point takes at most four, or twelve where it
/// may be escaped (a surrogate pair), and a text that is not empty has one.
#[inline]
pub(super) fn is_at_least(text: Text<'_>, bound: usize) -> bool {
    let most = if text.as_plain().is_some() { 4 } else { 12 };
    text.end() >= bound && (bound <= 1 || text.end() / most >= bound || text.count() >= bound)
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
pub(super) fn is_at_most(text: Text<'_>, bound: usize) -> bool {
    text.end() <= bound || has_at_most(text, bound)
}

#[inline(never)]
fn has_at_most(text: Text<'_>, bound: usize) -> bool {
    text.count() <= bound
}
