//! Who is asked for credentials, and where they never go.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp_transport::{Authorizer, Credentials, Http, HttpFailure, Refused, TransportError};
use serde_json::json;

use crate::web::{Reply, Web, connect, greet, initialized, legacy, modern};

const CHALLENGE: &str = "www-authenticate: Bearer error=\"invalid_token\", scope=\"a b\", \
                         resource_metadata=\"https://x/.well-known\"\r\n";

/// Hands out `secret-1`, `secret-2` and so on: a new one after each refusal.
#[derive(Clone, Default)]
struct Tokens {
    refusals: Arc<Mutex<Vec<HttpFailure>>>,
    gives_up: bool,
}

#[async_trait]
impl Authorizer for Tokens {
    async fn credentials(&self, _url: &str) -> Result<Credentials, String> {
        let number = self.refusals.lock().unwrap().len() + 1;
        Ok(Credentials::bearer(&format!("secret-{number}")))
    }

    async fn refused(&self, failure: &HttpFailure, credentials: &Credentials) -> Refused {
        assert_eq!(credentials.headers().count(), 1);
        self.refusals.lock().unwrap().push(failure.clone());
        if self.gives_up { Refused::GiveUp } else { Refused::Retry }
    }
}

fn http(web: &Web, tokens: &Tokens) -> Http {
    Http::new(web.url()).unwrap().authorizer(tokens.clone())
}

/// B-HTTP-32: without anybody who could do something about it, the refusal is the error.
#[tokio::test]
async fn a_refusal_carries_its_challenges() {
    for status in [401, 403] {
        let web =
            Web::start(move |_| Reply::Whole(status, CHALLENGE, "who are you".to_owned())).await;
        let (transport, _) = connect(Http::new(web.url()).unwrap()).await;
        let failure = transport.request(modern(1, "ping")).await.unwrap_err();
        let TransportError::Http(refusal) = failure.error else { panic!("{failure}") };
        assert_eq!((refusal.status, &*refusal.detail), (status, "who are you"));
        assert_eq!(refusal.challenges[0].scheme, "Bearer");
        assert_eq!(refusal.challenges[0].param("scope"), Some("a b"));
        assert_eq!(refusal.challenges[0].param("resource_metadata"), Some("https://x/.well-known"));
        assert!(refusal.is_refusal());
    }
}

#[tokio::test]
async fn a_refused_request_is_sent_once_more_with_better_credentials() {
    let web = Web::start(|seen| match seen.header("authorization") {
        Some("Bearer secret-2") => Reply::result(seen, &json!({})),
        _ => Reply::Whole(401, CHALLENGE, String::new()),
    })
    .await;
    let tokens = Tokens::default();
    let (transport, _) = connect(http(&web, &tokens)).await;
    transport.request(modern(1, "ping")).await.unwrap();
    assert_eq!(web.seen().len(), 2);
    let refusals = tokens.refusals.lock().unwrap().clone();
    assert_eq!(refusals[0].challenges[0].param("error"), Some("invalid_token"));
    transport.request(modern(2, "ping")).await.unwrap();
    assert_eq!(web.seen().len(), 3);
}

/// At most once for each of the two statuses, whatever the authorizer says.
#[tokio::test]
async fn a_server_that_is_never_content_is_not_asked_for_ever() {
    for (gives_up, attempts) in [(false, 2), (true, 1)] {
        let web = Web::start(|_| Reply::Whole(401, CHALLENGE, String::new())).await;
        let tokens = Tokens { gives_up, ..Tokens::default() };
        let (transport, _) = connect(http(&web, &tokens)).await;
        let failure = transport.request(modern(1, "ping")).await.unwrap_err();
        assert!(matches!(failure.error, TransportError::Http(_)), "{failure:?}");
        assert_eq!(web.seen().len(), attempts);
    }
}

