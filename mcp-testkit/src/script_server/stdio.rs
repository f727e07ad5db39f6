//! A case played over stdin and stdout.

use std::io::{self, BufRead, BufReader, Write};

use serde_json::Value;

use crate::script_server::case::Case;
use crate::script_server::{filled, play_common, unknown};

/// Plays `case` until stdin closes.
pub(super) fn serve(case: &Case) -> io::Result<()> {
    let mut player = Player { case, out: Some(take_stdout()?) };
    player.play("start", &Value::Null)?;
    for line in BufReader::new(io::stdin()).split(b'\n') {
        let Ok(line) = line else { break };
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        case.arrived(&String::from_utf8_lossy(&line), &message);
        player.play(message["method"].as_str().unwrap_or_default(), &message)?;
    }
    player.play("eof", &Value::Null)
}

struct Player<'a> {
    case: &'a Case,
    /// Where answers go, until the script closes it.
    out: Option<Box<dyn Write>>,
}

impl Player<'_> {
    fn play(&mut self, key: &str, message: &Value) -> io::Result<()> {
        let Some(actions) = self.case.actions(key) else { return self.put_default(message) };
        for action in &actions {
            self.act(action, message)?;
        }
        Ok(())
    }

    fn act(&mut self, action: &Value, message: &Value) -> io::Result<()> {
        let id = message.get("id").unwrap_or(&Value::Null);
        let text = |name: &str| action[name].as_str().map(|text| self.case.expand(text, id));
        if play_common(action) {
            Ok(())
        } else if let Some(line) = text("line") {
            self.put(&(line + "\n"))
        } else if let Some(raw) = text("raw") {
            self.put(&raw)
        } else if let Some(bytes) = text("bytes") {
            bytes.as_bytes().iter().try_for_each(|byte| self.put_bytes(&[*byte]))
        } else if let Some(text) = filled(&action["fill"], id) {
            self.put(&text)
        } else if action["default"] == true {
            self.put_default(message)
        } else if action["close_stdout"] == true {
            self.out = None;
            Ok(())
        } else if action["join_parent"] == true {
            join_parent()
        } else {
            Err(unknown(action))
        }
    }

    fn put_default(&mut self, message: &Value) -> io::Result<()> {
        match self.case.default_answer(message) {
            Some(answer) => self.put(&(answer + "\n")),
            None => Ok(()),
        }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.put_bytes(text.as_bytes())
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            // Nobody reads any more: a server that is not told otherwise ends quietly.
            std::process::exit(0);
        }
        Ok(())
    }
}

/// Takes stdout away from the process, so that dropping what this returns closes it.
#[cfg(unix)]
fn take_stdout() -> io::Result<Box<dyn Write>> {
    use std::fs::{File, OpenOptions};
    use std::os::fd::AsFd;

    let ours = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
    Ok(Box::new(File::from(ours)))
}

#[cfg(not(unix))]
fn take_stdout() -> io::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout()))
}

/// Moves to the process group of the parent, where nobody looks for it.
#[cfg(unix)]
fn join_parent() -> io::Result<()> {
    use rustix::process::{getpgid, getppid, setpgid};

    setpgid(None, Some(getpgid(getppid())?))?;
    Ok(())
}

#[cfg(not(unix))]
fn join_parent() -> io::Result<()> {
    Ok(())
}
