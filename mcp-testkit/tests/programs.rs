//! The programs, each in a process of its own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json!() reads better without a reference")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A program with its pipes.  It ends by itself when its stdin is closed.
struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(path: &str, args: &[&str]) -> Self {
        let mut command = Command::new(path);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    fn fixture(args: &[&str]) -> Self {
        Self::start(env!("CARGO_BIN_EXE_fixture-server"), args)
    }

    fn script(args: &[&str]) -> Self {
        Self::start(env!("CARGO_BIN_EXE_script-server"), args)
    }

    fn play(script: &Value) -> Self {
        Self::script(&[&json!({ "script": script }).to_string()])
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, id: u64, method: &str, mut params: Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn call(&mut self, id: u64, tool: &str, arguments: Value) {
        self.request(id, "tools/call", json!({ "name": tool, "arguments": arguments }));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn message(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Closes stdin, and returns the exit code, the rest of stdout, and stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.input.take());
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), rest, errors)
    }
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn the_fixture_server_introduces_itself_in_the_era_it_is_told() {
    for (args, versions) in [
        (&[][..], json!(["2026-07-28"])),
        (&["--era", "both"], json!(["2026-07-28"])),
        (&["--era=modern"], json!(["2026-07-28"])),
        (&["--era", "legacy"], json!([])),
        (&["--era", "legacy", "--no-discover"], Value::Null),
    ] {
        let mut program = Program::fixture(args);
        program.request(1, "server/discover", json!({}));
        assert_eq!(program.message()["result"]["supportedVersions"], versions, "{args:?}");
        assert_eq!(program.end().0, Some(0));
    }
    let mut program = Program::fixture(&["--era", "legacy", "--legacy-version", "2024-11-05"]);
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    program.request(1, "initialize", params);
    let result = program.message()["result"].take();
    assert_eq!(result["protocolVersion"], "2024-11-05");
    assert_eq!(result["serverInfo"], json!({ "name": "fixture-server", "version": "0.1.0" }));
}

#[test]
fn the_fixture_server_has_pages_and_many_tools() {
    let mut program = Program::fixture(&["--page-size", "7", "--many=100"]);
    let (mut names, mut params) = (Vec::new(), json!({}));
    for id in 1.. {
        program.request(id, "tools/list", params);
        let result = program.message()["result"].take();
        names.extend(result["tools"].as_array().unwrap().iter().map(|it| it["name"].to_string()));
        let Some(cursor) = result.get("nextCursor") else { break };
        params = json!({ "cursor": cursor });
    }
    assert_eq!(names.iter().filter(|name| name.starts_with("\"tool_")).count(), 100);
    assert!(names.is_sorted());
}

#[test]
fn bad_options_are_refused() {
    for args in [&["--era", "sideways"][..], &["--era"], &["--page-size", "x"], &["--loud", "1"]] {
        let (code, output, errors) = Program::fixture(args).end();
        assert_eq!((code, &*output), (Some(2), ""), "{args:?}");
        assert!(errors.starts_with("fixture-server: "), "{args:?} {errors}");
    }
    for args in [&["no-such-case"][..], &["{not json"], &["/no/such/file", "id"]] {
        let (code, _, errors) = Program::script(args).end();
        assert_eq!(code, Some(2), "{args:?} {errors}");
    }
}

#[test]
fn calls_wait_for_each_other_at_the_gate() {
    let mut program = Program::fixture(&[]);
    program.call(1, "gate_open", json!({}));
    program.call(2, "gate_wait", json!({}));
    let mut texts = [program.message(), program.message()].map(|it| text(&it).to_owned());
    texts.sort();
    assert_eq!(texts, ["opened", "waited"]);
    program.call(3, "counts", json!({}));
    let counts = program.message()["result"]["structuredContent"].take();
    assert_eq!(counts["gate_wait"], json!({ "started": 1, "finished": 1, "cancelled": 0 }));
}

#[test]
fn a_banner_is_noise_and_a_crash_is_the_end() {
    let mut program = Program::fixture(&[]);
    program.call(1, "banner", json!({ "text": "hello from the build system" }));
    assert_eq!(program.line(), "hello from the build system\n");
    assert_eq!(text(&program.message()), "banner printed");
    program.call(2, "crash", json!({ "code": 7, "message": "out of paper" }));
    assert_eq!(program.end(), (Some(7), String::new(), "out of paper\n".to_owned()));
}

#[test]
fn work_that_is_under_way_is_finished_when_stdin_closes() {
    let mut program = Program::fixture(&[]);
    program.call(1, "slow", json!({}));
    let (code, rest, _) = program.end();
    assert_eq!(code, Some(0));
    assert_eq!(text(&serde_json::from_str(&rest).unwrap()), "slept 250 ms");
}

