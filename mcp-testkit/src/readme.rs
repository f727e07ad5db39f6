//! The examples of the workspace's own README, compiled and run.

#[doc = include_str!("../../README.md")]
#[derive(Debug)]
pub struct WorkspaceReadme;
