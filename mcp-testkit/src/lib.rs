#![doc = include_str!("../README.md")]

mod context;
mod counters;
mod fixture_server;
pub mod fixtures;
mod flatten;
mod handler;
mod items;
mod latch;
mod output;
mod program;
#[cfg(doctest)]
mod readme;
mod reply;
mod rpc;
mod script_server;
mod scripted;
mod scripted_server;
mod server;
mod tool;
mod toolkit;

pub use crate::context::{AskError, Change, ToolContext};
pub use crate::counters::Counters;
pub use crate::fixture_server::fixture_server_main;
pub use crate::flatten::{flatten, tool_result};
pub use crate::items::{Prompt, Resource};
pub use crate::latch::Latch;
pub use crate::output::ToolOutput;
pub use crate::program::program;
#[cfg(doctest)]
pub use crate::readme::WorkspaceReadme;
pub use crate::reply::Reply;
pub use crate::rpc::RpcError;
pub use crate::script_server::{misbehaving_servers, script_server_main};
pub use crate::scripted::Scripted;
pub use crate::scripted_server::{Answer, Expected, ScriptedServer};
pub use crate::server::{ServeEra, Server, connect, serve};
pub use crate::tool::Tool;
pub use crate::toolkit::Toolkit;
