//! What the calls of a client share with the task that reads its connection.

use std::sync::Mutex;

use mcp_cache::Partition;
use mcp_protocol::{
    Era, Implementation, InputRequest, ListRootsResult, LoggingMessage, Notification,
    ProgressNotification, ResourceUpdated, Root, method,
};
use mcp_provider::{BoxError, Extensions, contain, shield};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Asked;
use crate::cache::ResultCache;
use crate::lock::lock;
use crate::notifications::{Hub, Room};
use crate::patience::Patience;
use crate::progress::Tokens;
use crate::settings::Settings;
use crate::subscription::Feeds;
use crate::under_way::{Entered, UnderWay};

/// The part of a client that outlives no connection and holds none.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) hub: Hub,
    pub(crate) feeds: Feeds,
    pub(crate) tokens: Tokens,
    pub(crate) patience: Patience,
    pub(crate) under_way: UnderWay,
    pub(crate) cache: ResultCache,
    pub(crate) partition: Partition,
    /// What the server calls itself, for whoever answers its questions.
    server: Mutex<Implementation>,
}

/// What a hook had to say to a question of the server.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// This, or the refusal that the protocol has for the question.
    Result(Value),
    /// Nothing: the hook for it failed, and there is no way to refuse it.
    Failed,
    /// Nothing: there is no hook for it, and no way to refuse it.
    Nothing,
}

impl Shared {
    pub(crate) fn new(settings: Settings, cache: ResultCache, partition: Partition) -> Self {
        let room = Room {
            entries: settings.limits.notifications,
            bytes: settings.limits.notification_bytes,
        };
        Self {
            settings,
            hub: Hub::new(room),
            feeds: Feeds::new(room),
            tokens: Tokens::default(),
            patience: Patience::default(),
            under_way: UnderWay::default(),
            cache,
            partition,
            server: Mutex::default(),
        }
    }

