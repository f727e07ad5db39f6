//! Who is talking, and what each side can do.

use mcp_protocol::*;
use serde_json::json;

use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case::<ClientCapabilities>(
            &[],
            json!([
                {},
                {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}},
                {
                    "experimental": {"acme/voice": {"rate": 8000}},
                    "roots": {},
                    "sampling": {"context": {}, "tools": {}},
                    "elicitation": {"form": {}, "url": {}},
                    "tasks": {"list": {}, "requests": {"elicitation": {"create": {}}}},
                    "extensions": {"com.example/maps": {"tiles": ["png"]}},
                },
            ]),
        ),
        case::<RootsCapability>(&[], json!([{"listChanged": false}])),
        case::<SamplingCapability>(&[], json!([{"context": {}, "tools": {"max": 3}}])),
        case::<ElicitationCapability>(&[], json!([{"form": {}, "url": {}}, {"form": {}}])),
        case::<ServerCapabilities>(
            &[],
            json!([
                {},
                {"tools": {}, "logging": {}},
                {
                    "experimental": {"acme/undo": {}},
                    "logging": {},
                    "completions": {},
                    "prompts": {"listChanged": true},
                    "resources": {"subscribe": true, "listChanged": false},
                    "tools": {"listChanged": true},
                    "tasks": {"requests": {"tools": {"call": {}}}},
                    "extensions": {"io.modelcontextprotocol/tasks": {}},
                },
            ]),
        ),
        case::<PromptsCapability>(&[], json!([{"listChanged": true}])),
        case::<ResourcesCapability>(&[], json!([{"subscribe": true, "listChanged": true}])),
        case::<ToolsCapability>(&[], json!([{"listChanged": true}])),
        case::<Implementation>(
            &[],
            json!([
                {"name": "harbor", "version": "0.3.1"},
                {
                    "name": "harbor",
                    "title": "Harbor Office",
                    "version": "2.0",
                    "description": "Knows the tides",
                    "websiteUrl": "https://harbor.example",
                    "icons": [{"src": "data:image/png;base64,AA=="}],
                },
            ]),
        ),
        case::<Icon>(
            &["src"],
            json!([{
                "src": "https://harbor.example/i.svg",
                "mimeType": "image/svg+xml",
                "sizes": ["48x48", "any"],
                "theme": "dark",
            }]),
        ),
        case::<DiscoverResult>(
            &[],
            json!([{
                "resultType": "complete",
                "supportedVersions": ["2026-07-28", "2025-11-25"],
                "capabilities": {"tools": {}, "extensions": {"com.example/x": {}}},
                "instructions": "Ask for the tide before you plan.",
                "ttlMs": 3_600_000,
                "cacheScope": "public",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "harbor", "version": "1"}},
            }]),
        ),
        case::<InitializeParams>(
            &["protocolVersion"],
            json!([{
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {"listChanged": true}},
                "clientInfo": {"name": "skipper", "version": "1.2.0"},
                "_meta": {"trace": "7"},
            }]),
        ),
        case::<InitializeResult>(
            &["protocolVersion"],
            json!([
                {
                    "protocolVersion": "2024-11-05",
                    "capabilities": {"prompts": {}},
                    "serverInfo": {"name": "old harbor", "version": ""},
                },
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "serverInfo": {"name": "harbor", "version": "1"},
                    "instructions": "Be brief.",
                    "_meta": {},
                },
            ]),
        ),
    ]
}
