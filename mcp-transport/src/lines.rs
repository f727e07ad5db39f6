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
    /// How much room the next bytes are given, at least.
    room: usize,
    /// A line of `buffer` may be in use, and what it lies in with it.
    is_shared: bool,
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
        let buffer = BytesMut::new();
        Self { buffer, searched: 0, room: ROOM, is_shared: false, limit, skipped: None }
    }

    /// Lines of at most `limit` bytes of a stream on which most likely nothing comes.
    pub(crate) fn rare(limit: usize) -> Self {
        Self { room: RARE_ROOM, ..Self::new(limit) }
    }

    /// Where the next bytes of the stream go.
    ///
    /// There is the more room the more came last, so that much is read at a time where much comes,
    /// and little is kept where nothing does.  A line that is long already is read in larger pieces.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        let left = self.buffer.capacity() - self.buffer.len();
        if left == 0 {
            self.room = (2 * self.room).min(LARGE);
        } else if left > self.room / 2 {
            self.room = (self.room / 2).max(ROOM);
        }
        if self.buffer.is_empty() && left > 4 * self.room {
            self.buffer = BytesMut::with_capacity(self.room);
        }
        self.buffer.reserve(self.buffer.len().clamp(self.room, LARGE));
        self.is_shared = false;
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
        let end = self.searched + found + 1;
        self.searched = 0;
        if end == self.buffer.len() && end <= SMALL && !self.is_shared {
            // It came alone: as a copy it keeps no more than itself, and the buffer is free again.
            let line = BytesMut::from(&self.buffer[..end - 1]);
            self.buffer.clear();
            return Some(self.end(line));
        }
        let mut line = self.buffer.split_to(end);
        self.is_shared = true;
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

/// What is kept for a stream on which nothing comes.
const ROOM: usize = 512;
/// What is kept for one on which nothing has come yet, and seldom will.
const RARE_ROOM: usize = 64;
/// What is copied in less time than it takes to make room anew.
const SMALL: usize = 2 << 10;
/// What a pipe holds.
const LARGE: usize = 64 << 10;
/// Enough to find the id of an answer.
const KEPT: usize = 1 << 10;

#[cfg(test)]
mod tests;
