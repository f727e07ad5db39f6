//! Tools, resources and prompts.

use mcp_protocol::*;
use serde_json::json;

use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"port": {"type": "string", "x-mcp-header": "Port"}, "at": {"$ref": "#/$defs/t"}},
        "required": ["port"],
        "$defs": {"t": {"type": "integer"}},
    });
    let tool = json!({
        "name": "tide",
        "title": "Tide",
        "description": "Tells the tide",
        "inputSchema": schema,
        "outputSchema": {"type": "array", "items": {"type": "number"}},
        "annotations": {
            "title": "Tides",
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
        "execution": {"taskSupport": "optional"},
        "icons": [{"src": "https://harbor.example/tide.png", "sizes": ["any"]}],
        "_meta": {"rank": 1},
    });
    vec![
        case::<Tool>(&["name"], json!([{"name": "ping", "inputSchema": {"type": "object"}}, tool])),
        case::<ToolAnnotations>(&[], json!([tool["annotations"]])),
        case::<ToolExecution>(&[], json!([{"taskSupport": "required"}])),
        case::<ListToolsResult>(
            &[],
            json!([
                {"tools": []},
                {
                    "resultType": "complete",
                    "tools": [tool, {"name": "b", "inputSchema": {}}],
                    "nextCursor": "",
                    "ttlMs": 60_000,
                    "cacheScope": "private",
                    "_meta": {"page": 1},
                },
            ]),
        ),
        case::<CallToolParams>(
            &["name"],
            json!([{
                "name": "tide",
                "arguments": {"port": "Brest", "at": null},
                "inputResponses": {"ask-1": {"action": "accept", "content": {"ok": true}}},
                "requestState": "v1:\u{65}\u{301}\n",
                "_meta": {"progressToken": 7},
            }]),
        ),
        case::<CallToolResult>(
            &[],
            json!([
                {"content": []},
                {"content": [{"type": "text", "text": "no such port"}], "isError": true},
                {
                    "resultType": "complete",
                    "content": [
                        {"type": "text", "text": "3.2 m"},
                        {"type": "image", "data": "AA==", "mimeType": "image/png"},
                        {"type": "audio", "data": "AA==", "mimeType": "audio/ogg"},
                        {"type": "resource_link", "uri": "chart://1", "name": "c"},
                        {"type": "resource", "resource": {"uri": "chart://2", "blob": "AA=="}},
                        {"type": "hologram", "beams": 4},
                    ],
                    "structuredContent": [3.2, {"unit": "m"}],
                    "isError": false,
                    "_meta": {"took": 12},
                },
            ]),
        ),
        case::<Resource>(
            &["uri"],
            json!([{
                "uri": "file:///log.txt",
                "name": "log",
                "title": "Log",
                "description": "The log",
                "mimeType": "text/plain",
                "size": 120,
                "icons": [{"src": "a"}],
                "annotations": {"priority": 1},
                "_meta": {"k": []},
            }]),
        ),
        case::<ResourceTemplate>(
            &["uriTemplate"],
            json!([{
                "uriTemplate": "log://{year}/{month}",
                "name": "logs",
                "title": "Logs",
                "description": "By month",
                "mimeType": "text/plain",
                "icons": [],
                "annotations": {},
                "_meta": {},
            }]),
        ),
        case::<ListResourcesResult>(
            &[],
            json!([{
                "resultType": "complete",
                "resources": [{"uri": "log://today", "name": "today"}],
                "nextCursor": "p2",
                "ttlMs": 0,
                "cacheScope": "public",
                "_meta": {},
            }]),
        ),
        case::<ListResourceTemplatesResult>(
            &[],
            json!([{
                "resultType": "complete",
                "resourceTemplates": [{"uriTemplate": "log://{d}", "name": "day"}],
                "nextCursor": "p2",
                "ttlMs": 250.5,
                "cacheScope": "private",
                "_meta": {},
            }]),
        ),
        case::<ReadResourceParams>(
            &["uri"],
            json!([{
                "uri": "log://today?a=%20",
                "inputResponses": {"r": {"roots": []}},
                "requestState": "",
                "_meta": {},
            }]),
        ),
        case::<ReadResourceResult>(
            &[],
            json!([{
                "resultType": "complete",
                "contents": [{"uri": "log://a", "text": ""}, {"uri": "log://b", "blob": ""}],
                "ttlMs": 5000,
                "cacheScope": "private",
                "_meta": {},
            }]),
        ),
        case::<SubscribeParams>(&["uri"], json!([{"uri": "log://today", "_meta": {}}])),
        case::<ResourceUpdated>(
            &["uri"],
            json!([{"uri": "log://today", "_meta": {"io.modelcontextprotocol/subscriptionId": 4}}]),
        ),
        case::<Prompt>(
            &["name"],
            json!([{
                "name": "plan",
                "title": "Plan a trip",
                "description": "Plans",
                "arguments": [{"name": "from", "required": true}],
                "icons": [],
                "_meta": {},
            }]),
        ),
        case::<PromptArgument>(
            &["name"],
            json!([{"name": "to", "title": "To", "description": "A port", "required": false}]),
        ),
        case::<ListPromptsResult>(
            &[],
            json!([{
                "resultType": "complete",
                "prompts": [{"name": "plan"}],
                "nextCursor": "p2",
                "ttlMs": 1,
                "cacheScope": "public",
                "_meta": {},
            }]),
        ),
        case::<GetPromptParams>(
            &["name"],
            json!([{
                "name": "plan",
                "arguments": {"from": "Brest", "to": "Cork"},
                "inputResponses": {},
                "requestState": "s",
                "_meta": {},
            }]),
        ),
        case::<GetPromptResult>(
            &[],
            json!([{
                "resultType": "complete",
                "description": "A plan",
                "messages": [
                    {"role": "user", "content": {"type": "text", "text": "Plan!"}},
                    {"role": "assistant", "content": {"type": "resource", "resource": {
                        "uri": "log://today", "text": "calm"}}},
                ],
                "_meta": {},
            }]),
        ),
        // `content` is any block at all, so that an unknown kind costs no message.
        case::<PromptMessage>(
            &["role", "content"],
            json!([{"role": "user", "content": {"type": "text", "text": "Plan!"}}]),
        ),
    ]
}
