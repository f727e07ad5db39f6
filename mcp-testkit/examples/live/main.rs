//! Runs the client against servers that were not written for it, as `live/peers.json` tells.
//!
//! `cargo xtask live` installs the servers and starts this.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]

mod answers;
mod arguments;
mod checks;
mod custom;
mod data;
mod expect;
mod folder;
mod journal;
mod places;
mod process;
mod processes;
mod report;
mod run;
mod schedule;
mod stage;
mod step;
mod table;
mod tap;

use std::process::ExitCode;

use crate::arguments::{Arguments, USAGE};
use crate::data::Data;
use crate::places::Places;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => return refuse(&format!("{message}\n\n{USAGE}")),
    };
    let data = match Data::load(&arguments.data) {
        Ok(data) => data,
        Err(message) => return refuse(&message),
    };
    let places = match Places::find(&arguments) {
        Ok(places) => places,
        Err(message) => return refuse(&message),
    };
    match schedule::play(data, places, &arguments.names).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => refuse(&message),
    }
}

/// Ends a program that was called the wrong way.
fn refuse(message: &str) -> ExitCode {
    eprintln!("live: {message}");
    ExitCode::from(2)
}
