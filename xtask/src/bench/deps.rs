//! What it costs to build the smallest client over stdio.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::json;

use super::options::{Mode, Options};
use super::plan::{DEPS, OURS};
use super::programs::cargo;
use super::sample::Sample;
use crate::tool;
use crate::workspace::Workspace;

pub(crate) fn measure(options: &Options) -> Result<Vec<Sample>, String> {
    let folder = Workspace::load()?.target.join("bench-clean");
    let mut samples = Vec::new();
    let passes = if options.mode == Mode::Test { 1 } else { options.passes };
    for pass in 0..passes {
        for (who, package) in [(OURS, "deps-ours"), ("rmcp", "deps-rmcp")] {
            let mut numbers = json!({ "crates": crates(package)? });
            // In a test it is enough that it can be counted; the build takes a minute.
            if options.mode != Mode::Test {
                tool::remove_folder(&folder)?;
                let started = Instant::now();
                let args = format!("build --locked --quiet --release --package {package}");
                tool::run(cargo(&args).arg("--target-dir").arg(&folder))?;
                numbers["seconds"] = started.elapsed().as_secs_f64().into();
                tool::remove_folder(&folder)?;
            }
            samples.push(Sample::new(DEPS, who, pass, &numbers));
        }
    }
    Ok(samples)
}

/// The crates that the package links, without itself.
fn crates(package: &str) -> Result<usize, String> {
    let args = format!("tree --locked --edges normal --prefix none --package {package}");
    Ok(distinct(&tool::read(&mut cargo(&args))?))
}

fn distinct(tree: &str) -> usize {
    let name =
        |line: &str| Some(line.trim_end_matches(" (*)").to_owned()).filter(|it| !it.is_empty());
    tree.lines().skip(1).filter_map(name).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once() {
        let tree = "deps v0.0.0 (/x)\nserde v1.0.0\nitoa v1.0.0\nserde v1.0.0 (*)\n\n";
        assert_eq!(distinct(tree), 2);
    }
}
