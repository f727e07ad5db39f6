//! The resources that a legacy server watches on one connection, and for how many subscriptions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use crate::lock::lock;

/// Who wants what watched.
///
/// The server knows a resource as watched or not, whoever asked, so a resource is taken back with
/// the last subscription to it, and asked for again only when that was heard.
#[derive(Debug, Default)]
pub(crate) struct Watchlist(Mutex<HashMap<String, Watch>>);

#[derive(Debug)]
enum Watch {
    /// By how many subscriptions, and whether the server may watch it by now.
    Held { holders: usize, is_watched: bool },
    /// The last has gone, and the server is being told.
    Leaving(watch::Receiver<()>),
}

/// A resource that is being taken back, until this is dropped.
pub(super) struct Leaving {
    list: Arc<Watchlist>,
    pub(super) uri: String,
    /// Those who wait hear of the drop.
    _told: watch::Sender<()>,
}

impl Watchlist {
    /// Counts one more subscription, as soon as nobody is taking the resource back.
    pub(super) async fn join(&self, uri: &str) {
        loop {
            let mut leaving = {
                let mut watches = lock(&self.0);
                let unwatched = || Watch::Held { holders: 0, is_watched: false };
                match watches.entry(uri.to_owned()).or_insert_with(unwatched) {
                    Watch::Held { holders, .. } => {
                        *holders += 1;
                        return;
                    }
                    Watch::Leaving(told) => told.clone(),
                }
            };
            // Nothing is ever sent: this waits for the end of the sender.
            let _ = leaving.changed().await;
        }
    }

    /// Counts one subscription less.  Where it was the last, and the server may watch the
    /// resource, it has to be told.
    pub(super) fn leave(self: &Arc<Self>, uri: &str, is_refused: bool) -> Option<Leaving> {
        let mut watches = lock(&self.0);
        let Watch::Held { holders, is_watched } = watches.get_mut(uri)? else { return None };
        *holders -= 1;
        *is_watched |= !is_refused;
        match (*holders, *is_watched) {
            (0, false) => {
                watches.remove(uri);
                None
            }
            (0, true) => {
                let (told, leaving) = watch::channel(());
                watches.insert(uri.to_owned(), Watch::Leaving(leaving));
                Some(Leaving { list: Arc::clone(self), uri: uri.to_owned(), _told: told })
            }
            _ => None,
        }
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        lock(&self.list.0).remove(&self.uri);
    }
}
