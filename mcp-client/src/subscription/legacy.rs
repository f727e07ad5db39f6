//! Subscriptions of the legacy era: a request for each resource, and lists that come by themselves.

use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{
    Dialect, ResourceUpdated, ServerCapabilities, SubscribeParams, SubscriptionFilter, method,
};
use mcp_provider::Delivery;
use mcp_transport::Failure;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::Error;
use crate::connection::Connection;
use crate::subscription::keep::{Keeper, Opened};
use crate::subscription::watchlist::Leaving;
use crate::task::boxed;

impl Keeper {
    /// Has a legacy server watch the resources, until the connection ends.
    pub(super) async fn watch(
        &self,
        connection: &Arc<Connection>,
        opened: &mut Opened,
    ) -> Result<(), Error> {
        let mut honored = honored(&self.filter, &connection.server().capabilities);
        let resources = honored.resource_subscriptions.take().unwrap_or_default();
        // What is told before the last request is answered counts as well.
        let mut hopeful = honored.clone();
        hopeful.resource_subscriptions = Some(resources.clone());
        let _registered = self.shared.feeds.legacy(&self.feed);
        self.feed.acknowledge(hopeful);
        let mut watched = Watched { keeper: self, connection, resources: Vec::new(), asking: 0 };
        let asked = self.shared.patience.within(self.timeout, watched.add(resources)).await;
        let refused = match asked {
            Some(asked) => asked?,
            None => return Err(Error::timeout(method::SUBSCRIBE, watched.asking, self.timeout)),
        };
        honored.resource_subscriptions =
            Some(watched.resources.clone()).filter(|it| !it.is_empty());
        if honored.is_empty() {
            opened.is_refused = refused.is_none();
            return Err(refused.unwrap_or_else(|| {
                Error::refused("the server does not offer to tell when any of this changes")
            }));
        }
        self.feed.acknowledge(honored);
        self.opened(opened);
        Err(Failure::after_sending(connection.transport.ended().await).into())
    }
}

/// The resources that a legacy server watches for one subscription, until this is dropped.
struct Watched<'a> {
    keeper: &'a Keeper,
    connection: &'a Arc<Connection>,
    resources: Vec<String>,
    /// The request that waits for an answer, or did.
    asking: u64,
}

impl Watched<'_> {
    /// Has the server watch each of these, and returns the last refusal, if there is one.
    ///
    /// # Errors
    ///
    /// Fails where the server cannot be asked, or does not answer.
    async fn add(&mut self, resources: Vec<String>) -> Result<Option<Error>, Error> {
        let mut refused = None;
        for uri in resources {
            // Counted before it is asked for, so that nobody else's end takes it back meanwhile;
            // and taken back when the request is dropped, since the server may have heard it.
            self.connection.watched.join(&uri).await;
            self.resources.push(uri.clone());
            let params = SubscribeParams::new(&*uri);
            let (id, request) =
                self.keeper.request(&Dialect::Legacy, method::SUBSCRIBE, &params)?;
            self.asking = id;
            match self.connection.transport.request(request).await.map_err(Error::from) {
                Ok(_) => (),
                Err(error @ Error::Protocol { delivery: Delivery::Answered, .. }) => {
                    self.resources.pop();
                    let left = self.connection.watched.leave(&uri, true);
                    self.unwatch(left.into_iter().collect());
                    refused = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(refused)
    }

    /// Tells the server in the background, for as long as the client is open.
    fn unwatch(&self, leaving: Vec<Leaving>) {
        let (keeper, connection) = (self.keeper, Arc::clone(self.connection));
        let Ok(runtime) = Handle::try_current() else { return };
        if leaving.is_empty() || !connection.transport.is_alive() {
            return;
        }
        let requests = leaving.into_iter().filter_map(|leaving| {
            let params = SubscribeParams::new(&*leaving.uri);
            let request = keeper.request(&Dialect::Legacy, method::UNSUBSCRIBE, &params);
            Some((leaving, request.ok()?.1))
        });
        let requests: Vec<_> = requests.collect();
        let task = runtime.spawn(boxed(async move {
            for (_leaving, request) in requests {
                // Nobody hears of it any more, whatever the server says.
                let asked = timeout(LONGEST_FAREWELL, connection.transport.request(request));
                if asked.await.is_err() {
                    return;
                }
            }
        }));
        keeper.shared.feeds.keep(&keeper.feed, task.abort_handle());
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let resources = std::mem::take(&mut self.resources);
        let watched = &self.connection.watched;
        let leaving = resources.iter().filter_map(|uri| watched.leave(uri, false));
        self.unwatch(leaving.collect());
    }
}

/// How long a server may take to stop watching a resource; after that it is left alone.
const LONGEST_FAREWELL: Duration = Duration::from_secs(5);

/// The part of a filter that a legacy server declares to be able to honor.
fn honored(filter: &SubscriptionFilter, declared: &ServerCapabilities) -> SubscriptionFilter {
    let flag = |asked: Option<bool>, declared: Option<bool>| {
        asked.filter(|&asked| asked && declared == Some(true))
    };
    let (tools, prompts, resources) = (&declared.tools, &declared.prompts, &declared.resources);
    let watches = resources.as_ref().is_some_and(|it| it.subscribe == Some(true));
    let mut wanted: Vec<String> = Vec::new();
    for uri in filter.resource_subscriptions.iter().flatten().filter(|_| watches) {
        if !wanted.contains(uri) {
            wanted.push(uri.clone());
        }
    }
    let mut honored = SubscriptionFilter::default();
    honored.tools_list_changed =
        flag(filter.tools_list_changed, tools.as_ref().and_then(|it| it.list_changed));
    honored.prompts_list_changed =
        flag(filter.prompts_list_changed, prompts.as_ref().and_then(|it| it.list_changed));
    honored.resources_list_changed =
        flag(filter.resources_list_changed, resources.as_ref().and_then(|it| it.list_changed));
    honored.resource_subscriptions = Some(wanted);
    honored
}

/// Whether a filter asks for a change, of which a legacy server does not say for whom it tells it.
pub(super) fn covers(filter: &SubscriptionFilter, changed: &str, params: &str) -> bool {
    match changed {
        method::TOOLS_CHANGED => filter.tools_list_changed == Some(true),
        method::PROMPTS_CHANGED => filter.prompts_list_changed == Some(true),
        method::RESOURCES_CHANGED => filter.resources_list_changed == Some(true),
        method::RESOURCE_UPDATED => {
            let Ok(updated) = serde_json::from_str::<ResourceUpdated>(params) else { return false };
            filter.resource_subscriptions.iter().flatten().any(|uri| within(&updated.uri, uri))
        }
        _ => false,
    }
}

/// Whether a resource is `outer`, or lies inside it.
fn within(uri: &str, outer: &str) -> bool {
    uri.strip_prefix(outer).is_some_and(|rest| {
        rest.is_empty() || outer.ends_with('/') || rest.starts_with(['/', '#', '?'])
    })
}
