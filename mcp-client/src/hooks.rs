//! Those who answer when a server asks.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_protocol::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ElicitationCapability, Implementation, ListRootsResult, RootsCapability, SamplingCapability,
};
use mcp_provider::{BoxError, Extensions};

/// A question that a server asks, and who asks it.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Asked<P> {
    /// What is asked.
    pub params: P,
    /// The server that asks, as it calls itself.  A user should see it, and nobody should trust it.
    pub server: Implementation,
    /// What travels with the tool call during which the server asks.
    ///
    /// It is empty where the call came without any, where no call is under way, and where a legacy
    /// server asks while several are: it does not say which one it asks for.
    pub extensions: Extensions,
}

/// Answers questions for the user (`elicitation/create`).
///
/// Any closure that returns a future is one; it has to name the type of what it is asked:
///
/// ```
/// use mcp_client::protocol::{ElicitParams, ElicitResult};
/// use mcp_client::{Asked, Client, Stdio};
///
/// let builder = Client::builder(Stdio::new("mcp-server-git"));
/// builder.on_elicit(|asked: Asked<ElicitParams>| async move {
///     println!("{} asks: {}", asked.server.name, asked.params.message());
///     Ok(ElicitResult::decline())
/// });
/// ```
///
/// An error declines, and is reported as a warning.  What a user filled in is sent as it is:
/// whoever shows the form checks it, and offers the defaults that the schema names.
#[async_trait]
pub trait Elicit: Send + Sync {
    /// Answers one question.
    ///
    /// # Errors
    ///
    /// Fails when nobody could be asked; the server is told no.
    async fn elicit(&self, asked: Asked<ElicitParams>) -> Result<ElicitResult, BoxError>;
}

/// Asks a model on behalf of a server (`sampling/createMessage`).
///
/// Any closure that returns a future is one, as for [`Elicit`].  An error leaves the question
/// unanswered, and is reported as a warning.
#[async_trait]
pub trait Sample: Send + Sync {
    /// Asks the model.
    ///
    /// # Errors
    ///
    /// Fails when there is no answer to give.
    async fn sample(
        &self,
        asked: Asked<CreateMessageParams>,
    ) -> Result<CreateMessageResult, BoxError>;
}

/// Names the folders that a server may work in (`roots/list`).
///
/// Any closure that returns a future is one, as for [`Elicit`].  An error names none, and is
/// reported as a warning; so does a root that is no `file://` URI.
#[async_trait]
pub trait ListRoots: Send + Sync {
    /// Names the folders.
    ///
    /// # Errors
    ///
    /// Fails when they cannot be named.
    async fn list_roots(&self, asked: Asked<()>) -> Result<ListRootsResult, BoxError>;
}

macro_rules! closures_are {
    ($hook:ident, $method:ident, $params:ty, $result:ty) => {
        #[async_trait]
        impl<F, A> $hook for F
        where
            F: Fn(Asked<$params>) -> A + Send + Sync,
            A: Future<Output = Result<$result, BoxError>> + Send,
        {
            async fn $method(&self, asked: Asked<$params>) -> Result<$result, BoxError> {
                self(asked).await
            }
        }
    };
}

closures_are!(Elicit, elicit, ElicitParams, ElicitResult);
closures_are!(Sample, sample, CreateMessageParams, CreateMessageResult);
closures_are!(ListRoots, list_roots, (), ListRootsResult);

/// The hooks of one client.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) elicit: Option<Arc<dyn Elicit>>,
    pub(crate) sample: Option<Arc<dyn Sample>>,
    pub(crate) list_roots: Option<Arc<dyn ListRoots>>,
}

impl Hooks {
    /// What a client with these hooks can honestly declare.
    ///
    /// Elicitation is declared for forms only: a closure that returns a result cannot be assumed
    /// to open a browser.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.elicit.is_some().then(|| {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = Some(Box::default());
            elicitation
        });
        capabilities.sampling = self.sample.is_some().then(SamplingCapability::default);
        capabilities.roots = self.list_roots.is_some().then(RootsCapability::default);
        capabilities
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("elicit", &self.elicit.is_some())
            .field("sample", &self.sample.is_some())
            .field("list_roots", &self.list_roots.is_some())
            .finish()
    }
}
