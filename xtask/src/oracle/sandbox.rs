//! Where scripts run and can do no harm.
//!
//! `PATH` holds stubs only, and where the system lets us the folders of the real programs hold the
//! same stubs.  The run has a user of its own who may write in one folder, processes of its own,
//! and no network.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::stub;

/// A folder with stubs, and a way to enter it.
#[derive(Debug)]
pub(crate) struct Sandbox {
    root: PathBuf,
    enter: &'static Enter,
    user: u32,
}

/// A way to be alone.
#[derive(Debug)]
struct Enter {
    what: &'static str,
    needs_root: bool,
    /// What makes the processes, folders and network our own, if anything does.
    unshare: &'static [&'static str],
    /// What gives up rights; `USER` stands for the number of a user.
    setpriv: &'static [&'static str],
}

/// The best comes first.
const ENTER: &[Enter] = &[
    Enter {
        what: "another user, and programs, processes and network of its own",
        needs_root: true,
        unshare: &["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--ipc"],
        setpriv: &["--reuid=USER", "--regid=USER", "--clear-groups", "--no-new-privs"],
    },
    Enter {
        what: "programs, processes and network of its own",
        needs_root: false,
        unshare: &[
            "--user",
            "--map-root-user",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "--net",
            "--ipc",
        ],
        setpriv: &["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"],
    },
    Enter {
        what: "another user: the system lets us do no more",
        needs_root: true,
        unshare: &[],
        setpriv: &["--reuid=USER", "--regid=USER", "--clear-groups", "--no-new-privs"],
    },
];

