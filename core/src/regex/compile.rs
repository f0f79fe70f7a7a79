//! From the tree to the image: which way to read, whether one thread is enough, and the code.

use super::class::Outline;
use super::error::{PatternError, PatternErrorKind, PatternLimit};
use super::parse::INFINITE;
use super::program::{
    ACCEPT, ACCEPT_LAST, ANCHORED, BACKWARD, CHAR, COUNT_LEAST, COUNT_MOST, COUNT_REGISTER, ENTER, JUMP, LOOK,
    LOOK_NOT, LOOKS, MAX_CODE, MAX_SLOTS, NOT_WORD_BOUNDARY, ONE_PASS, PEEK_AHEAD, REGISTER, RUN_OPTION, RUN_PLUS,
    RUN_RANGE, RUN_STAR, RUN_TIMES, SPLIT, TEXT_END, TEXT_START, WIDE, WORD_BOUNDARY, YIELD,
};
use super::tree::{BEHIND, Kind, NOT, Node, Tree};
use crate::arena::Arena;
use crate::text::Text;

/// Alternatives that the one-pass matcher can keep in mind.
pub(super) const MAX_PENDING: usize = 8;
/// Code points that a look-around may read that is run whenever it is asked for.
const MAX_SPAN: u32 = 255;

/// Appends the image of a pattern to the arena's front.
pub(super) fn compile(pattern: Text<'_>, arena: &mut Arena<'_>) -> Result<(), PatternError> {
    let (front, back) = (arena.len(), arena.back());
    let result = compile_image(pattern, arena);
    arena.release(back);
    if result.is_err() {
        arena.truncate(front);
    }
    result
}

fn compile_image(pattern: Text<'_>, arena: &mut Arena<'_>) -> Result<(), PatternError> {
    if pattern.end() > 0xFFFF {
        return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Length), 0));
    }
    let (mut tree, mut root) = Tree::build(pattern, arena)?;
    let (open_start, open_end) =
        (!tree.anchored(root, Kind::TextStart, false), !tree.anchored(root, Kind::TextEnd, true));
    let backward = direction(&tree, root, open_start, open_end)?;
    let mut flags = if backward { BACKWARD } else { 0 };
    if backward {
        tree.reverse(root);
    }
    let (open_first, open_last) = if backward { (open_end, open_start) } else { (open_start, open_end) };
    if open_first {
        root = trim(&mut tree, root, true);
    } else {
        flags |= ANCHORED;
    }
    if open_last {
        root = trim(&mut tree, root, false);
    }
    // Trimming may have dropped some.
    tree.looks = look_arounds(&tree, root);
    let (last, follow) = (
        if backward { Kind::TextStart } else { Kind::TextEnd },
        // A match that may end anywhere is found as soon as it can end.
        if open_last { Outline::EVERYTHING } else { Outline::NOTHING },
    );
    if !open_first && tree.looks == 0 && deterministic(&mut tree, root, follow, 0, last) {
        flags |= ONE_PASS;
    }
    Emitter::emit(&mut tree, root, flags)
}

/// Whether to read from the end to the start.
///
/// Read backwards, a look-ahead is a search that runs along with the rest: whether its body matches from here on is known
/// when the rest gets here. The same holds for look-behind, read forwards. What reads the other way has to be run
/// whenever it is asked for, so it must be short.
fn direction(tree: &Tree<'_, '_, '_>, root: Node, open_start: bool, open_end: bool) -> Result<bool, PatternError> {
    let (mut ahead, mut behind) = (Looks::default(), Looks::default());
    survey(tree, root, &mut ahead, &mut behind);
    if ahead.any && !behind.bars {
        return Ok(true);
    }
    if behind.any && !ahead.bars {
        return Ok(false);
    }
    if ahead.any || behind.any {
        return Err(PatternError::new(PatternErrorKind::LookAround, 0));
    }
    Ok(open_start && !open_end)
}

#[derive(Default)]
struct Looks {
    any: bool,
    /// Whether one of them cannot be run whenever it is asked for: it is too long, or holds another.
    bars: bool,
}

