//! A batch on its way through the layer.

use std::collections::VecDeque;

use mcp_provider::location::Place;
use mcp_provider::{Provider, ToolCall, ToolResult, contain, execute_contained, one_per_call};

use crate::agent::{Admitted, Agent, Pinned};
use crate::asked::Asked;
use crate::fence::Memory;
use crate::plan::{Kind, Part, parts};
use crate::words;
use crate::words::{LOCK_ACQUIRE, LOCK_RELEASE};

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
struct Round<'a> {
    /// Each as it was asked for, and where its result belongs.
    sent: Vec<(usize, Sent<'a>)>,
    /// Each as it goes on.
    calls: Vec<ToolCall>,
    /// The places that these calls change.
    changed: Vec<Place>,
}

/// A call that goes on.
struct Sent<'a> {
    asked: Asked<'a>,
    warning: Option<String>,
    /// What was learned about a file holds as long as nobody else may write it.
    _pin: Option<Pinned>,
}

impl<'a, P: Provider + ?Sized> Batch<'a, P> {
    pub(crate) async fn run(&self, mut calls: Vec<ToolCall>) -> Vec<ToolResult> {
        match (calls.pop(), calls.is_empty()) {
            // Most batches are one call to the provider: there is nothing to put in order.
            (Some(call), true) if kind(&call) == Kind::Other => self.one(call).await,
            (last, _) => {
                calls.extend(last);
                Box::pin(self.many(calls)).await
            }
        }
    }

    /// Runs one call to the provider.
    async fn one(&self, call: ToolCall) -> Vec<ToolResult> {
        let (call, asked) = self.read(call);
        let (call, sent) = match self.ready(call, asked).await {
            Ok(ready) => ready,
            Err(refused) => return vec![refused],
        };
        let mut answers = execute_contained(self.inner, PROVIDER, vec![call]).await;
        if let Some(answer) = answers.first_mut() {
            self.settle(&sent, answer).await;
        }
        answers
    }

    async fn many(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
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
                let (call, asked) = self.read(call);
                if self.memory.is_on() && self.touches(&round, &asked) {
                    calls.push_front((place, call));
                    break;
                }
                match self.ready(call, asked).await {
                    Ok((call, sent)) => {
                        if self.agent.enforces(&call.name) {
                            round.changed.extend(sent.asked.targets.places.iter().cloned());
                        }
                        round.calls.push(call);
                        round.sent.push((place, sent));
                    }
                    Err(refused) => results.push((place, refused)),
                }
            }
            self.send(round, results).await;
        }
    }

    /// The call without what only this layer may say in it, and where it points.
    fn read(&self, mut call: ToolCall) -> (ToolCall, Asked<'a>) {
        let Agent { locations, glance, .. } = self.agent;
        let asked = if self.memory.is_on() || self.agent.enforces(&call.name) {
            Asked::new(&mut call, locations, glance)
        } else {
            Asked::unread(&mut call)
        };
        (call, asked)
    }

    /// The call as it goes on, and what is kept until it is answered, or why it does not go on.
    async fn ready(
        &self,
        mut call: ToolCall,
        asked: Asked<'a>,
    ) -> Result<(ToolCall, Sent<'a>), ToolResult> {
        match contain(self.admit(&mut call, &asked)).await {
            Ok(Ok(Admitted { warning, pin })) => Ok((call, Sent { asked, warning, _pin: pin })),
            Ok(Err(why)) => Err(ToolResult::not_sent(call.id, why)),
            Err(panicked) => {
                let why = words::store_failed("the call", &panicked);
                Err(ToolResult::not_sent(call.id, why))
            }
        }
    }

    /// Judges a call and makes it ready to go on; what is kept for it, and what was not checked.
    async fn admit(&self, call: &mut ToolCall, asked: &Asked<'_>) -> Result<Admitted, String> {
        let admitted = if self.agent.enforces(&asked.tool) {
            self.agent.admit(asked, self.is_strict).await?
        } else {
            Admitted { warning: None, pin: None }
        };
        self.memory.prepare(asked, call, self.agent, self.inner).await?;
        Ok(admitted)
    }

    async fn send(&self, round: Round<'a>, results: &mut Vec<(usize, ToolResult)>) {
        let Round { sent, calls, changed: _ } = round;
        if calls.is_empty() {
            return;
        }
        let answers = execute_contained(self.inner, PROVIDER, calls).await;
        for ((place, sent), mut answer) in sent.iter().zip(answers) {
            self.settle(sent, &mut answer).await;
            results.push((*place, answer));
        }
    }

    /// Learns from the answer to a call, and says beside it what was not checked.
    async fn settle(&self, sent: &Sent<'a>, answer: &mut ToolResult) {
        self.agent.note(&sent.asked, answer);
        self.memory.learn(&sent.asked, answer, self.agent, self.inner).await;
        if let Some(warning) = &sent.warning {
            answer.extra.insert(WARNING.to_owned(), warning.clone().into());
        }
    }

    /// Whether a call changes what one of the round does.
    fn touches(&self, round: &Round<'_>, asked: &Asked<'_>) -> bool {
        let collide =
            |one: &Place, other: &Place| one.under(other).forbids() || other.under(one).forbids();
        self.agent.enforces(&asked.tool)
            && round
                .changed
                .iter()
                .any(|one| asked.targets.places.iter().any(|other| collide(one, other)))
    }
}

fn kind(call: &ToolCall) -> Kind {
    match &*call.name {
        LOCK_ACQUIRE => Kind::Acquire,
        LOCK_RELEASE => Kind::Release,
        _ => Kind::Other,
    }
}

/// Who panicked, in a result.
const PROVIDER: &str = "The tool provider";

/// The member of a result that says what was not checked.
const WARNING: &str = "leases-warning";
