//! The trait, its forwarding impls, and the one combinator that stacks layers.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{ProviderError, ToolCall, ToolDeclaration, ToolResult};

/// A source of tools: something that can list them for a model and run its calls.
///
/// # Contract
///
/// * [`execute_tool_calls`](Self::execute_tool_calls) answers every call it is given,
///   once, in the order given.  Whatever goes wrong with one call becomes that call's
///   result, so there is no error to return.
/// * All calls have run by the time it returns.
/// * A result says how sure it is ([`Delivery`](crate::Delivery)): a call that may have
///   run, and whose answer never came, is `Unknown` and never a plain failure.
/// * Dropping the future cancels the calls.  A provider must not need to be polled to the
///   end: what it holds, it releases in `Drop`.
///
/// # A provider
///
/// ```
/// use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
///
/// struct Clock;
///
/// #[async_trait::async_trait]
/// impl Provider for Clock {
///     async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
///         Ok(vec![ToolDeclaration::new("clock_now").with_description("Tells the time")])
///     }
///
///     async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
///         calls.into_iter().map(|call| ToolResult::ok(call.id, "noon")).collect()
///     }
/// }
/// ```
///
/// # A layer
///
/// A layer holds the provider under it, and changes what goes past:
///
/// ```
/// use mcp_provider::{
///     Provider, ProviderError, ProviderExt, ToolCall, ToolDeclaration, ToolResult,
/// };
///
/// struct ReadOnly<P> {
///     inner: P,
/// }
///
/// #[async_trait::async_trait]
/// impl<P: Provider> Provider for ReadOnly<P> {
///     async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
///         let mut tools = self.inner.tools_for_llm().await?;
///         tools.retain(|tool| tool.name().is_some_and(|name| name.ends_with("_read")));
///         Ok(tools)
///     }
///
///     async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
///         self.inner.execute_tool_calls(calls).await
///     }
/// }
///
/// fn read_only(tools: impl Provider) -> impl Provider {
///     tools.layer(|inner| ReadOnly { inner })
/// }
/// ```
#[async_trait]
pub trait Provider: Send + Sync {
    /// Lists the tools a model may call.
    ///
    /// # Errors
    ///
    /// Fails when the tools cannot be listed.  A shorter list is never a substitute.
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError>;

    /// Runs `calls` and returns one result per call, in the same order.
    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult>;
}

/// Stacking, for any provider.
pub trait ProviderExt: Provider + Sized {
    /// Wraps this provider in `layer`: any function from one provider to another.
    ///
    /// There is one order only: the layer added last sees a call first.
    fn layer<P: Provider>(self, layer: impl FnOnce(Self) -> P) -> P {
        layer(self)
    }
}

impl<P: Provider> ProviderExt for P {}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<P: Provider + ?Sized> Provider for $pointer {
            async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
                (**self).tools_for_llm().await
            }

            async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
                (**self).execute_tool_calls(calls).await
            }
        }
    )*};
}

forward!(&P, Box<P>, Arc<P>);
