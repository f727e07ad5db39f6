//! Many tasks on one table, and a witness that knows nothing of tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use mcp_leases::{Claim, Claimed, Enqueued, HoldAndWait, Holder, Limits, Table, TokioTimer};
use mcp_provider::location::{PathStyle, Place};
use tokio::time::{Instant, timeout};

/// How long the tasks go on.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the test counts, the example looks at the clock")]
pub(crate) enum Until {
    Operations(usize),
    Time(Instant),
}

/// What happened.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) operations: AtomicUsize,
    pub(crate) granted_at_once: AtomicUsize,
    pub(crate) granted_after_waiting: AtomicUsize,
    pub(crate) granted_after_an_end: AtomicUsize,
    pub(crate) refused: AtomicUsize,
    pub(crate) left: AtomicUsize,
    pub(crate) given_back_under_a_call: AtomicUsize,
    pub(crate) longest_wait_in_microseconds: AtomicU64,
    /// Files that two had at a time: none, if all is well.
    pub(crate) two_holders: AtomicUsize,
    /// Waits that lasted as if nobody had woken them: none, if all is well.
    pub(crate) lost_wake_ups: AtomicUsize,
}

/// Who has which file, as the holders themselves see it.
struct Witness([AtomicUsize; FILES]);

struct Worker {
    table: Table,
    holder: Holder,
    number: usize,
    random: u64,
    figures: Arc<Figures>,
    witness: Arc<Witness>,
}

