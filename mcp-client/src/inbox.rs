//! What arrives on one connection without having been asked for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mcp_protocol::{
    CancelledNotification, Era, ErrorCode, ErrorObject, Notification, Request, RequestId, method,
    response,
};
use mcp_transport::{Handler, Outgoing, Transport};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::lock::lock;
use crate::shared::{Reply, Shared, params};
use crate::task::spawn;

/// Hands notifications to the client, and answers the requests of legacy servers.
pub(crate) struct Inbox {
    shared: Arc<Shared>,
    agreement: Arc<Agreement>,
    running: Arc<Running>,
    /// How many of the server's requests were taken on.
    worked_on: AtomicU64,
}

/// What an answer to the server depends on.
#[derive(Default)]
struct Agreement {
    known: Mutex<Known>,
    changed: Notify,
}

#[derive(Default)]
struct Known {
    /// The way back to the server, as soon as there is one.
    transport: Option<Weak<dyn Transport>>,
    /// The era that was agreed on, as soon as it was.
    era: Option<Era>,
}

impl Agreement {
    fn learn(&self, learn: impl FnOnce(&mut Known)) {
        learn(&mut lock(&self.known));
        self.changed.notify_waiters();
    }

    /// Waits until something is known.
    async fn wait<T>(&self, known: impl Fn(&Known) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            if let Some(known) = known(&lock(&self.known)) {
                return known;
            }
            changed.await;
        }
    }
}

/// The server's requests that are worked on.
#[derive(Default)]
struct Running(Mutex<HashMap<RequestId, (TaskNumber, AbortHandle)>>);

/// Tells a task from an earlier one for a request of the same id.
type TaskNumber = u64;

/// A place on the list, given up when this is dropped, however its task ends.
struct Listed {
    running: Arc<Running>,
    id: RequestId,
    number: TaskNumber,
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut running = lock(&self.running.0);
        if running.get(&self.id).is_some_and(|(number, _)| *number == self.number) {
            running.remove(&self.id);
        }
    }
}

impl Inbox {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            agreement: Arc::default(),
            running: Arc::default(),
            worked_on: AtomicU64::new(0),
        }
    }

    pub(crate) fn connected(&self, transport: &Arc<dyn Transport>) {
        self.agreement.learn(|known| known.transport = Some(Arc::downgrade(transport)));
    }

    pub(crate) fn agreed(&self, era: Era) {
        self.agreement.learn(|known| known.era = Some(era));
    }

    /// Works on a request in a task of its own, so that answers are still read meanwhile.
    fn work_on(&self, request: &Request<'_>) {
        let (id, method) = (request.id.clone(), request.method.to_string());
        let limit = self.shared.settings.limits.server_requests;
        let mut running = lock(&self.running.0);
        let reason = if running.contains_key(&id) {
            "another of that id is worked on".to_owned()
        } else if running.len() >= limit {
            format!("{limit} others are worked on (raise `Limits::server_requests`)")
        } else {
            let agreement = Arc::clone(&self.agreement);
            let work = Work { shared: Arc::clone(&self.shared), agreement };
            let number = self.worked_on.fetch_add(1, Ordering::Relaxed);
            let listed = Listed { running: Arc::clone(&self.running), id: id.clone(), number };
            let params = params(request.params);
            let task = spawn(async move { work.run(&listed.id, &method, params).await });
            // The task waits for this lock before it takes itself off the list again.
            running.insert(id, (number, task.abort_handle()));
            return;
        };
        drop(running);
        self.shared.warn(&format!("dropped the server's request {method} ({id}): {reason}"));
    }

    /// Stops working on a request that the server no longer wants answered.
    fn cancel(&self, notification: &Notification<'_>) {
        let params = notification.params.map_or("{}", |params| params.get());
        let cancelled = serde_json::from_str::<CancelledNotification>(params);
        let id = cancelled.ok().and_then(|cancelled| cancelled.request_id);
        let task = id.and_then(|id| lock(&self.running.0).remove(&id));
        if let Some((_, task)) = task {
            task.abort();
        }
    }
}

/// What it takes to answer a request of the server.
struct Work {
    shared: Arc<Shared>,
    agreement: Arc<Agreement>,
}

impl Work {
    async fn run(self, id: &RequestId, method: &str, params: Option<Value>) {
        let reply = match method {
            // The one request that a server may send before the handshake is over.
            method::PING => Reply::Result(json!({})),
            // Who asks, and whether it may, is not known before.
            _ => match self.agreement.wait(|known| known.era).await {
                Era::Legacy => {
                    // The server waits for a person or a model, so nobody should lose patience
                    // with the server.  For the roots nobody is asked.
                    let takes_time = method != method::LIST_ROOTS;
                    let _pause = takes_time.then(|| self.shared.patience.pause());
                    self.shared.answer(method, params, self.shared.under_way.only()).await
                }
                Era::Modern => return warn_modern(&self.shared, method),
            },
        };
        let message = self.message(id, method, reply);
        let transport = self.agreement.wait(|known| known.transport.clone()).await;
        if let (Some(transport), Some(message)) = (transport.upgrade(), message) {
            transport.notify(Outgoing::response(message)).await;
        }
    }

    fn message(&self, id: &RequestId, method: &str, reply: Reply) -> Option<Vec<u8>> {
        let error = match reply {
            Reply::Result(result) => return response(id, Ok(&result)).ok(),
            Reply::Failed => {
                let detail = format!("The client could not answer {method}");
                ErrorObject::new(ErrorCode::INTERNAL_ERROR, detail)
            }
            Reply::Nothing => {
                let warning = format!("refused the server's request {method}: nobody answers it");
                self.shared.warn(&warning);
                let detail = format!("Method not found: {method}");
                ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, detail)
            }
        };
        response::<Value>(id, Err(&error)).ok()
    }
}

/// A client of the modern era writes no responses ("Messages" of the specification).
fn warn_modern(shared: &Shared, method: &str) {
    shared.warn(&format!("dropped a request of a modern server: {method}"));
}

impl Handler for Inbox {
    fn notification(&self, notification: Notification<'_>) {
        if notification.method == method::CANCELLED {
            self.cancel(&notification);
        }
        self.shared.notify(&notification);
    }

    fn request(&self, request: Request<'_>) {
        let era = lock(&self.agreement.known).era;
        match era {
            Some(Era::Modern) => warn_modern(&self.shared, &request.method),
            Some(Era::Legacy) | None => self.work_on(&request),
        }
    }

    fn warning(&self, warning: &str) {
        self.shared.warn(warning);
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        // What has not been agreed on by now never will be.
        for (_, task) in lock(&self.running.0).values() {
            task.abort();
        }
    }
}
