//! What the hooks of the client answer.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_client::protocol::{
    ClientCapabilities, CreateMessageResult, ElicitAction, ElicitResult, ElicitationCapability,
    ListRootsResult, Root, RootsCapability, SamplingCapability, TextContent,
};
use mcp_client::{Asked, ClientBuilder};

use crate::data::{Answer, Peer, Roots};
use crate::journal::{Entry, Journal};

/// The answers that a step has prepared, for the hooks to take.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    elicitation: Mutex<VecDeque<Answer>>,
    sample: Mutex<Option<String>>,
}

impl Answers {
    pub(crate) fn prepare(&self, elicitation: &[Answer], sample: Option<&String>) {
        *lock(&self.elicitation) = elicitation.to_vec().into();
        *lock(&self.sample) = sample.cloned();
    }

    /// How many answers nobody asked for.
    pub(crate) fn left(&self) -> usize {
        lock(&self.elicitation).len() + usize::from(lock(&self.sample).is_some())
    }
}

/// Gives the client the hooks that the peer's entry asks for, and declares just these.
pub(crate) fn with_hooks(
    mut builder: ClientBuilder,
    peer: &Peer,
    answers: &Arc<Answers>,
    journal: &Arc<Journal>,
) -> ClientBuilder {
    let mut capabilities = ClientCapabilities::default();
    if let Some(roots) = peer.client.roots.clone() {
        capabilities.roots = Some(RootsCapability::default());
        builder = builder.on_list_roots(move |_: Asked<()>| {
            let roots = roots.clone();
            async move {
                match roots {
                    Roots::Uris(uris) => {
                        let roots: Vec<Root> = uris.into_iter().map(Root::new).collect();
                        Ok(ListRootsResult::from(roots))
                    }
                    Roots::Word(_) => pending().await,
                }
            }
        });
    }
    if peer.client.elicitation {
        let mut both = ElicitationCapability::default();
        (both.form, both.url) = (Some(Box::default()), Some(Box::default()));
        capabilities.elicitation = Some(both);
        let (answers, journal) = (Arc::clone(answers), Arc::clone(journal));
        builder = builder.on_elicit(move |asked: Asked<_>| {
            journal.write(Entry::Elicited(asked.params));
            let answer = lock(&answers.elicitation).pop_front();
            async move { answer.map(result).ok_or_else(|| "no step prepared an answer".into()) }
        });
    }
    if peer.client.sampling {
        capabilities.sampling = Some(SamplingCapability::default());
        let answers = Arc::clone(answers);
        builder = builder.on_sample(move |_: Asked<_>| {
            let sample = lock(&answers.sample).take();
            async move {
                let sample = sample.ok_or("no step prepared a sample")?;
                Ok(CreateMessageResult::new("live", TextContent::new(sample)))
            }
        });
    }
    builder.client_capabilities(capabilities)
}

fn result(answer: Answer) -> ElicitResult {
    match answer {
        Answer::Accept(Some(content)) => ElicitResult::accept(content),
        Answer::Accept(None) => ElicitAction::Accept.into(),
        Answer::Decline => ElicitResult::decline(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
