//! The child process, and everything it starts in turn.

use std::process;

use tokio::process::{Child, Command};

use crate::{Stdio, TransportError};

/// Starts the server in a process group of its own, all three streams piped.
pub(crate) fn spawn(settings: &Stdio) -> Result<Child, TransportError> {
    settings.check()?;
    let mut command = Command::new(&settings.program);
    command
        .args(&settings.args)
        .stdin(process::Stdio::piped())
        .stdout(process::Stdio::piped())
        .stderr(process::Stdio::piped())
        .kill_on_drop(true);
    if !settings.inherits_env {
        command.env_clear();
    }
    command.envs(settings.env.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = &settings.current_dir {
        command.current_dir(directory);
    }
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(|error| settings.failed(error.to_string()))
}

/// A process and all it started, killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Group {
    /// The id of the process that leads the group; nothing once the group is known to be gone.
    leader: Option<u32>,
}

impl Group {
    pub(crate) fn led_by(child: &Child) -> Self {
        Self { leader: child.id() }
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&self) {
        if let Some(leader) = self.leader {
            system::terminate(leader);
        }
    }

    /// Ends every process of the group, its leader among them.
    pub(crate) fn kill(&mut self) {
        if let Some(leader) = self.leader.take() {
            system::kill(leader);
        }
    }

    /// Ends what a leader that has exited left behind.
    ///
    /// On Unix the number of a group is not given to a new process while a member lives, and a
    /// new process would have to go round all numbers in the instant since the leader was waited
    /// for.  Elsewhere nothing ties the rest to a leader that is gone, and its number may be
    /// somebody else's: what it left behind is not found.
    pub(crate) fn kill_rest(&mut self) {
        if cfg!(unix) {
            self.kill();
        } else {
            self.leader = None;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
mod system {
    use rustix::process::{Pid, Signal, kill_process_group};

    pub(super) fn terminate(leader: u32) {
        send(leader, Signal::TERM);
    }

    pub(super) fn kill(leader: u32) {
        send(leader, Signal::KILL);
    }

    fn send(leader: u32, signal: Signal) {
        if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
            // A group that is gone already is what was wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Command, Stdio};

    /// There is no request to end that a console process would hear: see [`kill`].
    pub(super) fn terminate(leader: u32) {
        kill(leader);
    }

    /// `taskkill /T` ends a process and all of its descendants.
    pub(super) fn kill(leader: u32) {
        let killer = Command::new("taskkill")
            .args(["/T", "/F", "/PID", &leader.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // Without it `kill_on_drop` still ends the process itself.
        drop(killer);
    }
}
