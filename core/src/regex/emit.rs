//! The code of a tree.
//!
//! What goes wrong is kept until the end; loops over counts stop at it.

use super::compile::trim;
use super::error::{PatternErrorKind as Error, PatternLimit};
use super::parse::{INFINITE, Item, Parser};
use super::program::{
    ACCEPT, ACCEPT_LAST, ANCHORED, BACKWARD, CHAR, COUNT_LEAST, COUNT_MOST, COUNT_REGISTER, ENTER, JUMP, LOOK, LOOKS,
    MAX_CODE, MAX_SLOTS, NEGATED, ONE_PASS, PEEK_AHEAD, REGISTER, RUN_OPTION, RUN_PLUS, RUN_RANGE, RUN_STAR, RUN_TIMES,
    SPLIT, TEXT_END, TEXT_START, WORD_BOUNDARY, YIELD,
};
use super::tree::{BEHIND, Kind, NOT, Node, Tree};

/// The end of a list of jumps. No jump can stand there: it takes two bytes.
const NOWHERE: usize = MAX_CODE - 1;

pub(super) struct Emitter<'e, 't, 'a, 'b> {
    tree: &'e mut Tree<'t, 'a, 'b>,
    flags: u8,
    /// Where the code starts in the arena.
    code: usize,
    looks: usize,
    slots: u8,
    /// Whether all that was read before has one length and started at one place, so that no two threads ever get here.
    alone: bool,
    error: Option<Error>,
}

impl Emitter<'_, '_, '_, '_> {
    /// Writes the image around the classes that the tree has left at the arena's front.
    pub(super) fn emit(tree: &mut Tree<'_, '_, '_>, root: Node, flags: u8) -> Result<(), Error> {
        let mut emitter = Emitter { tree, flags, code: 0, looks: 0, slots: 0, alone: false, error: None };
        emitter.header();
        emitter.look_arounds(root);
        emitter.set_look(emitter.looks, emitter.here());
        emitter.all(root)
    }

    /// Writes a part behind the classes, or behind another part. It has no look-arounds.
    pub(super) fn emit_part(tree: &mut Tree<'_, '_, '_>, root: Node, flags: u8, negated: bool) -> Result<(), Error> {
        let head = tree.arena.len();
        tree.arena.extend(&[flags | if negated { NEGATED } else { 0 }, 0, 0])?;
        let mut emitter = Emitter { tree, flags, code: head + 3, looks: 0, slots: 0, alone: false, error: None };
        emitter.all(root)?;
        let [low, high, ..] = (tree.arena.len() - head - 3).to_le_bytes();
        tree.arena.set(head + 1, low);
        tree.arena.set(head + 2, high);
        Ok(())
    }

    fn all(&mut self, root: Node) -> Result<(), Error> {
        self.alone = self.has(ANCHORED);
        self.pattern(root);
        self.error.map_or(Ok(()), Err)
    }

    fn header(&mut self) {
        if self.tree.looks > 0 {
            self.flags |= LOOKS;
        }
        if let Err(error) = self.tree.header(self.flags) {
            self.error = Some(error);
        }
        if self.tree.looks > 0 {
            self.push_raw(self.tree.looks as u8);
            for _ in 0..2 * self.tree.looks + 2 {
                self.push_raw(0);
            }
        }
        self.code = self.tree.arena.len();
    }

    /// The code of the look-arounds below the node, inner ones first.
    fn look_arounds(&mut self, node: Node) {
        let kind = self.tree.kind(node);
        let mut child = if kind.is_parent() { self.tree.get(node, 1) } else { 0 };
        while child != 0 {
            self.look_arounds(child);
            child = if kind.is_list() { self.tree.next(child) } else { 0 };
        }
        if kind == Kind::Look {
            let by_itself = (self.tree.get(node, 2) & BEHIND != 0) == self.has(BACKWARD);
            let body = trim(self.tree, self.tree.get(node, 1), !by_itself);
            let (index, start) = (self.looks, self.here());
            self.looks += 1;
            self.tree.set(node, 3, index as u32);
            self.set_look(index, start | usize::from(by_itself) << 15);
            self.node(body);
            self.pair(YIELD, index as u8);
        }
    }

