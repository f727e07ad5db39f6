//! The program that the official conformance suite starts, to see what this client does.
//!
//! `cargo xtask conformance` installs the suite and runs all of it.  By hand, with the suite's own
//! runner: `conformance client --command target/debug/examples/conformance_client --scenario NAME`.

#![allow(clippy::print_stderr, reason = "the suite keeps what is said there for the reader")]

mod conformance {
    pub(crate) mod form;
    pub(crate) mod scenario;
    pub(crate) mod setup;
}

use std::process::exit;
use std::thread;
use std::time::Duration;

use crate::conformance::scenario;
use crate::conformance::setup::Setup;

#[tokio::main]
async fn main() {
    end_after(DEADLINE);
    let setup = Setup::read(std::env::args().skip(1), |name| std::env::var(name).ok());
    let played = match setup {
        Ok(setup) => scenario::play(&setup).await.map_err(|error| error.to_string()),
        Err(message) => Err(message),
    };
    // Not by returning: some mock servers keep a stream open for as long as anybody listens.
    match played {
        Ok(()) => exit(0),
        Err(message) => fail(&message),
    }
}

/// Ends this program, whatever it is doing then: the suite waits for it without a limit.
fn end_after(deadline: Duration) {
    thread::spawn(move || {
        thread::sleep(deadline);
        fail(&format!("the scenario was not over after {} s", deadline.as_secs()));
    });
}

fn fail(message: &str) -> ! {
    eprintln!("conformance_client: {message}");
    exit(1)
}

const DEADLINE: Duration = Duration::from_secs(20);
