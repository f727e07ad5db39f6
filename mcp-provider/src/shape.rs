//! JSON objects some of whose members are kept apart from the rest.

use serde_json::Value;

use crate::JsonObject;

/// Takes a member out of `object` and leaves a placeholder where it stood.
pub(crate) fn take(object: &mut JsonObject, name: &str) -> Value {
    object.get_mut(name).map(Value::take).unwrap_or_default()
}

/// Puts `parts` back among the members of `rest`, each at its placeholder.
///
/// Parts that have no place yet follow at the end in the order given; the place of a part
/// that is no longer there closes up.
pub(crate) fn fill<const N: usize>(
    rest: &JsonObject,
    mut parts: [(&str, Option<Value>); N],
) -> JsonObject {
    let mut object = JsonObject::new();
    for (key, value) in rest {
        match parts.iter_mut().find(|(name, _)| name == key) {
            Some((_, part)) => {
                if let Some(part) = part.take() {
                    object.insert(key.clone(), part);
                }
            }
            None => {
                object.insert(key.clone(), value.clone());
            }
        }
    }
    for (name, part) in parts {
        if let Some(part) = part {
            object.insert(name.to_owned(), part);
        }
    }
    object
}