/// Lets `tasks` tasks claim, wait, work, release, leave and forget; the figures, and the table.
pub(crate) async fn hammer(tasks: usize, until: Until) -> (Arc<Figures>, Table) {
    let limits = Limits::default().with_max_ttl(Duration::from_secs(60));
    let table = Table::with_limits(TokioTimer::new(), limits).unwrap();
    let figures = Arc::new(Figures::default());
    let witness = Arc::new(Witness(std::array::from_fn(|_| AtomicUsize::new(0))));
    let workers = (1..=tasks).map(|number| {
        let worker = Worker {
            table: table.clone(),
            holder: Holder::new(&format!("w{number}")).unwrap(),
            number,
            random: 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64),
            figures: Arc::clone(&figures),
            witness: Arc::clone(&witness),
        };
        tokio::spawn(worker.run(until))
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    (figures, table)
}

impl Worker {
    async fn run(mut self, until: Until) {
        let mut done = 0;
        loop {
            match until {
                Until::Operations(most) if done >= most => break,
                Until::Time(end) if Instant::now() >= end => break,
                Until::Operations(_) | Until::Time(_) => {}
            }
            match self.below(16) {
                0 => self.let_it_end().await,
                1..=3 => self.try_once().await,
                4..=6 => self.wait_and_leave().await,
                _ => self.wait_and_work().await,
            }
            done += 1;
            count(&self.figures.operations);
            tokio::task::yield_now().await;
        }
        self.table.release_holder(&self.holder);
    }

    async fn try_once(&mut self) {
        let files = self.some_files();
        match self.table.acquire(&self.claim(&files)) {
            Claimed::Granted(_) => {
                count(&self.figures.granted_at_once);
                self.work(&files).await;
            }
            Claimed::Refused(_) => count(&self.figures.refused),
        }
    }

    async fn wait_and_work(&mut self) {
        let files = self.some_files();
        match self.table.enqueue(self.claim(&files), HoldAndWait::Refuse) {
            Enqueued::Settled(Claimed::Granted(_)) => count(&self.figures.granted_at_once),
            Enqueued::Settled(refused) => panic!("{refused:?}"),
            Enqueued::Waiting { waiting, .. } => {
                let begun = Instant::now();
                match timeout(LOST, waiting).await {
                    Ok(Claimed::Granted(_)) => count(&self.figures.granted_after_waiting),
                    Ok(refused) => panic!("{refused:?}"),
                    Err(_) => return count(&self.figures.lost_wake_ups),
                }
                let waited = u64::try_from(begun.elapsed().as_micros()).unwrap();
                self.figures.longest_wait_in_microseconds.fetch_max(waited, Ordering::Relaxed);
            }
        }
        self.work(&files).await;
    }

    /// Waits a little, and leaves, perhaps at the very moment in which it is served.
    async fn wait_and_leave(&mut self) {
        let files = self.some_files();
        match self.table.enqueue(self.claim(&files), HoldAndWait::Refuse) {
            Enqueued::Settled(_) => {}
            Enqueued::Waiting { mut waiting, .. } => {
                let patience = 1 + self.below(4);
                for _ in 0..patience {
                    if let Some(Claimed::Granted(_)) = once(&mut waiting).await {
                        count(&self.figures.granted_after_waiting);
                        return self.work(&files).await;
                    }
                    tokio::task::yield_now().await;
                }
                drop(waiting);
                return count(&self.figures.left);
            }
        }
        self.work(&files).await;
    }

    /// Waits for a file of somebody who is gone and releases nothing: it ends by itself.
    async fn let_it_end(&mut self) {
        let path = Place::parse(&format!("/end/{}", self.number), PathStyle::Posix).unwrap();
        let gone = Holder::new(&format!("{}-gone", self.holder)).unwrap();
        let brief = Claim::new(gone, [path.clone()]).for_time(Duration::from_millis(3));
        assert!(matches!(self.table.acquire(&brief), Claimed::Granted(_)));
        let own = Claim::new(self.holder.clone(), [path]);
        let claimed = match self.table.enqueue(own, HoldAndWait::Refuse) {
            Enqueued::Settled(claimed) => claimed,
            Enqueued::Waiting { waiting, .. } => match timeout(LOST, waiting).await {
                Ok(claimed) => claimed,
                Err(_) => return count(&self.figures.lost_wake_ups),
            },
        };
        assert!(matches!(claimed, Claimed::Granted(_)), "{claimed:?}");
        count(&self.figures.granted_after_an_end);
        self.table.release(&self.holder, None);
    }

    /// Changes the files, under a call or not, and gives them back.
    async fn work(&mut self, files: &[usize]) {
        self.take(files);
        let places = self.claim(files).places;
        if self.below(2) == 0 {
            self.pause().await;
            self.give(files);
            self.table.release(&self.holder, None);
            return;
        }
        let pin = self.table.pin(&self.holder, &places).unwrap();
        self.pause().await;
        if self.below(2) == 0 {
            count(&self.figures.given_back_under_a_call);
            self.table.release(&self.holder, None);
            self.pause().await;
            self.give(files);
            self.table.unpin(pin);
        } else {
            self.table.unpin(pin);
            self.give(files);
            self.table.release(&self.holder, None);
        }
    }

    async fn pause(&mut self) {
        for _ in 0..self.below(4) {
            tokio::task::yield_now().await;
        }
    }

    fn take(&self, files: &[usize]) {
        for file in files {
            if self.witness.0[*file].swap(self.number, Ordering::SeqCst) != 0 {
                count(&self.figures.two_holders);
            }
        }
    }

    fn give(&self, files: &[usize]) {
        for file in files {
            if self.witness.0[*file].swap(0, Ordering::SeqCst) != self.number {
                count(&self.figures.two_holders);
            }
        }
    }

    /// One file, two, or all of a directory.
    fn some_files(&mut self) -> Vec<usize> {
        match self.below(8) {
            0 => {
                let directory = self.below(FILES / IN_DIRECTORY);
                (0..IN_DIRECTORY).map(|file| directory * IN_DIRECTORY + file).collect()
            }
            1..=3 => {
                let one = self.below(FILES);
                vec![one, (one + 1 + self.below(FILES - 1)) % FILES]
            }
            _ => vec![self.below(FILES)],
        }
    }

    fn claim(&self, files: &[usize]) -> Claim {
        let path = |file: usize| format!("/w/{}/{}", file / IN_DIRECTORY, file % IN_DIRECTORY);
        let paths = match files {
            [first, .., _] if files.len() == IN_DIRECTORY => {
                vec![format!("/w/{}", first / IN_DIRECTORY)]
            }
            files => files.iter().map(|file| path(*file)).collect(),
        };
        let places = paths.iter().map(|path| Place::parse(path, PathStyle::Posix).unwrap());
        Claim::new(self.holder.clone(), places)
    }

    fn below(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % most as u64).unwrap()
    }
}

async fn once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    timeout(Duration::ZERO, future).await.ok()
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

const FILES: usize = 32;

const IN_DIRECTORY: usize = 4;

/// How long nobody waits here unless a wake-up was lost.
const LOST: Duration = Duration::from_secs(20);
