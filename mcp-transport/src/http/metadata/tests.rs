//! What every message carries, and what nobody may add to it.

use proptest::prelude::*;

use super::*;

/// The headers but for the two that all have, as `name: value`.
fn shown(headers: &HeaderMap) -> Vec<String> {
    let shown = headers.iter().filter(|(name, _)| ![ACCEPT, CONTENT_TYPE].contains(name));
    let mut shown: Vec<_> =
        shown.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    shown.sort();
    shown
}

fn modern(method: &'static str, name: Option<&str>) -> Outgoing {
    let mut message = Outgoing::request(1, method, b"{}".to_vec());
    message.version = Some(ProtocolVersion::V2026_07_28);
    message.name = name.map(str::to_owned);
    message
}

fn session() -> SessionHeaders {
    let id = HeaderValue::from_static("s-1");
    SessionHeaders::new(Some(id), &ProtocolVersion::V2025_11_25)
}

/// B-HTTP-4, B-HTTP-7, spec 64.
#[test]
fn every_message_says_what_it_is_and_what_it_takes() {
    let legacy = Outgoing::notification("notifications/initialized", Vec::new());
    for message in [modern("tools/list", None), legacy, Outgoing::response(Vec::new())] {
        let headers = metadata(&message, Some(&session())).unwrap();
        assert_eq!(headers[ACCEPT], "application/json, text/event-stream");
        assert_eq!(headers[CONTENT_TYPE], "application/json");
    }
}

/// B-HTTP-5 to B-HTTP-8.
#[test]
fn a_modern_message_repeats_its_version_its_method_and_what_it_names() {
    let version = "mcp-protocol-version: 2026-07-28";
    let cases: &[(&str, Option<&str>, &[&str])] = &[
        ("tools/list", None, &["mcp-method: tools/list"]),
        ("tools/call", Some("greet"), &["mcp-method: tools/call", "mcp-name: greet"]),
        ("tools/call", Some(""), &["mcp-method: tools/call", "mcp-name: "]),
        ("tools/call", None, &["mcp-method: tools/call"]),
        ("prompts/get", Some("summarise"), &["mcp-method: prompts/get", "mcp-name: summarise"]),
        (
            "resources/read",
            Some("file:///path/to/file%20name.txt"),
            &["mcp-method: resources/read", "mcp-name: file:///path/to/file%20name.txt"],
        ),
        (
            "resources/read",
            Some("mem://café"),
            &["mcp-method: resources/read", "mcp-name: =?base64?bWVtOi8vY2Fmw6k=?="],
        ),
        ("resources/subscribe", Some("mem://a"), &["mcp-method: resources/subscribe"]),
        ("server/discover", None, &["mcp-method: server/discover"]),
    ];
    for (method, name, expected) in cases {
        // A session has no place in the modern era.
        let headers = metadata(&modern(method, *name), Some(&session())).unwrap();
        let expected: Vec<_> = expected.iter().chain(&[version]).copied().collect();
        assert_eq!(shown(&headers), expected, "{method} {name:?}");
    }
    let mut notification = modern("notifications/progress", None);
    notification.id = None;
    let headers = metadata(&notification, None).unwrap();
    assert_eq!(shown(&headers), ["mcp-method: notifications/progress", version]);
}

#[test]
fn a_version_goes_out_as_it_is_or_not_at_all() {
    let mut message = modern("tools/list", None);
    message.version = Some(ProtocolVersion::from("2029-09-09 beta".to_owned()));
    assert_eq!(metadata(&message, None).unwrap()[MCP_PROTOCOL_VERSION], "2029-09-09 beta");
    message.version = Some(ProtocolVersion::from("1\r\nevil: 1".to_owned()));
    let error = metadata(&message, None).unwrap_err();
    assert_eq!(error, "the version \"1\\r\\nevil: 1\" cannot stand in a header");
}

/// B-HTTP-19, B-HTTP-20.
#[test]
fn mirrored_parameters_stand_beside_the_method_and_never_in_its_place() {
    let mut call = modern("tools/call", Some("run"));
    let mirrored = [("Region", "us-west1"), ("Method", "x"), ("EmptyVal", ""), ("City", "Zürich")];
    call.mirrored = mirrored.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let expected = [
        "mcp-method: tools/call",
        "mcp-name: run",
        "mcp-param-city: =?base64?WsO8cmljaA==?=",
        "mcp-param-emptyval: ",
        "mcp-param-method: x",
        "mcp-param-region: us-west1",
        "mcp-protocol-version: 2026-07-28",
    ];
    assert_eq!(shown(&metadata(&call, None).unwrap()), expected);
    // Only calls of tools have them.
    call.method = "prompts/get".into();
    assert_eq!(shown(&metadata(&call, None).unwrap()).len(), 3);
    // What no annotation passes for.
    for (name, reason) in [
        ("a b", "Mcp-Param-\"a b\" is no header name"),
        ("a\r\nb", "Mcp-Param-\"a\\r\\nb\" is no header name"),
        ("REGION", "two parameters are called \"REGION\""),
    ] {
        let mut call = modern("tools/call", Some("run"));
        call.mirrored = ["Region", name].map(|name| (name.to_owned(), String::new())).to_vec();
        assert_eq!(metadata(&call, None).unwrap_err(), reason);
    }
}

