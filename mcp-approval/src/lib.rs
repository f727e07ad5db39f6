#![doc = include_str!("../README.md")]

mod answer;
mod approval;
mod approver;
mod binding;
mod catalogue;
mod context;
mod decision;
#[cfg(feature = "http")]
mod http;
mod llm;
mod request;
mod risk;
mod tool_reason;

pub use crate::approval::Approval;
pub use crate::approver::{ApprovalPolicy, Approver, Human, InvalidApprovalPolicy};
pub use crate::binding::Binding;
pub use crate::catalogue::{Catalogue, Watched};
pub use crate::context::Context;
pub use crate::decision::{Decision, InvalidDecision};
#[cfg(feature = "http")]
pub use crate::http::{InvalidEndpoint, OpenAiChat};
pub use crate::llm::model::{Model, ModelError};
pub use crate::llm::prompt::{PROMPT_VERSION, Prompt};
pub use crate::llm::sampling::{Sampling, create_message_params, message_text};
pub use crate::llm::verdict::{Authorized, Harm, InvalidVerdict, Outcome, Verdict, outcome};
pub use crate::llm::{Judged, JudgedBy, LlmApproval, LlmApprovalBuilder, ReasonsOff};
pub use crate::request::{AskedBy, Request};
pub use crate::risk::{Resolver, Risk, Risks};
pub use crate::tool_reason::{InvalidToolReason, ReasonPlan, ToolReason, UnsupportedToolReason};

/// The policy whose questions are answered here.
pub use mcp_policy as policy;
/// The attribute that an `impl Approver` needs, and the trait of the tools.
pub use mcp_provider::{self as provider, async_trait};
