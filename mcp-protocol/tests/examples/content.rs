//! What tools and prompts say.

use mcp_protocol::*;
use serde_json::json;

use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case::<TextContent>(
            &[],
            json!([
                {"type": "text", "text": "High water at 04:12 — née \u{65}\u{301} \"quoted\"\n"},
                {
                    "type": "text",
                    "text": "",
                    "annotations": {"audience": ["user"], "priority": 1},
                    "_meta": {"line": 3},
                },
            ]),
        ),
        case::<ImageContent>(
            &["data", "mimeType"],
            json!([{
                "type": "image",
                "data": "iVBORw0KGgo=",
                "mimeType": "image/png",
                "annotations": {"priority": 0.25},
                "_meta": {},
            }]),
        ),
        case::<AudioContent>(
            &["data", "mimeType"],
            json!([{
                "type": "audio",
                "data": "UklGRg==",
                "mimeType": "audio/wav",
                "annotations": {},
                "_meta": {"seconds": 2.5},
            }]),
        ),
        case::<ResourceLink>(
            &["uri"],
            json!([{
                "type": "resource_link",
                "uri": "chart://north/12",
                "name": "chart-12",
                "title": "Chart 12",
                "description": "The northern passage",
                "mimeType": "image/tiff",
                "size": 9_007_199_254_740_993_u64,
                "icons": [],
                "annotations": {"lastModified": "2026-08-01T00:00:00Z"},
                "_meta": {"sheet": "N"},
            }]),
        ),
        case::<EmbeddedResource>(
            &["resource"],
            json!([{
                "type": "resource",
                "resource": {"uri": "log://today", "mimeType": "text/plain", "text": "calm"},
                "annotations": {"audience": ["assistant", "user"]},
                "_meta": {"by": "harbor"},
            }]),
        ),
        case::<ResourceContents>(
            &[],
            json!([
                {"uri": "log://today", "mimeType": "text/plain", "text": "calm", "_meta": {"n": 1}},
                {"uri": "chart://n/12", "blob": "AAEC"},
            ]),
        ),
        case::<Annotations>(
            &[],
            json!([{
                "audience": ["assistant"],
                "priority": 0.5,
                "lastModified": "2025-05-03T14:30:00Z",
            }]),
        ),
    ]
}
