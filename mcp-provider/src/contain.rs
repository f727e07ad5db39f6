//! Panics in somebody else's code, contained.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::{CallId, Provider, ToolCall, ToolResult, one_per_call};

/// A future or a callback panicked.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("panicked: {message}")]
pub struct Panicked {
    message: String,
}

impl Panicked {
    /// What the panic said, or a remark that it said nothing readable.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn new(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Self { message }
    }
}

/// Runs `future` to its end and turns a panic inside it into an error.
///
/// The future is dropped after it has panicked, and never polled again.  Where a program is
/// built with `panic = "abort"` nothing can be contained.
///
/// # Errors
///
/// Fails when the future panics.
pub async fn contain<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => Poll::Ready(Err(Panicked::new(&*payload))),
    })
    .await
}

/// Calls `callback` and turns a panic inside it into an error.
///
/// # Errors
///
/// Fails when the callback panics.
pub fn shield<T>(callback: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(callback)).map_err(|payload| Panicked::new(&*payload))
}

/// Runs `calls` on `provider` and answers each of them, whatever the provider does.
///
/// A provider that panics fails each of its calls with an unknown outcome, since some of them
/// may have run; a provider that returns too few results fails the rest the same way.
/// `who` names the provider in those results.
pub async fn execute_contained<P: Provider + ?Sized>(
    provider: &P,
    who: &str,
    calls: Vec<ToolCall>,
) -> Vec<ToolResult> {
    let ids: Vec<CallId> = calls.iter().map(|call| call.id.clone()).collect();
    // Called inside, too: a provider written by hand may panic before there is a future.
    match contain(async { provider.execute_tool_calls(calls).await }).await {
        Ok(results) => one_per_call(ids, results),
        Err(panicked) => {
            ids.into_iter().map(|id| ToolResult::unknown(id, format!("{who} {panicked}"))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_keeps_its_message() {
        let cases: Vec<(fn(), &str)> = vec![
            (|| panic!("plain"), "plain"),
            (|| panic!("with {}", 1), "with 1"),
            (|| std::panic::panic_any(7), "no message"),
        ];
        for (callback, message) in cases {
            assert_eq!(shield(callback).unwrap_err().message(), message);
        }
        assert_eq!(shield(|| 5), Ok(5));
    }
}
