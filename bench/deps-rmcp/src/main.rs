//! Starts a server, calls one tool of it, and ends it.

use std::error::Error;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, JsonObject};
use rmcp::transport::TokioChildProcess;
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let transport = TokioChildProcess::new(Command::new("echo-server"))?;
    let client = ().serve(transport).await?;
    let mut arguments = JsonObject::new();
    arguments.insert("text".to_owned(), "hi".into());
    let params = CallToolRequestParams::new("echo").with_arguments(arguments);
    println!("{:?}", client.call_tool(params).await?);
    client.cancel().await?;
    Ok(())
}
