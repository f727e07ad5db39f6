//! The misbehaving server: see `mcp_testkit::script_server_main`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_testkit::script_server_main(std::env::args().skip(1))
}
