//! A JSON value while it is read, whatever it is read from.
//!
//! The protocol's types are read from this and not from a `Deserializer`: their code is compiled
//! once, in this crate, and not for each deserializer in every crate that reads them. What it
//! costs to run is one indirect call a value.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::JsonObject;

/// A value.
pub(crate) enum Json<'a, 'de> {
    Null,
    Boolean(bool),
    Number(Number),
    String(String),
    Array(&'a mut dyn Entries<'de>),
    Object(&'a mut dyn Members<'de>),
    /// One that was asked for as [`Form::Value`].
    Value(Value),
    /// One that was asked for as [`Form::Raw`].
    Raw(Box<RawValue>),
}

impl Json<'_, '_> {
    /// The value as it came.
    pub(crate) fn into_value(self) -> Result<Value, Failed> {
        match self {
            Self::Null => Ok(Value::Null),
            Self::Boolean(boolean) => Ok(boolean.into()),
            Self::Number(number) => Ok(number.into()),
            Self::String(text) => Ok(text.into()),
            Self::Array(entries) => entries.whole(),
            Self::Object(members) => members.whole(),
            Self::Value(value) => Ok(value),
            // It is the text of a value, whatever it came from.
            Self::Raw(text) => Ok(serde_json::from_str(text.get()).unwrap_or_default()),
        }
    }
}

/// How a value is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// In parts, as far as it is read.
    Parts,
    Value,
    Raw,
}

/// Reading broke off; whoever began it has the error.
#[derive(Debug)]
pub(crate) struct Failed;

/// The entries of an array that are still to come.
pub(crate) trait Entries<'de> {
    /// Reads the next entry into `place`, and returns whether there was one, and what it was if
    /// it did not fit.
    fn next(&mut self, place: &mut dyn Place) -> Result<Option<Option<Value>>, Failed>;

    /// All of them as a value.
    fn whole(&mut self) -> Result<Value, Failed>;
}

/// The members of an object that are still to come.
pub(crate) trait Members<'de> {
    /// Reads the next name; its value comes next.
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, Failed>;

    /// Reads a value into `place`, and returns what it was if it did not fit.
    fn value_into(
        &mut self,
        place: &mut dyn Place,
        unreadable: &mut Vec<Value>,
    ) -> Result<Option<Value>, Failed>;

    fn value(&mut self) -> Result<Value, Failed>;

    fn skip_value(&mut self) -> Result<(), Failed>;

    /// All of them as a value: an object, or a number where `serde_json` has its
    /// `arbitrary_precision`.
    fn whole(&mut self) -> Result<Value, Failed>;

    /// All of them as an object, whatever their names are.
    fn rest(&mut self) -> Result<JsonObject, Failed>;
}

/// Where a value goes that is read.
pub(crate) trait Place {
    fn form(&self) -> Form;

    /// Takes a value, or returns it if it does not fit; what does not fit of a list goes to
    /// `unreadable`.
    fn take(
        &mut self,
        json: Json<'_, '_>,
        unreadable: &mut Vec<Value>,
    ) -> Result<Option<Value>, Failed>;
}

/// Reads a value into `place`, and returns what it was if it did not fit.
pub(crate) fn read_into<'de, D: Deserializer<'de>>(
    value: D,
    place: &mut dyn Place,
    unreadable: &mut Vec<Value>,
) -> Result<Option<Value>, D::Error> {
    Reader { place, unreadable }.deserialize(value)
}

struct Reader<'a> {
    place: &'a mut dyn Place,
    unreadable: &'a mut Vec<Value>,
}

impl Reader<'_> {
    fn take<E: Error>(self, json: Json<'_, '_>) -> Result<Option<Value>, E> {
        self.place.take(json, self.unreadable).map_err(|Failed| E::custom(UNTOLD))
    }
}

