#![doc = include_str!("../README.md")]

pub mod anthropic;
pub mod chat;
mod error;
pub mod gemini;
mod item;
mod parts;
pub mod responses;

pub use crate::error::FormatError;
