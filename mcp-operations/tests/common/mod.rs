//! What the tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses its part, and fails by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_operations::{
    DispatchedLine, Journal, JournalError, Line, Moment, Operation, OperationId, Operations,
    Outcome, Proposal, Record, SettledLine, Sleep, State, Timer, TokioTimer,
};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

/// The moment `milliseconds` after the beginning.
pub(crate) fn at(milliseconds: u64) -> Moment {
    Moment::new(Duration::from_millis(milliseconds))
}

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    ToolCall::new(id, tool, arguments)
}

pub(crate) fn proposal() -> Proposal {
    Proposal::of(&call("call_1", "fs_write", r#"{"path":"a"}"#))
}

pub(crate) fn operation() -> Operation {
    Operation::new(proposal(), at(0))
}

/// A clock that stands still until a test moves it, on a wall of its own.
#[derive(Clone, Default)]
pub(crate) struct Still(Arc<Mutex<Moment>>);

impl Still {
    pub(crate) fn set(&self, moment: Moment) {
        *self.0.lock().unwrap() = moment;
    }
}

impl Timer for Still {
    fn now(&self) -> Moment {
        *self.0.lock().unwrap()
    }

    fn sleep_until(&self, _moment: Moment) -> Sleep {
        Box::pin(std::future::pending())
    }

    fn wall(&self, moment: Moment) -> Option<SystemTime> {
        Some(UNIX_EPOCH + moment.elapsed())
    }
}

/// A journal in memory, which fails when a test says so.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<LinesState>);

#[derive(Default)]
struct LinesState {
    lines: Mutex<Vec<Line>>,
    /// Which appends fail, counted from 0.
    failing: Mutex<Vec<usize>>,
    panics: Mutex<bool>,
    appends: AtomicUsize,
}

impl Lines {
    pub(crate) fn failing(appends: impl IntoIterator<Item = usize>) -> Self {
        let this = Self::default();
        *this.0.failing.lock().unwrap() = appends.into_iter().collect();
        this
    }

    pub(crate) fn panicking() -> Self {
        let this = Self::default();
        *this.0.panics.lock().unwrap() = true;
        this
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        self.0.lines.lock().unwrap().clone()
    }

    /// The lines in short: `dispatched fs_write`, `settled completed`, `late completed`.
    pub(crate) fn short(&self) -> Vec<String> {
        let text = |it: Value| it.as_str().unwrap_or_default().to_owned();
        let outcome = |it| text(serde_json::to_value(it).unwrap());
        let lines = self.lines();
        let short = lines.iter().map(|line| match line {
            Line::Dispatched(line) => format!("dispatched {}", line.tool),
            Line::Settled(line) => {
                let reason = line.reason.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
                format!("settled {}{reason}", outcome(line.outcome))
            }
            Line::Late(line) => format!("late {}", outcome(line.answer.outcome)),
            other => format!("{other:?}"),
        });
        short.collect()
    }
}

impl Journal for Lines {
    fn append(&self, line: &Line) -> Result<(), JournalError> {
        assert!(!*self.0.panics.lock().unwrap(), "the journal is on fire");
        let number = self.0.appends.fetch_add(1, Ordering::Relaxed);
        if self.0.failing.lock().unwrap().contains(&number) {
            return Err(JournalError::Other("no space left on device".into()));
        }
        self.0.lines.lock().unwrap().push(line.clone());
        Ok(())
    }

    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError> {
        let mut pending: Vec<DispatchedLine> = Vec::new();
        for line in self.lines() {
            match line {
                Line::Dispatched(line) => pending.push(line),
                line => pending.retain(|it: &DispatchedLine| it.op != *line.op()),
            }
        }
        Ok(pending)
    }
}

/// A new folder, removed with the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let name = format!("mcp-operations-{}", OperationId::random());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn layer(provider: &Scripted, journal: &Lines) -> Operations<Scripted> {
    Operations::new(provider.clone(), TokioTimer::new()).with_journal(journal.clone())
}

pub(crate) fn records(layer: &Operations<impl Provider>) -> Vec<Record> {
    layer.operations().iter().map(|it| it.record(layer.timer())).collect()
}

pub(crate) fn states(layer: &Operations<impl Provider>) -> Vec<(State, Option<String>)> {
    let states = records(layer).into_iter();
    states.map(|it| (it.state, it.reason.map(|it| it.to_string()))).collect()
}

pub(crate) fn because(state: State, reason: &str) -> (State, Option<String>) {
    (state, Some(reason.to_owned()))
}

pub(crate) fn batch(tools: &[&str]) -> Vec<ToolCall> {
    let numbered = tools.iter().enumerate();
    numbered.map(|(number, tool)| call(&(number + 1).to_string(), tool, "{}")).collect()
}

pub(crate) fn dispatched(op: &str) -> Line {
    let operation = Operation::new(proposal().with_id(op), at(0));
    let mut line = DispatchedLine::new(&operation, &Still::default());
    line.op = op.into();
    Line::Dispatched(line)
}

pub(crate) fn settled(op: &str, outcome: Outcome) -> Line {
    Line::Settled(SettledLine::new(op.into(), outcome.into()))
}

pub(crate) fn late(op: &str) -> Line {
    let json = json!({"type": "late", "op": op, "outcome": "completed", "result_digest": "d"});
    serde_json::from_value(json).unwrap()
}

pub(crate) fn ops(pending: &[DispatchedLine]) -> Vec<&str> {
    pending.iter().map(|line| line.op.as_str()).collect()
}

pub(crate) fn times(tool: &str, times: usize) -> Vec<ToolCall> {
    (0..times).map(|it| call(&it.to_string(), tool, "{}")).collect()
}

/// The lines of a file, each a JSON value.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
