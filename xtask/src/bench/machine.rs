//! Where the numbers come from.

use std::fs;

use crate::tool;

/// The machine, the compiler, and the versions that were measured: two lines of Markdown.
pub(crate) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown CPU", |(_, model)| model);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    let rustc = tool::version("rustc").unwrap_or_default();
    let lock = tool::read_file(&tool::root().join("bench/Cargo.lock")).unwrap_or_default();
    let versions: Vec<String> = PACKAGES
        .iter()
        .filter_map(|name| Some(format!("{name} {}", locked(&lock, name)?)))
        .collect();
    format!(
        "Machine: {cpus} × {model}, Linux {}, load {load} at the end; {rustc}.\nVersions: {}.\n",
        kernel.trim(),
        versions.join(", ")
    )
}

/// The version of a package in a lock file.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

const PACKAGES: [&str; 9] = [
    "rmcp",
    "tower-mcp",
    "tokio",
    "hyper",
    "serde_json",
    "sseer",
    "sse-stream",
    "sse-codec",
    "eventsource-stream",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"rmcp\"\nversion = \"3.11.0\"\n\n[[package]]\n";
        assert_eq!(locked(lock, "rmcp"), Some("3.11.0"));
        assert_eq!(locked(lock, "tower"), None);
    }
}
