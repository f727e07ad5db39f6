//! What a client does over HTTP beyond what it does everywhere.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;
#[path = "../../mcp-transport/tests/web/mod.rs"]
mod web;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::{Client, ClientBuilder, Delivery, Error, Http};
use mcp_provider::Provider;
use serde_json::{Value, json};

use crate::support::{Warnings, no_warning, says, text};
use crate::web::{JSON, Reply, Seen, Web, initialized, message};

fn client(web: &Web) -> ClientBuilder {
    Client::builder(Http::new(web.url()).unwrap().no_proxy())
}

fn error(seen: &Seen, status: u16, code: i64) -> Reply {
    let error = json!({ "code": code, "message": "refused" });
    let body = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
    Reply::Whole(status, JSON, body.to_string())
}

fn tool(name: &str, annotation: &str) -> Value {
    let property = json!({ "type": "string", "x-mcp-header": annotation });
    json!({ "name": name, "inputSchema": { "type": "object", "properties": { "region": property } } })
}

/// A modern server with these pages of tools; its calls are up to the test.
fn modern(seen: &Seen, pages: &[Value]) -> Option<Reply> {
    Some(match seen.what() {
        "server/discover" => Reply::result(
            seen,
            &json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
        ),
        "tools/list" => {
            let cursor = seen.body["params"]["cursor"].as_str().unwrap_or("0");
            let page: usize = cursor.parse().unwrap();
            let mut result = json!({ "tools": pages[page] });
            if page + 1 < pages.len() {
                result["nextCursor"] = json!((page + 1).to_string());
            }
            Reply::result(seen, &result)
        }
        _ => return None,
    })
}

/// B-HTTP-13, B-HTTP-19, B-HTTP-21: a tool is listed before it is called, once for all calls.
#[tokio::test]
async fn parameters_are_repeated_in_headers_as_the_schema_asks() {
    let pages = [json!([tool("a", "Region")]), json!([tool("b", "Place")])];
    let web = Web::start(move |seen| {
        modern(seen, &pages).unwrap_or_else(|| Reply::result(seen, &says("done")))
    })
    .await;
    let client = client(&web).on_warning(no_warning).connect().await.unwrap();
    // The first tool is on the first page, the second on another of the same listing.
    for (name, header) in [("a", "mcp-param-region"), ("b", "mcp-param-place")] {
        client.call_tool(name, json!({ "region": "ünder" })).await.unwrap();
        let call = web.seen().pop().unwrap();
        assert_eq!(call.header(header), Some("=?base64?w7xuZGVy?="));
        assert_eq!(call.header("mcp-name"), Some(name));
    }
    client.call_tool("a", json!({ "region": null })).await.unwrap();
    assert_eq!(web.seen().pop().unwrap().header("mcp-param-region"), None);
    let lists = web.asked().iter().filter(|it| *it == "tools/list").count();
    assert_eq!(lists, 2);
    // A tool that the listing lacks may be a new one.
    client.call_tool("c", json!({})).await.unwrap();
    assert_eq!(web.asked()[web.asked().len() - 3..], ["tools/list", "tools/list", "tools/call"]);
    // What does not fit the schema is refused here, in words for whoever wrote it.
    let before = web.seen().len();
    let unfit = client.call_tool("a", json!({ "region": 7 })).await.unwrap_err();
    assert!(unfit.to_string().contains("must be a string"), "{unfit}");
    assert_eq!((unfit.delivery(), web.seen().len()), (Delivery::NotSent, before));
}

/// B-HTTP-14: with one warning that says which and why; and it cannot be called by name.
#[tokio::test]
async fn a_tool_with_a_bad_annotation_is_left_out() {
    let pages = [json!([tool("good", "Region"), tool("bad", "no header"), { "name": "plain" }])];
    let web = Web::start(move |seen| {
        modern(seen, &pages).unwrap_or_else(|| Reply::result(seen, &says("done")))
    })
    .await;
    let (builder, warnings) = Warnings::of(client(&web));
    let client = builder.connect().await.unwrap();
    let names: Vec<_> =
        client.list_tools().await.unwrap().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["good", "plain"]);
    let warning = warnings.one();
    assert!(warning.contains("\"bad\"") && warning.contains("field-name token"), "{warning}");
    assert_eq!(client.tools_for_llm().await.unwrap().len(), 2);
    let error = client.call_tool("bad", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("cannot be called"), "{error}");
    assert_eq!(error.delivery(), Delivery::NotSent);
    client.call_tool("plain", json!({})).await.unwrap();
}

/// Row 66 of what the specification asks for.
#[tokio::test]
async fn headers_that_the_server_finds_wanting_are_looked_up_anew_once() {
    for answers_second in [true, false] {
        let lists = AtomicUsize::new(0);
        let web = Web::start(move |seen| match seen.what() {
            "tools/list" => {
                let annotation = ["Old", "New"][lists.fetch_add(1, Ordering::Relaxed).min(1)];
                // Fresh for an hour, and wrong all the same.
                let tools = json!([tool("a", annotation)]);
                let fresh = json!({ "tools": tools, "ttlMs": 3_600_000, "cacheScope": "private" });
                Reply::result(seen, &fresh)
            }
            "tools/call" if answers_second && seen.header("mcp-param-new").is_some() => {
                Reply::result(seen, &says("done"))
            }
            "tools/call" => error(seen, 400, -32020),
            _ => modern(seen, &[]).unwrap(),
        })
        .await;
        let client = client(&web).on_warning(no_warning).connect().await.unwrap();
        let outcome = client.call_tool("a", json!({ "region": "x" })).await;
        let expected = ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"];
        assert_eq!(web.asked(), expected);
        match outcome {
            Ok(result) => assert_eq!(text(&result), "done"),
            Err(error) => assert_eq!(error.code().map(|code| code.0), Some(-32020)),
        }
    }
}

