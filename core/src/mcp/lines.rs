//! From a stream of bytes to lines: the framing of the stdio transport, and of any UART.

/// Collects lines in a buffer of the caller's, from input that comes in pieces of any size.
///
/// A message is a line that ends with a line feed and has none within (MCP, Transports, "stdio"). A carriage return before it is taken
/// away (it takes a byte of the buffer all the same), and lines that are empty then are passed over.
///
/// A line that does not fit is told once, as soon as it is clear; what is left of it is skipped, and the next line is read as ever.
///
/// ```
/// use microschema::mcp::{Fed, Lines};
///
/// let mut buffer = [0; 8];
/// let mut lines = Lines::new(&mut buffer);
/// let mut seen = Vec::new();
/// for piece in [&b"one\ntw"[..], b"o\r\n\nmuch too long", b" a line\nfour\n"] {
///     let mut input = piece;
///     loop {
///         match lines.feed(input) {
///             Fed::Line { line, rest } => {
///                 seen.push(String::from_utf8_lossy(line).into_owned());
///                 input = rest;
///             }
///             Fed::TooLong { rest } => {
///                 seen.push("-".into());
///                 input = rest;
///             }
///             Fed::Consumed => break,
///         }
///     }
/// }
/// assert_eq!(seen, ["one", "two", "-", "four"]);
/// ```
#[derive(Debug)]
pub struct Lines<'b> {
    buffer: &'b mut [u8],
    length: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffer holds the start of a line.
    Collecting,
    /// The buffer holds a line that was handed out.
    HandedOut,
    /// The rest of a line that is too long is skipped.
    Skipping,
}

/// What came of a piece of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fed<'f, 'i> {
    /// All of the input is taken, and no line is complete.
    Consumed,
    /// A line is complete.
    Line {
        /// The line, without its end.
        line: &'f [u8],
        /// The input behind it, to be fed next.
        rest: &'i [u8],
    },
    /// The line does not fit the buffer, and is skipped.
    TooLong {
        /// The input that is left, to be fed next.
        rest: &'i [u8],
    },
}

impl<'b> Lines<'b> {
    /// A framer for lines up to the length of the buffer.
    #[must_use]
    pub const fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, length: 0, state: State::Collecting }
    }

    /// Takes input up to the end of the next line, and hands back the rest.
    pub fn feed<'i>(&mut self, mut input: &'i [u8]) -> Fed<'_, 'i> {
        if self.state == State::HandedOut {
            self.clear();
        }
        loop {
            if input.is_empty() {
                return Fed::Consumed;
            }
            let end = input.iter().position(|&byte| byte == b'\n');
            let (part, rest) = input.split_at_checked(end.unwrap_or(input.len())).unwrap_or_default();
            let rest = rest.split_first().map_or(rest, |(_, behind)| behind);
            if self.state == State::Collecting && !self.push(part) {
                self.state = State::Skipping;
                // The line feed is left, where there is one: it ends the skipping.
                return Fed::TooLong { rest: input.get(part.len()..).unwrap_or_default() };
            }
            input = rest;
            if end.is_none() {
                return Fed::Consumed;
            }
            let skipped = self.state == State::Skipping;
            if !skipped && let Some(length) = self.line_length() {
                self.state = State::HandedOut;
                return Fed::Line { line: self.buffer.get(..length).unwrap_or_default(), rest };
            }
            self.clear();
        }
    }

    /// What was collected of a line that has not ended: where the input is over, a message that was cut off.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        match self.state {
            State::Collecting => self.buffer.get(..self.length).unwrap_or_default(),
            State::HandedOut | State::Skipping => &[],
        }
    }

    /// Forgets what was collected: after a break of the line, say.
    pub const fn clear(&mut self) {
        self.length = 0;
        self.state = State::Collecting;
    }

    fn push(&mut self, part: &[u8]) -> bool {
        let end = self.length.saturating_add(part.len());
        let Some(room) = self.buffer.get_mut(self.length..end) else { return false };
        for (to, from) in room.iter_mut().zip(part) {
            *to = *from;
        }
        self.length = end;
        true
    }

    /// The length of the line without a carriage return, unless nothing is left.
    fn line_length(&self) -> Option<usize> {
        let line = self.buffer.get(..self.length)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.is_empty()).then_some(line.len())
    }
}

