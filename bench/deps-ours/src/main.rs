//! Starts a server, calls one tool of it, and ends it.

use std::error::Error;

use mcp_client::Client;
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::stdio("echo-server");
    let result = client.call_tool("echo", json!({ "text": "hi" })).await?;
    println!("{result:?}");
    client.close().await;
    Ok(())
}
