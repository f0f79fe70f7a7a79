//! Strings and numbers: what a schema says of a value that holds no others.

use super::{Machine, Token};
use crate::error::{Halt, Limit};
use crate::instance::Instance;
use crate::number::{Number, is_short_integer, short_power};
use crate::program::code::Table;
use crate::program::op::{FIRST_NODE, LAST, Op, VARIANT, WORD, group, mask};
use crate::text::Text;
use core::cmp::Ordering;

const ENUM: u8 = Op::StringEnum as u8;
const CONST: u8 = Op::StringConst as u8;
const MIN_LENGTH: u8 = Op::MinLength as u8;
const MAX_LENGTH: u8 = Op::MaxLength as u8;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// A string of which little is said, as of most, is settled here.
    #[inline(never)]
    pub(super) fn string_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let [_, second, first, _] = self.code.u32(node).to_le_bytes();
        if second & group::ALL == group::STRING {
            match first & !(VARIANT | LAST) {
                ENUM | CONST if first & LAST != 0 => {
                    if let Some(after) = self.one_of_few(node + 3, at) {
                        return Ok(after);
                    }
                }
                MIN_LENGTH | MAX_LENGTH => {
                    if let Some((len, after)) = self.keeps_lengths(node + 2, at) {
                        self.budget.spend_bytes(len)?;
                        return Ok(after);
                    }
                }
                _ => {}
            }
        }
        self.any_string(node, at)
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
        self.run_any(node, at, &Token::String(text), Some(after))
    }

    /// The place behind a string that the table at `at` has to the byte, where that is short.
    #[inline(always)]
    fn one_of_few(&self, table_at: usize, at: I::Place) -> Option<I::Place> {
        let table = Table::read(self.code, table_at);
        if table.indexed() || table.has_references {
            return None;
        }
        self.instance.string_among(at, self.code.from(table.entries), table.count)
    }

    /// The place behind a string that keeps to all bounds of a run on its length, as far as that is seen from its bytes.
    #[inline(always)]
    fn keeps_lengths(&self, mut pc: usize, at: I::Place) -> Option<(usize, I::Place)> {
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
    pub(super) fn number_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let [mask, second, _] = self.code.triple(node);
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
        let [mask, second, _] = self.code.triple(node);
        let (number, after) = self.instance.number(at)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        if mask & mask::NUMBER != mask::NUMBER && (mask & mask::NUMBER == mask::INTEGER) != number.is_integer() {
            return self.wrong_type(node as u32 + FIRST_NODE, at);
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

    /// Whether a short number keeps to all bounds of a run, which are integers of 32 bits. False also when it takes more than that to tell.
    #[inline(always)]
    fn keeps_bounds(&self, mut pc: usize, mantissa: i64, places: u32) -> bool {
        const MINIMUM: u8 = Op::Minimum as u8 | WORD;
        const MAXIMUM: u8 = Op::Maximum as u8 | WORD;
        const EXCLUSIVE_MINIMUM: u8 = Op::ExclusiveMinimum as u8 | WORD;
        const EXCLUSIVE_MAXIMUM: u8 = Op::ExclusiveMaximum as u8 | WORD;
        let Some(power) = short_power(places) else {
            return false;
        };
        loop {
            let byte = self.code.byte(pc);
            // 32 bits by 30: no overflow.
            let bound = i64::from(self.code.i32(pc + 1)) * i64::from(power);
            let keeps = match byte & !LAST {
                MINIMUM => mantissa >= bound,
                MAXIMUM => mantissa <= bound,
                EXCLUSIVE_MINIMUM => mantissa > bound,
                EXCLUSIVE_MAXIMUM => mantissa < bound,
                _ => false,
            };
            if !keeps || byte & LAST != 0 {
                return keeps;
            }
            pc += 5;
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

/// Whether a string has so many code points. Most are settled by their bytes alone, as a code point takes at most twelve (an escaped
/// surrogate pair), and a text that is not empty has one.
#[inline]
fn is_at_least(text: Text<'_>, bound: usize) -> bool {
    text.end() >= bound && (bound <= 1 || text.end() / 12 >= bound || text.count() >= bound)
}

#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
fn is_at_most(text: Text<'_>, bound: usize) -> bool {
    text.end() <= bound || has_at_most(text, bound)
}

#[inline(never)]
fn has_at_most(text: Text<'_>, bound: usize) -> bool {
    text.count() <= bound
}
