//! The members of an object that have no field.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use crate::JsonObject;

/// A [`JsonObject`] in the room of a pointer: most objects have no member without a field.
#[derive(Clone, Default)]
pub struct Extra(Option<Box<JsonObject>>);

impl Extra {
    /// Returns the members as an object of their own.
    pub fn into_object(self) -> JsonObject {
        self.0.map(|members| *members).unwrap_or_default()
    }
}

impl Deref for Extra {
    type Target = JsonObject;

    fn deref(&self) -> &JsonObject {
        static NONE: LazyLock<JsonObject> = LazyLock::new(JsonObject::new);
        self.0.as_deref().unwrap_or_else(|| &NONE)
    }
}

impl DerefMut for Extra {
    fn deref_mut(&mut self) -> &mut JsonObject {
        self.0.get_or_insert_default()
    }
}

impl From<JsonObject> for Extra {
    fn from(members: JsonObject) -> Self {
        Self(Some(members).filter(|members| !members.is_empty()).map(Box::new))
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<JsonObject> for Extra {
    fn eq(&self, other: &JsonObject) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_members_take_no_room_and_are_equal_to_none_left() {
        let mut extra = Extra::default();
        assert!(extra.get("a").is_none() && extra.0.is_none(), "looking makes no room");
        extra.insert("a".to_owned(), json!(1));
        assert_eq!(extra["a"], 1);
        assert_ne!(extra, Extra::default());
        extra.remove("a");
        assert_eq!(extra, Extra::default());
        assert_eq!(extra.clone().into_object(), JsonObject::new());
        assert!(Extra::from(JsonObject::new()).0.is_none());
        assert_eq!(format!("{extra:?}"), format!("{:?}", JsonObject::new()));
    }
}
