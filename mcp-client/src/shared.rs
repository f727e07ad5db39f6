//! What the calls of a client share with the task that reads its connection.

use std::sync::Mutex;

use mcp_cache::Partition;
use mcp_protocol::{
    ElicitMode, Implementation, InputRequest, LoggingMessage, Notification, ProgressNotification,
    ResourceUpdated, method,
};
use mcp_provider::{BoxError, contain, shield};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Asked;
use crate::cache::ResultCache;
use crate::lock::lock;
use crate::notifications::{Hub, Room};
use crate::patience::Patience;
use crate::progress::Tokens;
use crate::settings::Settings;

/// The part of a client that outlives no connection and holds none.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) hub: Hub,
    pub(crate) tokens: Tokens,
    pub(crate) patience: Patience,
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
            tokens: Tokens::default(),
            patience: Patience::default(),
            cache,
            partition,
            server: Mutex::default(),
        }
    }

    pub(crate) fn warn(&self, warning: &str) {
        // A hook that panics over a warning has nobody left to be reported to.
        let _ = shield(|| (self.settings.on_warning)(warning));
    }

    pub(crate) fn set_server(&self, server: &Implementation) {
        server.clone_into(&mut lock(&self.server));
    }

    /// Hands a notification to whoever it concerns: listeners first, then the hook for its kind.
    pub(crate) fn notify(&self, notification: &Notification<'_>) {
        self.hub.publish(notification);
        let params = notification.params.map_or("{}", |params| params.get());
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
            method::TOOLS_CHANGED => self.forget(&[method::LIST_TOOLS]),
            method::PROMPTS_CHANGED => self.forget(&[method::LIST_PROMPTS]),
            method::RESOURCES_CHANGED => {
                self.forget(&[method::LIST_RESOURCES, method::LIST_RESOURCE_TEMPLATES]);
            }
            method::RESOURCE_UPDATED => {
                if let Ok(updated) = serde_json::from_str::<ResourceUpdated>(params) {
                    self.cache.invalidate_resource(&self.partition, &updated.uri);
                }
            }
            _ => (),
        }
    }

    /// Answers a question of the server with the hook for it.
    ///
    /// The time that the hook takes is not counted against any request.
    pub(crate) async fn answer(&self, method: &str, params: Option<Value>) -> Reply {
        let _pause = self.patience.pause();
        let refusal = || match mcp_protocol::decline(&json!({ "method": method })) {
            Some(refusal) => Reply::Result(Value::Object(refusal)),
            None => Reply::Nothing,
        };
        let hooks = &self.settings.hooks;
        let server = lock(&self.server).clone();
        let answered = match InputRequest::from_method(method, params) {
            InputRequest::Elicit(params) => match &hooks.elicit {
                Some(hook) if self.declares(params.mode()) => {
                    answered(contain(hook.elicit(Asked { params, server })).await)
                }
                _ => return refusal(),
            },
            InputRequest::CreateMessage(params) => match &hooks.sample {
                Some(hook) => answered(contain(hook.sample(Asked { params, server })).await),
                None => return refusal(),
            },
            InputRequest::ListRoots => match &hooks.list_roots {
                Some(hook) => {
                    answered(contain(hook.list_roots(Asked { params: (), server })).await)
                }
                None => return refusal(),
            },
            _ => return refusal(),
        };
        answered.map_or_else(
            |reason| {
                self.warn(&format!("the hook for {method} failed: {reason}"));
                refusal()
            },
            Reply::Result,
        )
    }

    /// Whether elicitation in this mode was declared; a server may only use what was.
    fn declares(&self, mode: Option<ElicitMode>) -> bool {
        let elicitation = self.settings.capabilities.elicitation.as_ref();
        mode.is_some_and(|mode| elicitation.is_some_and(|it| it.allows(mode)))
    }

    fn call(&self, hook: &str, call: impl FnOnce()) {
        if let Err(panicked) = shield(call) {
            self.warn(&format!("the {hook} hook {panicked}"));
        }
    }

    fn forget(&self, methods: &[&str]) {
        for method in methods {
            self.cache.invalidate_method(&self.partition, method);
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

/// The parameters of a message, as JSON.
pub(crate) fn params(raw: Option<&serde_json::value::RawValue>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}
