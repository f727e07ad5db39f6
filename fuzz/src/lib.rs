#![doc = include_str!("../README.md")]

mod arguments;
mod input;
mod random;
mod target;

pub use crate::random::Random;
pub use crate::target::Target;
