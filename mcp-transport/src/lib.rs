#![doc = include_str!("../README.md")]

mod error;
mod limits;
mod lines;
mod memory;
mod outbox;
mod pending;
mod stdio;
mod task;
#[cfg(test)]
mod testing;
mod transport;
mod truncated;
mod wire;

pub use crate::error::{Failure, ServerGone, TransportError};
pub use crate::limits::Limits;
pub use crate::memory::Memory;
pub use crate::stdio::{Stdio, StdioTransport};
pub use crate::transport::{Answer, Connect, Handler, Outgoing, Transport};
pub use mcp_protocol::{ErrorObject, Notification, Request};
