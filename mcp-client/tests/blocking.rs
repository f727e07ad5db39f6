//! The twins that wait: the same calls with the same outcome, wherever a thread may wait.
#![cfg(feature = "blocking")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::{Future, IntoFuture, pending};
use std::sync::Arc;
use std::time::Duration;

use mcp_client::blocking::{Call, Client};
use mcp_client::protocol::{
    CompleteParams, CompletionArgument, LoggingLevel, PromptReference, SubscriptionFilter,
};
use mcp_client::{ClientBuilder, Delivery, Error, SubscriptionEnd, SubscriptionEvent};
use mcp_provider::{Provider, ProviderError, ToolCall};
use mcp_testkit::{ScriptedServer, ServeEra, Server, fixtures};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{block_in_place, spawn_blocking};

use crate::support::{Heard, Nowhere, no_warning, served, streams, text};

const ERAS: [ServeEra; 2] = [ServeEra::Modern, ServeEra::Legacy];

fn builder(server: &Arc<Server>, era: ServeEra) -> ClientBuilder {
    mcp_client::Client::builder(served(server, era)).on_warning(no_warning)
}

fn blocking(era: ServeEra) -> (Client, Arc<Server>) {
    let server = Arc::new(fixtures::server().cache("tools/list", 3_600_000, "public"));
    (Client::new(builder(&server, era)).unwrap(), server)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn completion() -> CompleteParams {
    let argument = CompletionArgument::new("name", "A");
    CompleteParams::new(PromptReference::new("greeting"), argument)
}

/// B-ASYNC-1: every method has a twin with the same outcome.
#[test]
fn each_call_has_the_outcome_of_its_twin() {
    let runtime = runtime();
    for era in ERAS {
        let (twin, _) = blocking(era);
        let server = Arc::new(fixtures::server().cache("tools/list", 3_600_000, "public"));
        let client = builder(&server, era).build().unwrap();
        macro_rules! same {
            ($method:ident($($argument:expr),*) $($wait:tt)*) => {
                let there = runtime.block_on(client.$method($($argument),*).into_future());
                let here = twin.$method($($argument),*)$($wait)*;
                assert_eq!(format!("{here:?}"), format!("{there:?}"), stringify!($method));
            };
        }
        same!(server());
        same!(era());
        same!(protocol_version());
        same!(capabilities());
        same!(server_info());
        same!(instructions());
        same!(discover());
        same!(list_tools().wait());
        same!(list_resources().wait());
        same!(list_resource_templates().wait());
        same!(list_prompts().wait());
        same!(call_tool("echo", json!({ "text": "hello" })).wait());
        same!(call_tool("refused", ()).wait());
        same!(call_tool("echo", 7).wait());
        same!(read_resource("test://cached").wait());
        same!(read_resource("test://nothing").wait());
        same!(get_prompt("greeting", json!({ "name": "Ada" })).wait());
        same!(complete(completion()).wait());
        same!(ping().wait());
        same!(set_log_level(LoggingLevel::Error).wait());
        same!(tool_annotations("echo"));
        same!(tool_annotations("blocks"));
        same!(tools_for_llm());
        let call = |id: &str, name: &str| ToolCall::new(id, name, json!({ "text": id }));
        same!(execute_tool_calls(vec![call("a", "echo"), call("b", "nope"), call("c", "march")]));
        same!(execute_tool_calls(Vec::new()));
        assert_eq!(twin.declared_capabilities(), client.declared_capabilities());
        assert_eq!(twin.stderr_tail(), client.stderr_tail());
        assert!(twin.is_alive() && client.is_alive());
        same!(close());
        same!(close());
        assert!(!twin.is_alive() && !client.is_alive());
        same!(era());
        same!(list_tools().wait());
        same!(execute_tool_calls(vec![call("a", "echo")]));
    }
}

#[test]
fn a_client_is_made_without_a_connection_or_with_one() {
    let server = Arc::new(fixtures::server());
    let _lazy = Client::new(builder(&server, ServeEra::Both)).unwrap();
    assert_eq!(server.received().len(), 0);
    let _eager = Client::connect(builder(&server, ServeEra::Both)).unwrap();
    assert_eq!(server.received_method("server/discover").len(), 1);

    let nowhere = Nowhere::default();
    let made = Client::connect(mcp_client::Client::builder(nowhere.clone()));
    assert!(matches!(made, Err(Error::SpawnFailed { .. })), "{made:?}");
    assert_eq!(nowhere.attempts(), 1);
    let builder = || mcp_client::Client::builder(Nowhere::default()).tool_concurrency(0);
    for made in [Client::new(builder()), Client::connect(builder())] {
        assert!(matches!(made, Err(Error::InvalidOption(_))), "{made:?}");
    }
    let client = Client::stdio("no-such-program-anywhere").unwrap();
    let failed = client.list_tools().wait().unwrap_err();
    assert!(matches!(failed, Error::SpawnFailed { .. }), "{failed:?}");
}

#[test]
fn each_option_reaches_the_call() {
    for era in ERAS {
        let (client, server) = blocking(era);
        let slow = || client.call_tool("slow", ());
        let failed = slow().timeout(Duration::from_millis(1)).wait().unwrap_err();
        assert!(matches!(failed, Error::Timeout { .. }), "{failed:?}");
        slow().timeout(Duration::from_millis(1)).no_timeout().wait().unwrap();
        let failed = slow().cancelled_by(async {}).wait().unwrap_err();
        assert!(matches!(failed, Error::Cancelled { .. }), "{failed:?}");
        slow().cancelled_by(pending()).wait().unwrap();

        let heard = Heard::new();
        let told = heard.clone();
        let march = client.call_tool("march", ()).progress(move |it| told.push(it.progress));
        assert_eq!(text(&march.wait().unwrap()), "step done: 3 of 3");
        assert_eq!(heard.take(), [1.0, 2.0, 3.0]);

        client.call_tool("echo", ()).meta("traceparent", "00-1").wait().unwrap();
        let sent = server.received_method("tools/call").pop().unwrap();
        assert_eq!(sent["params"]["_meta"]["traceparent"], "00-1");
    }
    let (client, server) = blocking(ServeEra::Modern);
    client.list_tools().wait().unwrap();
    client.list_tools().wait().unwrap();
    assert_eq!(server.received_method("tools/list").len(), 1);
    client.list_tools().refresh().wait().unwrap();
    assert_eq!(server.received_method("tools/list").len(), 2);
}

#[test]
fn changes_are_waited_for_until_the_end() {
    let servers = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let (server, stream) = servers.block_on(async { ScriptedServer::modern(json!({})) });
    let acknowledged = json!({
        "notifications": { "toolsListChanged": true },
        "_meta": { "io.modelcontextprotocol/subscriptionId": 2 },
    });
    let change = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": 2 } });
    server
        .on("subscriptions/listen")
        .notify("notifications/subscriptions/acknowledged", acknowledged)
        .notify("notifications/tools/list_changed", change)
        .result(json!({}));
    let client = Client::new(mcp_client::Client::builder(streams([stream]))).unwrap();
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    let mut subscription = client.subscribe(filter.clone()).open().unwrap();
    assert_eq!(subscription.acknowledged(), filter);
    assert!(subscription.missing().is_empty());
    assert!(matches!(subscription.next(), Some(SubscriptionEvent::Changed(_))));
    assert!(subscription.next().is_none());
    assert_eq!((subscription.end(), subscription.lost()), (Some(SubscriptionEnd::Graceful), 0));
}

#[test]
fn notifications_are_waited_for_until_the_end() {
    for end in [Client::close as fn(&Client), |_| ()] {
        let (client, _) = blocking(ServeEra::Both);
        client.era().unwrap();
        let mut stream = client.notifications();
        let waiting = std::thread::spawn(move || {
            let first = stream.next().map(|it| it.method);
            (first, stream.by_ref().count(), stream.next().is_none(), stream.lost())
        });
        client.call_tool("stray", ()).wait().unwrap();
        end(&client);
        drop(client);
        let (first, _, is_over, lost) = waiting.join().unwrap();
        assert_eq!((first.as_deref(), is_over, lost), (Some("notifications/progress"), true, 0));
    }
}

#[test]
fn calls_of_many_threads_run_at_the_same_time() {
    let (client, server) = blocking(ServeEra::Both);
    client.era().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| client.clone().call_tool("slow", ()).wait().unwrap());
        }
    });
    assert!(server.counters().peak() > 1);
}

