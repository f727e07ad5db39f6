//! Input rounds with servers that really park their handlers between the rounds.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsResult, Root,
    TextContent,
};
use mcp_client::{Asked, BoxError, Client, ClientBuilder, Error};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{Latch, ServeEra, Server, fixtures};
use serde_json::json;
use tokio::time::Instant;

use crate::support::{bare_params, no_warning, served, text};

const ERAS: [ServeEra; 2] = [ServeEra::Modern, ServeEra::Legacy];

fn fixture(era: ServeEra) -> (Arc<Server>, ClientBuilder) {
    let server = Arc::new(fixtures::server());
    let builder = Client::builder(served(&server, era)).on_warning(no_warning);
    (server, builder)
}

/// Fills in whatever field the form asks for.
fn fill(asked: &Asked<ElicitParams>) -> Result<ElicitResult, BoxError> {
    let ElicitParams::Form(form) = &asked.params else { panic!("{asked:?}") };
    let properties = form.requested_schema["properties"].as_object().unwrap();
    let answer = |field: &str| match field {
        "name" => "Ada",
        "language" => "Rust",
        _ => "green",
    };
    let content = properties.keys().map(|field| (field.clone(), json!(answer(field))));
    Ok(ElicitResult::accept(content.collect()))
}

/// B-MRTR-5, B-MRTR-11, spec 86: one question, several, in both eras, in the middle of a call, a
/// read and a prompt; nothing stays parked.
#[tokio::test]
async fn a_server_asks_and_goes_on() {
    for era in ERAS {
        let (server, builder) = fixture(era);
        let client =
            builder.on_elicit(|asked: Asked<_>| async move { fill(&asked) }).build().unwrap();
        let greeting = client.call_tool("ask_name", ()).await.unwrap();
        assert_eq!(text(&greeting), "Hello, Ada!");
        let interview = client.call_tool("interview", ()).await.unwrap();
        assert_eq!(text(&interview), "Ada, Rust, green");
        let read = client.read_resource("test://asked").await.unwrap();
        assert_eq!(read.contents[0].text.as_deref(), Some("Hello, Ada!"));
        let prompt = client.get_prompt("introduce", ()).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Hello, Ada!"));
        assert_eq!(server.parked(), 0);
        if era == ServeEra::Modern {
            let calls = server.received_method("tools/call");
            let rounds: Vec<_> = calls.iter().map(bare_params).collect();
            assert_eq!(rounds.len(), 2 + 4);
            let mut states: Vec<_> =
                rounds.iter().filter_map(|it| it["requestState"].as_str()).collect();
            states.dedup();
            assert_eq!(states.len(), 4);
            assert!(
                rounds
                    .iter()
                    .all(|it| it["inputResponses"].as_object().is_none_or(|it| it.len() == 1))
            );
        }
    }
}

/// B-MRTR-12: no is an answer, and so is silence.
#[tokio::test]
async fn a_user_may_say_no() {
    for era in ERAS {
        for answer in [ElicitResult::decline(), ElicitResult::cancel()] {
            let (server, builder) = fixture(era);
            let hook = move |_| ready(Ok(answer.clone()));
            let client = builder.on_elicit(hook).build().unwrap();
            let result = client.call_tool("ask_name", ()).await.unwrap();
            assert_eq!((text(&result), result.is_error()), ("Nobody, then.", false));
            assert_eq!(server.parked(), 0);
        }
    }
}

/// A question comes with what travels with its call; but a legacy server does not say which call it
/// asks for, so with two under way nobody guesses.
#[tokio::test]
async fn a_question_comes_with_what_travels_with_its_call() {
    for (era, is_alone, expected) in [
        (ServeEra::Modern, true, Some("ada")),
        (ServeEra::Modern, false, Some("ada")),
        (ServeEra::Legacy, true, Some("ada")),
        (ServeEra::Legacy, false, None),
    ] {
        let (_, builder) = fixture(era);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let client = builder.on_elicit({
            let heard = Arc::clone(&heard);
            move |asked: Asked<ElicitParams>| {
                heard.lock().unwrap().push(asked.extensions.get::<&str>().copied());
                ready(fill(&asked))
            }
        });
        let client = client.build().unwrap();
        client.era().await.unwrap();
        let other = (!is_alone).then(|| {
            let client = client.clone();
            tokio::spawn(async move { client.call_tool("slow", json!({ "ms": 60_000 })).await })
        });
        support::settle().await;
        let mut call = ToolCall::new("call_1", "ask_name", json!({}));
        call.extensions.insert("ada");
        let results = client.execute_tool_calls(vec![call]).await;
        assert_eq!(results[0].content, "Hello, Ada!");
        assert_eq!(*heard.lock().unwrap(), [expected], "{era:?}, alone: {is_alone}");
        if let Some(other) = other {
            other.abort();
        }
    }
}

