//! Makes regular expressions, and strings that some of them match.

use crate::generate::Random;

const CHARS: [&str; 14] = ["a", "b", "c", "a", "b", "d", "A", "_", "1", "-", " ", "\n", "é", "🦊"];

/// A pattern that begins with one of `ends` (or `^`) and ends with the other (or `$`); with look-around, where `looks` says so.
pub fn pattern(random: &mut Random<'_>, ends: [&str; 2], looks: bool) -> String {
    let mut pattern = String::from(*random.pick(&[ends[0], "^", ends[0]]));
    // As those write who ask for several things at once.
    for _ in 0..if looks && pattern == "^" { random.below(3) } else { 0 } {
        pattern.push_str(pick(random, &["(?=", "(?!"]));
        alternatives(random, 1, &mut pattern, false);
        pattern.push_str(pick(random, &["$)", ")"]));
    }
    if ends[0].is_empty() {
        alternatives(random, 2, &mut pattern, looks);
    } else {
        sequence(random, 2, &mut pattern, looks);
    }
    pattern.push_str(random.pick::<&str>(&[ends[1], "$", ends[1]]));
    pattern
}

/// A short string over some of a few characters.
pub fn text(random: &mut Random<'_>) -> String {
    let alphabet = random.below(CHARS.len()) + 1;
    (0..random.below(12)).map(|_| CHARS[random.below(alphabet)]).collect()
}

fn atom(random: &mut Random<'_>, depth: u32, out: &mut String, looks: bool) {
    match random.below(if depth == 0 { 14 } else { 26 }) {
        0..=6 => out.push_str(pick(random, &["a", "b", "c", "ab", "abc", "d", "1", "é", "🦊", "aa"])),
        7 => out.push_str(pick(
            random,
            &[".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "[^]", "\\u{61}", "\\x62", "\\ud83e\\udd8a"],
        )),
        8..=11 => class(random, out),
        12 => out.push_str(pick(random, &["[ab]", "[a-c]", "[^a]", "[bc]", "[\\w-]", "[^\\s]"])),
        13 => out.push_str(pick(random, &["\\n", "-"])),
        14..=22 => {
            out.push_str(pick(random, &["(", "(?:", "(?:"]));
            alternatives(random, depth - 1, out, looks);
            out.push(')');
        }
        23 => out.push_str(pick(
            random,
            &[
                "a(?:[a-c]*a)?",
                "[ab](?:[a-c]{0,2}[ab])?",
                "b(?:[^]*[ab])?",
                "a(?:[ab]*c)?",
                "c(?:[a-c]*[ab])?",
                "[ab](?:[a-c]?[ab])?",
            ],
        )),
        _ if looks => out.push_str("(?:a|b)"),
        _ => out.push_str(pick(random, &["(a|ab)", "(?:ab|b)", "(|a)", "(a?)"])),
    }
}

fn class(random: &mut Random<'_>, out: &mut String) {
    out.push_str(pick(random, &["[", "[", "[^"]));
    for _ in 0..random.below(4) {
        out.push_str(pick(
            random,
            &[
                "a",
                "b",
                "a-c",
                "b-d",
                "A-Z",
                "0-9",
                "_",
                "\\d",
                "\\w",
                "\\s",
                "\\W",
                "\\S",
                "é",
                "à-ÿ",
                "🦊",
                "🦊-🦌",
                "\\-",
                "\\n",
                "\\u{1F98A}",
            ],
        ));
    }
    out.push(']');
}

fn sequence(random: &mut Random<'_>, depth: u32, out: &mut String, looks: bool) {
    for _ in 0..random.below(4) + usize::from(depth > 1) {
        match random.below(24) {
            0 => out.push_str(pick(random, &["^", "$", "\\b", "\\B", "\\b", "$"])),
            1 | 2 if looks && depth > 0 => {
                out.push_str(pick(random, &["(?=", "(?!", "(?<=", "(?<!", "(?=", "(?!"]));
                alternatives(random, depth - 1, out, looks);
                out.push(')');
            }
            _ => {
                let start = out.len();
                atom(random, depth, out, looks);
                // `regress` backtracks: repetitions within repetitions take it seconds, so only small ones are nested.
                let inner = &out[start..];
                let nests = inner.starts_with('(') && inner.contains(['*', '+', '{', '?']) && inner.len() > 9;
                let large = usize::from(!inner.starts_with('('));
                if nests {
                    out.push_str(pick(random, &["", "?", ""]));
                    continue;
                }
                match random.below(12 + 6 * (1 - large)) {
                    0 => out.push('*'),
                    1 => out.push('+'),
                    2 => out.push('?'),
                    3 => out.push_str(pick(random, &["*?", "+?", "??", "{2}?"])),
                    4 => out.push_str(pick(
                        random,
                        &["{2}", "{3}", "{0}", "{1}", "{1,}", "{2,}", "{0,2}", "{1,3}", "{2,3}"],
                    )),
                    5 if large > 0 => out.push_str(pick(
                        random,
                        &["{4,7}", "{3,9}", "{5}", "{7,}", "{0,8}", "{1,40}", "{2,35}", "{0,33}", "{8}"],
                    )),
                    _ => {}
                }
            }
        }
    }
}

fn alternatives(random: &mut Random<'_>, depth: u32, out: &mut String, looks: bool) {
    sequence(random, depth, out, looks);
    for _ in 0..random.below(5).saturating_sub(2) {
        out.push('|');
        sequence(random, depth, out, looks);
    }
}

fn pick(random: &mut Random<'_>, from: &[&'static str]) -> &'static str {
    random.pick::<&str>(from)
}
