//! What the program is told.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: live [--data FILE] [--peers FOLDER] [NAME...]

  --data FILE     what to expect of each peer (live/peers.json)
  --peers FOLDER  where the peers are installed (target/live)
  NAME            a peer, or a check of the list `custom`; all of them if none is named";

#[derive(Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) data: PathBuf,
    pub(crate) peers: PathBuf,
    pub(crate) names: Vec<String>,
}

impl Arguments {
    /// Reads arguments, without the program's name; nothing where help is asked for.
    pub(crate) fn read(args: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut arguments =
            Self { data: "live/peers.json".into(), peers: "target/live".into(), names: Vec::new() };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match &*arg {
                "--help" | "-h" => return Ok(None),
                "--data" => arguments.data = value()?.into(),
                "--peers" => arguments.peers = value()?.into(),
                option if option.starts_with('-') => {
                    return Err(format!("there is no option {option}"));
                }
                _ => arguments.names.push(arg),
            }
        }
        Ok(Some(arguments))
    }
}
