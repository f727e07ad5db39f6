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
    /// The value of the current line, unless it is data.
    value: Vec<u8>,
    /// Where the value of the current line begins, if it is data.
    data_line: usize,
    /// The event was too large: what it would carry is dropped until it ends.
    too_large: bool,
}

impl Block {
    /// Begins the value of `field`; `false` if nobody needs it.
    pub(crate) fn open(&mut self, field: Field) -> bool {
        if self.too_large && matches!(field, Field::Data | Field::Event) {
            return false;
        }
        self.value.clear();
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
        if self.len().saturating_add(bytes.len()) > limit {
            let id = self.id.take();
            *self = Self { id, too_large: true, ..Self::default() };
            return Err(EventTooLarge::new(limit));
        }
        match (field, &mut self.data) {
            (Field::Data, Some(data)) => data.extend_from_slice(bytes),
            _ => self.value.extend_from_slice(bytes),
        }
        Ok(())
    }

    /// Ends the value of `field`.
    pub(crate) fn close(&mut self, field: Field) {
        match field {
            Field::Data => (),
            Field::Event => self.event_type = event_type(&self.value),
            Field::Id if self.value.contains(&0) => (),
            Field::Id => self.id = Some(String::from_utf8_lossy(&self.value).into_owned()),
            Field::Retry => self.retry = retry(&self.value).or(self.retry),
        }
    }

    /// Ends the event, and begins the next.
    pub(crate) fn dispatch(&mut self) -> Option<Event> {
        let event_type = self.event_type.take().unwrap_or(Cow::Borrowed(MESSAGE));
        let (id, retry) = (self.id.take(), self.retry.take());
        self.too_large = false;
        let data = string(self.data.take()?);
        Some(Event { event_type, data, id, retry })
    }

    /// The `id` so far.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The `retry` so far.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
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

    fn len(&self) -> usize {
        self.data.as_ref().map_or(0, Vec::len)
            + self.event_type.as_ref().map_or(0, |event_type| event_type.len())
            + self.id.as_ref().map_or(0, String::len)
            + self.value.len()
    }
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
