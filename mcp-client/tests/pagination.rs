//! Lists that come in pages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use mcp_client::{Client, Error, Limits};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{Answer, ScriptedServer, ServeEra, Toolkit, fixtures};
use serde_json::{Value, json};

use crate::support::{bare_params, client, legacy, modern, no_warning};

fn page(names: &[&str], next: Value) -> Value {
    let tools: Vec<_> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": {} })).collect();
    let mut page = json!({ "tools": tools, "ttlMs": 60_000 });
    if !next.is_null() {
        page["nextCursor"] = next;
    }
    page
}

async fn names(client: &Client) -> Result<Vec<String>, Error> {
    Ok(client.list_tools().await?.iter().map(|tool| tool.name.clone()).collect())
}

fn cursors(server: &ScriptedServer) -> Vec<Value> {
    server.received("tools/list").iter().map(|it| bare_params(it)["cursor"].clone()).collect()
}

/// Spec 43, 44: all pages, in order; a cursor goes back byte for byte, the empty one too.
#[tokio::test]
async fn every_page_is_fetched() {
    let opaque = " e\u{301}\u{2028}\"\\/+%20=";
    for (server, builder) in [modern(), legacy()] {
        let client = builder.on_warning(no_warning).build().unwrap();
        server.on("tools/list").result(page(&["a", "b"], json!("")));
        server.on("tools/list").result(page(&[], json!(opaque)));
        server.on("tools/list").result(page(&["c"], json!(7)));
        assert_eq!(names(&client).await.unwrap(), ["a", "b", "c"]);
        assert_eq!(cursors(&server), [Value::Null, json!(""), json!(opaque)]);
    }
}

/// Spec 44: the same for each kind of list, in both eras, also where there are many.
#[tokio::test]
async fn every_kind_of_list_may_come_in_pages() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let (whole, _) = client(fixtures::server(), era);
        let (paged, server) = client(fixtures::server().page_size(1).empty_cursor(), era);
        assert_eq!(paged.list_tools().await.unwrap(), whole.list_tools().await.unwrap());
        assert_eq!(paged.list_resources().await.unwrap(), whole.list_resources().await.unwrap());
        assert_eq!(paged.list_prompts().await.unwrap(), whole.list_prompts().await.unwrap());
        let templates = paged.list_resource_templates().await.unwrap();
        assert_eq!(templates, whole.list_resource_templates().await.unwrap());
        assert!(server.received_method("resources/list").len() > 1);
    }
    let many = Toolkit::new().tools(fixtures::many_tools(1_000));
    let server = mcp_testkit::Server::new("many", "1").toolkit(many).page_size(7);
    let (client, _) = client(server, ServeEra::Modern);
    let names = names(&client).await.unwrap();
    assert_eq!(names.len(), 1_000);
    assert!(names.is_sorted());
}

/// Spec 44: a model may call what stands on a later page.
#[tokio::test]
async fn a_model_knows_the_tools_of_every_page() {
    let (client, server) = client(fixtures::server().page_size(2), ServeEra::Modern);
    let declared = client.tools_for_llm().await.unwrap();
    assert_eq!(declared.len(), server.tools().listing().len());
    let results =
        client.execute_tool_calls(vec![ToolCall::new("1", "upcase", json!({ "text": "a" }))]).await;
    assert_eq!(results[0].content, "A");
}

/// Spec 40: a cursor that is refused discards what was fetched; the list begins again, once.
#[tokio::test]
async fn a_cursor_that_went_stale_begins_the_list_again() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/list").result(page(&["old"], json!("1")));
    server.on("tools/list").error(-32602, "Invalid cursor", None);
    server.on("tools/list").result(page(&["new"], json!("2")));
    server.on("tools/list").result(page(&["newer"], Value::Null));
    assert_eq!(names(&client).await.unwrap(), ["new", "newer"]);
    assert_eq!(cursors(&server), [Value::Null, json!("1"), Value::Null, json!("2")]);
    // What was kept is the new list.
    assert_eq!(names(&client).await.unwrap(), ["new", "newer"]);

    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    for _ in 0..2 {
        server.on("tools/list").result(page(&["old"], json!("1")));
        server.on("tools/list").error(-32602, "Invalid cursor", None);
    }
    assert_eq!(names(&client).await.unwrap_err().to_string(), "Invalid cursor (code -32602)");
    server.finish();
}

/// A list that breaks off for any other reason, or at its first page, is an error at once, and
/// never a shorter list.
#[tokio::test]
async fn a_list_that_breaks_off_is_no_list() {
    for (pages, code) in [(0, -32602), (1, -32601), (1, -32603), (2, -32000)] {
        let (server, builder) = modern();
        let client = builder.on_warning(no_warning).build().unwrap();
        for number in 0..pages {
            server.on("tools/list").result(page(&["a"], json!(number.to_string())));
        }
        server.on("tools/list").error(code, "no", None);
        let error = names(&client).await.unwrap_err();
        assert_eq!(error.code().map(|code| code.0), Some(code));
    }
}

/// A server that goes in circles, or on for ever, is stopped.
#[tokio::test]
async fn a_list_without_an_end_is_stopped() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    for next in ["1", "2", "1"] {
        server.on("tools/list").result(page(&["a"], json!(next)));
    }
    let error = names(&client).await.unwrap_err();
    assert!(error.to_string().contains("circles"), "{error}");

    let mut pages = Limits::default();
    pages.pages = 3;
    let mut entries = Limits::default();
    entries.entries = 5;
    for (limits, expected, requests) in [(pages, "3 pages", 3), (entries, "5 entries", 3)] {
        let (server, builder) = modern();
        let client = builder.limits(limits).on_warning(no_warning).build().unwrap();
        let mut number = 0;
        server.on("tools/list").always().compute(move |_| {
            number += 1;
            Answer::Result(page(&["a", "b"], json!(number.to_string())))
        });
        let error = names(&client).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(server.received("tools/list").len(), requests);
    }
    // As many as are allowed are fine.
    let (server, builder) = modern();
    let client = builder.limits(pages).on_warning(no_warning).build().unwrap();
    for next in [json!("1"), json!("2"), Value::Null] {
        server.on("tools/list").result(page(&["a"], next));
    }
    assert_eq!(names(&client).await.unwrap().len(), 3);
}
