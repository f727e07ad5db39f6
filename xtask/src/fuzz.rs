//! `cargo xtask fuzz SECONDS`: each fuzz target, that long.

use std::path::PathBuf;

use crate::outcome::{Error, Outcome};
use crate::tool;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let seconds = seconds(args)?;
    let targets = targets(&tool::entries(&tool::root().join("fuzz/src/bin"))?);
    if targets.is_empty() {
        return Err(Error::Failed("there are no targets under fuzz/src/bin".to_owned()));
    }
    for target in targets {
        // A target is an ordinary program on stable Rust: it makes its own inputs until time is up.
        tool::run(&mut tool::cargo(&format!(
            "run --release --locked --manifest-path fuzz/Cargo.toml --bin {target} -- {seconds}"
        )))?;
    }
    Ok(Outcome::Done)
}

fn seconds(args: &[&str]) -> Result<u32, Error> {
    let [text] = args else {
        return Err(Error::Usage("fuzz takes a number of seconds".to_owned()));
    };
    text.parse()
        .ok()
        .filter(|seconds| *seconds > 0)
        .ok_or_else(|| Error::Usage(format!("{text:?} is no number of seconds")))
}

/// The programs among the entries of a `bin` folder: files, and folders with a `main.rs`.
fn targets(entries: &[PathBuf]) -> Vec<String> {
    let is_target = |path: &&PathBuf| path.extension().is_none_or(|it| it == "rs");
    let stem = |path: &PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    entries.iter().filter(is_target).filter_map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_file_or_a_folder() {
        let entries = ["bin/inbound.rs", "bin/notes.md", "bin/sse"].map(PathBuf::from);
        assert_eq!(targets(&entries), ["inbound", "sse"]);
    }

    #[test]
    fn seconds_are_a_positive_number() {
        assert_eq!(seconds(&["10"]), Ok(10));
        for wrong in [&[][..], &["0"], &["-1"], &["1.5"], &["1", "2"]] {
            assert!(matches!(seconds(wrong), Err(Error::Usage(_))), "{wrong:?}");
        }
    }
}
