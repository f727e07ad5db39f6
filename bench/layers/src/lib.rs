//! The layers over a provider that answers at once.

mod bottom;
mod deciding;
mod stack;

pub use crate::bottom::{Bottom, catalogue};
pub use crate::deciding::decisions;
pub use crate::stack::{Tools, call, hold, layers, leases, onion, policy, rules};
