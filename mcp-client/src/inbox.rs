//! What arrives on one connection without having been asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use mcp_protocol::{
    CancelledNotification, Era, ErrorCode, ErrorObject, Notification, Request, RequestId, method,
    response,
};
use mcp_transport::{Handler, Outgoing, Transport};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::lock::lock;
use crate::shared::{Reply, Shared, params};

/// Hands notifications to the client, and answers the requests of legacy servers.
pub(crate) struct Inbox {
    shared: Arc<Shared>,
    /// The way back to the server, as soon as there is one.
    transport: watch::Sender<Option<Weak<dyn Transport>>>,
    /// The era that was agreed on, as soon as it was.
    era: OnceLock<Era>,
    /// The server's requests that are worked on.
    running: Arc<Mutex<HashMap<RequestId, AbortHandle>>>,
}

impl Inbox {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            transport: watch::Sender::new(None),
            era: OnceLock::new(),
            running: Arc::default(),
        }
    }

    pub(crate) fn connected(&self, transport: &Arc<dyn Transport>) {
        self.transport.send_replace(Some(Arc::downgrade(transport)));
    }

    pub(crate) fn agreed(&self, era: Era) {
        // The era of a connection is agreed on once.
        let _ = self.era.set(era);
    }

    /// Works on a request in a task of its own, so that answers are still read meanwhile.
    fn work_on(&self, request: &Request<'_>) {
        let (id, method) = (request.id.clone(), request.method.to_string());
        let params = params(request.params);
        let (shared, running) = (Arc::clone(&self.shared), Arc::clone(&self.running));
        let mut transport = self.transport.subscribe();
        let mut all = lock(&self.running);
        let limit = self.shared.settings.limits.server_requests;
        if all.len() >= limit {
            drop(all);
            let warning = format!(
                "dropped the server's request {method}: {limit} others are worked on already"
            );
            return self.shared.warn(&warning);
        }
        let task = tokio::spawn({
            let id = id.clone();
            async move {
                let body = answer(&shared, &id, &method, params).await;
                lock(&running).remove(&id);
                let transport = transport.wait_for(Option::is_some).await;
                let transport = transport.ok().and_then(|it| it.as_ref().and_then(Weak::upgrade));
                if let (Some(transport), Some(body)) = (transport, body) {
                    transport.notify(Outgoing::response(body)).await;
                }
            }
        });
        // The task waits for this lock before it takes itself off the list again.
        all.insert(id, task.abort_handle());
    }

    /// Stops working on a request that the server no longer wants answered.
    fn cancel(&self, notification: &Notification<'_>) {
        let params = notification.params.map_or("{}", |params| params.get());
        let cancelled = serde_json::from_str::<CancelledNotification>(params);
        let id = cancelled.ok().and_then(|cancelled| cancelled.request_id);
        if let Some(task) = id.and_then(|id| lock(&self.running).remove(&id)) {
            task.abort();
        }
    }
}

/// The answer to a request of a legacy server, as a message.
async fn answer(
    shared: &Shared,
    id: &RequestId,
    method: &str,
    params: Option<Value>,
) -> Option<Vec<u8>> {
    let reply = match method {
        method::PING => Reply::Result(json!({})),
        _ => shared.answer(method, params).await,
    };
    let written = match reply {
        Reply::Result(result) => response(id, Ok(&result)),
        Reply::Nothing => {
            shared.warn(&format!("refused the server's request {method}: nobody answers it"));
            let detail = format!("Method not found: {method}");
            let error = ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, detail);
            response::<Value>(id, Err(&error))
        }
    };
    written.ok()
}

impl Handler for Inbox {
    fn notification(&self, notification: Notification<'_>) {
        if notification.method == method::CANCELLED {
            self.cancel(&notification);
        }
        self.shared.notify(&notification);
    }

    fn request(&self, request: Request<'_>) {
        if self.era.get() == Some(&Era::Modern) {
            // A client of this era writes no responses ("Messages" of the specification).
            let method = &request.method;
            return self.shared.warn(&format!("dropped a request of a modern server: {method}"));
        }
        self.work_on(&request);
    }

    fn warning(&self, warning: &str) {
        self.shared.warn(warning);
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        for task in lock(&self.running).values() {
            task.abort();
        }
    }
}
