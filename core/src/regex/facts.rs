//! What can be said about the nodes of a tree.

use super::class::{self, Outline};
use super::program::CUSTOM;
use super::tree::{Kind, Node, Tree};

impl Tree<'_, '_, '_> {
    /// What a node of one code point stands for.
    pub(super) fn set_of(&self, node: Node) -> Option<Outline> {
        let is_one = match self.kind(node) {
            Kind::Class => true,
            Kind::Literal => self.get(node, 2) == 1,
            _ => false,
        };
        let mut set = Outline::NOTHING;
        self.first(node, &mut set);
        is_one.then_some(set)
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
        let (word, other) = (self.get(node, 1), self.get(node, 2));
        let kind = self.kind(node);
        match kind {
            Kind::Literal | Kind::LiteralReversed => (other, other),
            Kind::Char | Kind::Class => (1, 1),
            Kind::Repeat => {
                let (min, max) = self.length(word);
                (min.saturating_mul(other), max.saturating_mul(self.get(node, 3)))
            }
            Kind::Sequence | Kind::Alternatives => {
                let mut all = if kind == Kind::Sequence { (0, 0) } else { (u32::MAX, 0) };
                let mut child = word;
                while child != 0 {
                    let (min, max) = self.length(child);
                    all = match kind {
                        Kind::Sequence => (min.saturating_add(all.0), max.saturating_add(all.1)),
                        _ => (min.min(all.0), max.max(all.1)),
                    };
                    child = self.next(child);
                }
                all
            }
            _ => (0, 0),
        }
    }

    /// Whether every match of the node consumes something.
    pub(super) fn consumes(&self, node: Node) -> bool {
        if cfg!(any(target_os = "none", feature = "small")) {
            return self.length(node).0 > 0;
        }
        let word = self.get(node, 1);
        let kind = self.kind(node);
        match kind {
            Kind::Literal | Kind::LiteralReversed | Kind::Char | Kind::Class => true,
            Kind::Repeat => self.get(node, 2) > 0 && self.consumes(word),
            Kind::Sequence | Kind::Alternatives => {
                let mut child = word;
                while child != 0 {
                    if self.consumes(child) == (kind == Kind::Sequence) {
                        return kind == Kind::Sequence;
                    }
                    child = self.next(child);
                }
                kind == Kind::Alternatives
            }
            _ => false,
        }
    }

    /// Whether all matches of the node have one length.
    pub(super) fn fixed(&self, node: Node) -> bool {
        let (min, max) = self.length(node);
        min == max
    }

    /// Adds the code points that a match of the node can start with, in the order it is written.
    pub(super) fn first(&self, node: Node, all: &mut Outline) {
        let word = self.get(node, 1);
        match self.kind(node) {
            Kind::Literal => all.add_char(self.char_at(word)),
            Kind::LiteralReversed => all.add_char(self.char_at(self.get(node, 3))),
            Kind::Char => all.add_char(word),
            Kind::Class => match word as u8 {
                0..0x80 => all.add_char(word),
                code @ CUSTOM.. => all.add_class(self.class_bytes(code)),
                code => all.add_class(class::well_known(code)),
            },
            Kind::Repeat => self.first(word, all),
            kind @ (Kind::Sequence | Kind::Alternatives) => {
                let mut child = word;
                while child != 0 {
                    self.first(child, all);
                    if kind == Kind::Sequence && self.consumes(child) {
                        break;
                    }
                    child = self.next(child);
                }
            }
            _ => {}
        }
    }
}
