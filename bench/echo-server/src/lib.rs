//! A small fast MCP server: the counterpart of every client that is measured.
//!
//! It speaks `2025-11-25` and `2026-07-28`, and does as little for a request as a right answer
//! allows: what arrives is read as borrowed slices, what leaves is put together from bytes.

mod answer;
mod catalogue;
mod http;
mod message;
mod stdio;
mod text;

pub use crate::answer::{Answer, Server};
pub use crate::http::serve as serve_http;
pub use crate::stdio::{copy, serve as serve_stdio};
