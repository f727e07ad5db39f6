//! Listings, cut into pages.

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::{RpcError, Server};

impl Server {
    /// One page of the listing that `method` asks for.
    pub(super) fn page(&self, method: &str, params: &JsonObject) -> Result<JsonObject, RpcError> {
        let start = match params.get("cursor") {
            None => 0,
            Some(cursor) => self.start(cursor)?,
        };
        let all = |items: Vec<Value>| (items.len(), items);
        let (count, items) = match method {
            "tools/list" => (self.toolkit.len(), Vec::new()),
            "prompts/list" => all(self.prompts.values().map(|it| it.listing()).collect()),
            _ => all(self.listed_resources(method == "resources/templates/list")),
        };
        let size = self.page_size.unwrap_or(usize::MAX);
        let range = start.min(count)..start.saturating_add(size).min(count);
        let end = range.end;
        let (key, page) = match method {
            "tools/list" => ("tools", self.toolkit.listing_of(range)),
            "prompts/list" => ("prompts", items[range].to_vec()),
            "resources/list" => ("resources", items[range].to_vec()),
            _ => ("resourceTemplates", items[range].to_vec()),
        };
        let mut result = JsonObject::new();
        result.insert(key.to_owned(), Value::Array(page));
        if end < count {
            result.insert("nextCursor".to_owned(), json!(self.cursor(end)));
        }
        Ok(result)
    }

    fn listed_resources(&self, templates: bool) -> Vec<Value> {
        let listed = self.resources.iter().filter(|resource| resource.is_template == templates);
        listed.map(|resource| resource.listing()).collect()
    }

    fn cursor(&self, start: usize) -> String {
        if self.has_empty_cursor && Some(start) == self.page_size {
            return String::new();
        }
        format!("{CURSOR_HEAD}{start}")
    }

    fn start(&self, cursor: &Value) -> Result<usize, RpcError> {
        let invalid = || RpcError::invalid_params(format!("Invalid cursor: {cursor}"));
        match cursor.as_str().ok_or_else(invalid)? {
            "" if self.has_empty_cursor => self.page_size.ok_or_else(invalid),
            cursor => {
                let start = cursor.strip_prefix(CURSOR_HEAD).and_then(|start| start.parse().ok());
                start.ok_or_else(invalid)
            }
        }
    }
}

/// Nothing that survives trimming, normalising or re-encoding.
const CURSOR_HEAD: &str = " e\u{301}\u{2028}\"\\/+%20=";
