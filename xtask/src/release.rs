//! `cargo xtask release CRATE`: checks and packs one crate.  Publishing stays a person's step.

use crate::adopt;
use crate::outcome::{Error, Outcome};
use crate::tidy::{self, Files};
use crate::tool;
use crate::workspace::{Member, Workspace};

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let [name] = args else {
        return Err(Error::Usage("release takes one crate".to_owned()));
    };
    let workspace = Workspace::load()?;
    let member = workspace.published_member(name)?;
    let mut git = tool::program("git");
    let changes = tool::read(git.args(["status", "--porcelain"]))?;

    let mut obstacles = tidy::crate_violations(&workspace, &Files::load()?, name);
    obstacles.extend(versions(&workspace, member));
    obstacles.extend(unclean(&changes));
    if !obstacles.is_empty() {
        let obstacles = obstacles.join("\n  ");
        return Err(Error::Failed(format!("{name} is not ready:\n  {obstacles}")));
    }

    let doc = format!("doc --package {name} --all-features --no-deps --locked");
    tool::run(tool::cargo(&doc).env("RUSTDOCFLAGS", "-D warnings"))?;
    // Packs it with what it uses, and builds a program on the packages.
    adopt::run(args)?;
    println!("{}", farewell(member, &workspace.family(member)));
    Ok(Outcome::Done)
}

/// What it asks of ours is what is here: a release never stands on an older one by oversight.
fn versions(workspace: &Workspace, member: &Member) -> Vec<String> {
    let mut obstacles = Vec::new();
    for used in member.uses() {
        let here = workspace.member(&used.name).map_or("nowhere", |it| it.version.as_str());
        if used.requirement != format!("^{here}") {
            obstacles.push(format!(
                "Cargo.toml: {} asks for {} {}, and here it is {here}",
                member.name, used.name, used.requirement
            ));
        }
    }
    obstacles
}

/// What git sees as changed, when something is.
fn unclean(changes: &str) -> Option<String> {
    let files: Vec<&str> = changes.lines().filter_map(|line| line.get(3..)).collect();
    (!files.is_empty()).then(|| format!("commit or put away: {}", files.join(", ")))
}

/// What a person does next.
fn farewell(member: &Member, family: &[&Member]) -> String {
    let Member { name, version, .. } = member;
    let mut text = format!("{name} {version} is ready.  To publish it:\n");
    for used in family.iter().filter(|used| used.name != *name) {
        text.push_str(&format!(
            "  cargo publish -p {}   # first, unless {} is out already\n",
            used.name, used.version
        ));
    }
    text.push_str(&format!("  cargo publish -p {name}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::workspace;

    #[test]
    fn what_it_asks_of_ours_is_what_is_here() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("normal", "^0.1.0", None),
            ("dev", "*", None),
            ("normal", "^0.0.9", Some("asks for mcp-sse ^0.0.9, and here it is 0.1.0")),
            ("normal", "*", Some("asks for mcp-sse *")),
            ("build", "^0.2.0", Some("asks for mcp-sse ^0.2.0")),
        ];
        for (kind, requirement, expected) in cases {
            let workspace =
                workspace(&[("mcp-sse", &[]), ("mcp-wire", &[("mcp-sse", kind, requirement)])]);
            let found = versions(&workspace, workspace.member("mcp-wire").unwrap()).pop();
            match expected {
                Some(part) => {
                    assert!(found.as_deref().is_some_and(|it| it.contains(part)), "{found:?}");
                }
                None => assert_eq!(found, None),
            }
        }
    }

    #[test]
    fn a_changed_tree_is_not_released() {
        assert_eq!(unclean(""), None);
        let expected = Some("commit or put away: a.rs, b.md".to_owned());
        assert_eq!(unclean(" M a.rs\n?? b.md\n"), expected);
    }

    #[test]
    fn the_person_is_told_what_goes_first() {
        let workspace =
            workspace(&[("mcp-sse", &[]), ("mcp-wire", &[("mcp-sse", "normal", "^0.1.0")])]);
        let wire = workspace.member("mcp-wire").unwrap();
        assert_eq!(
            farewell(wire, &workspace.family(wire)),
            "mcp-wire 0.1.0 is ready.  To publish it:\n  \
             cargo publish -p mcp-sse   # first, unless 0.1.0 is out already\n  cargo publish -p mcp-wire"
        );
    }
}
