//! A program without a runtime that ends as soon as it has let go of its client.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;

use std::env;
use std::process::{self, Command, Stdio as Stream};
use std::time::Duration;

use mcp_client::Stdio;
use mcp_client::blocking::Client;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use crate::processes::Tag;

/// The name that the server's processes are found by; set where this is the program.
const SERVER: &str = "MCP_TEST_SERVER";
/// Set where the program lets go in a thread of a runtime that may block.
const IN_RUNTIME: &str = "MCP_TEST_IN_RUNTIME";

#[test]
fn a_program_that_ends_leaves_no_server() {
    if let Ok(server) = env::var(SERVER) {
        program(&server);
    }
    let tags: Vec<Tag> = (0..10)
        .map(|number| {
            let tag = Tag::new("program");
            let mut program = Command::new(env::current_exe().unwrap());
            program.args(["--exact", "a_program_that_ends_leaves_no_server", "--nocapture"]);
            program.env(SERVER, tag.name()).stdout(Stream::null());
            if number % 2 == 1 {
                program.env(IN_RUNTIME, "1");
            }
            assert_eq!(program.status().unwrap().code(), Some(DONE), "{number}");
            tag
        })
        .collect();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for tag in tags {
        // A process that has been killed may take a moment.
        assert_eq!(runtime.block_on(tag.left_after(Duration::from_secs(2))), 0);
    }
}

fn program(server: &str) -> ! {
    // It goes on when its input ends, and waits for a process that does not read it.
    let script = r#""$0"; sleep 8888 & wait"#;
    let settings = Stdio::new("/bin/sh").args(["-c", script, env!("CARGO_BIN_EXE_fixture-server")]);
    let builder = mcp_client::Client::builder(settings.env("MCP_TEST_TAG", server));
    let client = Client::connect(builder).unwrap();
    if env::var_os(IN_RUNTIME).is_none() {
        drop(client);
        process::exit(DONE);
    }
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let ended = spawn_blocking(|| {
            drop(client);
            process::exit(DONE);
        });
        ended.await.unwrap()
    })
}

/// The exit code of a program that came to its end.
const DONE: i32 = 42;
