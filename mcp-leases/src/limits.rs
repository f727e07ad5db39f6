//! How long leases last, and how many there may be.

use std::time::Duration;

/// How long leases last, and how many a holder may have.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// How long a lease lasts that was not given a time, and the longest anybody waits for one;
    /// 300 seconds.
    pub default_ttl: Duration,
    /// The longest a lease lasts, whatever was asked for; an hour.
    pub max_ttl: Duration,
    /// How many leases a holder has at a time, and so how many paths one claim names; 1,024.
    pub leases_per_holder: usize,
}

impl Limits {
    /// Sets how long a lease lasts that was not given a time.
    #[must_use]
    pub fn with_default_ttl(self, default_ttl: Duration) -> Self {
        Self { default_ttl, ..self }
    }

    /// Sets the longest a lease lasts.
    #[must_use]
    pub fn with_max_ttl(self, max_ttl: Duration) -> Self {
        Self { max_ttl, ..self }
    }

    /// Sets how many leases a holder has at a time.
    #[must_use]
    pub fn with_leases_per_holder(self, leases_per_holder: usize) -> Self {
        Self { leases_per_holder, ..self }
    }

    /// The time a lease gets for which `asked` was asked, or nothing for no time at all.
    pub(crate) fn ttl(&self, asked: Option<Duration>) -> Option<Duration> {
        Some(asked.unwrap_or(self.default_ttl).min(self.max_ttl)).filter(|ttl| !ttl.is_zero())
    }

    /// # Errors
    ///
    /// Fails where a time is zero.
    pub(crate) fn check(self) -> Result<Self, InvalidLimits> {
        if self.default_ttl.is_zero() || self.max_ttl.is_zero() {
            return Err(InvalidLimits(()));
        }
        Ok(self)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            default_ttl: Duration::from_secs(300),
            max_ttl: Duration::from_secs(3_600),
            leases_per_holder: 1_024,
        }
    }
}

/// A table cannot be made whose leases last no time.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a lease must last longer than no time: set a ttl above zero")]
pub struct InvalidLimits(());
