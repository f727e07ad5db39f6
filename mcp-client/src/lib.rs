#![doc = include_str!("../README.md")]

mod batch;
mod builder;
mod cache;
mod call;
mod catalogue;
mod client;
mod connection;
mod entries;
mod era;
mod error;
mod flatten;
mod hooks;
mod inbox;
mod inner;
mod input;
mod listing;
mod lock;
mod mirrored_call;
mod mirrors;
mod notifications;
mod opened;
mod patience;
mod probe;
mod progress;
mod provider;
mod request;
mod settings;
mod shared;
mod subscription;
mod task;
mod under_way;

#[cfg(feature = "blocking")]
pub mod blocking;

pub use mcp_cache::Limits as CacheLimits;
pub use mcp_protocol as protocol;
pub use mcp_provider::{BoxError, Delivery};
#[cfg(feature = "http")]
pub use mcp_transport::{Authorizer, Credentials, Http, InvalidHttp, Refused};
pub use mcp_transport::{
    Challenge, Connect, HttpFailure, Memory, ServerGone, Stdio, TransportError,
};

pub use crate::builder::ClientBuilder;
pub use crate::cache::ResultCache;
pub use crate::call::Call;
pub use crate::client::Client;
pub use crate::connection::Server;
pub use crate::entries::Listing;
pub use crate::error::{Error, InvalidOption};
pub use crate::hooks::{Asked, Elicit, ListRoots, Sample};
pub use crate::notifications::{Notification, Notifications};
pub use crate::progress::{Progress, ToolProgress};
pub use crate::settings::Limits;
pub use crate::subscription::{Subscription, SubscriptionEnd, SubscriptionEvent};