#[test]
fn a_script_is_played_by_method_and_by_arrival() {
    let mut program = Program::play(&json!({
        "start": [{ "line": "banner" }],
        "ping": [{ "raw": "a${id}" }, { "line": "b" }],
        "ping#2": [{ "fill": { "head": "<", "text": "xy", "count": 3, "tail": "> ${id}\n" } }],
        "tools/call": [{ "bytes": "PENDING\n" }, { "default": true }],
        "": [{ "line": "an answer" }],
        "eof": [{ "line": "bye" }, { "stderr": "e", "count": 3 }, { "exit": 5 }],
    }));
    assert_eq!(program.line(), "banner\n");
    program.request(1, "ping", json!({}));
    assert_eq!(program.line(), "a1b\n");
    for id in [2, 3] {
        program.request(id, "ping", json!({}));
        assert_eq!(program.line(), format!("<xyxyxy> {id}\n"));
    }
    program.call(4, "echo", json!({ "text": "hi" }));
    assert_eq!(program.line(), "4\n");
    assert_eq!(text(&program.message()), "hi");
    program.send(&json!({ "jsonrpc": "2.0", "id": 9, "result": {} }));
    assert_eq!(program.line(), "an answer\n");
    program.request(5, "vendor", json!({}));
    assert_eq!(program.message()["error"]["code"], -32601);
    assert_eq!(program.end(), (Some(5), "bye\n".to_owned(), "eee".to_owned()));
}

#[cfg(unix)]
#[test]
fn stdout_can_be_closed_while_the_program_lives() {
    let mut program = Program::play(&json!({
        "ping": [{ "line": "last" }, { "close_stdout": true }, { "line": "unheard" }],
        "eof": [{ "stderr": "still here" }],
    }));
    program.request(1, "ping", json!({}));
    assert_eq!(program.line(), "last\n");
    assert_eq!(program.line(), "", "closed");
    assert!(program.child.try_wait().unwrap().is_none(), "alive");
    assert_eq!(program.end(), (Some(0), String::new(), "still here".to_owned()));
}

#[test]
fn a_storm_of_messages_ends_the_program() {
    let mut program = Program::play(&json!({ "*": [] }));
    let storm = "{}\n".repeat(2001);
    program.input.as_mut().unwrap().write_all(storm.as_bytes()).unwrap();
    assert_eq!(program.end().0, Some(99));
}

#[test]
fn an_unknown_action_is_an_error() {
    let (code, _, errors) = Program::play(&json!({ "start": [{ "dance": true }] })).end();
    assert_eq!(code, Some(2));
    assert_eq!(errors, "script-server: unknown action {\"dance\":true}\n");
}

#[test]
fn a_script_is_played_over_http() {
    let case = json!({ "transport": "http", "modern": true, "script": {
        "tools/list": [{ "status": 200, "headers": { "x-id": "${id}" }, "chunks": ["one", "two"] }],
        "ping": [{ "status": 418, "fill": { "text": "t", "count": 2 } }],
        "GET": [{ "status": 200, "chunks": ["open"], "open": true }, { "exit": 0 }],
        "/other tools/call": [{ "status": 500 }],
    }});
    let mut program = Program::script(&[&case.to_string()]);
    let port: u16 = program.line().trim().strip_prefix("listening ").unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut exchange = |method: &str, path: &str, body: &str, until: &str| {
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut seen = String::new();
        while !seen.ends_with(until) {
            let mut byte = [0];
            reader.read_exact(&mut byte).unwrap();
            seen.push(char::from(byte[0]));
        }
        seen
    };
    let request = |method: &str| json!({ "jsonrpc": "2.0", "id": 3, "method": method }).to_string();
    let answer = exchange("POST", "/mcp", &request("server/discover"), "\"public\"}}");
    assert!(answer.contains(r#""supportedVersions":["2026-07-28"]"#), "{answer}");
    let answer = exchange("POST", "/mcp", r#"{"method":"notifications/x"}"#, "\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    let answer = exchange("POST", "/mcp", &request("tools/list"), "0\r\n\r\n");
    let head = "HTTP/1.1 200 x\r\nx-id: 3\r\ntransfer-encoding: chunked\r\n\r\n";
    assert_eq!(answer, format!("{head}3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
    let answer = exchange("POST", "/mcp", &request("ping"), "tt");
    assert!(answer.starts_with("HTTP/1.1 418 "), "{answer}");
    let answer = exchange("POST", "/other", &request("tools/call"), "\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    let answer = exchange("GET", "/mcp", "", "open\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(program.end().0, Some(0));
}

#[test]
fn the_collected_cases_can_be_played() {
    let cases = mcp_testkit::misbehaving_servers();
    assert_eq!(cases.len(), 99);
    for case in &cases {
        assert!(case["script"].is_object() && case["want"].is_object(), "{}", case["id"]);
    }
    let find = |id: &str| cases.iter().find(|case| case["id"] == id).unwrap();
    let wanted = &find("stdio-u2028")["want"]["call"][0];
    assert_eq!(wanted, "ok:a\u{2028}b\u{2029}c\u{85}d");
    let noise = &find("stdio-invalid-utf8-noise")["script"]["start"][0]["raw"];
    assert_eq!(noise, "\u{ff}\u{fe} noise\n");

    let mut program = Program::script(&["stdio-u2028"]);
    program.call(1, "echo", json!({}));
    assert_eq!(text(&program.message()), "a\u{2028}b\u{2029}c\u{85}d");
}

#[test]
fn a_program_is_found_by_name() {
    let path = mcp_testkit::program("fixture-server").unwrap();
    assert_eq!(path, std::path::Path::new(env!("CARGO_BIN_EXE_fixture-server")));
    assert!(mcp_testkit::program("no-such-program").is_err());
}