// By hand: the derived one has bounds on both slices, which the compiler cannot tell apart.
#[cfg(feature = "defmt")]
impl defmt::Format for Fed<'_, '_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match *self {
            Self::Consumed => defmt::write!(f, "Consumed"),
            Self::Line { line, .. } => defmt::write!(f, "Line({=[u8]:a})", line),
            Self::TooLong { .. } => defmt::write!(f, "TooLong"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fed, Lines};
    use proptest::prelude::*;
    use std::{string::String, vec, vec::Vec};

    /// The lines of a stream that comes in pieces; `-` for one that is too long.
    fn framed(pieces: &[&[u8]], capacity: usize) -> Vec<Vec<u8>> {
        let mut buffer = vec![0; capacity];
        let mut lines = Lines::new(&mut buffer);
        let mut seen = Vec::new();
        for piece in pieces {
            let mut input = *piece;
            loop {
                let rest = match lines.feed(input) {
                    Fed::Consumed => break,
                    Fed::Line { line, rest } => {
                        seen.push(line.to_vec());
                        rest
                    }
                    Fed::TooLong { rest } => {
                        seen.push(b"-".to_vec());
                        rest
                    }
                };
                assert!(rest.len() < input.len() || rest.first() == Some(&b'\n'), "no progress");
                input = rest;
            }
        }
        seen
    }

    #[test]
    fn a_line_may_be_as_long_as_the_buffer() {
        assert_eq!(
            framed(&[b"1234\n12345\n", b"1234", b"\n1234", b"5", b"678\n\n1\n"], 4),
            [&b"1234"[..], b"-", b"1234", b"-", b"1"]
        );
        assert_eq!(framed(&[b"a\n\n\r\n"], 0), [b"-", b"-"]);
    }

    #[test]
    fn what_has_not_ended_can_be_looked_at() {
        let mut buffer = [0; 4];
        let mut lines = Lines::new(&mut buffer);
        assert_eq!(lines.feed(b"ab"), Fed::Consumed);
        assert_eq!(lines.unfinished(), b"ab");
        assert_eq!(lines.feed(b"c\nd"), Fed::Line { line: b"abc", rest: b"d" });
        assert_eq!(lines.unfinished(), b"");
        assert_eq!(lines.feed(b"defgh"), Fed::TooLong { rest: b"" });
        assert_eq!(lines.unfinished(), b"");
        lines.clear();
        assert_eq!(lines.feed(b"x\n"), Fed::Line { line: b"x", rest: b"" });
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(stream in "[a-c\r\n]{0,64}", cuts in prop::collection::vec(0_usize..65, 0..6), capacity in 0_usize..8) {
            let whole = framed(&[stream.as_bytes()], capacity);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(&framed(&pieces, capacity), &whole);

            let mut expected: Vec<String> = Vec::new();
            let complete = stream.rfind('\n').map_or("", |end| &stream[..end]);
            for line in complete.split('\n') {
                match line.strip_suffix('\r').unwrap_or(line) {
                    _ if line.len() > capacity => expected.push("-".into()),
                    "" => {}
                    line => expected.push(line.into()),
                }
            }
            let rest = stream.rsplit('\n').next().unwrap_or_default();
            if rest.len() > capacity {
                expected.push("-".into());
            }
            let whole: Vec<String> = whole.into_iter().map(|line| String::from_utf8(line).unwrap()).collect();
            prop_assert_eq!(whole, expected);
        }
    }
}
