//! What a request is sent with.

use serde::Serialize;
use serde_json::Error;

/// The parameters of a request: anything that serialises to an object, given as `Some(&params)`.
///
/// Whoever sends requests takes them by this trait, so that the code for it is compiled once and
/// not once a type.
pub trait Params {
    /// Writes the JSON text of an object to the end of `out`, with nothing behind its `}`.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be written as JSON.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Error>;
}

impl<P: Serialize> Params for P {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        serde_json::to_writer(out, self)
    }
}
