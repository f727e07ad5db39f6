//! `cargo xtask live [NAME...]`: the client against servers that were not written here.
//!
//! Installs or builds them from the lock files under `live/` into `target/live`, then hands over to
//! the program that talks to them.

use std::path::{Path, PathBuf};

use crate::outcome::{self, Error, Outcome};
use crate::workspace::Workspace;
use crate::{npm, tool};

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    if let Some(option) = args.iter().find(|arg| arg.starts_with('-')) {
        return Err(Error::Usage(format!("live takes names of servers, not {option:?}")));
    }
    let from = tool::root().join("live");
    let peers = Workspace::load()?.target.join("live");
    let missing: Vec<String> = [
        npm::install(&from.join("node"), &peers.join("node"), "servers on Node")?,
        install_python(&from, &peers)?,
    ]
    .into_iter()
    .flatten()
    .collect();
    build_rust(&from.join("rust"), &peers.join("rust"))?;
    let outcome = outcome::without(&missing, outcome::every_check_must_run())?;
    let mut program = tool::cargo("run --locked --package mcp-testkit --example live -- --peers");
    tool::run(program.arg(&peers).args(args))?;
    Ok(outcome)
}

/// Builds the server of `live/rust`, which is no part of this workspace.
fn build_rust(from: &Path, to: &Path) -> Result<(), String> {
    let mut cargo = tool::cargo("build --locked");
    cargo.arg("--manifest-path").arg(from.join("Cargo.toml")).arg("--target-dir").arg(to);
    tool::run(&mut cargo)
}

/// Installs what each `live/python/NAME.txt` locks into a virtual environment NAME.  Returns what is
/// missing.
fn install_python(from: &Path, peers: &Path) -> Result<Option<String>, String> {
    let (from, to) = (from.join("python"), peers.join("python"));
    let Some(python) = tool::version("python3") else {
        tool::remove_folder(&to)?;
        return Ok(Some("servers on Python: python3 is not installed".to_owned()));
    };
    println!("{python}");
    tool::copy_folder(&from, &to, "__pycache__")?;
    for lock in locks(tool::entries(&from)?) {
        let environment = to.join(lock.file_stem().unwrap_or_default());
        let text = tool::read_file(&lock)?;
        if let Some(line) = loose(&text) {
            return Err(format!("{}: {line:?} names no exact version", lock.display()));
        }
        let stamp = tool::stamp(&python, &text);
        let installed = tool::is_stamped(&environment, &stamp);
        if !installed {
            tool::remove_folder(&environment)?;
            tool::run(tool::program("python3").args(["-m", "venv"]).arg(&environment))?;
            let mut pip = tool::program(environment.join(PYTHON));
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
                "--no-deps",
                "--only-binary=:all:",
            ]);
            tool::run(pip.arg("--requirement").arg(&lock))?;
            tool::put_stamp(&environment, &stamp)?;
        }
        println!(
            "{}: {}",
            environment.display(),
            if installed { "as locked" } else { "installed" }
        );
    }
    Ok(None)
}

fn locks(mut entries: Vec<PathBuf>) -> Vec<PathBuf> {
    entries.retain(|path| path.extension().is_some_and(|it| it == "txt"));
    entries
}

/// The first requirement that several versions would satisfy.
fn loose(requirements: &str) -> Option<&str> {
    requirements.lines().map(str::trim).find(|line| {
        let aside = line.is_empty() || line.starts_with('#') || line.starts_with("--");
        !aside && !line.contains("==")
    })
}

/// A virtual environment's interpreter.
const PYTHON: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_names_one_version() {
        let cases: &[(&str, Option<&str>)] = &[
            ("# words\n\nmcp==2.3.0\nanyio==4.9.0 \\\n    --hash=sha256:00\n", None),
            ("mcp==2.3.0\nanyio>=4\n", Some("anyio>=4")),
            ("mcp", Some("mcp")),
        ];
        for (text, expected) in cases {
            assert_eq!(loose(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_lock_is_a_text_file() {
        let entries = ["python/server.py", "python/v1.txt", "python/v2.txt"].map(PathBuf::from);
        assert_eq!(locks(entries.to_vec()), ["python/v1.txt", "python/v2.txt"].map(PathBuf::from));
    }
}
