//! What one subscription has been told.

use std::sync::{Arc, Mutex};

use mcp_protocol as protocol;
use mcp_protocol::SubscriptionFilter;
use tokio::sync::watch;

use crate::lock::lock;
use crate::notifications::{Queue, Room};
use crate::{Notification, SubscriptionEnd, SubscriptionEvent};

/// Where the changes of one subscription wait to be fetched.
#[derive(Debug)]
pub(crate) struct Feed {
    queue: Queue,
    room: Room,
    /// How many times the server has acknowledged it.
    acknowledgements: watch::Sender<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    acknowledged: Option<SubscriptionFilter>,
    end: Option<SubscriptionEnd>,
}

impl Feed {
    pub(crate) fn new(room: Room) -> Arc<Self> {
        let (queue, acknowledgements) = (Queue::default(), watch::Sender::new(0));
        Arc::new(Self { queue, room, acknowledgements, state: Mutex::default() })
    }

    pub(crate) async fn next(&self) -> Option<SubscriptionEvent> {
        let notification = self.queue.next().await?;
        Some(match notification.method.as_str() {
            REOPENED => SubscriptionEvent::Reopened,
            _ => SubscriptionEvent::Changed(notification),
        })
    }

    pub(crate) fn lost(&self) -> u64 {
        self.queue.lost()
    }

    pub(crate) fn acknowledged(&self) -> Option<SubscriptionFilter> {
        lock(&self.state).acknowledged.clone()
    }

    pub(crate) fn end(&self) -> Option<SubscriptionEnd> {
        lock(&self.state).end.clone()
    }

    /// The server has said what it will tell.
    pub(crate) fn acknowledge(&self, filter: SubscriptionFilter) {
        lock(&self.state).acknowledged = Some(filter);
        self.acknowledgements.send_modify(|count| *count += 1);
    }

    /// Hears of acknowledgements from now on.
    pub(crate) fn acknowledgements(&self) -> watch::Receiver<u64> {
        self.acknowledgements.subscribe()
    }

    pub(crate) fn publish(&self, notification: &protocol::Notification<'_>) {
        self.queue.add(Arc::new(Notification::from(notification)), self.room);
    }

    /// Marks where changes may be missing.
    pub(crate) fn reopened(&self) {
        let mark = Notification { method: REOPENED.to_owned(), params: Box::default() };
        self.queue.add(Arc::new(mark), self.room);
    }

    /// Ends the feed, once.
    pub(crate) fn finish(&self, end: SubscriptionEnd) {
        lock(&self.state).end.get_or_insert(end);
        self.queue.close();
    }
}

/// The name of a mark in the queue, which is that of no change.
const REOPENED: &str = "subscription reopened";
