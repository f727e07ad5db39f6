//! The client of this workspace, with all that it has switched on.

use harness::{Connector, Era, Failure, Target};
use mcp_client::protocol::CallToolResult;
use mcp_client::{Client, Http, Stdio, protocol};
use mcp_transport::Limits;
use serde_json::json;

/// Connects [`Ours`].
pub const CONNECT: ConnectOurs = ConnectOurs;

/// Connects [`Ours`].
#[derive(Debug)]
pub struct ConnectOurs;

/// A connected client.
#[derive(Debug)]
pub struct Ours(Client);

impl Connector for ConnectOurs {
    type Client = Ours;

    async fn connect(&self, target: &Target, era: Era) -> Result<Ours, Failure> {
        // The curves go to 100 MB, which is more than a client reads unless it is told to.
        let mut limits = Limits::default();
        limits.message = 256 << 20;
        let builder = match target {
            Target::Stdio { program, args } => {
                Client::builder(Stdio::new(program.clone()).args(args.clone()).limits(limits))
            }
            Target::Http { url } => Client::builder(Http::new(url)?.limits(limits)),
        };
        let era = match era {
            Era::Legacy => protocol::Era::Legacy,
            Era::Modern => protocol::Era::Modern,
        };
        Ok(Ours(builder.era(era).connect().await?))
    }
}

impl harness::Client for Ours {
    async fn echo(&self, text: &str) -> Result<usize, Failure> {
        text_length(&self.0.call_tool("echo", json!({ "text": text })).await?)
    }

    async fn big(&self, bytes: usize) -> Result<usize, Failure> {
        text_length(&self.0.call_tool("big", json!({ "bytes": bytes })).await?)
    }

    async fn list_tools(&self) -> Result<usize, Failure> {
        Ok(self.0.list_tools().refresh().await?.len())
    }

    async fn close(self) {
        self.0.close().await;
    }
}

fn text_length(result: &CallToolResult) -> Result<usize, Failure> {
    let text = result.content.first().and_then(|block| block.as_text());
    Ok(text.ok_or("the result has no text")?.len())
}
