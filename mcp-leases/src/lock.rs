//! The two tools that this layer publishes.

mod acquire;
mod arguments;
mod declarations;
mod hooks;
mod release;

pub(crate) use self::declarations::declarations;
pub(crate) use self::hooks::Hooks;
