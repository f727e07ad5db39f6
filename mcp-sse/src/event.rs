//! One event.

use std::borrow::Cow;
use std::time::Duration;

/// An event, as the stream dispatched it.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// The `event` field; `message` where the stream named no type, or an empty one.
    pub event_type: Cow<'static, str>,
    /// The `data` lines, joined by newlines.
    pub data: String,
    /// The `id` field, if this event set one; it may be empty.
    pub id: Option<String>,
    /// The `retry` field, if this event set one.
    pub retry: Option<Duration>,
}
