//! What a server offers beside tools: prompts, resources and templates.

use std::future::Future;

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::handler::Handler;
use crate::{ToolContext, ToolOutput};

/// A prompt.  Its handler returns the text of one user message, or a whole result.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub(crate) name: String,
    pub(crate) handler: Handler,
    members: JsonObject,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new<F, R>(
        name: impl Into<String>,
        handler: impl Fn(JsonObject, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<ToolOutput>,
    {
        Self { name: name.into(), handler: Handler::new(handler), members: JsonObject::new() }
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.member("description", Value::String(description.into()))
    }

    /// Declares an argument.
    #[must_use]
    pub fn argument(mut self, name: &str, is_required: bool) -> Self {
        let argument = json!({ "name": name, "required": is_required });
        match self.members.get_mut("arguments").and_then(Value::as_array_mut) {
            Some(arguments) => arguments.push(argument),
            None => return self.member("arguments", json!([argument])),
        }
        self
    }

    /// Sets another member of the prompt's listing.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: Value) -> Self {
        self.members.insert(name.into(), value);
        self
    }

    pub(crate) fn listing(&self) -> Value {
        listed([("name", &self.name)], &self.members)
    }
}

/// A resource, or a family of them.  Its handler returns the text, or a whole result; its
/// arguments are `{"uri": …}`.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) uri: String,
    pub(crate) handler: Handler,
    pub(crate) cache: Option<CacheHint>,
    pub(crate) media_type: String,
    pub(crate) is_template: bool,
    name: String,
    members: JsonObject,
}

impl Resource {
    /// A resource of plain text.
    pub fn new<F, R>(
        uri: impl Into<String>,
        name: impl Into<String>,
        handler: impl Fn(JsonObject, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<ToolOutput>,
    {
        Self {
            uri: uri.into(),
            name: name.into(),
            handler: Handler::new(handler),
            cache: None,
            media_type: "text/plain".to_owned(),
            is_template: false,
            members: JsonObject::new(),
        }
    }

    /// Makes the URI a template, such as `test://notes/{name}`: every URI that starts like it is
    /// read here.
    #[must_use]
    pub fn template(self) -> Self {
        Self { is_template: true, ..self }
    }

    /// Says how long a modern client may keep what it read: `ttlMs` and `cacheScope`.
    #[must_use]
    pub fn cache(self, ttl_ms: i64, scope: &str) -> Self {
        Self { cache: Some(CacheHint { ttl_ms, scope: scope.to_owned() }), ..self }
    }

    /// Sets the media type.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), ..self }
    }

    /// Sets another member of the resource's listing.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: Value) -> Self {
        self.members.insert(name.into(), value);
        self
    }

    pub(crate) fn listing(&self) -> Value {
        let key = if self.is_template { "uriTemplate" } else { "uri" };
        let known = [(key, &self.uri), ("name", &self.name), ("mimeType", &self.media_type)];
        listed(known, &self.members)
    }

    pub(crate) fn serves(&self, uri: &str) -> bool {
        match self.uri.split_once('{') {
            Some((start, _)) if self.is_template => uri.starts_with(start),
            _ => uri == self.uri,
        }
    }
}

/// How long a result may be kept, and by whom; not checked, so that it may be wrong.
#[derive(Clone, Debug)]
pub(crate) struct CacheHint {
    pub(crate) ttl_ms: i64,
    pub(crate) scope: String,
}

impl CacheHint {
    pub(crate) fn stamp(&self, result: &mut JsonObject) {
        result.insert("ttlMs".to_owned(), json!(self.ttl_ms));
        result.insert("cacheScope".to_owned(), json!(self.scope));
    }
}

fn listed<const N: usize>(known: [(&str, &String); N], members: &JsonObject) -> Value {
    let mut listing: JsonObject =
        known.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    listing.extend(members.clone());
    Value::Object(listing)
}
