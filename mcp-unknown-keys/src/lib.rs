#![doc = include_str!("../README.md")]

mod audit;
mod declared;
mod nearest;
mod patterns;
mod unknown_keys;
mod warning;

pub use crate::audit::audit;
pub use crate::unknown_keys::UnknownKeys;
pub use crate::warning::{UnknownKey, Warning};
