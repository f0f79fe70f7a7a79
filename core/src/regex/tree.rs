//! The syntax tree of a pattern: records of four words at the arena's back.
//!
//! Encoded classes go to the arena's front as they are met, behind room for the image's header.

use super::class::{self, Builder, MAX_RANGES};
use super::error::{PatternErrorKind as Error, PatternLimit};
use super::parse::{ClassItem, Group, INFINITE, Item, Parser};
use super::program::{ANY_DIGIT, CUSTOM, HEADER, MAX_CLASSES, MAX_LOOKS, NONE};
use crate::arena::{Arena, Full};
use crate::text::Text;

/// Levels of the tree, and so of every recursion over it.
pub(super) const MAX_HEIGHT: u32 = 24;

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

/// The kinds by number.
static KINDS: [Kind; 13] = [
    Kind::Empty,
    Kind::Literal,
    Kind::LiteralReversed,
    Kind::Char,
    Kind::Class,
    Kind::TextStart,
    Kind::TextEnd,
    Kind::WordBoundary,
    Kind::Peek,
    Kind::Look,
    Kind::Sequence,
    Kind::Alternatives,
    Kind::Repeat,
];

impl Kind {
    /// Whether its first word is a node.
    pub(super) fn is_parent(self) -> bool {
        matches!(self, Self::Look | Self::Sequence | Self::Alternatives | Self::Repeat)
    }

