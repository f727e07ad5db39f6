//! One batch of calls, from proposed to known.

use std::collections::VecDeque;
use std::sync::Arc;

use mcp_provider::{Delivery, Provider, ToolCall, ToolResult, execute_contained, shield};

use crate::context::NotSent;
use crate::in_flight::Flight;
use crate::operations::Operations;
use crate::waiting::{Call, Waited, Waiting};
use crate::words;
use crate::{Dispatched, Operation, Proposal, Reason, What};

/// One batch of calls.  Dropped before its end, it leaves nothing open.
pub(crate) struct Batch<'a, P> {
    layer: &'a Operations<P>,
    /// The calls that were not sent yet, and their operations.
    waiting: VecDeque<(ToolCall, Operation)>,
    /// All that went out.
    dispatched: Vec<Dispatched>,
}

impl<'a, P: Provider + 'static> Batch<'a, P> {
    /// One operation for each call.
    pub(crate) fn propose(layer: &'a Operations<P>, calls: Vec<ToolCall>) -> Self {
        let Operations { context, options, .. } = layer;
        let propose = |call: ToolCall| {
            let class = options.classes.class(&call.name);
            let proposal = Proposal::of(&call).with_idempotency(class);
            let operation = Operation::new(proposal, context.timer.now());
            context.history.add(&operation, options.remembered);
            (call, operation)
        };
        let waiting = calls.into_iter().map(propose).collect();
        Self { layer, waiting, dispatched: Vec::new() }
    }

    /// Runs the calls in order; one result for each.
    pub(crate) async fn run(mut self) -> Vec<ToolResult> {
        if let Some(refused) = self.refuse_repeats() {
            return refused;
        }
        let mut results = Vec::with_capacity(self.waiting.len());
        while !self.waiting.is_empty() {
            let (group, is_over) = self.run_group().await;
            results.extend(group);
            if is_over {
                results.extend(self.abandon_rest());
            }
        }
        results
    }

    /// The refusals of the whole batch, where one of its calls is made too often.
    fn refuse_repeats(&mut self) -> Option<Vec<ToolResult>> {
        let context = &self.layer.context;
        let proposals = self.waiting.iter().map(|(_, operation)| operation.proposal());
        let too_many = context.repeats.as_ref()?.reserve(proposals).err()?;
        context.events.emit(None, || What::LimitReached {
            tool: too_many.tool.clone(),
            count: too_many.count,
            most: too_many.most,
        });
        let refuse = |(_, operation): (ToolCall, Operation)| {
            context.refuse(&operation, &Reason::REPEATED);
            words::repeated(operation.proposal(), &too_many)
        };
        Some(std::mem::take(&mut self.waiting).into_iter().map(refuse).collect())
    }

    /// Runs the next calls that go down together; their results, and whether they took too long.
    async fn run_group(&mut self) -> (Vec<ToolResult>, bool) {
        let context = &self.layer.context;
        let mut sent = Vec::new();
        let mut calls = Vec::new();
        // The refusals among them, in the places of their calls.
        let mut results: Vec<Option<ToolResult>> = Vec::new();
        for (mut call, operation) in self.next_group() {
            match context.dispatch(&operation) {
                Ok(dispatched) => {
                    self.dispatched.push(dispatched.clone());
                    call.extensions.insert(operation.id().clone());
                    sent.push(dispatched);
                    calls.push(call);
                    results.push(None);
                }
                Err(NotSent::NotWritten(why)) => {
                    context.abandon(&operation, &Reason::JOURNAL);
                    results.push(Some(words::not_written(operation.proposal(), &why)));
                }
                Err(NotSent::TakenBack) => {
                    results.push(Some(words::taken_back(operation.proposal())));
                }
            }
        }
        let (answers, is_over) = self.fly(&sent, calls).await;
        let mut answers = answers.into_iter();
        let results = results.into_iter().filter_map(|refused| refused.or_else(|| answers.next()));
        (results.collect(), is_over)
    }

    /// Takes the calls that go down together: one, or those that may run side by side.
    fn next_group(&mut self) -> Vec<(ToolCall, Operation)> {
        let concurrent = &self.layer.options.concurrent;
        let may_join = |(call, _): &&(ToolCall, Operation)| {
            concurrent.iter().any(|pattern| pattern.matches(&call.name))
        };
        let size = self.waiting.iter().take_while(may_join).count().max(1);
        self.waiting.drain(..size.min(self.waiting.len())).collect()
    }

    /// Hands calls over and waits; what came of each, and whether they took too long.
    async fn fly(&self, sent: &[Dispatched], calls: Vec<ToolCall>) -> (Vec<ToolResult>, bool) {
        if sent.is_empty() {
            return (Vec::new(), false);
        }
        let Operations { inner, context, options } = self.layer;
        let operations: Vec<Operation> = sent.iter().map(|it| it.operation().clone()).collect();
        let flight = |operation: &Operation| Flight {
            operation: operation.clone(),
            context: context.clone(),
        };
        let _entered = context.in_flight.enter(operations.iter().map(flight).collect());
        for operation in &operations {
            context.events.tell(operation, || What::Started);
        }
        let inner = Arc::clone(inner);
        let call: Call =
            Box::pin(async move { execute_contained(&*inner, "The tool provider", calls).await });
        let timer = Arc::clone(&context.timer);
        let waiting = Waiting::new(call, operations.clone(), options.deadline, timer);
        match waiting.await {
            Waited::Answered(results) => {
                let answers = sent.iter().zip(results).map(|(it, result)| self.answer(it, result));
                (answers.collect(), false)
            }
            Waited::Expired(call) => {
                let results = sent.iter().map(|dispatched| self.expire(dispatched)).collect();
                match &options.late {
                    Some(late) => late.detach(call, operations, context.clone()),
                    // Which tells the server.  Somebody else's code, and its panic changes nothing.
                    None => drop(shield(|| drop(call))),
                }
                (results, true)
            }
        }
    }

    /// Settles a call by its result; the result as the model reads it.
    fn answer(&self, dispatched: &Dispatched, mut result: ToolResult) -> ToolResult {
        let (context, operation) = (&self.layer.context, dispatched.operation());
        let proposal = operation.proposal();
        if let Some(answered) = words::filed(&mut result, &proposal.call_id) {
            context.events.tell(operation, || What::Misfiled { answered });
        }
        if result.delivery == Delivery::Unknown {
            result = words::without_answer(result, proposal.idempotency);
        }
        context.answer(dispatched, &result);
        result
    }

    /// Settles a call that took too long; what the model reads.
    fn expire(&self, dispatched: &Dispatched) -> ToolResult {
        let deadline = self.layer.options.deadline.unwrap_or_default();
        let result = words::too_slow(dispatched.operation().proposal(), deadline);
        self.layer.context.give_up(dispatched, &Reason::DEADLINE, Some(&result.content));
        result
    }

    /// Abandons the calls behind one that took too long; what the model reads of each.
    fn abandon_rest(&mut self) -> Vec<ToolResult> {
        let context = &self.layer.context;
        let abandon = |(_, operation): (ToolCall, Operation)| {
            context.abandon(&operation, &Reason::DEADLINE);
            words::behind(operation.proposal())
        };
        std::mem::take(&mut self.waiting).into_iter().map(abandon).collect()
    }
}

impl<P> Drop for Batch<'_, P> {
    fn drop(&mut self) {
        // What has ended is past this.
        let context = &self.layer.context;
        for dispatched in &self.dispatched {
            context.give_up(dispatched, &Reason::CANCELLED, None);
        }
        for (_, operation) in &self.waiting {
            context.abandon(operation, &Reason::CANCELLED);
        }
    }
}
