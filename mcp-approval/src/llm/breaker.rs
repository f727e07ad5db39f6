//! When a model is not asked any more.

use std::time::Duration;

use mcp_provider::time::Moment;

/// Stops asking after so many denials or failures in a row.
#[derive(Debug)]
pub(crate) struct Breaker {
    limit: u32,
    rest: Duration,
    in_a_row: u32,
    opened: Option<Moment>,
}

impl Breaker {
    pub(crate) fn new(limit: u32, rest: Duration) -> Self {
        Self { limit: limit.max(1), rest, in_a_row: 0, opened: None }
    }

    /// Whether a model may be asked now.  After a rest one question goes through.
    pub(crate) fn lets_through(&mut self, now: Moment) -> bool {
        match self.opened {
            None => true,
            Some(opened) if now.since(opened) >= self.rest => {
                self.opened = Some(now);
                true
            }
            Some(_) => false,
        }
    }

    /// A denial, or no verdict.
    pub(crate) fn bad(&mut self, now: Moment) {
        self.in_a_row = self.in_a_row.saturating_add(1);
        if self.in_a_row >= self.limit {
            self.opened = Some(now);
        }
    }

    /// Somebody allowed a call.
    pub(crate) fn good(&mut self) {
        self.in_a_row = 0;
        self.opened = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Bad,
        Good,
        /// Seconds pass.
        Pass(u64),
        Asks(bool),
    }
    use Step::{Asks, Bad, Good, Pass};

    #[test]
    fn it_opens_after_three_in_a_row_and_lets_one_through_after_a_rest() {
        let cases: &[&[Step]] = &[
            &[Asks(true), Bad, Bad, Asks(true), Bad, Asks(false)],
            &[Bad, Bad, Good, Bad, Bad, Asks(true), Bad, Asks(false)],
            &[Bad, Bad, Bad, Good, Asks(true)],
            &[Bad, Bad, Bad, Pass(299), Asks(false), Pass(1), Asks(true), Asks(false)],
            &[
                Bad,
                Bad,
                Bad,
                Pass(300),
                Asks(true),
                Bad,
                Asks(false),
                Pass(300),
                Asks(true),
                Good,
                Asks(true),
                Asks(true),
            ],
        ];
        for steps in cases {
            let mut breaker = Breaker::new(3, Duration::from_secs(300));
            let mut now = Moment::default();
            for (place, step) in steps.iter().enumerate() {
                match step {
                    Bad => breaker.bad(now),
                    Good => breaker.good(),
                    Pass(seconds) => now = now.after(Duration::from_secs(*seconds)),
                    Asks(expected) => {
                        assert_eq!(breaker.lets_through(now), *expected, "{steps:?} at {place}");
                    }
                }
            }
        }
    }
}