/// Collects the look-arounds below the node; tells whether there are any.
fn survey(tree: &Tree<'_, '_, '_>, node: Node, ahead: &mut Looks, behind: &mut Looks) -> bool {
    let mut found = false;
    match tree.kind(node) {
        Kind::Look => {
            let body = tree.get(node, 1);
            let nests = survey(tree, body, ahead, behind);
            let looks = if tree.get(node, 2) & BEHIND == 0 { ahead } else { behind };
            looks.any = true;
            looks.bars |= nests || tree.length(body).1 > MAX_SPAN;
            found = true;
        }
        Kind::Repeat => found = survey(tree, tree.get(node, 1), ahead, behind),
        Kind::Sequence | Kind::Alternatives => {
            let mut child = tree.get(node, 1);
            while child != 0 {
                found |= survey(tree, child, ahead, behind);
                child = tree.next(child);
            }
        }
        _ => {}
    }
    found
}

/// The number of look-arounds below the node.
fn look_arounds(tree: &Tree<'_, '_, '_>, node: Node) -> usize {
    match tree.kind(node) {
        Kind::Look => 1 + look_arounds(tree, tree.get(node, 1)),
        Kind::Repeat => look_arounds(tree, tree.get(node, 1)),
        Kind::Sequence | Kind::Alternatives => {
            let (mut count, mut child) = (0, tree.get(node, 1));
            while child != 0 {
                count += look_arounds(tree, child);
                child = tree.next(child);
            }
            count
        }
        _ => 0,
    }
}

/// Drops from the open end of a pattern what only makes a match longer. `seeded`: it is the end where reading starts.
fn trim(tree: &mut Tree<'_, '_, '_>, node: Node, seeded: bool) -> Node {
    match tree.kind(node) {
        Kind::Repeat => {
            let min = tree.get(node, 2);
            if min == 0 {
                tree.set_kind(node, Kind::Empty);
            } else if min == 1 {
                let (child, next) = (tree.get(node, 1), tree.next(node));
                tree.set_next(child, next);
                return trim(tree, child, seeded);
            } else {
                // At the end where every position starts a match, "at least" is as good as "exactly", and cheaper.
                let single = tree.length(tree.get(node, 1)) == (1, 1);
                tree.set(node, 3, if seeded && single && min > 6 { INFINITE } else { min });
            }
            node
        }
        Kind::Sequence => {
            let mut list = tree.get(node, 1);
            if !seeded {
                list = tree.reverse_list(list);
            }
            while list != 0 {
                list = trim(tree, list, seeded);
                if tree.kind(list) != Kind::Empty {
                    break;
                }
                list = tree.next(list);
            }
            if !seeded {
                list = tree.reverse_list(list);
            }
            tree.set(node, 1, list);
            if list == 0 {
                tree.set_kind(node, Kind::Empty);
            }
            node
        }
        Kind::Alternatives => {
            let (mut child, mut before, mut empty) = (tree.get(node, 1), 0, false);
            while child != 0 {
                // What is left of a branch may be another node.
                child = trim(tree, child, seeded);
                if before == 0 {
                    tree.set(node, 1, child);
                } else {
                    tree.set_next(before, child);
                }
                empty |= tree.kind(child) == Kind::Empty;
                before = child;
                child = tree.next(child);
            }
            if empty {
                tree.set_kind(node, Kind::Empty);
            }
            node
        }
        _ => node,
    }
}

/// Whether the next code point always tells which way to go on, so that one thread is enough.
///
/// `follow` is what may come behind the node. Zero-width assertions are taken for empty, so they may only stand where
/// that leaves a single way.
fn deterministic(tree: &mut Tree<'_, '_, '_>, node: Node, follow: Outline, level: usize, last: Kind) -> bool {
    match tree.kind(node) {
        Kind::Look => false,
        Kind::Sequence => {
            let list = tree.reverse_list(tree.get(node, 1));
            let (mut child, mut follow, mut fits) = (list, follow, true);
            while child != 0 && fits {
                fits = deterministic(tree, child, follow, level, last);
                let first = tree.first(child);
                follow = if tree.kind(child) == last {
                    Outline::NOTHING
                } else if tree.length(child).0 == 0 {
                    first.or(follow)
                } else {
                    first
                };
                child = tree.next(child);
            }
            tree.reverse_list(list);
            fits
        }
        Kind::Alternatives => {
            let (mut child, mut all) = (tree.get(node, 1), Outline::NOTHING);
            while child != 0 {
                let first = tree.first(child);
                let next = tree.next(child);
                // An empty branch is taken when no other is, and must leave nothing behind to come back to.
                let empty = tree.length(child).0 == 0;
                let clash = all.meets(first) || (empty && (next != 0 || all.or(first).meets(follow)));
                if clash || level >= MAX_PENDING || !deterministic(tree, child, follow, level + 1, last) {
                    return false;
                }
                all = all.or(first);
                child = next;
            }
            true
        }
        Kind::Repeat => {
            let (child, min, max) = (tree.get(node, 1), tree.get(node, 2), tree.get(node, 3));
            let first = tree.first(child);
            let length = tree.length(child);
            (min == max || !first.meets(follow))
                && (matches!(tree.kind(child), Kind::Class | Kind::Literal | Kind::LiteralReversed)
                    || (length.0 > 0
                        && level < MAX_PENDING
                        && deterministic(tree, child, first.or(follow), level + 1, last)))
        }
        _ => true,
    }
}