/// The server's task goes with the client's runtime: nobody else has the server then.
fn drop_ends(client: Client, server: &Arc<Server>) {
    client.era().unwrap();
    let (clone, call, stream) = (client.clone(), client.ping(), client.notifications());
    drop(client);
    drop(clone);
    assert!(Arc::strong_count(server) > 1);
    assert!(call.wait().is_ok());
    drop(stream);
    assert_eq!(Arc::strong_count(server), 1);
}

/// B-CLOSE-4: where waiting is allowed, all has ended when the last handle is gone.
#[test]
fn dropping_the_last_handle_waits_for_the_end() {
    let many = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    for _ in 0..20 {
        let (client, server) = blocking(ServeEra::Both);
        drop_ends(client, &server);
        let (client, server) = blocking(ServeEra::Both);
        runtime()
            .block_on(async { spawn_blocking(move || drop_ends(client, &server)).await.unwrap() });
        let (client, server) = blocking(ServeEra::Both);
        let ended = many.spawn(async move { block_in_place(|| drop_ends(client, &server)) });
        runtime().block_on(ended).unwrap();
    }
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) {
    let error = outcome.unwrap_err();
    let text = "a blocking client was used in asynchronous code: use mcp_client::Client, or \
                tokio::task::spawn_blocking";
    assert_eq!((error.to_string().as_str(), error.delivery()), (text, Delivery::NotSent));
}