/// A legacy server with sessions `s-1`, `s-2` and so on, which knows only the `latest`.
async fn with_sessions(latest: &Arc<AtomicUsize>) -> Web {
    let latest = Arc::clone(latest);
    Web::start(move |seen| match seen.what() {
        "server/discover" => error(seen, 400, -32000),
        "initialize" => {
            let number = latest.fetch_add(1, Ordering::Relaxed) + 1;
            let headers =
                format!("content-type: application/json\r\nmcp-session-id: s-{number}\r\n");
            let headers: &'static str = Box::leak(headers.into_boxed_str());
            Reply::Whole(200, headers, message(&seen.body["id"], &initialized()))
        }
        "GET" => Reply::status(405),
        "DELETE" => Reply::status(200),
        "notifications/initialized" => Reply::accepted(),
        _ if seen.header("mcp-session-id")
            != Some(&*format!("s-{}", latest.load(Ordering::Relaxed))) =>
        {
            Reply::status(404)
        }
        _ => Reply::result(seen, &says("done")),
    })
    .await
}

/// One fresh session, and only what the server refused is sent again; the era is remembered.
#[tokio::test]
async fn a_session_that_has_expired_is_replaced_once() {
    let latest = Arc::default();
    let web = with_sessions(&latest).await;
    let client = client(&web).on_warning(no_warning).connect().await.unwrap();
    client.call_tool("a", ()).await.unwrap();
    // The server forgets all it knew.
    latest.store(10, Ordering::Relaxed);
    let before = web.asked().len();
    client.call_tool("a", ()).await.unwrap();
    let expected = ["tools/call", "initialize", "notifications/initialized", "GET", "tools/call"];
    assert_eq!(web.asked()[before..], expected);
    let ids: Vec<_> = web.seen().iter().map(|it| it.body["id"].clone()).collect();
    assert_ne!(ids[before], ids[before + 4]);
    // Several callers share the new session.
    latest.store(20, Ordering::Relaxed);
    let calls: Vec<_> =
        (0..5).map(|_| tokio::spawn(client.call_tool("a", ()).into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(latest.load(Ordering::Relaxed), 21);
    client.close().await;
    assert_eq!(web.seen().pop().unwrap().header("mcp-session-id"), Some("s-21"));
}

/// A server that refuses the new session as well is not asked for ever.
#[tokio::test]
async fn a_server_that_knows_no_session_at_all_is_an_error() {
    let web = Web::start(|seen| match seen.what() {
        "initialize" => {
            let headers = "content-type: application/json\r\nmcp-session-id: s\r\n";
            Reply::Whole(200, headers, message(&seen.body["id"], &initialized()))
        }
        "notifications/initialized" => Reply::accepted(),
        "server/discover" => error(seen, 400, -32000),
        _ => Reply::status(404),
    })
    .await;
    let client = client(&web).on_warning(no_warning).connect().await.unwrap();
    let error = client.call_tool("a", ()).await.unwrap_err();
    assert_eq!(error, Error::SessionExpired { is_sent: false });
    assert_eq!(error.delivery(), Delivery::NotSent);
    let calls = web.asked().iter().filter(|it| *it == "tools/call").count();
    assert_eq!(calls, 2);
}

/// What says nothing about the era is not worked around.
#[tokio::test]
async fn a_server_that_wants_credentials_or_is_not_there_is_an_error_at_once() {
    for (status, delivery) in
        [(401, Delivery::NotSent), (403, Delivery::NotSent), (503, Delivery::NotSent)]
    {
        let web = Web::start(move |_| Reply::status(status)).await;
        let error = client(&web).connect().await.unwrap_err();
        let Error::Http { failure, .. } = &error else { panic!("{error}") };
        assert_eq!((failure.status, error.delivery()), (status, delivery));
        assert_eq!(web.asked(), ["server/discover"]);
    }
}

/// A tool that may have run is never reported as one that failed.
#[tokio::test]
async fn a_status_says_how_sure_the_outcome_is() {
    for (status, delivery) in [
        (400, Delivery::Answered),
        (401, Delivery::Answered),
        (408, Delivery::Unknown),
        (500, Delivery::Unknown),
        (502, Delivery::Unknown),
    ] {
        let web = Web::start(move |seen| {
            modern(seen, &[json!([{ "name": "a" }])]).unwrap_or_else(|| Reply::status(status))
        })
        .await;
        let client = client(&web).on_warning(no_warning).connect().await.unwrap();
        let error = client.call_tool("a", ()).await.unwrap_err();
        assert_eq!(error.delivery(), delivery, "{error}");
    }
}
