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
    /// The line being read is too long: its beginning, and how long it is so far.
    skipped: Option<(Bytes, usize)>,
}

/// A line, without its end.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Line {
    Whole(Bytes),
    /// Longer than the limit; this is how it began.
    TooLong {
        beginning: Bytes,
        length: usize,
    },
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit, skipped: None }
    }

    /// Where the next bytes of the stream go: room for as much again as waits already.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        self.buffer.reserve(self.buffer.len().max(READ_SIZE));
        &mut self.buffer
    }

    /// The next line that has ended, or nothing until more bytes come.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        let Some(found) = memchr(b'\n', &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            if self.skipped.is_some() || self.buffer.len() > self.limit {
                self.skip();
            }
            return None;
        };
        let mut line = self.buffer.split_to(self.searched + found + 1);
        self.searched = 0;
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
        if let Some((beginning, length)) = self.skipped.take() {
            return Line::TooLong { beginning, length: length + line.len() };
        }
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        match line.len() {
            length if length > self.limit => Line::TooLong {
                beginning: Bytes::copy_from_slice(&line[..beginning(&line)]),
                length,
            },
            _ => Line::Whole(line.freeze()),
        }
    }

    /// Gives up what has been read of a line that is too long, but for its beginning.
    fn skip(&mut self) {
        let (kept, length) = self.skipped.take().unwrap_or_else(|| {
            (Bytes::copy_from_slice(&self.buffer[..beginning(&self.buffer)]), 0)
        });
        self.skipped = Some((kept, length + self.buffer.len()));
        // A new buffer: the old one has grown to the limit.
        self.buffer = BytesMut::new();
        self.searched = 0;
    }
}

fn beginning(line: &[u8]) -> usize {
    line.len().min(KEPT)
}

const READ_SIZE: usize = 8 << 10;
/// How much of a line that is too long is kept: enough to find the id of an answer.
const KEPT: usize = 1 << 10;
