//! The syntax tree of a pattern: records of four words at the arena's back, and what can be said about them.
//!
//! Encoded classes go to the arena's front as they are met, behind room for the image's first two bytes.

use super::class::{self, Builder, Outline};
use super::error::{PatternError, PatternErrorKind, PatternLimit};
use super::parse::{ClassItem, Group, INFINITE, Item, Parser};
use super::program::{CUSTOM, MAX_CLASSES, MAX_LOOKS, NONE};
use crate::arena::{Arena, Full};
use crate::text::Text;

/// Levels of the tree, and so of every recursion over it.
const MAX_HEIGHT: u32 = 24;

/// A node: its number, counted from 1. 0 is no node.
pub(super) type Node = u32;

/// What a node is; the comments give its two or three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Empty,
    /// A run of ASCII characters: position in the pattern, their number, position of the last.
    Literal,
    /// The same, to be written back to front.
    LiteralReversed,
    /// A code point above ASCII.
    Char,
    /// A code below `RUN_STAR`.
    Class,
    TextStart,
    TextEnd,
    /// Whether it is negated.
    WordBoundary,
    /// Look-around of one code point: a code below `RUN_STAR`, `BEHIND` and `NOT`.
    Peek,
    /// Look-around: its body, `BEHIND` and `NOT`, and once emitted its index.
    Look,
    /// The first of its children.
    Sequence,
    /// The first of its branches.
    Alternatives,
    /// What is repeated, the smallest and the largest count.
    Repeat,
}

pub(super) const BEHIND: u32 = 1;
pub(super) const NOT: u32 = 2;

#[derive(Debug)]
pub(super) struct Tree<'t, 'a, 'b> {
    pub text: Text<'t>,
    pub arena: &'a mut Arena<'b>,
    /// Where the image starts at the arena's front.
    pub base: usize,
    /// Where the records start at the arena's back.
    back: usize,
    pub classes: usize,
    pub looks: usize,
}

/// An open group.
#[derive(Clone, Copy)]
struct Frame {
    /// The last finished branch, and the last node of the branch at hand; both lists run backwards.
    branches: Node,
    last: Node,
    /// `u32::MAX` for a group, otherwise the flags of a look-around.
    look: u32,
}

impl<'t, 'a, 'b> Tree<'t, 'a, 'b> {
    /// Reads the pattern; gives the tree and its root.
    pub(super) fn build(text: Text<'t>, arena: &'a mut Arena<'b>) -> Result<(Self, Node), PatternError> {
        let (base, back) = (arena.len(), arena.back());
        arena.extend(&[0, 0])?;
        let mut tree = Self { text, arena, base, back, classes: 0, looks: 0 };
        let root = tree.read()?;
        Ok((tree, root))
    }

