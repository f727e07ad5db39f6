//! Sixteen agents edit the files of one directory: each reads a file, adds a line, and writes it back.
//!
//! With the layer every edit is there in the end.  Without it, some are lost:
//!
//! ```text
//! cargo run -p mcp-leases --example sixteen -- --toolkit
//! cargo run -p mcp-leases --example sixteen -- --toolkit --without
//! ```
//!
//! On a real server, whose command follows; the directory is put after it:
//!
//! ```text
//! cargo run -p mcp-leases --example sixteen -- npx -y @modelcontextprotocol/server-filesystem
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is what it is for")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::{Client, Stdio};
use mcp_leases::{Holder, LOCK_ACQUIRE, LOCK_RELEASE, Leases, Table};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{Tool, ToolOutput, Toolkit};
use serde_json::{Value, json};
use tokio::task::{JoinSet, yield_now};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()).await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(mut arguments: Vec<String>) -> Result<ExitCode, Failure> {
    let mut take = |flag: &str| {
        let place =
            arguments.iter().take_while(|it| it.starts_with("--")).position(|it| it == flag);
        place.map(|place| arguments.remove(place)).is_some()
    };
    let (without, toolkit) = (take("--without"), take("--toolkit"));
    let directory = Directory::new()?;
    let files = directory.files()?;
    let (server, client): (Arc<dyn Provider>, Option<Client>) = match &*arguments {
        [] if toolkit => (Arc::new(in_process(&files)), None),
        [program, rest @ ..] if !toolkit && !program.starts_with('-') => {
            let command = Stdio::new(program).args(rest).arg(&directory.0);
            let client = Client::new(command);
            (Arc::new(client.clone()), Some(client))
        }
        _ => return Err("say --toolkit, or the command that starts a server of files".into()),
    };

    let mut agents = JoinSet::new();
    let table = Table::tokio();
    for number in 0..AGENTS {
        let agent: Arc<dyn Provider> = if without {
            Arc::clone(&server)
        } else {
            let holder = Holder::new(&format!("agent-{number}"))?;
            let leases = Leases::new(Arc::clone(&server), table.clone(), holder);
            Arc::new(leases.enforce(["write_file"])?.concurrent(|| Some(AGENTS)))
        };
        agents.spawn(edit(agent, number, files.clone(), !without));
    }
    let mut made = 0;
    while let Some(edits) = agents.join_next().await {
        made += edits??;
    }
    let mut present = 0;
    for file in &files {
        let text = call(&*server, READ, json!({ "path": file })).await?;
        present += text.lines().count().saturating_sub(HEADING.lines().count());
    }
    if let Some(client) = client {
        client.close().await;
    }
    let how = if without { "without leases" } else { "with leases" };
    println!("{AGENTS} agents, {FILES} files, {how}: {made} edits made, {present} present");
    if !without {
        println!("left in the table: {:?}", table.status());
    }
    Ok(if without || made == present { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What one agent does; how many edits it made.
async fn edit(
    tools: Arc<dyn Provider>,
    number: usize,
    files: Vec<PathBuf>,
    is_locking: bool,
) -> Result<usize, Failure> {
    for round in 0..EDITS {
        let Some(file) = files.get((number + round) % FILES) else { continue };
        if is_locking {
            call(&*tools, LOCK_ACQUIRE, json!({ "paths": [file] })).await?;
        }
        let text = call(&*tools, READ, json!({ "path": file })).await?;
        let text = format!("{text}agent {number}, edit {round}\n");
        call(&*tools, WRITE, json!({ "path": file, "content": text })).await?;
        if is_locking {
            call(&*tools, LOCK_RELEASE, json!({})).await?;
        }
    }
    Ok(EDITS)
}

async fn call(tools: &dyn Provider, name: &str, arguments: Value) -> Result<String, Failure> {
    let results = tools.execute_tool_calls(vec![ToolCall::new("1", name, arguments)]).await;
    match results.into_iter().next() {
        Some(result) if !result.is_error => Ok(result.content),
        Some(result) => Err(format!("{name}: {}", result.content).into()),
        None => Err(format!("{name}: no answer").into()),
    }
}

/// Files in memory, on which others get their turn between any two calls.
fn in_process(files: &[PathBuf]) -> Toolkit {
    let texts = files.iter().map(|file| (file.display().to_string(), HEADING.to_owned()));
    let disk = Arc::new(Mutex::new(texts.collect::<BTreeMap<String, String>>()));
    let reading = Arc::clone(&disk);
    let text = |arguments: &serde_json::Map<String, Value>, name: &str| {
        arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let read = Tool::new(READ, move |arguments, _| {
        let (disk, path) = (Arc::clone(&reading), text(&arguments, "path"));
        async move {
            let found = disk.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
            yield_now().await;
            found.map_or_else(|| ToolOutput::failure("no such file"), ToolOutput::from)
        }
    });
    let write = Tool::new(WRITE, move |arguments, _| {
        let (path, content) = (text(&arguments, "path"), text(&arguments, "content"));
        let disk = Arc::clone(&disk);
        async move {
            yield_now().await;
            disk.lock().unwrap_or_else(PoisonError::into_inner).insert(path, content);
            "written"
        }
    });
    Toolkit::new().tool(read).tool(write)
}

/// A directory of this run's own; it goes with it.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Result<Self, Failure> {
        let parent = std::env::temp_dir().canonicalize()?;
        let directory = Self(parent.join(format!("mcp-leases-sixteen-{}", std::process::id())));
        std::fs::create_dir(&directory.0)?;
        Ok(directory)
    }

    /// The files, each with its heading.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let path =
            |number: usize| -> PathBuf { Path::new(&self.0).join(format!("notes-{number}.md")) };
        let files: Vec<PathBuf> = (0..FILES).map(path).collect();
        for file in &files {
            std::fs::write(file, HEADING)?;
        }
        Ok(files)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed stays, in a place for what is temporary.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const AGENTS: usize = 16;

const FILES: usize = 4;

/// How many edits each agent makes.
const EDITS: usize = 10;

const HEADING: &str = "# Notes\n";

const READ: &str = "read_text_file";

const WRITE: &str = "write_file";
