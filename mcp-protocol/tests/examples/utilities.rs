//! Errors, logging, progress, completion and subscriptions.

use mcp_protocol::*;
use serde_json::json;

use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        case::<UnsupportedProtocolVersion>(
            &[],
            json!([{"supported": ["2026-07-28"], "requested": "2027-01-01"}]),
        ),
        case::<MissingRequiredClientCapability>(
            &[],
            json!([{"requiredCapabilities": {"elicitation": {"url": {}}}}]),
        ),
        case::<SetLevelParams>(&["level"], json!([{"level": "warning", "_meta": {}}])),
        case::<LoggingMessage>(
            &[],
            json!([{"level": "error", "logger": "db", "data": {"why": ["full"]}, "_meta": {}}]),
        ),
        case::<ProgressNotification>(
            &["progressToken", "progress"],
            json!([
                {"progressToken": 3, "progress": 0.5},
                {"progressToken": "t", "progress": 2, "total": 4, "message": "half", "_meta": {}},
            ]),
        ),
        case::<CancelledNotification>(
            &[],
            json!([{"requestId": 12, "reason": "no longer needed", "_meta": {}}, {"requestId": "a"}]),
        ),
        case::<CompleteParams>(
            &["ref", "argument"],
            json!([{
                "ref": {"type": "ref/prompt", "name": "plan", "title": "Plan"},
                "argument": {"name": "to", "value": "Co"},
                "context": {"arguments": {"from": "Brest"}},
                "_meta": {},
            }]),
        ),
        case::<PromptReference>(
            &["name"],
            json!([{"type": "ref/prompt", "name": "plan", "title": "Plan"}]),
        ),
        case::<ResourceTemplateReference>(
            &["uri"],
            json!([{"type": "ref/resource", "uri": "log://{day}"}]),
        ),
        case::<CompletionArgument>(&[], json!([{"name": "to", "value": ""}])),
        case::<CompletionContext>(&[], json!([{"arguments": {"from": "Brest"}}])),
        case::<CompleteResult>(
            &[],
            json!([{"resultType": "complete", "completion": {"values": ["Cork"]}, "_meta": {}}]),
        ),
        case::<Completion>(
            &[],
            json!([{"values": ["Cork", "Cowes"], "total": 9, "hasMore": true}]),
        ),
        case::<SubscriptionFilter>(
            &[],
            json!([{
                "toolsListChanged": true,
                "promptsListChanged": false,
                "resourcesListChanged": true,
                "resourceSubscriptions": ["log://today"],
            }]),
        ),
        case::<SubscriptionsListenParams>(
            &[],
            json!([{"notifications": {"toolsListChanged": true}, "_meta": {}}]),
        ),
        case::<SubscriptionsAcknowledged>(&[], json!([{"notifications": {}, "_meta": {}}])),
        case::<SubscriptionsListenResult>(
            &[],
            json!([{
                "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/subscriptionId": "l-1"},
            }]),
        ),
    ]
}
