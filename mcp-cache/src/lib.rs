#![doc = include_str!("../README.md")]

mod cache;
mod entries;
mod fetched;
mod hint;
mod key;

pub use crate::cache::{Cache, Limits};
pub use crate::fetched::{Fetched, Mark, Provenance, Refusal};
pub use crate::hint::{CacheHint, CacheScope};
pub use crate::key::{Key, Partition};
