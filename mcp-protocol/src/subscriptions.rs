//! A long-lived stream of notifications: `subscriptions/listen` (2026-07-28).

use crate::object::object;
use crate::{JsonObject, ResultType};

object! {
    /// Which notifications to send; what is not asked for never comes.
    #[derive(Default)]
    pub struct SubscriptionFilter {
        /// Tell when the list of tools changes.
        pub tools_list_changed: Option<bool> => "toolsListChanged",
        /// Tell when the list of prompts changes.
        pub prompts_list_changed: Option<bool> => "promptsListChanged",
        /// Tell when the list of resources changes.
        pub resources_list_changed: Option<bool> => "resourcesListChanged",
        /// Tell when one of these resources changes.
        pub resource_subscriptions: Option<Vec<String>> => "resourceSubscriptions",
    }
}

object! {
    /// What `subscriptions/listen` is asked with.
    #[derive(Default)]
    pub struct SubscriptionsListenParams {
        /// Which notifications to send.
        pub notifications: SubscriptionFilter => "notifications" or default,
        /// Metadata.
        pub meta: Option<JsonObject> => "_meta",
    }
}

impl From<SubscriptionFilter> for SubscriptionsListenParams {
    fn from(notifications: SubscriptionFilter) -> Self {
        Self { notifications, ..Self::default() }
    }
}

object! {
    /// `notifications/subscriptions/acknowledged`: what the server agreed to send.
    #[derive(Default)]
    pub struct SubscriptionsAcknowledged {
        /// The part of the filter that the server will honor.
        pub notifications: SubscriptionFilter => "notifications" or default,
        /// Metadata, the id of the `subscriptions/listen` request among it.
        pub meta: Option<JsonObject> => "_meta",
    }
}

object! {
    /// What `subscriptions/listen` answers when the server ends the stream in good order.
    #[derive(Default)]
    pub struct SubscriptionsListenResult {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// Metadata, the id of the `subscriptions/listen` request among it.
        pub meta: Option<JsonObject> => "_meta",
    }
}