    fn pattern(&mut self, root: Node) {
        let (mut first, mut last) = (Kind::TextStart, Kind::TextEnd);
        if self.has(BACKWARD) {
            (first, last) = (last, first);
        }
        if self.tree.kind(root) != Kind::Sequence {
            self.node(root);
            return self.push(ACCEPT);
        }
        let mut child = self.tree.get(root, 1);
        if self.has(ANCHORED) && self.tree.kind(child) == first {
            // An anchored pattern starts where reading starts anyway.
            child = self.tree.next(child);
        }
        while child != 0 {
            if self.tree.kind(child) == last && self.tree.next(child) == 0 {
                return self.push(ACCEPT_LAST);
            }
            self.node(child);
            child = self.tree.next(child);
        }
        self.push(ACCEPT);
    }

    fn node(&mut self, node: Node) {
        let (word, other) = (self.tree.get(node, 1), self.tree.get(node, 2));
        match self.tree.kind(node) {
            Kind::Empty => {}
            Kind::Literal => self.literal(word, other, false),
            Kind::LiteralReversed => self.literal(word, other, true),
            Kind::Char => {
                self.pair(CHAR, word as u8);
                self.pair((word >> 8) as u8, (word >> 16) as u8);
            }
            Kind::Class => self.push(word as u8),
            Kind::TextStart => self.push(TEXT_START),
            Kind::TextEnd => self.push(TEXT_END),
            Kind::WordBoundary => self.push(WORD_BOUNDARY + word as u8),
            Kind::Peek => self.pair(PEEK_AHEAD + ((other & NOT) >> 1) as u8 + 2 * (other & BEHIND) as u8, word as u8),
            Kind::Look => self.pair(LOOK + ((other & NOT) >> 1) as u8, self.tree.get(node, 3) as u8),
            Kind::Sequence => {
                let mut child = word;
                while child != 0 {
                    self.node(child);
                    child = self.tree.next(child);
                }
            }
            Kind::Alternatives => self.alternatives(node),
            Kind::Repeat => {
                let alone = self.alone;
                match self.tree.single(word) {
                    Ok(Some(code)) => self.run(code, other, self.tree.get(node, 3)),
                    Ok(None) => self.repeat(word, other, self.tree.get(node, 3)),
                    Err(error) => self.error = Some(error),
                }
                self.alone = alone && self.tree.fixed(node);
            }
        }
    }

    fn literal(&mut self, from: u32, count: u32, reversed: bool) {
        let start = self.tree.arena.len();
        let mut parser = Parser::again(self.tree.text, from as usize);
        for _ in 0..count {
            if let Ok(Item::Char(c)) = parser.item() {
                self.push(c as u8);
            }
        }
        let arena = &mut *self.tree.arena;
        let (mut low, mut high) = (start, arena.len());
        while reversed && low + 1 < high {
            high -= 1;
            let (a, b) = (arena.get(low), arena.get(high));
            arena.set(low, b);
            arena.set(high, a);
            low += 1;
        }
    }

    fn alternatives(&mut self, node: Node) {
        let (alone, mut child, mut ends) = (self.alone, self.tree.get(node, 1), NOWHERE);
        while child != 0 {
            self.alone = alone;
            let next = self.tree.next(child);
            if next == 0 {
                self.node(child);
            } else {
                let split = self.jump(SPLIT, NOWHERE);
                self.node(child);
                ends = self.jump(JUMP, ends);
                self.land(split);
            }
            child = next;
        }
        self.land(ends);
        self.alone = alone && self.tree.fixed(node);
    }

    /// Repeats what is more than one code point, written out.
    fn repeat(&mut self, child: Node, min: u32, max: u32) {
        let fixed = self.tree.fixed(child) && max != INFINITE;
        let (mut start, mut ends) = (self.here(), NOWHERE);
        self.alone &= max != INFINITE;
        for index in 0..if max == INFINITE { min.max(1) } else { max } {
            if self.error.is_some() {
                return;
            }
            start = self.here();
            if index >= min {
                ends = self.jump(SPLIT, ends);
            }
            self.node(child);
            self.alone &= fixed;
        }
        if max == INFINITE {
            self.jump(if min > 0 { SPLIT } else { JUMP }, start);
        }
        self.land(ends);
    }

