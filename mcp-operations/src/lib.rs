#![doc = include_str!("../README.md")]

mod batch;
mod calendar;
mod clockwork;
mod context;
mod digest;
mod events;
mod history;
mod id;
mod idempotency;
mod in_flight;
mod journal;
mod late;
mod operation;
mod operations;
mod outcome;
mod proposal;
mod record;
mod repair;
mod repeats;
mod waiting;
mod words;

pub use crate::digest::digest;
pub use crate::events::{Event, Events, Progress, Subject, What};
pub use crate::id::OperationId;
pub use crate::idempotency::{Idempotency, IdempotencyRules, InvalidIdempotencyRule};
pub use crate::in_flight::{AskSpan, InFlight};
pub use crate::journal::{
    Contents, DispatchedLine, Durability, FileJournal, Journal, JournalError, LateLine, Line,
    SettledLine, TornLine,
};
pub use crate::operation::{Dispatched, Operation};
pub use crate::operations::{InvalidDeadline, Operations};
pub use crate::outcome::{Outcome, Reason, State};
pub use crate::proposal::{Proposal, Round, Settlement};
pub use crate::record::{LateRecord, Record};
pub use crate::repair::{Conclusion, Message, Trace};
pub use crate::repeats::RepeatGuard;

#[cfg(feature = "tokio")]
pub use mcp_provider::time::TokioTimer;
pub use mcp_provider::time::{Moment, Sleep, Spawner, Task, Timer};
