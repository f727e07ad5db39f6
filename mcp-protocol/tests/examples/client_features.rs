//! What a server asks of its client.

use mcp_protocol::*;
use serde_json::json;

use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    let question = json!({
        "message": "Which port?",
        "requestedSchema": {
            "type": "object",
            "properties": {"port": {"type": "string", "enum": ["Brest", "Cork"]}},
            "required": ["port"],
        },
    });
    vec![
        case::<Root>(
            &["uri"],
            json!([{"uri": "file:///srv/charts", "name": "Charts", "_meta": {"ro": true}}]),
        ),
        case::<ListRootsResult>(&[], json!([{"roots": [{"uri": "file:///a"}], "_meta": {}}])),
        case::<ElicitFormParams>(
            &[],
            json!([question, {
                "mode": "form", "message": "?", "requestedSchema": {}, "_meta": {"t": 1},
            }]),
        ),
        case::<ElicitUrlParams>(
            &["url"],
            json!([{
                "mode": "url",
                "message": "Sign in at the harbor",
                "url": "https://harbor.example/in?x=1",
                "elicitationId": "e-1",
                "_meta": {},
            }]),
        ),
        case::<ElicitResult>(
            &["action"],
            json!([
                {"action": "decline"},
                {
                    "action": "accept",
                    "content": {"port": "Cork", "boats": 2, "night": false, "flags": ["a"]},
                    "_meta": {},
                },
            ]),
        ),
        case::<ElicitationComplete>(
            &["elicitationId"],
            json!([{"elicitationId": "e-1", "_meta": {}}]),
        ),
        case::<UrlElicitationRequired>(
            &[],
            json!([{"elicitations": [
                {"mode": "url", "message": "m", "elicitationId": "e", "url": "https://x.example"},
            ]}]),
        ),
        case::<CreateMessageParams>(
            &[],
            json!([{
                "messages": [
                    {"role": "user", "content": {"type": "text", "text": "Tide?"}},
                    {"role": "assistant", "content": [
                        {"type": "tool_use", "id": "u1", "name": "tide", "input": {}},
                    ]},
                ],
                "modelPreferences": {"hints": [{"name": "small"}], "speedPriority": 0.9},
                "systemPrompt": "Be brief.",
                "includeContext": "thisServer",
                "temperature": 0.7,
                "maxTokens": 200,
                "stopSequences": ["END"],
                "metadata": {"seed": 1},
                "tools": [{"name": "tide", "inputSchema": {"type": "object"}}],
                "toolChoice": {"mode": "required"},
                "_meta": {},
            }]),
        ),
        case::<ToolChoice>(&[], json!([{"mode": "none"}, {}])),
        case::<ModelPreferences>(
            &[],
            json!([{
                "hints": [{"name": "small"}, {}],
                "costPriority": 0,
                "speedPriority": 0.5,
                "intelligencePriority": 1,
            }]),
        ),
        case::<ModelHint>(&[], json!([{"name": "small"}])),
        case::<SamplingMessage>(
            &["role", "content"],
            json!([{
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "audio", "data": "", "mimeType": "audio/wav"}],
                "_meta": {},
            }]),
        ),
        case::<CreateMessageResult>(
            &["role", "content"],
            json!([{
                "role": "assistant",
                "content": {"type": "text", "text": "Rising."},
                "model": "small-1",
                "stopReason": "endTurn",
                "_meta": {},
            }]),
        ),
        case::<ToolUseContent>(
            &["id", "name"],
            json!([{"type": "tool_use", "id": "u1", "name": "tide", "input": {"port": "Cork"}, "_meta": {}}]),
        ),
        case::<ToolResultContent>(
            &["toolUseId"],
            json!([{
                "type": "tool_result",
                "toolUseId": "u1",
                "content": [{"type": "text", "text": "3 m"}],
                "structuredContent": 3,
                "isError": false,
                "_meta": {},
            }]),
        ),
        case::<InputRequiredResult>(
            &[],
            json!([
                {"resultType": "input_required", "requestState": "later"},
                {
                    "resultType": "input_required",
                    "inputRequests": {
                        "q": {"method": "elicitation/create", "params": question},
                        "r": {"method": "roots/list"},
                    },
                    "requestState": "{\"n\":1}",
                    "_meta": {},
                },
            ]),
        ),
    ]
}
