//! Where things are: what the placeholders of the data stand for.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::arguments::Arguments;

#[derive(Clone, Debug)]
pub(crate) struct Places {
    node: Option<String>,
    /// Where the peers are installed.
    peers: PathBuf,
    /// The folder of the data.
    live: PathBuf,
}

impl Places {
    pub(crate) fn find(arguments: &Arguments) -> Result<Self, String> {
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let folder = arguments.data.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(Self {
            node: find_program("node"),
            peers: absolute(&arguments.peers)?,
            live: absolute(folder.unwrap_or_else(|| Path::new(".")))?,
        })
    }

    pub(crate) fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    /// The folder of the servers on Node.
    pub(crate) fn node_peers(&self) -> PathBuf {
        self.peers.join("node")
    }

    /// Where the servers in Rust are built.
    fn rust(&self) -> PathBuf {
        self.peers.join("rust").join("debug")
    }

    /// The Python environments that are installed.
    pub(crate) fn environments(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.peers.join("python")).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> =
            names.filter(|it| self.environment(it).join(SCRIPTS).is_dir()).collect();
        names.sort();
        names
    }

    pub(crate) fn environment(&self, name: &str) -> PathBuf {
        self.peers.join("python").join(name)
    }

    pub(crate) fn python(&self, environment: &str) -> PathBuf {
        let python = if cfg!(windows) { "python.exe" } else { "python" };
        self.environment(environment).join(SCRIPTS).join(python)
    }

    /// Fills in every placeholder of every string.
    pub(crate) fn fill_in(&self, value: &Value, tmp: &Path, port: u16) -> Value {
        let fill_in = |value| self.fill_in(value, tmp, port);
        match value {
            Value::String(text) => {
                self.fill_in_text(text, tmp).replace("{port}", &port.to_string()).into()
            }
            Value::Array(entries) => entries.iter().map(fill_in).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), fill_in(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn fill_in_text(&self, text: &str, tmp: &Path) -> String {
        let mut text = text
            .replace("{node}", self.node.as_deref().unwrap_or("node"))
            .replace("{peers}", &self.node_peers().to_string_lossy())
            .replace("{rust}", &self.rust().to_string_lossy())
            .replace("{live}", &self.live.to_string_lossy())
            .replace("{tmp}", &tmp.to_string_lossy());
        for name in environments_in(&text) {
            let scripts = self.environment(&name).join(SCRIPTS);
            text = text
                .replace(&format!("{{python:{name}}}"), &self.python(&name).to_string_lossy())
                .replace(&format!("{{scripts:{name}}}"), &scripts.to_string_lossy());
        }
        text
    }

    /// What a peer needs and is not installed.
    pub(crate) fn missing(&self, peer: &Value) -> Option<String> {
        let text = peer.to_string();
        if text.contains("{node}") || text.contains("{peers}") {
            if self.node.is_none() {
                return Some("there is no node".to_owned());
            }
            if !self.node_peers().is_dir() {
                return Some(format!("{} is not there", self.node_peers().display()));
            }
        }
        if text.contains("{rust}") && !self.rust().is_dir() {
            return Some(format!("{} is not there", self.rust().display()));
        }
        let mut folders = environments_in(&text).into_iter().map(|name| self.environment(&name));
        let missing = folders.find(|folder| !folder.is_dir())?;
        Some(format!("{} is not there", missing.display()))
    }
}

/// The Python environments that a text names.
fn environments_in(text: &str) -> Vec<String> {
    let after = ["{python:", "{scripts:"].into_iter().flat_map(|start| text.split(start).skip(1));
    after.filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect()
}

/// The file that would be run as `name`.
fn find_program(name: &str) -> Option<String> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    let found = env::split_paths(&path).map(|folder| folder.join(&file)).find(|it| it.is_file())?;
    Some(found.to_string_lossy().into_owned())
}

const SCRIPTS: &str = if cfg!(windows) { "Scripts" } else { "bin" };
