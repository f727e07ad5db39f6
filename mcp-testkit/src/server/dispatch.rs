//! From a request to the work it asks for.

use std::sync::Arc;

use mcp_provider::JsonObject;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::RpcError;
use crate::rpc::RESOURCE_NOT_FOUND;
use crate::server::answers::{Shape, is_level};
use crate::server::call::Job;
use crate::server::connection::Connection;
use crate::server::handshake::Sender;

impl Connection {
    pub(super) fn request(
        self: &Arc<Self>,
        id: Value,
        method: &str,
        params: JsonObject,
        running: &mut JoinSet<()>,
    ) {
        let sender = match self.sender(method, &params) {
            Ok(sender) => sender,
            Err(error) => return self.answer(&id, Err(error)),
        };
        if method == "subscriptions/listen" && sender.is_modern {
            return self.listen(id, &params);
        }
        match self.job(method, &params, &sender) {
            Some(Ok(job)) => self.run(id, job, params, sender, running),
            Some(Err(error)) => self.answer(&id, Err(error)),
            None => {
                let result = self.immediate(method, &params, &sender);
                self.answer(
                    &id,
                    result.map(|result| self.server.complete(result, method, &sender)),
                );
            }
        }
    }

    /// The handler that a request runs, if it is of a kind that runs one.
    fn job(
        &self,
        method: &str,
        params: &JsonObject,
        sender: &Sender,
    ) -> Option<Result<Job, RpcError>> {
        let name = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
        let job = match method {
            "tools/call" => self.tool_job(name("name"), params),
            "prompts/get" => {
                let unknown =
                    || RpcError::invalid_params(format!("Unknown prompt: {}", name("name")));
                self.server.prompts.get(name("name")).ok_or_else(unknown).map(|prompt| Job {
                    name: prompt.name.clone(),
                    handler: prompt.handler.clone(),
                    arguments: arguments(params),
                    shape: Shape::Prompt,
                })
            }
            "resources/read" => self.read_job(name("uri"), sender),
            "completion/complete" => self
                .server
                .completion
                .as_ref()
                .map(|handler| Job {
                    name: "completion".to_owned(),
                    handler: handler.clone(),
                    arguments: params.clone(),
                    shape: Shape::Whole,
                })
                .ok_or_else(|| RpcError::method_not_found(method)),
            _ => return None,
        };
        Some(job)
    }

    fn tool_job(&self, name: &str, params: &JsonObject) -> Result<Job, RpcError> {
        if params.get("arguments").is_some_and(|it| !it.is_object() && !it.is_null()) {
            return Err(RpcError::invalid_params("Tool arguments must be an object"));
        }
        let tool = self.server.toolkit.get(name);
        let tool = tool.ok_or_else(|| RpcError::invalid_params(format!("Unknown tool: {name}")))?;
        let handler = tool.handler.clone();
        Ok(Job { name: name.to_owned(), handler, arguments: arguments(params), shape: Shape::Tool })
    }

    fn read_job(&self, uri: &str, sender: &Sender) -> Result<Job, RpcError> {
        let resources = &self.server.resources;
        let found = resources.iter().find(|it| !it.is_template && it.serves(uri));
        let found = found.or_else(|| resources.iter().find(|it| it.serves(uri)));
        let Some(resource) = found else {
            let message = format!("Resource not found: {uri}");
            let error = match sender.is_modern {
                true => RpcError::invalid_params(message),
                false => RpcError::new(RESOURCE_NOT_FOUND, message),
            };
            return Err(error.with_data(json!({ "uri": uri })));
        };
        let mut arguments = JsonObject::new();
        arguments.insert("uri".to_owned(), json!(uri));
        Ok(Job {
            name: uri.to_owned(),
            handler: resource.handler.clone(),
            arguments,
            shape: Shape::Resource {
                uri: uri.to_owned(),
                media_type: resource.media_type.clone(),
                cache: resource.cache.clone(),
            },
        })
    }

    /// What can be answered at once.
    fn immediate(
        &self,
        method: &str,
        params: &JsonObject,
        sender: &Sender,
    ) -> Result<JsonObject, RpcError> {
        match method {
            "server/discover" => return self.discover(sender.is_modern),
            "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
                return self.server.page(method, params);
            }
            // The handshake, and what a modern client says with each request instead.
            "initialize" if !sender.is_modern => return self.initialize(params),
            "ping" if !sender.is_modern => {}
            "logging/setLevel" if !sender.is_modern => {
                let level = params.get("level").and_then(Value::as_str).filter(|it| is_level(it));
                let level = level.ok_or_else(|| RpcError::invalid_params("No such log level"))?;
                if let Some(session) = &mut self.state().session {
                    session.log_level = Some(level.to_owned());
                }
            }
            "resources/subscribe" if !sender.is_modern => {
                self.state().legacy_subscriptions.insert(uri(params)?);
            }
            "resources/unsubscribe" if !sender.is_modern => {
                self.state().legacy_subscriptions.remove(&uri(params)?);
            }
            _ => return Err(RpcError::method_not_found(method)),
        }
        Ok(JsonObject::new())
    }
}

fn arguments(params: &JsonObject) -> JsonObject {
    params.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn uri(params: &JsonObject) -> Result<String, RpcError> {
    let uri = params.get("uri").and_then(Value::as_str);
    uri.map(str::to_owned).ok_or_else(|| RpcError::invalid_params("A subscription needs a uri"))
}
