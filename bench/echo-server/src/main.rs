//! `echo-server stdio|pipe|http [--tools N] [--page N] [--sse]`: serves until its input ends.
//!
//! `pipe` looks at nothing and writes back what it reads.

use std::process::ExitCode;

use echo_server::{Server, copy, serve_http, serve_stdio};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_default();
    let (mut tools, mut page, mut as_events) = (4, 0, false);
    while let Some(option) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse().ok());
        let known = match option.as_str() {
            "--tools" => number().map(|number| tools = number),
            "--page" => number().map(|number| page = number),
            "--sse" => {
                as_events = true;
                Some(())
            }
            _ => None,
        };
        if known.is_none() {
            return usage();
        }
    }
    let server = Server::new(tools, page);
    let served = match mode.as_str() {
        "stdio" => serve_stdio(server),
        "pipe" => copy(),
        "http" => serve_http(server, as_events),
        _ => return usage(),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("echo-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("echo-server stdio|pipe|http [--tools N] [--page N] [--sse]");
    ExitCode::from(2)
}
