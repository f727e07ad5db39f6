//! Why a tool, a call or a result cannot be written in another shape, or read from one.

use mcp_provider::InvalidArguments;

/// Why a list cannot be converted: which of its items, and what is wrong with it.
///
/// Items are counted from 0, as they stand in the list.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// The arguments of a call are not an object, and the shape holds nothing else.
    #[error("the arguments of the call {id:?} must be an object here")]
    Arguments {
        /// The id of the call.
        id: String,
        /// What is wrong with them.
        #[source]
        reason: InvalidArguments,
    },
    /// The content of a result is more than text.
    #[error("the content of {what} {place} holds a part of the type {kind:?}, and not only text")]
    Content {
        /// What the item is.
        what: &'static str,
        /// Where it stands.
        place: usize,
        /// The type of the part.
        kind: String,
    },
    /// The id of a call is not a string, or is empty, and the shape needs one.
    #[error("the call id {id} must be a string that is not empty here")]
    Id {
        /// The id, as JSON.
        id: String,
    },
    /// A member is missing or of another type.
    #[error("{what} {place} must have {member:?}, and it must be {kind}")]
    Member {
        /// What the item is.
        what: &'static str,
        /// Where it stands.
        place: usize,
        /// The member.
        member: &'static str,
        /// What it should be.
        kind: &'static str,
    },
    /// An item is not an object.
    #[error("{what} {place} must be an object")]
    NotAnObject {
        /// What the item is.
        what: &'static str,
        /// Where it stands.
        place: usize,
    },
    /// There are more calls than results, or fewer.
    #[error("there are {calls} calls and {results} results; each call needs its result")]
    Unpaired {
        /// How many calls there are.
        calls: usize,
        /// How many results there are.
        results: usize,
    },
}
