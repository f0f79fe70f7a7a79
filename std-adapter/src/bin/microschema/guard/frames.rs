//! Lines from a stream, with their ends, and within a bound.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// Bytes that are asked for at once, and the parts in which a line goes by that is too long.
const PART: usize = 64 << 10;

/// Reads lines of at most so many bytes, their ends included.
#[derive(Debug)]
pub struct Frames<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// Whether `line` was handed out.
    is_done: bool,
    /// Whether `line` is a part of one that is too long.
    is_part: bool,
}

/// What was read.
#[derive(Debug)]
pub enum Frame<'f> {
    /// A line, with its end; without one only at the end of the input.
    Line(&'f [u8]),
    /// A part of a line that is too long.
    Part {
        bytes: &'f [u8],
        is_last: bool,
    },
    End,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub fn new(input: R, most: usize) -> Self {
        Self { input: BufReader::with_capacity(PART, input), line: Vec::new(), most, is_done: false, is_part: false }
    }

    /// Reads on. Nothing is lost if this is dropped before it is ready.
    pub async fn next(&mut self) -> io::Result<Frame<'_>> {
        if std::mem::take(&mut self.is_done) {
            self.line.clear();
            self.line.shrink_to(16 * PART);
        }
        // One byte more than allowed tells that a line is too long.
        let most = if self.is_part { PART } else { self.most.saturating_add(1) };
        let room = most.saturating_sub(self.line.len()) as u64;
        let read = (&mut self.input).take(room).read_until(b'\n', &mut self.line).await?;
        self.is_done = true;
        let is_full = self.line.len() >= most;
        let is_last = self.line.ends_with(b"\n") || !is_full;
        if self.is_part || is_full {
            self.is_part = !is_last;
            return Ok(Frame::Part { bytes: &self.line, is_last });
        }
        Ok(if read == 0 && self.line.is_empty() { Frame::End } else { Frame::Line(&self.line) })
    }
}
