//! What is said over a connection, and what becomes of it.

mod requests;

use std::sync::OnceLock;
use std::time::Duration;

use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::*;
use crate::ServerGone;
use crate::testing::{Recorder, request, settle};

const PATIENCE: Duration = Duration::from_secs(5);

/// A connection, and the server's end of it.
struct Peer {
    wire: Arc<Wire>,
    tasks: Tasks,
    told: Arc<Recorder>,
    server: BufReader<DuplexStream>,
}

type Waiting = JoinHandle<Result<Answer, Failure>>;

impl Peer {
    fn new() -> Self {
        Self::with(1 << 16, Limits { message: 4000, ..Limits::default() })
    }

    fn with(size: usize, limits: Limits) -> Self {
        let (client, server) = duplex(size);
        let (reader, writer) = split(client);
        let told = Arc::new(Recorder::default());
        let (wire, tasks) = Wire::start(reader, writer, Arc::clone(&told) as _, &limits);
        Self { wire, tasks, told, server: BufReader::new(server) }
    }

    fn ask(&self, message: Outgoing) -> Waiting {
        let wire = Arc::clone(&self.wire);
        tokio::spawn(async move { wire.request(message).await })
    }

    /// The next line that the server reads.
    async fn heard(&mut self) -> String {
        let mut line = String::new();
        timeout(PATIENCE, self.server.read_line(&mut line)).await.unwrap().unwrap();
        line
    }

    /// A request that the server has read.
    async fn asked(&mut self, id: u64) -> Waiting {
        let waiting = self.ask(request(id, "ask"));
        assert!(self.heard().await.contains(&format!("\"id\":{id},")));
        waiting
    }

    async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.server.write_all(bytes.as_ref()).await.unwrap();
        settle().await;
    }

    /// What the server reads from now on until its input ends.
    async fn heard_until_the_end(mut self) -> String {
        self.wire.close_outbox();
        let mut rest = String::new();
        timeout(PATIENCE, self.server.read_to_string(&mut rest)).await.unwrap().unwrap();
        rest
    }
}

/// What became of a request, in a few words.
async fn outcome(waiting: Waiting) -> String {
    settle().await;
    if !waiting.is_finished() {
        return "waits".to_owned();
    }
    match waiting.await.unwrap() {
        Ok(answer) => String::from_utf8(answer.as_bytes().to_vec()).unwrap(),
        Err(Failure { error, is_sent: true }) => error.to_string(),
        Err(Failure { error, is_sent: false }) => format!("not sent: {error}"),
    }
}

