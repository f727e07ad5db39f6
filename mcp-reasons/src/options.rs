//! What a host can choose, and the words that a model reads.

/// The name of the parameter in which a model says why it makes a call.
pub const REASON_PARAM: &str = "reason";

/// What the parameter says about itself under [`Guidance::InParameter`].
pub const DESCRIPTION: &str =
    "One short sentence: why this call. Shown to the human reviewing the session.";

/// What a host tells its model once, in its own instructions, under [`Guidance::InInstructions`].
pub const INSTRUCTIONS: &str = "Where a tool takes an optional `reason`, give one short sentence: \
                                why this call. It is shown to the human reviewing the session.";

/// Where a model is told what a reason is for.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Guidance {
    /// In each parameter, as its [`DESCRIPTION`].
    #[default]
    InParameter,
    /// Once, in the host's own instructions: put [`INSTRUCTIONS`] there.
    InInstructions,
}

/// What becomes of a tool that has a parameter `reason` of its own.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Collision {
    /// It keeps its parameter, and its calls keep their argument.
    #[default]
    LeaveAlone,
    /// The listing fails, and names the tool.
    Error,
}
