//! A gate that opens once.

use std::sync::Arc;

use tokio::sync::watch;

/// A gate that opens once and stays open.  Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Latch(Arc<watch::Sender<bool>>);

impl Latch {
    /// A gate that is shut.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Lets everybody through, now and from now on.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the gate is open.
    pub async fn opened(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|is_open| *is_open).await;
    }
}

impl Default for Latch {
    fn default() -> Self {
        Self::new()
    }
}
