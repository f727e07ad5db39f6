//! The wires of one client, from when they are opened until their servers have ended.

use std::sync::{Arc, Mutex};

use mcp_transport::Transport;

use crate::lock::lock;
use crate::task::spawn;

/// Every transport of one client that may still have a server at the other end.
///
/// There is one, but for the time in which another takes its place.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<Vec<Arc<dyn Transport>>>);

impl Opened {
    pub(crate) fn add(&self, transport: &Arc<dyn Transport>) {
        let mut transports = lock(&self.0);
        // One that has ended is kept for as long as somebody waits on it.
        transports.retain(|it| it.is_alive() || Arc::strong_count(it) > 1);
        transports.push(Arc::clone(transport));
    }

    /// Closes one that is of no use, in the background: a server may take its time over it.
    pub(crate) fn discard(self: &Arc<Self>, transport: &Arc<dyn Transport>) {
        let (opened, transport) = (Arc::clone(self), Arc::clone(transport));
        spawn(async move {
            transport.close().await;
            opened.remove(&transport);
        });
    }

    /// Closes all of them, and waits for those that are closed already in the background.
    pub(crate) async fn close(&self) {
        let transports = lock(&self.0).clone();
        for transport in transports {
            transport.close().await;
            self.remove(&transport);
        }
    }

    /// Lets go of all of them; their servers are ended in the background.
    pub(crate) fn abandon(&self) {
        let transports = std::mem::take(&mut *lock(&self.0));
        drop(transports);
    }

    fn remove(&self, transport: &Arc<dyn Transport>) {
        lock(&self.0).retain(|it| !Arc::ptr_eq(it, transport));
    }
}
