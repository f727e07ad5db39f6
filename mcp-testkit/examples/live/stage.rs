//! What the steps of one run share.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::{CallToolResult, Era};
use mcp_client::{Client, Error};

use crate::answers::Answers;
use crate::journal::Journal;

pub(crate) struct Stage {
    pub(crate) client: Client,
    pub(crate) era: Era,
    pub(crate) journal: Arc<Journal>,
    pub(crate) answers: Arc<Answers>,
    /// Calls that are still running when the connection is closed.
    pub(crate) running: Mutex<Vec<Running>>,
}

pub(crate) struct Running {
    pub(crate) call: Pin<Box<dyn Future<Output = Result<CallToolResult, Error>> + Send>>,
    /// The code of the error with which the server ends it at the close, if it does.
    pub(crate) ends_with: Option<i64>,
}

/// How long something may take that happens soon: generous, since the machine may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(5);