    /// Repeats one code point.
    fn run(&mut self, code: u8, min: u32, max: u32) {
        let one_pass = self.has(ONE_PASS);
        match (min, max) {
            (0, 1) => self.pair(RUN_OPTION, code),
            (0, INFINITE) => self.pair(RUN_STAR, code),
            (1, INFINITE) => self.pair(RUN_PLUS, code),
            (2..=5, INFINITE) if min == 2 || !one_pass => {
                self.written_out(code, min - 1, min - 1);
                self.pair(RUN_PLUS, code);
            }
            _ if min == max && min <= 3 => self.written_out(code, min, min),
            _ if one_pass && min == max && min <= 0xFF => {
                self.pair(RUN_TIMES, code);
                self.push(min as u8);
            }
            _ if one_pass => {
                self.pair(RUN_RANGE, code);
                self.bounds(min, max);
            }
            // Written out it takes no more room than a count.
            _ if max <= 6 && 2 * max - min <= 6 => self.written_out(code, min, max),
            _ => self.count(code, min, max),
        }
    }

    /// A repetition that threads may enter at different times.
    fn count(&mut self, code: u8, min: u32, max: u32) {
        if max == INFINITE {
            self.counter(COUNT_MOST, code, min, max);
        } else if max <= REGISTER {
            self.counter(COUNT_REGISTER, code, min, max);
        } else if min <= 1 || self.alone {
            self.counter(COUNT_LEAST, code, min, max);
        } else {
            if min > REGISTER * MAX_SLOTS as u32 {
                self.error = Some(Error::TooLarge(PatternLimit::Counters));
                return;
            }
            let mut left = min;
            while left > 0 {
                let part = left.min(REGISTER);
                self.counter(COUNT_REGISTER, code, part, part);
                left -= part;
            }
            if max > min {
                self.counter(if max - min > REGISTER { COUNT_LEAST } else { COUNT_REGISTER }, code, 0, max - min);
            }
        }
    }

    fn counter(&mut self, op: u8, code: u8, min: u32, max: u32) {
        if usize::from(self.slots) >= MAX_SLOTS {
            if max > REGISTER {
                self.error = Some(Error::TooLarge(PatternLimit::Counters));
                return;
            }
            return self.written_out(code, min, max);
        }
        self.pair(ENTER, op);
        self.pair(code, self.slots);
        self.slots += 1;
        self.bounds(min, max);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn written_out(&mut self, code: u8, min: u32, max: u32) {
        for index in 0..max {
            if index >= min {
                self.push(RUN_OPTION);
            }
            self.push(code);
        }
    }

    fn bounds(&mut self, min: u32, max: u32) {
        for mut value in [min, if max == INFINITE { 0 } else { max }] {
            while value >= 0x80 {
                self.push(value as u8 | 0x80);
                value >>= 7;
            }
            self.push(value as u8);
        }
    }

    /// A jump to `target`, or to where the list that it joins will land. Gives the list.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn jump(&mut self, op: u8, target: usize) -> usize {
        let at = self.here();
        self.pair(op | (target >> 8) as u8, target as u8);
        at
    }

    /// Makes the jumps of a list lead here.
    fn land(&mut self, mut list: usize) {
        let here = self.here();
        while list != NOWHERE && self.error.is_none() {
            let at = self.code + list;
            let (op, low) = (self.tree.arena.get(at), self.tree.arena.get(at + 1));
            list = usize::from(op & 3) << 8 | usize::from(low);
            self.tree.arena.set(at, op & !3 | (here >> 8) as u8);
            self.tree.arena.set(at + 1, here as u8);
        }
    }

    fn here(&self) -> usize {
        self.tree.arena.len() - self.code
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn pair(&mut self, one: u8, other: u8) {
        self.push(one);
        self.push(other);
    }

    #[inline(never)]
    fn push(&mut self, byte: u8) {
        if self.here() >= MAX_CODE {
            self.error = Some(Error::TooLarge(PatternLimit::Code));
        } else {
            self.push_raw(byte);
        }
    }

    fn push_raw(&mut self, byte: u8) {
        if self.tree.arena.push(byte).is_err() {
            self.error = Some(Error::Full);
        }
    }

    fn set_look(&mut self, index: usize, value: usize) {
        if self.tree.looks > 0 {
            let at = self.code - 2 * (self.tree.looks + 1) + 2 * index;
            self.tree.arena.set(at, value as u8);
            self.tree.arena.set(at + 1, (value >> 8) as u8);
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
