//! The event that is being read.

use std::borrow::Cow;
use std::time::Duration;

use crate::line::Field;
use crate::{Event, EventTooLarge};

/// The fields between two blank lines, as far as they have come.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// `None` until the first `data` line.
    data: Option<Vec<u8>>,
    /// Never empty.
    event_type: Option<Cow<'static, str>>,
    id: Option<String>,
    retry: Option<Duration>,
    /// The value of a line that comes in pieces, unless it is data.
    value: Vec<u8>,
    /// Where the value of the current line begins, if it is data.
    data_line: usize,
    /// How long the data of the last event was, at most [`USUAL`].
    usual: usize,
    /// The event was too large: what it would carry is dropped until it ends.
    too_large: bool,
}

impl Block {
    /// Adds a whole `value`: what [`open`](Self::open), [`push`](Self::push) and
    /// [`close`](Self::close) do with one that comes in pieces.
    pub(crate) fn add(
        &mut self,
        field: Field,
        value: &[u8],
        limit: usize,
    ) -> Result<(), EventTooLarge> {
        if self.drops(field) {
            return Ok(());
        }
        let newline = usize::from(field == Field::Data && self.data.is_some());
        self.check(newline + value.len(), limit)?;
        match (field, &mut self.data) {
            (Field::Data, None) => self.data = Some(value.to_vec()),
            (Field::Data, Some(data)) => {
                reserve(data, newline + value.len(), self.usual);
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            _ => self.set(field, value),
        }
        Ok(())
    }

    /// Begins the value of `field`; `false` if nobody needs it.
    pub(crate) fn open(&mut self, field: Field) -> bool {
        if self.drops(field) {
            return false;
        }
        if field == Field::Data {
            match &mut self.data {
                Some(data) => data.push(b'\n'),
                None => self.data = Some(Vec::new()),
            }
            self.data_line = self.data.as_ref().map_or(0, Vec::len);
        }
        true
    }

    /// Adds to the value of `field`, as long as all that is kept stays within `limit`.
    pub(crate) fn push(
        &mut self,
        field: Field,
        bytes: &[u8],
        limit: usize,
    ) -> Result<(), EventTooLarge> {
        self.check(bytes.len(), limit)?;
        match (field, &mut self.data) {
            (Field::Data, Some(data)) => {
                reserve(data, bytes.len(), self.usual);
                data.extend_from_slice(bytes);
            }
            _ => self.value.extend_from_slice(bytes),
        }
        Ok(())
    }

    /// Ends the value of `field`.
    pub(crate) fn close(&mut self, field: Field) {
        let value = std::mem::take(&mut self.value);
        self.set(field, &value);
    }

    /// Ends the event, and begins the next.
    #[inline]
    pub(crate) fn dispatch(&mut self) -> Option<Event> {
        let event_type = self.event_type.take().unwrap_or(Cow::Borrowed(MESSAGE));
        let (id, retry) = (self.id.take(), self.retry.take());
        self.too_large = false;
        let mut data = self.data.take()?;
        self.usual = data.len().min(USUAL);
        if data.capacity() / 2 > data.len() {
            data.shrink_to_fit();
        }
        Some(Event { event_type, data: string(data), id, retry })
    }

    /// The `id` so far.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The `retry` so far.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    pub(crate) fn has_data(&self) -> bool {
        self.data.is_some()
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// The value of the current line so far.
    pub(crate) fn value(&self, field: Field) -> &[u8] {
        match (field, &self.data) {
            (Field::Data, Some(data)) => data.get(self.data_line..).unwrap_or_default(),
            _ => &self.value,
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.data.as_ref().map_or(0, Vec::capacity)
            + self.event_type.as_ref().map_or(0, |event_type| event_type.len())
            + self.id.as_ref().map_or(0, String::capacity)
            + self.value.capacity()
    }

    /// Whether the value of `field` is dropped, for its event is.
    fn drops(&self, field: Field) -> bool {
        self.too_large && matches!(field, Field::Data | Field::Event)
    }

    /// Drops the event if `more` bytes were too many.
    fn check(&mut self, more: usize, limit: usize) -> Result<(), EventTooLarge> {
        if self.len().saturating_add(more) <= limit {
            return Ok(());
        }
        let id = self.id.take();
        *self = Self { id, too_large: true, ..Self::default() };
        Err(EventTooLarge::new(limit))
    }

    /// Sets `field` to its whole `value`, unless it is data.
    fn set(&mut self, field: Field, value: &[u8]) {
        match field {
            Field::Data => (),
            Field::Event => self.event_type = event_type(value),
            Field::Id if value.contains(&0) => (),
            Field::Id => self.id = Some(string(value.to_vec())),
            Field::Retry => self.retry = retry(value).or(self.retry),
        }
    }

    fn len(&self) -> usize {
        self.data.as_ref().map_or(0, Vec::len)
            + self.event_type.as_ref().map_or(0, |event_type| event_type.len())
            + self.id.as_ref().map_or(0, String::len)
            + self.value.len()
    }
}

/// Makes room in data that goes on for `more` bytes, or for all of an event like the last one.
///
/// The events of a stream are much alike, and growing step by step costs more than reading.
fn reserve(data: &mut Vec<u8>, more: usize, usual: usize) {
    data.reserve(more.max(usual.saturating_sub(data.len())));
}

/// The type that an `event` value names; the usual one costs no allocation.
fn event_type(value: &[u8]) -> Option<Cow<'static, str>> {
    match value {
        b"" => None,
        b"message" => Some(Cow::Borrowed(MESSAGE)),
        _ => Some(Cow::Owned(String::from_utf8_lossy(value).into_owned())),
    }
}

/// The milliseconds of a `retry` value: ASCII digits, and nothing else.
fn retry(value: &[u8]) -> Option<Duration> {
    // Parsing alone would let a sign through.
    let digits = value.iter().all(u8::is_ascii_digit);
    let millis = str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()?;
    Some(Duration::from_millis(millis))
}

/// The text of `bytes`, in place where they are UTF-8.
fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

const MESSAGE: &str = "message";
/// How much room is made, at most, before the bytes are there.
const USUAL: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(block: &mut Block, data: &str) {
        block.push(Field::Data, data.as_bytes(), usize::MAX).unwrap();
    }

    #[test]
    fn room_is_made_for_an_event_like_the_last_one() {
        for (last, usual) in [(1000, 1000), (10 * USUAL, USUAL)] {
            let mut block = Block::default();
            block.add(Field::Data, "x".repeat(last).as_bytes(), usize::MAX).unwrap();
            assert_eq!(block.dispatch().unwrap().data.len(), last);

            assert!(block.open(Field::Data));
            piece(&mut block, "x");
            assert_eq!(block.capacity(), usual);
            piece(&mut block, &"x".repeat(usual - 1));
            assert_eq!(block.capacity(), usual);
        }
    }

    #[test]
    fn an_event_keeps_no_room_that_it_did_not_need() {
        for length in [0, 1, 10, 499, 500, 999, 1001] {
            let mut block = Block::default();
            block.add(Field::Data, &[b'x'; 1000], usize::MAX).unwrap();
            block.dispatch();

            assert!(block.open(Field::Data));
            piece(&mut block, &"x".repeat(length));
            let data = block.dispatch().unwrap().data;
            assert!(data.capacity() / 2 <= data.len(), "{} for {length}", data.capacity());
        }
    }
}
