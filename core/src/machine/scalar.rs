//! Strings and numbers: what a schema says of a value that holds no others.

use super::{Machine, Token};
use crate::error::{Halt, Limit};
use crate::instance::Instance;
use crate::number::{Number, compare_short, is_short_integer};
use crate::program::code::Table;
use crate::program::op::{LAST, Op, VARIANT, group, mask};
use crate::text::Text;
use core::cmp::Ordering;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    // Strings and numbers apart on devices, so that what they hold is not on the stack at every level of nesting.
    #[inline(never)]
    pub(super) fn string_node(&mut self, node: usize, second: u8, at: I::Place) -> Result<I::Place, Halt> {
        if second & group::ALL == group::STRING
            && let Some(after) = self.one_of_few(node + 2, at)
        {
            return Ok(after);
        }
        let (text, after) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        if second & group::STRING != 0 {
            self.run_string(super::run_start(self.code, node, second, group::STRING), at, text)?;
        }
        if second & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::String(text), Some(after))
    }

    /// The place behind a string that a short `enum` or a `const` has to the byte, where nothing else is said of it.
    #[inline(always)]
    fn one_of_few(&self, pc: usize, at: I::Place) -> Option<I::Place> {
        const ENUM: u8 = Op::StringEnum as u8 | LAST;
        const CONST: u8 = Op::StringConst as u8 | LAST;
        if !matches!(self.code.byte(pc) & !VARIANT, ENUM | CONST) {
            return None;
        }
        let table = Table::read(self.code, pc + 1);
        if table.indexed() {
            return None;
        }
        table.plain_names(self.code).find_map(|name| self.instance.string_named(at, name))
    }

    #[inline(never)]
    pub(super) fn number_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let (mask, second) = (self.code.byte(node), self.code.byte(node + 1));
        if second & group::ANY == 0
            && let Some((mantissa, places, after)) = self.instance.short_number(at)
            && (mask & mask::NUMBER == mask::NUMBER
                || (mask & mask::NUMBER == mask::INTEGER) == is_short_integer(mantissa, places))
            && (second & group::NUMBER == 0
                || self.keeps_bounds(super::run_start(self.code, node, second, group::NUMBER), mantissa, places))
        {
            return Ok(after);
        }
        let (number, after) = self.instance.number(at)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        if mask & mask::NUMBER != mask::NUMBER && (mask & mask::NUMBER == mask::INTEGER) != number.is_integer() {
            return self.wrong_type(node, at);
        }
        if second & group::NUMBER != 0 {
            self.run_number(super::run_start(self.code, node, second, group::NUMBER), at, number)?;
        }
        if second & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::Number(number), Some(after))
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
                _ => return self.run(pc, at, &Token::String(text), Some(at)).map(|_| ()),
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

    /// Whether a short number keeps to all bounds of a run. False also when it takes more than that to tell.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(super) fn keeps_bounds(&self, mut pc: usize, mantissa: i64, places: u32) -> bool {
        let code = self.code;
        loop {
            let byte = code.byte(pc);
            let Some(op @ (Op::Minimum | Op::Maximum | Op::ExclusiveMinimum | Op::ExclusiveMaximum)) = Op::of(byte)
            else {
                return false;
            };
            match compare_short(mantissa, places, code.bytes(), pc + 1) {
                Some((order, next)) if keeps_bound(op, order) => pc = next,
                _ => return false,
            }
            if byte & LAST != 0 {
                return true;
            }
        }
    }

    /// Runs the instructions for a number; those that are not for numbers alone are left to [`run`](Self::run).
    #[inline(never)]
    pub(super) fn run_number(&mut self, mut pc: usize, at: I::Place, number: Number<'i>) -> Result<(), Halt> {
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
                _ => return self.run(pc, at, &Token::Number(number), Some(at)).map(|_| ()),
            };
            let mut next = pc + 1;
            let mut fits = true;
            if op == Op::PlainInteger {
                fits = number.is_plain_integer();
            } else if op == Op::MultipleOf {
                fits = self.is_multiple(&number, &mut next)?;
            } else if let Some((bound, behind)) = Number::decode(code.bytes(), next) {
                next = behind;
                fits = keeps_bound(op, number.compare(bound));
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

    #[inline(never)]
    fn is_multiple(&self, number: &Number<'_>, next: &mut usize) -> Result<bool, Halt> {
        let Some((divisor, behind)) = Number::decode(self.code.bytes(), *next) else {
            return Ok(true);
        };
        *next = behind;
        number.is_multiple_of(divisor).ok_or(Halt::limit(Limit::Number))
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

/// Whether a string has so many code points. Most are settled by their bytes alone.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
pub(super) fn is_at_least(text: Text<'_>, bound: usize) -> bool {
    // A text that is not empty has a code point.
    text.end() >= bound && (bound <= 1 || has_at_least(text, bound))
}

#[inline(never)]
fn has_at_least(text: Text<'_>, bound: usize) -> bool {
    // A code point takes at most twelve bytes (an escaped surrogate pair).
    text.end() / 12 >= bound || text.count() >= bound
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
