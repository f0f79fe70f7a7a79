//! What branches begin with is taken out of them: `today|tomorrow` is `to(?:day|morrow)`. They match the same, and where branches no longer
//! begin with the same, one thread is enough. Left out on bare metal, where it would be code for speed alone.

use super::error::PatternErrorKind as Error;
use super::parse::Parser;
use super::tree::{Kind, MAX_HEIGHT, Node, Tree};

/// Longer patterns are left as they are.
const MAX_LENGTH: usize = 4096;
/// Branches are compared with each other only where there are no more, and literals where they are no longer, so that it takes time linear
/// in the pattern.
const MAX_BRANCHES: usize = 64;
const MAX_LITERAL: u32 = 256;

/// What a branch begins with, where it can be taken out: a code point, a count of one, or an end of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    kind: Kind,
    word: u32,
    counts: (u32, u32),
}

/// Changes the alternatives of a tree.
pub(super) fn factor(tree: &mut Tree<'_, '_, '_>, root: Node) -> Result<(), Error> {
    if tree.text.end() > MAX_LENGTH { Ok(()) } else { below(tree, root, 1) }
}

/// The same below the node, which lies on this level.
fn below(tree: &mut Tree<'_, '_, '_>, node: Node, level: u32) -> Result<(), Error> {
    if tree.kind(node) == Kind::Alternatives {
        alternatives(tree, node, level)?;
    }
    let kind = tree.kind(node);
    let mut child = if kind.is_parent() { tree.get(node, 1) } else { 0 };
    while child != 0 {
        below(tree, child, level + 1)?;
        child = if kind.is_list() { tree.next(child) } else { 0 };
    }
    Ok(())
}

fn alternatives(tree: &mut Tree<'_, '_, '_>, node: Node, level: u32) -> Result<(), Error> {
    let (mut branch, mut count, mut height) = (tree.get(node, 1), 0, 0);
    while branch != 0 {
        height = height.max(tree.get(branch, 0) >> 8 & 0xFF);
        count += 1;
        branch = tree.next(branch);
    }
    // What is left of a branch lies two levels deeper than the branch did.
    if count > MAX_BRANCHES || level + 2 + height > MAX_HEIGHT {
        return Ok(());
    }
    // One that is empty is enough, and the last to be tried.
    let (empty, mut left) = part(tree, tree.get(node, 1), |tree, branch| tree.kind(branch) == Kind::Empty);
    let mut done = 0;
    while left != 0 {
        let (branch, next) = (left, tree.next(left));
        let wanted = head(tree, branch);
        let (group, others) = match wanted {
            Some(_) => part(tree, next, |tree, branch| head(tree, branch) == wanted),
            None => (0, next),
        };
        tree.set_next(branch, group);
        let branch = if group == 0 { branch } else { common(tree, branch)? };
        tree.set_next(branch, done);
        done = branch;
        left = others;
    }
    if empty != 0 {
        tree.set_next(empty, done);
        done = empty;
    }
    let only = tree.next(done) == 0 && tree.kind(done) == Kind::Sequence;
    let branches = if only { tree.get(done, 1) } else { tree.reverse_list(done) };
    if only {
        tree.set_kind(node, Kind::Sequence);
    }
    tree.set(node, 1, branches);
    Ok(())
}

/// Those branches of a list that are as wanted, and the others.
fn part<'t, 'a, 'b>(
    tree: &mut Tree<'t, 'a, 'b>,
    mut branch: Node,
    is_wanted: impl Fn(&mut Tree<'t, 'a, 'b>, Node) -> bool,
) -> (Node, Node) {
    let (mut wanted, mut others) = (0, 0);
    while branch != 0 {
        let next = tree.next(branch);
        let list = if is_wanted(tree, branch) { &mut wanted } else { &mut others };
        tree.set_next(branch, *list);
        *list = branch;
        branch = next;
    }
    (tree.reverse_list(wanted), tree.reverse_list(others))
}

