//! What a server tells of its own accord: streams, logs, and listeners that fail or are slow.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use mcp_client::protocol::{LoggingLevel, LoggingMessage, ResourceUpdated};
use mcp_client::{Client, Limits, Notification, Notifications};
use mcp_testkit::{ScriptedServer, ServeEra, fixtures};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{
    Heard, Warnings, legacy, modern, no_warning, says, served, settle, streams, text,
};

const MESSAGE: &str = "notifications/message";

async fn next(stream: &mut Notifications) -> (String, Value) {
    let Notification { method, params, .. } = stream.next().await.unwrap();
    (method, serde_json::from_str(params.get()).unwrap())
}

/// B-LOG-1, B-LOG-2, B-LOG-3: everything on every stream, in order, before the answer behind it;
/// log messages on the hook as well.
#[tokio::test(start_paused = true)]
async fn notifications_come_in_order_and_before_the_answer() {
    for (server, builder) in [modern(), legacy()] {
        let heard = Heard::new();
        let told = heard.clone();
        let client = builder
            .on_log(move |message: LoggingMessage| told.push(message))
            .on_warning(no_warning)
            .connect()
            .await
            .unwrap();
        let mut streams = [client.notifications(), client.notifications()];
        let log = json!({ "level": "error", "logger": "l", "data": { "a": [1] }, "x": 7 });
        let progress = json!({ "progressToken": "nobody's", "progress": 1 });
        server
            .on("tools/call")
            .notify(MESSAGE, log.clone())
            .notify("notifications/progress", progress.clone())
            .notify("notifications/vendor/x", json!({}))
            .result(says("done"));
        client.call_tool("t", ()).await.unwrap();
        // All of it was handed over before the answer was.
        let logged = heard.take();
        assert_eq!(logged.len(), 1);
        assert_eq!(serde_json::to_value(&logged[0]).unwrap(), log);
        let mut late = client.notifications();
        let expected = [
            (MESSAGE.to_owned(), log),
            ("notifications/progress".to_owned(), progress),
            ("notifications/vendor/x".to_owned(), json!({})),
        ];
        for stream in &mut streams {
            for expected in &expected {
                assert_eq!(next(stream).await, *expected);
            }
        }
        assert!(timeout(Duration::ZERO, late.next()).await.is_err());
        client.close().await;
        assert!(timeout(Duration::from_secs(1), late.next()).await.unwrap().is_none());
    }
}

/// B-LOG-2: a log message that is hardly one is heard as far as it can be read.
#[tokio::test]
async fn odd_log_messages_are_heard() {
    let (server, builder) = modern();
    let heard = Heard::new();
    let told = heard.clone();
    let builder = builder.on_log(move |message: LoggingMessage| told.push(message.level));
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    let expected = server.on("tools/call");
    let lines = [json!({}), json!({ "level": "shouting" }), json!({ "level": 7, "data": null })];
    let expected = lines.into_iter().fold(expected, |it, params| it.notify(MESSAGE, params));
    expected.result(says("done"));
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(heard.take(), [LoggingLevel::Info; 3]);
}

/// B-LOG-4: a hook that panics is reported; the call, and the hook's next turn, are not hurt.
#[tokio::test]
async fn a_hook_that_panics_hurts_nothing() {
    let (server, builder) = modern();
    let (builder, warnings) = Warnings::of(builder);
    let heard = Heard::new();
    let told = heard.clone();
    let builder = builder.on_log(move |message: LoggingMessage| {
        told.push(message.data.clone());
        assert!(message.data == "fine", "the log is full");
    });
    let client = builder.connect().await.unwrap();
    server
        .on("tools/call")
        .notify(MESSAGE, json!({ "data": "bad" }))
        .notify(MESSAGE, json!({ "data": "fine" }))
        .result(says("done"));
    assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "done");
    assert_eq!(heard.take(), ["bad", "fine"]);
    let warning = warnings.one();
    assert!(warning.contains("on-log") && warning.contains("the log is full"), "{warning}");
}

