//! Which era a server is spoken to in: what it answers decides, and on which connection.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::{
    ClientCapabilities, CreateMessageResult, Era, ErrorCode, LoggingLevel, TextContent,
};
use mcp_client::{BoxError, Client, ClientBuilder, Delivery, Error, Memory, Server};
use mcp_testkit::{Answer, RpcError, ScriptedServer, ServeEra, fixtures, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, split};

use crate::support::{CAPABILITIES, Nowhere, STAMP, bare_params, client, no_warning, streams};

const OURS: &str = "2026-07-28";
const OLDER: &str = "2026-01-01";

/// Where the handshake took place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Handshake {
    Nowhere,
    ThisConnection,
    NewConnection,
}

fn initialized() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "old", "version": "3" },
        "instructions": "Be brief.",
    })
}

fn refused(code: i64, supported: &Value) -> Answer {
    Answer::Error(RpcError::new(code, "no").with_data(json!({ "supported": supported })))
}

/// Asks a server that gives these answers to the probe, and says what came of it.
async fn ask(answers: Vec<Answer>) -> (Result<Arc<Server>, Error>, Handshake, Vec<Value>) {
    ask_as(|it| it, answers).await
}

async fn ask_as(
    set: impl FnOnce(ClientBuilder) -> ClientBuilder,
    answers: Vec<Answer>,
) -> (Result<Arc<Server>, Error>, Handshake, Vec<Value>) {
    let (first, one) = ScriptedServer::start();
    let (second, two) = ScriptedServer::start();
    for answer in answers {
        first.on("server/discover").answer(answer);
    }
    first.on("initialize").always().result(initialized());
    second.on("initialize").always().result(initialized());
    let builder = Client::builder(streams([one, two])).protocol_versions([OURS, OLDER]);
    let client = set(builder).on_warning(no_warning).build().unwrap();
    let outcome = client.server().await;
    let handshake = match (first.received("initialize").len(), second.received("initialize").len())
    {
        (0, 0) => Handshake::Nowhere,
        (1, 0) => Handshake::ThisConnection,
        (0, 1) => Handshake::NewConnection,
        counts => panic!("handshakes: {counts:?}"),
    };
    client.close().await;
    let probes = first.received("server/discover");
    assert_eq!(second.received("server/discover").len(), 0);
    (outcome, handshake, probes)
}

/// B-ERA-5, B-ERA-6, B-ERA-8, B-ERA-12, spec 1, 14: what an answer to the probe leads to.
#[tokio::test]
async fn an_answer_decides_the_era() {
    use Handshake::{NewConnection, Nowhere, ThisConnection};
    let result = |result: Value| Answer::Result(result);
    let error = |code| Answer::Error(RpcError::new(code, "no"));
    let cases = [
        (result(json!({ "supportedVersions": [OURS] })), Era::Modern, Nowhere),
        (result(json!({ "supportedVersions": [7, OURS, null] })), Era::Modern, Nowhere),
        (result(json!({ "supportedVersions": [] })), Era::Legacy, NewConnection),
        (result(json!({ "supportedVersions": ["1999-01-01"] })), Era::Legacy, NewConnection),
        (result(json!({ "supportedVersions": OURS })), Era::Legacy, NewConnection),
        (result(json!({ "ok": true })), Era::Legacy, NewConnection),
        (result(json!("hello")), Era::Legacy, NewConnection),
        (result(Value::Null), Era::Legacy, NewConnection),
        (error(-32601), Era::Legacy, ThisConnection),
        (error(-32602), Era::Legacy, ThisConnection),
        (error(-32600), Era::Legacy, ThisConnection),
        (error(-32000), Era::Legacy, ThisConnection),
        (error(0), Era::Legacy, ThisConnection),
        (error(-32020), Era::Modern, Nowhere),
        (error(-32021), Era::Modern, Nowhere),
        (refused(-32022, &json!(["2025-11-25"])), Era::Legacy, NewConnection),
        (refused(-32022, &json!([OURS, "2025-06-18"])), Era::Legacy, NewConnection),
        (Answer::HangUp, Era::Legacy, NewConnection),
    ];
    for (answer, era, handshake) in cases {
        let case = format!("{answer:?}");
        let (outcome, found, probes) = ask(vec![answer]).await;
        let outcome = outcome.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((outcome.era, found), (era, handshake), "{case}");
        assert_eq!(probes.len(), 1, "{case}");
    }
}

