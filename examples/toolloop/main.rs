//! A tool loop over a real server process and tools of this process, with a scripted model.
//!
//! `cargo run --example toolloop` starts this program a second time as a Model Context Protocol
//! server, puts its tools and local toolkits into one namespace under a stack of layers, and plays
//! five turns.  It needs no network and no key, and prints the same transcript every time.

mod model;
mod transcript;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::{ElicitParams, ElicitResult};
use mcp_client::{Asked, Client, Stdio};
use mcp_leases::{Holder, LOCK_ACQUIRE, Leases, Table};
use mcp_operations::{InFlight, Operations, TokioTimer};
use mcp_provider::{BoxError, Provider, ProviderExt, ToolCall};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_testkit::{Tool, Toolkit, fixture_server_main, fixtures};
use mcp_unknown_keys::UnknownKeys;
use serde_json::json;

use crate::model::ScriptedModel;
use crate::transcript::Transcript;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        None => (),
        Some(SERVER) => return fixture_server_main(args),
        Some(other) => return transcript::failure(&format!("there is no argument {other:?}")),
    }
    let outcome = tokio::runtime::Runtime::new()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(run()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => transcript::failure(&error),
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let transcript = Arc::new(Transcript::default());
    // Where callbacks say that a person is asked: deadlines stand still meanwhile.
    let in_flight = InFlight::new();

    // A server on the other side of a pipe.
    let remote = Client::builder(Stdio::new(std::env::current_exe()?).arg(SERVER))
        .on_elicit({
            let transcript = Arc::clone(&transcript);
            in_flight.wrap("a server asks", move |asked| {
                let transcript = Arc::clone(&transcript);
                async move { answer(&transcript, &asked) }
            })
        })
        .on_progress({
            let transcript = Arc::clone(&transcript);
            move |report| transcript.progress(&report)
        })
        .connect()
        .await?;
    transcript.server(&*remote.server().await?);

    // Tools of this process: no transport, no serialisation.
    let local = Toolkit::new().tools(fixtures::local_kit());
    let write = Tool::new("write", |_, _| async { "written" }).parameters(json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "content": { "type": "string" } },
    }));
    let archive = Tool::new("archive", |_, _| std::future::pending::<String>());
    let files = Toolkit::new().tools([write, archive]);

    // One namespace over all.
    let registry = Registry::new();
    registry.add("local", local)?.add("fs", files)?.add("remote", remote.clone())?;

    // Another agent works on the same files.
    let table = Table::tokio();
    let bob = Leases::new(Toolkit::new(), table.clone(), Holder::new("bob")?);

    // A provider is a provider: layers go around this one.  The last one sees a call first.
    let ada = Holder::new("ada")?;
    let tools = registry.layer(|inner| Leases::new(inner, table, ada).concurrent(|| Some(2)));
    let tools = Operations::new(tools, TokioTimer::new())
        .with_deadline(DEADLINE)?
        .concurrent(["remote_read", "remote_peek"])?
        .with_in_flight(in_flight);
    let mut events = tools.events(100);
    let tools = tools.layer(Reasons::new).layer(|inner| {
        let transcript = Arc::clone(&transcript);
        UnknownKeys::new(inner).on_warning(move |warning| transcript.warning(warning))
    });

    // A model that cannot tell them apart.
    transcript.tools(&tools.tools_for_llm().await?);
    let mut model = ScriptedModel::default();
    let mut results = Vec::new();
    while let Some(turn) = model.turn(&results) {
        transcript.turn(&turn);
        if turn.calls.iter().any(|call| call.name == LOCK_ACQUIRE) {
            let claim = ToolCall::new("bob_1", LOCK_ACQUIRE, json!({ "paths": ["docs"] }));
            transcript.other("bob", &bob.execute_tool_calls(vec![claim]).await);
        }
        results = tools.execute_tool_calls(turn.calls).await;
        transcript.results(&results);
        while let Some(event) = events.try_next() {
            transcript.event(&event);
        }
    }

    remote.close().await;
    transcript.end();
    Ok(())
}

/// Answers the server's question, as a user would in a dialog.
fn answer(transcript: &Transcript, asked: &Asked<ElicitParams>) -> Result<ElicitResult, BoxError> {
    transcript.question(&asked.server.name, asked.params.message());
    let answer = json!({ "name": "Ada" });
    Ok(ElicitResult::accept(answer.as_object().cloned().unwrap_or_default()))
}

/// How long a tool may work on a call: far longer than any here does, but for one.
const DEADLINE: Duration = Duration::from_secs(2);

/// The argument with which this program is the server.
const SERVER: &str = "fixture-server";
