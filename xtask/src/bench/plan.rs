//! What is measured, and what we want to see.

/// The names of the legs that are no work of a client's.
pub(crate) const SSE: &str = "sse parser";
pub(crate) const LAYERS: &str = "layers";
pub(crate) const DEPS: &str = "clean build";

/// One piece of work that every client is given.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// What it is called in tables, and what a filter looks at.
    pub(crate) name: String,
    pub(crate) transport: Transport,
    /// As the programs read it.
    pub(crate) spec: &'static str,
    /// The same, small.
    pub(crate) small: &'static str,
    pub(crate) is_legacy: bool,
    /// Whether allocations are counted, and not time.
    pub(crate) is_counted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    /// HTTP, with answers as event streams.
    Events,
}

/// A program that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    /// A variable that is set for it.
    pub(crate) variable: Option<&'static str>,
}

pub(crate) const OURS: &str = "ours";
pub(crate) const FLOOR: &str = "floor";

const CLIENTS: [Client; 5] = [
    Client { name: OURS, program: "bench-ours", variable: None },
    Client { name: "rmcp", program: "bench-rmcp", variable: None },
    // With connections that are kept, and 256 calls at once: its best over HTTP.
    Client { name: "rmcp, pooled", program: "bench-rmcp", variable: Some("RMCP_POOL") },
    Client { name: "tower-mcp", program: "bench-tower", variable: None },
    // The same bytes without a protocol: no peer, but the bottom.
    Client { name: FLOOR, program: "bench-floors", variable: None },
];

impl Work {
    /// The clients that can do it.
    pub(crate) fn clients(&self) -> impl Iterator<Item = Client> {
        let is_stdio = self.transport == Transport::Stdio;
        let has_floor = self.spec == "echo:1"
            && !self.is_legacy
            && !self.is_counted
            && self.transport != Transport::Events;
        CLIENTS.into_iter().filter(move |client| {
            (client.variable.is_none() || !is_stdio) && (client.name != FLOOR || has_floor)
        })
    }
}

/// All the work of clients.
pub(crate) fn works() -> Vec<Work> {
    let mut works = Vec::new();
    for (transport, name) in
        [(Transport::Stdio, "stdio"), (Transport::Http, "http"), (Transport::Events, "http-sse")]
    {
        for (what, spec, small) in KINDS {
            let work = Work {
                name: format!("{name}, {what}"),
                transport,
                spec,
                small,
                is_legacy: what.ends_with("2025-11-25"),
                is_counted: what.starts_with("allocations"),
            };
            let is_streamed =
                ["one call at a time", "1 MB", "10 MB", "allocations"].contains(&what);
            if transport != Transport::Events || is_streamed {
                works.push(work);
            }
        }
    }
    works
}

/// What it is called, how programs read it, and the same in small.
const KINDS: [(&str, &str, &str); 12] = [
    ("one call at a time", "echo:1", "echo:1"),
    ("one call at a time, 2025-11-25", "echo:1", "echo:1"),
    ("16 in flight", "echo:16", "echo:16"),
    ("256 in flight", "echo:256", "echo:256"),
    ("1 MB", "big:1000000", "big:1000"),
    ("10 MB", "big:10000000", "big:10000"),
    ("10,000 tools", "list:10000", "list:100"),
    ("10,000 tools in 100 pages", "list:10000:100", "list:100:10"),
    ("connect", "connect", "connect"),
    ("connect, 2025-11-25", "connect", "connect"),
    ("idle connection", "idle:64", "idle:2"),
    ("allocations", "echo:1", "echo:1"),
];

/// A number that somebody wants to know, and what it should be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) metric: &'static str,
    pub(crate) target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// Ours divided by the best peer's is at most this.
    AtMost(f64),
    /// Ours divided by the best peer's is at least this.
    AtLeast(f64),
    /// Ours is at most this, whatever the peers do.
    Value(f64),
    /// It is only shown.
    Shown,
}

