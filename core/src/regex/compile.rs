//! From the tree to the image: which way to read, what can be left out, and whether one thread is enough.

use super::class::Outline;
use super::emit::Emitter;
use super::error::{PatternError, PatternErrorKind as Error, PatternLimit};
#[cfg(not(any(target_os = "none", feature = "small")))]
use super::factor::factor;
use super::parse::{INFINITE, Parser, Properties};
use super::program::{ANCHORED, BACKWARD, ONE_PASS, PARTS};
use super::tree::{BEHIND, Kind, NOT, Node, Tree};
use crate::arena::Arena;
use crate::text::Text;

/// Alternatives that the one-pass matcher can keep in mind.
pub(super) const MAX_PENDING: usize = 8;
/// Code points that a look-around may read that is run whenever it is asked for.
const MAX_SPAN: u32 = 255;

/// Appends the image of a pattern to the arena's front.
#[inline(never)]
pub(super) fn compile<'t>(
    pattern: Text<'t>,
    properties: Properties<'t>,
    arena: &mut Arena<'_>,
) -> Result<(), PatternError> {
    let (front, back) = (arena.len(), arena.back());
    let mut parser = Parser::new(pattern, false);
    parser.properties = properties;
    let result = compile_image(&mut parser, Tree::new(pattern, arena));
    arena.release(back);
    result.map_err(|kind| {
        arena.truncate(front);
        PatternError::new(kind, parser.start)
    })
}

fn compile_image<'t>(parser: &mut Parser<'t>, mut tree: Tree<'t, '_, '_>) -> Result<(), Error> {
    if tree.text.end() > 0xFFFF {
        return Err(Error::TooLarge(PatternLimit::Length));
    }
    let root = tree.read(parser)?;
    if looks_first(&tree, root) {
        return parts(&mut tree, root);
    }
    let (root, flags) = shape(&mut tree, root)?;
    Emitter::emit(&mut tree, root, flags)
}

/// Which way to read, without what can be left out; and the flags for it.
fn shape(tree: &mut Tree<'_, '_, '_>, mut root: Node) -> Result<(Node, u8), Error> {
    let (open_start, open_end) =
        (!tree.anchored(root, Kind::TextStart, false), !tree.anchored(root, Kind::TextEnd, true));
    let backward = direction(tree, root, open_start, open_end)?;
    let mut flags = if backward { BACKWARD } else { 0 };
    if backward {
        tree.reverse(root);
    }
    #[cfg(not(any(target_os = "none", feature = "small")))]
    factor(tree, root)?;
    let (open_first, open_last) = if backward { (open_end, open_start) } else { (open_start, open_end) };
    if open_first {
        root = trim(tree, root, true);
    } else {
        flags |= ANCHORED;
    }
    if open_last {
        root = trim(tree, root, false);
    }
    // Trimming may have dropped some.
    tree.looks = survey(tree, root, &mut 0);
    let (last, follow) = (
        if backward { Kind::TextStart } else { Kind::TextEnd },
        // A match that may end anywhere is found as soon as it can end.
        if open_last { Outline::EVERYTHING } else { Outline::NOTHING },
    );
    if !open_first && tree.looks == 0 {
        let mut endings = Endings::default();
        if !cfg!(any(target_os = "none", feature = "small")) && !backward && !open_last {
            endings.find(tree, root, &Outline::NOTHING)?;
        }
        if deterministic(tree, root, &follow, 0, last) {
            flags |= ONE_PASS;
        } else {
            // One thread is not enough even so, and the others are better off without assertions.
            endings.undo(tree);
        }
    }
    Ok((root, flags))
}

/// Parts like `(?:Y*X)?`, where an X stands before, all X are Y, and no Y can follow: that is as many Y as there are, the last of which is an X.
/// Names of hosts and of packages are written so.
#[derive(Default)]
struct Endings {
    /// The nodes that were changed: number, kind of child, and words.
    changed: [(Node, [u32; 3]); 4],
    count: usize,
}

