//! `cargo xtask tidy`: the rules that no other tool knows.
//!
//! Every rule is a function from values to violations; all of them are told, not only the first.

mod behaviours;
mod documents;
mod edges;
mod files;
mod sources;

pub(crate) use self::files::Files;

use crate::architecture::CRATES;
use crate::outcome::{Error, Outcome};
use crate::tool;
use crate::workspace::Workspace;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    if !args.is_empty() {
        return Err(Error::Usage("tidy takes no arguments".to_owned()));
    }
    let violations = violations()?;
    if violations.is_empty() {
        return Ok(Outcome::Done);
    }
    Err(Error::Failed(format!("{} untidy\n  {}", violations.len(), violations.join("\n  "))))
}

/// What a crate's own folder breaks.
pub(crate) fn crate_violations(workspace: &Workspace, files: &Files, name: &str) -> Vec<String> {
    workspace.member(name).map(|member| documents::of_crate(member, files)).unwrap_or_default()
}

/// Every rule, against the workspace as it lies there.
fn violations() -> Result<Vec<String>, String> {
    let all = Workspace::load()?;
    let files = Files::load()?;
    let mut violations = edges::listed(&all, CRATES);
    violations.extend(edges::uses(&all, CRATES));
    violations.extend(edges::development(&all));
    let read = |tree: &str| tool::read(&mut tool::cargo(tree));
    for listed in CRATES.iter().filter(|listed| all.member(listed.name).is_some()) {
        if let Some(tree) = edges::runtime_tree(listed) {
            violations.extend(edges::without_runtime(listed, &read(&tree)?));
        }
    }
    for member in all.published() {
        let tree = read(&edges::tree(&member.name))?;
        violations.extend(edges::without_http(&member.name, &tree));
    }
    for member in &all.members {
        violations.extend(documents::of_crate(member, &files));
    }
    violations.extend(documents::of_family(&all, &files));
    violations.extend(sources::violations(&files));
    violations.extend(behaviours::violations(&files));
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let violations = violations().unwrap();
        assert!(violations.is_empty(), "\n  {}\n", violations.join("\n  "));
    }
}