/// B-MRTR-9: a round without questions.
#[tokio::test]
async fn a_server_may_only_want_to_be_asked_again() {
    let (_, builder) = fixture(ServeEra::Modern);
    let client = builder.build().unwrap();
    assert_eq!(text(&client.call_tool("wait_a_round", ()).await.unwrap()), "carried on");
}

/// B-MRTR-4: a server that is never satisfied is left.
#[tokio::test]
async fn an_insatiable_server_is_left() {
    let (server, builder) = fixture(ServeEra::Modern);
    let builder = builder.max_input_rounds(2);
    let client = builder.on_elicit(|asked: Asked<_>| async move { fill(&asked) }).build().unwrap();
    let error = client.call_tool("insatiable", ()).await.unwrap_err();
    assert!(matches!(error, Error::InputLoopExceeded { rounds: 2, .. }), "{error}");
    assert_eq!(server.received_method("tools/call").len(), 3);
}

/// B-CAP-1: a server that sees nothing declared does not even ask.
#[tokio::test]
async fn without_a_hook_an_honest_server_does_not_ask() {
    for era in ERAS {
        let (server, builder) = fixture(era);
        let client = builder.build().unwrap();
        match client.call_tool("ask_name", ()).await {
            Ok(result) => assert!(result.is_error(), "{result:?}"),
            Err(error) => assert_eq!(error.code().map(|code| code.0), Some(-32021)),
        }
        assert_eq!(server.received_method("tools/call").len(), 1);
        assert_eq!(server.parked(), 0);
    }
}

/// B-MRTR-11, spec 84, 86: a model and the roots, in both eras.
#[tokio::test]
async fn a_server_may_ask_for_a_model_and_for_roots() {
    for era in ERAS {
        let (_, builder) = fixture(era);
        let client = builder
            .on_sample(|asked: Asked<CreateMessageParams>| {
                assert_eq!(asked.params.max_tokens, Some(100));
                ready(Ok(CreateMessageResult::new("m", TextContent::new("In short."))))
            })
            .on_list_roots(|_| ready(Ok(ListRootsResult::from(vec![Root::new("file:///srv")]))))
            .build()
            .unwrap();
        let summary = client.call_tool("summarize", json!({ "text": "…" })).await.unwrap();
        assert_eq!(text(&summary), "In short.");
        assert_eq!(text(&client.call_tool("show_roots", ()).await.unwrap()), "file:///srv");
    }
}

/// B-MRTR-16, B-API-8, spec 26: a person may think for longer than a server may take, in both
/// eras; only the server's own time counts.
#[tokio::test(start_paused = true)]
async fn the_time_a_person_takes_is_not_the_servers() {
    let hour = Duration::from_secs(3600);
    for era in ERAS {
        let (_, builder) = fixture(era);
        let latch = Latch::new();
        let gate = latch.clone();
        let client = builder
            .request_timeout(Duration::from_secs(5))
            .on_elicit(move |asked: Asked<ElicitParams>| {
                let gate = gate.clone();
                async move {
                    gate.opened().await;
                    fill(&asked)
                }
            })
            .build()
            .unwrap();
        client.era().await.unwrap();
        let start = Instant::now();
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("ask_name", ()).await }
        });
        support::settle().await;
        tokio::time::advance(hour).await;
        latch.open();
        assert_eq!(text(&call.await.unwrap().unwrap()), "Hello, Ada!");
        assert!(start.elapsed() >= hour);
    }
}

/// While a person answers a modern server, no request of theirs is under way: no clock stops.
#[tokio::test(start_paused = true)]
async fn a_person_who_thinks_stops_no_other_clock() {
    let (_, builder) = fixture(ServeEra::Modern);
    let hook = |_| std::future::pending::<Result<ElicitResult, BoxError>>();
    let client = builder.on_elicit(hook).build().unwrap();
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("ask_name", ()).await }
    });
    support::settle().await;
    let start = Instant::now();
    let budget = Duration::from_secs(5);
    let slow = client.call_tool("slow", json!({ "ms": 3_600_000 })).timeout(budget).await;
    assert!(matches!(slow, Err(Error::Timeout { .. })), "{slow:?}");
    assert_eq!(start.elapsed(), budget);
    asking.abort();
}

/// B-MRTR-14: two calls may be in their rounds at the same time.
#[tokio::test]
async fn two_calls_may_ask_at_the_same_time() {
    for era in ERAS {
        let (server, builder) = fixture(era);
        let client =
            builder.on_elicit(|asked: Asked<_>| async move { fill(&asked) }).build().unwrap();
        let (one, two) =
            tokio::join!(client.call_tool("interview", ()), client.call_tool("ask_name", ()));
        assert_eq!(text(&one.unwrap()), "Ada, Rust, green");
        assert_eq!(text(&two.unwrap()), "Hello, Ada!");
        assert_eq!(server.parked(), 0);
    }
}