/// No place fails over a value that is whole.
const UNTOLD: &str = "a value cannot be read";

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Option<Value>, D::Error> {
        match self.place.form() {
            Form::Parts => value.deserialize_any(self),
            Form::Value => Value::deserialize(value).and_then(|it| self.take(Json::Value(it))),
            Form::Raw => Box::deserialize(value).and_then(|it| self.take(Json::Raw(it))),
        }
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, boolean: bool) -> Result<Option<Value>, E> {
        self.take(Json::Boolean(boolean))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<Value>, E> {
        self.take(Json::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<Value>, E> {
        self.take(Json::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<Value>, E> {
        self.take(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<Value>, E> {
        self.take(Json::String(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Option<Value>, E> {
        self.take(Json::String(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Option<Value>, E> {
        self.take(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<Option<Value>, A::Error> {
        let mut source = Source { access: entries, error: None };
        let taken = self.place.take(Json::Array(&mut source), self.unreadable);
        taken.map_err(|Failed| source.into_error())
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Option<Value>, A::Error> {
        let mut source = Source { access: members, error: None };
        let taken = self.place.take(Json::Object(&mut source), self.unreadable);
        taken.map_err(|Failed| source.into_error())
    }
}

/// Reads an object, and nothing else, into `place`; what it was if it did not fit.
pub(crate) fn read_object_into<'de, D: Deserializer<'de>>(
    object: D,
    name: &'static str,
    place: &mut dyn Place,
) -> Result<Option<Value>, D::Error> {
    object.deserialize_map(ObjectReader { name, place })
}

struct ObjectReader<'a> {
    name: &'static str,
    place: &'a mut dyn Place,
}

impl<'de> Visitor<'de> for ObjectReader<'_> {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} as an object", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Option<Value>, A::Error> {
        Reader { place: self.place, unreadable: &mut Vec::new() }.visit_map(members)
    }
}

/// What a deserializer gives, and the first error it gave.
struct Source<A, E> {
    access: A,
    error: Option<E>,
}

impl<A, E: Error> Source<A, E> {
    fn into_error(self) -> E {
        self.error.unwrap_or_else(|| E::custom(UNTOLD))
    }

    fn read<T>(&mut self, read: impl FnOnce(&mut A) -> Result<T, E>) -> Result<T, Failed> {
        read(&mut self.access).map_err(|error| {
            self.error = Some(error);
            Failed
        })
    }
}

impl<'de, A: SeqAccess<'de>> Entries<'de> for Source<A, A::Error> {
    fn next(&mut self, place: &mut dyn Place) -> Result<Option<Option<Value>>, Failed> {
        let unreadable = &mut Vec::new();
        self.read(|entries| entries.next_element_seed(Reader { place, unreadable }))
    }

    fn whole(&mut self) -> Result<Value, Failed> {
        self.read(|entries| Value::deserialize(SeqAccessDeserializer::new(entries)))
    }
}

impl<'de, A: MapAccess<'de>> Members<'de> for Source<A, A::Error> {
    fn next_key(&mut self) -> Result<Option<Cow<'de, str>>, Failed> {
        self.read(|members| members.next_key_seed(Key))
    }

    fn value_into(
        &mut self,
        place: &mut dyn Place,
        unreadable: &mut Vec<Value>,
    ) -> Result<Option<Value>, Failed> {
        self.read(|members| members.next_value_seed(Reader { place, unreadable }))
    }

    fn value(&mut self) -> Result<Value, Failed> {
        self.read(MapAccess::next_value)
    }

    fn skip_value(&mut self) -> Result<(), Failed> {
        self.read(MapAccess::next_value::<IgnoredAny>).map(|IgnoredAny| ())
    }

    fn whole(&mut self) -> Result<Value, Failed> {
        self.read(|members| Value::deserialize(MapAccessDeserializer::new(members)))
    }

    fn rest(&mut self) -> Result<JsonObject, Failed> {
        self.read(|members| JsonObject::deserialize(MapAccessDeserializer::new(members)))
    }
}

/// Reads the name of a member, borrowed where the text allows it.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Cow<'de, str>, D::Error> {
        key.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }

    fn visit_string<E: Error>(self, key: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key))
    }
}
