//! Keys that are written twice.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The first key that is written twice in one object of the JSON `text`, at any depth.
///
/// Text that is not JSON holds none: whoever reads it says what is wrong with it.
pub(crate) fn duplicate_key(text: &str) -> Option<String> {
    let mut found = None;
    let mut json = serde_json::Deserializer::from_str(text);
    // An error means that one was found, or that the text is no JSON.
    let _ = Unique(&mut found).deserialize(&mut json);
    found
}

/// Reads any JSON value, and stops at a duplicate key.
struct Unique<'f>(&'f mut Option<String>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Unique(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = members.next_key_seed(Key)? {
            if keys.contains(&key) {
                *self.0 = Some(key.into_owned());
                let _ = members.next_value::<IgnoredAny>();
                return Err(A::Error::custom("a key is there twice"));
            }
            keys.insert(key);
            members.next_value_seed(Unique(&mut *self.0))?;
        }
        Ok(())
    }
}

/// Reads a key, which is borrowed unless it is written with an escape.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Cow<'de, str>, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_written_twice_is_found_at_any_depth() {
        let cases = [
            (r#"{"a": 1, "a": 2}"#, Some("a")),
            (r#"{"a": 1, "\u0061": 2}"#, Some("a")),
            (r#"{"a": {"b": [{"c": 1, "c": 1.5}]}}"#, Some("c")),
            (r#"  [1, -2, null, true, "x", {"k": 1, "k": 1}] "#, Some("k")),
            (r#"{"a": {"b": 1}, "b": {"a": 1}}"#, None),
            (r#"[{"a": 1}, {"a": 1}]"#, None),
            ("{\"a\": 1, \"a\"", Some("a")),
            ("not json", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(duplicate_key(text).as_deref(), expected, "{text}");
        }
    }
}