struct Emitter<'e, 't, 'a, 'b> {
    tree: &'e mut Tree<'t, 'a, 'b>,
    flags: u8,
    /// Where the code starts in the arena.
    code: usize,
    looks: usize,
    slots: usize,
    /// Whether all that was read before has one length and started at one place, so that no two threads ever get here.
    alone: bool,
}

impl Emitter<'_, '_, '_, '_> {
    fn emit(tree: &mut Tree<'_, '_, '_>, root: Node, flags: u8) -> Result<(), PatternError> {
        let mut emitter = Emitter { tree, flags, code: 0, looks: 0, slots: 0, alone: false };
        emitter.header()?;
        emitter.look_arounds(root)?;
        let start = emitter.here();
        let looks = emitter.looks;
        emitter.set_look(looks, start);
        emitter.alone = emitter.has(ANCHORED);
        emitter.pattern(root)
    }

    fn header(&mut self) -> Result<(), PatternError> {
        let (base, classes) = (self.tree.base, self.tree.classes);
        let arena = &mut *self.tree.arena;
        let table = arena.len() - base - 2;
        let wide = table > 0xFF;
        let ends = if wide { 2 * classes } else { classes };
        for _ in 0..ends {
            arena.push(0)?;
        }
        arena.copy(base + 2, base + 2 + ends, table);
        let mut end = 0;
        for index in 0..classes {
            let rest = arena.range(base + 2 + ends + end, base + 2 + ends + table);
            end += super::class::length(rest).unwrap_or(0);
            if wide {
                arena.set(base + 2 + 2 * index, end as u8);
                arena.set(base + 3 + 2 * index, (end >> 8) as u8);
            } else {
                arena.set(base + 2 + index, end as u8);
            }
        }
        if wide {
            self.flags |= WIDE;
        }
        if self.tree.looks > 0 {
            self.flags |= LOOKS;
            arena.push(self.tree.looks as u8)?;
            for _ in 0..2 * self.tree.looks + 2 {
                arena.push(0)?;
            }
        }
        arena.set(base, self.flags);
        arena.set(base + 1, classes as u8);
        self.code = arena.len();
        Ok(())
    }

