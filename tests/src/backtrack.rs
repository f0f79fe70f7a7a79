//! Which patterns an engine that goes back, as `regress` does, may be asked about: there is no way to stop it, and what it takes may be
//! exponential.
//!
//! A pattern is read as far as it matters for that (what it says of characters does not), and the ways through it are counted as if
//! every character fitted. What is left out:
//! - more than ten million steps at the most, by that count;
//! - a group that may be empty and is repeated, within another repetition (`((a*)?)*^`): `regress` 0.12 loses count of the inner one
//!   when it goes back, and goes round for ever;
//! - a repetition in a repetition in a repetition (`((b+)+)+b`): it does not go back into the innermost one, and finds nothing in `bbb`.

/// Steps that take `regress` a tenth of a second, if every character fitted; few do.
const MOST: u64 = 10_000_000;

/// Whether such an engine comes to an end soon with a text of so many characters. The pattern has to be one of ECMA-262 with `u`.
#[must_use]
pub fn is_cheap(pattern: &str, characters: usize) -> bool {
    let part = Parser { rest: pattern, characters }.alternatives();
    // It begins anywhere.
    !part.is_endless && part.loops < 3 && part.steps.saturating_mul(characters as u64 + 1) <= MOST
}

/// Part of a pattern.
struct Part {
    /// For each number of characters, in how many ways it can match so many.
    ways: Vec<u64>,
    /// What it takes at most to go all of them.
    steps: u64,
    /// Whether it has, or is, a repeated group that may be empty.
    repeats_nothing: bool,
    is_endless: bool,
    /// How many repetitions are in each other at the most.
    loops: u32,
}

impl Part {
    /// What matches one character, or none.
    fn of(length: usize, characters: usize) -> Self {
        let mut ways = vec![0; characters + 1];
        if let Some(count) = ways.get_mut(length) {
            *count = 1;
        }
        Self { ways, steps: 1, repeats_nothing: false, is_endless: false, loops: 0 }
    }

    fn all(&self) -> u64 {
        self.ways.iter().fold(0, |sum, ways| sum.saturating_add(*ways))
    }

    /// This, then the other.
    fn then(self, next: &Self) -> Self {
        Self {
            ways: product(&self.ways, &next.ways),
            steps: self.steps.saturating_add(self.all().saturating_mul(next.steps)),
            repeats_nothing: self.repeats_nothing || next.repeats_nothing,
            is_endless: self.is_endless || next.is_endless,
            loops: self.loops.max(next.loops),
        }
    }

    /// This, or the other.
    fn or(self, other: &Self) -> Self {
        Self {
            ways: self.ways.iter().zip(&other.ways).map(|(a, b)| a.saturating_add(*b)).collect(),
            steps: self.steps.saturating_add(other.steps).saturating_add(1),
            repeats_nothing: self.repeats_nothing || other.repeats_nothing,
            is_endless: self.is_endless || other.is_endless,
            loops: self.loops.max(other.loops),
        }
    }

    /// A look-around: it is left behind once it holds.
    fn looked_at(self) -> Self {
        let none = Self::of(0, self.ways.len() - 1);
        Self { ways: none.ways, ..self }
    }

    fn repeated(self, least: usize, most: usize, is_group: bool) -> Self {
        let mut whole = Self::of(0, self.ways.len() - 1);
        let mut now = whole.ways.clone();
        if least > 0 {
            whole.ways.fill(0);
        }
        // A group that often is seldom more than a group that matches nothing.
        if least > 1000 {
            whole.steps = u64::MAX;
        }
        let mut body = self.ways.clone();
        for round in 1..=most {
            if round > least {
                // "Once the minimum number of repetitions has been satisfied, any more expansions of Atom that match the empty
                // character sequence are not considered" (ECMA-262, section 22.2.2.3.1).
                body[0] = 0;
            }
            let ways = now.iter().fold(0_u64, |sum, ways| sum.saturating_add(*ways));
            whole.steps = whole.steps.saturating_add(ways.saturating_mul(self.steps));
            if ways == 0 || whole.steps > MOST {
                break;
            }
            now = product(&now, &body);
            if round >= least {
                whole.ways.iter_mut().zip(&now).for_each(|(sum, ways)| *sum = sum.saturating_add(*ways));
            }
        }
        whole.is_endless = self.is_endless || self.repeats_nothing;
        whole.loops = self.loops + u32::from(most > 1);
        whole.repeats_nothing = self.repeats_nothing || is_group && self.ways[0] > 0;
        whole
    }
}

fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0_u64; a.len()];
    for (first, a) in a.iter().enumerate().filter(|(_, ways)| **ways > 0) {
        for (sum, b) in product[first..].iter_mut().zip(b) {
            *sum = sum.saturating_add(a.saturating_mul(*b));
        }
    }
    product
}

