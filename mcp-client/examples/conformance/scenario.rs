//! What each scenario wants a client to do.

use mcp_client::protocol::{JsonObject, Schema, Tool};
use mcp_client::{BoxError, Client};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form;
use super::setup::Setup;

/// Plays the scenario to its end.
pub(crate) async fn play(setup: &Setup) -> Result<(), BoxError> {
    let scenario = setup.scenario.as_str();
    if scenario.starts_with("auth/") {
        return Err("authorisation is not built into this client".into());
    }
    let client = setup.client()?;
    match scenario {
        "http-custom-headers" => call_as_told(&client, &setup.context).await?,
        "http-standard-headers" => use_everything(&client).await?,
        "initialize" | "json-schema-ref-no-deref" | "request-metadata" => {
            client.list_tools().await?;
        }
        "json-schema-2020-12-preservation" => echo_schema(&client).await?,
        _ => call_every_tool(&client).await?,
    }
    client.close().await;
    Ok(())
}

/// Calls every tool that is listed, in that order, with what it cannot do without.
async fn call_every_tool(client: &Client) -> Result<(), BoxError> {
    for tool in client.list_tools().await?.iter() {
        call(client, &tool.name, form::arguments(&schema(tool)?)).await?;
    }
    Ok(())
}

/// Uses a tool, a resource and a prompt, each as often as there are any.
async fn use_everything(client: &Client) -> Result<(), BoxError> {
    call_every_tool(client).await?;
    for resource in client.list_resources().await?.iter() {
        client.read_resource(&resource.uri).await?;
    }
    for prompt in client.list_prompts().await?.iter() {
        let required = prompt.arguments.iter().flatten().filter(|it| it.required == Some(true));
        let arguments: JsonObject =
            required.map(|it| (it.name.clone(), Value::from("x"))).collect();
        client.get_prompt(&prompt.name, arguments).await?;
    }
    Ok(())
}

/// Makes exactly the calls that the suite names, after a listing.
async fn call_as_told(client: &Client, context: &Value) -> Result<(), BoxError> {
    client.list_tools().await?;
    for told in Vec::<ToolCall>::deserialize(&context["toolCalls"])? {
        call(client, &told.name, told.arguments).await?;
    }
    Ok(())
}

/// Sends the schema of one tool back as the argument of another.
async fn echo_schema(client: &Client) -> Result<(), BoxError> {
    let tools = client.list_tools().await?;
    let described = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &described.ok_or("the tool with the schema is not listed")?.input_schema;
    call(client, "json_schema_echo", Echo { schema }).await
}

async fn call(client: &Client, name: &str, arguments: impl Serialize) -> Result<(), BoxError> {
    let result = client.call_tool(name, arguments).await?;
    if result.is_error() {
        let text = result.content.iter().find_map(|block| block.as_text()).unwrap_or_default();
        return Err(format!("the tool {name} failed: {text}").into());
    }
    Ok(())
}

fn schema(tool: &Tool) -> Result<Value, serde_json::Error> {
    serde_json::from_str(tool.input_schema.as_str())
}

/// A schema, sent as the text that it came as.
#[derive(Serialize)]
struct Echo<'a> {
    schema: &'a Schema,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: JsonObject,
}
