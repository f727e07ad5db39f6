//! What the example prints.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this is for")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use mcp_client::{Server, ToolProgress};
use mcp_provider::{CallId, Delivery, ToolDeclaration, ToolResult};
use mcp_reasons::reason_of;
use mcp_unknown_keys::Warning;

use crate::model::Turn;

/// Prints a conversation as it goes on.
#[derive(Default)]
pub(crate) struct Transcript {
    /// Progress comes while calls run, and is shown with their results.
    progress: Mutex<Vec<(CallId, String)>>,
}

impl Transcript {
    pub(crate) fn server(&self, server: &Server) {
        let (name, version) = (&server.info.name, &server.info.version);
        println!("connected to {name} {version}, {} era, {}", server.era, server.protocol_version);
    }

    pub(crate) fn tools(&self, tools: &[ToolDeclaration]) {
        let names: Vec<_> = tools.iter().filter_map(ToolDeclaration::name).collect();
        println!("{} tools, from {} to {}", names.len(), names[0], names[names.len() - 1]);
    }

    pub(crate) fn turn(&self, turn: &Turn) {
        println!("\nmodel: {}", turn.says);
        for call in &turn.calls {
            println!("  -> {} {} {:?}", call.id, call.name, call.arguments);
            if let Some(reason) = reason_of(call) {
                println!("     why: {reason}");
            }
        }
    }

    pub(crate) fn results(&self, results: &[ToolResult]) {
        let progress =
            std::mem::take(&mut *self.progress.lock().unwrap_or_else(PoisonError::into_inner));
        for result in results {
            for (_, report) in progress.iter().filter(|(id, _)| *id == result.tool_call_id) {
                println!("  .. {} {report}", result.tool_call_id);
            }
            let outcome = match (result.is_error, result.delivery) {
                (false, _) => "",
                (true, Delivery::Answered) => "failed: ",
                (true, Delivery::NotSent) => "not run: ",
                (true, Delivery::Unknown) => "outcome unknown: ",
            };
            println!("  <- {} {outcome}{}", result.tool_call_id, result.content);
        }
    }

    pub(crate) fn warning(&self, warning: &Warning) {
        println!("  !! {} {warning}", warning.call_id);
    }

    pub(crate) fn question(&self, server: &str, message: &str) {
        println!("  ?? {server} asks: {message}");
        println!("  !! the user answers: Ada");
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
        println!("\nthe server has ended, and so has the loop");
    }
}

/// Prints why the example could not go on.
pub(crate) fn failure(error: &dyn Error) -> ExitCode {
    eprintln!("toolloop: {error}");
    ExitCode::FAILURE
}
