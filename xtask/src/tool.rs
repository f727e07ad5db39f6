//! Running other programs, and moving files about.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the workspace, wherever the command was called from.
pub(crate) fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map(Path::to_path_buf).unwrap_or(own)
}

/// A program that will run in the workspace's folder.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs us, with `args` cut at spaces.
pub(crate) fn cargo(args: &str) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args.split_whitespace());
    command
}

/// Runs `command` with its output shown.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    eprintln!("   {}", line(command));
    let status = command.status().map_err(|error| format!("{}: {error}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", line(command))) }
}

/// Runs `command` and returns what it wrote to its standard output.
pub(crate) fn read(command: &mut Command) -> Result<String, String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", line(command)))?;
    if !output.status.success() {
        return Err(format!("`{}` ended with {}", line(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", line(command)))
}

/// The version that an installed tool reports, or none if it cannot be started.
pub(crate) fn version(tool: &str) -> Option<String> {
    let output = program(tool).arg("--version").output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

pub(crate) fn read_file(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes `text`, with the folders above it.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn create_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Removes a folder, if it is there, with all that is in it.
pub(crate) fn remove_folder(path: &Path) -> Result<(), String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The entries of a folder, sorted.  A folder that is not there has none.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Copies a folder with what is under it, except for folders named `but`.
pub(crate) fn copy_folder(from: &Path, to: &Path, but: &str) -> Result<(), String> {
    create_folder(to)?;
    for path in entries(from)? {
        let Some(name) = path.file_name().filter(|name| *name != but) else { continue };
        if path.is_dir() {
            copy_folder(&path, &to.join(name), but)?;
        } else {
            fs::copy(&path, to.join(name))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// The line a person would type for `command`.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}

/// What an installation was made from: the tool's version, and the whole lock.
pub(crate) fn stamp(tool: &str, lock: &str) -> String {
    format!("{tool}\n{lock}")
}

/// Whether `folder` holds an installation that was made from just this.
pub(crate) fn is_stamped(folder: &Path, stamp: &str) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == stamp)
}

/// Notes what the installation in `folder` was made from, once it is done.
pub(crate) fn put_stamp(folder: &Path, stamp: &str) -> Result<(), String> {
    write_file(&folder.join(STAMP), stamp)
}

/// Where an installation keeps its stamp.
const STAMP: &str = ".installed-from";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_is_named() {
        let error = run(cargo("no-such-command here").stderr(Stdio::null())).unwrap_err();
        assert!(error.starts_with("`cargo no-such-command here` ended with"), "{error}");
    }

    #[test]
    fn a_tool_that_is_not_installed_has_no_version() {
        assert_eq!(version("no-such-tool-anywhere"), None);
    }

    #[test]
    fn another_tool_or_another_lock_is_another_installation() {
        let installed = stamp("v20.1.0", "{}");
        assert_eq!(installed, stamp("v20.1.0", "{}"));
        assert_ne!(installed, stamp("v22.1.0", "{}"));
        assert_ne!(installed, stamp("v20.1.0", "{ }"));
    }
}
