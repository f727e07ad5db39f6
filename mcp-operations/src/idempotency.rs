//! What may be said about doing a call again.

use std::fmt;

use mcp_provider::location::{InvalidToolPattern, ToolPattern};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What doing a call twice would mean, as the host classified its tool.
///
/// It words sentences about calls whose outcome is unknown, and nothing else: no call is ever made
/// again because of it.
#[allow(clippy::exhaustive_enums, reason = "every tool is one of these, or nobody knows")]
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Idempotency {
    /// It changes nothing.
    ReadOnly,
    /// Twice is as good as once.
    Idempotent,
    /// Twice is worse than once.
    Destructive,
    /// Nobody said; it is spoken of as destructive.
    #[default]
    Unknown,
}

impl Idempotency {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Idempotent, Self::Destructive, Self::Unknown];

    /// The name in JSON, such as `read-only`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Idempotent => "idempotent",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

impl fmt::Display for Idempotency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which tools are of which class: the first rule that matches decides.
///
/// ```
/// use mcp_operations::{Idempotency, IdempotencyRules};
///
/// let rules = IdempotencyRules::new([
///     ("fs_read", Idempotency::ReadOnly),
///     ("fs_*", Idempotency::Destructive),
/// ])?;
/// assert_eq!(rules.class("fs_write"), Idempotency::Destructive);
/// assert_eq!(rules.class("web_fetch"), Idempotency::Unknown);
/// # Ok::<(), mcp_operations::InvalidIdempotencyRule>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct IdempotencyRules(Vec<(ToolPattern, Idempotency)>);

impl IdempotencyRules {
    /// Rules from patterns, tools' names or beginnings of names and then a `*`, and classes.
    ///
    /// # Errors
    ///
    /// Fails at the first pattern that is none.
    pub fn new<T: AsRef<str>>(
        rules: impl IntoIterator<Item = (T, Idempotency)>,
    ) -> Result<Self, InvalidIdempotencyRule> {
        let read = |(index, (tool, class)): (usize, (T, Idempotency))| {
            let pattern = ToolPattern::parse(tool.as_ref());
            let wrong = |why| InvalidIdempotencyRule { index, why: Wrong::Pattern(why) };
            Ok((pattern.map_err(wrong)?, class))
        };
        rules.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Rules from JSON: `[{"tool": "fs_read*", "idempotency": "read-only"}, …]`.
    ///
    /// # Errors
    ///
    /// Fails where it is no list, or at the first item that is no rule, and names its index.
    pub fn from_json(json: &Value) -> Result<Self, InvalidIdempotencyRule> {
        let wrong = |index, why| InvalidIdempotencyRule { index, why };
        let items = json.as_array().ok_or_else(|| wrong(0, Wrong::NotAList))?;
        let mut rules = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let rule = item.as_object().ok_or_else(|| wrong(index, Wrong::NotAnObject))?;
            let tool = rule.get("tool").and_then(Value::as_str);
            let tool = tool.ok_or_else(|| wrong(index, Wrong::NoTool))?;
            let pattern =
                ToolPattern::parse(tool).map_err(|it| wrong(index, Wrong::Pattern(it)))?;
            let class = rule.get("idempotency").unwrap_or(&Value::Null);
            let known = class.as_str().and_then(Idempotency::from_name);
            let class = known.ok_or_else(|| wrong(index, Wrong::Class(class.to_string())))?;
            rules.push((pattern, class));
        }
        Ok(Self(rules))
    }

    /// The class of a tool: that of the first rule that matches, else unknown.
    pub fn class(&self, tool: &str) -> Idempotency {
        let rule = self.0.iter().find(|(pattern, _)| pattern.matches(tool));
        rule.map(|(_, class)| *class).unwrap_or_default()
    }
}

/// A rule about tools cannot be used; none of its list is.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("idempotency rule {index}: {why}")]
pub struct InvalidIdempotencyRule {
    index: usize,
    why: Wrong,
}

impl InvalidIdempotencyRule {
    /// The place of the rule in its list; the first is 0.
    pub fn index(&self) -> usize {
        self.index
    }
}

#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
enum Wrong {
    #[error("the rules must be a list")]
    NotAList,
    #[error("it must be an object with \"tool\" and \"idempotency\"")]
    NotAnObject,
    #[error("it must have a \"tool\", which is text")]
    NoTool,
    #[error("{0}")]
    Pattern(InvalidToolPattern),
    #[error(
        "its \"idempotency\" is {0}, and must be one of \"read-only\", \"idempotent\", \
         \"destructive\", \"unknown\""
    )]
    Class(String),
}
