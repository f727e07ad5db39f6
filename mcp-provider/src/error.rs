//! Why a list of tools could not be had.

/// A boxed error of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The tools could not be listed.
///
/// The cause is whatever the provider at the bottom of the stack reported; its type is
/// reached with [`downcast_ref`](Self::downcast_ref).
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ProviderError(BoxError);

impl ProviderError {
    /// Wraps a provider's own error.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }

    /// The provider's own error, if it is an `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}
