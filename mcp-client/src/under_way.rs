//! The requests that are under way, for the questions that a legacy server asks during them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_provider::Extensions;

use crate::lock::lock;

/// The requests that are under way, each with what travels with its call.
#[derive(Default)]
pub(crate) struct UnderWay {
    requests: Mutex<Vec<(u64, Extensions)>>,
    entered: AtomicU64,
}

/// A request that is under way until this is dropped.
pub(crate) struct Entered<'a> {
    under_way: &'a UnderWay,
    number: u64,
}

impl UnderWay {
    pub(crate) fn enter(&self, extensions: Extensions) -> Entered<'_> {
        let number = self.entered.fetch_add(1, Ordering::Relaxed);
        lock(&self.requests).push((number, extensions));
        Entered { under_way: self, number }
    }

    /// What travels with the only request that is under way.
    ///
    /// Nothing where there are several: a legacy server does not say which one it asks for.
    pub(crate) fn only(&self) -> Extensions {
        match &**lock(&self.requests) {
            [(_, extensions)] => extensions.clone(),
            _ => Extensions::default(),
        }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut requests = lock(&self.under_way.requests);
        let place = requests.iter().position(|(number, _)| *number == self.number);
        let gone = place.map(|place| requests.swap_remove(place));
        drop(requests);
        // What travels with a call is somebody else's code.
        drop(gone);
    }
}
