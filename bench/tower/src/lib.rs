//! The client of tower-mcp.

use std::process::Stdio;

use harness::{Client, Connector, Era, Failure, Target};
use serde_json::json;
use tower_mcp::client::{HttpClientTransport, McpClient, StdioClientTransport};

/// Connects [`Tower`].
pub const CONNECT: ConnectTower = ConnectTower;

/// Connects [`Tower`].
#[derive(Debug)]
pub struct ConnectTower;

/// A connected client.
pub struct Tower(McpClient);

impl Connector for ConnectTower {
    type Client = Tower;

    async fn connect(&self, target: &Target, era: Era) -> Result<Tower, Failure> {
        let builder = McpClient::builder();
        let client = match target {
            Target::Stdio { program, args } => {
                let mut command = tokio::process::Command::new(program);
                command.args(args).stderr(Stdio::inherit());
                let transport = StdioClientTransport::spawn_command(&mut command).await?;
                builder.connect(transport, ()).await?
            }
            Target::Http { url } => {
                builder.connect(HttpClientTransport::new(url.as_str()), ()).await?
            }
        };
        match era {
            Era::Legacy => drop(client.initialize("bench-tower", "0.0.0").await?),
            Era::Modern => drop(client.discover("bench-tower", "0.0.0").await?),
        }
        Ok(Tower(client))
    }
}

impl Client for Tower {
    async fn echo(&self, text: &str) -> Result<usize, Failure> {
        Ok(self.0.call_tool_text("echo", json!({ "text": text })).await?.len())
    }

    async fn big(&self, bytes: usize) -> Result<usize, Failure> {
        Ok(self.0.call_tool_text("big", json!({ "bytes": bytes })).await?.len())
    }

    async fn list_tools(&self) -> Result<usize, Failure> {
        Ok(self.0.list_all_tools().await?.len())
    }

    async fn close(self) {
        // What it did until now has been measured.
        let _ = self.0.shutdown().await;
    }
}
