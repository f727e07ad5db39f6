//! How long to wait before a stream is opened again.

use std::time::Duration;

/// The delays before one stream is opened again and again.
///
/// What the server asks for is kept to, exactly.  Where it asks for nothing, or where it keeps
/// on bringing nothing, the delays begin at a second and double up to a minute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    /// What the server asked for (`retry`).
    retry: Option<Duration>,
    /// How many delays were handed out since the stream last brought something.
    fruitless: u32,
}

impl Backoff {
    /// The server says how long to wait, at most [`LONGEST`].
    pub(crate) fn told(&mut self, retry: Duration) {
        self.retry = Some(retry.min(LONGEST));
    }

    /// The stream brought something.
    pub(crate) fn progressed(&mut self) {
        self.fruitless = 0;
    }

    /// How many times the stream was opened again since it last brought something.
    pub(crate) fn fruitless(&self) -> u32 {
        self.fruitless
    }

    /// How long to wait now.
    pub(crate) fn next_delay(&mut self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.fruitless.min(6)).min(LAST);
        let delay = match self.retry {
            Some(retry) if self.fruitless < PATIENCE => retry,
            // A `retry` of nothing must not keep both sides busy for ever.
            Some(retry) => retry.max(doubled),
            None => doubled,
        };
        self.fruitless = self.fruitless.saturating_add(1);
        delay
    }
}

/// The longest wait that a server can ask for.
pub(crate) const LONGEST: Duration = Duration::from_secs(5 * 60);

const FIRST: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_secs(60);

/// How often a server is taken at its word while it brings nothing.
const PATIENCE: u32 = 5;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(backoff: &mut Backoff, count: usize) -> Vec<f64> {
        (0..count).map(|_| backoff.next_delay().as_secs_f64()).collect()
    }

    #[test]
    fn delays_double_up_to_a_minute_and_begin_again_with_progress() {
        let mut backoff = Backoff::default();
        assert_eq!(seconds(&mut backoff, 8), [1., 2., 4., 8., 16., 32., 60., 60.]);
        assert_eq!(backoff.fruitless(), 8);
        backoff.progressed();
        assert_eq!(backoff.fruitless(), 0);
        assert_eq!(seconds(&mut backoff, 2), [1., 2.]);
    }

    #[test]
    fn what_the_server_asks_for_is_kept_to_exactly() {
        let mut backoff = Backoff::default();
        backoff.told(Duration::from_millis(500));
        assert_eq!(seconds(&mut backoff, 5), [0.5; 5]);
        backoff.progressed();
        assert_eq!(seconds(&mut backoff, 5), [0.5; 5]);
        backoff.told(Duration::from_secs(90));
        assert_eq!(seconds(&mut backoff, 1), [90.]);
    }

    #[test]
    fn a_server_that_wants_to_be_asked_at_once_and_says_nothing_is_asked_less_and_less() {
        let mut backoff = Backoff::default();
        backoff.told(Duration::ZERO);
        assert_eq!(seconds(&mut backoff, 8), [0., 0., 0., 0., 0., 32., 60., 60.]);
    }

    #[test]
    fn nobody_waits_longer_than_five_minutes() {
        let mut backoff = Backoff::default();
        backoff.told(Duration::MAX);
        assert_eq!(backoff.next_delay(), LONGEST);
    }

    proptest! {
        #[test]
        fn a_delay_always_ends(retry in any::<Option<u64>>(), fruitless in any::<u32>()) {
            let retry = retry.map(Duration::from_millis);
            let mut backoff = Backoff { retry: None, fruitless };
            retry.into_iter().for_each(|retry| backoff.told(retry));
            prop_assert!(backoff.next_delay() <= LONGEST);
        }
    }
}
