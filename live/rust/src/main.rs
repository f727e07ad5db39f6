//! A small server on rmcp, for `cargo xtask live`: `live-rmcp PORT` serves `/mcp` on the loopback
//! interface, in either era.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use tokio::net::TcpListener;

/// What became of every slow call, in order.
#[derive(Clone, Default)]
struct Live(Arc<Mutex<Vec<&'static str>>>);

impl Live {
    fn slow(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerHandler for Live {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("live-rmcp", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name, about, properties: serde_json::Value| {
            let mut schema = JsonObject::new();
            schema.insert("type".to_owned(), json!("object"));
            schema.insert("properties".to_owned(), properties);
            Tool::new(name, about, schema)
        };
        let integer = || json!({ "type": "integer" });
        Ok(ListToolsResult::with_all_items(vec![
            tool("echo", "Returns its text.", json!({ "text": { "type": "string" } })),
            tool(
                "count",
                "Reports one progress step after another.",
                json!({ "steps": integer() }),
            ),
            tool("slow", "Reports one progress step, then waits.", json!({ "ms": integer() })),
            tool("slow_report", "How each slow call ended.", json!({})),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(|it| it.as_u64()).unwrap_or(0);
        let text = match &*request.name {
            "echo" => arguments.get("text").and_then(|it| it.as_str()).unwrap_or("").to_owned(),
            "count" => {
                let steps = number("steps");
                for step in 1..=steps {
                    report(&context, step, steps).await;
                }
                format!("counted to {steps}")
            }
            "slow" => {
                let at = self.slow().len();
                self.slow().push("running");
                report(&context, 1, 2).await;
                let end = tokio::select! {
                    () = context.ct.cancelled() => "cancelled",
                    () = tokio::time::sleep(Duration::from_millis(number("ms"))) => "finished",
                };
                self.slow()[at] = end;
                end.to_owned()
            }
            "slow_report" => self.slow().join(" "),
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// Reports progress, where it was asked for.
async fn report(context: &RequestContext<RoleServer>, step: u64, steps: u64) {
    if let Some(token) = context.meta.get_progress_token() {
        let progress = ProgressNotificationParam::new(token, step as f64)
            .with_total(steps as f64)
            .with_message(format!("step {step}"));
        // A client that is gone needs no report.
        let _ = context.peer.notify_progress(progress).await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("usage: live-rmcp PORT")?.parse()?;
    let live = Live::default();
    let service = StreamableHttpService::<_, LocalSessionManager>::new(
        move || Ok(live.clone()),
        Arc::default(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    axum::serve(TcpListener::bind(("127.0.0.1", port)).await?, router).await?;
    Ok(())
}
