//! What a model reads where a call has no answer of its own.

use std::time::Duration;

use mcp_provider::{CallId, Delivery, ToolResult};

use crate::repeats::TooMany;
use crate::{Idempotency, Proposal};

/// No answer came in time.  It is no error: nothing says that the call went wrong.
pub(crate) fn too_slow(proposal: &Proposal, deadline: Duration) -> ToolResult {
    let content = format!(
        "No answer came from '{}' within {}. {}",
        proposal.tool,
        seconds(deadline),
        not_known(proposal.idempotency)
    );
    unknown(ToolResult::ok(proposal.call_id.clone(), content))
}

/// A call stood behind one that took too long.
pub(crate) fn behind(proposal: &Proposal) -> ToolResult {
    let content = "An earlier call of this batch was not answered in time, so this one was not \
                   sent. It did not run. See what the earlier call did before you make it again.";
    ToolResult::not_sent(proposal.call_id.clone(), content)
}

/// The journal could not be written.
pub(crate) fn not_written(proposal: &Proposal, why: &str) -> ToolResult {
    let content = format!(
        "This call was not sent, because it could not be written to the journal of operations: \
         {why}. It did not run. Tell the user; calls can be made again once that is repaired."
    );
    ToolResult::not_sent(proposal.call_id.clone(), content)
}

/// The host abandoned the call before it was sent.
pub(crate) fn taken_back(proposal: &Proposal) -> ToolResult {
    let content = "This call was taken back before it was sent. It did not run.";
    ToolResult::not_sent(proposal.call_id.clone(), content)
}

/// The same call was made too often.
pub(crate) fn repeated(proposal: &Proposal, too_many: &TooMany) -> ToolResult {
    let TooMany { tool, count, most } = too_many;
    let content = format!(
        "None of the calls of this batch was sent: it would have made the same call to '{tool}', \
         with the same arguments, {count} times, and {most} is the most. Stop repeating it: answer \
         with what you have, or try another way."
    );
    ToolResult::not_sent(proposal.call_id.clone(), content)
}

/// A result that says its outcome is not known, and never that the call went wrong.
pub(crate) fn without_answer(mut result: ToolResult, idempotency: Idempotency) -> ToolResult {
    if !result.content.contains("is not known") {
        let said = std::mem::take(&mut result.content);
        let said = said.trim_end_matches(|it: char| it == '.' || it.is_whitespace());
        let gap = if said.is_empty() { "" } else { ". " };
        result.content = format!("{said}{gap}{}", not_known(idempotency));
    }
    unknown(result)
}

/// Answers under the call's own id; the id that it came under, where that was another.
pub(crate) fn filed(result: &mut ToolResult, id: &CallId) -> Option<CallId> {
    let is_misfiled = result.tool_call_id != *id;
    is_misfiled.then(|| std::mem::replace(&mut result.tool_call_id, id.clone()))
}

fn unknown(mut result: ToolResult) -> ToolResult {
    result.is_error = false;
    result.delivery = Delivery::Unknown;
    result
}

fn not_known(idempotency: Idempotency) -> &'static str {
    match idempotency {
        Idempotency::ReadOnly => {
            "What came of the call is not known. It changes nothing, so it is safe to make it again."
        }
        Idempotency::Idempotent => {
            "Whether it took effect is not known. Making the same call again is safe."
        }
        Idempotency::Destructive | Idempotency::Unknown => {
            "Whether it took effect is not known: it may have. Check what is there before you \
             repeat it."
        }
    }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{} s", (seconds * 1000.0).round() / 1000.0)
}
