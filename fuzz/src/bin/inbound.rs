//! Messages: bytes from a server are a message or they are not, and never anything worse.

use std::process::ExitCode;

use mcp_fuzz::Target;
use mcp_protocol::{Inbound, InvalidMessage, RequestId};
use serde_json::value::RawValue;

fn main() -> ExitCode {
    Target { name: "inbound", examples: EXAMPLES, words: WORDS, check }.main()
}

fn check(input: &[u8]) {
    let parsed = Inbound::parse(input);
    match &parsed {
        Ok(message) => {
            assert!(is_json_object(input), "a message is a JSON object");
            check_message(input, message);
        }
        Err(invalid) => assert!(!invalid.to_string().is_empty(), "a refusal says why"),
    }
    let padded = [input, b" \t\r\n"].concat();
    assert_eq!(format!("{:?}", Inbound::parse(&padded)), format!("{parsed:?}"));
}

fn check_message(input: &[u8], message: &Inbound<'_>) {
    match message {
        Inbound::Response(response) => {
            if let Ok(result) = response.outcome {
                check_borrowed(input, result);
            }
            if let Some(id) = &response.id {
                check_cut_short(input, id);
            }
        }
        Inbound::Notification(notification) => check_params(input, notification.params),
        Inbound::Request(request) => check_params(input, request.params),
        _ => (),
    }
}

fn check_params(input: &[u8], params: Option<&RawValue>) {
    if let Some(params) = params {
        assert!(params.get().starts_with('{'), "parameters are an object");
        check_borrowed(input, params);
    }
}

/// What is handed on is JSON, and lies in the input: nothing was copied.
fn check_borrowed(input: &[u8], raw: &RawValue) {
    let text = raw.get().as_bytes();
    assert!(input.as_ptr_range().contains(&text.as_ptr()), "the text was copied");
    serde_json::from_slice::<&RawValue>(text).expect("the text is JSON");
}

/// An answer that comes cut off never blames a request that it did not answer.
fn check_cut_short(input: &[u8], id: &RequestId) {
    let ids = input.windows(4).filter(|window| window == b"\"id\"").count();
    if ids == 1 && !input.contains(&b'\\') {
        for end in [input.len() / 2, input.len() - 1] {
            let cut = InvalidMessage::truncated("cut off", &input[..end]);
            let mut others = cut.answers.iter().filter(|answered| *answered != id);
            assert_eq!(others.next(), None, "cut off at {end}");
        }
    }
}

/// Whether it is, but for bytes that are no text in members that nobody reads.
fn is_json_object(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
    text.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok()
}

const EXAMPLES: &[&[u8]] = &[
    br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}"#,
    br#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no","data":[1,null]}}"#,
    br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#,
    br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.5}}"#,
    br#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?"}}"#,
    br#"{"result":{},"error":null,"jsonrpc":"2.0","id":3}"#,
    br#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#,
];

const WORDS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u0069",
    b"\\ud800",
    b"null",
    b"true",
    b"1",
    b"-0",
    b"1.5",
    b"1e400",
    b"3.0",
    b"99999999999999999999",
    b"\"id\"",
    b"\"id\":1,",
    b"\"jsonrpc\":\"2.0\",",
    b"\"method\":\"ping\",",
    b"\"params\":{},",
    b"\"result\":{},",
    b"\"error\":null,",
    b"\"error\":{},",
    b" ",
    b"\n",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\xc3",
    b"[[[[[[[[",
    b"{\"a\":",
    b"\0",
];
