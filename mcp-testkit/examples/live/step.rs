//! Plays one step.

mod asking;
mod calls;
mod listing;
mod restarting;
mod subscribing;
mod watching;

use std::fmt;

pub(crate) use self::watching::is_about_junk;

use crate::checks::Checks;
use crate::data::Action;
use crate::stage::Stage;

pub(crate) async fn play(action: &Action, stage: &Stage) -> Checks {
    match action {
        Action::Call { in_flight: true, tool, arguments, expect, .. } => {
            calls::leave_running(stage, tool, arguments, expect.error).await
        }
        Action::Call {
            tool, arguments, answers, sample, log_level, eventually, expect, ..
        } => {
            stage.answers.prepare(answers, sample.as_ref());
            let call = calls::Call { tool, arguments, log_level: *log_level, expect };
            calls::call(stage, &call, *eventually).await
        }
        Action::Cancel { tool, arguments, after_ms, then } => {
            calls::cancel(stage, (tool, arguments), *after_ms, then.as_ref()).await
        }
        Action::Overlap { slow, fast } => calls::overlap(stage, slow, fast).await,
        Action::List { what, count, has, refresh, declared, wire } => {
            let expect = listing::Expect {
                count: *count,
                has: has.as_deref(),
                declared: *declared,
                wire: wire.as_ref(),
            };
            listing::list(stage, *what, *refresh, &expect).await
        }
        Action::ReadResource { uri, expect } => asking::read(stage, uri, expect).await,
        Action::GetPrompt { name, arguments, expect } => {
            asking::prompt(stage, name, arguments, expect).await
        }
        Action::Complete { prompt, argument, value, expect } => {
            asking::complete(stage, prompt, (argument, value), expect).await
        }
        Action::AwaitQuestion { method, id } => watching::question(stage, method, *id).await,
        Action::Notified { method, at_least } => watching::notified(stage, method, *at_least).await,
        Action::Restart { during } => restarting::restart(stage, during.as_ref()).await,
        Action::Connections { count } => restarting::connections(stage, *count),
        Action::Subscribe(subscribe) => subscribing::subscribe(stage, subscribe).await,
        Action::Stderr { contains } => watching::stderr(stage, contains).await,
        Action::Junk { lines, first } => watching::junk(stage, *lines, first).await,
    }
}

/// The step as a person would name it.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { tool, .. } => write!(f, "call {tool}"),
            Self::Cancel { tool, .. } => write!(f, "cancel {tool}"),
            Self::Overlap { slow, fast } => write!(f, "overlap {} and {}", slow.tool, fast.tool),
            Self::List { what, .. } => write!(f, "list {what}"),
            Self::ReadResource { uri, .. } => write!(f, "read {uri}"),
            Self::GetPrompt { name, .. } => write!(f, "get prompt {name}"),
            Self::Complete { prompt, .. } => write!(f, "complete {prompt}"),
            Self::AwaitQuestion { method, .. } => write!(f, "await question {method}"),
            Self::Notified { method, .. } => write!(f, "notified {method}"),
            Self::Restart { during: None } => f.write_str("restart"),
            Self::Restart { during: Some(call) } => write!(f, "restart during {}", call.tool),
            Self::Connections { count } => write!(f, "{count} connections"),
            Self::Subscribe(it) if it.refused => f.write_str("subscribe in vain"),
            Self::Subscribe(it) if it.restart => f.write_str("subscribe, and restart"),
            Self::Subscribe(_) => f.write_str("subscribe"),
            Self::Stderr { .. } => f.write_str("stderr"),
            Self::Junk { .. } => f.write_str("junk on stdout"),
        }
    }
}
