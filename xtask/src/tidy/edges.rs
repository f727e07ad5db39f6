//! Who uses whom: the architecture against the graph.

use std::collections::BTreeSet;

use crate::architecture::{Crate, HTTP_STACK, RUNTIMES, Runtime, Uses};
use crate::workspace::{Kind, Workspace};

/// The table and the workspace name the same crates.
pub(crate) fn listed(workspace: &Workspace, table: &[Crate]) -> Vec<String> {
    let missing = workspace
        .members
        .iter()
        .filter(|member| table.iter().all(|listed| listed.name != member.name))
        .map(|member| {
            let name = &member.name;
            format!("xtask/src/architecture.rs: add a line for {name} to CRATES")
        });
    let gone =
        table.iter().filter(|listed| workspace.member(listed.name).is_none()).map(|listed| {
            format!("xtask/src/architecture.rs: {} is gone, take out its line", listed.name)
        });
    missing.chain(gone).collect()
}

/// A crate is built from what the table lets it use, of ours.
pub(crate) fn uses(workspace: &Workspace, table: &[Crate]) -> Vec<String> {
    let mut violations = Vec::new();
    for listed in table {
        let (Some(member), Uses::Only(allowed)) = (workspace.member(listed.name), listed.uses)
        else {
            continue;
        };
        for used in member.uses().filter(|used| !allowed.contains(&used.name.as_str())) {
            let of = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
            violations.push(format!(
                "{0}/Cargo.toml: {0} may not use {1}; of ours it may use {of}",
                member.name, used.name
            ));
        }
    }
    violations
}

/// What a crate's tests use, of ours, is named by its path alone: it can then be packed
/// when the other is not published, or not yet.
pub(crate) fn development(workspace: &Workspace) -> Vec<String> {
    let mut violations = Vec::new();
    for member in &workspace.members {
        let dev = member.dependencies.iter().filter(|used| used.ours && used.kind == Kind::Dev);
        for used in dev.filter(|used| used.requirement != "*") {
            violations.push(format!(
                "{}/Cargo.toml: write the development dependency as {1} = {{ path = \"../{1}\" }}, without a version",
                member.name, used.name
            ));
        }
    }
    violations
}

/// What `cargo tree` is asked about a crate, to judge its runtime: the crate alone, since one resolve of
/// the workspace also turns on what its neighbours ask for.
pub(crate) fn runtime_tree(listed: &Crate) -> Option<String> {
    let features = match listed.runtime {
        Runtime::Always => return None,
        Runtime::BehindAFeature => "",
        Runtime::Never => " --all-features",
    };
    Some(format!("{}{features}", tree(listed.name)))
}

/// What `cargo tree` is asked about a crate as it is built by default: see [`without_http`].
pub(crate) fn tree(name: &str) -> String {
    format!("tree --package {name} --edges normal --prefix none --locked")
}

/// No runtime is built for a crate that may have none.
///
/// `tree` is what `cargo tree --prefix none` prints of it: a package a line, its name first.
pub(crate) fn without_runtime(listed: &Crate, tree: &str) -> Vec<String> {
    let found = among(tree, RUNTIMES);
    if found.is_empty() {
        return Vec::new();
    }
    let (name, found) = (listed.name, found.join(", "));
    let when = match listed.runtime {
        Runtime::BehindAFeature => "when a feature asks for it",
        Runtime::Always | Runtime::Never => "never",
    };
    vec![format!("{name}/Cargo.toml: a runtime may be in its tree {when}, but it has {found}")]
}

/// Nothing that speaks HTTP is built for a crate on its own, unless a feature asks for it.
///
/// `tree` is what `cargo tree --prefix none` prints of that crate.
pub(crate) fn without_http(name: &str, tree: &str) -> Vec<String> {
    let found = among(tree, HTTP_STACK);
    if found.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{name}/Cargo.toml: a build without the feature `http` must have no HTTP in it, but it has {}",
        found.join(", ")
    )]
}

