//! How many bytes a second parsers of server-sent events read.
//!
//! `bench-sse [--mib N] [--seconds S] [--repeats N]` prints a line of JSON for each stream, size of
//! its pieces and parser.  `--curve` measures ours alone, over growing events.  A parser that takes
//! longer than the seconds is stopped, and counted for what it was given until then.

mod parsers;
mod streams;

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::parsers::{PARSERS, Parse};
use crate::streams::{Load, Pieces, loads, single};

struct Options {
    mib: usize,
    time: Duration,
    repeats: usize,
    is_curve: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-sse: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options =
        Options { mib: 100, time: Duration::from_secs(2), repeats: 3, is_curve: false };
    let mut args = std::env::args().skip(1);
    while let Some(option) = args.next() {
        let mut number = || {
            let number = args.next().and_then(|text| text.parse::<u32>().ok());
            number.ok_or_else(|| format!("{option} needs a number"))
        };
        match option.as_str() {
            "--mib" => options.mib = number()? as usize,
            "--seconds" => options.time = Duration::from_secs(number()?.into()),
            "--repeats" => options.repeats = number()? as usize,
            "--curve" => options.is_curve = true,
            _ => return Err(format!("there is no option {option}")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    if options.is_curve {
        for power in 6..=26 {
            let size = 1 << power;
            if size > options.mib << 20 {
                break;
            }
            let load = single(size, (options.mib << 20).max(2 * size));
            let rate = rate(PARSERS[0], &load, 16 << 10, options)?;
            println!("{}", json!({ "n": size, "ns_per_byte": 1000.0 / rate }));
        }
        return Ok(());
    }
    for load in loads(options.mib << 20) {
        for size in [1400, 16 << 10, 256 << 10] {
            for parser in PARSERS {
                let rate = rate(parser, &load, size, options)?;
                let line = json!({
                    "parser": parser.0, "events": load.name, "piece": size, "mb_per_s": rate,
                });
                println!("{line}");
            }
        }
    }
    Ok(())
}

/// Megabytes a second: the best of the repetitions, for a parser waits for nobody.
fn rate(
    (name, parse): (&str, Parse),
    load: &Load,
    size: usize,
    options: &Options,
) -> Result<f64, String> {
    let mut best = 0.0;
    for _ in 0..options.repeats.max(1) {
        let given = Rc::new(Cell::new(0));
        let start = Instant::now();
        let found = parse(Pieces {
            rest: load.bytes.clone(),
            size,
            deadline: start + options.time,
            given: Rc::clone(&given),
        });
        let seconds = start.elapsed().as_secs_f64();
        let found = found.map_err(|error| format!("{name}, {}: {error}", load.name))?;
        if given.get() == load.bytes.len() && found != load.expected {
            return Err(format!("{name}, {}: {found:?}, not {:?}", load.name, load.expected));
        }
        best = f64::max(best, given.get() as f64 / seconds / 1e6);
    }
    Ok(best)
}
