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

impl SubscriptionFilter {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        let flags =
            [self.tools_list_changed, self.prompts_list_changed, self.resources_list_changed];
        let resources = self.resource_subscriptions.as_deref().unwrap_or_default();
        !flags.contains(&Some(true)) && resources.is_empty()
    }

    /// What is in this filter and not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let flag = |ours: Option<bool>, theirs| ours.filter(|&it| it && theirs != Some(true));
        let theirs = other.resource_subscriptions.as_deref().unwrap_or_default();
        let resources = self.resource_subscriptions.iter().flatten();
        let resources: Vec<String> = resources.filter(|it| !theirs.contains(it)).cloned().collect();
        Self {
            tools_list_changed: flag(self.tools_list_changed, other.tools_list_changed),
            prompts_list_changed: flag(self.prompts_list_changed, other.prompts_list_changed),
            resources_list_changed: flag(self.resources_list_changed, other.resources_list_changed),
            resource_subscriptions: Some(resources).filter(|it| !it.is_empty()),
            ..Self::default()
        }
    }
}

object! {
    /// What `subscriptions/listen` is asked with.
    #[derive(Default)]
    pub struct SubscriptionsListenParams {
        /// Which notifications to send.
        pub notifications: SubscriptionFilter => "notifications" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
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
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What `subscriptions/listen` answers when the server ends the stream in good order.
    #[derive(Default)]
    pub struct SubscriptionsListenResult {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// Metadata, the id of the `subscriptions/listen` request among it.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}
