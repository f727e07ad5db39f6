//! Resources: listed, read, and watched.

use crate::object::object;
use crate::{
    Annotations, CacheScope, Extra, Icon, InputResponses, JsonObject, ResourceContents, ResultType,
};

object! {
    /// A resource that a server can be asked for.
    pub struct Resource {
        /// The address to read it by.
        pub uri: String => "uri",
        /// The name for programs; empty if the server gave none.
        pub name: String => "name" or default,
        /// The name for people.
        pub title: Option<String> => "title",
        /// What the resource is.
        pub description: Option<String> => "description",
        /// The type of its contents.
        pub mime_type: Option<String> => "mimeType",
        /// Its size in bytes, before any encoding.
        pub size: Option<u64> => "size",
        /// Pictures of it.
        pub icons: Option<Vec<Icon>> => "icons",
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl Resource {
    /// Creates a resource at `uri`.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: None,
            annotations: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// Resources whose addresses follow a pattern.
    pub struct ResourceTemplate {
        /// The pattern of their addresses (RFC 6570).
        pub uri_template: String => "uriTemplate",
        /// The name for programs; empty if the server gave none.
        pub name: String => "name" or default,
        /// The name for people.
        pub title: Option<String> => "title",
        /// What the resources are.
        pub description: Option<String> => "description",
        /// The type of their contents, if they share one.
        pub mime_type: Option<String> => "mimeType",
        /// Pictures of them.
        pub icons: Option<Vec<Icon>> => "icons",
        /// For whom they are, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ResourceTemplate {
    /// Creates a template for addresses such as `uri_template`.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: None,
            annotations: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What `resources/list` answers: one page of resources.
    #[derive(Default)]
    pub struct ListResourcesResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The resources, in the server's order.
        pub resources: Vec<Resource> => "resources" or default,
        /// Where the next page begins; an empty cursor is one too.
        pub next_cursor: Option<String> => "nextCursor",
        /// How many milliseconds the answer may be kept.
        pub ttl_ms: Option<f64> => "ttlMs",
        /// With whom the answer may be shared.
        pub cache_scope: Option<CacheScope> => "cacheScope",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What `resources/templates/list` answers: one page of templates.
    #[derive(Default)]
    pub struct ListResourceTemplatesResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The templates, in the server's order.
        pub resource_templates: Vec<ResourceTemplate> => "resourceTemplates" or default,
        /// Where the next page begins; an empty cursor is one too.
        pub next_cursor: Option<String> => "nextCursor",
        /// How many milliseconds the answer may be kept.
        pub ttl_ms: Option<f64> => "ttlMs",
        /// With whom the answer may be shared.
        pub cache_scope: Option<CacheScope> => "cacheScope",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What `resources/read` is asked with.
    pub struct ReadResourceParams {
        /// The address, exactly as the server wrote it.
        pub uri: String => "uri",
        /// Answers to what the server asked in its last answer (2026-07-28).
        pub input_responses: Option<InputResponses> => "inputResponses",
        /// The state from the server's last answer, unchanged (2026-07-28).
        pub request_state: Option<String> => "requestState",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ReadResourceParams {
    /// Creates the parameters that read `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What `resources/read` answers once it is complete.
    #[derive(Default)]
    pub struct ReadResourceResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The contents: of the resource, or of several inside it; none is not "not found".
        pub contents: Vec<ResourceContents> => "contents" or default,
        /// How many milliseconds the answer may be kept.
        pub ttl_ms: Option<f64> => "ttlMs",
        /// With whom the answer may be shared.
        pub cache_scope: Option<CacheScope> => "cacheScope",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What `resources/subscribe` and `resources/unsubscribe` are asked with (2025-11-25 and
    /// before).
    pub struct SubscribeParams {
        /// The resource to watch, or no longer.
        pub uri: String => "uri",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl SubscribeParams {
    /// Creates the parameters that name `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Extra::default() }
    }
}

object! {
    /// `notifications/resources/updated`: a resource changed and may be read again.
    pub struct ResourceUpdated {
        /// The resource, which may lie inside the one that was subscribed to.
        pub uri: String => "uri",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}
