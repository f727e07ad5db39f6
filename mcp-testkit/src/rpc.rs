//! JSON-RPC as a test needs it: errors, and messages as lines.

use std::error::Error;
use std::fmt;

use mcp_provider::JsonObject;
use serde_json::{Value, json};

/// A JSON-RPC error object.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// What went wrong, as a number.
    pub code: i64,
    /// What went wrong, in a sentence.
    pub message: String,
    /// What else the receiver may want to know.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same error with data.
    #[must_use]
    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// The error as JSON.
    pub fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl Error for RpcError {}

/// A request as a line, without the line end.
pub(crate) fn request_line(id: &Value, method: &str, params: &Value) -> String {
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    if !params.is_null() {
        message["params"] = params.clone();
    }
    message.to_string()
}

/// A notification as a line, without the line end.
pub(crate) fn notification_line(method: &str, params: &JsonObject) -> String {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if !params.is_empty() {
        message["params"] = Value::Object(params.clone());
    }
    message.to_string()
}

/// An answer as a line, without the line end.
pub(crate) fn answer_line(id: &Value, answer: Result<Value, RpcError>) -> String {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error.to_json() }),
    }
    .to_string()
}

/// The members of `value`, or none where it is not an object.
pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
