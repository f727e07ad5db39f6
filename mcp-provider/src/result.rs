//! The answer to a call.

use serde_json::{Value, json};

use crate::{CallId, JsonObject};

/// What came of one call.
///
/// In JSON, where `structured_content` is there only if the tool returned some:
///
/// ```json
/// {"role": "tool", "tool_call_id": "…", "content": "…", "is_error": false,
///  "structured_content": …}
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call this answers.
    pub tool_call_id: CallId,
    /// The text a model reads.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// What the tool returned for machines: any JSON value but null.
    pub structured_content: Option<Value>,
    /// How sure the result is.  Never serialised.
    pub delivery: Delivery,
    /// Members that nobody here knows.
    pub extra: JsonObject,
}

/// How sure a result is of what happened.
#[allow(clippy::exhaustive_enums, reason = "answered, never sent, or not known")]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Delivery {
    /// The provider answered, well or badly.
    #[default]
    Answered,
    /// The call was refused, or failed before anything left: it certainly did not run.
    NotSent,
    /// The call was sent, and no answer came: it may have run.
    Unknown,
}

impl ToolResult {
    /// A call that worked.
    pub fn ok(tool_call_id: impl Into<CallId>, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            content: content.into(),
            is_error: false,
            structured_content: None,
            delivery: Delivery::Answered,
            extra: JsonObject::new(),
        }
    }

    /// A call that ran and failed, and why.
    pub fn error(tool_call_id: impl Into<CallId>, content: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::ok(tool_call_id, content) }
    }

    /// A call that did not run, and why.
    pub fn not_sent(tool_call_id: impl Into<CallId>, content: impl Into<String>) -> Self {
        Self { delivery: Delivery::NotSent, ..Self::error(tool_call_id, content) }
    }

    /// A call that may have run, and why nobody knows.
    pub fn unknown(tool_call_id: impl Into<CallId>, content: impl Into<String>) -> Self {
        Self { delivery: Delivery::Unknown, ..Self::error(tool_call_id, content) }
    }

    /// The same result with something for machines; null is nothing.
    #[must_use]
    pub fn with_structured_content(mut self, content: Value) -> Self {
        self.structured_content = Some(content).filter(|content| !content.is_null());
        self
    }

    /// Reads what a foreign provider returned for the call `id`, and repairs what is missing.
    ///
    /// What is not an object is the content itself.
    pub fn from_json(json: Value, id: &CallId) -> Self {
        let mut extra = match json {
            Value::Object(object) => object,
            other => return Self::ok(id.clone(), text(other)),
        };
        extra.shift_remove("role");
        let tool_call_id =
            extra.shift_remove("tool_call_id").map_or_else(|| id.clone(), CallId::from_json);
        let content = extra.shift_remove("content").map_or_else(String::new, text);
        let is_error = extra.shift_remove("is_error") == Some(Value::Bool(true));
        let structured_content =
            extra.shift_remove("structured_content").filter(|it| !it.is_null());
        let delivery = Delivery::Answered;
        Self { tool_call_id, content, is_error, structured_content, delivery, extra }
    }

    /// The result as JSON.
    pub fn to_json(&self) -> Value {
        let mut object = JsonObject::new();
        object.insert("role".to_owned(), json!("tool"));
        object.insert("tool_call_id".to_owned(), self.tool_call_id.to_json());
        object.insert("content".to_owned(), json!(self.content));
        object.insert("is_error".to_owned(), json!(self.is_error));
        if let Some(content) = &self.structured_content {
            object.insert("structured_content".to_owned(), content.clone());
        }
        for (key, value) in &self.extra {
            object.entry(key).or_insert_with(|| value.clone());
        }
        Value::Object(object)
    }
}

/// Makes `results` answer the calls `ids`: one each, in their order.
///
/// Results are matched by position.  A call without one is answered with an unknown outcome,
/// a result without an id gets its call's, and results too many are dropped.
pub fn one_per_call(
    ids: impl IntoIterator<Item = CallId>,
    results: Vec<ToolResult>,
) -> Vec<ToolResult> {
    let mut results = results.into_iter();
    ids.into_iter()
        .map(|id| match results.next() {
            Some(result) if result.tool_call_id.is_empty() => {
                ToolResult { tool_call_id: id, ..result }
            }
            Some(result) => result,
            None => ToolResult::unknown(id, "The provider returned no result for this call"),
        })
        .collect()
}

/// A JSON value as a model should read it: a string without its quotes.
fn text(json: Value) -> String {
    match json {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