/// The rows of the table, for the works that were measured.
pub(crate) fn rows(measured: &[&str]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &work in measured {
        let what = work.split_once(", ").map_or(work, |(_, what)| what);
        let is_stdio = work.starts_with("stdio");
        let targets: &[(&'static str, Target)] = match what {
            "one call at a time" if is_stdio => {
                &[("us", Target::AtMost(0.6)), ("cpu_us", Target::AtMost(0.55))]
            }
            "one call at a time" if work.starts_with("http-sse") => {
                &[("calls_per_s", Target::AtLeast(1.5)), ("cpu_us", Target::Shown)]
            }
            "one call at a time" => &[("us", Target::AtMost(0.5)), ("cpu_us", Target::Shown)],
            "one call at a time, 2025-11-25" => &[("us", Target::Shown)],
            "16 in flight" if is_stdio => {
                &[("calls_per_s", Target::AtLeast(2.2)), ("cpu_us", Target::Shown)]
            }
            "256 in flight" if is_stdio => {
                &[("calls_per_s", Target::AtLeast(3.0)), ("cpu_us", Target::Shown)]
            }
            "16 in flight" | "256 in flight" => {
                &[("calls_per_s", Target::AtLeast(1.8)), ("cpu_us", Target::Shown)]
            }
            "1 MB" => &[("us", Target::AtMost(0.75)), ("cpu_us", Target::Shown)],
            "10 MB" => &[("us", Target::AtMost(1.0)), ("cpu_us", Target::Shown)],
            "10,000 tools" | "10,000 tools in 100 pages" => {
                &[("us", Target::AtMost(0.33)), ("peak_kib", Target::AtMost(0.25))]
            }
            "connect" | "connect, 2025-11-25" => &[("us", Target::AtMost(1.05))],
            "idle connection" => &[("kib", Target::AtMost(0.5))],
            "allocations" => {
                if is_stdio {
                    &[("allocations", Target::Value(30.0))]
                } else {
                    &[("allocations", Target::Value(100.0))]
                }
            }
            _ if work.starts_with(SSE) => match what {
                _ if what.starts_with("100 B") => &[("mb_per_s", Target::AtLeast(1.25))],
                _ if what.starts_with("2 KiB") => &[("mb_per_s", Target::AtLeast(2.0))],
                _ => &[("mb_per_s", Target::AtLeast(1.0))],
            },
            _ if work == DEPS => {
                &[("crates", Target::AtMost(0.75)), ("seconds", Target::AtMost(0.75))]
            }
            "the whole onion, one call" => &[("us", Target::Value(25.0))],
            "policy, 100 rules and the floor" => &[("us", Target::Shown)],
            "policy, a path rule among 1,000" => &[("us", Target::Value(5.0))],
            "policy, an everyday command and the floor" => &[("us", Target::Value(20.0))],
            "commands, 100 kB of script" => &[("us", Target::Value(10_000.0))],
            "the whole onion, 10,000 tools unchanged" => &[("us", Target::Value(2000.0))],
            "the whole onion, 10,000 tools unchanged, allocations" => {
                &[("allocations", Target::Shown)]
            }
            "the whole onion, 10,000 tools changed" => &[("us", Target::Shown)],
            "the bare provider, one call" => &[("us", Target::Shown)],
            _ => &[("us", Target::Value(2.0))],
        };
        rows.extend(targets.iter().map(|&(metric, target)| Row {
            work: work.to_owned(),
            metric,
            target,
        }));
    }
    rows
}

/// Whether more is better.
pub(crate) fn is_rate(metric: &str) -> bool {
    metric.ends_with("_per_s")
}

/// How a number is called in tables.
pub(crate) fn unit(metric: &str) -> &str {
    match metric {
        "us" => "µs",
        "cpu_us" => "µs CPU",
        "calls_per_s" => "calls/s",
        "mb_per_s" => "MB/s",
        "kib" => "KiB",
        "peak_kib" => "KiB at most",
        "seconds" => "s",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_of_work_has_a_name_of_its_own_and_a_row() {
        let works = works();
        let mut names: Vec<&str> = works.iter().map(|work| work.name.as_str()).collect();
        let rows = rows(&names);
        for name in &names {
            assert!(rows.iter().any(|row| row.work == *name), "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), works.len());
    }

    #[test]
    fn stdio_needs_no_pool_and_only_small_calls_have_a_floor() {
        let names = |name: &str| -> Vec<&'static str> {
            let work = works().into_iter().find(|work| work.name == name);
            work.iter().flat_map(Work::clients).map(|client| client.name).collect()
        };
        assert_eq!(names("stdio, one call at a time"), ["ours", "rmcp", "tower-mcp", "floor"]);
        assert_eq!(names("http, 1 MB"), ["ours", "rmcp", "rmcp, pooled", "tower-mcp"]);
    }
}
