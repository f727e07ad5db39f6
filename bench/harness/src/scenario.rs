//! What is done, and timed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::Counter;
use crate::client::{Client, Connector, Failure};
use crate::options::{Options, Work};
use crate::process;
use crate::report::{Row, percentile};
use crate::server::Server;

/// One row for each repetition.
pub(crate) async fn run<C: Connector>(
    connector: Arc<C>,
    options: &Options,
    counter: Option<Counter>,
) -> Result<Vec<Row>, Failure> {
    let server = Server::start(options)?;
    let mut rows = Vec::new();
    match options.work {
        Work::Connect => {
            for _ in 0..options.repeats {
                rows.push(connect(&*connector, &server, options).await?);
            }
        }
        Work::Idle { connections } => {
            rows.push(idle(&*connector, &server, options, connections).await?);
        }
        work => {
            let client = Arc::new(connector.connect(&server.target, options.era).await?);
            // One repetition that does not count warms up both sides.
            calls(&client, work, options.time.min(WARM_UP), None).await?;
            for _ in 0..options.repeats {
                rows.push(calls(&client, work, options.time, counter).await?);
            }
            let client = Arc::into_inner(client).ok_or("a call is still under way")?;
            client.close().await;
        }
    }
    Ok(rows)
}

async fn calls<C: Client>(
    client: &Arc<C>,
    work: Work,
    time: Duration,
    counter: Option<Counter>,
) -> Result<Row, Failure> {
    let tasks = if let Work::Echo { in_flight } = work { in_flight } else { 1 };
    let before = Totals::now(counter);
    let start = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..tasks {
        let client = Arc::clone(client);
        running.spawn(async move {
            let mut times = Vec::with_capacity(TIMES);
            while start.elapsed() < time || times.len() < AT_LEAST {
                let start = Instant::now();
                once(&*client, work).await?;
                times.push(start.elapsed().as_nanos() as u64);
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(ended) = running.join_next().await {
        times.extend(ended??);
    }
    let wall = start.elapsed().as_secs_f64();
    let after = Totals::now(counter);
    times.sort_unstable();
    let count = times.len() as f64;
    let mut row = vec![
        ("calls", count),
        ("calls_per_s", count / wall),
        ("us", percentile(&times, 0.5)),
        ("us_p99", percentile(&times, 0.99)),
        ("cpu_us", (after.cpu - before.cpu) * 1e6 / count),
    ];
    if counter.is_some() {
        let of = |now: u64, then: u64| (now - then) as f64 / count;
        row.push(("allocations", of(after.allocations, before.allocations)));
        row.push(("allocated_bytes", of(after.allocated, before.allocated)));
        row.push(("reads", of(after.reads, before.reads)));
        row.push(("writes", of(after.writes, before.writes)));
    }
    Ok(row)
}

async fn once<C: Client>(client: &C, work: Work) -> Result<(), Failure> {
    let (found, least, most) = match work {
        Work::Big { bytes } => {
            // Escapes make the text a little shorter than its JSON.
            (client.big(bytes).await?, bytes - bytes / 10, bytes)
        }
        Work::List { tools, .. } => (client.list_tools().await?, tools, tools),
        _ => (client.echo(TEXT).await?, TEXT.len(), TEXT.len()),
    };
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(format!("{work:?}: {found} came back, not {least} to {most}").into())
}

/// Connects, calls once, and closes, again and again.
async fn connect<C: Connector>(
    connector: &C,
    server: &Server,
    options: &Options,
) -> Result<Row, Failure> {
    let mut times = Vec::new();
    let start = Instant::now();
    let cpu = process::cpu_seconds();
    while start.elapsed() < options.time || times.len() < AT_LEAST {
        let start = Instant::now();
        let client = connector.connect(&server.target, options.era).await?;
        once(&client, Work::Connect).await?;
        times.push(start.elapsed().as_nanos() as u64);
        client.close().await;
    }
    let cpu = process::cpu_seconds() - cpu;
    times.sort_unstable();
    let count = times.len() as f64;
    Ok(vec![
        ("calls", count),
        ("us", percentile(&times, 0.5)),
        ("us_p99", percentile(&times, 0.99)),
        ("cpu_us", cpu * 1e6 / count),
    ])
}

/// The private memory of each of `connections` after one call, when nothing happens any more.
async fn idle<C: Connector>(
    connector: &C,
    server: &Server,
    options: &Options,
    connections: usize,
) -> Result<Row, Failure> {
    let mut clients = Vec::new();
    let mut private = Vec::new();
    // The first few pay for what all of them share.
    for count in [4, connections] {
        for _ in 0..count {
            let client = connector.connect(&server.target, options.era).await?;
            once(&client, Work::Idle { connections }).await?;
            clients.push(client);
        }
        tokio::time::sleep(SETTLE).await;
        private.push(process::private_kib() as f64);
    }
    for client in clients {
        client.close().await;
    }
    let [before, after] = private.as_slice() else { return Err("two readings are needed".into()) };
    Ok(vec![
        ("connections", connections as f64),
        ("kib", (after - before) / connections.max(1) as f64),
        ("private_kib", *after),
    ])
}

/// What has been used up so far.
struct Totals {
    cpu: f64,
    allocations: u64,
    allocated: u64,
    reads: u64,
    writes: u64,
}

impl Totals {
    fn now(counter: Option<Counter>) -> Self {
        let mut totals =
            Self { cpu: process::cpu_seconds(), allocations: 0, allocated: 0, reads: 0, writes: 0 };
        if let Some(counter) = counter {
            let stats = counter.stats();
            totals.allocations = (stats.allocations + stats.reallocations) as u64;
            totals.allocated = stats.bytes_allocated as u64;
            (totals.reads, totals.writes) = process::reads_and_writes();
        }
        totals
    }
}

/// The text of a small call: 64 bytes.
const TEXT: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

const WARM_UP: Duration = Duration::from_millis(500);

/// Calls of each task, however long they take.
const AT_LEAST: usize = 3;

/// Room for times, so that keeping them costs no time.
const TIMES: usize = 1 << 16;

/// How long a runtime may take to tidy up.
const SETTLE: Duration = Duration::from_millis(300);