/// One branch for those of a list, which begin with the same.
fn common(tree: &mut Tree<'_, '_, '_>, list: Node) -> Result<Node, Error> {
    let mut taken = 0;
    while let Some(wanted) = head(tree, list)
        && all_begin_with(tree, list, wanted)
    {
        taken = copy_head(tree, list, taken)?;
        let mut branch = list;
        while branch != 0 {
            drop_head(tree, branch);
            branch = tree.next(branch);
        }
    }
    let rest = tree.parent(Kind::Alternatives, list)?;
    tree.set_next(rest, taken);
    let all = tree.reverse_list(rest);
    tree.parent(Kind::Sequence, all)
}

fn all_begin_with(tree: &mut Tree<'_, '_, '_>, mut branch: Node, wanted: Head) -> bool {
    while branch != 0 {
        if head(tree, branch) != Some(wanted) {
            return false;
        }
        branch = tree.next(branch);
    }
    true
}

fn head(tree: &mut Tree<'_, '_, '_>, branch: Node) -> Option<Head> {
    let node = first(tree, branch);
    if tree.kind(node) != Kind::Repeat {
        return one(tree, node);
    }
    let child = tree.get(node, 1);
    let is_single = !matches!(tree.kind(child), Kind::Literal | Kind::LiteralReversed) || tree.get(child, 2) == 1;
    let counts = (tree.get(node, 2), tree.get(node, 3));
    one(tree, child).filter(|_| is_single).map(|head| Head { counts, ..head })
}

fn one(tree: &Tree<'_, '_, '_>, node: Node) -> Option<Head> {
    let (kind, word) = match tree.kind(node) {
        Kind::Literal | Kind::LiteralReversed if tree.get(node, 2) > MAX_LITERAL => return None,
        Kind::Literal => (Kind::Class, tree.char_at(tree.get(node, 1))),
        Kind::LiteralReversed => (Kind::Class, tree.char_at(tree.get(node, 3))),
        kind @ (Kind::Class | Kind::Char) => (kind, tree.get(node, 1)),
        kind @ (Kind::TextStart | Kind::TextEnd) => (kind, 0),
        _ => return None,
    };
    Some(Head { kind, word, counts: (1, 1) })
}

/// The first node of a branch. A sequence that a sequence begins with becomes part of it.
fn first(tree: &mut Tree<'_, '_, '_>, branch: Node) -> Node {
    if tree.kind(branch) != Kind::Sequence {
        return branch;
    }
    loop {
        let inner = tree.get(branch, 1);
        if tree.kind(inner) != Kind::Sequence {
            return inner;
        }
        let (list, behind) = (tree.get(inner, 1), tree.next(inner));
        let mut last = list;
        while tree.next(last) != 0 {
            last = tree.next(last);
        }
        tree.set_next(last, behind);
        tree.set(branch, 1, list);
    }
}

/// A node like the head of a branch, with `next` behind it.
fn copy_head(tree: &mut Tree<'_, '_, '_>, branch: Node, next: Node) -> Result<Node, Error> {
    let node = first(tree, branch);
    let [mut word, mut other, mut third] = [1, 2, 3].map(|word| tree.get(node, word));
    let kind = tree.kind(node);
    match kind {
        Kind::Literal => (other, third) = (1, word),
        Kind::LiteralReversed => (word, other) = (third, 1),
        _ => {}
    }
    let copy = tree.node(kind, word, other, third, next)?;
    // Its kind and its height.
    tree.set(copy, 0, tree.get(copy, 0) & !0xFFFF | tree.get(node, 0) & 0xFFFF);
    Ok(copy)
}

