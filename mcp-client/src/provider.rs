//! A server's tools, handed to a model's loop.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use mcp_provider::{Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use serde_json::value::RawValue;

use crate::batch::{Plan, Slot, is_safe, plan};
use crate::catalogue::Catalogue;
use crate::lock::lock;
use crate::{Client, Error, ToolProgress, flatten};

#[async_trait]
impl Provider for Client {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let catalogue = self.inner().catalogue(&self.default_options()).await;
        Ok(catalogue.map_err(ProviderError::new)?.declarations().to_vec())
    }

    /// Runs the calls one after another, or several at a time where the server says of every one
    /// of their tools that this does no harm.
    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        if calls.is_empty() {
            return Vec::new();
        }
        // A server that cannot be reached is not tried again for every call.
        if let Err(error) = self.inner().connection().await {
            return calls
                .into_iter()
                .map(|call| Prepared::new(call, None).failed(&error))
                .collect();
        }
        // Without a catalogue no name can be ruled out, and no tool is known to be safe.
        let catalogue = self.inner().catalogue(&self.default_options()).await.ok();
        let prepared: Vec<Prepared> =
            calls.into_iter().map(|call| Prepared::new(call, catalogue.as_deref())).collect();
        let settings = &self.inner().shared.settings;
        let slots: Vec<Slot> = prepared
            .iter()
            .map(|it| it.slot(catalogue.as_deref(), settings.trusts_annotations))
            .collect();
        match plan(&slots, settings.tool_concurrency) {
            Plan::Serial => {
                let mut results = Vec::with_capacity(prepared.len());
                for call in &prepared {
                    results.push(self.run(call).await);
                }
                results
            }
            Plan::Wide { leaders, copies } => {
                let width = settings.tool_concurrency.min(leaders.len());
                let mut results = self.run_wide(&prepared, &leaders, width).await;
                for (index, leader) in copies {
                    let copy = results[leader].clone();
                    results[index] = copy.map(|mut result| {
                        result.tool_call_id = prepared[index].call.id.clone();
                        result
                    });
                }
                // Every call led or was copied, so none is missing.
                let missing = |call: &Prepared| ToolResult::unknown(call.call.id.clone(), "");
                let answered = prepared.iter().zip(results);
                answered.map(|(call, result)| result.unwrap_or_else(|| missing(call))).collect()
            }
        }
    }
}

/// A call, and what is wrong with it if it cannot be sent.
struct Prepared {
    call: ToolCall,
    /// The arguments as JSON text, or what to tell the model.
    arguments: Result<Box<RawValue>, String>,
}

impl Prepared {
    fn new(call: ToolCall, catalogue: Option<&Catalogue>) -> Self {
        let arguments = match call.arguments.to_object_text() {
            Ok(text) => RawValue::from_string(text.into_owned()).map_err(|error| error.to_string()),
            Err(invalid) => Err(invalid.to_string()),
        };
        let is_unknown = catalogue.is_some_and(|catalogue| !catalogue.contains(&call.name));
        let arguments = match arguments {
            Ok(_) if is_unknown => Err(format!("Unknown tool: '{}'", call.name)),
            arguments => arguments,
        };
        Self { call, arguments }
    }

    fn slot(&self, catalogue: Option<&Catalogue>, trusts_annotations: bool) -> Slot {
        let annotations = catalogue.and_then(|catalogue| catalogue.annotations(&self.call.name));
        let is_safe = trusts_annotations && is_safe(annotations);
        let key = (is_safe && self.arguments.is_ok()).then(|| {
            // A name cannot run into the arguments: those begin with a brace.
            format!("{}\0{}", self.call.name, self.call.arguments.canonical())
        });
        Slot { is_safe, key }
    }

    /// A call that got no result, in words for the model: because of itself, or of `error`.
    fn failed(&self, error: &Error) -> ToolResult {
        let id = self.call.id.clone();
        if let Err(reason) = &self.arguments {
            return ToolResult::not_sent(id, &**reason);
        }
        let delivery = error.delivery();
        let advice = match delivery {
            Delivery::Unknown => {
                ". Whether the call took effect is not known: check before you repeat it"
            }
            Delivery::Answered | Delivery::NotSent => "",
        };
        let mut result = ToolResult::error(id, format!("{error}{advice}"));
        result.delivery = delivery;
        result
    }
}

impl Client {
    async fn run(&self, prepared: &Prepared) -> ToolResult {
        let Prepared { call, arguments: Ok(arguments) } = prepared else {
            return prepared.failed(&Error::TransportClosed { is_sent: false });
        };
        let mut options = self.default_options();
        options.extensions = call.extensions.clone();
        if let Some(hook) = self.inner().shared.settings.on_progress.clone() {
            let tool_call_id = call.id.clone();
            options.progress = Some(Arc::new(move |progress| {
                hook(ToolProgress { tool_call_id: tool_call_id.clone(), progress });
            }));
        }
        let _token = options.mint(&self.inner().shared.tokens);
        match self.inner().call_tool(&call.name, arguments, &options).await {
            Ok(concluded) => {
                let whole = || concluded.answer.decode().unwrap_or_default();
                let text = flatten::text(&concluded.result, whole);
                let result = match concluded.result.is_error() {
                    true => ToolResult::error(call.id.clone(), text),
                    false => ToolResult::ok(call.id.clone(), text),
                };
                match concluded.result.structured_content {
                    Some(content) => result.with_structured_content(content),
                    None => result,
                }
            }
            Err(error) => prepared.failed(&error),
        }
    }

    /// Runs the leaders of a wide batch, `width` at a time, and returns a result in each one's
    /// place.
    async fn run_wide(
        &self,
        prepared: &[Prepared],
        leaders: &[usize],
        width: usize,
    ) -> Vec<Option<ToolResult>> {
        let results = Mutex::new(vec![None; prepared.len()]);
        let next = AtomicUsize::new(0);
        let worker = || async {
            while let Some(&index) = leaders.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result = self.run(&prepared[index]).await;
                lock(&results)[index] = Some(result);
            }
        };
        let workers = (0..width).map(|_| Box::pin(worker()) as Pin<Box<_>>).collect();
        all(workers).await;
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for every one of a few futures.
async fn all<F: Future<Output = ()>>(mut futures: Vec<Pin<Box<F>>>) {
    poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