    /// Whether that node is the first of a list.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Sequence | Self::Alternatives)
    }
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
    pub classes: u8,
    /// Ranges that were read into classes.
    ranges: usize,
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
    pub(super) fn new(text: Text<'t>, arena: &'a mut Arena<'b>) -> Self {
        let (base, back) = (arena.len(), arena.back());
        Self { text, arena, base, back, classes: 0, ranges: 0, looks: 0 }
    }

    /// Reads the pattern; gives the root.
    pub(super) fn read(&mut self, parser: &mut Parser<'t>) -> Result<Node, Error> {
        self.arena.extend(&[0; HEADER])?;
        let mut outer: Node = 0;
        let mut frame = Frame { branches: 0, last: 0, look: u32::MAX };
        // Whether the last node is a literal that the next character may join.
        let mut joins = false;
        loop {
            let at = parser.at as u32;
            let item = parser.item()?;
            let joined = core::mem::take(&mut joins);
            let (mut kind, mut word, mut other) = (Kind::Class, 0, 0);
            match item {
                Item::Char(0..0x80) => {
                    joins = true;
                    if joined {
                        self.set(frame.last, 2, self.get(frame.last, 2) + 1);
                        self.set(frame.last, 3, at);
                        continue;
                    }
                    (kind, word, other) = (Kind::Literal, at, 1);
                }
                Item::Char(c) => (kind, word) = (Kind::Char, c),
                Item::Class(code) => word = u32::from(code),
                Item::Property(property) => {
                    let mut builder = Builder::new(self.arena);
                    builder.add_property(self.arena, parser, property)?;
                    word = u32::from(self.intern(builder, false)?);
                }
                Item::ClassOpen { negated } => word = u32::from(self.class(parser, negated)?),
                Item::TextStart => kind = Kind::TextStart,
                Item::TextEnd => kind = Kind::TextEnd,
                Item::WordBoundary { negated } => (kind, word) = (Kind::WordBoundary, u32::from(negated)),
                Item::Repeat { min, max } => {
                    if joined && self.get(frame.last, 2) > 1 {
                        self.split_literal(frame.last)?;
                    }
                    let child = frame.last;
                    frame.last = self.next(child);
                    let repeated = self.repeat(child, min, max)?;
                    self.append(&mut frame, repeated);
                    continue;
                }
                Item::Open(group) => {
                    outer = self.node(Kind::Empty, frame.branches, frame.last, frame.look, outer)?;
                    frame = Frame { branches: 0, last: 0, look: u32::MAX };
                    match group {
                        Group::Plain => {}
                        Group::Modified => return Err(Error::Modifiers),
                        Group::Look { behind, negated } => {
                            frame.look = u32::from(behind) * BEHIND + u32::from(negated) * NOT;
                        }
                    }
                    continue;
                }
                Item::Alternate => {
                    self.finish_branch(&mut frame)?;
                    continue;
                }
                Item::Close | Item::End => {
                    self.finish_branch(&mut frame)?;
                    let mut group = self.reverse_list(frame.branches);
                    if self.next(group) != 0 {
                        group = self.parent(Kind::Alternatives, group)?;
                    }
                    if item == Item::End {
                        return Ok(group);
                    }
                    if frame.look != u32::MAX {
                        group = self.look(group, frame.look)?;
                    }
                    frame = Frame { branches: self.get(outer, 1), last: self.get(outer, 2), look: self.get(outer, 3) };
                    outer = self.next(outer);
                    self.append(&mut frame, group);
                    continue;
                }
                Item::BackReference => return Err(Error::BackReference),
            }
            frame.last = self.node(kind, word, other, at, frame.last)?;
        }
    }

    /// Makes the last character of a literal a node of its own, behind the rest.
    fn split_literal(&mut self, node: Node) -> Result<(), Error> {
        let (from, count, last) = (self.get(node, 1), self.get(node, 2), self.get(node, 3));
        self.set(node, 1, last);
        self.set(node, 2, 1);
        let mut parser = Parser::again(self.text, from as usize);
        for _ in 2..count {
            parser.item()?;
        }
        let rest = self.node(Kind::Literal, from, count - 1, parser.at as u32, self.next(node))?;
        self.set_next(node, rest);
        Ok(())
    }

    #[inline(never)]
    fn append(&mut self, frame: &mut Frame, node: Node) {
        self.set_next(node, frame.last);
        frame.last = node;
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn finish_branch(&mut self, frame: &mut Frame) -> Result<(), Error> {
        let first = self.reverse_list(frame.last);
        frame.last = 0;
        let branch = match first {
            0 => self.node(Kind::Empty, 0, 0, 0, 0)?,
            only if self.next(only) == 0 => only,
            _ => self.parent(Kind::Sequence, first)?,
        };
        self.set_next(branch, frame.branches);
        frame.branches = branch;
        Ok(())
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn look(&mut self, body: Node, flags: u32) -> Result<Node, Error> {
        if self.kind(body) == Kind::Empty {
            return if flags & NOT == 0 { Ok(body) } else { Ok(self.node(Kind::Class, u32::from(NONE), 0, 0, 0)?) };
        }
        if let Some(code) = self.single(body)? {
            return Ok(self.node(Kind::Peek, u32::from(code), flags, 0, 0)?);
        }
        self.looks += 1;
        if self.looks > MAX_LOOKS {
            return Err(Error::TooLarge(PatternLimit::LookArounds));
        }
        let node = self.parent(Kind::Look, body)?;
        self.set(node, 2, flags);
        Ok(node)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn repeat(&mut self, child: Node, min: u32, max: u32) -> Result<Node, Error> {
        if (min, max) == (1, 1) {
            return Ok(child);
        }
        let (_, longest) = self.length(child);
        if max == 0 || (longest == 0 && min == 0) {
            // ECMA-262 takes back an optional repetition that consumed nothing, so the child is as good as not there.
            return Ok(self.node(Kind::Empty, 0, 0, 0, 0)?);
        }
        if longest == 0 {
            return Ok(child);
        }
        if self.kind(child) == Kind::Repeat {
            // (X{a,b}){c,d} is X{ac,bd} if no count in between is left out: neither from c to c + 1 times, nor further on.
            let (a, b) = (self.get(child, 2), self.get(child, 3));
            let gapless = min == max || a.saturating_mul(min + 1) <= b.saturating_mul(min).saturating_add(1);
            if gapless && (b != INFINITE || min > 0 || a <= 1) {
                // A product that is too large for a count is as good as none.
                self.set(child, 2, a.saturating_mul(min).min(INFINITE - 1));
                self.set(child, 3, b.saturating_mul(max));
                return Ok(child);
            }
        }
        // A code point above ASCII has to be a class to be repeated.
        if let Some(code) = self.single(child)?
            && code >= 0x80
        {
            self.set(child, 1, u32::from(code));
            self.set_kind(child, Kind::Class);
        }
        let node = self.parent(Kind::Repeat, child)?;
        self.set(node, 2, min);
        self.set(node, 3, max);
        Ok(node)
    }

    /// What a repetition repeats, up to `max` times, and the last of these being `last`; the first node of two.
    pub(super) fn ending(&mut self, repeat: Node, max: u32, last: Node) -> Result<Node, Error> {
        let Some(code) = self.single(last)? else {
            return Ok(repeat);
        };
        let peek = self.node(Kind::Peek, u32::from(code), BEHIND, 0, 0)?;
        let many = self.node(Kind::Repeat, self.get(repeat, 1), 0, max, peek)?;
        self.set(many, 0, self.get(many, 0) & !0xFF00 | self.get(repeat, 0) & 0xFF00);
        Ok(many)
    }

    /// Writes the image's header, when all classes are there.
    pub(super) fn header(&mut self, flags: u8) -> Result<(), Error> {
        let Ok(len) = u16::try_from(self.arena.len() - self.base - HEADER) else {
            return Err(Error::TooLarge(PatternLimit::Classes));
        };
        let [low, high] = len.to_le_bytes();
        for (at, byte) in [flags, self.classes, low, high].into_iter().enumerate() {
            self.arena.set(self.base + at, byte);
        }
        Ok(())
    }

    /// These nodes behind the start of the text.
    pub(super) fn behind_start(&mut self, first: Node) -> Result<Node, Error> {
        let start = self.node(Kind::TextStart, 0, 0, 0, first)?;
        self.parent(Kind::Sequence, start)
    }

    /// The code (below `RUN_STAR`) of a node that consumes exactly one code point.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn single(&mut self, node: Node) -> Result<Option<u8>, Error> {
        let word = self.get(node, 1);
        Ok(match self.kind(node) {
            Kind::Class => Some(word as u8),
            Kind::Literal | Kind::LiteralReversed if self.get(node, 2) == 1 => Some(self.char_at(word) as u8),
            Kind::Char => {
                let mut builder = Builder::new(self.arena);
                builder.add_range(self.arena, word, word)?;
                Some(self.intern(builder, false)?)
            }
            _ => None,
        })
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn class(&mut self, parser: &mut Parser<'_>, negated: bool) -> Result<u8, Error> {
        let mut builder = Builder::new(self.arena);
        loop {
            match parser.class_item()? {
                ClassItem::End => break,
                ClassItem::Range(low, high) => builder.add_range(self.arena, low, high)?,
                ClassItem::Class(code) => builder.add_class(self.arena, code)?,
                ClassItem::Property(property) => builder.add_property(self.arena, parser, property)?,
            }
        }
        self.intern(builder, negated)
    }

    /// The code of a class: its only character, or that of an equal class, if there is one.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn intern(&mut self, builder: Builder, negated: bool) -> Result<u8, Error> {
        let new = self.arena.len();
        self.ranges += builder.ranges;
        if self.ranges > MAX_RANGES {
            return Err(Error::TooLarge(PatternLimit::Ranges));
        }
        builder.finish(self.arena, negated)?;
        let bytes = self.arena.range(new, self.arena.len());
        let mut known = match bytes {
            // No more than one ASCII character.
            &[1, low, high] if low == high => Some(low),
            _ => (ANY_DIGIT..=NONE).find(|&code| class::well_known(code) == bytes),
        };
        let mut others = self.arena.range(self.base + HEADER, new);
        for index in 0..self.classes {
            let (other, rest) = others.split_at_checked(class::length(others).unwrap_or(0)).unwrap_or_default();
            if other == bytes {
                known = Some(CUSTOM + index);
            }
            others = rest;
        }
        if let Some(code) = known {
            self.arena.truncate(new);
            return Ok(code);
        }
        if self.classes >= MAX_CLASSES {
            return Err(Error::TooLarge(PatternLimit::Classes));
        }
        self.classes += 1;
        Ok(CUSTOM + self.classes - 1)
    }

    /// Turns the tree round, for code that reads the text from its end.
    pub(super) fn reverse(&mut self, node: Node) {
        let kind = self.kind(node);
        let mut child = if kind.is_parent() { self.get(node, 1) } else { 0 };
        while child != 0 {
            self.reverse(child);
            child = if kind.is_list() { self.next(child) } else { 0 };
        }
        if kind == Kind::Literal {
            self.set_kind(node, Kind::LiteralReversed);
        } else if kind == Kind::Sequence {
            let first = self.reverse_list(self.get(node, 1));
            self.set(node, 1, first);
        }
    }

    pub(super) fn class_bytes(&self, code: u8) -> &[u8] {
        let mut bytes = self.arena.range(self.base + HEADER, self.arena.len());
        for _ in CUSTOM..code {
            bytes = bytes.get(class::length(bytes).unwrap_or(0)..).unwrap_or_default();
        }
        bytes.get(..class::length(bytes).unwrap_or(0)).unwrap_or_default()
    }

    /// The character of the pattern that is written at `at`.
    pub(super) fn char_at(&self, at: u32) -> u32 {
        // Nearly always it stands for itself.
        if let Some(&byte @ ..0x80) = self.text.stored(at as usize).first()
            && byte != b'\\'
        {
            return byte.into();
        }
        match Parser::again(self.text, at as usize).item() {
            Ok(Item::Char(c)) => c,
            _ => 0,
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
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

    #[inline(never)]
    pub(super) fn node(&mut self, kind: Kind, a: u32, b: u32, c: u32, next: Node) -> Result<Node, Full> {
        let at = self.arena.reserve(16)?;
        let node = ((self.back - at) / 16) as u32;
        if node > 0xFFFF {
            return Err(Full);
        }
        self.arena.set_word(at, kind as u32 | 1 << 8 | next << 16);
        self.set(node, 1, a);
        self.set(node, 2, b);
        self.set(node, 3, c);
        Ok(node)
    }

    /// A node over a list of others, one level higher than the highest.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn parent(&mut self, kind: Kind, first: Node) -> Result<Node, Error> {
        let (mut height, mut child) = (0, first);
        while child != 0 {
            height = height.max(self.get(child, 0) >> 8 & 0xFF);
            child = if matches!(kind, Kind::Sequence | Kind::Alternatives) { self.next(child) } else { 0 };
        }
        if height >= MAX_HEIGHT {
            return Err(Error::TooLarge(PatternLimit::Nesting));
        }
        let node = self.node(kind, first, 0, 0, 0)?;
        self.set(node, 0, kind as u32 | (height + 1) << 8);
        Ok(node)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn kind(&self, node: Node) -> Kind {
        KINDS.get((self.get(node, 0) & 0xFF) as usize).copied().unwrap_or(Kind::Empty)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn set_kind(&mut self, node: Node, kind: Kind) {
        self.set(node, 0, self.get(node, 0) & !0xFF | kind as u32);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn next(&self, node: Node) -> Node {
        self.get(node, 0) >> 16
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn set_next(&mut self, node: Node, next: Node) {
        self.set(node, 0, self.get(node, 0) & 0xFFFF | next << 16);
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn get(&self, node: Node, word: usize) -> u32 {
        self.arena.word(self.at(node) + 4 * word)
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    pub(super) fn set(&mut self, node: Node, word: usize, value: u32) {
        let at = self.at(node) + 4 * word;
        self.arena.set_word(at, value);
    }

    fn at(&self, node: Node) -> usize {
        self.back.saturating_sub(16 * node as usize)
    }
}
