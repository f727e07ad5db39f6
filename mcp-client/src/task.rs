//! Tasks in the background.

use std::future::Future;
use std::pin::Pin;

use tokio::task::JoinHandle;

/// Starts a task: boxed, as tokio compiles some thousand instructions a type of task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(boxed(task))
}

/// A task without a type of its own.
pub(crate) fn boxed(
    task: impl Future<Output = ()> + Send + 'static,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(task)
}
