//! The setting that has a model say why.

use std::fmt;
use std::sync::Arc;

use mcp_provider::{BoxError, ToolDeclaration, shield};
use serde_json::Value;

use crate::risk::Risks;

/// Whether a model is asked for a reason with each call that may need approval.
#[allow(clippy::exhaustive_enums, reason = "a switch has two positions")]
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum ToolReason {
    /// It is not asked.
    #[default]
    Disabled,
    /// It is asked.
    Enabled,
}

impl ToolReason {
    /// Reads the value of a setting, as written: `enabled`, `disabled`, or an expression in
    /// backticks.
    ///
    /// `evaluate` is given what is between the backticks, and must come to a boolean.
    ///
    /// # Errors
    ///
    /// Fails where it is anything else, also `true` and `false`, and where the expression fails,
    /// panics, or is no boolean.
    pub fn read(
        text: &str,
        evaluate: impl FnOnce(&str) -> Result<Value, BoxError>,
    ) -> Result<Self, InvalidToolReason> {
        let text = text.trim();
        match text {
            "enabled" => return Ok(Self::Enabled),
            "disabled" => return Ok(Self::Disabled),
            _ => {}
        }
        let inner = text.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
        let Some(expression) = inner.filter(|it| !it.is_empty() && !it.contains('`')) else {
            return Err(InvalidToolReason::Word { text: text.to_owned() });
        };
        let failed = |error: String| InvalidToolReason::Expression {
            expression: expression.to_owned(),
            error,
        };
        let value = shield(|| evaluate(expression)).map_err(|it| failed(it.to_string()))?;
        let value = value.map_err(|error| failed(error.to_string()))?;
        Self::from_json(&value).map_err(|_| InvalidToolReason::NotABoolean {
            expression: Some(expression.to_owned()),
            value: value.to_string(),
        })
    }

    /// Reads the setting as a program gives it: a boolean.
    ///
    /// # Errors
    ///
    /// Fails where it is anything else, also `"enabled"`, `1` and null.
    pub fn from_json(value: &Value) -> Result<Self, InvalidToolReason> {
        match value {
            Value::Bool(true) => Ok(Self::Enabled),
            Value::Bool(false) => Ok(Self::Disabled),
            other => {
                let value = other.to_string();
                Err(InvalidToolReason::NotABoolean { expression: None, value })
            }
        }
    }

    /// The setting inside a scope that may say otherwise: what is said closest counts.
    #[must_use]
    pub fn in_scope(self, scope: Option<Self>) -> Self {
        scope.unwrap_or(self)
    }

    /// For a host whose tools cannot take reasons, such as one that a vendor runs the tools for:
    /// refuses what would have no effect.
    ///
    /// # Errors
    ///
    /// Fails where it is enabled.
    pub fn refuse(self, host: &str) -> Result<(), UnsupportedToolReason> {
        match self {
            Self::Disabled => Ok(()),
            Self::Enabled => Err(UnsupportedToolReason { host: host.to_owned() }),
        }
    }

    /// What a layer that asks for reasons is to do; nothing where there should be none.
    pub fn plan(self, risks: &Risks) -> Option<ReasonPlan> {
        match self {
            Self::Disabled => None,
            Self::Enabled => Some(ReasonPlan { risks: Arc::new(risks.clone()) }),
        }
    }
}

impl From<bool> for ToolReason {
    fn from(is_enabled: bool) -> Self {
        if is_enabled { Self::Enabled } else { Self::Disabled }
    }
}

/// What a layer that asks for reasons is to do, in the words of none.
///
/// For `mcp-reasons` it is `Reasons::new(inner).only(move |tool| plan.wants(tool))`, with
/// `Collision::Error` as [`fails_on_collision`](Self::fails_on_collision) says, and
/// `Guidance::InInstructions` as [`guides_once`](Self::guides_once) says.
#[derive(Clone)]
pub struct ReasonPlan {
    risks: Arc<Risks>,
}

impl ReasonPlan {
    /// Whether `tool` gains the parameter: it may need approval.
    pub fn wants(&self, tool: &ToolDeclaration) -> bool {
        tool.name().is_some_and(|name| self.risks.may_need_approval(name))
    }

    /// Whether a tool that it wants, and that has a `reason` of its own, is an error.  It is.
    pub const fn fails_on_collision(&self) -> bool {
        true
    }

    /// Whether the model is told what a reason is for once, and not in each schema.  It is.
    pub const fn guides_once(&self) -> bool {
        true
    }
}

impl fmt::Debug for ReasonPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReasonPlan").field("risks", &self.risks).finish()
    }
}

/// A value is no setting of tool reasons.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidToolReason {
    /// The expression could not be evaluated.
    #[error("tool_reason: the expression `{expression}` failed: {error}")]
    Expression {
        /// What is between the backticks.
        expression: String,
        /// What it said.
        error: String,
    },
    /// Something else than a boolean.
    #[error(
        "tool_reason: {}{value}, which is not a boolean",
        .expression.as_ref().map(|it| format!("the expression `{it}` is ")).unwrap_or_default()
    )]
    NotABoolean {
        /// The expression that came to it, if it was one.
        expression: Option<String>,
        /// The value, as JSON.
        value: String,
    },
    /// A word that is none of the two.
    #[error(
        "tool_reason: {text:?} must be enabled, disabled, or an expression in backticks that is a \
         boolean"
    )]
    Word {
        /// The value as written.
        text: String,
    },
}

/// Reasons are enabled for tools that cannot take them.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("tool_reason is enabled, but {host} cannot ask its model for reasons; disable it")]
pub struct UnsupportedToolReason {
    host: String,
}
