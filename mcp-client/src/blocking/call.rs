//! A request that is about to be made and waited for.

use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::blocking::background::Background;
use crate::{Error, Progress};

/// A request that is about to be made: [`wait`](Self::wait) for it, or set options first.
#[must_use = "a request is made when it is waited for"]
#[derive(Debug)]
pub struct Call<T> {
    pub(super) call: crate::Call<T>,
    pub(super) runtime: Arc<Background>,
}

impl<T: Send + 'static> Call<T> {
    /// Makes the request and waits for its result.
    ///
    /// # Errors
    ///
    /// Fails when there is no result, and when waited for in asynchronous code.
    pub fn wait(self) -> Result<T, Error> {
        self.runtime.wait(self.call.into_future())?
    }

    /// How long the server may take; see [`crate::Call::timeout`].
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { call: self.call.timeout(timeout), ..self }
    }

    /// Waits for the server for as long as it takes.
    pub fn no_timeout(self) -> Self {
        Self { call: self.call.no_timeout(), ..self }
    }

    /// Gives the request up as soon as `cancelled` is ready.
    pub fn cancelled_by(self, cancelled: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { call: self.call.cancelled_by(cancelled), ..self }
    }

    /// Asks the server even if the cache has the answer.
    pub fn refresh(self) -> Self {
        Self { call: self.call.refresh(), ..self }
    }

    /// Reports progress to `listener`; see [`crate::Call::progress`].
    pub fn progress(self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { call: self.call.progress(listener), ..self }
    }

    /// Adds a member to the request's `_meta`; see [`crate::Call::meta`].
    pub fn meta(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { call: self.call.meta(key, value), ..self }
    }
}
