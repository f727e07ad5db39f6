//! What is written to the other side, in each era.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_protocol::{
    ClientCapabilities, Dialect, ElicitationCapability, ErrorCode, ErrorObject, Implementation,
    JsonObject, LoggingLevel, Params, ProtocolVersion, RequestId, Stamp, cancelled, notification,
    response,
};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const INFO: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

fn object(json: &Value) -> JsonObject {
    json.as_object().cloned().unwrap_or_default()
}

fn modern(capabilities: Option<&ClientCapabilities>, level: Option<LoggingLevel>) -> Dialect {
    let info = Implementation::new("agent", "1.0");
    let version = ProtocolVersion::V2026_07_28;
    Dialect::Modern(Stamp::new(&version, Some(&info), capabilities, level).unwrap())
}

fn bare() -> Dialect {
    Dialect::Modern(Stamp::new(&ProtocolVersion::V2026_07_28, None, None, None).unwrap())
}

fn written(dialect: &Dialect, params: Option<&Value>, meta: Option<&Value>) -> Value {
    let meta = meta.map(object);
    let params = params.map(|params| params as &dyn Params);
    let line = dialect.request(&RequestId::from(1), "tools/call", params, meta.as_ref()).unwrap();
    serde_json::from_slice(&line).unwrap()
}

/// B-PROTO-1, B-PROTO-3: the envelope, and ids of both kinds.
#[test]
fn a_request_has_version_id_method_and_parameters() {
    for (id, spelled) in
        [(RequestId::from(7), json!(7)), (RequestId::from("req-1"), json!("req-1"))]
    {
        let line = bare().request(&id, "tools/list", Some(&json!({"cursor": "c"})), None).unwrap();
        let message: Value = serde_json::from_slice(&line).unwrap();
        let stamp = json!({VERSION: "2026-07-28"});
        let params = json!({"_meta": stamp, "cursor": "c"});
        let expected =
            json!({"jsonrpc": "2.0", "id": spelled, "method": "tools/list", "params": params});
        assert_eq!(message, expected);
    }
}

/// B-PROTO-2 is a type: a dialect is one of two.  B-PROTO-4: the version of a stamp.
#[test]
fn a_stamp_refuses_the_versions_that_are_reached_by_handshake() {
    for version in ProtocolVersion::LEGACY {
        let refused = Stamp::new(&version, None, None, None).unwrap_err();
        assert_eq!(refused.0, version);
        assert!(refused.to_string().contains(version.as_str()), "{refused}");
    }
    for version in ["2026-07-28", "2027-01-01", ""] {
        let stamp = Stamp::new(&version.into(), None, None, None).unwrap();
        let message = written(&Dialect::Modern(stamp), None, None);
        assert_eq!(message["params"]["_meta"], json!({VERSION: version}));
    }
}

/// B-PROTO-5, B-PROTO-6, B-PROTO-7: what a stamp carries.
#[test]
fn a_stamp_carries_what_was_given() {
    let none = ClientCapabilities::default();
    let mut asks = ClientCapabilities::default();
    asks.elicitation = Some(ElicitationCapability::default());
    let info = json!({"name": "agent", "version": "1.0"});
    let cases = [
        (bare(), json!({VERSION: "2026-07-28"})),
        (modern(None, None), json!({VERSION: "2026-07-28", INFO: info})),
        (modern(Some(&none), None), json!({VERSION: "2026-07-28", INFO: info, CAPABILITIES: {}})),
        (
            modern(Some(&asks), Some(LoggingLevel::Info)),
            json!({VERSION: "2026-07-28", INFO: info, CAPABILITIES: {"elicitation": {}},
                LEVEL: "info"}),
        ),
        (
            modern(None, Some(LoggingLevel::Emergency)),
            json!({VERSION: "2026-07-28", INFO: info, LEVEL: "emergency"}),
        ),
    ];
    for (dialect, meta) in cases {
        assert_eq!(written(&dialect, None, None)["params"], json!({ "_meta": meta }));
    }
    // B-PROTO-7: the eight levels, and no ninth.
    assert_eq!(LoggingLevel::ALL.len(), 8);
    for word in ["chatty", "", "INFO"] {
        assert_eq!(LoggingLevel::from_word(word), None, "{word:?}");
    }
}

/// B-PROTO-8: the caller's own metadata.
#[test]
fn metadata_of_the_caller_stands_beside_the_stamp_and_never_over_it() {
    let cases = [
        (json!({"progressToken": "abc"}), json!({VERSION: "2026-07-28", "progressToken": "abc"})),
        (json!({VERSION: "bogus", "a": 1}), json!({VERSION: "2026-07-28", "a": 1})),
        (json!({}), json!({VERSION: "2026-07-28"})),
        // A key that only looks like part of the stamp.
        (json!({"protocolVersion": 1}), json!({VERSION: "2026-07-28", "protocolVersion": 1})),
    ];
    for (meta, expected) in cases {
        let message = written(&bare(), Some(&json!({"name": "t"})), Some(&meta));
        assert_eq!(message["params"], json!({"_meta": expected, "name": "t"}), "{meta}");
    }
}

