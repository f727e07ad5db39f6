//! Lines, out of bytes that arrive in pieces.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// Splits a stream at LF, drops one CR before it, and holds back the line that has not ended.
///
/// Nothing else ends a line: U+2028 and its like are ordinary characters of a JSON string.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: BytesMut,
    /// How much of `buffer` is known to hold no line end.
    searched: usize,
    limit: usize,
    /// The line being read is too long: its beginning, and how many of its bytes are gone.
    skipped: Option<(Bytes, usize)>,
}

/// A line, without its end.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Line {
    Whole(Bytes),
    /// Longer than the limit; this is how it began and ended, and how many bytes it had.
    TooLong {
        beginning: Bytes,
        ending: Bytes,
        length: usize,
    },
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit, skipped: None }
    }

    /// Where the next bytes of the stream go.  A line that is long already is read in larger
    /// pieces.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        self.buffer.reserve(self.buffer.len().clamp(READ_SIZE, LARGE));
        &mut self.buffer
    }

    /// The next line that has ended, or nothing until more bytes come.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        let Some(found) = memchr(b'\n', &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            if self.skipped.is_some() || self.is_too_long(&self.buffer) {
                self.skip();
            }
            return None;
        };
        let mut line = self.buffer.split_to(self.searched + found + 1);
        self.searched = 0;
        if line.len() > LARGE {
            // The buffer has grown for this line, and goes with it.
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
        line.truncate(line.len() - 1);
        Some(self.end(line))
    }

    /// What is left when the stream has ended: a last line without an end of its own.
    pub(crate) fn finish(&mut self) -> Option<Line> {
        let line = self.buffer.split();
        self.searched = 0;
        (self.skipped.is_some() || !line.is_empty()).then(|| self.end(line))
    }

    fn end(&mut self, mut line: BytesMut) -> Line {
        if self.skipped.is_none() && !self.is_too_long(&line) {
            line.truncate(without_cr(&line).len());
            return Line::Whole(line.freeze());
        }
        let (beginning, gone) = self.skipped.take().unwrap_or_else(|| (self.beginning(&line), 0));
        let ending = Bytes::copy_from_slice(&line[line.len() - self.kept()..]);
        Line::TooLong { beginning, ending, length: gone + line.len() }
    }

    /// Gives up what has been read of a line that is too long, but for its ends.
    fn skip(&mut self) {
        let (beginning, gone) =
            self.skipped.take().unwrap_or_else(|| (self.beginning(&self.buffer), 0));
        let cut = self.buffer.len() - self.kept();
        self.skipped = Some((beginning, gone + cut));
        // A new buffer: the old one may have grown to the limit.
        self.buffer = BytesMut::from(&self.buffer[cut..]);
        self.searched = self.buffer.len();
    }

    fn is_too_long(&self, line: &[u8]) -> bool {
        // A CR at the end may turn out to be half of the line end.
        without_cr(line).len() > self.limit
    }

    fn beginning(&self, line: &[u8]) -> Bytes {
        Bytes::copy_from_slice(&line[..self.kept()])
    }

    /// How much of either end of a line that is too long is kept.
    fn kept(&self) -> usize {
        KEPT.min(self.limit)
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

const READ_SIZE: usize = 8 << 10;
/// What a pipe holds.
const LARGE: usize = 64 << 10;
/// Enough to find the id of an answer.
const KEPT: usize = 1 << 10;

#[cfg(test)]
mod tests;
