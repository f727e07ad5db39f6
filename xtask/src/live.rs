//! `cargo xtask live [NAME...]`: the client against servers that were not written here.
//!
//! Installs them from the lock files under `live/` into `target/live`, then hands over to the program
//! that talks to them.

use std::path::{Path, PathBuf};

use crate::outcome::{self, Error, Outcome};
use crate::tool;
use crate::workspace::Workspace;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    if let Some(option) = args.iter().find(|arg| arg.starts_with('-')) {
        return Err(Error::Usage(format!("live takes names of servers, not {option:?}")));
    }
    let from = tool::root().join("live");
    let peers = Workspace::load("")?.target.join("live");
    let missing: Vec<String> = [install_node(&from, &peers)?, install_python(&from, &peers)?]
        .into_iter()
        .flatten()
        .collect();
    let outcome = outcome::without(&missing, outcome::every_check_must_run())?;
    if missing.len() < 2 {
        let mut program =
            tool::cargo("run --locked --package mcp-testkit --example live -- --peers");
        tool::run(program.arg(&peers).args(args))?;
    }
    Ok(outcome)
}

/// Installs what `live/node` locks, and lays our own small servers beside it, where Node looks for
/// packages.  Returns what is missing.
fn install_node(from: &Path, peers: &Path) -> Result<Option<String>, String> {
    let (from, to) = (from.join("node"), peers.join("node"));
    let (Some(node), Some(npm)) = (tool::version("node"), tool::version("npm")) else {
        tool::remove_folder(&to)?;
        return Ok(Some("servers on Node: node and npm are not installed".to_owned()));
    };
    println!("node {node}, npm {npm}");
    let stamp = stamp(&node, &tool::read_file(&from.join("package-lock.json"))?);
    let installed = is_stamped(&to, &stamp);
    if !installed {
        tool::remove_folder(&to)?;
    }
    tool::copy_folder(&from, &to, "node_modules")?;
    if !installed {
        let mut npm = tool::program("npm");
        tool::run(npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(&to))?;
        tool::write_file(&to.join(STAMP), &stamp)?;
    }
    println!("{}: {}", to.display(), if installed { "as locked" } else { "installed" });
    Ok(None)
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
        let stamp = stamp(&python, &text);
        let installed = is_stamped(&environment, &stamp);
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
            tool::write_file(&environment.join(STAMP), &stamp)?;
        }
        println!(
            "{}: {}",
            environment.display(),
            if installed { "as locked" } else { "installed" }
        );
    }
    Ok(None)
}

/// What an installation was made from: the tool's version, and the whole lock.
fn stamp(tool: &str, lock: &str) -> String {
    format!("{tool}\n{lock}")
}

fn is_stamped(folder: &Path, stamp: &str) -> bool {
    std::fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == stamp)
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

/// Where an installation keeps its stamp.
const STAMP: &str = ".installed-from";

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
    fn another_tool_or_another_lock_is_another_installation() {
        let installed = stamp("v20.1.0", "{}");
        assert_eq!(installed, stamp("v20.1.0", "{}"));
        assert_ne!(installed, stamp("v22.1.0", "{}"));
        assert_ne!(installed, stamp("v20.1.0", "{ }"));
    }

    #[test]
    fn a_lock_is_a_text_file() {
        let entries = ["python/server.py", "python/v1.txt", "python/v2.txt"].map(PathBuf::from);
        assert_eq!(locks(entries.to_vec()), ["python/v1.txt", "python/v2.txt"].map(PathBuf::from));
    }
}