fn drop_head(tree: &mut Tree<'_, '_, '_>, branch: Node) {
    let node = first(tree, branch);
    let (kind, count) = (tree.kind(node), tree.get(node, 2));
    if matches!(kind, Kind::Literal | Kind::LiteralReversed) && count > 1 {
        let mut parser = Parser::again(tree.text, tree.get(node, 1) as usize);
        let skipped = if kind == Kind::Literal { 1 } else { count - 2 };
        for _ in 0..skipped {
            let _ = parser.item();
        }
        tree.set(node, if kind == Kind::Literal { 1 } else { 3 }, parser.at as u32);
        tree.set(node, 2, count - 1);
    } else if node == branch {
        tree.set_kind(node, Kind::Empty);
    } else {
        let rest = tree.next(node);
        tree.set(branch, 1, rest);
        if rest == 0 {
            tree.set_kind(branch, Kind::Empty);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::regex::Pattern;
    use crate::regex::program::{Image, ONE_PASS};
    use crate::text::Text;

    /// The strings over an alphabet of up to so many letters, by number.
    fn string(alphabet: &[u8], mut number: usize, text: &mut [u8; 5]) -> usize {
        let mut len = 0;
        while number > 0 {
            number -= 1;
            text[len] = alphabet[number % alphabet.len()];
            number /= alphabet.len();
            len += 1;
        }
        len
    }

    #[test]
    fn branches_match_what_they_did() {
        // What is factored, and the same in a form in which nothing is.
        for (pattern, same, one_pass) in [
            ("^(?:ab|ac)$", "^a[bc]$", true),
            ("^(?:a|ab|abc)$", "^a(?:bc?)?$", true),
            ("^(?:ab|a|abc)$", "^a(?:bc?)?$", true),
            ("^(?:|a|ab)$", "^(?:ab?)?$", true),
            ("^(?:a|a)$", "^a$", true),
            ("^(?:|)a$", "^a$", true),
            ("^(?:ab|ba|ac|bb)$", "^(?:a[bc]|b[ab])$", true),
            ("^(?:a*b|a*c)$", "^a*[bc]$", true),
            ("^(?:a{2}b|a{2}c|a{3})$", "^a{2}[abc]$", false),
            ("^(?:[ab]{2}a|[ab]{2}b)c?$", "^[ab]{3}c?$", true),
            ("^(?:a(?:b|c)|a(?:b|c)a|b)$", "^(?:a[bc]a?|b)$", false),
            ("^(?:(?:ab)c|(?:ab)a)$", "^ab[ac]$", true),
            ("^ab|^ac", "^a[bc]", true),
            ("ab$|cb$", "[ac]b$", true),
            ("(?:aab|cab|ab)$", "ab$", false),
            ("aab|aac", "aa[bc]", false),
            ("^(?:a$|ab$|b)", "^(?:ab?$|b)", false),
            ("^(?:(?=a)ab|(?=a)ac)$", "^a[bc]$", false),
            ("^(?!ab|ac)[abc]+$", "^(?:[bc][abc]*|aa[abc]*|a)$", false),
            ("^(?:\\u0061b|ac)+$", "^(?:a[bc])+$", true),
        ] {
            let mut buffers = [[0; 2048]; 2];
            let [pattern, other] = {
                let [a, b] = &mut buffers;
                [Pattern::compile(Text::plain(pattern), a).unwrap(), Pattern::compile(Text::plain(same), b).unwrap()]
            };
            let image = Image::parse(pattern.as_bytes()).unwrap();
            assert_eq!(image.has(ONE_PASS), one_pass, "{same}");
            let mut matching = 0;
            for number in 0..364 {
                let mut text = [0; 5];
                let len = string(b"abc", number, &mut text);
                let text = Text::plain(core::str::from_utf8(&text[..len]).unwrap());
                let verdict = pattern.is_match(text, &mut 100_000).unwrap();
                assert_eq!(
                    verdict,
                    other.is_match(text, &mut 100_000).unwrap(),
                    "{same} {:?} {:?} {:?}",
                    text.as_plain(),
                    pattern.as_bytes(),
                    other.as_bytes()
                );
                matching += usize::from(verdict);
            }
            assert!(matching > 0, "{same}");
        }
    }

    #[test]
    fn what_is_left_keeps_to_the_height_of_a_tree() {
        let mut pattern = std::string::String::from("^(?:");
        for _ in 0..9 {
            pattern.push_str("ab|a(?:");
        }
        pattern.push('c');
        pattern.push_str(&")".repeat(10));
        let mut buffer = [0; 4096];
        let compiled = Pattern::compile(Text::plain(&pattern), &mut buffer).unwrap();
        for (text, verdict) in [("aaab", true), ("aaaaaaaaac", true), ("aaaaaaaac", false), ("aaa", false)] {
            assert_eq!(compiled.is_match(Text::plain(text), &mut 10_000), Ok(verdict), "{text}");
        }
    }
}
