//! Who is told what changed, in the modern era.

use std::sync::Arc;

use mcp_testkit::{Change, Server, fixtures};
use serde_json::{Value, json};

use crate::wire::Wire;

const ID: &str = "io.modelcontextprotocol/subscriptionId";

async fn listen(wire: &mut Wire, filter: Value) -> (u64, Value) {
    let id = wire.start("subscriptions/listen", json!({ "notifications": filter })).await;
    let mut acknowledged = wire.next().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"][ID], id);
    (id, acknowledged["params"]["notifications"].take())
}

#[tokio::test]
async fn what_can_be_served_is_acknowledged() {
    let all = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": false,
        "resourceSubscriptions": ["test://volatile"],
        "vendorChanged": true,
    });
    let mut wire = Wire::modern(fixtures::server(), json!({}));
    let expected = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourceSubscriptions": ["test://volatile"],
    });
    assert_eq!(listen(&mut wire, all.clone()).await.1, expected);
    let mut wire = Wire::modern(Server::new("bare", "1"), json!({}));
    assert_eq!(listen(&mut wire, all).await.1, json!({ "toolsListChanged": true }));
}

#[tokio::test]
async fn each_subscription_is_told_of_what_it_covers() {
    let server = Arc::new(fixtures::server());
    let mut wire = Wire::modern(Arc::clone(&server), json!({}));
    wire.call("flip_tools", json!({})).await;
    assert!(wire.others.is_empty(), "nobody asked");
    let (tools, _) = listen(&mut wire, json!({ "toolsListChanged": true })).await;
    let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["test://volatile"] });
    let (both, _) = listen(&mut wire, filter).await;

    wire.call("flip_tools", json!({})).await;
    wire.call("touch_resource", json!({})).await;
    wire.call("touch_resource", json!({ "uri": "test://cached" })).await;
    server.changed(&Change::Prompts);

    let told: Vec<_> = wire
        .others
        .drain(..)
        .map(|it| {
            (it["method"].clone(), it["params"]["uri"].clone(), it["params"]["_meta"][ID].clone())
        })
        .collect();
    let changed = json!("notifications/tools/list_changed");
    let updated = json!("notifications/resources/updated");
    assert_eq!(
        told,
        [
            (changed.clone(), Value::Null, json!(tools)),
            (changed, Value::Null, json!(both)),
            (updated, json!("test://volatile"), json!(both)),
        ]
    );
}

#[tokio::test]
async fn the_tools_really_change() {
    let mut wire = Wire::modern(fixtures::server(), json!({}));
    for (expected, count) in [("added", 1), ("removed", 0)] {
        let answer = wire.call("flip_tools", json!({})).await;
        assert_eq!(crate::wire::text(&answer), expected);
        let tools = wire.request("tools/list", json!({})).await["result"]["tools"].take();
        let found = tools.as_array().unwrap().iter().filter(|tool| tool["name"] == "extra").count();
        assert_eq!(found, count);
    }
}

#[tokio::test]
async fn a_cancelled_subscription_ends_without_an_answer() {
    let server = Arc::new(fixtures::server());
    let mut wire = Wire::modern(Arc::clone(&server), json!({}));
    let (id, _) = listen(&mut wire, json!({ "toolsListChanged": true })).await;
    let params = json!({ "requestId": id });
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    server.until_received("notifications/cancelled", 1).await;
    wire.call("flip_tools", json!({})).await;
    assert!(wire.others.is_empty());
    assert!(wire.end().await.is_empty());
}

#[tokio::test]
async fn a_server_may_end_its_subscriptions() {
    let server = Arc::new(fixtures::server());
    let mut wire = Wire::modern(Arc::clone(&server), json!({}));
    let (id, _) = listen(&mut wire, json!({ "toolsListChanged": true })).await;
    server.end_subscriptions();
    let answer = wire.answer(id).await;
    assert_eq!(answer["result"], json!({ "resultType": "complete", "_meta": { ID: id } }));
    wire.call("flip_tools", json!({})).await;
    assert!(wire.others.is_empty());
}
