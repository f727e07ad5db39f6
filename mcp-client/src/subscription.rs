//! Being told when something changes, in either era.

mod feed;
mod feeds;
mod keep;
mod legacy;
mod watchlist;

use std::sync::Arc;

use mcp_protocol::SubscriptionFilter;
use tokio::task::AbortHandle;

use crate::{Error, Notification};

pub(crate) use self::feeds::Feeds;
pub(crate) use self::watchlist::Watchlist;

use self::feed::Feed;

/// The changes that a server was asked to tell of.
///
/// They arrive among the client's other notifications as well, and make kept results stale before
/// either hears of them.  Dropping this ends the subscription, and the server is told; it does not
/// keep the client open.
#[derive(Debug)]
pub struct Subscription {
    asked: SubscriptionFilter,
    feed: Arc<Feed>,
    task: AbortHandle,
}

/// What a subscription brings.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum SubscriptionEvent {
    /// Something changed: the server's notification.
    Changed(Notification),
    /// The subscription broke off and was opened again: what changed meanwhile was not told.
    Reopened,
}

/// How a subscription ended.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum SubscriptionEnd {
    /// The server ended it in good order.
    Graceful,
    /// It broke off.  Changes since then were not told.
    Broken(Error),
    /// The client was closed.
    Closed,
}

impl Subscription {
    /// The part of the filter that the server honors; it may be another after it was reopened.
    pub fn acknowledged(&self) -> SubscriptionFilter {
        self.feed.acknowledged().unwrap_or_default()
    }

    /// The part of the filter that the server does not honor; nothing is told of that.
    pub fn missing(&self) -> SubscriptionFilter {
        self.asked.without(&self.acknowledged())
    }

    /// Waits for the next change; nothing once the subscription has ended and all was fetched.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<SubscriptionEvent> {
        self.feed.next().await
    }

    /// How many changes were lost because nobody fetched them in time: the oldest ones.
    pub fn lost(&self) -> u64 {
        self.feed.lost()
    }

    /// How it ended; nothing while it goes on.
    pub fn end(&self) -> Option<SubscriptionEnd> {
        self.feed.end()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Subscription {
    fn new(asked: SubscriptionFilter, feed: Arc<Feed>, task: AbortHandle) -> Self {
        Self { asked, feed, task }
    }
}
