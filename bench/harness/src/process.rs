//! What the kernel knows of this process.

use std::fs;

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::client::Failure;

/// Keeps this process, and those that it starts, on one CPU.
pub(crate) fn pin(cpu: usize) -> Result<(), Failure> {
    let mut set = CpuSet::new();
    if cpu >= CpuSet::MAX_CPU {
        return Err(format!("there is no CPU {cpu}").into());
    }
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|error| format!("CPU {cpu}: {error}").into())
}

/// The CPU time of all threads so far, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Memory that only this process has, in KiB.
pub fn private_kib() -> u64 {
    field("/proc/self/smaps_rollup", "Private_Dirty:")
}

/// The most memory that was resident so far, in KiB.
pub(crate) fn peak_kib() -> u64 {
    field("/proc/self/status", "VmHWM:")
}

/// System calls that read, and that write, so far; those of sockets are not among them.
pub(crate) fn reads_and_writes() -> (u64, u64) {
    (field("/proc/self/io", "syscr:"), field("/proc/self/io", "syscw:"))
}

/// A number in a file of lines `NAME: NUMBER …`; 0 where there is none.
fn field(file: &str, name: &str) -> u64 {
    fs::read_to_string(file)
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
