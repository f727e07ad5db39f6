//! Arguments against the schema that their model was shown.

use std::collections::BTreeSet;

use mcp_provider::JsonObject;

use crate::UnknownKey;
use crate::declared::{Declared, properties};
use crate::nearest::nearest;
use crate::patterns::Patterns;

/// Finds the names among `arguments` that `schema` does not declare, sorted.
///
/// Only the outermost names are compared.  There are none where the schema declares no property
/// at all, and none that it welcomes undeclared: see the README.  The name `reason` is always
/// tolerated.
///
/// ```
/// use serde_json::json;
///
/// let schema = json!({ "properties": { "path": {}, "offset": {} } });
/// let arguments = json!({ "path": "a", "ffset": 12, "reason": "You asked for it" });
/// let unknown =
///     mcp_unknown_keys::audit(schema.as_object().unwrap(), arguments.as_object().unwrap());
/// assert_eq!(unknown[0].name, "ffset");
/// assert_eq!(unknown[0].did_you_mean.as_deref(), Some("offset"));
/// assert_eq!(unknown.len(), 1);
/// ```
pub fn audit(schema: &JsonObject, arguments: &JsonObject) -> Vec<UnknownKey> {
    let patterns = Patterns::default();
    let Some((declared, unknown)) = compare(schema, arguments, &patterns) else {
        return Vec::new();
    };
    unknown.into_iter().map(|name| unknown_key(&declared, arguments, name)).collect()
}

/// What a schema declares, and the names among `arguments` that it does not know.
///
/// Nothing where there are none of those, which is cheap to see for a call as it should be.
pub(crate) fn compare<'a, 'b>(
    schema: &'a JsonObject,
    arguments: &'b JsonObject,
    patterns: &Patterns,
) -> Option<(Declared<'a>, BTreeSet<&'b str>)> {
    let properties = properties(schema)?;
    let others = arguments.keys().map(String::as_str);
    let mut others =
        others.filter(|name| *name != TOLERATED && !properties.contains_key(*name)).peekable();
    others.peek()?;
    let declared = Declared::read(schema);
    let mut unknown: BTreeSet<&str> = others.filter(|name| !declared.knows(name)).collect();
    if !unknown.is_empty() {
        let patterns = patterns.compiled(&declared.patterns);
        unknown.retain(|name| !patterns.iter().any(|pattern| pattern.matches(name)));
    }
    (!unknown.is_empty()).then_some((declared, unknown))
}

/// The unknown `name`, with the declared one that it should perhaps have been.
pub(crate) fn unknown_key(
    declared: &Declared<'_>,
    arguments: &JsonObject,
    name: &str,
) -> UnknownKey {
    // One that the model wrote as well was not meant.
    let free = declared.names.iter().copied().filter(|name| !arguments.contains_key(*name));
    let did_you_mean = nearest(name, free).map(str::to_owned);
    UnknownKey { name: name.to_owned(), did_you_mean }
}

/// The parameter that `mcp-reasons` adds and takes away: a literal, as layers know no layers.
const TOLERATED: &str = "reason";
