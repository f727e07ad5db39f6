//! Being told of changes, for whoever waits for them.

use std::sync::Arc;

use mcp_protocol::SubscriptionFilter;

use crate::blocking::background::Background;
use crate::blocking::call::Call;
use crate::{Error, SubscriptionEnd, SubscriptionEvent};

/// The changes that a server was asked to tell of; an iterator that waits for each.
///
/// See [`crate::Subscription`].  In asynchronous code it gives nothing, and loses nothing.
#[derive(Debug)]
pub struct Subscription {
    subscription: crate::Subscription,
    runtime: Arc<Background>,
}

impl Subscription {
    /// The part of the filter that the server honors.
    pub fn acknowledged(&self) -> SubscriptionFilter {
        self.subscription.acknowledged()
    }

    /// The part of the filter that the server does not honor.
    pub fn missing(&self) -> SubscriptionFilter {
        self.subscription.missing()
    }

    /// How many changes were lost because nobody fetched them in time.
    pub fn lost(&self) -> u64 {
        self.subscription.lost()
    }

    /// How it ended; nothing while it goes on.
    pub fn end(&self) -> Option<SubscriptionEnd> {
        self.subscription.end()
    }
}

impl Iterator for Subscription {
    type Item = SubscriptionEvent;

    fn next(&mut self) -> Option<SubscriptionEvent> {
        self.runtime.wait(self.subscription.next()).ok().flatten()
    }
}

impl Call<crate::Subscription> {
    /// Opens the subscription again whenever it breaks off; see [`crate::Call::reopen`].
    pub fn reopen(self) -> Self {
        Self { call: self.call.reopen(), ..self }
    }

    /// Makes the request and waits until the server has acknowledged it.
    ///
    /// # Errors
    ///
    /// Fails as [`crate::Client::subscribe`] does, and when waited for in asynchronous code.
    pub fn open(self) -> Result<Subscription, Error> {
        let runtime = Arc::clone(&self.runtime);
        Ok(Subscription { subscription: self.wait()?, runtime })
    }
}
