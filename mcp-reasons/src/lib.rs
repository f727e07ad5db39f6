#![doc = include_str!("../README.md")]

mod arguments;
mod listing;
mod members;
mod options;
mod reasons;
mod schema;

pub use crate::arguments::{reason_in, reason_of, strip};
pub use crate::listing::CollisionError;
pub use crate::options::{Collision, DESCRIPTION, Guidance, INSTRUCTIONS, REASON_PARAM};
pub use crate::reasons::Reasons;
pub use crate::schema::{LeftAlone, augment};
