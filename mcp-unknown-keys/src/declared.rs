//! Which names a JSON Schema declares, and whether it welcomes others.

use std::collections::BTreeSet;

use mcp_provider::JsonObject;
use serde_json::Value;

/// The names that the schema of a tool's arguments declares.
#[derive(Debug)]
pub(crate) struct Declared<'a> {
    pub(crate) names: BTreeSet<&'a str>,
    /// The patterns of those that are welcome.
    pub(crate) patterns: Vec<&'a str>,
    /// Whether the schema welcomes any name, or says more than is understood here.
    is_open: bool,
}

impl<'a> Declared<'a> {
    /// Reads a schema, and those that apply to the same object because it names them.
    pub(crate) fn read(schema: &'a JsonObject) -> Self {
        let mut declared = Self { names: BTreeSet::new(), patterns: Vec::new(), is_open: false };
        // Each part once: a reference may lead back.
        let mut parts = vec![schema];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            declared.read_part(part);
            declared.gather(schema, part, &mut parts);
            declared.is_open |= parts.len().max(declared.patterns.len()) > MOST_PARTS;
            if declared.is_open {
                break;
            }
        }
        declared
    }

    /// Whether `name` is declared, or welcome as any name is.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.is_open || self.names.contains(name)
    }

    /// What one schema says itself.
    fn read_part(&mut self, part: &'a JsonObject) {
        let members = |word: &str| part.get(word).and_then(Value::as_object).into_iter().flatten();
        self.names.extend(members("properties").map(|(name, _)| name.as_str()));
        self.patterns.extend(members("patternProperties").map(|(pattern, _)| pattern.as_str()));
        // An odd schema, whose author plainly means something by the name.
        let required = part.get("required").and_then(Value::as_array).into_iter().flatten();
        self.names.extend(required.filter_map(Value::as_str));
        self.is_open |= ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|word| matches!(part.get(*word), Some(Value::Bool(true) | Value::Object(_))));
    }

    /// Adds the schemas that apply to the same object because `part` names them.
    fn gather(
        &mut self,
        root: &'a JsonObject,
        part: &'a JsonObject,
        parts: &mut Vec<&'a JsonObject>,
    ) {
        let lists =
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| part.get(*word)?.as_array());
        let maps = ["dependentSchemas", "dependencies"]
            .iter()
            .filter_map(|word| Some(part.get(*word)?.as_object()?.values()));
        let single = ["if", "then", "else"].iter().filter_map(|word| part.get(*word));
        let mut found: Vec<&'a JsonObject> = lists
            .flatten()
            .chain(maps.flatten())
            .chain(single)
            .filter_map(Value::as_object)
            .collect();
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = part.get(word) else { continue };
            match reference.as_str().and_then(|it| resolve(root, it)) {
                Some(target) => found.push(target),
                None => self.is_open = true,
            }
        }
        for new in found {
            if !parts.iter().any(|known| std::ptr::eq(*known, new)) {
                parts.push(new);
            }
        }
    }
}

/// How many schemas and patterns may apply to one object before it counts as open.
const MOST_PARTS: usize = 256;

/// The properties that a schema itself declares, if there are any.
pub(crate) fn properties(schema: &JsonObject) -> Option<&JsonObject> {
    schema.get("properties")?.as_object().filter(|properties| !properties.is_empty())
}

/// The schema at a reference within this one: `#`, or `#/` and a JSON pointer.
fn resolve<'a>(root: &'a JsonObject, reference: &str) -> Option<&'a JsonObject> {
    let pointer = reference.strip_prefix('#').filter(|it| !it.contains('%'))?;
    let Some(pointer) = pointer.strip_prefix('/') else {
        return pointer.is_empty().then_some(root);
    };
    let mut names = pointer.split('/').map(|name| name.replace("~1", "/").replace("~0", "~"));
    let first = root.get(&names.next()?)?;
    names
        .try_fold(first, |at, name| match at {
            Value::Object(object) => object.get(&name),
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            _ => None,
        })?
        .as_object()
}