#[tokio::test]
async fn each_line_settles_the_request_that_it_answers() {
    let long = "x".repeat(4000);
    let first = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"{long}\"}}");
    let last = format!("{{\"result\":\"{long}\",\"jsonrpc\":\"2.0\",\"id\":1}}");
    let unnamed = format!("{{\"result\":\"{long}\"}}");
    let too_long = |line: &str| {
        format!(
            "the answer cannot be used: a message of {} bytes is longer than the limit of 4000 \
             bytes (raise `Limits::message` to read it)",
            line.len()
        )
    };
    let (first_fails, last_fails) = (too_long(&first), too_long(&last));
    let unusable = |why: &str| format!("the answer cannot be used: {why}");
    // What the server says; what becomes of request 1; how the warning begins, if there is one.
    let cases: &[(&str, &str, &str)] = &[
        // B-TR-2, B-STDIO-16
        (r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1, 2]}}"#, r#"{"a":[1, 2]}"#, ""),
        (r#"{"result":{},"id":1,"jsonrpc":"2.0"}"#, "{}", ""),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#,
            "no (code -32000)",
            "",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":null,"result":7}"#, "7", ""),
        // B-STDIO-22
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\r", "7", ""),
        // B-STDIO-24
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\u{2028}\u{2029}\u{85}\"}",
            "\"\u{2028}\u{2029}\u{85}\"",
            "",
        ),
        (r#"{"jsonrpc":"2.0","id":"1","result":7}"#, "7", "took an answer to \"1\" for one"),
        (r#"{"jsonrpc":"2.0","id":1.0,"result":7}"#, "7", ""),
        (r#"{"jsonrpc":"2.0","id":2,"result":7}"#, "waits", "dropped a late answer to request 2"),
        (r#"{"jsonrpc":"2.0","id":-1,"result":7}"#, "waits", "dropped a late answer to request -1"),
        (
            r#"{"jsonrpc":"2.0","id":"x","result":7}"#,
            "waits",
            "dropped a late answer to request \"x\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"result":7}"#,
            "waits",
            "dropped a line of output: the member \"id\"",
        ),
        // B-STDIO-17
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
            "what? (code -32700)",
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"result":7}"#,
            "waits",
            "dropped a result that names no request",
        ),
        // B-STDIO-18
        (
            "*** a banner ***",
            "waits",
            "dropped a line of output: not a JSON object: *** a banner ***",
        ),
        ("", "waits", "dropped a line of output: blank line: "),
        (
            r#"{"id":1,"result":7}"#,
            &unusable("the member \"jsonrpc\" is not \"2.0\""),
            "dropped a line of output: the member",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            &unusable("an answer with neither result nor error"),
            "dropped a line of output: an answer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":}}"#,
            &unusable("malformed JSON: expected value at line 1 column 39"),
            "dropped a line of output: malformed JSON",
        ),
        // B-STDIO-19
        (
            r#"[{"jsonrpc":"2.0","id":1,"result":7}]"#,
            &unusable("not a JSON object but a batch, which is not supported"),
            "dropped a line of output: not a JSON object but a batch",
        ),
        (
            r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#,
            "waits",
            "dropped a line of output: not a JSON object but a batch",
        ),
        // B-STDIO-21
        (&first, &first_fails, "dropped a line of output: a message of "),
        (&last, &last_fails, "dropped a line of output: a message of "),
        (&unnamed, "waits", "dropped a line of output: a message of "),
    ];
    for (line, expected, warning) in cases {
        let mut peer = Peer::new();
        let waiting = peer.asked(1).await;
        peer.say(format!("{line}\n")).await;
        assert_eq!(outcome(waiting).await, *expected, "{line}");
        let told = peer.told.take();
        match *warning {
            "" => assert_eq!(told, [""; 0], "{line}"),
            warning => {
                assert_eq!(told.len(), 1, "{line}: {told:?}");
                assert!(told[0].starts_with(&format!("warning {warning}")), "{line}: {told:?}");
            }
        }
        // Whatever it was, the connection goes on.
        let next = peer.asked(9).await;
        peer.say("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":\"next\"}\n").await;
        assert_eq!(outcome(next).await, "\"next\"", "{line}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_cost_one_line() {
    // B-STDIO-23
    let mut peer = Peer::new();
    let (one, two) = (peer.asked(1).await, peer.asked(2).await);
    peer.say(b"caf\xe9\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}\n").await;
    assert!(outcome(one).await.starts_with("the answer cannot be used: malformed JSON"));
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":7}\n").await;
    assert_eq!(outcome(two).await, "7");
    let told = peer.told.take();
    assert_eq!(told[0], "warning dropped a line of output: not a JSON object: caf\u{fffd}");
    assert_eq!(told.len(), 2, "{told:?}");
}

#[tokio::test]
async fn the_servers_error_is_kept_whole() {
    // B-TR-3
    let mut peer = Peer::new();
    let waiting = peer.asked(1).await;
    let error = r#"{"code":-32022,"message":"m","data":{"supported":["a"]}}"#;
    peer.say(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{error}}}\n")).await;
    let TransportError::Rpc(found) = waiting.await.unwrap().unwrap_err().error else { panic!() };
    assert_eq!(serde_json::to_string(&found).unwrap(), error);
}

#[tokio::test]
async fn an_error_for_nobody_fails_nobody_where_two_wait() {
    let mut peer = Peer::new();
    let (one, two) = (peer.asked(1).await, peer.asked(2).await);
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"what?\"}}\n")
        .await;
    assert_eq!(
        peer.told.take(),
        ["warning dropped an error that names no request: what? (code 1)"]
    );
    assert_eq!((outcome(one).await, outcome(two).await), ("waits".into(), "waits".into()));
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order_and_once() {
    // B-TR-1, B-STDIO-16
    let mut peer = Peer::new();
    let (one, two) = (peer.asked(7).await, peer.asked(u64::MAX).await);
    let answer = |id: u64| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{id}}}\n");
    peer.say([answer(u64::MAX), answer(7), answer(7)].concat()).await;
    assert_eq!(outcome(one).await, "7");
    assert_eq!(outcome(two).await, u64::MAX.to_string());
    let late = "warning dropped a late answer to request 7: nobody waits for it";
    assert_eq!(peer.told.take(), [late]);
}

