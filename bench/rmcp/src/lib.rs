//! The client of rmcp.
//!
//! With `RMCP_POOL=1` its HTTP transport gets a client that keeps connections, and room for 256 calls
//! at once; its own default opens a connection for each message and sends 16 at once.

use std::process::Stdio;
use std::time::Duration;

use harness::{Client, Connector, Era, Failure, Target};
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService, serve_client_with_lifecycle};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};

/// Connects [`Rmcp`].
pub const CONNECT: ConnectRmcp = ConnectRmcp;

/// Connects [`Rmcp`].
#[derive(Debug)]
pub struct ConnectRmcp;

/// A connected client.
#[derive(Debug)]
pub struct Rmcp(RunningService<RoleClient, ClientConfig>);

impl Connector for ConnectRmcp {
    type Client = Rmcp;

    async fn connect(&self, target: &Target, era: Era) -> Result<Rmcp, Failure> {
        let lifecycle = match era {
            Era::Legacy => ClientLifecycleMode::Initialize,
            Era::Modern => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        };
        let config = ClientConfig::default();
        let service = match target {
            Target::Stdio { program, args } => {
                let mut command = tokio::process::Command::new(program);
                command.args(args);
                let transport = TokioChildProcess::builder(command).stderr(Stdio::inherit());
                let (transport, _) = transport.spawn()?;
                serve_client_with_lifecycle(config, transport, lifecycle).await
            }
            Target::Http { url } if std::env::var_os("RMCP_POOL").is_some() => {
                let http = reqwest::Client::builder()
                    .tcp_nodelay(true)
                    .pool_idle_timeout(Duration::from_secs(60))
                    .build()?;
                let settings = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                    .max_concurrent_requests(256);
                let transport = StreamableHttpClientTransport::with_client(http, settings);
                serve_client_with_lifecycle(config, transport, lifecycle).await
            }
            Target::Http { url } => {
                let transport = StreamableHttpClientTransport::from_uri(url.as_str());
                serve_client_with_lifecycle(config, transport, lifecycle).await
            }
        };
        Ok(Rmcp(service?))
    }
}

impl Rmcp {
    async fn text_length(&self, tool: &'static str, arguments: Value) -> Result<usize, Failure> {
        let mut params = CallToolRequestParams::new(tool);
        if let Value::Object(arguments) = arguments {
            params = params.with_arguments(arguments);
        }
        let result = self.0.call_tool(params).await?;
        let text = result.content.first().and_then(|block| block.as_text());
        Ok(text.ok_or("the result has no text")?.text.len())
    }
}

impl Client for Rmcp {
    async fn echo(&self, text: &str) -> Result<usize, Failure> {
        self.text_length("echo", json!({ "text": text })).await
    }

    async fn big(&self, bytes: usize) -> Result<usize, Failure> {
        self.text_length("big", json!({ "bytes": bytes })).await
    }

    async fn list_tools(&self) -> Result<usize, Failure> {
        Ok(self.0.list_all_tools().await?.len())
    }

    async fn close(self) {
        // What it did until now has been measured.
        let _ = self.0.cancel().await;
    }
}
