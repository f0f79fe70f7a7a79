//! The syntax: ECMA-262's `Pattern` with the `u` flag, one item at a time, without memory or recursion.
//!
//! Beyond the grammar it accepts what Annex B accepts and what can only mean one thing: escaped punctuation (`\-`, `\:`),
//! a lone `]`, `{` or `}`, and a class escape next to a `-` in a class (`[\w-.]`). `lenient` tells where, and `strict`
//! turns it off.

use super::error::{PatternError, PatternErrorKind, PatternLimit};
use super::program::{ANY_DIGIT, ANY_SPACE, ANY_WORD, DOT, NOT_DIGIT, NOT_SPACE, NOT_WORD};
use crate::text::Text;

/// No upper bound.
pub(super) const INFINITE: u32 = u32::MAX;
/// Open groups at one time; each takes a bit of `looks`.
const MAX_OPEN: u32 = 60;
/// Each name costs a pass over the pattern, to find its double.
const MAX_NAMES: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    End,
    Char(u32),
    /// One of the classes that have a code of their own: `.`, `\d`, `\W`, …
    Class(u8),
    Property(Property),
    /// A `[`: read on with [`Parser::class_item`] until `ClassItem::End`.
    ClassOpen {
        negated: bool,
    },
    TextStart,
    TextEnd,
    WordBoundary {
        negated: bool,
    },
    Open(Group),
    Close,
    Alternate,
    Repeat {
        min: u32,
        max: u32,
    },
    BackReference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Plain,
    Modified,
    Look { behind: bool, negated: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub id: Option<u16>,
    pub negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassItem {
    End,
    Range(u32, u32),
    Class(u8),
    Property(Property),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Parser<'t> {
    text: Text<'t>,
    pub at: usize,
    strict: bool,
    /// A second pass on behalf of another parser, which does the checks across the pattern.
    scanning: bool,
    /// Whether the last item can take a quantifier.
    atom: bool,
    open: u32,
    /// A bit for each open group, the innermost lowest: whether it is a look-around.
    looks: u64,
    groups: u32,
    names: u32,
    /// The largest number of a back-reference.
    reference: u32,
    /// Whether the `-` at hand is a character of its own.
    dash: bool,
    /// Where the last item, or something within it, was read leniently.
    pub lenient: Option<usize>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: Text<'t>, strict: bool) -> Self {
        Self {
            text,
            at: 0,
            strict,
            scanning: false,
            atom: false,
            open: 0,
            looks: 0,
            groups: 0,
            names: 0,
            reference: 0,
            dash: false,
            lenient: None,
        }
    }

    /// A parser that stands at `at`, to read again what was read before.
    pub(super) fn again(text: Text<'t>, at: usize) -> Self {
        Self { at, scanning: true, ..Self::new(text, false) }
    }

    pub(super) fn item(&mut self) -> Result<Item, PatternError> {
        let start = self.at;
        let Some(c) = self.next() else {
            return self.end();
        };
        let atom = self.atom;
        self.atom = true;
        Ok(match char::from_u32(c).unwrap_or('\u{FFFD}') {
            '^' => self.zero_width(Item::TextStart),
            '$' => self.zero_width(Item::TextEnd),
            '|' => self.zero_width(Item::Alternate),
            '.' => Item::Class(DOT),
            '(' => {
                self.atom = false;
                self.group(start)?
            }
            ')' => {
                self.open =
                    self.open.checked_sub(1).ok_or(PatternError::new(PatternErrorKind::UnmatchedParenthesis, start))?;
                self.atom = self.looks & 1 == 0;
                self.looks >>= 1;
                Item::Close
            }
            '[' => Item::ClassOpen { negated: self.accept('^') },
            '*' => self.repeat(start, atom, 0, INFINITE)?,
            '+' => self.repeat(start, atom, 1, INFINITE)?,
            '?' => self.repeat(start, atom, 0, 1)?,
            '{' => match self.bounds()? {
                Some((min, max)) => self.repeat(start, atom, min, max)?,
                None => self.lenient(start, PatternErrorKind::Quantifier, '{')?,
            },
            ']' | '}' => self.lenient(start, PatternErrorKind::Escape, char::from(c as u8))?,
            '\\' => self.escape(start)?,
            _ => Item::Char(c),
        })
    }

    /// What comes next in a class; a range of one for a single code point.
    pub(super) fn class_item(&mut self) -> Result<ClassItem, PatternError> {
        let start = self.at;
        if self.dash {
            self.dash = false;
            self.next();
            return Ok(ClassItem::Range(0x2D, 0x2D));
        }
        let Some(low) = self.class_atom()? else {
            return Ok(ClassItem::End);
        };
        let dash = self.at;
        if !self.accept('-') {
            return Ok(low);
        }
        if self.peek() == Some(u32::from(b']')) {
            // A `-` before the `]` is a character.
            self.at = dash;
            return Ok(low);
        }
        match (low, self.class_atom()?) {
            (ClassItem::Range(low, _), Some(ClassItem::Range(high, _))) => {
                if low > high {
                    return Err(PatternError::new(PatternErrorKind::RangeOrder, start));
                }
                Ok(ClassItem::Range(low, high))
            }
            (_, None) => Err(PatternError::new(PatternErrorKind::UnterminatedClass, start)),
            // `[\w-.]`: Annex B reads the `-` as a character, as everyone does who reads it at all. With a second `-`
            // behind it the readings differ.
            (low, Some(_)) => {
                if self.strict || (self.accept('-') && self.peek() != Some(u32::from(b']'))) {
                    return Err(PatternError::new(PatternErrorKind::RangeOrder, start));
                }
                self.lenient = Some(dash);
                self.dash = true;
                self.at = dash;
                Ok(low)
            }
        }
    }

    fn class_atom(&mut self) -> Result<Option<ClassItem>, PatternError> {
        let start = self.at;
        let c = self.next().ok_or(PatternError::new(PatternErrorKind::UnterminatedClass, start))?;
        Ok(match char::from_u32(c) {
            Some(']') => None,
            Some('\\') => {
                let next = self.peek();
                if next == Some(u32::from(b'b')) {
                    self.next();
                    return Ok(Some(ClassItem::Range(8, 8)));
                }
                if next == Some(u32::from(b'-')) {
                    self.next();
                    return Ok(Some(ClassItem::Range(0x2D, 0x2D)));
                }
                match self.escape(start)? {
                    Item::Char(c) => Some(ClassItem::Range(c, c)),
                    Item::Class(class) => Some(ClassItem::Class(class)),
                    Item::Property(property) => Some(ClassItem::Property(property)),
                    _ => return Err(PatternError::new(PatternErrorKind::Escape, start)),
                }
            }
            _ => Some(ClassItem::Range(c, c)),
        })
    }

    fn end(&mut self) -> Result<Item, PatternError> {
        if self.open > 0 {
            return Err(PatternError::new(PatternErrorKind::UnterminatedGroup, self.at));
        }
        if self.reference > self.groups {
            return Err(PatternError::new(PatternErrorKind::Escape, self.at));
        }
        Ok(Item::End)
    }

    fn zero_width(&mut self, item: Item) -> Item {
        self.atom = false;
        item
    }

    fn lenient(&mut self, at: usize, strictly: PatternErrorKind, c: char) -> Result<Item, PatternError> {
        if self.strict {
            return Err(PatternError::new(strictly, at));
        }
        self.lenient = Some(at);
        Ok(Item::Char(u32::from(c)))
    }

    fn repeat(&mut self, start: usize, atom: bool, min: u32, max: u32) -> Result<Item, PatternError> {
        if !atom {
            return Err(PatternError::new(PatternErrorKind::NothingToRepeat, start));
        }
        if min > max {
            return Err(PatternError::new(PatternErrorKind::Quantifier, start));
        }
        // A lazy quantifier matches the same strings.
        self.accept('?');
        self.atom = false;
        Ok(Item::Repeat { min, max })
    }

    /// What follows a `{`, where it makes a quantifier of it.
    fn bounds(&mut self) -> Result<Option<(u32, u32)>, PatternError> {
        let start = self.at;
        let min = self.decimal();
        let comma = self.accept(',');
        let max = if comma { self.decimal() } else { min };
        if self.accept('}') {
            match (min, max) {
                (Some(min), max) => return Ok(Some((min, max.unwrap_or(INFINITE)))),
                // `{,3}`: literal in Annex B, a quantifier elsewhere.
                (None, _) if comma => return Err(PatternError::new(PatternErrorKind::Quantifier, start)),
                _ => {}
            }
        }
        self.at = start;
        Ok(None)
    }

    /// A decimal number, if there is one; large ones all become the largest that is finite.
    fn decimal(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(char::from_u32).and_then(|c| c.to_digit(10)) {
            self.next();
            value = Some(value.unwrap_or(0u32).saturating_mul(10).saturating_add(digit).min(INFINITE - 1));
        }
        value
    }

    fn group(&mut self, start: usize) -> Result<Item, PatternError> {
        let mut group = Group::Plain;
        if self.accept('?') {
            let kind = self.next().and_then(char::from_u32);
            group = match kind {
                Some(':') => Group::Plain,
                Some('=') => Group::Look { behind: false, negated: false },
                Some('!') => Group::Look { behind: false, negated: true },
                Some('<') if self.accept('=') => Group::Look { behind: true, negated: false },
                Some('<') if self.accept('!') => Group::Look { behind: true, negated: true },
                Some('<') => {
                    self.groups += 1;
                    self.name()?;
                    Group::Plain
                }
                Some(first) => {
                    self.modifiers(start, first)?;
                    Group::Modified
                }
                None => return Err(PatternError::new(PatternErrorKind::GroupKind, start)),
            };
        } else {
            self.groups += 1;
        }
        if self.open >= MAX_OPEN {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Nesting), start));
        }
        self.open += 1;
        self.looks = self.looks << 1 | u64::from(matches!(group, Group::Look { .. }));
        Ok(Item::Open(group))
    }

    /// `(?ims-ims:`: each letter at most once, at least one.
    fn modifiers(&mut self, start: usize, first: char) -> Result<(), PatternError> {
        let mut seen = 0u8;
        let mut removing = false;
        let mut next = Some(first);
        loop {
            let bit = match next {
                Some('i') => 1,
                Some('m') => 2,
                Some('s') => 4,
                Some('-') if !removing => {
                    removing = true;
                    0
                }
                Some(':') if seen != 0 => return Ok(()),
                _ => return Err(PatternError::new(PatternErrorKind::GroupKind, start)),
            };
            if seen & bit != 0 {
                return Err(PatternError::new(PatternErrorKind::GroupKind, start));
            }
            seen |= bit;
            next = self.next().and_then(char::from_u32);
        }
    }

    /// The name of a group, and its `>`. Two groups may share a name only in different alternatives.
    fn name(&mut self) -> Result<(), PatternError> {
        let start = self.at;
        let error = PatternError::new(PatternErrorKind::GroupName, start);
        while self.name_char(error)?.is_some() {}
        if self.text.next(start).is_none_or(|(c, _)| c == u32::from(b'>') || (0x30..0x3A).contains(&c)) {
            return Err(error);
        }
        if self.scanning {
            return Ok(());
        }
        self.names += 1;
        if self.names > MAX_NAMES {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Names), start));
        }
        // The depth of the group that holds this name and the next, and whether a `|` of it lies between.
        let (mut scan, mut depth, mut shared, mut apart) = (*self, 1u32, 0u32, false);
        scan.scanning = true;
        scan.open += 1;
        loop {
            let before = scan.at;
            match scan.item()? {
                Item::End => return Ok(()),
                Item::Open(_) => {
                    if !apart && self.same_name(start, before) {
                        return Err(error);
                    }
                    depth += 1;
                }
                Item::Close => {
                    // The parser checks the balance; the pattern may still end too early.
                    depth = match depth.checked_sub(1) {
                        Some(depth) => depth,
                        None => {
                            apart = false;
                            0
                        }
                    };
                    if depth < shared {
                        shared = depth;
                        apart = false;
                    }
                }
                Item::Alternate if depth == shared => apart = true,
                Item::ClassOpen { .. } => while scan.class_item()? != ClassItem::End {},
                _ => {}
            }
        }
    }

    /// One code point of a name; `None` at its `>`.
    fn name_char(&mut self, error: PatternError) -> Result<Option<u32>, PatternError> {
        let start = self.at;
        let c = self.next().ok_or(error)?;
        Ok(match char::from_u32(c) {
            Some('>') => None,
            Some('\\') if self.accept('u') => match self.unicode_escape(start)? {
                c @ (0x24 | 0x5F | 0x30..=0x39 | 0x41..=0x5A | 0x61..=0x7A | 0x80..) => Some(c),
                _ => return Err(error),
            },
            Some('$' | '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' | '\u{80}'..) => Some(c),
            _ => return Err(error),
        })
    }

    /// Whether the group that opens at `group` has the name that starts at `name`.
    fn same_name(&self, name: usize, group: usize) -> bool {
        let (mut one, mut other) = (Self { at: name, ..*self }, Self { at: group, ..*self });
        if !(other.accept('(') && other.accept('?') && other.accept('<')) {
            return false;
        }
        let error = PatternError::new(PatternErrorKind::GroupName, name);
        loop {
            match (one.name_char(error), other.name_char(error)) {
                (Ok(None), Ok(None)) => return true,
                (Ok(Some(a)), Ok(Some(b))) if a == b => {}
                _ => return false,
            }
        }
    }

    /// `\k<name>`: some group must have the name.
    fn named_reference(&mut self, start: usize) -> Result<(), PatternError> {
        let error = PatternError::new(PatternErrorKind::Escape, start);
        if !self.accept('<') {
            return Err(error);
        }
        let name = self.at;
        while self.name_char(error)?.is_some() {}
        if self.scanning {
            return Ok(());
        }
        self.names += 1;
        if self.names > MAX_NAMES {
            return Err(PatternError::new(PatternErrorKind::TooLarge(PatternLimit::Names), start));
        }
        let mut scan = Self::again(self.text, 0);
        scan.strict = self.strict;
        loop {
            let before = scan.at;
            match scan.item()? {
                Item::End => return Err(error),
                Item::Open(_) if self.same_name(name, before) => return Ok(()),
                Item::ClassOpen { .. } => while scan.class_item()? != ClassItem::End {},
                _ => {}
            }
        }
    }

    /// What follows a `\`, outside a class or in one.
    fn escape(&mut self, start: usize) -> Result<Item, PatternError> {
        let error = PatternError::new(PatternErrorKind::Escape, start);
        let c = self.next().and_then(char::from_u32).ok_or(error)?;
        Ok(match c {
            'd' => Item::Class(ANY_DIGIT),
            'D' => Item::Class(NOT_DIGIT),
            'w' => Item::Class(ANY_WORD),
            'W' => Item::Class(NOT_WORD),
            's' => Item::Class(ANY_SPACE),
            'S' => Item::Class(NOT_SPACE),
            'b' => self.zero_width(Item::WordBoundary { negated: false }),
            'B' => self.zero_width(Item::WordBoundary { negated: true }),
            't' => Item::Char(9),
            'n' => Item::Char(10),
            'v' => Item::Char(11),
            'f' => Item::Char(12),
            'r' => Item::Char(13),
            'c' => match self.next().and_then(char::from_u32) {
                Some(letter @ ('a'..='z' | 'A'..='Z')) => Item::Char(u32::from(letter) & 0x1F),
                _ => return Err(error),
            },
            'x' => Item::Char(self.hex(2).ok_or(error)?),
            'u' => Item::Char(self.unicode_escape(start)?),
            'p' | 'P' => Item::Property(self.property(start, c == 'P')?),
            'k' => {
                self.named_reference(start)?;
                Item::BackReference
            }
            '0' => {
                if self.peek().is_some_and(|c| (0x30..0x3A).contains(&c)) {
                    return Err(error);
                }
                Item::Char(0)
            }
            '1'..='9' => {
                self.at = start;
                self.next();
                self.reference = self.reference.max(self.decimal().unwrap_or(0));
                Item::BackReference
            }
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
                Item::Char(u32::from(c))
            }
            ' '..='~' if !c.is_ascii_alphabetic() => self.lenient(start, PatternErrorKind::Escape, c)?,
            _ => return Err(error),
        })
    }

    /// What follows `\u`. Two escapes that spell a surrogate pair are one code point.
    fn unicode_escape(&mut self, start: usize) -> Result<u32, PatternError> {
        let error = PatternError::new(PatternErrorKind::Escape, start);
        if self.accept('{') {
            let mut value = None;
            while let Some(digit) = self.peek().and_then(char::from_u32).and_then(|c| c.to_digit(16)) {
                self.next();
                value = Some(value.unwrap_or(0u32) << 4 | digit).filter(|&value| value <= 0x10_FFFF);
                value.ok_or(error)?;
            }
            return if self.accept('}') { value.ok_or(error) } else { Err(error) };
        }
        let high = self.hex(4).ok_or(error)?;
        if (0xD800..0xDC00).contains(&high) {
            let mut pair = *self;
            if pair.accept('\\')
                && pair.accept('u')
                && let Some(low @ 0xDC00..=0xDFFF) = pair.hex(4)
            {
                self.at = pair.at;
                return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            }
        }
        Ok(high)
    }

    fn hex(&mut self, digits: u32) -> Option<u32> {
        let mut value = 0;
        for _ in 0..digits {
            value = value << 4 | self.next().and_then(char::from_u32)?.to_digit(16)?;
        }
        Some(value)
    }

    /// What follows `\p`. Without the tables only the form is checked.
    fn property(&mut self, start: usize, negated: bool) -> Result<Property, PatternError> {
        if !self.accept('{') {
            return Err(PatternError::new(PatternErrorKind::Escape, start));
        }
        let error = PatternError::new(PatternErrorKind::UnicodeProperty, start);
        let mut name = [0u8; 48];
        let mut slots = name.iter_mut();
        let mut length = 0;
        loop {
            let c = self.next().and_then(char::from_u32).ok_or(error)?;
            match c {
                '}' if length > 0 => break,
                '0'..='9' | 'a'..='z' | 'A'..='Z' | '_' | '=' => *slots.next().ok_or(error)? = c as u8,
                _ => return Err(error),
            }
            length += 1;
        }
        #[cfg(feature = "unicode")]
        let id = Some(super::unicode::find(name.get(..length).unwrap_or_default()).ok_or(error)?);
        #[cfg(not(feature = "unicode"))]
        let id = None;
        Ok(Property { id, negated })
    }

    fn next(&mut self) -> Option<u32> {
        let (c, after) = self.text.next(self.at)?;
        self.at = after;
        Some(c)
    }

    fn peek(&self) -> Option<u32> {
        self.text.next(self.at).map(|(c, _)| c)
    }

    fn accept(&mut self, c: char) -> bool {
        match self.text.next(self.at) {
            Some((next, after)) if next == u32::from(c) => {
                self.at = after;
                true
            }
            _ => false,
        }
    }
}
