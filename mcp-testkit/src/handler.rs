//! Async closures behind one type.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_provider::{JsonObject, contain};

use crate::rpc::INTERNAL_ERROR;
use crate::{Counters, RpcError, ToolContext, ToolOutput};

/// A handler that is running.
pub(crate) type Handling = Pin<Box<dyn Future<Output = ToolOutput> + Send>>;

/// An async closure from arguments to an output.
#[derive(Clone)]
pub(crate) struct Handler(Arc<dyn Fn(JsonObject, ToolContext) -> Handling + Send + Sync>);

impl Handler {
    pub(crate) fn new<F, R>(
        handler: impl Fn(JsonObject, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<ToolOutput>,
    {
        Self(Arc::new(move |arguments, context| {
            let running = handler(arguments, context);
            Box::pin(async move { running.await.into() })
        }))
    }

    /// Runs the handler, counted under `name`.  A panic inside is an internal error.
    pub(crate) fn run(
        &self,
        name: &str,
        counters: &Counters,
        arguments: JsonObject,
        context: ToolContext,
    ) -> Handling {
        let (handler, name, counters) = (Arc::clone(&self.0), name.to_owned(), counters.clone());
        Box::pin(async move {
            let run = counters.start(&name);
            let output = contain(async { handler(arguments, context).await }).await;
            run.finish();
            output.unwrap_or_else(|panicked| {
                RpcError::new(INTERNAL_ERROR, format!("{name} {panicked}")).into()
            })
        })
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
