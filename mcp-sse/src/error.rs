//! What can go wrong with an event.

/// An event grew over the limit of its parser, and was dropped.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an event is larger than the limit of {limit} bytes")]
pub struct EventTooLarge {
    limit: usize,
}

impl EventTooLarge {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit }
    }

    /// The limit, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }
}
