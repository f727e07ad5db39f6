#![doc = include_str!("../README.md")]

mod correlator;
mod error;

pub use crate::correlator::Correlator;
pub use crate::error::RegisterError;