/// Puts the stubs in place of the real programs, and nothing in place of what this machine has login
/// shells do; limits memory in KiB, file sizes in blocks, and processes; and stays as a first
/// process that collects the dead.
const START: &str = "root=$1; folders=$2; shift 2
for folder in $folders; do $root/real/mount --bind $root/stubs $folder || exit 125; done
if [ \"$folders\" ]; then
for file in /etc/profile /etc/bash.bashrc; do
if [ -f $file ]; then $root/real/mount --bind $root/nothing/file $file || exit 125; fi; done
if [ -d /etc/profile.d ]; then $root/real/mount --bind $root/nothing /etc/profile.d || exit 125; fi
fi
ulimit -v 1000000; ulimit -f 128; ulimit -p 256; ulimit -c 0
\"$@\"; exit $?";

/// Where shells look for programs when nobody says where.
const FOLDERS: &[&str] =
    &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// What is needed to enter, besides the wrappers.
const TOOLS: &[(&str, &str)] = &[("mount", "/bin/mount"), ("setpriv", "/usr/bin/setpriv")];

/// What is missing on this machine.
pub(crate) fn missing() -> Vec<String> {
    let programs = ["/bin/bash", "/bin/dash", "/usr/bin/setpriv", "/bin/mount"];
    let gone = programs.iter().filter(|path| !Path::new(path).exists());
    gone.map(|path| format!("the oracle needs {path}, and there is none")).collect()
}

impl Sandbox {
    /// A new one: `number` tells those of one run apart.
    pub(crate) fn new(number: usize) -> Result<Self, String> {
        let id = std::process::id() as usize;
        let root = std::env::temp_dir().join(format!("mcp-oracle-{id}-{number}"));
        let _ = fs::remove_dir_all(&root);
        let is_root = fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0);
        let user = u32::try_from(61_000 + (id * 8 + number) % 4_000).unwrap_or(65_534);
        let furnished = furnish(&root, is_root.then_some(user));
        let mut ways = ENTER.iter().filter(|it| it.needs_root == is_root);
        let enter = match furnished {
            Ok(()) => ways.find(|enter| works(enter, &root, user)).ok_or_else(|| NO_WAY.to_owned()),
            Err(error) => Err(format!("{}: {error}", root.display())),
        };
        match enter {
            Ok(enter) => Ok(Self { root, enter, user }),
            Err(why) => {
                let _ = fs::remove_dir_all(&root);
                Err(why)
            }
        }
    }

    pub(crate) fn describe(&self) -> String {
        let wrappers: Vec<&str> = stub::installed().map(|(name, _)| name).collect();
        format!("{}; with {}", self.enter.what, wrappers.join(" "))
    }

    pub(crate) fn folder(&self) -> String {
        self.root.display().to_string()
    }

    /// This program once more, inside, with these arguments.
    pub(crate) fn enter(&self, args: &[String]) -> Command {
        let mut command = enter(self.enter, &self.root, self.user);
        command.arg(self.root.join(ORACLE)).args(args);
        command.env("ORACLE_PRIVATE", if self.enter.unshare.is_empty() { "" } else { "1" });
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What is left behind lies in the folder for such things.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn furnish(root: &Path, user: Option<u32>) -> std::io::Result<()> {
    fs::create_dir_all(root)?;
    open(root)?;
    let own = root.join(ORACLE);
    fs::copy(std::env::current_exe()?, &own)?;
    open(&own)?;
    let (stubs, real, work) = (root.join(stub::FOLDER), root.join(stub::REAL), root.join(WORK));
    for folder in [&stubs, &real, &work] {
        fs::create_dir(folder)?;
        open(folder)?;
    }
    for name in STUBS.iter().copied().chain([stub::HANDLER]) {
        fs::hard_link(&own, stubs.join(name))?;
    }
    fs::write(stubs.join(stub::ROOT), root.display().to_string())?;
    for (name, path) in stub::installed() {
        fs::hard_link(&own, stubs.join(name))?;
        fs::copy(path, real.join(name))?;
    }
    for (name, path) in TOOLS.iter().filter(|(name, _)| !real.join(name).exists()) {
        fs::copy(path, real.join(name))?;
    }
    let nothing = root.join("nothing");
    fs::create_dir(&nothing)?;
    open(&nothing)?;
    fs::write(nothing.join("file"), "")?;
    fs::write(root.join(stub::LOG), "")?;
    if user.is_some() {
        for name in [stub::LOG, WORK] {
            chown(root.join(name), user, user)?;
        }
    }
    Ok(())
}

fn works(way: &Enter, root: &Path, user: u32) -> bool {
    let mut command = enter(way, root, user);
    command.arg(root.join(stub::REAL).join("dash")).args(["-c", ":"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The beginning of a command line that goes on with what is to run inside.
fn enter(way: &Enter, root: &Path, user: u32) -> Command {
    let real = root.join(stub::REAL);
    let mut command = Command::new(if way.unshare.is_empty() { "env" } else { "unshare" });
    let mut folders: Vec<PathBuf> =
        FOLDERS.iter().filter_map(|it| fs::canonicalize(it).ok()).collect();
    folders.sort();
    folders.dedup();
    if way.unshare.is_empty() {
        folders.clear();
    }
    let folders: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
    command.args(way.unshare).arg(real.join("dash")).args(["-c", START, "start"]);
    command.arg(root).arg(folders.join(" ")).arg(real.join("setpriv"));
    command.args(way.setpriv.iter().map(|word| word.replace("USER", &user.to_string())));
    command.current_dir(root);
    command
}

/// Sets a mode whatever the mask of this process is.
fn open(path: &Path) -> std::io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

const NO_WAY: &str = "scripts may run only as another user or in namespaces of their own, and \
                      neither works here: run the oracle as root, or allow user namespaces";

/// The file of this program, in a sandbox.
const ORACLE: &str = "oracle";
/// The folder that scripts may write in, in a sandbox.
pub(crate) const WORK: &str = "work";

/// Programs that only say that they ran.  Some have names that are grammar to one of the shells.
pub(crate) const STUBS: &[&str] = &[
    "!",
    "((",
    "+",
    "-c",
    "-f",
    "1",
    "12",
    "2",
    "5",
    "=",
    "A",
    "A+=1",
    "E",
    "L",
    "N",
    "[[",
    "]]",
    "a",
    "a=b",
    "a[1]=2",
    "b",
    "cat",
    "coproc",
    "cp",
    "curl",
    "diff",
    "do",
    "done",
    "esac",
    "f",
    "fi",
    "function",
    "gen",
    "git",
    "git)",
    "grep",
    "in",
    "ls",
    "make",
    "mv",
    "node",
    "python3",
    "rm",
    "select",
    "tee",
    "then",
    "touch",
    "wc",
    "x",
    "{",
    "{fd}",
    "{git,rm}",
    "}",
    "~",
    "*",
    "$git",
    "$x",
    "source",
    "let",
    "declare",
    "typeset",
    "builtin",
    "shopt",
    "mapfile",
    "enable",
    "x+=1",
    "function f",
    "é",
    "git\r",
    "rm\r",
    "touch\r",
    "ls\r",
];
