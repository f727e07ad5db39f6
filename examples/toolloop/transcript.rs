//! What the example prints.

#![allow(clippy::print_stderr, reason = "an example that cannot go on says so")]

use std::fmt::Display;
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use mcp_approval::Judged;
use mcp_client::{Server, ToolProgress};
use mcp_operations::{Event, What};
use mcp_policy::{Answer, Question};
use mcp_provider::{CallId, Delivery, ToolDeclaration, ToolResult};
use mcp_reasons::reason_of;
use mcp_unknown_keys::Warning;

use crate::model::Turn;

/// Prints a line.  A reader that has gone away, such as `head`, is no reason to stop.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(stdout(), $($text)*);
    }};
}

/// Prints a conversation as it goes on.
#[derive(Default)]
pub(crate) struct Transcript {
    /// Progress comes while calls run, and is shown with their results.
    progress: Mutex<Vec<(CallId, String)>>,
}

impl Transcript {
    pub(crate) fn server(&self, server: &Server) {
        let (name, version) = (&server.info.name, &server.info.version);
        say!("connected to {name} {version}, {} era, {}", server.era, server.protocol_version);
    }

    pub(crate) fn tools(&self, tools: &[ToolDeclaration]) {
        let names: Vec<_> = tools.iter().filter_map(ToolDeclaration::name).collect();
        say!("{} tools, from {} to {}", names.len(), names[0], names[names.len() - 1]);
    }

    /// What another agent was told.
    pub(crate) fn other(&self, agent: &str, results: &[ToolResult]) {
        for result in results {
            say!("  .. {agent}, another agent, is told: {}", result.content);
        }
    }

    pub(crate) fn turn(&self, turn: &Turn) {
        say!("\nmodel: {}", turn.says);
        for call in &turn.calls {
            say!("  -> {} {} {:?}", call.id, call.name, call.arguments);
            if let Some(reason) = reason_of(call) {
                say!("     why: {reason}");
            }
        }
    }

    pub(crate) fn results(&self, results: &[ToolResult]) {
        let progress =
            std::mem::take(&mut *self.progress.lock().unwrap_or_else(PoisonError::into_inner));
        for result in results {
            for (_, report) in progress.iter().filter(|(id, _)| *id == result.tool_call_id) {
                say!("  .. {} {report}", result.tool_call_id);
            }
            let outcome = match (result.is_error, result.delivery) {
                (false, Delivery::Unknown) => "outcome unknown: ",
                (false, _) => "",
                (true, Delivery::Answered) => "failed: ",
                (true, Delivery::NotSent) => "not run: ",
                (true, Delivery::Unknown) => "outcome unknown: ",
            };
            say!("  <- {} {outcome}{}", result.tool_call_id, result.content);
        }
    }

    /// What became of an operation that has no answer.
    pub(crate) fn event(&self, event: &Event) {
        if let (Some(subject), What::Abandoned { reason, is_dispatched }) =
            (&event.subject, &event.what)
        {
            let sent = if *is_dispatched {
                "was sent, and its outcome is unknown"
            } else {
                "was not sent"
            };
            say!("  .. {} {sent}: {reason}", subject.call_id);
        }
    }

    pub(crate) fn warning(&self, warning: &Warning) {
        say!("  !! {} {warning}", warning.call_id);
    }

    /// What a server asks during a call.
    pub(crate) fn question(&self, message: &str) {
        say!("  ?? the server asks: {message}");
        say!("  !! the user answers: Ada");
    }

    /// What a model makes of a call.
    pub(crate) fn judged(&self, judged: &Judged<'_>) {
        let verdict = judged.verdict.map_or_else(|| judged.why.to_owned(), ToString::to_string);
        say!("  ~~ {} is judged: {verdict}, so {}", judged.request.tool, judged.outcome);
    }

    /// What a person is asked before a call runs, and says.
    pub(crate) fn permission(&self, question: &Question, answer: &Answer) {
        say!("  ?? may {} run {}?", question.tool, question.display);
        if let Some(reason) = reason_of(&question.call) {
            say!("     why: {reason}");
        }
        let answer = match answer {
            Answer::AllowOnce => "yes",
            Answer::AlwaysAllow { .. } => "yes, always",
            _ => "no",
        };
        say!("  !! the user answers: {answer}");
    }

    pub(crate) fn progress(&self, report: &ToolProgress) {
        let progress = &report.progress;
        let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let message = progress.message.as_deref().unwrap_or_default();
        let line = format!("{}{total} {message}", progress.progress);
        let mut reports = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        reports.push((report.tool_call_id.clone(), line));
    }

    pub(crate) fn end(&self) {
        say!("\nthe server has ended, and so has the loop");
    }
}

/// Prints why the example could not go on.
pub(crate) fn failure(error: &impl Display) -> ExitCode {
    eprintln!("toolloop: {error}");
    ExitCode::FAILURE
}