    fn read(&mut self) -> Result<Node, PatternError> {
        let mut parser = Parser::new(self.text, false);
        let mut outer: Node = 0;
        let mut frame = Frame { branches: 0, last: 0, look: u32::MAX };
        // Whether the last node is a literal that the next character may join.
        let mut joins = false;
        loop {
            let at = parser.at;
            let error = |kind| PatternError::new(kind, at);
            let item = parser.item()?;
            let joined = core::mem::take(&mut joins);
            let node = match item {
                Item::Char(0..0x80) => {
                    joins = true;
                    if joined {
                        self.set(frame.last, 2, self.get(frame.last, 2) + 1);
                        self.set(frame.last, 3, at as u32);
                        continue;
                    }
                    self.node(Kind::Literal, at as u32, 1, at as u32)?
                }
                Item::Char(c) => self.node(Kind::Char, c, 0, 0)?,
                Item::Class(code) => self.node(Kind::Class, u32::from(code), 0, 0)?,
                Item::Property(property) => {
                    let mut builder = Builder::new(self.arena, at);
                    builder.add_property(self.arena, property)?;
                    let code = self.intern(builder, false, at)?;
                    self.node(Kind::Class, u32::from(code), 0, 0)?
                }
                Item::ClassOpen { negated } => self.class(&mut parser, negated, at)?,
                Item::TextStart => self.node(Kind::TextStart, 0, 0, 0)?,
                Item::TextEnd => self.node(Kind::TextEnd, 0, 0, 0)?,
                Item::WordBoundary { negated } => self.node(Kind::WordBoundary, u32::from(negated), 0, 0)?,
                Item::Repeat { min, max } => {
                    let mut child = frame.last;
                    if joined && self.get(child, 2) > 1 {
                        // Only the last character of the run is repeated.
                        let (from, count, last) = (self.get(child, 1), self.get(child, 2), self.get(child, 3));
                        self.set(child, 1, last);
                        self.set(child, 2, 1);
                        let before_last = self.skip(from, count - 2);
                        let rest = self.node(Kind::Literal, from, count - 1, before_last)?;
                        self.set_next(rest, self.next(child));
                        self.set_next(child, rest);
                    }
                    frame.last = self.next(child);
                    child = self.repeat(child, min, max, at)?;
                    self.append(&mut frame, child);
                    continue;
                }
                Item::Open(group) => {
                    let look = match group {
                        Group::Plain => u32::MAX,
                        Group::Modified => return Err(error(PatternErrorKind::Modifiers)),
                        Group::Look { behind, negated } => u32::from(behind) * BEHIND + u32::from(negated) * NOT,
                    };
                    let record = self.node(Kind::Empty, frame.branches, frame.last, frame.look)?;
                    self.set_next(record, outer);
                    outer = record;
                    frame = Frame { branches: 0, last: 0, look };
                    continue;
                }
                Item::Alternate => {
                    self.finish_branch(&mut frame, at)?;
                    continue;
                }
                Item::Close => {
                    let look = frame.look;
                    let mut group = self.finish_group(&mut frame, at)?;
                    frame = Frame { branches: self.get(outer, 1), last: self.get(outer, 2), look: self.get(outer, 3) };
                    outer = self.next(outer);
                    if look != u32::MAX {
                        group = self.look(group, look, at)?;
                    }
                    group
                }
                Item::End => return self.finish_group(&mut frame, at),
                Item::BackReference => return Err(error(PatternErrorKind::BackReference)),
            };
            self.append(&mut frame, node);
        }
    }

    fn append(&mut self, frame: &mut Frame, node: Node) {
        self.set_next(node, frame.last);
        frame.last = node;
    }

    fn finish_branch(&mut self, frame: &mut Frame, at: usize) -> Result<(), PatternError> {
        let first = self.reverse_list(frame.last);
        frame.last = 0;
        let branch = match first {
            0 => self.node(Kind::Empty, 0, 0, 0)?,
            only if self.next(only) == 0 => only,
            _ => self.parent(Kind::Sequence, first, at)?,
        };
        self.set_next(branch, frame.branches);
        frame.branches = branch;
        Ok(())
    }

    fn finish_group(&mut self, frame: &mut Frame, at: usize) -> Result<Node, PatternError> {
        self.finish_branch(frame, at)?;
        let first = self.reverse_list(frame.branches);
        if self.next(first) == 0 { Ok(first) } else { self.parent(Kind::Alternatives, first, at) }
    }

