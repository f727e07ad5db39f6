//! The architecture, as data: who may use whom, and who may know a runtime.

/// What a crate of this workspace may depend on.  A new crate is one line in [`CRATES`].
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    pub(crate) uses: Uses,
    pub(crate) runtime: Runtime,
}

/// The crates of this workspace that a crate may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    Anything,
    Only(&'static [&'static str]),
}

/// Whether a crate may have an async runtime among its dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    Always,
    /// Only behind a feature that is off by default: its timer is injected.
    BehindAFeature,
    Never,
}

/// Every crate, as the table in ARCHITECTURE.md has it.
pub(crate) const CRATES: &[Crate] = &[
    Crate { name: "mcp-provider", uses: Uses::Only(&[]), runtime: Runtime::BehindAFeature },
    leaf("mcp-protocol"),
    leaf("mcp-sse"),
    leaf("mcp-correlator"),
    leaf("mcp-cache"),
    layer("mcp-registry"),
    layer("mcp-formats"),
    layer("mcp-reasons"),
    layer("mcp-unknown-keys"),
    Crate {
        name: "mcp-leases",
        uses: Uses::Only(&["mcp-provider"]),
        runtime: Runtime::BehindAFeature,
    },
    Crate {
        name: "mcp-operations",
        uses: Uses::Only(&["mcp-provider"]),
        runtime: Runtime::BehindAFeature,
    },
    layer("mcp-policy"),
    Crate {
        name: "mcp-approval",
        uses: Uses::Only(&["mcp-policy", "mcp-provider"]),
        runtime: Runtime::BehindAFeature,
    },
    shell("mcp-transport", &["mcp-correlator", "mcp-protocol", "mcp-sse"]),
    shell("mcp-client", &["mcp-cache", "mcp-protocol", "mcp-provider", "mcp-transport"]),
    Crate { name: "mcp-testkit", uses: Uses::Anything, runtime: Runtime::Always },
    Crate { name: "xtask", uses: Uses::Only(&[]), runtime: Runtime::Always },
];

/// Crates that are, or bring, an async runtime or an event loop.
pub(crate) const RUNTIMES: &[&str] = &[
    "actix-rt",
    "async-executor",
    "async-global-executor",
    "async-io",
    "async-std",
    "compio",
    "embassy-executor",
    "futures-executor",
    "glommio",
    "mio",
    "monoio",
    "polling",
    "pollster",
    "smol",
    "tokio",
    "tokio-uring",
];

/// Crates that speak HTTP or TLS: behind the feature `http`, and nowhere in a build without it.
pub(crate) const HTTP_STACK: &[&str] =
    &["h2", "http", "http-body", "hyper", "hyper-rustls", "hyper-util", "ring", "rustls"];

/// What the clippy.toml of a crate that never knows a runtime says beyond the root's.
///
/// Clippy reads the nearest file only, so a crate's file repeats the root's and adds this.
pub(crate) const NO_CLOCK: &str = r#"disallowed-methods = [
  { path = "std::time::Instant::now", reason = "take `now` as an argument: this crate reads no clock" },
  { path = "std::time::Instant::elapsed", reason = "take `now` as an argument: this crate reads no clock" },
  { path = "std::time::SystemTime::now", reason = "take `now` as an argument: this crate reads no clock" },
  { path = "std::time::SystemTime::elapsed", reason = "take `now` as an argument: this crate reads no clock" },
  { path = "std::thread::sleep", reason = "this crate never waits" },
]
"#;

/// The line of `name` in [`CRATES`].
pub(crate) fn of(name: &str) -> Option<&'static Crate> {
    CRATES.iter().find(|listed| listed.name == name)
}

/// Bytes and `now` in, values out: uses none of ours.
const fn leaf(name: &'static str) -> Crate {
    Crate { name, uses: Uses::Only(&[]), runtime: Runtime::Never }
}

/// A provider over providers: uses the trait and nothing else of ours.
const fn layer(name: &'static str) -> Crate {
    Crate { name, uses: Uses::Only(&["mcp-provider"]), runtime: Runtime::Never }
}

/// Where the world is touched.
const fn shell(name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, uses: Uses::Only(uses), runtime: Runtime::Always }
}
