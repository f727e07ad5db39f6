//! The scripted server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_testkit::{Answer, Latch, ScriptedServer};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
    split,
};

struct Client {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Client {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: BufReader::new(reader), writer }
    }

    async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn request(&mut self, id: u64, method: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method })).await;
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }

    async fn message(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }
}

#[tokio::test]
async fn a_conversation_goes_as_it_was_scripted() {
    let (server, stream) = ScriptedServer::start();
    server.on("a").notify("notifications/vendor", json!({ "x": 1 })).result(json!({ "n": 1 }));
    server.on("a").error(-32000, "no", Some(json!(["why"])));
    server.on("a").raw("{\"jsonrpc\":\"2.0\",\"id\":\"${id}\",\"result\":null}\n");
    server.on("a").compute(|message| Answer::Result(json!({ "saw": message["id"] })));
    server.on("a").line("noise").silence();
    server.otherwise().result(json!({ "else": true }));
    let mut client = Client::new(stream);
    for id in 1..=5 {
        client.request(id, "a").await;
    }
    client.request(6, "b").await;
    let expected = [
        json!({ "jsonrpc": "2.0", "method": "notifications/vendor", "params": { "x": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "n": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32000, "message": "no", "data": ["why"] } }),
        json!({ "jsonrpc": "2.0", "id": "3", "result": null }),
        json!({ "jsonrpc": "2.0", "id": 4, "result": { "saw": 4 } }),
    ];
    for message in expected {
        assert_eq!(client.message().await, message);
    }
    assert_eq!(client.line().await, "noise");
    assert_eq!(
        client.message().await,
        json!({ "jsonrpc": "2.0", "id": 6, "result": { "else": true } })
    );
    assert_eq!(server.methods(), ["a", "a", "a", "a", "a", "b"]);
    assert_eq!(server.lines()[0], r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    server.finish();
}

#[tokio::test]
async fn what_happens_once_comes_before_what_lasts() {
    let (server, stream) = ScriptedServer::start();
    server.on("list").always().result(json!("first"));
    server.on("list").always().result(json!("later"));
    server.on("list").result(json!("once"));
    let mut client = Client::new(stream);
    for (id, expected) in [(1, "once"), (2, "later"), (3, "later")] {
        client.request(id, "list").await;
        assert_eq!(client.message().await["result"], expected);
    }
    server.finish();
}

#[tokio::test]
async fn an_unscripted_request_fails_the_test_and_not_the_client() {
    let (server, stream) = ScriptedServer::start();
    let mut client = Client::new(stream);
    client.request(1, "surprise").await;
    assert_eq!(client.message().await["error"]["code"], -32601);
    let failure = catch_unwind(AssertUnwindSafe(|| server.finish())).unwrap_err();
    assert_eq!(failure.downcast_ref::<String>().unwrap(), "surprise was unscripted");

    let (server, stream) = ScriptedServer::start();
    let mut client = Client::new(stream);
    client.request(1, "surprise").await;
    client.message().await;
    let failure = catch_unwind(AssertUnwindSafe(|| drop(server))).unwrap_err();
    assert_eq!(failure.downcast_ref::<String>().unwrap(), "unscripted: surprise");
}

#[tokio::test]
async fn what_was_expected_and_never_came_fails_the_test() {
    let (server, _stream) = ScriptedServer::modern(json!({}));
    server.on("tools/list").result(json!({}));
    server.on("tools/list").result(json!({}));
    server.otherwise().silence();
    let failure = catch_unwind(AssertUnwindSafe(|| server.finish())).unwrap_err();
    assert_eq!(
        failure.downcast_ref::<String>().unwrap(),
        "tools/list was expected 2 times more; another request was expected"
    );
}

#[tokio::test]
async fn notifications_are_recorded_and_may_be_expected() {
    let (server, stream) = ScriptedServer::legacy(json!({ "tools": {} }));
    server
        .on("notifications/initialized")
        .notify("notifications/tools/list_changed", json!({}))
        .silence();
    let mut client = Client::new(stream);
    client.request(1, "server/discover").await;
    assert_eq!(client.message().await["error"]["code"], -32601);
    client.request(2, "initialize").await;
    assert_eq!(client.message().await["result"]["capabilities"], json!({ "tools": {} }));
    for method in ["notifications/initialized", "notifications/other"] {
        client.send(&json!({ "jsonrpc": "2.0", "method": method })).await;
    }
    assert_eq!(client.message().await["method"], "notifications/tools/list_changed");
    server.until_received("notifications/other", 1).await;
    server.finish();
}

#[tokio::test]
async fn the_server_asks_and_is_answered() {
    let (server, stream) = ScriptedServer::start();
    let mut client = Client::new(stream);
    for (answer, expected) in [
        (json!({ "result": { "roots": [] } }), Ok(json!({ "roots": [] }))),
        (
            json!({ "error": { "code": -32601, "message": "never" } }),
            Err("never (-32601)".to_owned()),
        ),
    ] {
        let asking = server.request(json!("s-1"), "roots/list", Value::Null);
        let answering = async {
            let asked = client.message().await;
            assert_eq!(asked, json!({ "jsonrpc": "2.0", "id": "s-1", "method": "roots/list" }));
            let mut reply = json!({ "jsonrpc": "2.0", "id": "s-1" });
            reply.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
            client.send(&reply).await;
        };
        let (answered, ()) = tokio::join!(asking, answering);
        assert_eq!(answered.map_err(|error| error.to_string()), expected);
    }
    server.finish();
}

#[tokio::test]
async fn answers_can_be_held_and_overtaken() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("slow").after(&latch).result(json!("slow"));
    server.on("quick").result(json!("quick"));
    let mut client = Client::new(stream);
    client.request(1, "slow").await;
    client.request(2, "quick").await;
    assert_eq!(client.message().await["result"], "quick");
    latch.open();
    assert_eq!(client.message().await["result"], "slow");
    server.finish();
}

#[tokio::test]
async fn either_end_may_hang_up() {
    let (server, stream) = ScriptedServer::start();
    server.on("bye").hang_up();
    let mut client = Client::new(stream);
    server.send_raw([0xff, b'\n']);
    let mut byte = [0; 2];
    client.reader.read_exact(&mut byte).await.unwrap();
    assert_eq!(byte, [0xff, b'\n']);
    client.request(1, "bye").await;
    assert_eq!(client.line().await, "");
    assert!(client.writer.write_all(b"more\n").await.is_err());
    server.finish();

    let (server, stream) = ScriptedServer::start();
    drop(stream);
    server.until_closed().await;
    let asked = server.request(json!(1), "roots/list", Value::Null);
    assert!(asked.await.is_err());
}
