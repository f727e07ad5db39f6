//! Subscriptions of the legacy era: a request for each resource, and lists that come by themselves.

use std::sync::{Arc, Weak};

use mcp_protocol::{
    ResourceUpdated, ServerCapabilities, SubscribeParams, SubscriptionFilter, method,
};
use mcp_transport::Failure;
use tokio::runtime::Handle;

use crate::Error;
use crate::call::Options;
use crate::connection::Connection;
use crate::inner::Inner;
use crate::lock::lock;
use crate::request::Question;
use crate::subscription::keep::{Keeper, Opened};

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
        let mut watched =
            Watched { inner: Weak::clone(&self.inner), connection, resources: Vec::new() };
        let mut refused = None;
        for uri in resources {
            let inner = self.inner.upgrade().ok_or(Error::TransportClosed { is_sent: false })?;
            match watched.add(&inner, uri, &Options::within(self.timeout)).await {
                Ok(()) => (),
                // The whole of it begins anew with the session.
                Err(error @ Error::SessionExpired { .. }) => return Err(error),
                Err(error) => refused = Some(error),
            }
        }
        honored.resource_subscriptions =
            Some(watched.resources.clone()).filter(|it| !it.is_empty());
        if honored.is_empty() {
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
    inner: Weak<Inner>,
    connection: &'a Arc<Connection>,
    resources: Vec<String>,
}

impl Watched<'_> {
    async fn add(&mut self, inner: &Inner, uri: String, options: &Options) -> Result<(), Error> {
        // Counted before it is asked for, so that nobody else's end takes it back meanwhile; and
        // taken back when the request is dropped, since the server may have heard it.
        *lock(&self.connection.watched).entry(uri.clone()).or_default() += 1;
        self.resources.push(uri.clone());
        let params = SubscribeParams::new(uri);
        let question = Question::new(method::SUBSCRIBE, Some(&params));
        let asked = inner.ask_on(self.connection, &question, options).await;
        if asked.is_err()
            && let Some(uri) = self.resources.pop()
        {
            release(self.connection, &uri);
        }
        asked.map(drop)
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let unwatched = self.resources.drain(..).filter(|uri| release(self.connection, uri));
        let unwatched: Vec<String> = unwatched.collect();
        let connection = Arc::clone(self.connection);
        let (Some(inner), Ok(runtime)) = (self.inner.upgrade(), Handle::try_current()) else {
            return;
        };
        if unwatched.is_empty() || !connection.transport.is_alive() {
            return;
        }
        let options = Options::within(inner.shared.settings.request_timeout);
        let inner = Arc::downgrade(&inner);
        runtime.spawn(async move {
            for uri in unwatched {
                let Some(inner) = inner.upgrade() else { return };
                let params = SubscribeParams::new(uri);
                let question = Question::new(method::UNSUBSCRIBE, Some(&params));
                // Nobody hears of it any more, whatever the server says.
                let _ = inner.ask_on(&connection, &question, &options).await;
            }
        });
    }
}

/// Takes one subscription's interest in a resource back, and says whether it was the last.
fn release(connection: &Connection, uri: &str) -> bool {
    let mut watched = lock(&connection.watched);
    let Some(count) = watched.get_mut(uri) else { return false };
    *count -= 1;
    if *count == 0 {
        watched.remove(uri);
        return true;
    }
    false
}

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