    /// Notes what travels with a request while it is under way, if a question may come for it by
    /// another way than its own answer.
    pub(crate) fn enter(&self, era: Era, extensions: &Extensions) -> Option<Entered<'_>> {
        let hooks = &self.settings.hooks;
        let may_ask = era == Era::Legacy && (hooks.elicit.is_some() || hooks.sample.is_some());
        may_ask.then(|| self.under_way.enter(extensions.clone()))
    }

    pub(crate) fn warn(&self, warning: &str) {
        // What a server wrote may end up on a terminal, and must not steer it.
        let warning: String = warning.chars().take(LONGEST_WARNING).flat_map(printable).collect();
        // A hook that panics over a warning has nobody left to be reported to.
        let _ = shield(|| (self.settings.on_warning)(&warning));
    }

    pub(crate) fn set_server(&self, server: &Implementation) {
        server.clone_into(&mut lock(&self.server));
    }

    /// Hands a notification to whoever it concerns: listeners first, then the hook for its kind.
    pub(crate) fn notify(&self, notification: &Notification<'_>) {
        let params = notification.params.map_or("{}", |params| params.get());
        // Before anybody hears of a change: whoever does may ask at once.
        self.forget(&notification.method, params);
        self.hub.publish(notification);
        self.feeds.publish(notification);
        match &*notification.method {
            method::PROGRESS => {
                // A report that cannot be read, or under a token of nobody's, is nobody's business.
                let report = serde_json::from_str::<ProgressNotification>(params).ok();
                let listener = report.as_ref().and_then(|report| self.tokens.listener(report));
                if let (Some(report), Some(listener)) = (report, listener) {
                    self.call("on-progress", || listener(report.into()));
                }
            }
            method::MESSAGE => {
                let message = serde_json::from_str::<LoggingMessage>(params);
                if let (Some(hook), Ok(message)) = (&self.settings.on_log, message) {
                    self.call("on-log", || hook(message));
                }
            }
            _ => (),
        }
    }

    /// Forgets the results that a notification makes stale.
    pub(crate) fn forget(&self, changed: &str, params: &str) {
        let methods: &[&str] = match changed {
            method::TOOLS_CHANGED => &[method::LIST_TOOLS],
            method::PROMPTS_CHANGED => &[method::LIST_PROMPTS],
            method::RESOURCES_CHANGED => &[method::LIST_RESOURCES, method::LIST_RESOURCE_TEMPLATES],
            method::RESOURCE_UPDATED => {
                if let Ok(updated) = serde_json::from_str::<ResourceUpdated>(params) {
                    self.cache.invalidate_resource(&self.partition, &updated.uri);
                }
                return;
            }
            _ => return,
        };
        for method in methods {
            self.cache.invalidate_method(&self.partition, method);
        }
    }

    /// Answers a question of the server with the hook for it.
    ///
    /// `extensions` are those of the call during which it asks.
    pub(crate) async fn answer(
        &self,
        method: &str,
        params: Option<Value>,
        extensions: Extensions,
    ) -> Reply {
        let refusal = |otherwise| match mcp_protocol::decline(&json!({ "method": method })) {
            Some(refusal) => Reply::Result(Value::Object(refusal)),
            None => otherwise,
        };
        match self.ask_hook(method, params, extensions).await {
            Some(Ok(answer)) => Reply::Result(answer),
            Some(Err(reason)) => {
                self.warn(&format!("the hook for {method} failed: {reason}"));
                refusal(Reply::Failed)
            }
            None => refusal(Reply::Nothing),
        }
    }

    /// What the hook for a question says; nothing where there is none, or where the client never
    /// declared that it answers such questions: a server may only use what was declared.
    async fn ask_hook(
        &self,
        method: &str,
        params: Option<Value>,
        extensions: Extensions,
    ) -> Option<Result<Value, String>> {
        let Settings { hooks, capabilities, .. } = &self.settings;
        let server = lock(&self.server).clone();
        Some(match InputRequest::from_method(method, params) {
            InputRequest::Elicit(params) => {
                let (hook, mode) = (hooks.elicit.as_ref()?, params.mode()?);
                capabilities.elicitation.as_ref().filter(|it| it.allows(mode))?;
                let asked = Asked { params, server, extensions };
                answered(contain(async { hook.elicit(asked).await }).await)
            }
            InputRequest::CreateMessage(params) => {
                let (hook, declared) = (hooks.sample.as_ref()?, capabilities.sampling.as_ref()?);
                let wants_tools = params.tools.is_some() || params.tool_choice.is_some();
                if wants_tools && declared.tools.is_none() {
                    return None;
                }
                let asked = Asked { params, server, extensions };
                answered(contain(async { hook.sample(asked).await }).await)
            }
            InputRequest::ListRoots => {
                let (hook, _) = (hooks.list_roots.as_ref()?, capabilities.roots.as_ref()?);
                let asked = Asked { params: (), server, extensions };
                answered(contain(async { local(hook.list_roots(asked).await?) }).await)
            }
            _ => return None,
        })
    }

    fn call(&self, hook: &str, call: impl FnOnce()) {
        if let Err(panicked) = shield(call) {
            self.warn(&format!("the {hook} hook {panicked}"));
        }
    }
}

/// What a hook returned, as the JSON that goes to the server, or why there is none.
fn answered<R: Serialize, P: std::fmt::Display>(
    outcome: Result<Result<R, BoxError>, P>,
) -> Result<Value, String> {
    let result = outcome.map_err(|panicked| panicked.to_string())?;
    let result = result.map_err(|error| error.to_string())?;
    serde_json::to_value(result).map_err(|error| error.to_string())
}

/// Roots, if all of them are what the specification allows: files.
fn local(roots: ListRootsResult) -> Result<ListRootsResult, BoxError> {
    let is_file = |root: &&Root| {
        root.uri.get(..FILE.len()).is_some_and(|start| start.eq_ignore_ascii_case(FILE))
    };
    match roots.roots.iter().find(|root| !is_file(root)) {
        Some(root) => Err(format!("{:?} is no root: a root is a {FILE} URI", root.uri).into()),
        None => Ok(roots),
    }
}

/// A character as it can be shown on one line.
fn printable(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let plain = escaped.is_none().then_some(character);
    escaped.into_iter().flatten().chain(plain)
}

/// The parameters of a message, as JSON.
pub(crate) fn params(raw: Option<&serde_json::value::RawValue>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}

/// How many characters of a warning are passed on.
const LONGEST_WARNING: usize = 1000;

const FILE: &str = "file://";