#[tokio::test]
async fn an_authorizer_that_fails_or_panics_stops_the_request() {
    struct Fails(bool);
    #[async_trait]
    impl Authorizer for Fails {
        async fn credentials(&self, _url: &str) -> Result<Credentials, String> {
            if self.0 { Err("log in first".to_owned()) } else { panic!("on purpose") }
        }
    }
    for (fails, expected) in [(true, "log in first"), (false, "panicked")] {
        let web = Web::start(|seen| Reply::result(seen, &json!({}))).await;
        let http = Http::new(web.url()).unwrap().authorizer(Fails(fails));
        let (transport, _) = connect(http).await;
        let failure = transport.request(modern(1, "ping")).await.unwrap_err();
        assert!(failure.to_string().contains(expected), "{failure}");
        assert!(!failure.is_sent);
        assert!(web.seen().is_empty());
    }
}

/// Every request of a session carries them, the stream and its end included.
#[tokio::test]
async fn credentials_go_with_everything() {
    let web = Web::start(|seen| match seen.what() {
        "initialize" => {
            let headers = "content-type: application/json\r\nmcp-session-id: s\r\n";
            Reply::Whole(200, headers, web::message(&seen.body["id"], &initialized()))
        }
        "GET" => Reply::status(405),
        _ => Reply::accepted(),
    })
    .await;
    let (transport, _) = connect(http(&web, &Tokens::default())).await;
    greet(&transport).await;
    transport.close().await;
    assert_eq!(web.asked(), ["initialize", "notifications/initialized", "GET", "DELETE"]);
    assert!(web.seen().iter().all(|it| it.header("authorization") == Some("Bearer secret-1")));
}

/// B-HTTP-33: redirects stay on their origin, and so do secrets.
#[tokio::test]
async fn a_redirect_is_followed_on_its_own_origin_only() {
    let elsewhere = Web::start(|seen| Reply::result(seen, &json!({}))).await;
    let cases = [
        (307, "location: /mcp/\r\n".to_owned(), Ok(())),
        (308, "location: other\r\n".to_owned(), Ok(())),
        (307, format!("location: http://127.0.0.1:{}/\r\n", elsewhere.port), Err("another")),
        (307, "location: //evil.invalid/\r\n".to_owned(), Err("evil.invalid")),
        (302, "location: /mcp/\r\n".to_owned(), Err("302")),
        (307, String::new(), Err("307")),
        (307, "location: /mcp\r\n".to_owned(), Err("redirect")),
    ];
    for (status, location, expected) in cases {
        let headers: &'static str = Box::leak(location.clone().into_boxed_str());
        let web = Web::start(move |seen| match &*seen.path {
            "/mcp" => Reply::Whole(status, headers, String::new()),
            _ => Reply::result(seen, &json!({})),
        })
        .await;
        let http = http(&web, &Tokens::default()).header("X-Key", "secret-key").unwrap();
        let (transport, told) = connect(http).await;
        match (transport.request(modern(1, "ping")).await, expected) {
            (Ok(_), Ok(())) => {
                let seen = web.seen();
                assert_eq!(seen.len(), 2);
                assert_eq!(seen[0].body, seen[1].body);
                assert_eq!(seen[1].header("authorization"), Some("Bearer secret-1"));
            }
            (Err(failure), Err(part)) => {
                assert!(failure.to_string().contains(part), "{location}: {failure}");
                assert!(!format!("{failure:?} {told:?} {transport:?}").contains("secret"));
            }
            (outcome, _) => panic!("{location}: {outcome:?}"),
        }
        assert!(web.seen().len() <= 6, "{location}");
    }
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn no_secret_is_shown() {
    let web = Web::start(|_| Reply::HangUp).await;
    let url = format!("{}?key=secret-query", web.url());
    let tokens = Tokens::default();
    let http = Http::new(&url).unwrap().header("Authorization", "secret-header").unwrap();
    let http = http.authorizer(tokens);
    let shown = format!("{http:?}");
    let (transport, told) = connect(http).await;
    let failure = transport.request(legacy(1, "initialize")).await.unwrap_err();
    transport.notify(web::notice("notifications/x")).await;
    let all = format!("{shown} {failure} {failure:?} {told:?} {transport:?}");
    assert!(!all.contains("secret"), "{all}");
    assert_eq!(format!("{:?}", Credentials::bearer("secret")).matches("secret").count(), 0);
}
