#![doc = include_str!("../README.md")]

mod block;
mod error;
mod event;
mod line;
mod parser;

pub use crate::error::EventTooLarge;
pub use crate::event::Event;
pub use crate::parser::{DEFAULT_LIMIT, Parser};
