//! The matcher for most patterns that need more than one thread, without the part of the general one that they do not
//! need: assertions, look-around, large sets. Left out on bare metal, where flash is short and the general one does as well.
//!
//! One round over the states of a position is enough: each is entered and consumes at once. Verdicts are the same, and so
//! are the steps, but for what is skipped.

use super::class;
use super::error::OutOfSteps;
use super::program::{
    ACCEPT, ACCEPT_LAST, ANCHORED, CHAR, COUNT_MOST, COUNT_REGISTER, ENTER, JUMP, LOOKS, RUN_OPTION, RUN_PLUS,
    RUN_STAR, SPLIT, TEXT_END, TEXT_START,
};
use super::run::{BITS, Matcher, char_at, counted, is_enough};

/// Words of the larger sets.
const WIDE: usize = 4;
/// Counts that are not left to the general matcher.
const FEW_SLOTS: usize = 4;
/// How far to look for characters that are the same to all states: it may be in vain for all but the first.
const MAX_SAME: usize = 32;

impl Matcher<'_, '_, '_> {
    /// `None` if the code is not of the kind that this is for; then no steps are spent.
    #[inline]
    pub(super) fn in_words(&mut self) -> Result<Option<bool>, OutOfSteps> {
        let (size, before) = (self.image.code.len(), *self.steps);
        let verdict = if self.image.has(LOOKS) || size > WIDE * BITS {
            Ok(None)
        } else if size > BITS {
            self.in_words_of::<WIDE>()
        } else {
            self.in_words_of::<1>()
        };
        if verdict == Ok(None) {
            *self.steps = before;
        }
        verdict
    }

    #[inline(never)]
    fn in_words_of<const N: usize>(&mut self) -> Result<Option<bool>, OutOfSteps> {
        let image = self.image;
        let mut start = Words([0; N]);
        start.insert(0);
        let mut at = if self.backward { self.text.end() } else { 0 };
        let (mut pending, mut slots) = (start, [0u32; FEW_SLOTS]);
        let mut at_first = true;
        if image.has(ANCHORED) {
            start = Words([0; N]);
        }
        loop {
            let step = self.read(at);
            let (mut entered, mut left, mut next, mut steps) = (Words([0; N]), pending, start, 1);
            let (mut counting, mut started) = (false, 0u32);
            let consumes = |code: u8| step.is_some_and(|(c, _)| image.consumes(code, c));
            while let Some(state) = left.take_lowest() {
                entered.insert(state);
                steps += 1;
                let op = image.byte(state);
                let mut enter = |state: usize| {
                    if !entered.has(state) {
                        left.insert(state);
                    }
                };
                match op {
                    0..RUN_STAR => {
                        if consumes(op) {
                            next.insert(state + 1);
                        }
                    }
                    RUN_STAR..=RUN_OPTION => {
                        if consumes(image.byte(state + 1)) {
                            next.insert(if op == RUN_OPTION { state + 2 } else { state });
                            if op == RUN_PLUS {
                                next.insert(state + 2);
                            }
                        }
                        if op != RUN_PLUS {
                            enter(state + 2);
                        }
                    }
                    CHAR => {
                        if step.is_some_and(|(c, _)| c == char_at(image, state)) {
                            next.insert(state + 4);
                        }
                    }
                    ENTER => {
                        let (min, _, behind) = image.bounds(state + 4);
                        started |= 1u32.wrapping_shl(u32::from(image.byte(state + 3)));
                        enter(state + 1);
                        if min == 0 {
                            enter(behind);
                        }
                    }
                    COUNT_REGISTER..=COUNT_MOST => {
                        let Some(&slot) = slots.get(usize::from(image.byte(state + 2))) else {
                            return Ok(None);
                        };
                        let (min, max, behind) = image.bounds(state + 3);
                        counting = true;
                        if is_enough(op, slot, min, max) {
                            enter(behind);
                        }
                    }
                    JUMP..SPLIT => enter(image.target(state)),
                    SPLIT..TEXT_START => {
                        enter(image.target(state));
                        enter(state + 2);
                    }
                    ACCEPT => return Ok(Some(true)),
                    ACCEPT_LAST if step.is_none() => return Ok(Some(true)),
                    ACCEPT_LAST => {}
                    TEXT_START | TEXT_END => {
                        if if (op == TEXT_START) != self.backward { at_first } else { step.is_none() } {
                            enter(state + 1);
                        }
                    }
                    _ => return Ok(None),
                }
            }
            // Only now it is known which counts start here.
            while let Some(state) = if counting { entered.take_lowest() } else { None } {
                let (op, number) = (image.byte(state), image.byte(state + 2));
                if (COUNT_REGISTER..=COUNT_MOST).contains(&op)
                    && let Some(slot) = slots.get_mut(usize::from(number))
                {
                    let (min, max, _) = image.bounds(state + 3);
                    let fresh = started.wrapping_shr(u32::from(number)) & 1;
                    *slot = if consumes(image.byte(state + 1)) { counted(op, *slot, fresh, min, max) } else { 0 };
                    if *slot != 0 {
                        next.insert(state);
                    }
                }
            }
            self.spend(steps)?;
            let Some((c, behind)) = step.filter(|_| next.0 != [0; N]) else {
                return Ok(Some(false));
            };
            at = behind;
            // At the first position more may hold than at the others.
            if next.0 == pending.0 && c < 0x80 && !counting && !self.backward && !at_first {
                // Whatever each state takes for the same as `c` leaves everything as it is.
                let (mut length, mut most) = (0, MAX_SAME);
                while let Some(state) = entered.take_lowest() {
                    if let Some(same) = self.same(image.byte(state), image.byte(state + 1), c, at, most) {
                        (length, most) = (same, same);
                    }
                }
                self.spend(steps * length)?;
                at += length;
            }
            pending = next;
            at_first = false;
        }
    }

    /// How many ASCII characters at `at` are the same as `c` to an instruction that consumes.
    #[inline(never)]
    fn same(&self, op: u8, operand: u8, c: u32, at: usize, most: usize) -> Option<usize> {
        let code = match op {
            0..RUN_STAR => op,
            RUN_STAR..=RUN_OPTION => operand,
            _ => return None,
        };
        let literal = [1, code, code];
        let class = if code < 0x80 { &literal } else { self.image.class(code) };
        let (text, escaped) = (self.text.stored(at), self.text.as_plain().is_none());
        Some(class::ascii_run(class, text, most, escaped, class::contains(class, c)))
    }
}

