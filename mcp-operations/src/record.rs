//! An operation as plain data.

use std::time::Duration;

use mcp_provider::ToolResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calendar::iso8601;
use crate::{
    Idempotency, Moment, Operation, OperationId, Outcome, Reason, Settlement, State, Timer,
};

/// An operation as plain data, of one moment.
///
/// In JSON, where what is not known is left out; times are ISO 8601 in UTC:
///
/// ```json
/// {"id": "…", "call_id": "call_1", "tool": "fs_write", "arguments": "{\"path\":\"a\"}",
///  "arguments_digest": "…", "idempotency": "destructive", "run_id": "…", "round": 3,
///  "state": "outcome-unknown", "reason": "deadline", "proposed_at": "…", "dispatched_at": "…",
///  "ended_at": "…", "working_us": 30000000, "asked_us": 2500000, "duration_us": 32500000,
///  "result_digest": "…", "error": "…", "late": {"at": "…", "outcome": "completed",
///  "result_digest": "…"}}
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Record {
    /// The name of the operation.
    pub id: OperationId,
    /// The model's id of the call.
    pub call_id: Value,
    /// The tool.
    pub tool: String,
    /// The canonical arguments.
    pub arguments: String,
    /// The digest of them, as of a text.
    pub arguments_digest: String,
    /// What doing it twice would mean.
    pub idempotency: Idempotency,
    /// The run it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The round it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Where it stands.
    pub state: State,
    /// Why it ended as it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// When the model asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_at: Option<String>,
    /// When it was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatched_at: Option<String>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How long it was worked on, questions apart, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_us: Option<u64>,
    /// How long questions were open, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_us: Option<u64>,
    /// How long it took from the dispatch to the end, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// The digest of the text that the model was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_digest: Option<String>,
    /// What the error said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The answer that came when nobody waited any longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateRecord>,
}

/// An answer that came after an outcome had been settled as unknown.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LateRecord {
    /// When it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What it says of the call.
    pub outcome: Outcome,
    /// The digest of its text.
    pub result_digest: String,
}

impl Operation {
    /// The operation as plain data, of this moment of `timer`.
    pub fn record(&self, timer: &dyn Timer) -> Record {
        let (now, proposal, life) = (timer.now(), self.proposal(), self.snapshot());
        let at = |moment: Moment| wall(timer, moment);
        let dispatched = life.times.dispatched;
        Record {
            id: self.id().clone(),
            call_id: proposal.call_id.to_json(),
            tool: proposal.tool.clone(),
            arguments: proposal.arguments.clone(),
            arguments_digest: self.arguments_digest().to_owned(),
            idempotency: proposal.idempotency,
            run_id: proposal.round.run_id.clone(),
            round: proposal.round.number,
            state: life.state,
            reason: life.settlement.reason,
            proposed_at: at(life.times.proposed),
            dispatched_at: dispatched.and_then(at),
            ended_at: life.times.ended.and_then(at),
            working_us: dispatched.map(|_| micros(life.times.working(now))),
            asked_us: Some(micros(life.times.asked())).filter(|it| *it > 0),
            duration_us: life.times.duration().map(micros),
            result_digest: life.settlement.result_digest,
            error: life.settlement.error,
            late: life.late.map(|late| LateRecord::new(&late.result, at(late.at))),
        }
    }
}

impl LateRecord {
    pub(crate) fn new(result: &ToolResult, at: Option<String>) -> Self {
        let settlement = Settlement::of(result);
        let result_digest = settlement.result_digest.unwrap_or_default();
        Self { at, outcome: settlement.outcome, result_digest }
    }
}

/// What the wall says at `moment`.
pub(crate) fn wall(timer: &dyn Timer, moment: Moment) -> Option<String> {
    timer.wall(moment).and_then(iso8601)
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
