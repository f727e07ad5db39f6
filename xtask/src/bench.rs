//! `cargo xtask bench`: how fast the client and its layers are, beside their peers.
//!
//! Builds what lies under `bench/`, runs it, and prints ratios first.  Nothing here fails because
//! something was slow: it fails where something did not work.

mod curves;
mod deps;
mod docs;
mod machine;
mod options;
mod plan;
mod programs;
mod report;
mod sample;
mod svg;

use std::time::Instant;

use self::options::{Mode, Options};
use self::programs::Programs;
use self::sample::Sample;
use crate::outcome::{Error, Outcome};
use crate::tool;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let options = Options::parse(args)?;
    let programs = Programs::build(&options)?;
    let started = Instant::now();
    if options.curves {
        curves::run(&programs, &options)?;
    } else {
        let samples = measure(&programs, &options)?;
        let results = report::results(&samples);
        println!("\n{}", report::table(&results));
        if let Some(file) = &options.json {
            tool::write_file(file, &sample::to_json(&samples))?;
        }
        if options.write_docs {
            docs::write("results", &report::document(&samples, &results, &options))?;
        }
        if options.mode == Mode::Test {
            curves::run(&programs, &options)?;
        }
    }
    eprintln!("measured for {:.0} s", started.elapsed().as_secs_f64());
    Ok(Outcome::Done)
}

/// As a step of CI: that all of it is in order, and still works.  Whatever the time.
pub(crate) fn check() -> Result<Outcome, Error> {
    programs::check()?;
    run(&["--test"])
}

/// Every pass goes through all the work; within one piece of work the clients take turns.
fn measure(programs: &Programs, options: &Options) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    for pass in 0..options.passes {
        for work in plan::works().iter().filter(|work| options.wants(&work.name)) {
            for client in work.clients() {
                samples.push(programs.client(work, client, pass, options)?);
            }
        }
        if options.wants(plan::SSE) {
            samples.extend(programs.sse(pass, options)?);
        }
        if options.wants(plan::LAYERS) {
            samples.extend(programs.layers(pass, options)?);
        }
    }
    if options.wants(plan::DEPS) && options.mode != Mode::Quick {
        samples.extend(deps::measure(options)?);
    }
    if samples.is_empty() {
        return Err(Error::Usage(format!("nothing is called {:?}", options.filter)));
    }
    Ok(samples)
}
