//! Where the programs of this crate are, for tests that start one.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of `fixture-server` or `script-server`, built first if need be.
///
/// For tests of any crate of the workspace: it is built where the test itself was.
///
/// # Errors
///
/// Fails where it cannot be built.
pub fn program(name: &str) -> io::Result<PathBuf> {
    if !PROGRAMS.contains(&name) {
        return Err(io::Error::other(format!("there is no program {name:?}")));
    }
    let test = std::env::current_exe()?;
    let profile = profile_folder(&test).ok_or_else(|| io::Error::other("not run by cargo"))?;
    let target = profile.parent().unwrap_or(profile);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--offline", "--bin", name, "--manifest-path"]);
    build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    build.arg("--target-dir").arg(target);
    if profile.ends_with("release") {
        build.arg("--release");
    }
    let status = build.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("building {name} failed: {status}")));
    }
    Ok(profile.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// `target/debug` of `target/debug/deps/test` and of `target/debug/examples/example`.
fn profile_folder(program: &Path) -> Option<&Path> {
    let folder = program.parent()?;
    let is_inner = folder.ends_with("deps") || folder.ends_with("examples");
    if is_inner { folder.parent() } else { Some(folder) }
}

const PROGRAMS: [&str; 2] = ["fixture-server", "script-server"];