/// B-PROTO-9, B-PROTO-10: the legacy era passes on what it is given.
#[test]
fn a_legacy_request_is_passed_on_as_it_is() {
    let cases = [
        (None, None, None),
        (Some(json!({})), None, Some(json!({}))),
        (Some(json!({"name": "t"})), None, Some(json!({"name": "t"}))),
        (
            Some(json!({"name": "t"})),
            Some(json!({"progressToken": 3})),
            Some(json!({"_meta": {"progressToken": 3}, "name": "t"})),
        ),
        (None, Some(json!({"a": 1})), Some(json!({"_meta": {"a": 1}}))),
        (Some(json!({"_meta": {}, "b": 2})), None, Some(json!({"_meta": {}, "b": 2}))),
    ];
    for (params, meta, expected) in cases {
        let message = written(&Dialect::Legacy, params.as_ref(), meta.as_ref());
        assert_eq!(message.get("params"), expected.as_ref(), "{params:?} {meta:?}");
    }
}

/// B-PROTO-11, B-PROTO-13: messages that are no requests.
#[test]
fn notifications_and_responses_have_their_own_shapes() {
    let method = "notifications/initialized";
    let cases = [
        (notification::<Value>(method, None), json!({"jsonrpc": "2.0", "method": method})),
        (
            notification(method, Some(&json!({"a": 1}))),
            json!({"jsonrpc": "2.0", "method": method, "params": {"a": 1}}),
        ),
        (
            response(&"p1".into(), Ok(&json!({}))),
            json!({"jsonrpc": "2.0", "id": "p1", "result": {}}),
        ),
        (
            response::<Value>(
                &RequestId::from(0),
                Err(&ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "no")),
            ),
            json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no"}}),
        ),
        (
            Ok(cancelled(5, "gave \"up\"")),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": 5, "reason": "gave \"up\""}}),
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(serde_json::from_slice::<Value>(&line.unwrap()).unwrap(), expected);
    }
}

/// B-PROTO-12: one line, whatever the caller's raw JSON looks like.
#[test]
fn raw_json_spread_over_lines_becomes_one_line() {
    let raw =
        RawValue::from_string("{\n\t\"a\": \"x\\ny\",\r\n \"b\": [1,\n2]}".to_owned()).unwrap();
    for dialect in [Dialect::Legacy, bare()] {
        let line = dialect.request(&RequestId::from(1), "m", Some(&raw), None).unwrap();
        assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
        let message: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(message["params"]["a"], "x\ny");
        assert_eq!(message["params"]["b"], json!([1, 2]));
    }
}

#[test]
fn parameters_that_are_no_object_are_refused() {
    for params in [json!([1]), json!("text"), json!(7), json!(null)] {
        for dialect in [Dialect::Legacy, bare()] {
            let refused = dialect.request(&RequestId::from(1), "m", Some(&params), None);
            assert!(refused.unwrap_err().to_string().contains("object"), "{params}");
        }
    }
}

/// B-PROTO-14: which codes prove a modern server.
#[test]
fn only_three_codes_prove_a_modern_server() {
    let cases = [
        (json!({"code": -32020}), true),
        (json!({"code": -32021}), true),
        (json!({"code": -32022}), true),
        (json!({"code": -32022.0}), true),
        (json!({"code": -32601}), false),
        (json!({"code": -32603}), false),
        (json!({"code": "-32022"}), false),
        (json!({"code": null}), false),
        (json!({}), false),
    ];
    for (error, expected) in cases {
        let raw = RawValue::from_string(error.to_string()).unwrap();
        let read = ErrorObject::from_raw(&raw).unwrap();
        assert_eq!(read.code.is_some_and(ErrorCode::is_modern), expected, "{error}");
    }
    assert_eq!(ErrorObject::from_raw(&RawValue::from_string("7".to_owned()).unwrap()), None);
}

proptest! {
    /// What is written is what was given, for any parameters and any metadata.
    #[test]
    fn what_is_written_reads_back(
        name in ".*", cursor in ".*", key in "[a-z\"\\\\/.]{1,12}", id in any::<u64>(),
    ) {
        let params = json!({ "name": name, "cursor": cursor });
        let meta = json!({ key.clone(): cursor });
        let meta = object(&meta);
        let line = bare().request(&RequestId::from(id), "m", Some(&params), Some(&meta)).unwrap();
        prop_assert!(!line.contains(&b'\n'));
        let message: Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(&message["id"], &json!(id));
        prop_assert_eq!(&message["params"]["name"], &json!(name));
        prop_assert_eq!(&message["params"]["_meta"][&key], &json!(cursor));
        prop_assert_eq!(&message["params"]["_meta"][VERSION], &json!("2026-07-28"));
    }
}
