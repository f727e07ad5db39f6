#![doc = include_str!("../README.md")]

mod agent;
mod asked;
mod batch;
mod claim;
#[cfg(feature = "contract")]
pub mod contract;
mod fence;
mod guess;
mod hidden;
mod holder;
mod index;
mod judge;
mod leases;
mod ledger;
mod limits;
mod lock;
mod observations;
mod plain;
mod plan;
mod store;
mod table;
mod waiting;
mod words;

pub use crate::claim::{
    Claim, Claimed, Conflict, HoldAndWait, Lease, PinId, Queued, Refusal, Released, WaiterId,
};
pub use crate::fence::Fence;
#[cfg(feature = "read-fence")]
pub use crate::fence::ReadFence;
pub use crate::hidden::EXPECTED_REVISIONS;
pub use crate::holder::{Holder, InvalidHolder};
pub use crate::leases::Leases;
pub use crate::ledger::{
    Admission, Cover, LeaseStatus, Ledger, Look, PinRefusal, PinStatus, Status, WaiterStatus,
    Writer,
};
pub use crate::limits::{InvalidLimits, Limits};
pub use crate::store::{LeaseStore, StoreError};
pub use crate::table::{Enqueued, Table};
pub use crate::waiting::Waiting;
pub use crate::words::{LOCK_ACQUIRE, LOCK_RELEASE};

#[cfg(feature = "tokio")]
pub use mcp_provider::time::TokioTimer;
pub use mcp_provider::time::{Moment, Sleep, Timer};
