//! One fuzz target, run until time is up.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::Random;
use crate::arguments::{Arguments, digits};
use crate::input;

/// How long one input may take before it counts as one that never ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Something that takes bytes from strangers, and what must be true of it for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// Inputs to start from.
    pub examples: &'static [&'static [u8]],
    /// What such inputs are made of.
    pub words: &'static [&'static [u8]],
    /// Panics if something is not as it must be.
    pub check: fn(&[u8]),
}

impl Target {
    /// Runs as the command line says, and prints how many inputs were tried.
    pub fn main(&self) -> ExitCode {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        match Arguments::parse(&arguments) {
            Some(Arguments::Input(input)) => self.run_one(&input),
            Some(Arguments::Run { time, seed }) => self.run(time, seed.unwrap_or_else(any_seed)),
            None => {
                eprintln!("usage: {} SECONDS [SEED] | --input HEX", self.name);
                ExitCode::from(2)
            }
        }
    }

    fn run_one(&self, input: &[u8]) -> ExitCode {
        (self.check)(input);
        println!("{}: 1 input", self.name);
        ExitCode::SUCCESS
    }

    fn run(&self, time: Duration, seed: u64) -> ExitCode {
        let start = Instant::now();
        let current = &Mutex::new((0, Vec::new()));
        let (done, is_done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || self.watch(seed, current, &is_done));
            let mut random = Random::new(seed);
            let mut tried: u64 = 0;
            while start.elapsed() < time {
                let input = input::make(&mut random, self.examples, self.words);
                tried += 1;
                *current.lock().unwrap_or_else(PoisonError::into_inner) = (tried, input.clone());
                if catch_unwind(AssertUnwindSafe(|| (self.check)(&input))).is_err() {
                    self.report(seed, &input, "panicked");
                    drop(done);
                    return ExitCode::FAILURE;
                }
            }
            println!("{}: {tried} inputs from seed {seed}", self.name);
            drop(done);
            ExitCode::SUCCESS
        })
    }

    /// Ends the program if one input stays the current one for too long.
    fn watch(&self, seed: u64, current: &Mutex<(u64, Vec<u8>)>, is_done: &Receiver<()>) {
        let mut seen = 0;
        while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let (tried, input) = &*current.lock().unwrap_or_else(PoisonError::into_inner);
            if *tried == seen {
                self.report(seed, input, "took too long");
                std::process::exit(1);
            }
            seen = *tried;
        }
    }

    fn report(&self, seed: u64, input: &[u8], what: &str) {
        eprintln!("{}: an input from seed {seed} {what}: {}", self.name, input.escape_ascii());
        eprintln!("{}: try it alone with --input {}", self.name, digits(input));
    }
}

fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs() ^ u64::from(now.subsec_nanos()).rotate_left(32)
}