/// A set of few states.
#[derive(Clone, Copy)]
struct Words<const N: usize>([usize; N]);

impl<const N: usize> Words<N> {
    #[inline]
    fn insert(&mut self, state: usize) {
        if let Some(word) = self.0.get_mut(state / BITS) {
            *word |= 1 << (state % BITS);
        }
    }

    #[inline]
    fn has(&self, state: usize) -> bool {
        self.0.get(state / BITS).is_some_and(|word| word >> (state % BITS) & 1 != 0)
    }

    #[inline]
    fn take_lowest(&mut self) -> Option<usize> {
        let (index, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(index * BITS + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::Matcher;
    use crate::regex::Pattern;
    use crate::regex::program::Image;
    use crate::text::Text;

    /// Verdict and steps of the two matchers.
    fn both(pattern: &str, text: Text<'_>) -> [(Option<bool>, usize); 2] {
        let mut buffer = [0; 4096];
        let pattern = Pattern::compile(Text::plain(pattern), &mut buffer).unwrap();
        let image = Image::parse(pattern.as_bytes()).unwrap();
        [true, false].map(|words| {
            let mut left = 1_000_000;
            let mut matcher = Matcher::new(&image, text, &mut left);
            let verdict = if words { matcher.in_words().unwrap() } else { Some(matcher.side_by_side().unwrap()) };
            (verdict, 1_000_000 - left)
        })
    }

    #[test]
    fn agrees_with_the_general_matcher_on_verdicts_and_steps() {
        let texts = [
            "",
            "a",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
            "ab-cd-ef",
            "abcabcabcabd",
            "a.b.c-d.ee",
            "aaébbé",
            "today..*",
            "2026-11-30",
            "\\u0061aaaaaaaaaa\\nbbbb",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy",
        ];
        let mut matching = 0;
        for pattern in [
            "^[a-z](?:[a-z-]*[a-z0-9])?$",
            "^a+b|c+a|[ab]+$",
            "(?:a|^)b*(?:c|$)",
            "^(?:a|ab|abc|d)*$",
            "^a*a*b?$",
            "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9-]{2,63}$",
            "^(?:a{7}|a{11}|b)*$",
            "^a?a{3,70}b$",
            "^(?:x+x+)+y$",
            "^(?:[^é]*é)+[a-z]?$",
            "^(?:é|a|[^])*é$",
            "^(?:today|to[a-z]+w|\\d{4}-\\d{2}-\\d{2}|today\\.\\.\\*|\\d{4}-\\d{2}-\\d{2}\\.\\.\\d{4}-\\d{2}-\\d{2}|yesterday)$",
            "^(?:.*\\n)?(?:a|[^b])*b+$",
            "(?:a|ab)(?:c|bcd)$",
        ] {
            for text in texts.iter().flat_map(|text| [Text::plain(text), Text::json(text.as_bytes(), true)]) {
                let [words, general] = both(pattern, text);
                assert_eq!(words, general, "{pattern} {text:?}");
                matching += usize::from(words.0 == Some(true));
            }
        }
        assert!(matching > 40, "{matching}");
    }

    #[test]
    fn leaves_to_the_general_matcher_what_it_has_no_room_for() {
        for pattern in ["a\\bb", "(?=.*b)a*", "^(?:a{7}|b{7}|c{7}|d{7}|e{7})*$"] {
            let [words, general] = both(pattern, Text::plain("aaaa"));
            assert_eq!(words, (None, 0), "{pattern}");
            assert!(general.0.is_some());
        }
    }
}
