//! How cost grows.

use serde_json::Value;

use super::machine;
use super::options::{Mode, Options};
use super::plan::Transport;
use super::programs::Programs;
use super::{docs, report, svg};
use crate::outcome::Error;
use crate::tool;

/// One curve: what grows, what is paid for it, and who finds out.
struct Curve {
    /// Also the name of its plot.
    name: &'static str,
    title: &'static str,
    along: &'static str,
    cost: &'static str,
    source: Source,
    /// Why it is not straight, where it is not.
    remark: Option<&'static str>,
}

/// Where the points come from.
enum Source {
    /// Our client is given this work, with the number behind it.
    Client { work: &'static str, transport: Transport, numbers: &'static [u64], cost: Cost },
    /// A program that draws its own points.
    Program { name: &'static str, args: &'static [&'static str], cost: Cost },
}

/// The cost of a point, of its number and of what was measured.
type Cost = fn(f64, &Value) -> Option<f64>;

/// A point: how much there is, and what it costs.
pub(crate) type Point = (f64, f64);

fn curves() -> Vec<Curve> {
    vec![
        Curve {
            name: "tools",
            title: "Listing tools over stdio",
            along: "tools",
            cost: "µs for the listing",
            source: Source::Client {
                work: "list",
                transport: Transport::Stdio,
                numbers: &[10, 100, 1_000, 10_000, 100_000],
                cost: us,
            },
            remark: Some(CACHES_OF_TOOLS),
        },
        Curve {
            name: "tools-layers",
            title: "A changed listing through all layers",
            along: "tools",
            cost: "µs for the listing",
            source: Source::Program { name: "bench-layers", args: &["--curve", "tools"], cost: us },
            remark: Some(CACHES_OF_TOOLS),
        },
        Curve {
            name: "in-flight",
            title: "Concurrent calls over stdio",
            along: "calls at once",
            cost: "µs of CPU until all are answered",
            source: Source::Client {
                work: "echo",
                transport: Transport::Stdio,
                numbers: &[1, 4, 16, 64, 256, 1_024, 4_096],
                cost: all_at_once,
            },
            remark: Some(CACHES_OF_CALLS),
        },
        Curve {
            name: "in-flight-http",
            title: "Concurrent calls over HTTP",
            along: "calls at once",
            cost: "µs of CPU until all are answered",
            source: Source::Client {
                work: "echo",
                transport: Transport::Http,
                numbers: &[1, 4, 16, 64, 256, 1_024, 4_096],
                cost: all_at_once,
            },
            remark: Some(CACHES_OF_CALLS),
        },
        Curve {
            name: "rules",
            title: "A call through all layers, by rules",
            along: "rules of the policy",
            cost: "µs for a call",
            source: Source::Program { name: "bench-layers", args: &["--curve", "rules"], cost: us },
            remark: None,
        },
        Curve {
            name: "leases",
            title: "A call through all layers, by leases",
            along: "leases held",
            cost: "µs for a call",
            source: Source::Program {
                name: "bench-layers",
                args: &["--curve", "leases"],
                cost: us,
            },
            remark: None,
        },
        Curve {
            name: "connections",
            title: "Idle servers over stdio",
            along: "connections",
            cost: "KiB of private memory for all",
            source: Source::Client {
                work: "idle",
                transport: Transport::Stdio,
                numbers: &[1, 10, 30, 100, 300, 1_000],
                cost: |n, line| Some(line["kib"].as_f64()? * n),
            },
            remark: None,
        },
        Curve {
            name: "result-size",
            title: "One result over stdio",
            along: "bytes",
            cost: "µs for the result",
            source: Source::Client {
                work: "big",
                transport: Transport::Stdio,
                numbers: SIZES,
                cost: us,
            },
            remark: Some(LARGE),
        },
        Curve {
            name: "result-size-http",
            title: "One result over HTTP",
            along: "bytes",
            cost: "µs for the result",
            source: Source::Client {
                work: "big",
                transport: Transport::Http,
                numbers: SIZES,
                cost: us,
            },
            remark: Some(LARGE),
        },
        Curve {
            name: "result-size-sse",
            title: "One result over HTTP, as an event",
            along: "bytes",
            cost: "µs for the result",
            source: Source::Client {
                work: "big",
                transport: Transport::Events,
                numbers: SIZES,
                cost: us,
            },
            remark: Some(LARGE),
        },
        Curve {
            name: "event-size",
            title: "Reading an event in pieces of 16 KiB",
            along: "bytes",
            cost: "µs for the event",
            source: Source::Program {
                name: "bench-sse",
                args: &["--curve"],
                cost: |n, line| Some(line["ns_per_byte"].as_f64()? * n / 1000.0),
            },
            remark: Some(LARGE),
        },
    ]
}

const CACHES_OF_TOOLS: &str = "Some thousand tools no longer fit the caches of the CPU, and the memory \
    for them comes from the kernel, which clears every page of it.";
const CACHES_OF_CALLS: &str = "A call under way is a future, and an entry in a map; thousands of them no \
    longer fit the caches of the CPU.  No call is looked for among the others.";
const LARGE: &str = "Above 32 MiB the allocator of glibc gives memory back to the kernel as soon as it is free, \
    and gets it again page by page.  With `GLIBC_TUNABLES=glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=8589934592` \
    it does not.";

const SIZES: &[u64] = &[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

fn us(_: f64, line: &Value) -> Option<f64> {
    line["us"].as_f64()
}

/// CPU time of the client, for the server's is none of ours.
fn all_at_once(n: f64, line: &Value) -> Option<f64> {
    Some(n * line["cpu_us"].as_f64()?)
}

pub(crate) fn run(programs: &Programs, options: &Options) -> Result<(), Error> {
    let folder = tool::root().join("docs/performance");
    let mut document = machine::describe();
    document.push_str(&format!("\n`{}`\n", options.command()));
    let mut any = false;
    for curve in curves().iter().filter(|curve| options.wants(curve.name)) {
        any = true;
        let points = curve.points(programs, options)?;
        let growth = growth(&points);
        let words = curve.words(&points, growth);
        println!("\n{words}");
        if options.write_docs {
            let plot = svg::plot(curve.title, curve.along, curve.cost, &points);
            tool::write_file(&folder.join(format!("{}.svg", curve.name)), &plot)?;
            let image = format!("![{}](performance/{}.svg)", curve.title, curve.name);
            document.push_str(&format!("\n{words}\n{image}\n"));
        }
    }
    if !any && options.curves {
        return Err(Error::Usage(format!("no curve is called {:?}", options.filter)));
    }
    if options.write_docs && options.filter.is_empty() {
        docs::write("curves", &document)?;
    }
    Ok(())
}

impl Curve {
    fn points(&self, programs: &Programs, options: &Options) -> Result<Vec<Point>, String> {
        let mut points = Vec::new();
        match &self.source {
            Source::Client { work, transport, numbers, cost } => {
                let small = options.mode == Mode::Test;
                let numbers = numbers.iter().take(if small { 2 } else { usize::MAX });
                for &number in numbers {
                    let line = programs.ours(&format!("{work}:{number}"), *transport, options)?;
                    eprintln!("{} {number}: {line}", self.name);
                    points.extend(cost(number as f64, &line).map(|cost| (number as f64, cost)));
                }
            }
            Source::Program { name, args, cost } => {
                for line in programs.curve(name, args, options)? {
                    let number = line["n"].as_f64().unwrap_or(0.0);
                    points.extend(cost(number, &line).map(|cost| (number, cost)));
                }
            }
        }
        Ok(points)
    }

    fn words(&self, points: &[Point], growth: Option<f64>) -> String {
        let power = growth.map_or_else(String::new, |growth| {
            let judged = if growth > LINEAR { ": **worse than linear**" } else { "" };
            format!("At the upper end cost grows with the power {growth:.2}{judged}.\n")
        });
        let remark = self.remark.filter(|_| growth.is_some_and(|it| it > 1.0));
        let remark = remark.map_or_else(String::new, |it| format!("{it}\n"));
        let mut lines = vec![[self.along.to_owned(), self.cost.to_owned(), "of each".to_owned()]];
        lines.extend(points.iter().map(|&(number, cost)| {
            [report::number(number), report::number(cost), report::number(cost / number)]
        }));
        format!("### {}\n\n{power}{remark}\n{}", self.title, report::aligned(&lines))
    }
}

/// The exponent `k` of a cost that grows with `n` to the power `k`, over the upper half of the points.
///
/// Lower points are left out: there, what is paid once hides what is paid for each.
pub(crate) fn growth(points: &[Point]) -> Option<f64> {
    let upper = points.get(points.len() / 2..)?;
    let logs: Vec<Point> = upper
        .iter()
        .filter(|(number, cost)| *number > 0.0 && *cost > 0.0)
        .map(|(number, cost)| (number.ln(), cost.ln()))
        .collect();
    if logs.len() < 2 {
        return None;
    }
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let along: f64 = logs.iter().map(|(a, _)| (a - x) * (a - x)).sum();
    let both: f64 = logs.iter().map(|(a, b)| (a - x) * (b - y)).sum();
    (along > 0.0).then_some(both / along)
}

/// A power up to here is linear, on a machine that has other things to do.
const LINEAR: f64 = 1.15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_power() {
        let points = |power: f64| -> Vec<Point> {
            [1.0, 10.0, 100.0, 1000.0].map(|n: f64| (n, 3.0 * n.powf(power))).to_vec()
        };
        for power in [0.0, 1.0, 2.0] {
            let found = growth(&points(power)).expect("there are points");
            assert!((found - power).abs() < 1e-9, "{found} for {power}");
        }
        assert_eq!(growth(&[(1.0, 1.0)]), None);
        assert_eq!(growth(&[]), None);
    }

    #[test]
    fn what_is_paid_once_does_not_hide_the_growth() {
        let points = [1.0, 10.0, 1e4, 1e5].map(|n: f64| (n, 1000.0 + n * n)).to_vec();
        assert!(growth(&points).is_some_and(|power| power > 1.9));
    }

    #[test]
    fn every_curve_has_a_plot_of_its_own() {
        let mut names: Vec<&str> = curves().iter().map(|curve| curve.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
