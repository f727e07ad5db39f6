//! Names, paths and moments, in few words.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::time::Duration;

use mcp_leases::{Claim, Claimed, Holder, Leases, Moment, Refusal, Table};
use mcp_provider::location::{Locations, PathParams, PathStyle, Place, Roots};
use mcp_provider::{Provider, ToolCall, ToolResult};
use serde_json::Value;

pub(crate) fn holder(name: &str) -> Holder {
    Holder::new(name).unwrap()
}

pub(crate) fn place(path: &str) -> Place {
    Place::parse(path, PathStyle::Posix).unwrap()
}

pub(crate) fn places(paths: &[&str]) -> Vec<Place> {
    paths.iter().map(|path| place(path)).collect()
}

pub(crate) fn claim(name: &str, paths: &[&str]) -> Claim {
    Claim::new(holder(name), places(paths))
}

pub(crate) fn at(milliseconds: u64) -> Moment {
    Moment::new(Duration::from_millis(milliseconds))
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// `fs`, `patch` and `lock` start from `/srv/repo`.
pub(crate) fn locations() -> Locations {
    let roots = [("fs", "/srv/repo"), ("patch", "/srv/repo"), ("lock", "/srv/repo")];
    let roots = Roots::new(roots, PathStyle::Posix).unwrap();
    let params = [("fs_stat", vec![]), ("patch_apply", vec!["target"])];
    Locations::new(roots, PathParams::new(params).unwrap())
}

/// The layer of the agent `name`, rooted as [`locations`] says.
pub(crate) fn layer<P: Provider>(inner: P, table: &Table, name: &str) -> Leases<P> {
    Leases::new(inner, table.clone(), holder(name)).locations(locations())
}

pub(crate) fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall::new("call_1", tool, arguments)
}

/// What one call comes to.
pub(crate) async fn run(layer: &impl Provider, tool: &str, arguments: Value) -> ToolResult {
    let mut results = layer.execute_tool_calls(vec![call(tool, arguments)]).await;
    assert_eq!(results.len(), 1);
    results.remove(0)
}

#[track_caller]
pub(crate) fn assert_granted(claimed: &Claimed) {
    assert!(matches!(claimed, Claimed::Granted(_)), "{claimed:?}");
}

#[track_caller]
pub(crate) fn conflict(claimed: Claimed) -> Vec<mcp_leases::Conflict> {
    match claimed {
        Claimed::Refused(Refusal::Conflict { conflicts }) => conflicts,
        other => panic!("no conflict: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn assert_refused(result: &ToolResult, parts: &[&str]) {
    assert!(result.is_error, "{result:?}");
    assert_eq!(result.delivery, mcp_provider::Delivery::NotSent, "{result:?}");
    for part in parts {
        assert!(result.content.contains(part), "{part:?} is not in {:?}", result.content);
    }
}

#[track_caller]
pub(crate) fn assert_ok(result: &ToolResult, parts: &[&str]) {
    assert!(!result.is_error, "{result:?}");
    for part in parts {
        assert!(result.content.contains(part), "{part:?} is not in {:?}", result.content);
    }
}