/// Which of `names` a tree has, each once.
fn among<'a>(tree: &'a str, names: &[&str]) -> Vec<&'a str> {
    let packages = tree.lines().filter_map(|line| line.split_whitespace().next());
    let found: BTreeSet<&str> = packages.filter(|it| names.contains(it)).collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::{Line, workspace};

    const TABLE: &[Crate] = &[
        Crate { name: "mcp-leaf", uses: Uses::Only(&[]), runtime: Runtime::Never },
        Crate {
            name: "mcp-layer",
            uses: Uses::Only(&["mcp-leaf"]),
            runtime: Runtime::BehindAFeature,
        },
        Crate { name: "mcp-testkit", uses: Uses::Anything, runtime: Runtime::Always },
    ];

    fn check(lines: &[Line<'_>]) -> Vec<String> {
        let workspace = workspace(lines);
        let mut violations = listed(&workspace, TABLE);
        violations.extend(uses(&workspace, TABLE));
        violations.extend(development(&workspace));
        violations
    }

    #[test]
    fn a_workspace_that_follows_the_table_has_no_violations() {
        let lines: &[Line<'_>] = &[
            (
                "mcp-leaf",
                &[("serde", "normal", "^1"), ("mcp-testkit", "dev", "*"), ("tokio", "dev", "^1")],
            ),
            ("mcp-layer", &[("mcp-leaf", "normal", "^0.1.0"), ("tokio", "normal", "^1")]),
            ("mcp-testkit", &[("mcp-layer", "normal", "^0.1.0"), ("tokio", "normal", "^1")]),
            ("serde", &[]),
            ("tokio", &[]),
        ];
        assert_eq!(check(lines), [""; 0]);
    }

    #[test]
    fn every_broken_rule_is_told() {
        let cases: &[(&[Line<'_>], &[&str])] = &[
            (
                &[("mcp-leaf", &[]), ("mcp-new", &[]), ("mcp-testkit", &[])],
                &["add a line for mcp-new to CRATES", "mcp-layer is gone"],
            ),
            (
                &[
                    ("mcp-leaf", &[("mcp-layer", "build", "^0.1.0")]),
                    ("mcp-layer", &[]),
                    ("mcp-testkit", &[]),
                ],
                &["mcp-leaf may not use mcp-layer; of ours it may use none"],
            ),
            (
                &[
                    ("mcp-leaf", &[("mcp-testkit", "dev", "^0.1.0")]),
                    ("mcp-layer", &[("mcp-testkit", "normal", "^0.1.0")]),
                    ("mcp-testkit", &[]),
                ],
                &[
                    "mcp-layer may not use mcp-testkit; of ours it may use mcp-leaf",
                    "as mcp-testkit = { path = \"../mcp-testkit\" }, without a version",
                ],
            ),
        ];
        for (lines, expected) in cases {
            let violations = check(lines);
            assert_eq!(violations.len(), expected.len(), "{violations:#?}");
            for (violation, part) in violations.iter().zip(*expected) {
                assert!(violation.contains(part), "{part} is not in {violation}");
            }
        }
    }

    #[test]
    fn a_runtime_is_told_where_none_may_be() {
        let [leaf, layer, testkit] = TABLE else { panic!("three crates") };
        let quiet = "mcp-leaf v0.1.0 (/x)\nserde v1.0.0\n";
        let loud = "mcp-leaf v0.1.0 (/x)\nhelper v1.0.0\nmio v1.0.0\nmio v1.0.0 (*)\n";
        assert_eq!(without_runtime(leaf, quiet), [""; 0]);
        assert_eq!(
            without_runtime(leaf, loud),
            ["mcp-leaf/Cargo.toml: a runtime may be in its tree never, but it has mio"]
        );
        assert_eq!(
            without_runtime(layer, loud),
            [
                "mcp-layer/Cargo.toml: a runtime may be in its tree when a feature asks for it, but it has mio"
            ]
        );
        let asked = |it| runtime_tree(it).map(|tree| tree.ends_with("--all-features"));
        assert_eq!([leaf, layer, testkit].map(asked), [Some(true), Some(false), None]);
    }

    #[test]
    fn a_build_without_the_feature_has_no_http() {
        let tree = "mcp-client v0.1.0 (/x)\ntokio v1.45.0\nhttparse v1.0.0\n";
        assert_eq!(without_http("mcp-client", tree), [""; 0]);
        let tree = "mcp-client v0.1.0 (/x)\nhyper v1.6.0\nhttp v1.3.0\nhyper v1.6.0 (*)\n";
        assert_eq!(
            without_http("mcp-client", tree),
            ["mcp-client/Cargo.toml: a build without the feature `http` must have no HTTP in it, \
              but it has http, hyper"]
        );
    }
}
