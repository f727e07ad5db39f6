//! Packages from npm, as a lock file names them.

use std::path::Path;

use crate::tool;

/// Installs what `from/package-lock.json` locks into `to`, with whatever else is in `from`; once
/// for each state of the lock.  Returns what is missing, for `what`.
pub(crate) fn install(from: &Path, to: &Path, what: &str) -> Result<Option<String>, String> {
    let (Some(node), Some(npm)) = (tool::version("node"), tool::version("npm")) else {
        tool::remove_folder(to)?;
        return Ok(Some(format!("{what}: node and npm are not installed")));
    };
    println!("node {node}, npm {npm}");
    let stamp = tool::stamp(&node, &tool::read_file(&from.join("package-lock.json"))?);
    let installed = tool::is_stamped(to, &stamp);
    if !installed {
        tool::remove_folder(to)?;
    }
    tool::copy_folder(from, to, "node_modules")?;
    if !installed {
        let mut npm = tool::program("npm");
        // A script of a package could fetch what no lock names.
        tool::run(npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(to))?;
        tool::put_stamp(to, &stamp)?;
    }
    println!("{}: {}", to.display(), if installed { "as locked" } else { "installed" });
    Ok(None)
}
