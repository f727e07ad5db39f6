//! What a listing allocates that nobody changed: no JSON is copied, however many tools there are.

use std::process::ExitCode;

use bench_layers::{Bottom, Tools, catalogue, onion};
use harness::Failure;
use serde_json::json;

#[global_allocator]
static ALLOCATOR: harness::Counter = &harness::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench-layers-counted: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let few = cost(&onion(Bottom::new(vec![catalogue("write", 10)]), 100, 100)?).await?;
        let many = cost(&onion(Bottom::new(vec![catalogue("write", MANY)]), 100, 100)?).await?;
        let copy = cost_of_copies();
        let each = |bytes: usize| bytes as f64 / MANY as f64;
        let numbers = json!({
            "work": "the whole onion, 10,000 tools unchanged, allocations",
            "allocations": many.0,
            "allocations_of_10": few.0,
            "bytes_per_tool": each(many.1),
            "bytes_per_copied_tool": each(copy),
        });
        println!("{numbers}");
        if many.1 > copy / 2 {
            return Err("an unchanged listing copies JSON".into());
        }
        Ok(())
    })
}

/// Allocations of an unchanged listing, and their bytes.
async fn cost(tools: &Tools) -> Result<(usize, usize), Failure> {
    tools.tools_for_llm().await?;
    let before = tools.tools_for_llm().await?;
    let start = ALLOCATOR.stats();
    let after = tools.tools_for_llm().await?;
    let end = ALLOCATOR.stats();
    if !before.iter().zip(&after).all(|(before, after)| before.is_same(after)) {
        return Err("an unchanged listing makes new declarations".into());
    }
    let count = end.allocations + end.reallocations - start.allocations - start.reallocations;
    Ok((count, end.bytes_allocated - start.bytes_allocated))
}

/// Bytes that it would take to copy the JSON of each tool once.
fn cost_of_copies() -> usize {
    let tools = catalogue("write", MANY);
    let start = ALLOCATOR.stats();
    let copies: Vec<_> = tools.iter().map(|tool| tool.to_json()).collect();
    let end = ALLOCATOR.stats();
    drop(copies);
    end.bytes_allocated - start.bytes_allocated
}

const MANY: usize = 10_000;
