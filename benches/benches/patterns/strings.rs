//! Strings for a pattern: drawn from its syntax, and the same with one character changed so that they do not match.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Repetitions without a bound are drawn up to this many more than they must be.
const MORE: u64 = 12;

/// Deterministic pseudo-random numbers (xorshift).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub const fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }
}

/// `count` strings that match, as `matches` sees it.
pub fn matching(hir: &Hir, matches: &dyn Fn(&str) -> bool, count: usize, random: &mut Random) -> Vec<String> {
    let mut strings = Vec::new();
    // A pattern may have assertions that a draw does not heed.
    for _ in 0..count * 100 {
        let mut string = String::new();
        draw(hir, &mut string, random);
        if strings.len() < count && matches(&string) {
            strings.push(string);
        }
    }
    strings
}

/// The strings with one character replaced, or one put in, so that they no longer match.
pub fn failing(strings: &[String], matches: &dyn Fn(&str) -> bool, random: &mut Random) -> Vec<String> {
    let strangers: Vec<char> = "aZ5-_. /!~é".chars().collect();
    let mut failing = Vec::new();
    for string in strings {
        for _ in 0..100 {
            let mut chars: Vec<char> = string.chars().collect();
            let (at, stranger) = (random.below(chars.len() + 1), strangers[random.below(strangers.len())]);
            if random.below(2) == 0 && at < chars.len() {
                chars[at] = stranger;
            } else {
                chars.insert(at, stranger);
            }
            let changed: String = chars.into_iter().collect();
            if !matches(&changed) {
                failing.push(changed);
                break;
            }
        }
    }
    failing
}

fn draw(hir: &Hir, out: &mut String, random: &mut Random) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => draw_class(class, out, random),
        HirKind::Repetition(repetition) => {
            let min = u64::from(repetition.min);
            let max = repetition.max.map_or(min + MORE, u64::from).min(min + 2 * MORE);
            for _ in 0..min + random.below((max - min + 1) as usize) as u64 {
                draw(&repetition.sub, out, random);
            }
        }
        HirKind::Capture(capture) => draw(&capture.sub, out, random),
        HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, out, random)),
        HirKind::Alternation(branches) => draw(&branches[random.below(branches.len())], out, random),
    }
}

/// One character: ASCII, if the class has any.
fn draw_class(class: &Class, out: &mut String, random: &mut Random) {
    let Class::Unicode(class) = class else { return };
    let ascii: Vec<char> =
        (' '..='~').filter(|c| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c))).collect();
    match (ascii.is_empty(), class.ranges().first()) {
        (false, _) => out.push(ascii[random.below(ascii.len())]),
        (true, Some(range)) => out.push(range.start()),
        (true, None) => {}
    }
}
