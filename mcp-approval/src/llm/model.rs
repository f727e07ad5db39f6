//! The model behind it, whatever it is.

use std::time::Duration;

use async_trait::async_trait;
use mcp_provider::BoxError;

use crate::llm::prompt::Prompt;

/// A model that answers a prompt with a text.
///
/// It is given no tools, and must not call any: it is asked while a call waits.
#[async_trait]
pub trait Model: Send + Sync {
    /// The whole text of the answer.
    ///
    /// There is no timeout in it: dropping the future gives the request up.
    ///
    /// # Errors
    ///
    /// Fails where there is no answer, or not all of it.
    async fn complete(&self, prompt: &Prompt) -> Result<String, ModelError>;
}

#[async_trait]
impl<M: Model + ?Sized> Model for std::sync::Arc<M> {
    async fn complete(&self, prompt: &Prompt) -> Result<String, ModelError> {
        (**self).complete(prompt).await
    }
}

/// Why there is no usable text of a model.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The answer is no JSON, by its own account.
    #[error("the endpoint answered with the content type {content_type:?}, not application/json")]
    ContentType {
        /// What it said; empty where it said nothing.
        content_type: String,
    },
    /// The answer is of another shape than the interface has.
    #[error("the answer is none of a chat endpoint: {what}")]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// Something else went wrong.
    #[error("the model could not be asked")]
    Other(#[source] BoxError),
    /// The endpoint points elsewhere.  Nobody goes there.
    #[error(
        "the endpoint answered with a redirect ({status}) to {location:?}; redirects are not \
         followed, so that the key stays where it belongs: configure the address itself"
    )]
    Redirect {
        /// The status of the answer.
        status: u16,
        /// Where it points to; empty where it does not say.
        location: String,
    },
    /// The model, or a filter behind it, refused to answer.
    #[error("the model refused to judge the call: {refusal:?}")]
    Refused {
        /// What it said.
        refusal: String,
    },
    /// The endpoint answered with an error.
    #[error("the endpoint answered with status {status}: {detail:?}")]
    Status {
        /// The status of the answer.
        status: u16,
        /// The beginning of what it said.
        detail: String,
        /// When to try again, if it said so.
        retry_after: Option<Duration>,
    },
    /// The answer is larger than is read.
    #[error("the answer is larger than the limit of {limit} bytes (raise `max_answer`)")]
    TooLarge {
        /// How much is read, in bytes.
        limit: usize,
    },
    /// The answer was cut off.
    #[error("the answer was cut off before its end ({why}); allow the model more tokens")]
    Truncated {
        /// How that is known.
        why: String,
    },
    /// There was no answer.
    #[error("the endpoint did not answer: {cause}")]
    Unreachable {
        /// Why.
        cause: String,
    },
}
