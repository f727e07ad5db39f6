//! Steps that call tools.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_client::protocol::{CallToolResult, Era, JsonObject, LoggingLevel, META_LOG_LEVEL, method};
use mcp_client::{Error, Progress};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::checks::Checks;
use crate::data::{Expect, Simple};
use crate::expect;
use crate::stage::{Running, SOON, Stage};

pub(crate) struct Call<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a JsonObject,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) expect: &'a Expect,
}

/// Calls a tool: once, or until what is expected comes.
pub(crate) async fn call(stage: &Stage, call: &Call<'_>, eventually: bool) -> Checks {
    let deadline = Instant::now() + SOON;
    loop {
        let checks = call_once(stage, call).await;
        if !eventually || checks.all_passed() || Instant::now() >= deadline {
            return checks;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

async fn call_once(stage: &Stage, call: &Call<'_>) -> Checks {
    let (journal, expect) = (&stage.journal, call.expect);
    let mut checks = Checks::default();
    let mut request = stage.client.call_tool(call.tool, call.arguments);
    match (call.log_level, stage.era) {
        (Some(level), Era::Modern) => request = request.meta(META_LOG_LEVEL, json!(level)),
        (Some(level), Era::Legacy) => set_level(stage, level, &mut checks).await,
        (None, _) => (),
    }
    let progress = Arc::<Mutex<Vec<Progress>>>::default();
    if expect.progress.is_some() {
        let progress = Arc::clone(&progress);
        request = request.progress(move |step| {
            progress.lock().unwrap_or_else(PoisonError::into_inner).push(step);
        });
    }
    let mark = journal.mark();
    let outcome = request.await;
    if let Some(result) = expect::result(&mut checks, expect, &outcome) {
        expect::tool_result(&mut checks, expect, result);
    }
    expect::wire(&mut checks, expect, (journal, mark), method::CALL_TOOL);
    expect::questions(&mut checks, expect, journal, mark);
    expect::logs(&mut checks, expect, journal, mark);
    if let Some(expected) = &expect.progress {
        let found = progress.lock().unwrap_or_else(PoisonError::into_inner);
        expect::progress(&mut checks, expected, &found);
    }
    checks.equal("answers that nobody asked for", &stage.answers.left(), &0);
    checks
}

/// Tells a legacy server the level, if it has declared that it can be told.
async fn set_level(stage: &Stage, level: LoggingLevel, checks: &mut Checks) {
    let capabilities = stage.client.capabilities().await;
    if capabilities.is_ok_and(|it| it.logging.is_some()) {
        checks.equal("setting the level", &stage.client.set_log_level(level).await, &Ok(()));
    }
}

/// Makes a call and goes on without waiting for it.
pub(crate) async fn leave_running(
    stage: &Stage,
    tool: &str,
    arguments: &JsonObject,
    ends_with: Option<i64>,
) -> Checks {
    let mut checks = Checks::default();
    let mark = stage.journal.mark();
    let mut call = stage.client.call_tool(tool, arguments).into_future();
    let early = once(&mut call).await;
    checks.holds("the call", early.is_none(), "that it runs", &early);
    checks.equal("requests on the wire", &stage.journal.sent(mark, method::CALL_TOOL), &1);
    stage.running.lock().unwrap_or_else(PoisonError::into_inner).push(Running { call, ends_with });
    checks
}

/// Lets a future go as far as it can at once.
async fn once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = std::future::ready(()) => None,
    }
}

/// Calls a tool, gives it up, and asks another one what became of it.
pub(crate) async fn cancel(
    stage: &Stage,
    (tool, arguments): (&str, &JsonObject),
    after_ms: u64,
    then: Option<&Simple>,
) -> Checks {
    let mut checks = Checks::default();
    let start = Instant::now();
    let after = Duration::from_millis(after_ms);
    let call = stage.client.call_tool(tool, arguments).cancelled_by(sleep(after));
    let outcome = call.await;
    let is_cancelled = matches!(outcome, Err(Error::Cancelled { .. }));
    checks.holds("the call", is_cancelled, "that it is cancelled", &outcome);
    let took = start.elapsed();
    checks.holds("time", took < after + SOON, "no waiting for a response", &took);
    if let Some(then) = then {
        let expect = Expect { text: Some(then.text.clone()), ..Expect::default() };
        let then =
            Call { tool: &then.tool, arguments: &then.arguments, log_level: None, expect: &expect };
        // A cancellation has no answer that one could wait for.
        let seen = call_until(stage, &then).await;
        checks.passed += seen.passed;
        checks.differences.extend(seen.differences);
    }
    checks
}

async fn call_until(stage: &Stage, then: &Call<'_>) -> Checks {
    stage.answers.prepare(&[], None);
    call(stage, then, true).await
}

/// Sends two requests at once; the one sent first is answered last.
pub(crate) async fn overlap(stage: &Stage, slow: &Simple, fast: &Simple) -> Checks {
    let mut checks = Checks::default();
    let call = async |simple: &Simple| {
        let outcome = stage.client.call_tool(&*simple.tool, &simple.arguments).await;
        (outcome, Instant::now())
    };
    let ((slow_outcome, slow_end), (fast_outcome, fast_end)) =
        tokio::join!(biased; call(slow), call(fast));
    checks.equal("slow", &text_of(slow_outcome), &Ok(slow.text.clone()));
    checks.equal("fast", &text_of(fast_outcome), &Ok(fast.text.clone()));
    let ahead = slow_end.saturating_duration_since(fast_end);
    checks.holds("order", fast_end < slow_end, "the fast one first", &ahead);
    checks
}

fn text_of(outcome: Result<CallToolResult, Error>) -> Result<String, String> {
    outcome.map(|it| expect::text_of(&it.content)).map_err(|error| error.to_string())
}