impl Endings {
    /// Changes those below the node, with `follow` behind it.
    fn find(&mut self, tree: &mut Tree<'_, '_, '_>, node: Node, follow: &Outline) -> Result<(), Error> {
        if tree.kind(node) == Kind::Repeat {
            let (body, mut follow) = (tree.get(node, 1), *follow);
            tree.first(body, &mut follow);
            return self.find(tree, body, &follow);
        }
        if tree.kind(node) != Kind::Sequence {
            return Ok(());
        }
        let list = tree.reverse_list(tree.get(node, 1));
        let (mut child, mut follow, mut result) = (list, *follow, Ok(()));
        while child != 0 && result.is_ok() {
            let before = tree.next(child);
            result = match self.change(tree, child, before, &follow) {
                Ok(false) => self.find(tree, child, &follow),
                changed => changed.map(|_| ()),
            };
            if tree.kind(child) == Kind::TextEnd || tree.consumes(child) {
                follow = Outline::NOTHING;
            }
            tree.first(child, &mut follow);
            child = before;
        }
        tree.reverse_list(list);
        result
    }

    fn change(
        &mut self,
        tree: &mut Tree<'_, '_, '_>,
        node: Node,
        before: Node,
        follow: &Outline,
    ) -> Result<bool, Error> {
        let body = tree.get(node, 1);
        if tree.kind(node) != Kind::Repeat
            || (tree.get(node, 2), tree.get(node, 3)) != (0, 1)
            || tree.kind(body) != Kind::Sequence
            || before == 0
        {
            return Ok(false);
        }
        let repeat = tree.get(body, 1);
        let last = tree.next(repeat);
        if tree.kind(repeat) != Kind::Repeat || tree.get(repeat, 2) != 0 || last == 0 || tree.next(last) != 0 {
            return Ok(false);
        }
        let (all, most) = (tree.get(repeat, 1), tree.get(repeat, 3));
        let sets = [before, all, last].map(|node| tree.set_of(node));
        let [Some(before), Some(all), Some(last_set)] = sets else {
            return Ok(false);
        };
        let counts = most == INFINITE || most < INFINITE - 1;
        let fits = counts && before.is_within(&last_set) && last_set.is_within(&all) && !all.meets(follow);
        let Some(slot) = self.changed.get_mut(self.count).filter(|_| fits) else {
            return Ok(false);
        };
        *slot = (node, [1, 2, 3].map(|word| tree.get(node, word)));
        self.count += 1;
        let first = tree.ending(repeat, if most == INFINITE { INFINITE } else { most + 1 }, last)?;
        tree.set_kind(node, Kind::Sequence);
        tree.set(node, 1, first);
        Ok(true)
    }

    fn undo(&self, tree: &mut Tree<'_, '_, '_>) {
        for &(node, words) in self.changed.iter().take(self.count) {
            tree.set_kind(node, Kind::Repeat);
            for (word, value) in (1..).zip(words) {
                tree.set(node, word, value);
            }
        }
    }
}

/// Whether all look-arounds are look-aheads at the start of the text: `^(?=A)(?!B)C`.
fn looks_first(tree: &Tree<'_, '_, '_>, root: Node) -> bool {
    let start = if tree.kind(root) == Kind::Sequence { tree.get(root, 1) } else { 0 };
    if start == 0 || tree.kind(start) != Kind::TextStart {
        return false;
    }
    let (mut child, mut count) = (tree.next(start), 0);
    while child != 0 && tree.kind(child) == Kind::Look && tree.get(child, 2) & BEHIND == 0 {
        count += 1;
        child = tree.next(child);
    }
    count > 0 && count == tree.looks
}

/// Each look-ahead is a part by itself, and so is what stands behind them: that takes less than to run them along with it.
fn parts(tree: &mut Tree<'_, '_, '_>, root: Node) -> Result<(), Error> {
    let start = tree.get(root, 1);
    let mut child = tree.next(start);
    tree.looks = 0;
    tree.header(PARTS)?;
    while child != 0 && tree.kind(child) == Kind::Look {
        let (body, negated, next) = (tree.get(child, 1), tree.get(child, 2) & NOT != 0, tree.next(child));
        let first = if tree.kind(body) == Kind::Sequence { tree.get(body, 1) } else { body };
        let body = tree.behind_start(first)?;
        let (body, flags) = shape(tree, body)?;
        Emitter::emit_part(tree, body, flags, negated)?;
        child = next;
    }
    tree.set_next(start, child);
    let (root, flags) = shape(tree, root)?;
    Emitter::emit_part(tree, root, flags, false)
}

