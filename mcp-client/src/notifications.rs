//! What servers say of their own accord, for whoever listens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

use mcp_protocol as protocol;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::lock::lock;

/// A notification from the server.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Notification {
    /// What it is about, such as `notifications/tools/list_changed`.
    pub method: String,
    /// Its parameters as the JSON text of an object.
    pub params: Box<RawValue>,
}

impl Notification {
    /// Reads the parameters into a type.
    ///
    /// # Errors
    ///
    /// Fails where they do not fit it.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.params.get())
    }

    fn len(&self) -> usize {
        self.method.len() + self.params.get().len()
    }
}

impl From<&protocol::Notification<'_>> for Notification {
    fn from(notification: &protocol::Notification<'_>) -> Self {
        let empty = || RawValue::from_string("{}".to_owned()).unwrap_or_default();
        Self {
            method: notification.method.to_string(),
            params: notification.params.map_or_else(empty, ToOwned::to_owned),
        }
    }
}

/// Every notification from the moment it was subscribed to, in the order of arrival.
///
/// It ends when the client is closed.  A listener that falls behind loses the oldest ones, and is
/// told how many.
#[derive(Debug)]
pub struct Notifications(Arc<Queue>);

impl Notifications {
    /// Waits for the next notification; nothing once the client is closed.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Notification> {
        self.0.next().await
    }

    /// How many notifications were lost because nobody fetched them in time.
    pub fn lost(&self) -> u64 {
        self.0.lost()
    }
}

/// What waits for one listener.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    added: Notify,
}

impl Queue {
    /// Waits for the next notification; nothing once the queue is closed and empty.
    pub(crate) async fn next(&self) -> Option<Notification> {
        loop {
            let added = self.added.notified();
            {
                let mut waiting = lock(&self.waiting);
                if let Some(notification) = waiting.take() {
                    return Some(Notification::clone(&notification));
                }
                if waiting.is_closed {
                    return None;
                }
            }
            added.await;
        }
    }

    pub(crate) fn lost(&self) -> u64 {
        lock(&self.waiting).lost
    }

    pub(crate) fn add(&self, notification: Arc<Notification>, room: Room) {
        lock(&self.waiting).add(notification, room);
        self.added.notify_one();
    }

    /// Ends the queue; what is in it can still be fetched.
    pub(crate) fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.added.notify_one();
    }
}

#[derive(Debug, Default)]
struct Waiting {
    notifications: VecDeque<Arc<Notification>>,
    bytes: usize,
    lost: u64,
    is_closed: bool,
}

impl Waiting {
    fn take(&mut self) -> Option<Arc<Notification>> {
        let notification = self.notifications.pop_front()?;
        self.bytes -= notification.len();
        Some(notification)
    }

    /// Adds a notification, and drops old ones until there is room for it.
    fn add(&mut self, notification: Arc<Notification>, limits: Room) {
        self.bytes += notification.len();
        self.notifications.push_back(notification);
        while self.notifications.len() > limits.entries || self.bytes > limits.bytes {
            self.lost += u64::from(self.take().is_some());
        }
    }
}

/// How much may wait for one listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

/// Where notifications are published.
#[derive(Debug)]
pub(crate) struct Hub {
    listeners: Mutex<Listeners>,
    room: Room,
}

#[derive(Debug, Default)]
struct Listeners {
    queues: Vec<Weak<Queue>>,
    is_closed: bool,
}

impl Hub {
    pub(crate) fn new(room: Room) -> Self {
        Self { listeners: Mutex::default(), room }
    }

    pub(crate) fn subscribe(&self) -> Notifications {
        let mut listeners = lock(&self.listeners);
        let waiting = Waiting { is_closed: listeners.is_closed, ..Waiting::default() };
        let queue = Arc::new(Queue { waiting: Mutex::new(waiting), added: Notify::new() });
        listeners.queues.retain(|queue| queue.strong_count() > 0);
        listeners.queues.push(Arc::downgrade(&queue));
        Notifications(queue)
    }

    pub(crate) fn publish(&self, notification: &protocol::Notification<'_>) {
        let queues = self.queues();
        if queues.is_empty() {
            return;
        }
        let notification = Arc::new(Notification::from(notification));
        for queue in queues {
            queue.add(Arc::clone(&notification), self.room);
        }
    }

    /// Ends every stream, those of later subscribers as well.
    pub(crate) fn close(&self) {
        lock(&self.listeners).is_closed = true;
        for queue in self.queues() {
            queue.close();
        }
    }

    fn queues(&self) -> Vec<Arc<Queue>> {
        lock(&self.listeners).queues.iter().filter_map(Weak::upgrade).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publish(hub: &Hub, method: &str) {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"a":1}}}}"#);
        match protocol::Inbound::parse(text.as_bytes()).unwrap() {
            protocol::Inbound::Notification(notification) => hub.publish(&notification),
            other => panic!("{other:?}"),
        }
    }

    /// B-LOG-1: live, for many, in order, until closed.
    #[tokio::test]
    async fn every_listener_hears_all_from_its_subscription_on() {
        let hub = Hub::new(Room { entries: 10, bytes: 1000 });
        publish(&hub, "missed");
        let (mut first, mut second) = (hub.subscribe(), hub.subscribe());
        publish(&hub, "a");
        let mut third = hub.subscribe();
        publish(&hub, "b");
        hub.close();
        for (listener, expected) in
            [(&mut first, &["a", "b"][..]), (&mut second, &["a", "b"]), (&mut third, &["b"])]
        {
            for &method in expected {
                assert_eq!(listener.next().await.unwrap().method, method);
            }
            assert!(listener.next().await.is_none());
            assert_eq!(listener.lost(), 0);
        }
        assert!(hub.subscribe().next().await.is_none());
    }

    #[tokio::test]
    async fn a_slow_listener_loses_the_oldest_and_learns_how_many() {
        // Each is a method of one byte and parameters of seven.
        for (entries, bytes) in [(2, 1000), (100, 16)] {
            let hub = Hub::new(Room { entries, bytes });
            let mut slow = hub.subscribe();
            for method in ["a", "b", "c", "d", "e"] {
                publish(&hub, method);
            }
            assert_eq!(slow.lost(), 3);
            assert_eq!(slow.next().await.unwrap().method, "d");
            assert_eq!(slow.next().await.unwrap().method, "e");
        }
    }

    #[tokio::test]
    async fn a_listener_that_is_gone_costs_nothing() {
        let hub = Hub::new(Room { entries: 2, bytes: 1000 });
        drop(hub.subscribe());
        publish(&hub, "a");
        assert!(hub.queues().is_empty());
    }
}