/// B-ERA-7 to B-ERA-9, spec 13: a server that names other versions is asked in each of them that
/// is ours, and in none twice.
#[tokio::test]
async fn a_server_that_names_another_version_is_asked_in_it() {
    let found = |versions: &[&str]| Answer::Result(json!({ "supportedVersions": versions }));
    for named in [json!([OLDER, "2025-11-25"]), json!([OURS, OLDER]), json!([7, OLDER])] {
        let (outcome, handshake, probes) =
            ask(vec![refused(-32022, &named), found(&[OLDER])]).await;
        let server = outcome.unwrap();
        assert_eq!((server.era, handshake), (Era::Modern, Handshake::Nowhere), "{named}");
        assert_eq!(server.protocol_version.as_str(), OLDER);
        assert_eq!(server.supported_versions, [OLDER]);
        let versions: Vec<_> = probes.iter().map(|it| &it["params"]["_meta"][STAMP]).collect();
        assert_eq!(versions, [OURS, OLDER], "{named}");
    }
}

/// B-ERA-8, B-ERA-14: no version in common is an error that names both sides, and no handshake.
#[tokio::test]
async fn without_a_version_in_common_there_is_no_handshake() {
    let cases = [
        (vec![refused(-32022, &json!(["2027-01-01"]))], OURS, vec!["2027-01-01"]),
        (vec![refused(-32022, &json!("all of them"))], OURS, vec![]),
        (vec![refused(-32022, &json!([]))], OURS, vec![]),
        (
            // What a server names and refuses is asked for once more, and no more often.
            vec![
                refused(-32022, &json!([OLDER])),
                refused(-32022, &json!([OURS, OLDER])),
                refused(-32022, &json!([OURS, OLDER])),
            ],
            OLDER,
            vec![OURS, OLDER],
        ),
    ];
    for (answers, asked, named) in cases {
        let (outcome, handshake, _) = ask(answers).await;
        let error = outcome.unwrap_err();
        assert_eq!(handshake, Handshake::Nowhere);
        assert_eq!(error.delivery(), Delivery::NotSent);
        let Error::UnsupportedVersion { requested, supported } = error else { panic!("{error}") };
        assert_eq!((&*requested, supported), (asked, named.iter().map(|&it| it.into()).collect()));
    }
}

/// B-ERA-3, B-ERA-5, B-ERA-13, B-API-1: a modern server, described.
#[tokio::test]
async fn what_a_modern_server_says_about_itself_is_kept() {
    let document = json!({
        "resultType": "complete",
        "supportedVersions": [OURS, "2027-01-01"],
        "capabilities": { "tools": { "listChanged": true }, "vendor": { "x": 1 } },
        "instructions": "Use the tools.",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "new", "version": "9" } },
    });
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").result(document.clone());
    let client = Client::builder(streams([stream])).connect().await.unwrap();
    assert_eq!(client.era().await.unwrap(), Era::Modern);
    assert_eq!(client.protocol_version().await.unwrap().as_str(), OURS);
    let info = client.server_info().await.unwrap();
    assert_eq!((&*info.name, &*info.version), ("new", "9"));
    let capabilities = client.capabilities().await.unwrap();
    assert_eq!(serde_json::to_value(&capabilities).unwrap(), document["capabilities"]);
    assert_eq!(client.instructions().await.unwrap().as_deref(), Some("Use the tools."));
    assert_eq!(client.server().await.unwrap().supported_versions, [OURS, "2027-01-01"]);
    assert_eq!(Value::Object(client.discover().await.unwrap()), document);
    // One request, no notification, and nothing in it but the stamp.
    let messages = server.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["id"], 1);
    assert_eq!(bare_params(&messages[0]), json!({}));
    assert_eq!(messages[0]["params"]["_meta"][CAPABILITIES], json!({}));
}

/// B-ERA-10, spec 71: a server that minds something else about the probe is modern all the same.
#[tokio::test]
async fn a_modern_server_that_does_not_describe_itself_is_taken_as_it_is() {
    for code in [-32020, -32021] {
        let (outcome, _, probes) = ask(vec![refused(code, &Value::Null)]).await;
        let server = outcome.unwrap();
        assert_eq!(server.protocol_version.as_str(), OURS);
        assert_eq!(server.supported_versions, [OURS]);
        assert!(&*server.document == "{}" && server.instructions.is_none());
        assert_eq!(serde_json::to_value(&server.capabilities).unwrap(), json!({}));
        assert_eq!(server.info, Default::default());
        assert_eq!(probes.len(), 1);
    }
}

