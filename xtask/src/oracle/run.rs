//! A run: its parts, each in a sandbox of its own, and what they report.

use std::io::{self, BufRead, BufReader, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mcp_policy::commands::Decomposition;

use crate::generate::{self, Script};
use crate::judge::{self, Miss, Shell};
use crate::minimise::minimise;
use crate::random::Random;
use crate::room::{Observation, Room};
use crate::sandbox::{self, Sandbox};
use crate::tally::Tally;
use crate::{Arguments, Scripts};

/// Runs a part of a run, or starts them all and waits.
pub(crate) fn start(arguments: &Arguments) -> Result<(), String> {
    if let Some((part, of, folder)) = &arguments.part {
        let private = std::env::var("ORACLE_PRIVATE").is_ok_and(|it| it == "1");
        let room = Room::new(PathBuf::from(folder), private);
        let mut run = Run { room, tally: Tally::default() };
        return run.part(&arguments.scripts, *part, *of).map_err(|error| error.to_string());
    }
    let missing = sandbox::missing();
    if !missing.is_empty() {
        return unable(missing.join("; "));
    }
    let (parts, words, again) = match arguments.scripts {
        Scripts::Input => (1, "--scripts".to_owned(), String::new()),
        Scripts::Random { time, seed } => (
            thread::available_parallelism().map_or(1, usize::from).min(4),
            format!("{} --seed {seed}", time.as_secs()),
            format!("; repeat it with --seed {seed}"),
        ),
    };
    let sandboxes = match (0..parts).map(Sandbox::new).collect::<Result<Vec<_>, _>>() {
        Ok(sandboxes) => sandboxes,
        Err(why) => return unable(why),
    };
    for sandbox in sandboxes.iter().take(1) {
        eprintln!("   {words}, {parts} at a time; {}", sandbox.describe());
    }
    let mut children = Vec::new();
    for (part, sandbox) in sandboxes.iter().enumerate() {
        let words = format!("{words} --part {part} {parts}");
        let mut args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        args.push(sandbox.folder());
        let mut command = sandbox.enter(&args);
        // A part of a random run ends when this end of its input does, however that comes.
        let input = match arguments.scripts {
            Scripts::Input => Stdio::inherit(),
            Scripts::Random { .. } => Stdio::piped(),
        };
        command.stdin(input).stdout(Stdio::piped());
        children.push(command.spawn().map_err(|error| format!("the sandbox: {error}"))?);
    }
    let listeners: Vec<_> =
        children.into_iter().map(|child| thread::spawn(|| listen(child))).collect();
    let mut tally = Tally::default();
    for listener in listeners {
        tally.add(listener.join().map_err(|_| "a part of the run panicked")??);
    }
    eprintln!("   {}", tally.sum_up());
    match tally {
        Tally { misses: 1.., .. } => Err(format!("the shells did more than we read{again}")),
        Tally { programs: 0, .. } => {
            Err("scripts ran and started no program: is the sandbox sound?".to_owned())
        }
        _ => Ok(()),
    }
}

/// What follows when this machine cannot run the oracle: a loud line on a desk, a failure where
/// every check must run.
fn unable(why: String) -> Result<(), String> {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        return Err(why);
    }
    eprintln!("!! SKIPPED: {why}");
    Ok(())
}