/// B-LOG-5: a modern server logs from the level that is asked for, and not at all without one.
#[tokio::test]
async fn a_modern_server_logs_what_is_asked_for() {
    let server = std::sync::Arc::new(fixtures::server());
    for (level, expected) in
        [(None, 0), (Some(LoggingLevel::Info), 1), (Some(LoggingLevel::Debug), 2)]
    {
        let heard = Heard::new();
        let told = heard.clone();
        let builder = Client::builder(served(&server, ServeEra::Modern));
        let builder = match level {
            Some(level) => builder.log_level(level),
            None => builder,
        };
        let client =
            builder.on_log(move |it| told.push(it)).on_warning(no_warning).build().unwrap();
        for level in ["debug", "info"] {
            let arguments = json!({ "level": level, "text": "hi" });
            let result = client.call_tool("noisy", arguments).await.unwrap();
            assert_eq!(text(&result), format!("logged at {level}"));
        }
        let logged = heard.take();
        assert_eq!(logged.len(), expected);
        for message in logged {
            assert_eq!((message.logger.as_deref(), message.data), (Some("test-kit"), json!("hi")));
        }
    }
}

/// B-LOG-1: a server that dies does not end the stream; closing the client, or dropping it, does.
#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_client() {
    let (server, stream) = ScriptedServer::modern(json!({}));
    let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
    client.era().await.unwrap();
    let (mut closed, also_closed) = (client.notifications(), client.notifications());
    server.hang_up();
    while client.is_alive() {
        tokio::task::yield_now().await;
    }
    assert!(timeout(Duration::ZERO, closed.next()).await.is_err());
    client.close().await;
    for mut stream in [closed, also_closed, client.notifications()] {
        assert!(timeout(Duration::from_secs(1), stream.next()).await.unwrap().is_none());
    }

    let (_server, builder) = modern();
    let client = builder.connect().await.unwrap();
    let mut stream = client.notifications();
    drop(client);
    assert!(timeout(Duration::from_secs(1), stream.next()).await.unwrap().is_none());
}

/// A slow listener loses the oldest, learns how many, and holds no more than it may.
#[tokio::test]
async fn a_slow_listener_loses_what_it_cannot_hold() {
    let notification = "notifications/vendor";
    let size = notification.len() + json!({ "n": 10_000 }).to_string().len();
    let cases = [(1_024, usize::MAX, 1_024), (usize::MAX, 100 * size, 100), (0, usize::MAX, 0)];
    for (entries, bytes, expected) in cases {
        let mut limits = Limits::default();
        (limits.notifications, limits.notification_bytes) = (entries, bytes);
        let (server, builder) = modern();
        let client = builder.limits(limits).on_warning(no_warning).connect().await.unwrap();
        let mut slow = client.notifications();
        for number in 10_001..=20_000 {
            server.notify(notification, json!({ "n": number }));
        }
        server.on("tools/call").result(says("done"));
        client.call_tool("t", ()).await.unwrap();
        assert_eq!(slow.lost(), 10_000 - expected);
        for number in (20_001 - expected)..=20_000 {
            assert_eq!(next(&mut slow).await.1["n"], number);
        }
        assert!(timeout(Duration::ZERO, slow.next()).await.is_err());
    }
}

/// A listener that stops waiting loses nothing.
#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let (server, builder) = modern();
    let client = builder.connect().await.unwrap();
    let mut stream = client.notifications();
    for number in 0..20 {
        let mut waiting = Box::pin(stream.next());
        assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
        server.notify("notifications/vendor", json!({ "n": number }));
        settle().await;
        drop(waiting);
        assert_eq!(next(&mut stream).await.1["n"], number);
    }
}

/// The parameters can be read as what they are.
#[tokio::test]
async fn a_notification_can_be_read() {
    let (server, builder) = modern();
    let client = builder.connect().await.unwrap();
    let mut stream = client.notifications();
    server.notify("notifications/resources/updated", json!({ "uri": "test://a" }));
    server.notify("notifications/resources/updated", json!({}));
    let updated: ResourceUpdated = stream.next().await.unwrap().decode().unwrap();
    assert_eq!(updated.uri, "test://a");
    let odd = stream.next().await.unwrap();
    assert_eq!(odd.params.get(), "{}");
    assert!(odd.decode::<ResourceUpdated>().is_err());
}
