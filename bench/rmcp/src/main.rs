//! Times.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(bench_rmcp::CONNECT, None)
}
