//! What is to be read, and what it comes to.

use http::HeaderValue;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use mcp_protocol::ErrorCode;

use super::*;

/// B-HTTP-28, B-HTTP-29, B-HTTP-30.
#[test]
fn the_status_and_the_type_say_what_is_to_be_read() {
    let cases = [
        (200, Some("text/event-stream"), Kind::Sse),
        (200, Some("Text/Event-Stream; charset=utf-8"), Kind::Sse),
        (200, Some("application/json"), Kind::Json),
        (200, Some("Application/JSON ; charset=UTF-8"), Kind::Json),
        (200, Some("text/plain"), Kind::Json),
        (200, None, Kind::Json),
        (202, Some("text/event-stream"), Kind::Accepted),
        (202, None, Kind::Accepted),
        (204, None, Kind::Accepted),
        (201, Some("application/json"), Kind::Accepted),
        (302, None, Kind::Refused),
        (404, Some("text/event-stream"), Kind::Refused),
        (500, Some("application/json"), Kind::Refused),
    ];
    for (status, content_type, expected) in cases {
        let status = StatusCode::from_u16(status).unwrap();
        assert_eq!(kind(status, content_type), expected, "{status} {content_type:?}");
    }
}

fn read(body: &str) -> Result<(String, Option<String>), TransportError> {
    let (answer, odd) = read_json(&Bytes::from(body.to_owned()), 7)?;
    Ok((String::from_utf8(answer.as_bytes().to_vec()).unwrap(), odd))
}

/// B-HTTP-34, B-HTTP-35, B-HTTP-36.
#[test]
fn a_body_is_one_answer_or_an_error_that_says_what_it_is() {
    let good = [
        (r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#, r#"{"a":1}"#, None),
        ("\u{feff} {\"jsonrpc\":\"2.0\",\n\"id\":7,\"result\":{}}\n", "{}", None),
        (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, "{}", None),
        (r#"{"jsonrpc":"2.0","id":8,"result":{}}"#, "{}", Some("took an answer to 8")),
        (r#"{"jsonrpc":"2.0","id":"x","result":{}}"#, "{}", Some("took an answer to")),
    ];
    for (body, result, odd) in good {
        let (text, said) = read(body).unwrap();
        assert_eq!(text, result, "{body}");
        match odd {
            Some(odd) => assert!(said.unwrap().contains(odd), "{body}"),
            None => assert_eq!(said, None, "{body}"),
        }
    }
    let bad = [
        ("", "an empty body"),
        (" \n", "an empty body"),
        (r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "the notification notifications/x"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "the request ping"),
        (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, "a batch"),
        ("<html>no</html>", "something unreadable"),
        ("null", "something unreadable"),
        (r#"{"jsonrpc":"2.0","id":7}"#, "something unreadable"),
    ];
    for (body, what) in bad {
        match read(body).unwrap_err() {
            TransportError::Protocol(detail) => assert!(detail.contains(what), "{body}: {detail}"),
            error => panic!("{body}: {error}"),
        }
    }
    for id in ["7", "null", "9"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-5,"message":"m"}}}}"#);
        let error = ErrorObject::new(ErrorCode(-5), "m");
        assert_eq!(read(&body).unwrap_err(), TransportError::Rpc(error), "{id}");
    }
}

/// B-HTTP-31: an error in the body, in whatever wrapping.
#[test]
fn the_error_in_a_body_counts() {
    let cases = [
        (404, r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}"#, -32601),
        (400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"no"}}"#, -32020),
        (400, r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}"#, -32000),
        (400, r#"{"error":{"code":-32022,"message":"no","data":{"supported":[]}}}"#, -32022),
        (500, r#" {"error":{"code":-32603.0,"message":"no"},"more":1}"#, -32603),
    ];
    for (status, body, code) in cases {
        let status = StatusCode::from_u16(status).unwrap();
        match refused(status, &HeaderMap::new(), body.as_bytes(), "u") {
            TransportError::Rpc(error) => {
                assert_eq!(error.code, Some(ErrorCode(code)), "{body}");
                assert_eq!(error.message, "no");
                assert_eq!(error.data.is_some(), body.contains("data"));
            }
            error => panic!("{body}: {error}"),
        }
    }
}

/// Without a challenge, the error in the body of a 401 counts as in any other.
#[test]
fn a_refusal_without_a_challenge_is_the_error_in_its_body() {
    let body = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no"}}"#;
    let error = refused(StatusCode::UNAUTHORIZED, &HeaderMap::new(), body, "u");
    assert_eq!(error, TransportError::Rpc(ErrorObject::new(ErrorCode(-32001), "no")));
}

/// B-HTTP-31, B-HTTP-32: without an error in the body, the status is the error.
#[test]
fn a_status_without_an_error_is_told_with_what_it_came_with() {
    let long = "x".repeat(300);
    let cases = [
        ("<p>Bad gateway</p>\nmore", "<p>Bad gateway</p>".to_owned()),
        ("\n\n  who are you \n", "who are you".to_owned()),
        ("a\u{1b}[31mb\rc\u{9b}d", "a [31mb c d".to_owned()),
        // Credentials are missing, whatever else the body calls it.
        (r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no"}}"#, "no".to_owned()),
        ("", String::new()),
        (r#"{"error":"invalid_token"}"#, r#"{"error":"invalid_token"}"#.to_owned()),
        (r#"{"error":{}}"#, r#"{"error":{}}"#.to_owned()),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned(),
        ),
        (&*long, format!("{}...", "x".repeat(200))),
    ];
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("7"));
    headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""));
    for (body, detail) in cases {
        match refused(StatusCode::UNAUTHORIZED, &headers, body.as_bytes(), "https://h/mcp") {
            TransportError::Http(failure) => {
                assert_eq!(failure.detail, detail);
                assert_eq!((failure.status, &*failure.url), (401, "https://h/mcp"));
                assert_eq!(failure.retry_after, Some(std::time::Duration::from_secs(7)));
                assert_eq!(failure.challenges[0].param("error"), Some("invalid_token"));
                assert!(failure.to_string().contains("401"));
            }
            error => panic!("{body}: {error}"),
        }
    }
}
