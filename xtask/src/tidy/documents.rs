//! What stands beside the code: READMEs, licences, the changelog, the map.

use std::collections::BTreeSet;

use crate::architecture::{self, NO_CLOCK, Runtime};
use crate::changelog;
use crate::tidy::Files;
use crate::workspace::{Member, Workspace};

/// What every crate's README answers, in this order.
const HEADINGS: &[&str] =
    &["## Example", "## What it does", "## What it leaves alone", "## Where it goes"];

/// What a stranger types, as the root README says it.
const FIRST_COMMANDS: &[&str] = &["cargo run --example toolloop", "cargo xtask ci"];

const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

/// What a crate's folder has to say for itself.
pub(crate) fn of_crate(member: &Member, files: &Files) -> Vec<String> {
    let name = &member.name;
    let mut violations = Vec::new();
    let lib = format!("{name}/src/lib.rs");
    if member.published || files.has(&lib) {
        violations.extend(readme(member, files.text(&format!("{name}/README.md"))));
    }
    if files.has(&lib) && !files.text(&lib).starts_with("#![doc = include_str!(\"../README.md\")]")
    {
        violations.push(format!("{lib}: open with #![doc = include_str!(\"../README.md\")]"));
    }
    if architecture::of(name).is_some_and(|listed| listed.runtime == Runtime::Never)
        && files.text(&format!("{name}/clippy.toml"))
            != format!("{}{NO_CLOCK}", files.text("clippy.toml"))
    {
        violations.push(format!(
            "{name}/clippy.toml: write the root's clippy.toml, then NO_CLOCK of xtask/src/architecture.rs"
        ));
    }
    if member.published {
        violations.extend(publishing(member, files));
    }
    violations
}

/// What the documents of the whole family have to name.
pub(crate) fn of_family(workspace: &Workspace, files: &Files) -> Vec<String> {
    let mut violations = Vec::new();
    for document in ["README.md", "ARCHITECTURE.md"] {
        for member in workspace.members.iter().filter(|it| !names(files.text(document), &it.name)) {
            violations.push(format!("{document}: name the crate {}", member.name));
        }
    }
    for command in FIRST_COMMANDS.iter().filter(|it| !files.text("README.md").contains(**it)) {
        violations.push(format!("README.md: show the command `{command}`"));
    }
    let rows: String =
        files.text("ARCHITECTURE.md").lines().filter(|line| line.starts_with('|')).collect();
    let others: BTreeSet<&str> = workspace
        .published()
        .flat_map(|member| member.others().map(|used| used.name.as_str()))
        .collect();
    for other in others.iter().filter(|other| !rows.contains(&format!("`{other}`"))) {
        violations.push(format!("ARCHITECTURE.md: give `{other}` a row in the dependency table"));
    }
    violations
}

fn readme(member: &Member, text: &str) -> Vec<String> {
    let name = &member.name;
    let mut violations = Vec::new();
    let Some(body) = text.strip_prefix(&format!("# {name}\n")) else {
        return vec![format!("{name}/README.md: open with the heading `# {name}`")];
    };
    let first = body.trim_start().split("\n\n").next().unwrap_or_default();
    if member.description.is_empty() || !plain(first).starts_with(&plain(&member.description)) {
        violations.push(format!(
            "{name}/README.md: begin with the description in its Cargo.toml: {:?}",
            member.description
        ));
    }
    let found: Vec<&str> = text.lines().filter(|line| HEADINGS.contains(line)).collect();
    if found != HEADINGS {
        let wanted = HEADINGS.join(", ");
        violations.push(format!("{name}/README.md: have the headings {wanted}, in this order"));
    }
    violations
}

/// What a crate needs to be released alone.
fn publishing(member: &Member, files: &Files) -> Vec<String> {
    let Member { name, version, .. } = member;
    let mut violations = Vec::new();
    for licence in LICENCES {
        let own = files.text(&format!("{name}/{licence}"));
        if own.is_empty() || own != files.text(licence) {
            violations.push(format!("{name}/{licence}: link it to ../{licence}"));
        }
    }
    let manifest = files.text(&format!("{name}/Cargo.toml"));
    if !manifest.lines().any(|line| line == format!("version = \"{version}\"")) {
        violations.push(format!("{name}/Cargo.toml: give it a version of its own"));
    }
    if changelog::entry(files.text("CHANGELOG.md"), name, version).is_none_or(str::is_empty) {
        violations
            .push(format!("CHANGELOG.md: say under `## {name} {version}` what a user notices"));
    }
    violations
}