struct Parser<'p> {
    rest: &'p str,
    characters: usize,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Part {
        let mut whole = self.sequence();
        while self.take("|") {
            whole = whole.or(&self.sequence());
        }
        whole
    }

    fn sequence(&mut self) -> Part {
        let mut whole = Part::of(0, self.characters);
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let (part, is_group) = self.atom();
            let part = self.quantified(part, is_group);
            whole = whole.then(&part);
        }
        whole
    }

    /// What a quantifier may follow, and whether it is a group.
    fn atom(&mut self) -> (Part, bool) {
        let looks = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| self.take(start));
        if looks || self.take("(") {
            // `(?:`, `(?i:`, `(?<name>`
            if !looks && self.take("?") {
                self.behind(&[':', '>']);
            }
            let part = self.alternatives();
            self.take(")");
            return (if looks { part.looked_at() } else { part }, true);
        }
        let length = match self.next() {
            '^' | '$' => 0,
            '[' => {
                while !matches!(self.next(), ']' | '\0') {
                    if self.rest.starts_with(['\\', ']']) && self.take("\\") {
                        self.next();
                    }
                }
                1
            }
            '\\' => self.escape(),
            _ => 1,
        };
        (Part::of(length, self.characters), false)
    }

    /// How many characters an escape is; its first one has been read.
    fn escape(&mut self) -> usize {
        let digits = match self.next() {
            'b' | 'B' => return 0,
            'u' | 'p' | 'P' if self.rest.starts_with('{') => {
                self.behind(&['}']);
                0
            }
            'u' => 4,
            'x' => 2,
            'c' => 1,
            _ => 0,
        };
        self.rest = self.rest.get(digits..).unwrap_or_default();
        1
    }

    fn quantified(&mut self, part: Part, is_group: bool) -> Part {
        let (least, most) = match self.rest.chars().next() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => {
                let bounds = self.rest[1..].split('}').next().unwrap_or_default();
                let (least, most) = bounds.split_once(',').unwrap_or((bounds, bounds));
                (least.parse().unwrap_or(usize::MAX), most.parse().unwrap_or(usize::MAX))
            }
            _ => return part,
        };
        if self.next() == '{' {
            self.behind(&['}']);
        }
        // Lazy or not.
        self.take("?");
        part.repeated(least, most, is_group)
    }

    fn take(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> char {
        let mut chars = self.rest.chars();
        let next = chars.next().unwrap_or('\0');
        self.rest = chars.as_str();
        next
    }

    fn behind(&mut self, ends: &[char]) {
        self.rest = self.rest.split_once(ends).map_or("", |(_, rest)| rest);
    }
}

#[cfg(test)]
mod tests {
    use super::{Parser, is_cheap};

    fn ways(pattern: &str) -> Vec<u64> {
        Parser { rest: pattern, characters: 4 }.alternatives().ways
    }

    #[test]
    fn ways_through_a_pattern() {
        for (pattern, expected) in [
            ("", [1, 0, 0, 0, 0]),
            (r"^a\b.$", [0, 0, 1, 0, 0]),
            (r"[^\]a)(]\u{61}\u0061\cJ", [0, 0, 0, 0, 1]),
            ("[]a[^]", [0, 0, 0, 1, 0]),
            ("a*", [1, 1, 1, 1, 1]),
            ("a*?b*", [1, 2, 3, 4, 5]),
            ("(a|b)+", [0, 2, 4, 8, 16]),
            ("(?:a?){2}", [1, 2, 1, 0, 0]),
            ("(?<n>a{1,2}){2,}", [0, 0, 1, 3, 5]),
            ("(?=a*b*)(?<!c|d)a", [0, 1, 0, 0, 0]),
            ("(?:|a)*", [1, 1, 1, 1, 1]),
        ] {
            assert_eq!(ways(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn what_gets_a_wrong_answer() {
        assert!(!is_cheap("((?:b+)+)+(?:ab|b)+$", 4));
        assert!(is_cheap("(?:b+)+(?:ab|b)+$", 4));
    }

    #[test]
    fn what_takes_seconds_or_all_memory() {
        for pattern in [
            "((a*)?)*^",
            "(?:(?:a*){2}b?)*",
            "^(([a-c]|[a-c]|[a-c])|(ab|[a-c]|[a-c])|([a-c]|[a-c]|[a-c]))*(?:(?:a|b)\\baa{1,})$",
            "(?:(?:a?){1000}){1000}",
            "(?:){9999999}",
            "(a+|b+|c+)+(a+|b+|c+)+(a+|b+|c+)+$",
        ] {
            assert!(!is_cheap(pattern, 11), "{pattern}");
        }
        for pattern in
            ["^[a-c]*[a-c]*[a-c]*[a-c]*$", "(?:a|b(?:cd)+)*", "((a+)b?)*", "(?:a?b?){2}", "(?=(?:a|b)*c)\\w{1,40}"]
        {
            assert!(is_cheap(pattern, 11), "{pattern}");
        }
    }
}
