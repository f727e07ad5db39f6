//! What a client declares: what its hooks show, or what it was told to.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::ready;

use mcp_client::protocol::{
    ClientCapabilities, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult,
    ListRootsResult, TextContent,
};
use mcp_client::{Asked, Client, ClientBuilder};
use mcp_testkit::{ServeEra, fixtures};
use serde_json::{Value, json};

use crate::support::{CAPABILITIES, Nowhere, legacy, modern, no_warning, says, served, text};

fn elicit(builder: ClientBuilder) -> ClientBuilder {
    builder.on_elicit(|_| ready(Ok(ElicitResult::decline())))
}

fn sample(builder: ClientBuilder) -> ClientBuilder {
    builder.on_sample(|_| ready(Ok(CreateMessageResult::new("m", TextContent::new("hi")))))
}

fn roots(builder: ClientBuilder) -> ClientBuilder {
    builder.on_list_roots(|_| ready(Ok(ListRootsResult::default())))
}

fn declaring(capabilities: &Value) -> ClientCapabilities {
    serde_json::from_value(capabilities.clone()).unwrap()
}

/// B-CAP-1, spec 79: each hook declares its own kind of question, and no more.
#[test]
fn what_is_declared_follows_from_the_hooks() {
    type Set = fn(ClientBuilder) -> ClientBuilder;
    let cases: [(Set, Value); 5] = [
        (|it| it, json!({})),
        (elicit, json!({ "elicitation": { "form": {} } })),
        (sample, json!({ "sampling": {} })),
        (roots, json!({ "roots": {} })),
        (
            |it| elicit(sample(roots(it))),
            json!({ "elicitation": { "form": {} }, "sampling": {}, "roots": {} }),
        ),
    ];
    for (set, expected) in cases {
        let client = set(Client::builder(Nowhere::default())).build().unwrap();
        assert_eq!(serde_json::to_value(client.declared_capabilities()).unwrap(), expected);
    }
}

/// B-CAP-2, B-CAP-3: what is set is declared as it is, in both eras, whatever hooks there are.
#[tokio::test]
async fn what_is_set_is_declared_as_it_is() {
    let set = [
        json!({
            "elicitation": { "form": {}, "url": {} },
            "experimental": { "vendor/x": { "y": 1 } },
        }),
        json!({ "extensions": { "vendor/z": {} }, "sampling": { "tools": {} } }),
        json!({}),
    ];
    for capabilities in set {
        for (is_modern, (server, builder)) in [(true, modern()), (false, legacy())] {
            let builder = sample(elicit(builder)).client_capabilities(declaring(&capabilities));
            let client = builder.connect().await.unwrap();
            assert_eq!(serde_json::to_value(client.declared_capabilities()).unwrap(), capabilities);
            let declared = match is_modern {
                true => server.messages()[0]["params"]["_meta"][CAPABILITIES].clone(),
                false => server.received("initialize")[0]["params"]["capabilities"].clone(),
            };
            assert_eq!(declared, capabilities);
        }
    }
}

/// B-MRTR-15, spec 22, 82: a server may only use what was declared; the hook never hears of the rest.
#[tokio::test]
async fn what_was_not_declared_is_refused() {
    let url = json!({ "mode": "url", "message": "m", "url": "https://example.com" });
    let asked = json!({
        "e": { "method": "elicitation/create", "params": { "message": "m" } },
        "r": { "method": "roots/list" },
        "s": { "method": "sampling/createMessage", "params": { "messages": [] } },
        "u": { "method": "elicitation/create", "params": url },
    });
    let declined = json!({ "action": "decline" });
    let cases = [
        (json!({}), json!({ "e": declined, "r": { "roots": [] }, "u": declined })),
        (
            json!({ "elicitation": { "url": {} } }),
            json!({ "e": declined, "r": { "roots": [] }, "u": { "action": "accept" } }),
        ),
        (
            json!({ "elicitation": {} }),
            json!({ "e": { "action": "accept" }, "r": { "roots": [] }, "u": declined }),
        ),
    ];
    for (capabilities, expected) in cases {
        let (server, builder) = modern();
        let client = sample(builder)
            .on_elicit(|_| ready(Ok(ElicitAction::Accept.into())))
            .on_list_roots(|_| ready(Err("nobody may ask for roots".into())))
            .client_capabilities(declaring(&capabilities))
            .on_warning(no_warning)
            .build()
            .unwrap();
        let required = json!({ "resultType": "input_required", "inputRequests": asked });
        server.on("tools/call").result(required);
        server.on("tools/call").result(says("done"));
        client.call_tool("t", ()).await.unwrap();
        let retry = &server.received("tools/call")[1]["params"];
        assert_eq!(retry["inputResponses"], expected, "{capabilities}");
    }
}

/// Spec 82: a client that can open a page says so, and gets the whole address.
#[tokio::test]
async fn a_client_that_opens_pages_is_sent_there() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let server = std::sync::Arc::new(fixtures::server());
        let capabilities = declaring(&json!({ "elicitation": { "form": {}, "url": {} } }));
        let client = Client::builder(served(&server, era))
            .client_capabilities(capabilities)
            .on_elicit(|asked: Asked<ElicitParams>| {
                let ElicitParams::Url(page) = asked.params else { panic!("a page was promised") };
                assert_eq!(page.url, "https://bank.example/link?state=1");
                ready(Ok(ElicitAction::Accept.into()))
            })
            .on_warning(no_warning)
            .build()
            .unwrap();
        let linked = client.call_tool("link_account", json!({ "provider": "bank" })).await.unwrap();
        assert_eq!(text(&linked), "linked bank");
    }
}
