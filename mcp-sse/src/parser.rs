//! The grammar of an event stream.
//!
//! See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

use std::time::Duration;

use memchr::memchr2;

use crate::block::Block;
use crate::line::{Field, Opening, field_and_value};
use crate::{Event, EventTooLarge};

/// How many bytes one event may keep unless a parser is told otherwise: 64 MiB.
pub const DEFAULT_LIMIT: usize = 64 << 20;

/// Reads events out of bytes that arrive in pieces.
///
/// The caller keeps the pieces: [`next_event`](Self::next_event) takes from the front of a
/// slice what it needs.  The parser holds only the event that has not ended, at most as many
/// bytes of it as its limit.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    /// How much of a byte order mark has been seen; all of it once the stream is under way.
    mark: usize,
    /// The last line ended in CR, so a LF right after it ends nothing.
    after_cr: bool,
    line: Line,
    /// The beginning of a line that is still [`Line::Opening`].
    head: Vec<u8>,
    block: Block,
    last_event_id: String,
    retry: Option<Duration>,
}

impl Parser {
    /// A parser at the start of a stream, with the [`DEFAULT_LIMIT`].
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// A parser at the start of a stream whose events may keep `limit` bytes each.
    ///
    /// What counts is what an event carries: its data, type and id.  Comments and unknown
    /// fields are dropped as they come and count for nothing.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            mark: 0,
            after_cr: false,
            line: Line::Opening,
            head: Vec::new(),
            block: Block::default(),
            last_event_id: String::new(),
            retry: None,
        }
    }

    /// Takes bytes from the front of `bytes` up to the end of an event.
    ///
    /// `None` means that `bytes` is used up and no further event has ended: call again with the
    /// next bytes of the stream.  After an event, or an error, call again with what is left.
    ///
    /// # Errors
    ///
    /// Fails, once, when an event grows over the limit.  The rest of that event is skipped; its
    /// `id` and `retry` still count, so that a stream can be resumed behind it.
    pub fn next_event(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, EventTooLarge> {
        self.skip_byte_order_mark(bytes);
        while let Some((&first, rest)) = bytes.split_first() {
            match first {
                b'\n' if self.after_cr => {
                    *bytes = rest;
                    self.after_cr = false;
                }
                b'\n' | b'\r' => {
                    *bytes = rest;
                    self.after_cr = first == b'\r';
                    if !self.is_between_lines() {
                        self.end_line()?;
                    } else if self.block.has_data() {
                        // Made where the caller gets it, for an event takes long to move.
                        return Ok(self.end_event());
                    } else {
                        self.end_event();
                    }
                }
                _ => {
                    self.after_cr = false;
                    self.read_text(bytes)?;
                }
            }
        }
        Ok(None)
    }

    /// Ends the stream, and returns the event that no blank line has ended.
    ///
    /// The standard drops such an event, because the stream may have been cut inside it: so
    /// does dropping the parser.
    ///
    /// # Errors
    ///
    /// Fails when the last line, now that it has ended, makes the event grow over the limit.
    pub fn finish(mut self) -> Result<Option<Event>, EventTooLarge> {
        self.end_line()?;
        Ok(self.block.dispatch())
    }

    /// Begins the stream of a new connection: drops the event that has not ended, and keeps
    /// the [`last_event_id`](Self::last_event_id) and the [`retry`](Self::retry) time.
    pub fn restart(&mut self) {
        *self = Self {
            last_event_id: std::mem::take(&mut self.last_event_id),
            retry: self.retry,
            ..Self::with_limit(self.limit)
        };
    }

    /// The id of the last event that set one, dispatched or not; empty before the first.
    ///
    /// An event that has not ended does not count, so this is where to resume a cut stream.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// How long the stream last asked its reader to wait before connecting again.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The line that has not ended, as far as it is kept; comments and unknown fields are not.
    pub fn pending_tail(&self) -> String {
        match self.line {
            Line::Opening => String::from_utf8_lossy(&self.head).into_owned(),
            Line::Value { field, space } => {
                let space = if space { " " } else { "" };
                let value = String::from_utf8_lossy(self.block.value(field));
                format!("{}:{space}{value}", field.name())
            }
            Line::Ignored => String::new(),
        }
    }

    /// Nothing of the current line has come, so a line end makes it blank.
    fn is_between_lines(&self) -> bool {
        matches!(self.line, Line::Opening) && self.head.is_empty()
    }

    fn skip_byte_order_mark(&mut self, bytes: &mut &[u8]) {
        while self.mark < BYTE_ORDER_MARK.len() {
            let Some((&first, rest)) = bytes.split_first() else { return };
            if first != BYTE_ORDER_MARK[self.mark] {
                self.head.extend_from_slice(&BYTE_ORDER_MARK[..self.mark]);
                self.mark = BYTE_ORDER_MARK.len();
                return;
            }
            self.mark += 1;
            *bytes = rest;
        }
    }

    /// Reads up to the end of a line, and with it a line that lies whole in `bytes`.
    #[inline]
    fn read_text(&mut self, bytes: &mut &[u8]) -> Result<(), EventTooLarge> {
        match memchr2(b'\n', b'\r', bytes) {
            Some(end) if self.is_between_lines() => {
                let line = &bytes[..end];
                self.after_cr = bytes[end] == b'\r';
                *bytes = &bytes[end + 1..];
                self.read_line(line)
            }
            end => {
                let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                *bytes = rest;
                self.read_piece(piece)
            }
        }
    }

    /// Reads a whole line where it lies, as nearly all lines come.
    fn read_line(&mut self, line: &[u8]) -> Result<(), EventTooLarge> {
        let Some((field, value)) = field_and_value(line) else { return Ok(()) };
        let reported = self.block.is_too_large();
        let added = self.block.add(field, value, self.limit);
        self.retry = self.block.retry().or(self.retry);
        if reported { Ok(()) } else { added }
    }

    /// Reads a piece of a line that comes in pieces.
    fn read_piece(&mut self, piece: &[u8]) -> Result<(), EventTooLarge> {
        match self.line {
            Line::Ignored => Ok(()),
            Line::Value { field, .. } => self.push(field, piece),
            Line::Opening => {
                let held = self.head.len();
                self.head.extend(piece.iter().take(Opening::ENOUGH - held));
                let Some(opening) = Opening::read(&self.head) else { return Ok(()) };
                self.head.clear();
                match opening {
                    Opening::Field { field, space } if self.block.open(field) => {
                        self.line = Line::Value { field, space };
                        // What was held back did not decide, so no value has begun in it.
                        let value = field.name().len() + 1 + usize::from(space) - held;
                        self.push(field, &piece[value..])
                    }
                    _ => {
                        self.line = Line::Ignored;
                        Ok(())
                    }
                }
            }
        }
    }

    fn push(&mut self, field: Field, value: &[u8]) -> Result<(), EventTooLarge> {
        let reported = self.block.is_too_large();
        let pushed = self.block.push(field, value, self.limit);
        if pushed.is_err() {
            self.line = Line::Ignored;
        }
        if reported { Ok(()) } else { pushed }
    }

    /// Ends a line that came in pieces.
    fn end_line(&mut self) -> Result<(), EventTooLarge> {
        if let Line::Value { field, .. } = std::mem::replace(&mut self.line, Line::Opening) {
            self.block.close(field);
            self.retry = self.block.retry().or(self.retry);
        }
        // A line that ended before a value began is held whole; others are not held any more.
        let head = std::mem::take(&mut self.head);
        self.read_line(&head)
    }

    /// Ends the event, and begins the next.
    #[inline]
    fn end_event(&mut self) -> Option<Event> {
        if let Some(id) = self.block.id() {
            id.clone_into(&mut self.last_event_id);
        }
        self.block.dispatch()
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

/// How far the current line has been understood.
#[derive(Clone, Copy, Debug)]
enum Line {
    Opening,
    Value { field: Field, space: bool },
    Ignored,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `start` and then `again` a thousand times, and looks at the memory each time.
    fn check(start: &str, again: &str) {
        let mut parser = Parser::with_limit(100);
        for text in std::iter::once(start).chain(std::iter::repeat_n(again, 1000)) {
            let mut bytes = text.as_bytes();
            while !bytes.is_empty() {
                // Too large an event is expected here, and no reason to stop.
                let _ = parser.next_event(&mut bytes);
            }
            let kept = parser.head.capacity() + parser.block.capacity();
            assert!(kept < 1000, "{kept} bytes after {start:?} and {again:?}");
        }
    }

    #[test]
    fn memory_stays_bounded() {
        for line in [": comment", "data: ", "data", "event: ", "id: ", "retry: 1", "unknown: ", ""]
        {
            let much = "x".repeat(90);
            check(line, &much);
            check("", &format!("{line}{much}\n"));
            check("", &format!("{line}\n"));
        }
    }
}
