//! What servers say of their own accord, for whoever waits for it.

use std::sync::Arc;

use crate::Notification;
use crate::blocking::background::Background;

/// Every notification from the moment it was subscribed to; an iterator that waits for each.
///
/// It ends when the client is closed.  In asynchronous code it gives nothing, and loses nothing.
#[derive(Debug)]
pub struct Notifications {
    pub(super) notifications: crate::Notifications,
    pub(super) runtime: Arc<Background>,
}

impl Notifications {
    /// How many notifications were lost because nobody fetched them in time.
    pub fn lost(&self) -> u64 {
        self.notifications.lost()
    }
}

impl Iterator for Notifications {
    type Item = Notification;

    fn next(&mut self) -> Option<Notification> {
        self.runtime.wait(self.notifications.next()).ok().flatten()
    }
}