/// Shows what a part prints, up to its tally.
fn listen(mut child: Child) -> Result<Tally, String> {
    let mut tally = None;
    for line in child
        .stdout
        .take()
        .into_iter()
        .flat_map(|it| BufReader::new(it).lines())
        .map_while(Result::ok)
    {
        match line.strip_prefix(TALLY) {
            Some(line) => tally = Some(Tally::parse(line)),
            None => println!("{line}"),
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    tally.ok_or_else(|| format!("a part of the run ended early, with {status}"))
}

/// How the line of a part begins that has its tally.
const TALLY: &str = "tally: ";
/// After so many misses of a part there is enough to do.
const MOST_MISSES: u64 = 10;
/// No script takes longer to read, even here, unless reading is not linear.
const SLOW: u128 = 1_000;

struct Run {
    room: Room,
    tally: Tally,
}

impl Run {
    fn part(&mut self, scripts: &Scripts, part: u64, of: u64) -> io::Result<()> {
        match *scripts {
            Scripts::Input => self.given()?,
            Scripts::Random { time, seed } => {
                thread::spawn(|| {
                    let _ = io::stdin().read_to_end(&mut Vec::new());
                    std::process::exit(1);
                });
                self.random(time, seed, (part, of))?;
            }
        }
        println!("{TALLY}{}", self.tally.clone().print());
        Ok(())
    }

    fn random(&mut self, time: Duration, seed: u64, (part, of): (u64, u64)) -> io::Result<()> {
        let start = Instant::now();
        let mut number = part;
        while start.elapsed() < time && self.tally.misses < MOST_MISSES {
            let script = generate::script(&mut Random::new(seed, number));
            for shell in Shell::ALL {
                self.check(shell, &script, || format!("seed {seed}, script {number}"))?;
            }
            number += of;
        }
        Ok(())
    }

    /// Each script as an argument of `-c` and as standard input.
    fn given(&mut self) -> io::Result<()> {
        for (number, line) in io::stdin().lines().enumerate() {
            let line = line?;
            let text: String = serde_json::from_str(&line)
                .map_err(|_| io::Error::other(format!("{line:?} is no JSON string")))?;
            if !generate::is_safe(&text) {
                return Err(io::Error::other(format!("{line} may do harm")));
            }
            for (shell, is_input) in
                Shell::ALL.into_iter().flat_map(|shell| [(shell, false), (shell, true)])
            {
                let script = Script { text: text.clone(), is_plain: false, is_input };
                self.check(shell, &script, || format!("line {}", number + 1))?;
            }
        }
        Ok(())
    }

    fn check(
        &mut self,
        shell: Shell,
        script: &Script,
        origin: impl FnOnce() -> String,
    ) -> io::Result<()> {
        let look = self.look(shell, script)?;
        if let Some(reading) = &look.reading {
            self.tally.read(reading);
        }
        if let Some(seen) = &look.seen {
            self.tally.runs += 1;
            self.tally.stopped += u64::from(seen.stopped);
            self.tally.programs += seen.ran.len() as u64;
            self.tally.files += seen.files.len() as u64;
        }
        let Some(miss) = look.misses.first() else { return Ok(()) };
        // Once is not enough: where processes are not our own, an earlier script may still write.
        if !self.look(shell, script)?.has(miss) {
            return Ok(());
        }
        self.tally.misses += 1;
        let small = self.smaller(shell, script, miss)?;
        let look = self.look(shell, &small)?;
        println!("{}", report(shell, &small, look, &origin()));
        Ok(())
    }

    /// The smallest script with a miss of this kind.
    fn smaller(&mut self, shell: Shell, script: &Script, miss: &Miss) -> io::Result<Script> {
        // A part of a script without choices may have some.
        if script.is_plain {
            return Ok(script.clone());
        }
        let text = minimise(&script.text, |text| {
            Ok::<_, io::Error>(
                generate::is_safe(text) && self.look(shell, &script.with(text))?.has(miss),
            )
        })?;
        Ok(script.with(&text))
    }

    /// Reads a script and, if its reading could be wrong, runs it.
    fn look(&mut self, shell: Shell, script: &Script) -> io::Result<Look> {
        let start = Instant::now();
        // A panic is a miss, and told as one.
        panic::set_hook(Box::new(|_| ()));
        let read = panic::catch_unwind(AssertUnwindSafe(|| judge::read(shell, script)));
        drop(panic::take_hook());
        let Ok(reading) = read else {
            return Ok(Look { misses: vec![Miss::Panic], ..Look::default() });
        };
        let time = start.elapsed().as_millis();
        let mut look = Look::default();
        if time > SLOW {
            look.misses.push(Miss::Slow(time));
        } else if self.room.takes(script) && (script.is_plain || !judge::is_open(&reading)) {
            let seen = self.room.run(shell, script)?;
            look.misses = if script.is_plain && !seen.stopped {
                judge::differences(&reading, &seen)
            } else {
                judge::misses(&reading, &seen)
            };
            look.seen = Some(seen);
        }
        look.reading = Some(reading);
        Ok(look)
    }
}

/// A script, read and perhaps run.
#[derive(Debug, Default)]
struct Look {
    /// None if reading it panicked.
    reading: Option<Decomposition>,
    /// None if its reading says that something is unknown.
    seen: Option<Observation>,
    misses: Vec<Miss>,
}

impl Look {
    fn has(&self, miss: &Miss) -> bool {
        self.misses.iter().any(|it| it.is_like(miss))
    }
}

/// A miss, for a person who mends it: the script is a row of a test table as it stands.
fn report(shell: Shell, script: &Script, look: Look, origin: &str) -> String {
    let shell = shell.name();
    let how = match script {
        Script { is_plain: true, .. } => ", plain",
        Script { is_input: true, .. } => ", from standard input",
        Script { .. } => "",
    };
    let mut lines = vec![format!("## {shell}{how}, {origin}")];
    lines.push(format!("(\"{shell}\", {:?}),", script.text));
    lines.extend(look.misses.iter().map(|miss| format!("* {miss}")));
    let seen = look.seen.unwrap_or_default();
    lines.extend(seen.ran.iter().map(|ran| format!("ran:  {:?} {:?}", ran.name, ran.args)));
    lines.extend(seen.files.iter().map(|path| format!("file: {path:?}")));
    let commands = look.reading.map(|it| it.commands).unwrap_or_default();
    lines.extend(commands.iter().map(|command| format!("read: {}", judge::show(command))));
    lines.join("\n")
}
