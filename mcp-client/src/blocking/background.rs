//! The runtime behind a blocking client, and where it can be waited for.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use std::{io, thread};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::consume_budget;

use crate::{Error, InvalidOption};

/// The runtime; only its drop takes it away.
#[derive(Debug)]
pub(super) struct Background(Option<Runtime>);

impl Background {
    pub(super) fn start() -> Result<Self, InvalidOption> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| InvalidOption::new("blocking", error.to_string()))?;
        Ok(Self(Some(runtime)))
    }

    pub(super) fn wait<T: Send>(&self, future: impl Future<Output = T> + Send) -> Result<T, Error> {
        let runtime = self.0.as_ref().filter(|_| may_wait());
        let runtime = runtime.ok_or_else(|| Error::refused(REFUSED))?;
        let waited = outside(|| runtime.block_on(future));
        waited.map_err(|error| Error::refused(format!("there is no thread to wait in: {error}")))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let mut runtime = self.0.take();
        if may_wait() {
            // Servers are killed by the drop of a task, and this may be the end of the program.
            let _ = outside(|| {
                if let Some(runtime) = runtime.take() {
                    runtime.shutdown_timeout(LONGEST_END);
                }
            });
        }
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

/// Whether this thread can wait without keeping an executor from its other tasks.
///
/// Tokio does not tell.  But it has every task, and whatever else it polls, give way after so many
/// steps; threads that may block, those of `spawn_blocking` and `block_in_place`, need not.  A task
/// that is found out has used its steps up, and gives way at the next.
fn may_wait() -> bool {
    let mut context = Context::from_waker(Waker::noop());
    let mut step = || pin!(consume_budget()).poll(&mut context).is_ready();
    Handle::try_current().is_err() || (0..MORE_THAN_A_BUDGET).all(|_| step())
}

/// Runs `work` in no runtime: here, or while this thread waits, in another.
///
/// An unconstrained task looks like a thread that may block, and tokio would panic there.
fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if Handle::try_current().is_err() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

const REFUSED: &str = "a blocking client was used in asynchronous code: use mcp_client::Client, or \
                       tokio::task::spawn_blocking";
/// Tokio counts steps in a byte.
const MORE_THAN_A_BUDGET: usize = 256;
/// How long a hook that does not return can hold up the end.
const LONGEST_END: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::mpsc;

    use tokio::task::{LocalSet, block_in_place, spawn_blocking, spawn_local, unconstrained};

    use super::*;

    fn waits() -> bool {
        let background = Background::start().unwrap();
        let outcome = background.wait(ready(1));
        // It must not panic either, wherever it is.
        drop(background);
        match outcome {
            Ok(value) => value == 1,
            Err(error) => {
                assert!(error.to_string().contains("in asynchronous code"), "{error}");
                false
            }
        }
    }

    async fn everywhere() -> [bool; 5] {
        let local = LocalSet::new();
        [
            waits(),
            tokio::spawn(async { waits() }).await.unwrap(),
            local.run_until(async { spawn_local(async { waits() }).await.unwrap() }).await,
            spawn_blocking(waits).await.unwrap(),
            // Whoever asks for that gets it.
            unconstrained(async { waits() }).await,
        ]
    }

    #[test]
    fn only_executors_are_not_made_to_wait() {
        assert!(waits());
        let many = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let one = Builder::new_current_thread().build().unwrap();
        for runtime in [&many, &one] {
            assert_eq!(runtime.block_on(everywhere()), [false, false, false, true, true]);
            let _entered = runtime.enter();
            assert!(waits());
        }
        let inside = many.spawn(async { (waits(), block_in_place(waits), waits()) });
        assert_eq!(one.block_on(inside).unwrap(), (false, true, false));
    }

    /// Such a task looks as if it might wait, and its thread must not.
    #[test]
    fn a_task_that_is_dropped_with_its_runtime_can_wait() {
        struct Asks(mpsc::Sender<bool>);
        impl Drop for Asks {
            fn drop(&mut self) {
                self.0.send(waits()).unwrap();
            }
        }
        let runtime = Background::start().unwrap();
        let (sender, asked) = mpsc::channel();
        let asks = Asks(sender);
        let held = async move {
            pending::<()>().await;
            drop(asks);
        };
        runtime.wait(async { drop(tokio::spawn(held)) }).unwrap();
        drop(runtime);
        assert!(asked.try_recv().unwrap());
    }

    /// A hook that never returns has this thread for itself.
    #[test]
    fn the_end_does_not_wait_for_ever() {
        let runtime = Background::start().unwrap();
        let (sender, receiver) = mpsc::channel::<()>();
        let stuck = async move { receiver.recv().unwrap_err() };
        runtime.wait(async { drop(tokio::spawn(stuck)) }).unwrap();
        drop(runtime);
        drop(sender);
    }
}
