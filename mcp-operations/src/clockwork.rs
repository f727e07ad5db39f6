//! How long an operation worked, and how long it asked: two clocks that never run together.

use std::time::Duration;

use crate::Moment;

/// The times of one operation.
///
/// Asking begins and ends by depth, since a policy may have its question open while a server asks
/// its own.  Before the dispatch no work is done, so asking then takes nothing off it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clockwork {
    pub(crate) proposed: Moment,
    pub(crate) dispatched: Option<Moment>,
    pub(crate) ended: Option<Moment>,
    depth: usize,
    /// Since when it has been asking, if it is.
    asking_since: Option<Moment>,
    /// All the asking that is over.
    asked: Duration,
    /// The part of it that fell behind the dispatch.
    paused: Duration,
}

impl Clockwork {
    pub(crate) fn new(proposed: Moment) -> Self {
        Self { proposed, ..Self::default() }
    }

    pub(crate) fn dispatch(&mut self, now: Moment) {
        self.dispatched = Some(now);
    }

    /// Ends it, and a question that is still open with it.
    pub(crate) fn end(&mut self, now: Moment) {
        self.bank(now);
        self.depth = 0;
        self.ended = Some(now);
    }

    pub(crate) fn ask_begin(&mut self, now: Moment) {
        if self.ended.is_none() {
            self.depth = self.depth.saturating_add(1);
            self.asking_since.get_or_insert(now);
        }
    }

    /// Ends the innermost question; whether that was the outermost, too.
    pub(crate) fn ask_end(&mut self, now: Moment) -> bool {
        let is_last = self.depth == 1;
        self.depth = self.depth.saturating_sub(1);
        if is_last {
            self.bank(now);
        }
        is_last
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.depth > 0
    }

    /// How long it asked, in spans that are over.
    pub(crate) fn asked(&self) -> Duration {
        self.asked
    }

    /// How long it has been worked on since the dispatch, asking apart.
    pub(crate) fn working(&self, now: Moment) -> Duration {
        let Some(dispatched) = self.dispatched else { return Duration::ZERO };
        let now = self.ended.unwrap_or(now);
        let open = self.open(now).map_or(Duration::ZERO, |(_, paused)| paused);
        now.since(dispatched).saturating_sub(self.paused).saturating_sub(open)
    }

    /// How long it took from the dispatch to the end, asking included.
    pub(crate) fn duration(&self) -> Option<Duration> {
        Some(self.ended?.since(self.dispatched?))
    }

    /// How long the open span is, and how much of that fell behind the dispatch.
    fn open(&self, now: Moment) -> Option<(Duration, Duration)> {
        let since = self.asking_since?;
        let paused = self.dispatched.map(|dispatched| now.since(since.max(dispatched)));
        Some((now.since(since), paused.unwrap_or_default()))
    }

    fn bank(&mut self, now: Moment) {
        if let Some((asked, paused)) = self.open(now) {
            self.asked = self.asked.saturating_add(asked);
            self.paused = self.paused.saturating_add(paused);
            self.asking_since = None;
        }
    }
}
