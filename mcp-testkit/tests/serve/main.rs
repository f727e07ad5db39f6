//! The server, driven with raw lines through a pipe in memory.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json!() reads better without a reference")]

mod both_eras;
mod cancel;
mod input;
mod legacy;
mod modern;
mod pages;
mod subscriptions;
mod wire;
