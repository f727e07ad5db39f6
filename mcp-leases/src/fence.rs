//! A write must not throw away what its agent has not seen.

#[cfg(feature = "read-fence")]
mod read;
mod revisions;

use mcp_provider::{Provider, ToolCall, ToolResult};

#[cfg(feature = "read-fence")]
pub use self::read::ReadFence;

use self::revisions::Revisions;
use crate::agent::Agent;
use crate::asked::Asked;

/// How a write is kept from throwing away a change that its agent has not seen.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub enum Fence {
    /// Not at all.
    Off,
    /// The provider compares: it publishes the revisions of its files, and is told with each write
    /// which one the agent has seen.
    ///
    /// It tells them in a result's structured content, by the name of the argument that is a path:
    ///
    /// ```json
    /// {"revisionScheme": "sha256-v1", "revisions": {"path": {"token": "sha256-v1:…"}}}
    /// ```
    ///
    /// and finds them in the argument [`EXPECTED_REVISIONS`](crate::EXPECTED_REVISIONS) of
    /// `fs_write`, `fs_edit`, `fs_mkdir`, `fs_move` and `fs_delete`.  A path that the agent has not
    /// seen is expected to be absent, so that nothing is overwritten blindly.
    #[default]
    Revisions,
    /// This layer compares: it reads again before each write, with the call the agent read with.
    #[cfg(feature = "read-fence")]
    Read(ReadFence),
}

/// What the fence remembers for one agent.
#[derive(Debug)]
pub(crate) enum Memory {
    Off,
    Revisions(Revisions),
    #[cfg(feature = "read-fence")]
    Read(read::Reads),
}

impl Memory {
    pub(crate) fn new(fence: &Fence) -> Self {
        match fence {
            Fence::Off => Self::Off,
            Fence::Revisions => Self::Revisions(Revisions::default()),
            #[cfg(feature = "read-fence")]
            Fence::Read(fence) => Self::Read(read::Reads::new(fence.clone())),
        }
    }

    /// Whether two changes of one path must not go out together: the second has to know what
    /// became of the first.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Makes the call ready to go on: it tells the provider what the agent has seen, or this looks
    /// whether it still is so.
    ///
    /// # Errors
    ///
    /// Fails where a file has changed, with a sentence for the model that made the call.
    #[cfg_attr(not(feature = "read-fence"), expect(clippy::unused_async, unused_variables))]
    pub(crate) async fn prepare<P: Provider + ?Sized>(
        &self,
        asked: &Asked<'_>,
        call: &mut ToolCall,
        agent: &Agent,
        inner: &P,
    ) -> Result<(), String> {
        match self {
            Self::Off => {}
            Self::Revisions(revisions) => revisions.prepare(asked, call),
            #[cfg(feature = "read-fence")]
            Self::Read(reads) => reads.check(asked, agent, inner).await?,
        }
        Ok(())
    }

    /// Learns from the answer to a call what the agent has seen.
    #[cfg_attr(not(feature = "read-fence"), expect(clippy::unused_async, unused_variables))]
    pub(crate) async fn learn<P: Provider + ?Sized>(
        &self,
        asked: &Asked<'_>,
        result: &ToolResult,
        agent: &Agent,
        inner: &P,
    ) {
        match self {
            Self::Off => {}
            Self::Revisions(revisions) => revisions.learn(asked, result, agent),
            #[cfg(feature = "read-fence")]
            Self::Read(reads) => reads.learn(asked, result, agent, inner).await,
        }
    }
}
