//! A tool's result, as the text that a model reads.

use mcp_protocol::{
    CallToolResult, ContentBlock, EmbeddedResource, JsonObject, ResourceLink, strip_envelope,
};
use mcp_provider::canonical_json;
use serde_json::Value;

/// The text of a result: its blocks, a line each.
///
/// Pictures and sound are named and never put into the text: they would cost a model a fortune
/// and tell it nothing.  A result without a list of content, which `whole` reads, is told as the
/// JSON that it is.
pub(crate) fn text(result: &CallToolResult, whole: impl FnOnce() -> JsonObject) -> String {
    if !result.content.is_empty() {
        let pieces: Vec<String> = result.content.iter().map(block).collect();
        return pieces.join("\n");
    }
    let mut whole = whole();
    strip_envelope(&mut whole);
    match whole.get("content") {
        Some(Value::Array(_)) => String::new(),
        _ if whole.is_empty() => String::new(),
        _ => canonical_json(&Value::Object(whole)),
    }
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image: {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio: {}]", audio.mime_type),
        ContentBlock::Resource(embedded) => resource(embedded),
        ContentBlock::ResourceLink(ResourceLink { uri, .. }) => pointer(&**uri),
        ContentBlock::Unknown(other) => unknown(other),
        _ => String::new(),
    }
}

fn resource(embedded: &EmbeddedResource) -> String {
    match &embedded.resource.text {
        Some(text) => text.clone(),
        // An address that the server left out was read as an empty one.
        None => pointer(Some(&*embedded.resource.uri).filter(|uri| !uri.is_empty())),
    }
}

fn pointer<'a>(uri: impl Into<Option<&'a str>>) -> String {
    format!("[resource: {}]", uri.into().unwrap_or("unknown"))
}

/// A block of a kind that nobody here knows, or of a known kind that lacks something.
fn unknown(block: &Value) -> String {
    let member = |name: &str| block.get(name).and_then(Value::as_str);
    match (block, member("type")) {
        (Value::Null, _) => String::new(),
        (Value::String(text), _) => text.clone(),
        (_, Some("text")) => match block.get("text") {
            None | Some(Value::Null) => String::new(),
            Some(other) => canonical_json(other),
        },
        (_, Some(kind @ ("image" | "audio"))) => {
            format!("[{kind}: {}]", member("mimeType").unwrap_or("unknown media type"))
        }
        (_, Some("resource")) => {
            let inside = |name: &str| block.get("resource")?.get(name)?.as_str();
            match inside("text") {
                Some(text) => text.to_owned(),
                None => pointer(inside("uri")),
            }
        }
        (_, Some("resource_link")) => pointer(member("uri")),
        _ => canonical_json(block),
    }
}
