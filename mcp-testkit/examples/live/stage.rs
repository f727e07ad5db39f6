//! What the steps of one run share.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::{CallToolResult, Era};
use mcp_client::{Client, Error};

use crate::answers::Answers;
use crate::data::Over;
use crate::journal::Journal;
use crate::process::Process;

pub(crate) struct Stage {
    pub(crate) client: Client,
    pub(crate) era: Era,
    pub(crate) journal: Arc<Journal>,
    pub(crate) answers: Arc<Answers>,
    /// The server's process, where it is not the client that starts it.
    pub(crate) process: Option<Arc<Process>>,
    /// Calls that are still running when the connection is closed.
    pub(crate) running: Mutex<Vec<Running>>,
}

impl Stage {
    pub(crate) fn over(&self) -> Over {
        if self.process.is_some() { Over::Http } else { Over::Stdio }
    }
}

pub(crate) struct Running {
    pub(crate) call: Pin<Box<dyn Future<Output = Result<CallToolResult, Error>> + Send>>,
    /// The code of the error with which the server ends it at the close, if it does.
    pub(crate) ends_with: Option<i64>,
}

/// How long something may take that happens soon: generous, since the machine may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(5);
