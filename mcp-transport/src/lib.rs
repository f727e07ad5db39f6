#![doc = include_str!("../README.md")]

mod error;
#[cfg(feature = "http")]
mod http;
mod http_failure;
mod limits;
mod lines;
mod memory;
mod outbox;
mod pending;
mod quote;
mod stdio;
mod task;
#[cfg(test)]
mod testing;
mod transport;
mod truncated;
mod wire;

pub use crate::error::{Failure, ServerGone, TransportError};
#[cfg(feature = "http")]
pub use crate::http::{Authorizer, Credentials, Http, InvalidHttp, Refused};
pub use crate::http_failure::{Challenge, HttpFailure};
pub use crate::limits::Limits;
pub use crate::memory::Memory;
pub use crate::stdio::{Stdio, StdioTransport};
pub use crate::transport::{Answer, Connect, Handler, Outgoing, Transport};
pub use mcp_protocol::{ErrorObject, Notification, Request};
