//! What the layers add to a call, and to a listing.
//!
//! `bench-layers [--calls N]` prints a line of JSON for each; `--curve tools|rules|leases` how the cost
//! of the whole grows; few calls draw the lower end of it only.

use std::process::ExitCode;
use std::time::Instant;

use bench_layers::{Bottom, Tools, call, catalogue, decisions, layers, onion};
use harness::Failure;
use serde_json::json;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench-layers: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let (mut calls, mut curve) = (20_000, None);
    let mut args = std::env::args().skip(1);
    while let Some(option) = args.next() {
        let value = args.next().ok_or_else(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--calls" => calls = value.parse()?,
            "--curve" => curve = Some(value),
            _ => return Err(format!("there is no option {option}").into()),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match curve {
            None => table(calls).await,
            Some(curve) => draw(&curve, calls).await,
        }
    })
}

async fn table(calls: usize) -> Result<(), Failure> {
    let mut bare = 0.0;
    for (place, (name, tools)) in layers()?.into_iter().enumerate() {
        let us = calling(&tools, calls).await?;
        println!("{}", json!({ "work": name, "us": us - bare }));
        if place == 0 {
            bare = us;
        }
    }
    let whole = onion(Bottom::new(vec![catalogue("write", 10)]), 100, 100)?;
    let us = calling(&whole, calls).await? - bare;
    println!("{}", json!({ "work": "the whole onion, one call", "us": us }));

    let many = 10_000.min(calls);
    let listings = (calls / 1000).max(2);
    let unchanged = onion(Bottom::new(vec![catalogue("write", many)]), 100, 100)?;
    let us = listing(&unchanged, listings).await?;
    println!("{}", json!({ "work": "the whole onion, 10,000 tools unchanged", "us": us }));
    let catalogues = vec![catalogue("write", many), catalogue("write", many)];
    let us = listing(&onion(Bottom::new(catalogues), 100, 100)?, listings).await?;
    println!("{}", json!({ "work": "the whole onion, 10,000 tools changed", "us": us }));
    for (name, us) in decisions(calls)? {
        println!("{}", json!({ "work": name, "us": us }));
    }
    Ok(())
}

async fn draw(curve: &str, calls: usize) -> Result<(), Failure> {
    let bottom = |tools| Bottom::new(vec![catalogue("write", tools)]);
    for n in [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000] {
        if n > calls * 50 {
            break;
        }
        let us = match curve {
            "tools" if n >= 10 => {
                let catalogues = vec![catalogue("write", n), catalogue("write", n)];
                listing(&onion(Bottom::new(catalogues), 100, 100)?, 5).await?
            }
            "rules" if n <= 10_000 => calling(&onion(bottom(10), n, 100)?, calls).await?,
            "leases" if n <= 10_000 => calling(&onion(bottom(10), 100, n)?, calls).await?,
            "tools" | "rules" | "leases" => continue,
            _ => return Err(format!("there is no curve {curve}").into()),
        };
        println!("{}", json!({ "n": n, "us": us }));
    }
    Ok(())
}

/// Microseconds of a call: the best of ten batches, for nothing here waits.
async fn calling(tools: &Tools, calls: usize) -> Result<f64, Failure> {
    tools.tools_for_llm().await?;
    let batch = (calls / 10).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        for _ in 0..batch {
            let results = tools.execute_tool_calls(vec![call("fs_write")]).await;
            match results.as_slice() {
                [result] if result.content == "written" => (),
                other => return Err(format!("{other:?}").into()),
            }
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 1000.0 / batch as f64);
    }
    Ok(best)
}

/// Microseconds of a listing: the best.
async fn listing(tools: &Tools, listings: usize) -> Result<f64, Failure> {
    tools.tools_for_llm().await?;
    let mut best = f64::INFINITY;
    for _ in 0..listings {
        let start = Instant::now();
        let listed = tools.tools_for_llm().await?;
        best = best.min(start.elapsed().as_nanos() as f64 / 1000.0);
        drop(listed);
    }
    Ok(best)
}
