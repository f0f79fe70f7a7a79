//! Values that somebody else parsed (trees): no place behind them is asked for, no name comes twice, and nothing is read by the way.
//!
//! What most schemas say is checked here; anything else is left to the instructions that all readers share. For text nothing of this is
//! compiled: [`Machine::apply`] asks a reader whether its values are parsed, which is a constant of each.

use super::object::{Seen, min_and_max};
use super::scalar::{
    CONST, ENUM, LAST_MAX_LENGTH, LAST_MIN_LENGTH, MAX_LENGTH, MIN_LENGTH, PATTERN, is_at_least, is_at_most,
};
use super::{Machine, Token, run_start};
use crate::error::Halt;
use crate::instance::{Instance, Next};
use crate::number::is_short_integer;
use crate::program::code::{NO_REFERENCE, Table};
use crate::program::names::{Known, Plain, find, is_among};
use crate::program::op::{FIRST_NODE, LAST, Op, VARIANT, array, group, mask, mask_of, object, part};
use crate::text::Text;
use core::ops::Range;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Applies a schema to a parsed value.
    #[inline(always)]
    pub(super) fn check(&mut self, reference: u32, at: I::Place) -> Result<(), Halt> {
        match reference.checked_sub(FIRST_NODE) {
            None => self.check_types(reference as u8, at),
            Some(node) => self.check_node(node as usize, at),
        }
    }

    #[inline(always)]
    fn check_types(&mut self, mask: u8, at: I::Place) -> Result<(), Halt> {
        const IN_PAIRS: u8 = mask::BOOLEAN | mask::INTEGER;
        let types = mask & self.instance.types_at_most(at);
        if types != 0 && types & IN_PAIRS == 0 {
            return Ok(());
        }
        // Both of the two, or only integers of the numbers.
        match types {
            mask::BOOLEAN | mask::NUMBER => Ok(()),
            mask::INTEGER if self.is_short_integer(at) => Ok(()),
            _ => self.check_type(mask, at),
        }
    }

    #[inline(always)]
    fn is_short_integer(&self, at: I::Place) -> bool {
        self.instance.short_number(at).is_some_and(|(mantissa, places, _)| is_short_integer(mantissa, places))
    }

    /// The same where it takes a second look, or failed.
    #[inline(never)]
    fn check_type(&mut self, mask: u8, at: I::Place) -> Result<(), Halt> {
        let types = mask & mask_of(self.instance.kind(at)?);
        if types == 0 || (types == mask::INTEGER && !self.is_integer(at)?) {
            return self.mismatch(u32::from(mask), at);
        }
        Ok(())
    }

    #[inline(always)]
    fn is_integer(&mut self, at: I::Place) -> Result<bool, Halt> {
        match self.instance.short_number(at) {
            Some((mantissa, places, _)) => Ok(is_short_integer(mantissa, places)),
            None => self.is_long_integer(at),
        }
    }

    #[cold]
    #[inline(never)]
    fn is_long_integer(&mut self, at: I::Place) -> Result<bool, Halt> {
        let (number, after) = self.instance.number(at)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        Ok(number.is_integer())
    }

    // Calls are the last of it, so that nothing is kept on the stack.
    #[inline(never)]
    fn check_node(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        let [mask, second, first, _] = self.code.word(node).to_le_bytes();
        // What most schemas say of a container is one instruction. A link seems to have all groups.
        match (mask & self.instance.types_at_most(at), second & group::ALL, first & !VARIANT) {
            (mask::OBJECT, group::OBJECT, OBJECT) if self.remembers_nothing() => self.check_object(node + 2, at, 1),
            (mask::ARRAY, group::ARRAY, ARRAY) if self.remembers_nothing() => self.check_array(node + 2, at, 1),
            (mask::STRING, group::STRING, ENUM | CONST) => self.check_among(node + 2, at),
            (mask::STRING, group::STRING, MIN_LENGTH | MAX_LENGTH | LAST_MIN_LENGTH | LAST_MAX_LENGTH) => {
                self.check_lengths(node, at)
            }
            (mask::STRING, group::STRING, PATTERN) => self.check_pattern(node + 2, at),
            (mask::STRING, group::STRING, _) => self.check_string(node, at),
            (types, ..) if second != group::LINK && types & mask::NUMBER != 0 => self.check_number(node, at),
            _ => self.check_other(node, at),
        }
    }

    #[inline(always)]
    fn remembers_nothing(&self) -> bool {
        self.memo.is_empty() || self.again == 0
    }

    /// Goes on with a value of these types in a node that says more, or other things, than most do.
    #[inline(never)]
    fn check_other(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        let [mask, second, ..] = self.code.word(node).to_le_bytes();
        if second == group::LINK {
            return self.check_link(node, at);
        }
        match mask & mask_of(self.instance.kind(at)?) {
            0 => self.check_mismatch(node, at),
            mask::STRING if second & (group::STRING | group::ANY) != 0 => self.check_string(node, at),
            mask::ARRAY => self.check_container(node, group::ARRAY, at),
            mask::OBJECT => self.check_container(node, group::OBJECT, at),
            _ if second & group::ANY == 0 => Ok(()),
            _ => self.check_any(node, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn check_mismatch(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        self.mismatch(node as u32 + FIRST_NODE, at)
    }

    #[inline(never)]
    fn check_link(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        let reference = self.follow_links(node)?;
        self.check(reference, at)
    }

    #[inline(never)]
    fn check_any(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        self.run_any(node, at, &Token::Other(Some(at))).map(|_| ())
    }

    #[inline(never)]
    fn check_container(&mut self, node: usize, own: u8, at: I::Place) -> Result<(), Halt> {
        if self.remembers_nothing() {
            self.any_container(node, own, at).map(|_| ())
        } else {
            self.remembered(node, at).map(|_| ())
        }
    }

    #[inline(never)]
    fn check_string(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        let code = self.code;
        let second = code.byte(node + 1);
        let (text, _) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        if second & group::STRING != 0 {
            let mut pc = run_start(code, node, second, group::STRING);
            loop {
                let byte = code.byte(pc);
                let mut next = pc + 1;
                let fits = match Op::of(byte) {
                    Some(Op::MinLength) => is_at_least(text, code.length(&mut next)),
                    Some(Op::MaxLength) => is_at_most(text, code.length(&mut next)),
                    _ => {
                        self.run_string(pc, at, text)?;
                        break;
                    }
                };
                if !fits {
                    self.fail(pc, 0, at)?;
                }
                if byte & LAST != 0 {
                    break;
                }
                pc = next;
            }
        }
        if second & group::ANY == 0 {
            return Ok(());
        }
        self.run_any(node, at, &Token::String(text, at)).map(|_| ())
    }

    /// A run that begins with bounds on the length.
    #[inline(never)]
    fn check_lengths(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        match self.keeps_lengths(node + 2, at) {
            Some((len, _)) => self.budget.spend_bytes(len),
            None => self.check_string(node, at),
        }
    }

    /// A run that is one `Pattern`.
    #[inline(never)]
    fn check_pattern(&mut self, pc: usize, at: I::Place) -> Result<(), Halt> {
        let (text, _) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        let mut next = pc + 1;
        let len = self.code.length(&mut next);
        if self.matches(self.code.slice(next, len), text)? { Ok(()) } else { self.fail(pc, 0, at) }
    }

    /// A run that is one `StringEnum` or `StringConst`.
    #[inline(never)]
    fn check_among(&mut self, pc: usize, at: I::Place) -> Result<(), Halt> {
        let (text, _) = self.instance.string(at)?;
        self.budget.spend_bytes(text.end())?;
        self.budget.spend(1)?;
        let table = Table::read(self.code, pc + 1);
        // Parsed strings are plain.
        if text.as_plain().is_some_and(|plain| is_among(self.code, &table, plain, &mut self.budget.steps)) {
            Ok(())
        } else {
            self.fail(pc, 0, at)
        }
    }

    #[inline(never)]
    fn check_number(&mut self, node: usize, at: I::Place) -> Result<(), Halt> {
        let [mask, second, _, _] = self.code.word(node).to_le_bytes();
        if second & group::ANY == 0
            && let Some((mantissa, places, _)) = self.instance.short_number(at)
            && (mask & mask::NUMBER == mask::NUMBER
                || (mask & mask::NUMBER == mask::INTEGER) == is_short_integer(mantissa, places))
            && (second & group::NUMBER == 0
                || self.keeps_bounds(run_start(self.code, node, second, group::NUMBER), mantissa, places))
        {
            return Ok(());
        }
        self.number_node(node, at, self.code.word(node)).map(|_| ())
    }

    /// Runs an `Array` instruction.
    #[inline(never)]
    pub(super) fn check_array(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<(), Halt> {
        const PLAIN: u8 = array::MIN | array::MAX | array::PREFIX | array::ITEMS | array::UNIQUE | array::OLD_NAMES;
        let code = self.code;
        let flags = code.byte(pc + 1);
        let mut next = pc + 2;
        if flags & !PLAIN != 0 || self.marks.is_some() {
            return self.any_array(pc, at, levels).map(|_| ());
        }
        let min = if flags & array::MIN != 0 { code.varint(&mut next) } else { 0 };
        let max = if flags & array::MAX != 0 { code.varint(&mut next) } else { u32::MAX };
        let prefix_len = if flags & array::PREFIX != 0 { code.varint(&mut next) } else { 0 };
        let mut prefix = next;
        for _ in 0..prefix_len {
            code.varint(&mut next);
        }
        let items = if flags & array::ITEMS != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        let mut walk = self.instance.items(at);
        let count = match self.instance.items_left(&walk) {
            Some(count) if count <= max && (items != 0 || count <= prefix_len) => count,
            _ => return self.any_array(pc, at, levels).map(|_| ()),
        };
        self.budget.enter(levels)?;
        self.budget.spend(count)?;
        self.budget.spend_bytes(prefix_len as usize)?;
        for _ in 0..prefix_len.min(count) {
            if let Next::Item(item) = self.instance.next_item(&mut walk, at)? {
                self.optional = false;
                self.check(code.varint(&mut prefix), item)?;
            }
        }
        match items.checked_sub(FIRST_NODE) {
            None if items == u32::from(mask::ALL) => {}
            None => {
                self.optional = false;
                while let Next::Item(item) = self.instance.next_item(&mut walk, at)? {
                    self.check_types(items as u8, item)?;
                }
            }
            Some(node) => {
                while let Next::Item(item) = self.instance.next_item(&mut walk, at)? {
                    self.optional = false;
                    self.check_node(node as usize, item)?;
                }
            }
        }
        if count < min {
            self.fail(pc, part::MIN, at)?;
        }
        if flags & array::UNIQUE != 0 && count > 1 {
            self.unique_items(pc, at, count)?;
        }
        self.next = next;
        self.budget.leave(levels);
        Ok(())
    }

    /// Runs an `Object` instruction. What most schemas say is `properties`, `required`, `additionalProperties` and how many.
    #[inline(never)]
    pub(super) fn check_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<(), Halt> {
        const PLAIN: u8 = object::REQUIRED | object::ADDITIONAL | object::MIN | object::MAX;
        let code = self.code;
        let flags = code.byte(pc + 1);
        let mut next = pc + 2;
        if flags & !PLAIN != object::TABLE || self.watched != 0 || self.marks.is_some() {
            return self.check_wide_object(pc, at, levels);
        }
        let mut members = self.instance.members(at);
        let (Some(table), Some(count)) = (Plain::read(code, next), self.instance.members_left(&members)) else {
            return self.check_wide_object(pc, at, levels);
        };
        next = table.end;
        let required = if flags & object::REQUIRED != 0 { code.varint64(&mut next) } else { 0 };
        let additional = if flags & object::ADDITIONAL != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        self.budget.enter(levels)?;
        self.budget.spend(count.saturating_add(1))?;
        let (mut seen, mut expected) = (0_u64, 0);
        while let Next::Item(member) = self.instance.next_member(&mut members, at)? {
            // Names of parsed objects are plain.
            let name = member.name.as_plain().unwrap_or_default();
            let found = table.find(expected, name, &mut self.budget.steps);
            expected = found.expected;
            let (_, index, mut reference) = Table::plain_head(found.head);
            // The last bit is for all that the table does not name.
            let bit = 1 << (index % 64);
            seen |= bit;
            self.optional = required & bit == 0;
            if reference == NO_REFERENCE {
                if additional == 0 {
                    self.fail(pc, part::ADDITIONAL, member.value)?;
                    continue;
                }
                reference = additional;
            }
            match reference.checked_sub(FIRST_NODE) {
                Some(node) => self.check_node(node as usize, member.value)?,
                None => self.check_types(reference as u8, member.value)?,
            }
        }
        self.seen = seen;
        let missing = required & !seen;
        if missing != 0 {
            self.missing(pc, missing, 0, at)?;
        }
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(code, &mut next, flags);
            self.keep_count(pc, at, (min, count, max), 0)?;
        }
        self.next = next;
        self.budget.leave(levels);
        Ok(())
    }

    /// The same for all that an object's schema can say.
    #[inline(never)]
    fn check_wide_object(&mut self, pc: usize, at: I::Place, levels: u32) -> Result<(), Halt> {
        let code = self.code;
        let flags = code.byte(pc + 1);
        let mut next = pc + 2;
        if self.marks.is_some() {
            return self.any_object(pc, at, levels).map(|_| ());
        }
        let table = if flags & object::TABLE != 0 { Table::read(code, next) } else { Table::EMPTY };
        if flags & object::TABLE != 0 {
            next = table.end;
        }
        let required_at = next;
        let mut required = 0;
        if flags & object::REQUIRED != 0 {
            required = code.varint64(&mut next);
            for _ in 1..table.count.div_ceil(64) {
                code.varint64(&mut next);
            }
        }
        let additional = if flags & object::ADDITIONAL != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        let name_schema = if flags & object::NAMES != 0 { code.varint(&mut next) } else { u32::from(mask::ALL) };
        let mut patterns = next..next;
        if flags & object::PATTERNS != 0 {
            let len = code.length(&mut next);
            patterns = next..next.saturating_add(len);
            next = patterns.end;
        }
        let watched = core::mem::take(&mut self.watched);
        let watched_members = self.watched_members(watched);
        let mut passed = u64::MAX;
        let top = self.top;
        self.budget.enter(levels)?;
        self.budget.spend(1)?;
        self.budget.spend_bytes(table.count as usize)?;
        let mut seen = Seen::new(table.count, self.scratch, &mut self.top)?;
        let plain = Plain::of(code, &table);
        let mut expected = 0;
        let mut members = self.instance.members(at);
        let (mut count, mut undeclared) = (0_u32, 0_u32);
        while let Next::Item(member) = self.instance.next_member(&mut members, at)? {
            self.budget.spend(1)?;
            count = count.saturating_add(1);
            let mut has_schema = false;
            let name = member.name.as_plain().unwrap_or_default();
            let known = if let Some(plain) = &plain {
                let found = plain.find(expected, name, &mut self.budget.steps);
                expected = found.expected;
                found.known()
            } else if table.count != 0 {
                find(code, &table, name, &mut self.budget.steps)
            } else {
                None
            };
            self.optional = true;
            match known {
                Some(Known { index, reference }) => {
                    seen.insert(index, self.scratch);
                    self.optional = index < 64 && required >> index & 1 == 0;
                    if reference != NO_REFERENCE {
                        self.check(reference, member.value)?;
                        has_schema = true;
                    }
                    if watched_members >> (index % 64) & 1 != 0 {
                        passed &= !self.failing(watched, index, member.value)?;
                    }
                }
                None => undeclared = undeclared.saturating_add(1),
            }
            if !patterns.is_empty() {
                has_schema |= self.check_patterns(patterns.clone(), member.name, member.value)?;
            }
            if !has_schema {
                self.check_additional(pc, additional, member.value)?;
            }
            if name_schema != u32::from(mask::ALL) {
                self.check(name_schema, member.name_at)?;
            }
        }
        if flags & object::REQUIRED != 0 {
            let missing = required & !seen.first;
            if missing != 0 {
                self.missing(pc, missing, 0, at)?;
            }
            if table.count > 64 {
                self.required_beyond(pc, required_at, table.count, &seen, at)?;
            }
        }
        if flags & (object::MIN | object::MAX) != 0 {
            let (min, max) = min_and_max(code, &mut next, flags);
            self.keep_count(pc, at, (min, count, max), undeclared)?;
        }
        if flags & object::DEPENDENT != 0 {
            self.dependents(pc, &mut next, &seen, at)?;
        }
        // What the dependencies apply has objects of its own.
        (self.seen, self.passed) = (seen.first, passed);
        self.next = next;
        self.budget.leave(levels);
        self.top = top;
        Ok(())
    }

    #[inline(always)]
    fn check_additional(&mut self, pc: usize, reference: u32, value: I::Place) -> Result<(), Halt> {
        const ALL: u32 = mask::ALL as u32;
        match reference {
            ALL => Ok(()),
            0 => self.fail(pc, part::ADDITIONAL, value),
            _ => self.check(reference, value),
        }
    }

    /// Applies the schemas of all patterns that the name matches; false when there are none.
    #[inline(never)]
    fn check_patterns(&mut self, patterns: Range<usize>, name: Text<'_>, value: I::Place) -> Result<bool, Halt> {
        let mut matched = false;
        let mut at = patterns.start;
        while at < patterns.end {
            let reference = self.code.varint(&mut at);
            let len = self.code.length(&mut at);
            if self.matches(self.code.slice(at, len), name)? {
                self.again += 1;
                self.check(reference, value)?;
                self.again -= 1;
                matched = true;
            }
            at = at.saturating_add(len);
        }
        Ok(matched)
    }
}

/// The first byte of a run that is one `Object`, or one `Array`.
const OBJECT: u8 = Op::Object as u8 | LAST;
const ARRAY: u8 = Op::Array as u8 | LAST;
