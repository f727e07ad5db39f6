//! A background task that ends with its owner, and locks that are never poisoned.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::task::JoinHandle;

/// A running task, stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Task<T>(Option<JoinHandle<T>>);

impl<T: Send + 'static> Task<T> {
    pub(crate) fn spawn(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Some(spawn(future)))
    }
}

/// Starts a task: boxed, as tokio compiles some thousand instructions a type of task.
pub(crate) fn spawn<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    let boxed: Boxed<T> = Box::pin(future);
    tokio::spawn(boxed)
}

/// A future of any type.
pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Waits for the task to end; nothing where it was stopped, panicked, or was waited for before.
impl<T> Future for Task<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(handle) = &mut self.0 else { return Poll::Ready(None) };
        let outcome = ready!(Pin::new(handle).poll(context));
        self.0 = None;
        Poll::Ready(outcome.ok())
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.abort();
        }
    }
}

/// Takes a lock whose data is valid whatever its last holder did.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