/// B-ERA-14, B-ERA-16, B-CAP-3: a legacy server, greeted and described.
#[tokio::test]
async fn a_legacy_server_is_greeted_and_described() {
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").error(-32601, "Method not found", None);
    server.on("initialize").result(initialized());
    server.on("tools/list").result(json!({ "tools": [] }));
    let sample = async |_| -> Result<CreateMessageResult, BoxError> {
        Ok(CreateMessageResult::new("model", TextContent::new("hi")))
    };
    let builder = Client::builder(streams([stream])).on_sample(sample);
    let client = builder.on_warning(no_warning).build().unwrap();
    client.list_tools().await.unwrap();
    let described = client.server().await.unwrap();
    assert_eq!(described.era, Era::Legacy);
    assert_eq!(described.protocol_version.as_str(), "2025-11-25");
    assert!(described.supported_versions.is_empty());
    assert_eq!((&*described.info.name, &*described.info.version), ("old", "3"));
    assert_eq!(described.instructions.as_deref(), Some("Be brief."));
    assert_eq!(described.document.parse::<Value>().unwrap(), initialized());
    let methods = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
    assert_eq!(server.methods(), methods);
    let messages = server.messages();
    let info = json!({ "name": "mcp-client", "version": env!("CARGO_PKG_VERSION") });
    let greeting = json!({
        "protocolVersion": "2025-11-25", "capabilities": { "sampling": {} }, "clientInfo": info,
    });
    assert_eq!(messages[1]["params"], greeting);
    // No parameters means none, and a legacy server is never shown a stamp.
    assert!(messages[2].get("params").is_none() && messages[3].get("params").is_none());
    assert_eq!(messages.iter().filter_map(|it| it["id"].as_u64()).collect::<Vec<_>>(), [1, 2, 3]);
}

/// Spec 88: every legacy version is good enough; B-ERA-15, spec 87: any other ends the connection.
#[tokio::test]
async fn a_handshake_ends_in_a_legacy_version_or_not_at_all() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let server = fixtures::server().legacy_versions(&[version]);
        let (client, _) = client(server, ServeEra::Legacy);
        assert_eq!(client.protocol_version().await.unwrap().as_str(), version);
        assert!(!client.list_tools().await.unwrap().is_empty());
    }
    let cases = [
        (json!("2026-07-28"), vec!["2026-07-28"]),
        (json!("1999-01-01"), vec!["1999-01-01"]),
        (json!(20251125), vec![]),
        (Value::Null, vec![]),
    ];
    for (version, named) in cases {
        let (server, stream) = ScriptedServer::start();
        server.on("server/discover").error(-32601, "Method not found", None);
        server.on("initialize").result(json!({ "protocolVersion": version, "capabilities": {} }));
        let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
        let error = client.list_tools().await.unwrap_err();
        let Error::UnsupportedVersion { requested, supported } = error else { panic!("{error}") };
        assert_eq!(
            (&*requested, supported),
            ("2025-11-25", named.iter().map(|&it| it.into()).collect())
        );
        server.until_closed().await;
        assert_eq!(server.received("notifications/initialized").len(), 0);
    }
}

/// B-ERA-4, B-ERA-17: a failure decides nothing, and the next call asks again from the start.
#[tokio::test]
async fn a_failed_handshake_is_an_error_and_the_next_call_starts_again() {
    let (first, one) = ScriptedServer::start();
    let (second, two) = ScriptedServer::modern(json!({}));
    first.on("server/discover").error(-32601, "Method not found", None);
    first.on("initialize").error(-32603, "not today", Some(json!({ "until": "monday" })));
    let client = Client::builder(streams([one, two])).on_warning(no_warning).build().unwrap();
    let error = client.call_tool("any", ()).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INTERNAL_ERROR));
    // The server has answered the handshake, and has never heard of the call.
    assert_eq!(error.delivery(), Delivery::NotSent);
    first.until_closed().await;
    assert_eq!(client.era().await.unwrap(), Era::Modern);
    assert_eq!(second.methods(), ["server/discover"]);
    assert_eq!(second.messages()[0]["id"], 3);
}

/// B-ERA-11, B-ERA-12: a server that cannot be started, or dies twice, has no era.
#[tokio::test]
async fn a_server_that_is_not_there_has_no_era() {
    let nowhere = Nowhere::default();
    let client = Client::new(nowhere.clone());
    let error = client.era().await.unwrap_err();
    assert!(matches!(error, Error::SpawnFailed { .. }), "{error}");
    assert_eq!(nowhere.attempts(), 1);

    let client = Client::new(Memory::new(drop));
    let error = client.list_tools().await.unwrap_err();
    assert!(matches!(error, Error::ServerGone { is_sent: false, .. }), "{error}");
}

