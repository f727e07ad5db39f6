//! The lines of a journal.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::record::{micros, wall};
use crate::{Idempotency, LateRecord, Operation, OperationId, Outcome, Reason, Settlement, Timer};

/// A fact about an operation.
///
/// In a file it is one line of JSON; what is not known is left out:
///
/// ```json
/// {"v": 1, "type": "dispatched", "op": "…", "call_id": "call_1", "tool": "fs_write",
///  "arguments": "{\"path\":\"a\"}", "arguments_digest": "…", "idempotency": "destructive",
///  "run_id": "…", "round": 3, "at": "2026-11-30T06:46:40.000001Z"}
/// {"v": 1, "type": "settled", "op": "…", "outcome": "failed", "reason": "refused",
///  "error": "…", "result_digest": "…", "duration_us": 1500, "at": "…"}
/// {"v": 1, "type": "late", "op": "…", "outcome": "completed", "result_digest": "…", "at": "…"}
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line {
    /// A call is about to go out.
    Dispatched(DispatchedLine),
    /// It is known what came of it, or that nobody knows.
    Settled(SettledLine),
    /// An answer came when nobody waited any longer.
    Late(LateLine),
}

/// A call is about to go out.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct DispatchedLine {
    /// The name of the operation.
    pub op: OperationId,
    /// The model's id of the call.
    pub call_id: Value,
    /// The tool.
    pub tool: String,
    /// The canonical arguments, unless the journal leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The digest of them, as of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_digest: Option<String>,
    /// What doing it twice would mean.
    #[serde(default)]
    pub idempotency: Idempotency,
    /// The run it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The round it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// When, as ISO 8601 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// It is known what came of a call, or that nobody knows.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SettledLine {
    /// The name of the operation.
    pub op: OperationId,
    /// What came of it.
    pub outcome: Outcome,
    /// Why, where the outcome alone does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What the error said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The digest of the text that the model was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_digest: Option<String>,
    /// How long it took from the dispatch, questions included, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// When, as ISO 8601 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// An answer came when nobody waited any longer.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LateLine {
    /// The name of the operation.
    pub op: OperationId,
    /// The answer.
    #[serde(flatten)]
    pub answer: LateRecord,
}

impl Line {
    /// The name of the operation it is about.
    pub fn op(&self) -> &OperationId {
        match self {
            Self::Dispatched(line) => &line.op,
            Self::Settled(line) => &line.op,
            Self::Late(line) => &line.op,
        }
    }

    /// The line as JSON, with the version of its format.
    pub fn to_json(&self) -> Value {
        let mut json = json!({ "v": VERSION });
        if let (Value::Object(json), Ok(Value::Object(line))) =
            (&mut json, serde_json::to_value(self))
        {
            json.extend(line);
        }
        json
    }
}

impl DispatchedLine {
    /// That `operation` goes out now.
    pub fn new(operation: &Operation, timer: &dyn Timer) -> Self {
        let proposal = operation.proposal();
        Self {
            op: operation.id().clone(),
            call_id: proposal.call_id.to_json(),
            tool: proposal.tool.clone(),
            arguments: Some(proposal.arguments.clone()),
            arguments_digest: Some(operation.arguments_digest().to_owned()),
            idempotency: proposal.idempotency,
            run_id: proposal.round.run_id.clone(),
            round: proposal.round.number,
            at: wall(timer, timer.now()),
        }
    }
}

impl SettledLine {
    /// That `settlement` came of the operation `op`.
    pub fn new(op: OperationId, settlement: Settlement) -> Self {
        let Settlement { outcome, reason, result_digest, error } = settlement;
        Self { op, outcome, reason, error, result_digest, duration_us: None, at: None }
    }

    /// That `settlement` came of `operation`, whose end is past.
    pub(crate) fn of(operation: &Operation, settlement: Settlement, timer: &dyn Timer) -> Self {
        let duration_us = operation.duration().map(micros);
        let at = wall(timer, timer.now());
        Self { duration_us, at, ..Self::new(operation.id().clone(), settlement) }
    }
}

/// The version of the format.
pub(crate) const VERSION: u64 = 1;