#[tokio::test]
async fn an_answer_is_a_slice_of_what_was_read() {
    let mut peer = Peer::new();
    let waiting = peer.asked(1).await;
    // Spelled as it came, and across two reads.
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\": 1.").await;
    peer.say("000, \"s\":\"\\u00e9\"} }\n").await;
    let answer = waiting.await.unwrap().unwrap();
    assert_eq!(answer.as_bytes(), br#"{"n": 1.000, "s":"\u00e9"}"#);
    let decoded: serde_json::Value = answer.decode().unwrap();
    assert_eq!(decoded["s"], "é");
    assert!(answer.decode::<u8>().is_err());
}

#[tokio::test]
async fn what_the_server_says_is_handed_over_in_order_and_before_the_answer() {
    // B-TR-5, B-TR-11, B-STDIO-25, B-STDIO-28
    struct Order(OnceLock<Arc<Wire>>, Recorder);
    impl Handler for Order {
        fn notification(&self, notification: mcp_protocol::Notification<'_>) {
            let waiting = self.0.get().map_or(0, |wire| wire.pending.len());
            self.1.warning(&format!("{} while {waiting} wait", notification.method));
        }
        fn request(&self, request: mcp_protocol::Request<'_>) {
            self.1.request(request);
        }
        fn warning(&self, warning: &str) {
            self.1.warning(warning);
        }
    }
    let (client, server) = duplex(1 << 16);
    let (reader, writer) = split(client);
    let order = Arc::new(Order(OnceLock::new(), Recorder::default()));
    let (wire, tasks) = Wire::start(reader, writer, Arc::clone(&order) as _, &Limits::default());
    let _ = order.0.set(Arc::clone(&wire));
    let mut peer = Peer { wire, tasks, told: Arc::default(), server: BufReader::new(server) };
    let waiting = peer.asked(1).await;
    let lines = [
        r#"{"jsonrpc":"2.0","method":"first"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"second","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":7}"#,
        r#"{"jsonrpc":"2.0","method":"third"}"#,
    ];
    peer.say(lines.join("\n") + "\n").await;
    assert_eq!(outcome(waiting).await, "7");
    assert_eq!(
        order.1.take(),
        [
            "warning first while 1 wait",
            "request 1 ping",
            "warning second while 1 wait",
            "warning third while 0 wait",
        ]
    );
}

#[tokio::test]
async fn a_handler_that_panics_does_not_stop_the_reader() {
    // B-STDIO-20, B-STDIO-27
    let mut peer = Peer::new();
    let waiting = peer.asked(1).await;
    let lines = [
        r#"{"jsonrpc":"2.0","method":"panic","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":"q","method":"panic"}"#,
        "panic",
        r#"{"jsonrpc":"2.0","id":1,"result":7}"#,
    ];
    peer.say(lines.join("\n") + "\n").await;
    assert_eq!(outcome(waiting).await, "7");
    assert_eq!(
        peer.told.take(),
        [
            "notification panic {\"a\":1}",
            "request \"q\" panic",
            "warning dropped a line of output: not a JSON object: panic",
        ]
    );
}

#[tokio::test]
async fn a_last_line_without_an_end_is_still_a_message() {
    // B-STDIO-15
    let mut peer = Peer::new();
    let waiting = peer.asked(1).await;
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}").await;
    assert!(!waiting.is_finished());
    peer.server.shutdown().await.unwrap();
    assert_eq!(outcome(waiting).await, "7");
    (&mut peer.tasks.reader).await;
}

#[test]
fn a_quote_is_at_most_120_characters() {
    // B-STDIO-18
    let long = "é".repeat(121);
    let cases = [
        ("  short \r", "short".to_owned()),
        (&"é".repeat(120), "é".repeat(120)),
        (&long, "é".repeat(117) + "..."),
    ];
    for (line, quoted) in cases {
        assert_eq!(quote(line.as_bytes()), quoted, "{line:?}");
    }
}