/// Whether to read from the end to the start.
///
/// Read backwards, a look-ahead is a search that runs along with the rest: whether its body matches from here on is known
/// when the rest gets here. The same holds for look-behind, read forwards. What reads the other way has to be run
/// whenever it is asked for, so it must be short.
fn direction(tree: &Tree<'_, '_, '_>, root: Node, open_start: bool, open_end: bool) -> Result<bool, Error> {
    let mut found = 0;
    survey(tree, root, &mut found);
    if found & AHEAD != 0 && found & BARS_BACKWARD == 0 {
        return Ok(true);
    }
    if found & (AHEAD | BEHIND) != 0 {
        return if found & BARS_FORWARD == 0 { Ok(false) } else { Err(Error::LookAround) };
    }
    Ok(open_start && !open_end)
}

/// What [`survey`] finds.
const AHEAD: u32 = 2;
/// A look-ahead that cannot be run whenever it is asked for: it is too long, or holds another look-around.
const BARS_FORWARD: u32 = 4;
/// Such a look-behind.
const BARS_BACKWARD: u32 = 8;

/// Collects the look-arounds below the node; gives their number.
fn survey(tree: &Tree<'_, '_, '_>, node: Node, found: &mut u32) -> usize {
    let kind = tree.kind(node);
    let (mut count, mut child) = (0, if kind.is_parent() { tree.get(node, 1) } else { 0 });
    while child != 0 {
        count += survey(tree, child, found);
        child = if kind.is_list() { tree.next(child) } else { 0 };
    }
    if kind == Kind::Look {
        let bars = count > 0 || tree.length(tree.get(node, 1)).1 > MAX_SPAN;
        *found |= match tree.get(node, 2) & BEHIND {
            0 => AHEAD | (BARS_FORWARD * u32::from(bars)),
            _ => BEHIND | (BARS_BACKWARD * u32::from(bars)),
        };
        count += 1;
    }
    count
}

/// Drops from the open end of a pattern what only makes a match longer. `seeded`: it is the end where reading starts.
pub(super) fn trim(tree: &mut Tree<'_, '_, '_>, node: Node, seeded: bool) -> Node {
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
        _ => node,
    }
}

/// Whether the next code point always tells which way to go on, so that one thread is enough.
///
/// `follow` is what may come behind the node. Zero-width assertions are taken for empty, so they may only stand where
/// that leaves a single way.
fn deterministic(tree: &mut Tree<'_, '_, '_>, node: Node, follow: &Outline, level: usize, last: Kind) -> bool {
    match tree.kind(node) {
        Kind::Look => false,
        Kind::Sequence => {
            let list = tree.reverse_list(tree.get(node, 1));
            let (mut child, mut follow, mut fits) = (list, *follow, true);
            while child != 0 && fits {
                fits = deterministic(tree, child, &follow, level, last);
                if tree.kind(child) == last || tree.consumes(child) {
                    follow = Outline::NOTHING;
                }
                tree.first(child, &mut follow);
                child = tree.next(child);
            }
            tree.reverse_list(list);
            fits
        }
        Kind::Alternatives => {
            let (mut child, mut all) = (tree.get(node, 1), Outline::NOTHING);
            while child != 0 {
                let mut first = Outline::NOTHING;
                tree.first(child, &mut first);
                let next = tree.next(child);
                let clash = all.meets(&first);
                all.add(&first);
                // An empty branch is taken when no other is, and must leave nothing behind to come back to.
                let empty = !tree.consumes(child);
                if clash
                    || (empty && (next != 0 || all.meets(follow)))
                    || level >= MAX_PENDING
                    || !deterministic(tree, child, follow, level + 1, last)
                {
                    return false;
                }
                child = next;
            }
            true
        }
        Kind::Repeat => {
            let (child, fixed) = (tree.get(node, 1), tree.get(node, 2) == tree.get(node, 3));
            let mut first = Outline::NOTHING;
            tree.first(child, &mut first);
            if !fixed && first.meets(follow) {
                return false;
            }
            if matches!(tree.kind(child), Kind::Class | Kind::Literal | Kind::LiteralReversed)
                && tree.length(child).1 == 1
            {
                return true;
            }
            first.add(follow);
            tree.consumes(child) && level < MAX_PENDING && deterministic(tree, child, &first, level + 1, last)
        }
        _ => true,
    }
}
