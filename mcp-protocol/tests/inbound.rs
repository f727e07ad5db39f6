//! What comes from the other side, and what it is taken for.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_protocol::{Inbound, InvalidMessage, RequestId};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A message, as the table below writes it down.
fn kind(text: &str) -> String {
    match Inbound::parse(text.as_bytes()) {
        Ok(Inbound::Response(response)) => {
            let id = response.id.map_or_else(|| "-".to_owned(), |id| id.to_string());
            match response.outcome {
                Ok(result) => format!("result {id} {result}"),
                Err(error) => format!("error {id} {error}"),
            }
        }
        Ok(Inbound::Notification(notification)) => {
            let params = notification.params.map_or("-", |params| params.get());
            format!("notification {} {params}", notification.method)
        }
        Ok(Inbound::Request(request)) => {
            let params = request.params.map_or("-", |params| params.get());
            format!("request {} {} {params}", request.id, request.method)
        }
        Ok(other) => format!("{other:?}"),
        Err(InvalidMessage { reason, answers, .. }) => {
            let answers: Vec<_> = answers.iter().map(RequestId::to_string).collect();
            format!("invalid [{}] {reason}", answers.join(" "))
        }
    }
}

#[test]
fn a_message_is_what_its_members_say() {
    let cases = [
        // B-IN-10: responses, their results verbatim.
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#, r#"result 1 {"tools":[]}"#),
        (r#"{"jsonrpc":"2.0","id":"a","result":null}"#, r#"result "a" null"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":[1, 2]}"#, "result 1 [1, 2]"),
        (r#"{"result":"x","id":1,"jsonrpc":"2.0"}"#, r#"result 1 "x""#),
        // B-IN-11: zero is an id, and of a member that comes twice the last counts.
        (r#"{"jsonrpc":"2.0","id":0,"result":{}}"#, "result 0 {}"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":1,"result":{}}"#, "result 2 {}"),
        // B-IN-9: errors come before results; a null error is none.
        (
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}"#,
            r#"error "x" no (code -32601)"#,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"both"},"result":{}}"#, "error 1 both"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result 1 {}"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E","message":null}}"#,
            "error 1 the peer gave no message",
        ),
        // A server that could not tell which request it answers.
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#, "error - m (code 1)"),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#, "error - m (code 1)"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "result - {}"),
        // Integers that are spelled as floats, and integers beyond 64 bits.
        (r#"{"jsonrpc":"2.0","id":3.0,"result":{}}"#, "result 3 {}"),
        (
            r#"{"jsonrpc":"2.0","id":18446744073709551616,"result":{}}"#,
            "result 18446744073709551616 {}",
        ),
        // B-IN-5, B-IN-6, B-IN-7: methods.
        (r#"{"jsonrpc":"2.0","method":"n"}"#, "notification n -"),
        (r#"{"jsonrpc":"2.0","method":"n","params":{"a":1}}"#, r#"notification n {"a":1}"#),
        (r#"{"jsonrpc":"2.0","method":"n","params":[1]}"#, "notification n -"),
        (r#"{"jsonrpc":"2.0","method":"n","id":null}"#, "notification n -"),
        (r#"{"jsonrpc":"2.0","method":"","result":{}}"#, "notification  -"),
        (r#"{"jsonrpc":"2.0","method":"a\/b"}"#, "notification a/b -"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{}}"#, "request 7 m {}"),
        (r#"{"jsonrpc":"2.0","id":"p1","method":"ping"}"#, r#"request "p1" ping -"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":7,"result":{}}"#, "result 1 {}"),
        // B-IN-1: white space around it, of any kind, and a byte order mark.
        (" \t{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r", "result 1 {}"),
        ("\u{a0}\u{2028}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\u{85}", "result 1 {}"),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "result 1 {}"),
        // U+2028 inside a string is a character like any other.
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\u{2028}b\"}", "result 1 \"a\u{2028}b\""),
    ];
    for (text, expected) in cases {
        assert_eq!(kind(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_message_says_why_and_what_it_seems_to_answer() {
    let cases = [
        // B-IN-1, B-IN-2.
        ("", "invalid [] blank line"),
        (" \u{a0}\r", "invalid [] blank line"),
        ("Listening on stdio...", "invalid [] not a JSON object"),
        ("\"just a string\"", "invalid [] not a JSON object"),
        ("42", "invalid [] not a JSON object"),
        // B-IN-4: the version is the string "2.0" and nothing else.
        (r#"{"id":3,"result":{}}"#, r#"invalid [3] the member "jsonrpc" is not "2.0""#),
        (
            r#"{"jsonrpc":2.0,"id":3,"result":{}}"#,
            r#"invalid [3] the member "jsonrpc" is not "2.0""#,
        ),
        (
            r#"{"jsonrpc":"1.0","id":3,"result":{}}"#,
            r#"invalid [3] the member "jsonrpc" is not "2.0""#,
        ),
        (r#"{"level":"info"}"#, r#"invalid [] the member "jsonrpc" is not "2.0""#),
        // A request of the server's answers nothing of ours.
        (r#"{"method":"m","id":3}"#, r#"invalid [] the member "jsonrpc" is not "2.0""#),
        // B-IN-8, B-IN-9, B-IN-10.
        (r#"{"jsonrpc":"2.0"}"#, "invalid [] neither a method nor an id"),
        (r#"{"jsonrpc":"2.0","id":4}"#, "invalid [4] an answer with neither result nor error"),
        (
            r#"{"jsonrpc":"2.0","id":4,"error":"boom"}"#,
            r#"invalid [4] the member "error" is not an object"#,
        ),
        // Ids that are none.
        (
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
            r#"invalid [] the member "id" is neither a string nor an integer"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"result":{}}"#,
            r#"invalid [] the member "id" is neither a string nor an integer"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
            r#"invalid [] the member "id" is neither a string nor an integer"#,
        ),
        // A batch: its answers are known, its requests are nobody's.
        (
            r#"[{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","method":"m","id":9}]"#,
            "invalid [5] not a JSON object but a batch, which is not supported",
        ),
        ("[1,2,3]", "invalid [] not a JSON object but a batch, which is not supported"),
    ];
    for (text, expected) in cases {
        assert_eq!(kind(text), expected, "{text}");
    }
}

/// B-IN-3: syntax errors, and the ids that can be read in spite of them.
#[test]
fn malformed_json_still_tells_which_request_it_answers() {
    let cases: [(&[u8], &[u64]); 12] = [
        (br#"{"jsonrpc":"2.0","id":6,"method":"m","result":{"#, &[]),
        // A request of the server's, whose ids are its own.
        (br#"{"jsonrpc":"2.0","id":6,"method":"m","params":{"#, &[]),
        (br#"{"jsonrpc":"2.0","id":6,"params":{"#, &[]),
        (br#"{"jsonrpc":"2.0","x":"a\"b","id":6,"result":{"a":"#, &[6]),
        (br#"{"jsonrpc":"2.0","id":6,"result":{"a":"#, &[6]),
        (br#"{"jsonrpc":"2.0","result":{"a":[1,{}]},"id":6,}"#, &[6]),
        (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":\"\xff\xfe\"}", &[6]),
        (br#"{"jsonrpc":"2.0","id":6,"result":{}} trailing"#, &[6]),
        (br#"{"jsonrpc":"2.0","method":"m","id":6,"#, &[]),
        (br#"{"jsonrpc":"2.0","result":{"id":6"#, &[]),
        (br#"{"jsonrpc":"2.0","id":6"#, &[]),
        (b"{", &[]),
    ];
    for (bytes, expected) in cases {
        let invalid = Inbound::parse(bytes).unwrap_err();
        assert!(invalid.reason.starts_with("malformed JSON: "), "{invalid}");
        let answers: Vec<_> = invalid.answers.iter().filter_map(RequestId::as_own).collect();
        assert_eq!(answers, expected, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn the_beginning_of_a_message_tells_which_request_it_answers() {
    let invalid = InvalidMessage::truncated("too long", br#" {"jsonrpc":"2.0","id":8,"result":{"#);
    assert_eq!((&*invalid.reason, invalid.answers), ("too long", vec![RequestId::from(8)]));
}

#[test]
fn our_own_ids_are_found_in_any_spelling() {
    let cases = [
        (json!(3), Some(3)),
        (json!("3"), Some(3)),
        (json!(3.0), Some(3)),
        (json!(-3), None),
        (json!("x"), None),
        (json!("3.0"), None),
    ];
    for (spelled, expected) in cases {
        let id: RequestId = serde_json::from_value(spelled.clone()).unwrap();
        assert_eq!(id.as_own(), expected, "{spelled}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Inbound::parse(&bytes);
        let _ = InvalidMessage::truncated("cut", &bytes);
    }

    #[test]
    fn a_cut_message_never_panics_and_never_names_a_wrong_request(
        id in any::<u32>(), text in ".*", cut in 0usize..400,
    ) {
        let whole = json!({"jsonrpc": "2.0", "id": id, "result": {"id": 1, "text": text}});
        let whole = whole.to_string();
        let bytes = &whole.as_bytes()[..cut.min(whole.len())];
        let answers = match Inbound::parse(bytes) {
            Ok(Inbound::Response(response)) => response.id.into_iter().collect(),
            Ok(other) => panic!("{other:?}"),
            Err(invalid) => invalid.answers,
        };
        for answer in answers {
            prop_assert_eq!(answer.as_own(), Some(u64::from(id)));
        }
    }

    #[test]
    fn a_result_is_handed_over_as_it_came(result in any_json()) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let Ok(Inbound::Response(response)) = Inbound::parse(line.as_bytes()) else {
            panic!("{line}");
        };
        let raw = response.outcome.unwrap().get();
        prop_assert_eq!(raw, result.to_string());
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(".*", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
