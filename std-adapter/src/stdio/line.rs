//! A line of the stdio transport: one message, or a batch of them (JSON-RPC 2.0 section 6, MCP 2025-03-26).

use crate::batch::{self, TooMany};
use std::borrow::Cow;

/// The messages of a line.
#[derive(Debug)]
pub(super) struct Line<'l> {
    pub(super) messages: Vec<&'l [u8]>,
    pub(super) is_batch: bool,
}

/// What becomes of a line: as it was, while nothing else is said.
#[derive(Debug)]
pub(super) struct Rewritten<'l> {
    line: &'l [u8],
    is_batch: bool,
    is_changed: bool,
    messages: Vec<Cow<'l, [u8]>>,
}

impl<'l> Line<'l> {
    /// The messages of a line. What is no array is one, whatever it is.
    pub(super) fn read(line: &'l [u8]) -> Result<Self, TooMany> {
        Ok(match batch::messages(line)? {
            Some(messages) => Self { messages, is_batch: true },
            None => Self { messages: vec![line], is_batch: false },
        })
    }
}

impl<'l> Rewritten<'l> {
    pub(super) const fn new(line: &'l [u8], is_batch: bool) -> Self {
        Self { line, is_batch, is_changed: false, messages: Vec::new() }
    }

    /// Leaves a message as it is.
    pub(super) fn keep(&mut self, message: &'l [u8]) {
        self.messages.push(Cow::Borrowed(message));
    }

    /// Puts another message in the place of one.
    pub(super) fn replace(&mut self, message: Vec<u8>) {
        self.messages.push(Cow::Owned(message));
        self.is_changed = true;
    }

    /// Takes a message out.
    pub(super) const fn take_out(&mut self) {
        self.is_changed = true;
    }

    /// The line; nothing if no message is left of it.
    pub(super) fn finish(self) -> Cow<'l, [u8]> {
        if self.is_changed { Cow::Owned(joined(&self.messages, self.is_batch)) } else { Cow::Borrowed(self.line) }
    }
}

/// Messages as a line; nothing if there are none.
pub(super) fn joined<M: AsRef<[u8]>>(messages: &[M], is_batch: bool) -> Vec<u8> {
    let mut line = Vec::new();
    for message in messages {
        if is_batch {
            line.push(if line.is_empty() { b'[' } else { b',' });
        }
        line.extend_from_slice(message.as_ref());
    }
    if !line.is_empty() {
        line.extend_from_slice(if is_batch { b"]\n" } else { b"\n" });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{Line, Rewritten, joined};

    #[test]
    fn a_batch_is_an_array_and_nothing_else() {
        for (line, messages, is_batch) in [
            ("{\"a\": [1]}\r\n", &["{\"a\": [1]}\r\n"][..], false),
            (" [{} , [1],2 ]\n", &["{}", "[1]", "2"], true),
            ("[]\n", &[], true),
            ("[{}\n", &["[{}\n"], false),
        ] {
            let read = Line::read(line.as_bytes()).expect("not too many");
            let texts: Vec<_> = read.messages.iter().map(|message| String::from_utf8_lossy(message)).collect();
            assert_eq!((texts, read.is_batch), (messages.iter().map(|&text| text.into()).collect(), is_batch));
        }
    }

    #[test]
    fn only_what_changes_is_written_anew() {
        let line = b"[ 1 , 2 ,3 ]\r\n";
        let rewrite = |change: &dyn Fn(&mut Rewritten<'_>)| {
            let mut rewritten = Rewritten::new(line, true);
            rewritten.keep(b"1");
            change(&mut rewritten);
            rewritten.keep(b"3");
            String::from_utf8_lossy(&rewritten.finish()).into_owned()
        };
        assert_eq!(rewrite(&|line| line.keep(b"2")), "[ 1 , 2 ,3 ]\r\n");
        assert_eq!(rewrite(&|line| line.take_out()), "[1,3]\n");
        assert_eq!(rewrite(&|line| line.replace(b"{}".to_vec())), "[1,{},3]\n");
        let mut nothing = Rewritten::new(line, true);
        nothing.take_out();
        assert_eq!(*nothing.finish(), *b"");
        assert_eq!(joined::<&[u8]>(&[], true), b"");
    }
}