#[test]
fn a_legacy_message_carries_the_session_unless_it_opens_one() {
    let message = |method| Outgoing::request(1, method, Vec::new());
    let headers = |method, session: Option<&SessionHeaders>| {
        shown(&metadata(&message(method), session).unwrap())
    };
    let (id, version) = ("mcp-session-id: s-1", "mcp-protocol-version: 2025-11-25");
    assert_eq!(headers("tools/list", Some(&session())), [version, id]);
    assert_eq!(headers("", Some(&session())), [version, id]);
    assert!(headers("initialize", Some(&session())).is_empty());
    assert!(headers("tools/list", None).is_empty());

    let without_id = SessionHeaders::new(None, &ProtocolVersion::V2025_03_26);
    assert_eq!(headers("ping", Some(&without_id)), ["mcp-protocol-version: 2025-03-26"]);
    let oldest = SessionHeaders { version: None, ..session() };
    assert_eq!(headers("ping", Some(&oldest)), [id]);
    assert!(SessionHeaders::new(None, &ProtocolVersion::V2024_11_05).version.is_none());
}

#[test]
fn the_id_of_a_session_is_visible_ascii_and_stays_a_secret() {
    let read = |id: &[u8]| {
        let value = HeaderValue::from_bytes(id).unwrap();
        session_id(&HeaderMap::from_iter([(MCP_SESSION_ID, value)]))
    };
    assert_eq!(session_id(&HeaderMap::new()), Ok(None));
    let id = read(b"!0-~").unwrap().unwrap();
    assert_eq!((id.to_str().ok(), id.is_sensitive()), (Some("!0-~"), true));
    assert!(read(&[b'a'; MAX_SESSION_ID]).is_ok());
    assert!(read(&[b'a'; MAX_SESSION_ID + 1]).unwrap_err().contains("1025 bytes"));
    for bad in [&b""[..], b"a b", b"a\tb", "ä".as_bytes()] {
        assert!(read(bad).unwrap_err().contains("visible ASCII"), "{bad:?}");
    }
    let debug = format!("{:?}", session());
    assert!(debug.contains("2025-11-25") && !debug.contains("s-1"), "{debug}");
}

#[test]
fn the_last_event_is_named_as_the_server_named_it() {
    assert_eq!(last_event_id("event-1 ü").unwrap().as_bytes(), "event-1 ü".as_bytes());
    for bad in ["", "a\nb", "a\0b", &"a".repeat(MAX_EVENT_ID + 1)] {
        assert_eq!(last_event_id(bad), None);
    }
}

/// B-HTTP-2, B-HTTP-3, spec 69.
#[test]
fn a_host_adds_what_the_transport_does_not_make() {
    let headers = custom([("Authorization", "Bearer secret"), ("X-A", "1"), ("x-a", "2")]).unwrap();
    assert_eq!(headers.get_all("x-a").iter().collect::<Vec<_>>(), ["1", "2"]);
    assert!(!format!("{headers:?}").contains("secret"));

    let cases = [
        ("mcp-method", "x", "the header mcp-method is derived from each message"),
        ("Mcp-Param-Region", "x", "the header Mcp-Param-Region is derived from each message"),
        ("MCP-PROTOCOL-VERSION", "x", "is derived from each message"),
        ("Mcp-Name", "x", "is derived from each message"),
        ("Mcp-Session-Id", "x", "is derived from each message"),
        ("Accept", "x", "is derived from each message"),
        ("Content-Type", "x", "is derived from each message"),
        ("Last-Event-ID", "x", "is derived from each message"),
        ("Host", "x", "the header Host belongs to the connection"),
        ("Transfer-Encoding", "x", "belongs to the connection"),
        ("Accept-Encoding", "gzip", "belongs to the connection"),
        ("", "x", "\"\" is no header name"),
        ("a b", "x", "\"a b\" is no header name"),
        ("a:", "x", "\"a:\" is no header name"),
        ("a\r\nb", "x", "\"a\\r\\nb\" is no header name"),
        ("Authorization", "Bearer secret\n", "the value of the header Authorization holds"),
        ("Authorization", "secret\r\nevil: 1", "the value of the header Authorization holds"),
        ("X", "secret\0", "the value of the header X holds"),
        ("X", "secret ü", "the value of the header X holds"),
    ];
    for (name, value, reason) in cases {
        let error = custom([(name, value)]).unwrap_err();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_header_holds_what_it_must_not(
        method in any::<String>(),
        name in any::<Option<String>>(),
        mirrored in prop::collection::vec(("[A-Za-z]{1,4}|\\PC{0,3}", any::<String>()), 0..4),
        is_call in any::<bool>(),
    ) {
        let mut message = modern("tools/call", name.as_deref());
        if !is_call {
            message.method = method.into();
        }
        message.mirrored = mirrored;
        if let Ok(headers) = metadata(&message, None) {
            let is_fine = |byte: &u8| (b' '..=b'~').contains(byte);
            prop_assert!(headers.values().all(|value| value.as_bytes().iter().all(is_fine)));
        }
    }
}
