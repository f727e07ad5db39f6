#![doc = include_str!("../README.md")]

mod listing;
mod prefix;
mod registry;
mod route;

pub use crate::prefix::{Prefix, PrefixError};
pub use crate::registry::{Registered, Registry};
