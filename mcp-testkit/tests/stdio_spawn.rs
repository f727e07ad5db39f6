//! What is started, and with which arguments, environment and directory.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;
mod servers;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::Stdio;
use mcp_transport::{Connect, StdioTransport, Transport, TransportError};

use crate::servers::{Recorder, Server, sh, until};

/// Why `settings` were refused.
async fn refused(settings: &Stdio) -> String {
    let error = StdioTransport::spawn(settings, Arc::default() as Arc<Recorder>).unwrap_err();
    assert!(matches!(error, TransportError::SpawnFailed { .. }), "{error:?}");
    // The recipe says the same as the transport.
    let connected = settings.connect(Arc::default() as Arc<Recorder>).await;
    assert_eq!(connected.unwrap_err(), error);
    error.to_string()
}

#[tokio::test]
async fn settings_that_cannot_reach_the_server_are_refused() {
    // B-STDIO-2, B-STDIO-3
    let nul = || OsString::from_vec(b"a\0b".to_vec());
    let cases: &[(Stdio, &str)] = &[
        (Stdio::new(""), "could not start : the command is empty"),
        (Stdio::new(nul()), "the command contains a NUL byte"),
        (Stdio::new("true").args(["a", "b\0"]), "argument 1 contains a NUL byte"),
        (Stdio::new("true").env("", "x"), "\"\" cannot be the name of an environment variable"),
        (Stdio::new("true").env("A=B", "x"), "\"A=B\" cannot be the name"),
        (Stdio::new("true").env(nul(), "x"), "\"a\\0b\" cannot be the name"),
        (Stdio::new("true").env("A", nul()), "the value of the environment variable \"A\""),
        (
            Stdio::new("true").current_dir("/no/such/directory"),
            "could not start true: there is no directory \"/no/such/directory\"",
        ),
        (Stdio::new("true").current_dir("/dev/null"), "there is no directory \"/dev/null\""),
    ];
    for (settings, expected) in cases {
        let error = refused(settings).await;
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
}

#[tokio::test]
async fn a_command_that_cannot_be_executed_is_named_with_the_reason() {
    // B-STDIO-8
    let missing = refused(&Stdio::new("no-such-command-here").args(["--port", "80"])).await;
    assert_eq!(
        missing,
        "could not start no-such-command-here --port 80: No such file or directory (os error 2)"
    );
    let forbidden = refused(&Stdio::new("/etc/passwd")).await;
    assert_eq!(forbidden, "could not start /etc/passwd: Permission denied (os error 13)");
}

/// The environment that a server of these settings sees.
async fn environment(configure: impl Fn(Stdio) -> Stdio) -> Vec<String> {
    // What `env` prints is no message, so every line of it comes back as a warning.
    let server = Server::start(configure(Stdio::new("/usr/bin/env")));
    server.transport.close().await;
    let lines = server.told.lines();
    let quoted = lines.iter().filter_map(|line| line.rsplit_once("not a JSON object: "));
    quoted.map(|(_, line)| line.to_owned()).collect()
}

#[tokio::test]
async fn the_environment_is_inherited_unless_it_is_cleared() {
    // B-STDIO-4
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    let inherited = environment(|it| it.env("ADDED", "1").env("ADDED", "a=b c")).await;
    assert!(inherited.iter().any(|line| path.starts_with(line.trim_end_matches("..."))));
    assert!(inherited.contains(&"ADDED=a=b c".to_owned()), "{inherited:?}");
    let overridden = environment(|it| it.env("PATH", "/elsewhere")).await;
    assert!(overridden.contains(&"PATH=/elsewhere".to_owned()));
    // The mark that the test needs is all that is left.
    let cleared = environment(|it| it.env_clear().env("ONLY", "")).await;
    assert_eq!(cleared.len(), 2, "{cleared:?}");
    assert!(cleared.contains(&"ONLY=".to_owned()));
}

#[tokio::test]
async fn arguments_arrive_one_by_one_whatever_they_contain() {
    // B-STDIO-2: nothing goes through a shell.
    let script = "for arg in \"$@\"; do printf '<%s>\\n' \"$arg\" >&2; done";
    let args = ["sh", "a b", "$HOME", "", "*", "\"'; exit 9", "é"];
    let server = Server::start(sh(script).args(args));
    server.transport.close().await;
    let expected: Vec<_> = args[1..].iter().map(|arg| format!("<{arg}>")).collect();
    assert_eq!(server.transport.stderr_tail(), expected.join("\n"));
}

#[tokio::test]
async fn the_server_starts_in_its_directory() {
    let directory: PathBuf = std::env::temp_dir().canonicalize().unwrap();
    for (settings, expected) in [
        (sh("pwd >&2").current_dir(&directory), directory),
        (sh("pwd >&2"), std::env::current_dir().unwrap()),
    ] {
        let server = Server::start(settings);
        server.transport.close().await;
        assert_eq!(server.transport.stderr_tail(), expected.display().to_string());
    }
}

#[tokio::test]
async fn all_three_streams_are_pipes_and_the_process_leads_a_group() {
    // B-STDIO-5, B-STDIO-6
    let script =
        "readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2 >&2; cut -d' ' -f5 /proc/$$/stat >&2";
    let server = Server::start(sh(script));
    let pid = server.pid();
    server.transport.close().await;
    let tail = server.transport.stderr_tail();
    assert_eq!(tail.matches("pipe:[").count(), 3, "{tail}");
    assert_eq!(tail.lines().last().unwrap().trim(), pid.to_string());
    assert_eq!(server.transport.pid(), Some(pid), "known after the end as well");
}

#[tokio::test]
async fn secrets_of_the_environment_are_not_shown() {
    let settings = Stdio::new("server").env("API_KEY", "hunter2");
    let shown = format!("{settings:?}");
    assert!(shown.contains("API_KEY") && !shown.contains("hunter2"), "{shown}");
    assert!(settings.is_local());
}

#[tokio::test]
async fn a_server_that_is_not_restarted_stays_dead() {
    // B-STDIO-38
    let server = Server::start(sh("exit 0"));
    until("it is dead", || !server.transport.is_alive()).await;
    let pid = server.pid();
    for id in 1..4 {
        assert!(server.ask(id, "ping").await.is_err());
    }
    assert_eq!(server.transport.pid(), Some(pid));
    server.is_gone_within(Duration::from_secs(1)).await;
}
