//! Allocations.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: harness::Counter = &harness::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    harness::main(bench_ours::CONNECT, Some(ALLOCATOR))
}
