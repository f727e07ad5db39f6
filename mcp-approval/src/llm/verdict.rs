//! What a model says about a call, and what follows from it.

use std::fmt;

use mcp_policy::display_text;
use serde::{Deserialize, Serialize};

use crate::request::{AskedBy, Request};
use crate::risk::Risk;

/// What a model says about a call.  What follows from it is decided by [`outcome`], not by it.
///
/// It is one JSON object with these three members and no others:
///
/// ```json
/// {"harm": "low", "authorized": "yes", "rationale": "The user asked for this commit."}
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// How much harm the call can do.
    pub harm: Harm,
    /// Whether the user wants it.
    pub authorized: Authorized,
    /// Why, in a sentence: for people, and nothing is decided by it.
    pub rationale: String,
}

/// How much harm a call can do, as a model sees it.
#[allow(clippy::exhaustive_enums, reason = "the scale that the prompt names, whole")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Harm {
    /// Little, and easily undone.
    Low,
    /// Some, and it can be undone.
    Medium,
    /// Much, or it cannot be undone.
    High,
    /// It must not happen.
    Critical,
}

/// Whether the user wants a call, as a model sees it.
#[allow(clippy::exhaustive_enums, reason = "the answers that the prompt names, whole")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Authorized {
    /// The user asked for it, or it plainly follows from what the user asked for.
    Yes,
    /// Nobody can tell.
    Unclear,
    /// The user asked for something else, or forbade it.
    No,
}

/// What becomes of a call.
#[allow(clippy::exhaustive_enums, reason = "what a verdict can lead to, whole")]
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It may run.
    Allow,
    /// It may not run.
    Deny,
    /// A person decides; without one it may not run.
    AskHuman,
}

impl Verdict {
    /// Reads the text of a model: one object, alone or in one code fence, whole.
    ///
    /// # Errors
    ///
    /// Fails where there is anything else: words around it, a second object, a member that is
    /// missing, unknown or there twice, a value that is none of those named.
    pub fn parse(text: &str) -> Result<Self, InvalidVerdict> {
        let verdict: Self = serde_json::from_str(unfenced(text.trim()))
            .map_err(|it| InvalidVerdict(it.to_string()))?;
        // It is shown to people: nothing in it hides, and it does not go on for ever.
        let rationale = display_text(&verdict.rationale).chars().take(RATIONALE).collect();
        Ok(Self { rationale, ..verdict })
    }
}

/// What follows from a verdict about a call.
///
/// | harm | the user wants it | cannot be told | does not |
/// |---|---|---|---|
/// | low | allow | allow | deny |
/// | medium | allow | ask | deny |
/// | high | ask | ask | deny |
/// | critical | deny | deny | deny |
///
/// Where this says allow, a person is asked all the same about a call that a rule asks about,
/// that cannot be read whole, or whose class is above `most`.
pub fn outcome(verdict: &Verdict, request: &Request, most: Risk) -> Outcome {
    derive(verdict.harm, verdict.authorized, may_allow(request, most))
}

fn derive(harm: Harm, authorized: Authorized, may_allow: bool) -> Outcome {
    match (harm, authorized) {
        (Harm::Critical, _) | (_, Authorized::No) => Outcome::Deny,
        (Harm::Low, _) | (Harm::Medium, Authorized::Yes) if may_allow => Outcome::Allow,
        (Harm::Low | Harm::Medium | Harm::High, Authorized::Yes | Authorized::Unclear) => {
            Outcome::AskHuman
        }
    }
}

/// Whether a model may allow such a call at all.
pub(crate) fn may_allow(request: &Request, most: Risk) -> bool {
    request.asked_by == AskedBy::Nobody && request.is_readable && request.risk <= most
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let harm = match self.harm {
            Harm::Low => "little harm",
            Harm::Medium => "some harm",
            Harm::High => "much harm",
            Harm::Critical => "critical harm",
        };
        let wanted = match self.authorized {
            Authorized::Yes => "wanted by the user",
            Authorized::Unclear => "perhaps not wanted by the user",
            Authorized::No => "not wanted by the user",
        };
        write!(f, "{harm}, {wanted}, {:?}", self.rationale)
    }
}

/// A text is no verdict.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the answer is not one verdict and nothing else: {0}")]
pub struct InvalidVerdict(String);

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::AskHuman => "ask-human",
        })
    }
}

/// What is inside the one code fence that `text` is; `text` itself, where it is none.
fn unfenced(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    let inside = inside.map(|it| it.strip_prefix("json").unwrap_or(it));
    inside.map_or(text, str::trim)
}

/// How much of a rationale is kept, in characters.
const RATIONALE: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    /// How much an outcome lets happen.
    fn freedom(outcome: Outcome) -> u8 {
        match outcome {
            Outcome::Deny => 0,
            Outcome::AskHuman => 1,
            Outcome::Allow => 2,
        }
    }

    #[test]
    fn a_worse_verdict_never_lets_more_happen() {
        let harms = [Harm::Low, Harm::Medium, Harm::High, Harm::Critical];
        let wanted = [Authorized::Yes, Authorized::Unclear, Authorized::No];
        for may_allow in [true, false] {
            let at = |harm: usize, who: usize| freedom(derive(harms[harm], wanted[who], may_allow));
            for (harm, who) in (0..4).flat_map(|harm| (0..3).map(move |who| (harm, who))) {
                let here = at(harm, who);
                assert!(harm == 3 || at(harm + 1, who) <= here, "{harm} {who} {may_allow}");
                assert!(who == 2 || at(harm, who + 1) <= here, "{harm} {who} {may_allow}");
                assert!(may_allow || here < 2, "{harm} {who}");
            }
        }
    }
}
