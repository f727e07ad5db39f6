//! Who wants to know what changed.

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::server::connection::Connection;
use crate::{Change, Server};

/// One `subscriptions/listen` that goes on.
pub(super) struct Subscription {
    id: Value,
    filter: JsonObject,
}

impl Connection {
    /// Starts a subscription: it is acknowledged at once, and answered when it ends.
    pub(super) fn listen(&self, id: Value, params: &JsonObject) {
        let wanted = params.get("notifications").unwrap_or(&Value::Null);
        let filter = self.server.accepted(wanted);
        let mut params = stamp(&id);
        params.insert("notifications".to_owned(), Value::Object(filter.clone()));
        // Both under one lock: nothing may be sent on a subscription before it is acknowledged.
        let mut state = self.state();
        self.notify("notifications/subscriptions/acknowledged", &params);
        state.subscriptions.push(Subscription { id, filter });
    }

    /// Ends the subscription that the request `id` started; it gets no answer.
    pub(super) fn end_subscription(&self, id: &Value) {
        self.state().subscriptions.retain(|subscription| subscription.id != *id);
    }

    /// Ends all subscriptions, and answers the requests that started them.
    pub(super) fn end_subscriptions(&self) {
        let subscriptions = std::mem::take(&mut self.state().subscriptions);
        for Subscription { id, .. } in subscriptions {
            let mut result = JsonObject::new();
            result.insert("resultType".to_owned(), json!("complete"));
            result.insert("_meta".to_owned(), json!({ SUBSCRIPTION_KEY: id }));
            self.answer(&id, Ok(Value::Object(result)));
        }
    }

    /// Tells the client what changed, once for each subscription that covers it.
    pub(super) fn changed(&self, change: &Change) {
        let state = self.state();
        for subscription in state.subscriptions.iter().filter(|it| it.covers(change)) {
            let mut params = about(change);
            params.extend(stamp(&subscription.id));
            self.notify(method(change), &params);
        }
        let is_subscribed = match change {
            Change::Resource(uri) => state.legacy_subscriptions.contains(uri),
            _ => true,
        };
        if state.session.is_some() && is_subscribed {
            self.notify(method(change), &about(change));
        }
    }
}

impl Subscription {
    fn covers(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.filter.get("resourceSubscriptions").is_some_and(|uris| {
                uris.as_array().is_some_and(|uris| uris.iter().any(|it| it == uri))
            }),
            Change::Tools => self.filter.contains_key("toolsListChanged"),
            Change::Prompts => self.filter.contains_key("promptsListChanged"),
            Change::Resources => self.filter.contains_key("resourcesListChanged"),
        }
    }
}

impl Server {
    /// The part of a filter that this server can serve.
    fn accepted(&self, wanted: &Value) -> JsonObject {
        let mut accepted = JsonObject::new();
        let served = [
            ("toolsListChanged", true),
            ("promptsListChanged", !self.prompts.is_empty()),
            ("resourcesListChanged", !self.resources.is_empty()),
        ];
        for (key, is_served) in served {
            if is_served && wanted.get(key) == Some(&json!(true)) {
                accepted.insert(key.to_owned(), json!(true));
            }
        }
        match wanted.get("resourceSubscriptions") {
            Some(Value::Array(uris)) if !self.resources.is_empty() => {
                accepted.insert("resourceSubscriptions".to_owned(), json!(uris));
            }
            _ => {}
        }
        accepted
    }
}

fn method(change: &Change) -> &'static str {
    match change {
        Change::Prompts => "notifications/prompts/list_changed",
        Change::Resource(_) => "notifications/resources/updated",
        Change::Resources => "notifications/resources/list_changed",
        Change::Tools => "notifications/tools/list_changed",
    }
}

fn about(change: &Change) -> JsonObject {
    let mut params = JsonObject::new();
    if let Change::Resource(uri) = change {
        params.insert("uri".to_owned(), json!(uri));
    }
    params
}

fn stamp(id: &Value) -> JsonObject {
    let mut params = JsonObject::new();
    params.insert("_meta".to_owned(), json!({ SUBSCRIPTION_KEY: id }));
    params
}

const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";
