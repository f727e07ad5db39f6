//! What is the same for every client that is measured: the server, the calls, the numbers.
//!
//! A client takes part by implementing [`Connector`] and [`Client`], in a program whose `main` is
//! [`main`].  One process measures one thing, so that CPU time and peak memory belong to it alone.

mod client;
mod options;
mod process;
mod report;
mod scenario;
mod server;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

pub use crate::client::{Client, Connector, Era, Failure, Target};
pub use crate::process::private_kib;

/// An allocator that counts: `#[global_allocator]` in a program that hands it to [`main`].
///
/// It takes time of its own, so programs whose times count do without.
pub type Counter = &'static StatsAlloc<std::alloc::System>;

/// Measures what the command line says, and prints it as one line of JSON.
pub fn main<C: Connector>(connector: C, counter: Option<Counter>) -> ExitCode {
    match run(connector, counter) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// A client that hangs has failed.
const LIMIT: Duration = Duration::from_secs(180);

fn run<C: Connector>(connector: C, counter: Option<Counter>) -> Result<String, Failure> {
    let options = options::parse(std::env::args().skip(1))?;
    if let Some(cpu) = options.pin {
        process::pin(cpu)?;
    }
    let mut runtime = if options.one_thread {
        tokio::runtime::Builder::new_current_thread()
    } else {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2);
        runtime
    };
    let runtime = runtime.enable_all().build()?;
    let rows = runtime.block_on(async {
        let measured = scenario::run(Arc::new(connector), &options, counter);
        tokio::time::timeout(LIMIT, measured).await.map_err(|_| "it did not end")?
    })?;
    Ok(report::line(&options, &rows))
}
