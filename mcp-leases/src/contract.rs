//! What every store of leases has to do, as tests that any store can run.
//!
//! ```
//! use mcp_leases::{Table, TokioTimer, contract};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), contract::Broken> {
//! contract::check(async |limits| Table::with_limits(TokioTimer::new(), limits).unwrap()).await
//! # }
//! ```

mod rules;
mod waits;

use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use mcp_provider::location::{PathStyle, Place};

use crate::{Claim, Claimed, Holder, Lease, LeaseStore, Limits, Status, WaiterId};

/// A rule that a store does not keep.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the store breaks a rule: {rule}: {found}")]
pub struct Broken {
    rule: &'static str,
    found: String,
}

/// Runs the whole suite, each rule on a store of its own that `make` makes, empty and with these
/// limits.
///
/// Leases of two seconds have to end in it: on a clock that runs by itself it takes some seconds.
///
/// # Errors
///
/// Fails at the first rule that is broken.
pub async fn check<S: LeaseStore>(make: impl AsyncFn(Limits) -> S) -> Result<(), Broken> {
    let limits = Limits::default()
        .with_default_ttl(TTL)
        .with_max_ttl(TTL.saturating_mul(2))
        .with_leases_per_holder(8);
    rules::all_or_nothing(&Tested(make(limits).await)).await?;
    rules::both_ways(&Tested(make(limits).await)).await?;
    rules::again(&Tested(make(limits).await)).await?;
    rules::given_back(&Tested(make(limits).await)).await?;
    rules::senseless(&Tested(make(limits).await)).await?;
    rules::ends(&Tested(make(limits).await)).await?;
    rules::pins(&Tested(make(limits).await)).await?;
    rules::admitted(&Tested(make(limits).await)).await?;
    rules::writers(&Tested(make(limits).await)).await?;
    waits::served_in_order(&Tested(make(limits).await)).await?;
    waits::served_at_the_end(&Tested(make(limits).await)).await?;
    waits::left(&Tested(make(limits).await)).await?;
    waits::withdrawn(&Tested(make(limits).await)).await?;
    waits::no_circles(&Tested(make(limits).await)).await
}

/// How long a lease lasts here by default.
const TTL: Duration = Duration::from_secs(2);

/// How long a store may take for what it does in the background, or when somebody is woken.
const SOON: Duration = Duration::from_secs(5);

/// A store under test, with short words for what the rules ask.
struct Tested<S>(S);

impl<S: LeaseStore> Tested<S> {
    async fn acquire(&self, name: &str, paths: &[&str]) -> Result<Claimed, Broken> {
        self.0.acquire(claim(name, paths)?).await.map_err(failed)
    }

    async fn is_granted(&self, name: &str, paths: &[&str]) -> Result<bool, Broken> {
        Ok(matches!(self.acquire(name, paths).await?, Claimed::Granted(_)))
    }

    async fn status(&self) -> Result<Status, Broken> {
        self.0.status().await.map_err(failed)
    }

    async fn leases(&self) -> Result<Vec<Lease>, Broken> {
        Ok(self.status().await?.leases.into_iter().map(|it| it.lease).collect())
    }

    /// What becomes of a waiter, or nothing where it still waits after a while.
    async fn settled(&self, waiter: WaiterId) -> Result<Option<Claimed>, Broken> {
        self.within(self.0.settled(waiter)).await.transpose().map_err(failed)
    }

    /// What `future` completes with soon, or nothing.
    async fn within<F: Future>(&self, future: F) -> Option<F::Output> {
        let timer = self.0.timer();
        let (mut future, mut end) = (pin!(future), timer.sleep_until(timer.now().after(SOON)));
        poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => end.as_mut().poll(context).map(|()| None),
        })
        .await
    }

    async fn pass(&self, time: Duration) {
        let timer = self.0.timer();
        timer.sleep_until(timer.now().after(time)).await;
    }

    /// Waits until a store that does this in the background has done it.
    async fn until(
        &self,
        rule: &'static str,
        is_done: impl Fn(&Status) -> bool,
    ) -> Result<(), Broken> {
        let timer = self.0.timer();
        let end = timer.now().after(SOON);
        loop {
            let status = self.status().await?;
            if is_done(&status) {
                return Ok(());
            }
            ensure(timer.now() < end, rule, &status)?;
            self.pass(Duration::from_millis(10)).await;
        }
    }
}

fn holder(name: &str) -> Result<Holder, Broken> {
    Holder::new(name).map_err(failed)
}

fn place(path: &str) -> Result<Place, Broken> {
    Place::parse(path, PathStyle::Posix).map_err(failed)
}

fn places(paths: &[&str]) -> Result<Vec<Place>, Broken> {
    paths.iter().map(|path| place(path)).collect()
}

fn claim(name: &str, paths: &[&str]) -> Result<Claim, Broken> {
    Ok(Claim::new(holder(name)?, places(paths)?))
}

#[allow(clippy::needless_pass_by_value, reason = "it takes over what `map_err` gives")]
fn failed(error: impl ToString) -> Broken {
    Broken { rule: "an operation on a store that can be reached works", found: error.to_string() }
}

fn ensure(is_kept: bool, rule: &'static str, found: &dyn Debug) -> Result<(), Broken> {
    if is_kept { Ok(()) } else { Err(Broken { rule, found: format!("{found:?}") }) }
}
