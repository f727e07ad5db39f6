//! A tool loop over a real server process and tools of this process, with a scripted model.
//!
//! `cargo run --example toolloop` starts this program a second time as a Model Context Protocol
//! server, puts its tools and local toolkits into one namespace under a stack of layers, and plays
//! six turns.  It needs no network and no key, and prints the same transcript every time.

mod human;
mod model;
mod transcript;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use mcp_approval::{self as approval, Catalogue, Context, LlmApproval, Risks, Sampling};
use mcp_client::protocol::ElicitParams;
use mcp_client::{Asked, Client, Stdio};
use mcp_leases::{Holder, LOCK_ACQUIRE, Leases, Table};
use mcp_operations::{InFlight, Operations, TokioTimer};
use mcp_policy::Policy;
use mcp_provider::{Provider, ProviderExt, ToolCall};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_testkit::{Tool, Toolkit, fixture_server_main, fixtures};
use mcp_unknown_keys::UnknownKeys;
use serde_json::json;

use crate::human::{Person, floor, rules, tables};
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
            let in_flight = in_flight.clone();
            move |asked: Asked<ElicitParams>| {
                let in_flight = in_flight.of(&asked.extensions);
                async move { in_flight.during("a server asks", human::answer(asked)).await }
            }
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
    let run = Tool::new("run", |arguments, _| async move {
        format!("a shell would run: {}", arguments["command"].as_str().unwrap_or_default())
    });
    let shell = Toolkit::new().tool(run.parameters(json!({
        "type": "object",
        "properties": { "command": { "type": "string" } },
    })));

    // One namespace over all.
    let registry = Registry::new();
    registry
        .add("local", local)?
        .add("fs", files)?
        .add("sh", shell)?
        .add("remote", remote.clone())?;

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
    let reasons = Arc::new(Reasons::new(tools));
    let tools = Arc::clone(&reasons).layer(|inner| {
        let transcript = Arc::clone(&transcript);
        UnknownKeys::new(inner).on_warning(move |warning| transcript.warning(warning))
    });

    // What no rule decides, a model judges first; a person decides what it must not, or cannot.
    let catalogue = Catalogue::new();
    let context = Context::new(Risks::new()).catalogue(catalogue.clone());
    let context =
        context.reasons(move |tool| reasons.augmented_tools().iter().any(|it| it == tool));
    let approval = LlmApproval::builder(Sampling::new(human::review), TokioTimer::new())
        .human(approval::Human(Person(Arc::clone(&transcript))))
        .on_judged({
            let transcript = Arc::clone(&transcript);
            move |judged| transcript.judged(judged)
        })
        .build(context)?;
    let tools = Policy::builder(tools.layer(|inner| catalogue.watch(inner)))
        .rules(rules()?)
        .floor(floor())
        .tables(tables()?)
        .asker(approval)
        .claim_elicitations()
        .build()?;

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

/// How long a tool may work on a call: far longer than any here does, but for one.
const DEADLINE: Duration = Duration::from_secs(2);

/// The argument with which this program is the server.
const SERVER: &str = "fixture-server";
