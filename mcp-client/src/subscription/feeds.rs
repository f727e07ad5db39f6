//! The subscriptions of one client, and which of them a notification belongs to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use mcp_protocol::{
    CancelledNotification, META_SUBSCRIPTION_ID, Notification, RequestId,
    SubscriptionsAcknowledged, method,
};
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::SubscriptionEnd;
use crate::lock::lock;
use crate::notifications::Room;
use crate::subscription::feed::Feed;
use crate::subscription::legacy::covers;

/// Every subscription that is open.
#[derive(Debug)]
pub(crate) struct Feeds {
    open: Mutex<Open>,
    pub(crate) room: Room,
}

#[derive(Debug, Default)]
struct Open {
    /// By the id of the request that listens.
    modern: HashMap<u64, Listening>,
    /// A legacy server does not say for whom it tells something.
    legacy: Vec<Arc<Feed>>,
    tasks: Vec<(Arc<Feed>, AbortHandle)>,
    is_closed: bool,
}

/// A request that listens.
#[derive(Debug)]
struct Listening {
    feed: Arc<Feed>,
    /// Told when the server takes the request back.
    taken_back: Arc<Notify>,
}

impl Feeds {
    pub(crate) fn new(room: Room) -> Self {
        Self { open: Mutex::default(), room }
    }

    /// Keeps a task that is to end with the client.
    pub(crate) fn keep(&self, feed: &Arc<Feed>, task: AbortHandle) {
        let mut open = lock(&self.open);
        open.tasks.retain(|(_, task)| !task.is_finished());
        if open.is_closed {
            task.abort();
            feed.finish(SubscriptionEnd::Closed);
        } else {
            open.tasks.push((Arc::clone(feed), task));
        }
    }

    /// Lets a feed hear what is told under the id of a request, until the guard is dropped.
    pub(crate) fn under(&self, id: u64, feed: &Arc<Feed>) -> Registered<'_> {
        let (feed, taken_back) = (Arc::clone(feed), Arc::default());
        let listening = Listening { feed: Arc::clone(&feed), taken_back: Arc::clone(&taken_back) };
        lock(&self.open).modern.insert(id, listening);
        Registered { feeds: self, feed, id: Some(id), taken_back }
    }

    /// Lets a feed hear what a legacy server tells, until the guard is dropped.
    pub(crate) fn legacy(&self, feed: &Arc<Feed>) -> Registered<'_> {
        lock(&self.open).legacy.push(Arc::clone(feed));
        Registered { feeds: self, feed: Arc::clone(feed), id: None, taken_back: Arc::default() }
    }

    /// Hands a notification to the subscriptions that it belongs to.
    pub(crate) fn publish(&self, notification: &Notification<'_>) {
        let params = notification.params.map_or("{}", |params| params.get());
        if notification.method == method::CANCELLED {
            return self.take_back(params);
        }
        let is_change = CHANGES.contains(&&*notification.method);
        if !is_change && notification.method != method::SUBSCRIPTION_ACKNOWLEDGED {
            return;
        }
        let id = subscription(params);
        let feeds: Vec<Arc<Feed>> = {
            let open = lock(&self.open);
            match id {
                Some(id) => {
                    open.modern.get(&id).map(|it| Arc::clone(&it.feed)).into_iter().collect()
                }
                None => open.legacy.clone(),
            }
        };
        for feed in feeds {
            if !is_change {
                if let Ok(told) = serde_json::from_str::<SubscriptionsAcknowledged>(params) {
                    feed.acknowledge(told.notifications);
                }
            } else if id.is_some()
                || feed.acknowledged().is_some_and(|it| covers(&it, &notification.method, params))
            {
                feed.publish(notification);
            }
        }
    }

    /// Ends the subscription whose request the server takes back.
    fn take_back(&self, params: &str) {
        let cancelled = serde_json::from_str::<CancelledNotification>(params).ok();
        let Some(id) = cancelled.and_then(|it| it.request_id?.as_own()) else { return };
        let open = lock(&self.open);
        let taken_back = open.modern.get(&id).map(|it| Arc::clone(&it.taken_back));
        drop(open);
        if let Some(taken_back) = taken_back {
            taken_back.notify_one();
        }
    }

    /// Ends every subscription, those that are opened later as well.
    pub(crate) fn close(&self) {
        let tasks = {
            let mut open = lock(&self.open);
            open.is_closed = true;
            std::mem::take(&mut open.tasks)
        };
        for (feed, task) in tasks {
            feed.finish(SubscriptionEnd::Closed);
            task.abort();
        }
    }
}

/// A place among the feeds, given up when this is dropped.
pub(crate) struct Registered<'a> {
    feeds: &'a Feeds,
    feed: Arc<Feed>,
    id: Option<u64>,
    taken_back: Arc<Notify>,
}

impl Registered<'_> {
    /// Waits until the server takes the request back.
    pub(crate) async fn taken_back(&self) {
        self.taken_back.notified().await;
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let mut open = lock(&self.feeds.open);
        match self.id {
            Some(id) => _ = open.modern.remove(&id),
            None => open.legacy.retain(|it| !Arc::ptr_eq(it, &self.feed)),
        }
    }
}

/// The subscription that a notification belongs to: the request of ours that opened it.
fn subscription(params: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(default, rename = "_meta")]
        meta: HashMap<String, serde_json::Value>,
    }
    let params = serde_json::from_str::<Params>(params).ok()?;
    let id = params.meta.get(META_SUBSCRIPTION_ID)?;
    serde_json::from_value::<RequestId>(id.clone()).ok()?.as_own()
}

/// What subscriptions are about.
const CHANGES: [&str; 4] = [
    method::TOOLS_CHANGED,
    method::PROMPTS_CHANGED,
    method::RESOURCES_CHANGED,
    method::RESOURCE_UPDATED,
];
