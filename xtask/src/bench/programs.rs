//! Building and running what lies under `bench/`.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::options::{Mode, Options};
use super::plan::{self, Client, Transport, Work};
use super::sample::Sample;
use crate::tool;
use crate::workspace::Workspace;

/// The programs, built.
pub(crate) struct Programs {
    folder: PathBuf,
    pin: Option<usize>,
}

impl Programs {
    pub(crate) fn build(options: &Options) -> Result<Self, String> {
        let target = target()?;
        let (profile, folder) = match options.mode {
            Mode::Test => ("", "debug"),
            Mode::Full | Mode::Quick => ("--release", "release"),
        };
        // One by one: together, each would get the features that the others ask for.
        for package in PACKAGES.iter().filter(|_| !options.no_build) {
            let args = format!("build --locked --quiet {profile} --package {package}");
            tool::run(cargo(&args).arg("--target-dir").arg(&target))?;
        }
        Ok(Self { folder: target.join(folder), pin: options.pin })
    }

    /// What `client` makes of `work`.
    pub(crate) fn client(
        &self,
        work: &Work,
        client: Client,
        pass: usize,
        options: &Options,
    ) -> Result<Sample, String> {
        let spec = if options.mode == Mode::Test { work.small } else { work.spec };
        let (seconds, repeats) = options.effort();
        let suffix = if work.is_counted { "-counted" } else { "" };
        let mut command = self.program(&format!("{}{suffix}", client.program));
        command.args(["--work", spec, "--seconds", seconds, "--repeats", repeats]);
        self.finish(&mut command, work.transport, work.is_legacy);
        if let Some(variable) = client.variable {
            command.env(variable, "1");
        }
        let lines = run(&mut command)?;
        let line = lines.first().ok_or_else(|| format!("{}: no result", client.name))?;
        let sample = Sample::new(&work.name, client.name, pass, line);
        progress(&sample);
        Ok(sample)
    }

    /// What our client makes of work that stands in no table: its numbers.
    pub(crate) fn ours(
        &self,
        spec: &str,
        transport: Transport,
        options: &Options,
    ) -> Result<Value, String> {
        let (seconds, repeats) = options.effort();
        let mut command = self.program("bench-ours");
        command.args(["--work", spec, "--seconds", seconds, "--repeats", repeats]);
        self.finish(&mut command, transport, false);
        Ok(run(&mut command)?.into_iter().next().unwrap_or_default())
    }

    fn finish(&self, command: &mut Command, transport: Transport, is_legacy: bool) {
        command.arg("--server").arg(self.folder.join("echo-server"));
        match transport {
            Transport::Stdio => (),
            Transport::Http => drop(command.arg("--http")),
            Transport::Events => drop(command.args(["--http", "--sse"])),
        }
        if is_legacy {
            command.arg("--legacy");
        }
        if let Some(cpu) = self.pin {
            command.args(["--pin", &cpu.to_string()]);
        }
    }

    pub(crate) fn sse(&self, pass: usize, options: &Options) -> Result<Vec<Sample>, String> {
        let (mib, seconds, repeats) = match options.mode {
            Mode::Full => ("64", "2", "3"),
            Mode::Quick => ("11", "1", "1"),
            Mode::Test => ("1", "1", "1"),
        };
        let mut command = self.program("bench-sse");
        command.args(["--mib", mib, "--seconds", seconds, "--repeats", repeats]);
        let lines = run(&mut command)?;
        let sample = |line: &Value| {
            let (events, piece) = (text(line, "events"), line["piece"].as_u64().unwrap_or(0));
            let work = format!("{}, {events}, in pieces of {piece} B", plan::SSE);
            let sample = Sample::new(&work, text(line, "parser"), pass, line);
            progress(&sample);
            sample
        };
        Ok(lines.iter().map(sample).collect())
    }

    pub(crate) fn layers(&self, pass: usize, options: &Options) -> Result<Vec<Sample>, String> {
        let calls = match options.mode {
            Mode::Full => "20000",
            Mode::Quick => "2000",
            Mode::Test => "2",
        };
        let mut lines = run(self.program("bench-layers").args(["--calls", calls]))?;
        // It fails where a listing that did not change costs more than pointers.
        lines.extend(run(&mut self.program("bench-layers-counted"))?);
        let sample = |line: &Value| {
            let work = format!("{}, {}", plan::LAYERS, text(line, "work"));
            let sample = Sample::new(&work, plan::OURS, pass, line);
            progress(&sample);
            sample
        };
        Ok(lines.iter().map(sample).collect())
    }

    /// The points of a curve that the program `name` draws by itself.
    pub(crate) fn curve(
        &self,
        name: &str,
        args: &[&str],
        options: &Options,
    ) -> Result<Vec<Value>, String> {
        let effort: &[&str] = match (name, options.mode) {
            ("bench-layers", Mode::Full) => &["--calls", "20000"],
            ("bench-layers", Mode::Quick) => &["--calls", "2000"],
            ("bench-layers", Mode::Test) => &["--calls", "2"],
            (_, Mode::Full) => &["--mib", "100"],
            (_, Mode::Quick) => &["--mib", "100", "--repeats", "1"],
            (_, Mode::Test) => &["--mib", "1", "--repeats", "1"],
        };
        run(self.program(name).args(args).args(effort))
    }

    fn program(&self, name: &str) -> Command {
        tool::program(self.folder.join(name))
    }
}

/// Runs the checks that every crate under `bench/` has to pass.
pub(crate) fn check() -> Result<(), String> {
    let target = target()?;
    let locked = |args: &str| {
        let mut cargo = cargo(args);
        cargo.arg("--locked").arg("--target-dir").arg(&target);
        cargo
    };
    tool::run(locked("clippy --quiet --all-targets").args(["--", "-D", "warnings"]))?;
    tool::run(&mut locked("test --quiet --package harness"))
}

/// Where they are built: one folder for all of it.
fn target() -> Result<PathBuf, String> {
    Ok(Workspace::load()?.target.join("bench"))
}

/// A cargo for the workspace under `bench/`.
pub(crate) fn cargo(args: &str) -> Command {
    let mut cargo = tool::cargo(args);
    cargo.arg("--manifest-path").arg(tool::root().join("bench/Cargo.toml"));
    cargo
}

/// Runs `command`, and reads a JSON value from each line that it prints.
fn run(command: &mut Command) -> Result<Vec<Value>, String> {
    let lines = tool::read(command)?;
    let read = |line| serde_json::from_str(line).map_err(|error| format!("{line:?}: {error}"));
    lines.lines().map(read).collect()
}

fn text<'a>(line: &'a Value, member: &str) -> &'a str {
    line[member].as_str().unwrap_or_default()
}

fn progress(sample: &Sample) {
    let numbers: Vec<String> = ["us", "calls_per_s", "cpu_us", "kib", "mb_per_s", "allocations"]
        .into_iter()
        .filter_map(|metric| Some(format!("{metric} {:.2}", sample.numbers.get(metric)?)))
        .collect();
    eprintln!("{} {:<46} {:<18} {}", sample.pass, sample.work, sample.who, numbers.join("  "));
}

const PACKAGES: [&str; 7] = [
    "echo-server",
    "bench-ours",
    "bench-rmcp",
    "bench-tower",
    "bench-floors",
    "bench-sse",
    "bench-layers",
];