/// B-ERA-1, spec 15: every accessor finds out, once; a legacy level is set when greeting.
#[tokio::test]
async fn the_era_is_decided_once_for_the_life_of_a_client() {
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    client.era().await.unwrap();
    client.server().await.unwrap();
    client.list_tools().await.unwrap();
    client.ping().await.unwrap();
    client.read_resource("test://volatile").await.unwrap();
    let methods: Vec<_> = server.received().iter().map(|it| it["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "tools/list", "ping", "resources/read"]);
}

/// Spec 92: a legacy server is told the log level, if it logs at all.
#[tokio::test]
async fn a_legacy_server_that_logs_is_told_the_level_when_it_is_greeted() {
    for (capabilities, expected) in [(json!({ "logging": {} }), 1), (json!({}), 0)] {
        let (server, stream) = ScriptedServer::legacy(capabilities);
        server.on("logging/setLevel").error(-32603, "I log what I like", None);
        let builder = Client::builder(streams([stream])).log_level(LoggingLevel::Notice);
        builder.on_warning(no_warning).connect().await.unwrap();
        let levels = server.received("logging/setLevel");
        assert_eq!(levels.len(), expected);
        assert!(levels.iter().all(|it| it["params"] == json!({ "level": "notice" })));
    }
}

/// An era that is pinned costs no question, and allows no other era.
#[tokio::test]
async fn an_era_that_is_pinned_is_spoken_or_nothing_is() {
    let (outcome, handshake, probes) = ask_as(|it| it.era(Era::Legacy), vec![]).await;
    assert_eq!((outcome.unwrap().era, handshake), (Era::Legacy, Handshake::ThisConnection));
    assert!(probes.is_empty());

    let modern = json!({ "supportedVersions": [OURS] });
    let (outcome, ..) = ask_as(|it| it.era(Era::Modern), vec![Answer::Result(modern)]).await;
    assert_eq!(outcome.unwrap().era, Era::Modern);

    let unsupported = |supported: &[&str]| Error::UnsupportedVersion {
        requested: OURS.to_owned(),
        supported: supported.iter().map(|&it| it.to_owned()).collect(),
    };
    let cases = [
        (Answer::Error(RpcError::new(-32601, "no")), unsupported(&[])),
        (Answer::Result(json!({ "supportedVersions": [] })), unsupported(&[])),
        (
            Answer::Result(json!({ "supportedVersions": ["1999-01-01"] })),
            unsupported(&["1999-01-01"]),
        ),
        (refused(-32022, &json!(["2025-11-25"])), unsupported(&["2025-11-25"])),
    ];
    for (answer, expected) in cases {
        let (outcome, handshake, _) = ask_as(|it| it.era(Era::Modern), vec![answer]).await;
        assert_eq!((outcome.unwrap_err(), handshake), (expected, Handshake::Nowhere));
    }
    let (outcome, handshake, _) = ask_as(|it| it.era(Era::Modern), vec![Answer::HangUp]).await;
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::ServerGone { .. }), "{error}");
    assert_eq!(handshake, Handshake::Nowhere);
}

/// A server that speaks one era only says so to messages of the other.
#[tokio::test]
async fn a_modern_server_knows_no_handshake() {
    let (mut stream, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = split(theirs);
    tokio::spawn(serve(fixtures::server(), ServeEra::Modern, reader, writer));
    for (method, code) in [("initialize", -32601), ("tools/list", -32022)] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": {} });
        stream.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        BufReader::new(&mut stream).read_line(&mut line).await.unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["error"]["code"], code, "{method}");
    }
    let (client, _) = client(fixtures::server(), ServeEra::Modern);
    assert_eq!(client.era().await.unwrap(), Era::Modern);
}

/// B-CAP-3: what is declared in place of what the hooks show is declared in the handshake as well.
#[tokio::test]
async fn the_handshake_declares_what_was_set() {
    let mut capabilities = ClientCapabilities::default();
    capabilities.experimental = json!({ "vendor/x": {} }).as_object().cloned().map(Box::new);
    let (server, stream) = ScriptedServer::legacy(json!({}));
    let builder = Client::builder(streams([stream])).client_capabilities(capabilities);
    builder.request_timeout(Duration::from_secs(5)).connect().await.unwrap();
    let declared = &server.received("initialize")[0]["params"]["capabilities"];
    assert_eq!(*declared, json!({ "experimental": { "vendor/x": {} } }));
}