/// Text without line ends, code marks and double spaces.
fn plain(text: &str) -> String {
    text.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `text` holds `name` as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let part = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::workspace;

    const README: &str = "# mcp-sse\n\nWhat `mcp-sse`\nis, in more words.\n\n## Example\n\n## What it does\n\n\
                          ## What it leaves alone\n\n## Where it goes\n";

    /// A tidy tree, with one file put in place of its own.
    fn check(path: &str, text: &str) -> Vec<String> {
        let workspace =
            workspace(&[("mcp-sse", &[("memchr", "normal", "^2"), ("proptest", "dev", "^1")])]);
        let clippy = format!("root = true\n{NO_CLOCK}");
        let mut tree = vec![
            ("mcp-sse/README.md", README),
            ("mcp-sse/Cargo.toml", "[package]\nname = \"mcp-sse\"\nversion = \"0.1.0\"\n"),
            ("mcp-sse/src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n"),
            ("mcp-sse/LICENSE-APACHE", "Apache"),
            ("mcp-sse/LICENSE-MIT", "MIT"),
            ("mcp-sse/clippy.toml", &clippy),
            ("LICENSE-APACHE", "Apache"),
            ("LICENSE-MIT", "MIT"),
            ("clippy.toml", "root = true\n"),
            ("README.md", "`cargo run --example toolloop`, `cargo xtask ci`, [mcp-sse](mcp-sse)"),
            ("ARCHITECTURE.md", "mcp-sse\n\n| `memchr` | finds line ends |\n"),
            ("CHANGELOG.md", "## mcp-sse 0.1.0\n\n- First.\n"),
        ];
        tree.retain(|(known, _)| *known != path);
        tree.push((path, text));
        let files: Files = tree.into_iter().collect();
        let mut violations = of_crate(&workspace.members[0], &files);
        violations.extend(of_family(&workspace, &files));
        violations
    }

    #[test]
    fn a_tidy_crate_has_no_violations() {
        assert_eq!(check("other", ""), [""; 0]);
    }

    #[test]
    fn each_broken_document_is_told() {
        let other_order = README.replace("does", "x").replace("leaves alone", "does");
        let cases: &[(&str, &str, &[&str])] = &[
            ("mcp-sse/README.md", "", &["open with the heading `# mcp-sse`"]),
            (
                "mcp-sse/README.md",
                "# mcp-sse\n\nWords.",
                &["begin with the description", "headings"],
            ),
            ("mcp-sse/README.md", &other_order, &["have the headings ## Example"]),
            ("mcp-sse/src/lib.rs", "//! Words.", &["mcp-sse/src/lib.rs: open with #![doc"]),
            ("mcp-sse/clippy.toml", NO_CLOCK, &["mcp-sse/clippy.toml: write the root's"]),
            ("clippy.toml", "root = 2\n", &["mcp-sse/clippy.toml: write the root's"]),
            ("mcp-sse/LICENSE-MIT", "", &["LICENSE-MIT: link it"]),
            ("mcp-sse/Cargo.toml", "version.workspace = true", &["a version of its own"]),
            ("CHANGELOG.md", "## mcp-sse 0.1.0\n", &["under `## mcp-sse 0.1.0`"]),
            ("CHANGELOG.md", "## mcp-sse 0.0.9\n\n- Old.", &["under `## mcp-sse 0.1.0`"]),
            ("README.md", "mcp-sse2, `cargo xtask ci`", &["name the crate mcp-sse", "toolloop"]),
            ("ARCHITECTURE.md", "mcp-sse uses `memchr`", &["give `memchr` a row"]),
        ];
        for (path, text, expected) in cases {
            let violations = check(path, text);
            assert_eq!(violations.len(), expected.len(), "{path}: {violations:#?}");
            for (violation, part) in violations.iter().zip(*expected) {
                assert!(violation.contains(part), "{part} is not in {violation}");
            }
        }
    }
}