    /// The code of the look-arounds below the node, inner ones first.
    fn look_arounds(&mut self, node: Node) -> Result<(), PatternError> {
        match self.tree.kind(node) {
            Kind::Look => {
                self.look_arounds(self.tree.get(node, 1))?;
                let by_itself = (self.tree.get(node, 2) & BEHIND != 0) == self.has(BACKWARD);
                let body = trim(self.tree, self.tree.get(node, 1), !by_itself);
                let (index, start) = (self.looks, self.here());
                self.looks += 1;
                self.tree.set(node, 3, index as u32);
                self.set_look(index, start | usize::from(by_itself) << 15);
                self.node(body)?;
                self.push(YIELD)?;
                self.push(index as u8)?;
            }
            Kind::Repeat => self.look_arounds(self.tree.get(node, 1))?,
            Kind::Sequence | Kind::Alternatives => {
                let mut child = self.tree.get(node, 1);
                while child != 0 {
                    self.look_arounds(child)?;
                    child = self.tree.next(child);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn pattern(&mut self, root: Node) -> Result<(), PatternError> {
        let (first, last) = match self.has(BACKWARD) {
            true => (Kind::TextEnd, Kind::TextStart),
            false => (Kind::TextStart, Kind::TextEnd),
        };
        if self.tree.kind(root) == Kind::Sequence {
            let mut child = self.tree.get(root, 1);
            if self.has(ANCHORED) && self.tree.kind(child) == first {
                // An anchored pattern starts where reading starts anyway.
                child = self.tree.next(child);
            }
            while child != 0 {
                if self.tree.kind(child) == last && self.tree.next(child) == 0 {
                    return self.push(ACCEPT_LAST);
                }
                self.node(child)?;
                child = self.tree.next(child);
            }
        } else {
            self.node(root)?;
        }
        self.push(ACCEPT)
    }

    fn node(&mut self, node: Node) -> Result<(), PatternError> {
        let word = self.tree.get(node, 1);
        match self.tree.kind(node) {
            Kind::Empty => Ok(()),
            Kind::Literal => self.literal(word, self.tree.get(node, 2), false),
            Kind::LiteralReversed => self.literal(word, self.tree.get(node, 2), true),
            Kind::Char => {
                self.push(CHAR)?;
                self.push(word as u8)?;
                self.push((word >> 8) as u8)?;
                self.push((word >> 16) as u8)
            }
            Kind::Class => self.push(word as u8),
            Kind::TextStart => self.push(TEXT_START),
            Kind::TextEnd => self.push(TEXT_END),
            Kind::WordBoundary => self.push(if word == 0 { WORD_BOUNDARY } else { NOT_WORD_BOUNDARY }),
            Kind::Peek => {
                let flags = self.tree.get(node, 2);
                self.push(PEEK_AHEAD + u8::from(flags & NOT != 0) + 2 * u8::from(flags & BEHIND != 0))?;
                self.push(word as u8)
            }
            Kind::Look => {
                self.push(if self.tree.get(node, 2) & NOT != 0 { LOOK_NOT } else { LOOK })?;
                self.push(self.tree.get(node, 3) as u8)
            }
            Kind::Sequence => {
                let mut child = word;
                while child != 0 {
                    self.node(child)?;
                    child = self.tree.next(child);
                }
                Ok(())
            }
            Kind::Alternatives => self.alternatives(node),
            Kind::Repeat => {
                let (min, max) = (self.tree.get(node, 2), self.tree.get(node, 3));
                let result = match self.tree.single(word, 0)? {
                    Some(code) => self.run(code, min, max),
                    None => self.repeat(word, min, max),
                };
                let (least, most) = self.tree.length(node);
                self.alone &= least == most;
                result
            }
        }
    }

    fn literal(&mut self, from: u32, count: u32, reversed: bool) -> Result<(), PatternError> {
        let start = self.here();
        let mut parser = super::parse::Parser::again(self.tree.text, from as usize);
        for _ in 0..count {
            if let super::parse::Item::Char(c) = parser.item()? {
                self.push(c as u8)?;
            }
        }
        if reversed {
            let (mut low, mut high) = (self.code + start, self.code + self.here());
            while low + 1 < high {
                high -= 1;
                let (a, b) = (self.tree.arena.get(low), self.tree.arena.get(high));
                self.tree.arena.set(low, b);
                self.tree.arena.set(high, a);
                low += 1;
            }
        }
        Ok(())
    }

    fn alternatives(&mut self, node: Node) -> Result<(), PatternError> {
        let (alone, mut child, mut ends) = (self.alone, self.tree.get(node, 1), NOWHERE);
        while child != 0 {
            self.alone = alone;
            let next = self.tree.next(child);
            if next == 0 {
                self.node(child)?;
            } else {
                let split = self.jump(SPLIT, NOWHERE)?;
                self.node(child)?;
                ends = self.jump(JUMP, ends)?;
                self.land(split);
            }
            child = next;
        }
        self.land(ends);
        let (least, most) = self.tree.length(node);
        self.alone = alone && least == most;
        Ok(())
    }

    /// Repeats what is more than one code point, written out.
    fn repeat(&mut self, child: Node, min: u32, max: u32) -> Result<(), PatternError> {
        let mut start = self.here();
        for _ in 0..min {
            start = self.here();
            self.alone &= max != INFINITE;
            self.node(child)?;
            let (least, most) = self.tree.length(child);
            self.alone &= least == most;
        }
        if max == INFINITE {
            self.alone = false;
            if min > 0 {
                self.jump(SPLIT, start)?;
                return Ok(());
            }
            let split = self.jump(SPLIT, NOWHERE)?;
            self.node(child)?;
            self.jump(JUMP, start)?;
            self.land(split);
            return Ok(());
        }
        let mut ends = NOWHERE;
        for _ in min..max {
            ends = self.jump(SPLIT, ends)?;
            self.node(child)?;
            let (least, most) = self.tree.length(child);
            self.alone &= least == most;
        }
        self.land(ends);
        Ok(())
    }

    /// Repeats one code point.
    fn run(&mut self, code: u8, min: u32, max: u32) -> Result<(), PatternError> {
        let one_pass = self.has(ONE_PASS);
        match (min, max) {
            (0, 1) => self.run_op(RUN_OPTION, code),
            (0, INFINITE) => self.run_op(RUN_STAR, code),
            (1, INFINITE) => self.run_op(RUN_PLUS, code),
            (2..=5, INFINITE) if min == 2 || !one_pass => {
                self.copies(code, min - 1)?;
                self.run_op(RUN_PLUS, code)
            }
            _ if min == max && min <= 3 => self.copies(code, min),
            _ if one_pass && min == max && min <= 0xFF => {
                self.run_op(RUN_TIMES, code)?;
                self.push(min as u8)
            }
            _ if one_pass => {
                self.run_op(RUN_RANGE, code)?;
                self.bounds(min, max)
            }
            // Written out it takes no more room than a count.
            _ if max != INFINITE && u64::from(min) + 2 * u64::from(max - min) <= 6 => self.written_out(code, min, max),
            _ => self.count(code, min, max),
        }
    }

    /// A repetition that threads may enter at different times.
    fn count(&mut self, code: u8, min: u32, max: u32) -> Result<(), PatternError> {
        if max == INFINITE {
            return self.counter(COUNT_MOST, code, min, max);
        }
        if max <= REGISTER {
            return self.counter(COUNT_REGISTER, code, min, max);
        }
        if min <= 1 || self.alone {
            return self.counter(COUNT_LEAST, code, min, max);
        }
        if min > REGISTER * MAX_SLOTS as u32 {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Counters), 0));
        }
        let mut left = min;
        while left > 0 {
            let part = left.min(REGISTER);
            self.counter(COUNT_REGISTER, code, part, part)?;
            left -= part;
        }
        match max - min {
            0 => Ok(()),
            rest @ 1..=REGISTER => self.counter(COUNT_REGISTER, code, 0, rest),
            rest => self.counter(COUNT_LEAST, code, 0, rest),
        }
    }

    fn counter(&mut self, op: u8, code: u8, min: u32, max: u32) -> Result<(), PatternError> {
        if self.slots >= MAX_SLOTS {
            return if max <= REGISTER {
                self.written_out(code, min, max)
            } else {
                Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Counters), 0))
            };
        }
        self.push(ENTER)?;
        self.run_op(op, code)?;
        self.push(self.slots as u8)?;
        self.slots += 1;
        self.bounds(min, max)
    }

    fn written_out(&mut self, code: u8, min: u32, max: u32) -> Result<(), PatternError> {
        self.copies(code, min)?;
        for _ in min..max {
            self.run_op(RUN_OPTION, code)?;
        }
        Ok(())
    }

    fn copies(&mut self, code: u8, count: u32) -> Result<(), PatternError> {
        for _ in 0..count {
            self.push(code)?;
        }
        Ok(())
    }

    fn run_op(&mut self, op: u8, code: u8) -> Result<(), PatternError> {
        self.push(op)?;
        self.push(code)
    }

    fn bounds(&mut self, min: u32, max: u32) -> Result<(), PatternError> {
        for mut value in [min, if max == INFINITE { 0 } else { max }] {
            while value >= 0x80 {
                self.push(value as u8 | 0x80)?;
                value >>= 7;
            }
            self.push(value as u8)?;
        }
        Ok(())
    }

    /// A jump to `target`, or to where the list that it joins will land. Gives the list.
    fn jump(&mut self, op: u8, target: usize) -> Result<usize, PatternError> {
        let at = self.here();
        self.push(op | (target >> 8) as u8)?;
        self.push(target as u8)?;
        Ok(at)
    }

    /// Makes the jumps of a list lead here.
    fn land(&mut self, mut list: usize) {
        let here = self.here();
        while list != NOWHERE {
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

    fn push(&mut self, byte: u8) -> Result<(), PatternError> {
        if self.here() >= MAX_CODE {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Code), 0));
        }
        Ok(self.tree.arena.push(byte)?)
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

/// The end of a list of jumps. No jump can stand there: it takes two bytes.
const NOWHERE: usize = MAX_CODE - 1;
