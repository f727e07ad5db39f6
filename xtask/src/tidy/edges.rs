//! Who uses whom: the architecture against the graph.

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

/// No runtime is reached from where the table says none, with every feature on.
///
/// One resolve of the workspace also turns on what any other member asks for, so a crate that has a
/// runtime behind a feature cannot be judged here: `adopt` does, on the crate alone.
pub(crate) fn runtimes(workspace: &Workspace, table: &[Crate]) -> Vec<String> {
    let mut violations = Vec::new();
    for listed in table.iter().filter(|listed| listed.runtime == Runtime::Never) {
        let member = workspace.member(listed.name);
        if let Some(way) = member.and_then(|it| workspace.graph.way(&it.id, RUNTIMES)) {
            violations.push(format!(
                "{}/Cargo.toml: no runtime may be in its tree, but it has {}",
                listed.name,
                way.join(" → ")
            ));
        }
    }
    violations
}

/// Nothing that speaks HTTP is built for a crate on its own, unless a feature asks for it.
///
/// `tree` is what `cargo tree --prefix none` prints of that crate: a package a line, its name first.
pub(crate) fn without_http(name: &str, tree: &str) -> Vec<String> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let mut found: Vec<&str> = names.filter(|it| HTTP_STACK.contains(it)).collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{name}/Cargo.toml: a build without the feature `http` must have no HTTP in it, but it has {}",
        found.join(", ")
    )]
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
        violations.extend(runtimes(&workspace, TABLE));
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
            (
                &[
                    ("mcp-leaf", &[("helper", "normal", "^1")]),
                    ("mcp-layer", &[("mio", "normal", "^1")]),
                    ("mcp-testkit", &[]),
                    ("helper", &[("mio", "normal", "^1")]),
                    ("mio", &[]),
                ],
                &["no runtime may be in its tree, but it has mcp-leaf → helper → mio"],
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
