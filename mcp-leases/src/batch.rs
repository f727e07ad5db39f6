//! A batch on its way through the layer.

use std::collections::VecDeque;

use mcp_provider::location::Place;
use mcp_provider::{Provider, ToolCall, ToolResult, contain, execute_contained, one_per_call};

use crate::agent::{Agent, Pinned};
use crate::asked::Asked;
use crate::fence::Memory;
use crate::plan::{Kind, Part, parts};
use crate::words::{LOCK_ACQUIRE, LOCK_RELEASE};
use crate::{hidden, words};

/// What a batch runs with.
pub(crate) struct Batch<'a, P: ?Sized> {
    pub(crate) inner: &'a P,
    pub(crate) agent: &'a Agent,
    pub(crate) memory: &'a Memory,
    /// Whether every change has to be covered by a lease.
    pub(crate) is_strict: bool,
}

/// Calls that go to the provider together.
#[derive(Default)]
struct Round {
    /// Each as it was asked for.
    sent: Vec<Sent>,
    /// Each as it goes on.
    calls: Vec<ToolCall>,
    /// The places that these calls change.
    changed: Vec<Place>,
    pins: Vec<Pinned>,
}

/// A call that goes on, and where its result belongs.
struct Sent {
    place: usize,
    asked: Asked,
    warning: Option<String>,
}

impl<P: Provider + ?Sized> Batch<'_, P> {
    pub(crate) async fn run(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
        let parts = parts(calls.iter().map(kind));
        let mut calls: Vec<Option<ToolCall>> = calls.into_iter().map(Some).collect();
        let mut take = |place: usize| calls.get_mut(place).and_then(Option::take);
        let mut results: Vec<(usize, ToolResult)> = Vec::with_capacity(ids.len());
        for Part { acquires, others, release } in parts {
            for place in acquires {
                if let Some(call) = take(place) {
                    results.push((place, self.lock(&call, Kind::Acquire).await));
                }
            }
            let others = others.into_iter().filter_map(|place| Some((place, take(place)?)));
            self.forward(others.collect(), &mut results).await;
            if let Some((place, call)) = release.and_then(|place| Some((place, take(place)?))) {
                results.push((place, self.lock(&call, Kind::Release).await));
            }
        }
        results.sort_by_key(|(place, _)| *place);
        one_per_call(ids, results.into_iter().map(|(_, result)| result).collect())
    }

    async fn lock(&self, call: &ToolCall, kind: Kind) -> ToolResult {
        let run = async {
            match kind {
                Kind::Acquire => self.agent.acquire(call).await,
                Kind::Release | Kind::Other => self.agent.release(call).await,
            }
        };
        contain(run).await.unwrap_or_else(|panicked| {
            ToolResult::unknown(call.id.clone(), words::lock_unknown(&panicked))
        })
    }

    /// Sends on what may go on, together where that is safe, and answers the rest.
    async fn forward(
        &self,
        mut calls: VecDeque<(usize, ToolCall)>,
        results: &mut Vec<(usize, ToolResult)>,
    ) {
        while !calls.is_empty() {
            let mut round = Round::default();
            while let Some((place, call)) = calls.pop_front() {
                let asked = self.read(call);
                if self.memory.is_on() && self.touches(&round, &asked) {
                    calls.push_front((place, asked.call));
                    break;
                }
                match contain(self.admit(&asked, &mut round)).await {
                    Ok(Ok((call, warning))) => {
                        if self.agent.enforces(&call.name) {
                            round.changed.extend(asked.places().cloned());
                        }
                        round.calls.push(call);
                        round.sent.push(Sent { place, asked, warning });
                    }
                    Ok(Err(why)) => results.push((place, ToolResult::not_sent(asked.call.id, why))),
                    Err(panicked) => {
                        let why = words::store_failed("the call", &panicked);
                        results.push((place, ToolResult::not_sent(asked.call.id, why)));
                    }
                }
            }
            results.extend(self.send(round).await);
        }
    }

    /// The call without what only this layer may say in it, and where it points.
    fn read(&self, mut call: ToolCall) -> Asked {
        if let Some(arguments) = hidden::without(&call.arguments) {
            call.arguments = arguments;
        }
        if self.memory.is_on() || self.agent.enforces(&call.name) {
            Asked::new(call, &self.agent.locations)
        } else {
            Asked::unread(call)
        }
    }

    /// Judges a call; it as it goes on, and what was not checked.
    async fn admit(
        &self,
        asked: &Asked,
        round: &mut Round,
    ) -> Result<(ToolCall, Option<String>), String> {
        let mut warning = None;
        if self.agent.enforces(&asked.call.name) {
            let admitted = self.agent.admit(asked, self.is_strict).await?;
            round.pins.extend(admitted.pin);
            warning = admitted.warning;
        }
        let call = self.memory.prepare(asked, self.agent, self.inner).await?;
        Ok((call, warning))
    }

    async fn send(&self, round: Round) -> Vec<(usize, ToolResult)> {
        let Round { sent, calls, changed: _, pins } = round;
        if calls.is_empty() {
            return Vec::new();
        }
        let answers = execute_contained(self.inner, "The tool provider", calls).await;
        let mut results = Vec::with_capacity(answers.len());
        for (Sent { place, asked, warning }, mut answer) in sent.into_iter().zip(answers) {
            self.agent.note(&asked, &answer);
            self.memory.learn(&asked, &answer, self.agent, self.inner).await;
            if let Some(warning) = warning {
                answer.extra.insert(WARNING.to_owned(), warning.into());
            }
            results.push((place, answer));
        }
        // Only now: what was learned about a file holds as long as nobody else may write it.
        drop(pins);
        results
    }

    /// Whether a call changes what one of the round does.
    fn touches(&self, round: &Round, asked: &Asked) -> bool {
        let collide =
            |one: &Place, other: &Place| one.under(other).forbids() || other.under(one).forbids();
        self.agent.enforces(&asked.call.name)
            && round.changed.iter().any(|one| asked.places().any(|other| collide(one, other)))
    }
}

fn kind(call: &ToolCall) -> Kind {
    match &*call.name {
        LOCK_ACQUIRE => Kind::Acquire,
        LOCK_RELEASE => Kind::Release,
        _ => Kind::Other,
    }
}

/// The member of a result that says what was not checked.
const WARNING: &str = "leases-warning";
