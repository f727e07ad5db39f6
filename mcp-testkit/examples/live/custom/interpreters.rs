//! Compiled modules load under the interpreter that installed them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tokio::task::spawn_blocking;

use crate::checks::Checks;
use crate::places::Places;
use crate::report::Report;

pub(crate) async fn judge(report: &mut Report, oddities: &BTreeSet<u32>, places: &Places) {
    let environments = places.environments();
    if environments.is_empty() || places.node().is_none() || !places.node_peers().is_dir() {
        let why = "it needs the installations of both Node and Python";
        report.skipped = Some(why.to_owned());
        return;
    }
    let node = places.clone();
    run(report, "node", oddities, move || check_node(&node)).await;
    for name in environments {
        let (places, title) = (places.clone(), format!("python of {name}"));
        run(report, &title, oddities, move || check_python(&places, &name)).await;
    }
}

async fn run(
    report: &mut Report,
    title: &str,
    oddities: &BTreeSet<u32>,
    check: impl FnOnce() -> Checks + Send + 'static,
) {
    match spawn_blocking(check).await {
        Ok(checks) => report.judge(title, oddities, checks),
        Err(error) => report.fail(title, "no panic", &error.to_string()),
    }
}

fn check_node(places: &Places) -> Checks {
    let mut checks = Checks::default();
    let node = Path::new(places.node().unwrap_or("node"));
    checks.equal("version", &output(node, &["--version"]), &stamp(&places.node_peers()));
    checks
}

fn check_python(places: &Places, environment: &str) -> Checks {
    let mut checks = Checks::default();
    let python = places.python(environment);
    let installed = stamp(&places.environment(environment));
    checks.equal("version", &output(&python, &["--version"]), &installed);
    let import =
        "import pydantic_core._pydantic_core as it; print(it.__file__.split('/')[-1][:14])";
    let loaded = output(&python, &["-c", import]);
    checks.equal("the compiled module", &loaded, &Ok("_pydantic_core".to_owned()));
    checks
}

/// What `cargo xtask live` wrote first into its stamp: the version of the installing tool.
fn stamp(installation: &Path) -> Result<String, String> {
    let path = installation.join(".installed-from");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn output(program: &Path, args: &[&str]) -> Result<String, String> {
    let failed = |why: String| format!("{} {}: {why}", program.display(), args.join(" "));
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
