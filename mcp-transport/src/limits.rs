//! How much a peer may send before it is cut off.

/// How much is taken from a peer, and how much may wait to be sent to it.  All in bytes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The longest message that is read.  A longer one is dropped, the request it answers fails,
    /// and the connection goes on.  64 MiB by default.
    pub message: usize,
    /// The longest line of error output that is kept whole; of a longer one the beginning is, at
    /// most 1 KiB.  8 KiB by default.
    pub stderr_line: usize,
    /// How much may wait to be written before new requests wait as well.  1 MiB by default.
    pub outbox: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message: 64 << 20, stderr_line: 8 << 10, outbox: 1 << 20 }
    }
}
