//! Files that are read again before they are written.

use std::time::Duration;

use mcp_provider::location::Place;
use mcp_provider::{
    Arguments, Delivery, JsonObject, Provider, ToolCall, ToolResult, execute_contained,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::agent::Agent;
use crate::asked::Asked;
use crate::observations::Observations;
use crate::{Writer, words};

/// Which tools read files, for a fence that reads them again before each write.
///
/// It is for providers that know no revisions.  Of what an agent reads, a digest is remembered.
/// Before an enforced tool changes that path, the same call is made again: if its answer is
/// another, the change is refused, and the model is told to read again, and who may have written.
/// A file that the agent never read must not be there, unless [`allow_unread`](Self::allow_unread)
/// says otherwise: it is read with the first of the tools, and the change is refused if that works.
///
/// Under a lease nobody who honours leases can write between the comparison and the change.  Without
/// one, and against others, it makes an overwrite unlikely and not impossible.
///
/// A call counts as reading if it names one path.  Only what it showed is compared: after reading
/// ten lines, ten lines.
#[derive(Clone, Debug)]
pub struct ReadFence {
    tools: Vec<String>,
    is_unread_allowed: bool,
}

impl ReadFence {
    /// A fence that knows these tools to read one file, such as `fs_read_text_file`.
    ///
    /// The names are those at this layer's height.
    pub fn new<T: Into<String>>(tools: impl IntoIterator<Item = T>) -> Self {
        let tools = tools.into_iter().map(Into::into).collect();
        Self { tools, is_unread_allowed: false }
    }

    /// Lets an agent change what it has not read.
    #[must_use]
    pub fn allow_unread(self) -> Self {
        Self { is_unread_allowed: true, ..self }
    }
}

/// What an agent has read.
#[derive(Debug)]
pub(crate) struct Reads {
    fence: ReadFence,
    seen: Observations<Seen>,
}

/// How a path was read, and what was there.
#[derive(Clone, Debug)]
struct Seen {
    tool: String,
    arguments: Arguments,
    digest: [u8; 32],
}

impl Reads {
    pub(super) fn new(fence: ReadFence) -> Self {
        Self { fence, seen: Observations::default() }
    }

    /// Reads again what the call will change.
    ///
    /// # Errors
    ///
    /// Fails where it is no longer what the agent has read.
    pub(super) async fn check<P: Provider + ?Sized>(
        &self,
        asked: &Asked<'_>,
        agent: &Agent,
        inner: &P,
    ) -> Result<(), String> {
        let tool = &asked.tool;
        if !agent.enforces(tool) {
            return Ok(());
        }
        let mut reads = Vec::new();
        for place in &asked.targets.places {
            let seen = self.seen.get(place);
            if let Some(read) = self.read(place, seen.as_ref(), agent) {
                reads.push((place, seen, read));
            }
        }
        let batch: Vec<ToolCall> = reads.iter().map(|(_, _, read)| read.clone()).collect();
        if batch.is_empty() {
            return Ok(());
        }
        let answers = execute_contained(inner, "The tool provider", batch).await;
        for ((place, seen, _), answer) in reads.iter().zip(answers) {
            match seen {
                _ if answer.delivery != Delivery::Answered => {
                    return Err(unreadable(tool, place, &answer));
                }
                None if answer.is_error => {}
                None => return Err(unread(tool, place)),
                Some(seen) if !answer.is_error && digest(&answer) == seen.digest => {}
                Some(_) => {
                    let writer = agent.store.last_writer(&agent.holder, place).await;
                    return Err(changed(tool, place, writer.ok().flatten().as_ref()));
                }
            }
        }
        Ok(())
    }

    /// Learns what the agent has read, and what its own change has made of that.
    pub(super) async fn learn<P: Provider + ?Sized>(
        &self,
        asked: &Asked<'_>,
        result: &ToolResult,
        agent: &Agent,
        inner: &P,
    ) {
        let Asked { tool, arguments, targets, .. } = asked;
        if self.fence.tools.contains(tool) {
            if let ([_], [place], false) = (&*targets.named, &*targets.places, result.is_error) {
                self.remember(place, tool, arguments, result);
            }
        } else if agent.enforces(tool) {
            for place in &asked.targets.places {
                let seen = self.seen.get(place);
                self.seen.forget(place);
                if result.is_error {
                    continue;
                }
                let Some(read) = self.read(place, seen.as_ref(), agent) else { continue };
                let again = execute_contained(inner, "The tool provider", vec![read.clone()]).await;
                if let Some(answer) = again.first().filter(|answer| !answer.is_error) {
                    self.remember(place, &read.name, &read.arguments, answer);
                }
            }
        }
    }

    fn remember(&self, place: &Place, tool: &str, arguments: &Arguments, result: &ToolResult) {
        let (tool, arguments) = (tool.to_owned(), arguments.clone());
        self.seen.remember(place.clone(), Seen { tool, arguments, digest: digest(result) });
    }

    /// The call that reads a path as the agent did, or as it would have.
    fn read(&self, place: &Place, seen: Option<&Seen>, agent: &Agent) -> Option<ToolCall> {
        if let Some(Seen { tool, arguments, .. }) = seen {
            return Some(ToolCall::new(CALL_ID, &**tool, arguments.clone()));
        }
        let tool = self.fence.tools.first().filter(|_| !self.fence.is_unread_allowed)?;
        let param = agent.locations.params().names(tool).next()?;
        let mut arguments = JsonObject::new();
        arguments.insert(param.to_owned(), json!(place.to_string()));
        Some(ToolCall::new(CALL_ID, &**tool, arguments))
    }
}

/// What a model would see of a file, as a number of fixed length.
fn digest(result: &ToolResult) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(&result.content);
    if let (true, Some(structured)) = (result.content.is_empty(), &result.structured_content) {
        digest.update(structured.to_string());
    }
    digest.finalize().into()
}

fn changed(tool: &str, place: &Place, writer: Option<&Writer>) -> String {
    let who = writer.map_or_else(
        || "No agent here is known to have written it: somebody outside may have".to_owned(),
        |Writer { holder, ago }| format!("{holder} may have: it wrote there {} ago", seconds(*ago)),
    );
    format!(
        "'{tool}' was not run: '{place}' has changed since you read it. {who}. Read it again, and \
         repeat your change on what is there now."
    )
}

fn unread(tool: &str, place: &Place) -> String {
    format!(
        "'{tool}' was not run: '{place}' is there already, and you have not read it. Read it \
         first, so that you know what you change."
    )
}

fn unreadable(tool: &str, place: &Place, answer: &ToolResult) -> String {
    format!(
        "'{tool}' was not run: '{place}' could not be read again, so nobody can tell whether it \
         has changed ({}). Try again, or report it.",
        answer.content
    )
}

fn seconds(time: Duration) -> String {
    format!("{}s", words::whole_seconds(time))
}

const CALL_ID: &str = "lease-fence";
