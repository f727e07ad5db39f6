//! A process that is going to be killed: the layer, the journal, and a server with its own record.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_operations::{
    DispatchedLine, FileJournal, Journal, JournalError, Line, OperationId, Operations, Outcome,
    Reason, TokioTimer,
};
use mcp_provider::{
    Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use tokio::time::{Instant, sleep_until};

use crate::{Failure, Random};

/// Settles what the last process left behind, and then makes calls until it is killed.
pub(crate) async fn run(folder: &Path, seed: u64) -> Result<(), Failure> {
    let layer = Arc::new(layer(folder)?);
    let told = Arc::new(append_to(&folder.join("told"))?);
    let tasks = (0..2).map(|task| {
        let (layer, told) = (Arc::clone(&layer), Arc::clone(&told));
        tokio::spawn(async move {
            let mut random = Random::new(seed ^ (task + 1));
            loop {
                batch(&layer, &told, &mut random, 0).await?;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        let ended: Result<(), Failure> = task.await?;
        ended?;
    }
    Ok(())
}

/// Makes calls with long arguments until the disk is full, and some after that.
pub(crate) async fn fill(folder: &Path, seed: u64) -> Result<(), Failure> {
    let layer = layer(folder)?;
    let told = append_to(&folder.join("told"))?;
    let mut random = Random::new(seed);
    while !batch(&layer, &told, &mut random, 3_000).await? {}
    for _ in 0..5 {
        batch(&layer, &told, &mut random, 3_000).await?;
    }
    Ok(())
}

fn layer(folder: &Path) -> Result<Operations<Server>, Failure> {
    let journal = FileJournal::open(folder.join("journal"))?;
    for left in journal.pending()? {
        journal.resolve(&left.op, Outcome::OutcomeUnknown, Reason::CRASH_REPAIR)?;
    }
    let server = Server { record: append_to(&folder.join("server"))? };
    let timer = TokioTimer::new();
    let layer = Operations::new(server, timer)
        .with_journal(Stepping(journal))
        .with_deadline(Duration::from_millis(4))?
        .with_late_answers(timer, Duration::from_millis(20))
        .concurrent(["together"])?;
    Ok(layer)
}

/// One batch of a few calls; whether one of them was refused for the journal's sake.
async fn batch(
    layer: &Operations<Server>,
    told: &File,
    random: &mut Random,
    padding: usize,
) -> Result<bool, Failure> {
    let tools = ["fine", "fine", "fine", "bad", "slow", "refused", "gone", "late", "together"];
    let call = |_| {
        let tool = tools[random.below(tools.len() as u64) as usize];
        let id = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        ToolCall::new(id, tool, format!(r#"{{"pad":"{}"}}"#, "x".repeat(padding)))
    };
    let size = if padding > 0 { 1 } else { 4 };
    let calls: Vec<ToolCall> = (0..size).map(call).collect();
    let mut is_refused = false;
    let results = if padding == 0 && random.below(8) == 0 {
        // Dropped on the way.
        tokio::select! {
            results = layer.execute_tool_calls(calls) => results,
            () = sleep_until(Instant::now() + Duration::from_millis(random.below(4))) => Vec::new(),
        }
    } else {
        layer.execute_tool_calls(calls).await
    };
    for result in results {
        let said = match result.delivery {
            Delivery::Answered if result.is_error => "error",
            Delivery::Answered => "ok",
            Delivery::NotSent => "not-sent",
            Delivery::Unknown => "unknown",
        };
        is_refused |= result.content.contains("journal");
        write(told, &format!("{said} {}\n", result.tool_call_id))?;
    }
    Ok(is_refused)
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A journal that can be killed before each line and after it.
struct Stepping(FileJournal);

impl Journal for Stepping {
    fn append(&self, line: &Line) -> Result<(), JournalError> {
        let step = || step().map_err(|it| JournalError::Other(it.into()));
        step()?;
        self.0.append(line)?;
        step()
    }

    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError> {
        self.0.pending()
    }
}

/// What the other side of the wire would be: it records what it sees before it does anything.
struct Server {
    record: File,
}

impl Server {
    async fn run(&self, call: &ToolCall) -> Result<ToolResult, Failure> {
        let (id, op) = (call.id.clone(), call.extensions.get::<OperationId>());
        if call.name == "refused" {
            return Ok(ToolResult::not_sent(id, "not on the wire"));
        }
        let op = op.map(OperationId::as_str).unwrap_or("none");
        write(&self.record, &format!("seen {op} {id}\n"))?;
        match &*call.name {
            "slow" => std::future::pending().await,
            "late" => sleep_until(Instant::now() + Duration::from_millis(6)).await,
            _ => tokio::task::yield_now().await,
        }
        let (said, result) = match &*call.name {
            "bad" => ("error", ToolResult::error(id.clone(), "bad")),
            "gone" => ("gone", ToolResult::unknown(id.clone(), "gone")),
            _ => ("ok", ToolResult::ok(id.clone(), "fine")),
        };
        write(&self.record, &format!("{said} {op} {id}\n"))?;
        Ok(result)
    }
}

#[async_trait]
impl Provider for Server {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let mut results = Vec::new();
        for call in &calls {
            let result = self.run(call).await;
            results.push(
                result.unwrap_or_else(|it| ToolResult::not_sent(call.id.clone(), it.to_string())),
            );
        }
        results
    }
}

fn append_to(path: &Path) -> Result<File, Failure> {
    Ok(OpenOptions::new().append(true).create(true).open(path)?)
}

/// Writes a line, and tells whoever kills this process that it came one step further.
fn write(mut file: &File, line: &str) -> Result<(), Failure> {
    file.write_all(line.as_bytes())?;
    Ok(step()?)
}

fn step() -> std::io::Result<()> {
    let mut stdout = std::io::stdout();
    stdout.write_all(b".")?;
    stdout.flush()
}