    fn look(&mut self, body: Node, flags: u32, at: usize) -> Result<Node, PatternError> {
        if self.kind(body) == Kind::Empty {
            return if flags & NOT == 0 { Ok(body) } else { Ok(self.node(Kind::Class, u32::from(NONE), 0, 0)?) };
        }
        if let Some(code) = self.single(body, at)? {
            return Ok(self.node(Kind::Peek, u32::from(code), flags, 0)?);
        }
        self.looks += 1;
        if self.looks > MAX_LOOKS {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::LookArounds), at));
        }
        let node = self.parent(Kind::Look, body, at)?;
        self.set(node, 2, flags);
        Ok(node)
    }

    fn repeat(&mut self, child: Node, min: u32, max: u32, at: usize) -> Result<Node, PatternError> {
        if (min, max) == (1, 1) {
            return Ok(child);
        }
        let (_, longest) = self.length(child);
        if max == 0 || (longest == 0 && min == 0) {
            // ECMA-262 takes back an optional repetition that consumed nothing, so the child is as good as not there.
            return Ok(self.node(Kind::Empty, 0, 0, 0)?);
        }
        if longest == 0 {
            return Ok(child);
        }
        if self.kind(child) == Kind::Repeat {
            // (X{a,b}){c,d} is X{ac,bd} if no count in between is left out: neither from c to c + 1 times, nor further on.
            let (a, b) = (self.get(child, 2), self.get(child, 3));
            let gapless = min == max || u64::from(a) * (u64::from(min) + 1) <= u64::from(b) * u64::from(min) + 1;
            if gapless && (b != INFINITE || min > 0 || a <= 1) {
                self.set(child, 2, a.saturating_mul(min).min(INFINITE - 1));
                self.set(
                    child,
                    3,
                    if b == INFINITE || max == INFINITE { INFINITE } else { b.saturating_mul(max).min(INFINITE - 1) },
                );
                return Ok(child);
            }
        }
        // A code point above ASCII has to be a class to be repeated.
        if let Some(code) = self.single(child, at)?
            && code >= 0x80
        {
            self.set(child, 1, u32::from(code));
            self.set_kind(child, Kind::Class);
        }
        let node = self.parent(Kind::Repeat, child, at)?;
        self.set(node, 2, min);
        self.set(node, 3, max);
        Ok(node)
    }

    /// The code (below `RUN_STAR`) of a node that consumes exactly one code point.
    pub(super) fn single(&mut self, node: Node, at: usize) -> Result<Option<u8>, PatternError> {
        let word = self.get(node, 1);
        Ok(match self.kind(node) {
            Kind::Class => Some(word as u8),
            Kind::Literal | Kind::LiteralReversed if self.get(node, 2) == 1 => Some(self.char_at(word) as u8),
            Kind::Char => {
                let mut builder = Builder::new(self.arena, at);
                builder.add_range(self.arena, word, word)?;
                Some(self.intern(builder, false, at)?)
            }
            _ => None,
        })
    }

    fn class(&mut self, parser: &mut Parser<'_>, negated: bool, at: usize) -> Result<Node, PatternError> {
        let mut builder = Builder::new(self.arena, at);
        loop {
            match parser.class_item()? {
                ClassItem::End => break,
                ClassItem::Range(low, high) => builder.add_range(self.arena, low, high)?,
                ClassItem::Class(code) => builder.add_class(self.arena, code)?,
                ClassItem::Property(property) => builder.add_property(self.arena, property)?,
            }
        }
        let code = match builder.single(negated) {
            Some(c) => c,
            None => self.intern(builder, negated, at)?,
        };
        Ok(self.node(Kind::Class, u32::from(code), 0, 0)?)
    }

    /// The code of a class: that of an equal one, if there is one.
    fn intern(&mut self, builder: Builder, negated: bool, at: usize) -> Result<u8, PatternError> {
        let new = self.arena.len();
        builder.finish(self.arena, negated)?;
        let bytes = self.arena.range(new, self.arena.len());
        let known = (0x80..CUSTOM).find(|&code| code <= NONE && class::well_known(code) == bytes);
        let mut start = self.base + 2;
        let known = known.or_else(|| {
            (0..self.classes).find_map(|index| {
                let other = self.arena.range(start, new);
                let other = other.get(..class::length(other)?)?;
                start += other.len();
                (other == bytes).then_some(CUSTOM + index as u8)
            })
        });
        if let Some(code) = known {
            self.arena.truncate(new);
            return Ok(code);
        }
        if self.classes >= MAX_CLASSES || self.arena.len() - self.base > 0xFFFF {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Classes), at));
        }
        self.classes += 1;
        Ok(CUSTOM + (self.classes - 1) as u8)
    }

    /// Turns the tree round, for code that reads the text from its end.
    pub(super) fn reverse(&mut self, node: Node) {
        match self.kind(node) {
            Kind::Literal => self.set_kind(node, Kind::LiteralReversed),
            Kind::Repeat | Kind::Look => self.reverse(self.get(node, 1)),
            Kind::Sequence | Kind::Alternatives => {
                let mut child = self.get(node, 1);
                while child != 0 {
                    self.reverse(child);
                    child = self.next(child);
                }
                if self.kind(node) == Kind::Sequence {
                    let first = self.reverse_list(self.get(node, 1));
                    self.set(node, 1, first);
                }
            }
            _ => {}
        }
    }

    /// Whether every match of the node starts (`TextStart`) or ends (`TextEnd`) at that end of the text. `last`: look
    /// from the end of each sequence.
    pub(super) fn anchored(&mut self, node: Node, anchor: Kind, last: bool) -> bool {
        match self.kind(node) {
            Kind::Sequence => {
                let mut child = self.get(node, 1);
                while last && self.next(child) != 0 {
                    child = self.next(child);
                }
                self.anchored(child, anchor, last)
            }
            Kind::Alternatives => {
                let mut child = self.get(node, 1);
                while child != 0 {
                    if !self.anchored(child, anchor, last) {
                        return false;
                    }
                    child = self.next(child);
                }
                true
            }
            Kind::Repeat => self.get(node, 2) > 0 && self.anchored(self.get(node, 1), anchor, last),
            kind => kind == anchor,
        }
    }

    /// The smallest and the largest number of code points that a match of the node consumes.
    pub(super) fn length(&self, node: Node) -> (u32, u32) {
        match self.kind(node) {
            Kind::Literal | Kind::LiteralReversed => (self.get(node, 2), self.get(node, 2)),
            Kind::Char | Kind::Class => (1, 1),
            Kind::Repeat => {
                let (min, max) = self.length(self.get(node, 1));
                (min.saturating_mul(self.get(node, 2)), max.saturating_mul(self.get(node, 3)))
            }
            Kind::Sequence => {
                let (mut min, mut max, mut child) = (0u32, 0u32, self.get(node, 1));
                while child != 0 {
                    let (least, most) = self.length(child);
                    min = min.saturating_add(least);
                    max = max.saturating_add(most);
                    child = self.next(child);
                }
                (min, max)
            }
            Kind::Alternatives => {
                let (mut min, mut max, mut child) = (u32::MAX, 0, self.get(node, 1));
                while child != 0 {
                    let (least, most) = self.length(child);
                    min = min.min(least);
                    max = max.max(most);
                    child = self.next(child);
                }
                (min, max)
            }
            _ => (0, 0),
        }
    }

    /// The code points that a match of the node can start with, in the order it is written.
    pub(super) fn first(&self, node: Node) -> Outline {
        match self.kind(node) {
            Kind::Literal => Outline::of_char(self.char_at(self.get(node, 1))),
            Kind::LiteralReversed => Outline::of_char(self.char_at(self.get(node, 3))),
            Kind::Char => Outline::of_char(self.get(node, 1)),
            Kind::Class => self.outline(self.get(node, 1) as u8),
            Kind::Repeat => self.first(self.get(node, 1)),
            Kind::Sequence | Kind::Alternatives => {
                let (mut all, mut child) = (Outline::NOTHING, self.get(node, 1));
                while child != 0 {
                    all = all.or(self.first(child));
                    if self.kind(node) == Kind::Sequence && self.length(child).0 > 0 {
                        break;
                    }
                    child = self.next(child);
                }
                all
            }
            _ => Outline::NOTHING,
        }
    }

    pub(super) fn outline(&self, code: u8) -> Outline {
        match code {
            0..0x80 => Outline::of_char(u32::from(code)),
            CUSTOM.. => Outline::of(self.class_bytes(code)),
            _ => Outline::of(class::well_known(code)),
        }
    }

    fn class_bytes(&self, code: u8) -> &[u8] {
        let mut bytes = self.arena.range(self.base + 2, self.arena.len());
        for _ in CUSTOM..code {
            bytes = bytes.get(class::length(bytes).unwrap_or(0)..).unwrap_or_default();
        }
        bytes.get(..class::length(bytes).unwrap_or(0)).unwrap_or_default()
    }

    /// The character of the pattern that is written at `at`.
    fn char_at(&self, at: u32) -> u32 {
        match Parser::again(self.text, at as usize).item() {
            Ok(Item::Char(c)) => c,
            _ => 0,
        }
    }

    /// The position in the pattern `count` characters behind `at`.
    fn skip(&self, at: u32, count: u32) -> u32 {
        let mut parser = Parser::again(self.text, at as usize);
        for _ in 0..count {
            let _ = parser.item();
        }
        parser.at as u32
    }

    pub(super) fn reverse_list(&mut self, mut node: Node) -> Node {
        let mut reversed = 0;
        while node != 0 {
            let next = self.next(node);
            self.set_next(node, reversed);
            reversed = node;
            node = next;
        }
        reversed
    }

    fn node(&mut self, kind: Kind, a: u32, b: u32, c: u32) -> Result<Node, Full> {
        let at = self.arena.reserve(16)?;
        let node = ((self.back - at) / 16) as u32;
        if node > 0xFFFF {
            return Err(Full);
        }
        self.arena.set_word(at, kind as u32 | 1 << 8);
        self.set(node, 1, a);
        self.set(node, 2, b);
        self.set(node, 3, c);
        Ok(node)
    }

    /// A node over a list of others, one level higher than the highest.
    fn parent(&mut self, kind: Kind, first: Node, at: usize) -> Result<Node, PatternError> {
        let (mut height, mut child) = (0, first);
        while child != 0 {
            height = height.max(self.get(child, 0) >> 8 & 0xFF);
            child = if matches!(kind, Kind::Sequence | Kind::Alternatives) { self.next(child) } else { 0 };
        }
        if height >= MAX_HEIGHT {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Nesting), at));
        }
        let node = self.node(kind, first, 0, 0)?;
        self.set(node, 0, kind as u32 | (height + 1) << 8);
        Ok(node)
    }

    pub(super) fn kind(&self, node: Node) -> Kind {
        match self.get(node, 0) & 0xFF {
            1 => Kind::Literal,
            2 => Kind::LiteralReversed,
            3 => Kind::Char,
            4 => Kind::Class,
            5 => Kind::TextStart,
            6 => Kind::TextEnd,
            7 => Kind::WordBoundary,
            8 => Kind::Peek,
            9 => Kind::Look,
            10 => Kind::Sequence,
            11 => Kind::Alternatives,
            12 => Kind::Repeat,
            _ => Kind::Empty,
        }
    }

    pub(super) fn set_kind(&mut self, node: Node, kind: Kind) {
        self.set(node, 0, self.get(node, 0) & !0xFF | kind as u32);
    }

    pub(super) fn next(&self, node: Node) -> Node {
        self.get(node, 0) >> 16
    }

    pub(super) fn set_next(&mut self, node: Node, next: Node) {
        self.set(node, 0, self.get(node, 0) & 0xFFFF | next << 16);
    }

    pub(super) fn get(&self, node: Node, word: usize) -> u32 {
        self.arena.word(self.at(node) + 4 * word)
    }

    pub(super) fn set(&mut self, node: Node, word: usize, value: u32) {
        let at = self.at(node) + 4 * word;
        self.arena.set_word(at, value);
    }

    fn at(&self, node: Node) -> usize {
        self.back.saturating_sub(16 * node as usize)
    }
}