async fn all_is_refused(client: Client) {
    let call = |call: Call<_>| refused(call.wait());
    call(client.call_tool("echo", ()));
    call(client.call_tool("echo", ()).no_timeout().cancelled_by(pending()).progress(|_| ()));
    refused(client.list_tools().wait());
    refused(client.ping().wait());
    refused(client.server());
    refused(client.discover());
    refused(Client::connect(mcp_client::Client::builder(Nowhere::default())));
    assert_eq!(client.tool_annotations("echo"), Default::default());
    let failed: ProviderError = client.tools_for_llm().unwrap_err();
    assert!(failed.to_string().contains("in asynchronous code"), "{failed}");
    let results = client.execute_tool_calls(vec![ToolCall::new("a", "echo", json!({}))]);
    assert_eq!(
        (results[0].tool_call_id.as_str(), results[0].delivery),
        (Some("a"), Delivery::NotSent)
    );
    assert!(results[0].content.contains("in asynchronous code"), "{results:?}");
    assert!(client.notifications().next().is_none());
    client.close();
    assert!(client.is_alive());
    drop(client);
}

/// B-ASYNC-1: the twins are for threads that may wait; others hear so, and nothing is sent.
#[test]
fn in_asynchronous_code_all_is_refused_and_nothing_panics() {
    let many = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    for runtime in [runtime(), many] {
        for is_task in [false, true] {
            let (client, server) = blocking(ServeEra::Both);
            let other = client.clone();
            match is_task {
                true => runtime.block_on(spawned(&runtime, all_is_refused(other))),
                false => runtime.block_on(all_is_refused(other)),
            }
            assert_eq!(server.received().len(), 0);
            let echo = move || client.call_tool("echo", json!({ "text": "here" })).wait().unwrap();
            let echoed = runtime.block_on(async { spawn_blocking(echo).await.unwrap() });
            assert_eq!(text(&echoed), "here");
            // The last handle, with a connection.
            let (client, _) = blocking(ServeEra::Both);
            client.era().unwrap();
            runtime.block_on(async move { drop(client) });
        }
    }
}

fn spawned(
    runtime: &Runtime,
    task: impl Future<Output = ()> + Send + 'static,
) -> impl Future<Output = ()> {
    let task = runtime.spawn(task);
    async { task.await.unwrap() }
}
