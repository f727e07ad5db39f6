//! Reading one value at a time, so that an odd member never costs the message around it.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::JsonObject;
use crate::json::{Failed, Form, Json, Place, read_into};

/// What came of reading a value as a `T`.
pub(crate) enum Read<T> {
    /// It was one.
    Good(T),
    /// It was something else, kept as it came.
    Odd(Value),
}

impl<T> Read<T> {
    pub(crate) fn map<U>(self, good: impl FnOnce(T) -> U) -> Read<U> {
        match self {
            Self::Good(value) => Read::Good(good(value)),
            Self::Odd(value) => Read::Odd(value),
        }
    }

    /// What a type makes of a value that it does not take.
    pub(crate) fn odd(json: Json<'_, '_>) -> Result<Self, Failed> {
        json.into_value().map(Self::Odd)
    }
}

/// A type that a member of an object, or an entry of a list, can have.
pub(crate) trait Member: Serialize + Sized {
    /// How it wants to be read.
    const FORM: Form = Form::Parts;

    /// Reads any value, in one pass; entries of a list that cannot be read go to `unreadable`.
    ///
    /// It fails where the text underneath does (a syntax error), and never over what it says.
    fn read(json: Json<'_, '_>, unreadable: &mut Vec<Value>) -> Result<Read<Self>, Failed>;

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

/// The type of a field: a [`Member`] that must be there, or an `Option` of one.
pub(crate) trait Field: Sized {
    type Value: Member;
    const IS_REQUIRED: bool;

    /// The field after everything is read; nothing where it must be there and is not.
    fn from_read(read: Option<Self::Value>) -> Option<Self>;

    /// What is written of it, if anything is.
    fn to_written(&self) -> Option<Written<'_, Self::Value>>;
}

impl<T: Member> Field for T {
    type Value = T;
    const IS_REQUIRED: bool = true;

    fn from_read(read: Option<T>) -> Option<T> {
        read
    }

    fn to_written(&self) -> Option<Written<'_, T>> {
        Some(Written(self))
    }
}

impl<T: Member> Field for Option<T> {
    type Value = T;
    const IS_REQUIRED: bool = false;

    fn from_read(read: Self) -> Option<Self> {
        Some(read)
    }

    fn to_written(&self) -> Option<Written<'_, T>> {
        self.as_ref().map(Written)
    }
}

/// A member that is being read: empty where it is missing or odd.
pub(crate) trait Slot: Place {
    fn is_empty(&self) -> bool;

    /// Takes the value out again, as JSON.
    fn give_back(&mut self) -> Option<Value>;
}

impl<T: Member> Place for Option<T> {
    fn form(&self) -> Form {
        T::FORM
    }

    fn take(
        &mut self,
        json: Json<'_, '_>,
        unreadable: &mut Vec<Value>,
    ) -> Result<Option<Value>, Failed> {
        let is_object = matches!(json, Json::Object(_));
        let read = match T::read(json, unreadable)? {
            // With serde_json's arbitrary_precision, which another crate of the program may turn
            // on, a number arrives as a map that only `Value` can tell from an object.
            Read::Odd(Value::Number(number)) if is_object => {
                T::read(Json::Number(number), unreadable)?
            }
            read => read,
        };
        Ok(match read {
            Read::Good(value) => {
                *self = Some(value);
                None
            }
            Read::Odd(value) => {
                *self = None;
                Some(value)
            }
        })
    }
}

impl<T: Member> Slot for Option<T> {
    fn is_empty(&self) -> bool {
        self.is_none()
    }

    fn give_back(&mut self) -> Option<Value> {
        serde_json::to_value(self.take()?).ok()
    }
}

/// Reads exactly a `T`: for values that stand alone and have no message to protect.
pub(crate) fn read_strictly<'de, T: Member, D: Deserializer<'de>>(
    value: D,
    expected: &str,
) -> Result<T, D::Error> {
    let mut read = None;
    match read_into(value, &mut read, &mut Vec::new())? {
        None => read.ok_or(()),
        Some(_) => Err(()),
    }
    .map_err(|()| D::Error::custom(format_args!("this is no {expected}")))
}

/// Writes a member through [`Member::write`].
pub(crate) struct Written<'a, T>(pub(crate) &'a T);

impl<T: Member> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl Member for String {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::String(text) => Ok(Read::Good(text)),
            other => Read::odd(other),
        }
    }
}

impl Member for bool {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Boolean(boolean) => Ok(Read::Good(boolean)),
            other => Read::odd(other),
        }
    }
}

impl Member for f64 {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Number(number) => {
                Ok(number.as_f64().map_or_else(|| Read::Odd(number.into()), Read::Good))
            }
            other => Read::odd(other),
        }
    }

    /// Writes a whole number without a fraction, as the servers of most languages do.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.fract() == 0.0 && self.abs() <= MAX_SAFE_INTEGER {
            serializer.serialize_i64(*self as i64)
        } else {
            serializer.serialize_f64(*self)
        }
    }
}

impl Member for u64 {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Number(number) => {
                let count = whole(&number).and_then(|count| Self::try_from(count).ok());
                Ok(count.map_or_else(|| Read::Odd(number.into()), Read::Good))
            }
            other => Read::odd(other),
        }
    }
}

impl Member for Value {
    const FORM: Form = Form::Value;

    fn read(json: Json<'_, '_>, _: &mut Vec<Self>) -> Result<Read<Self>, Failed> {
        Ok(match json.into_value()? {
            Self::Null => Read::Odd(Self::Null),
            value => Read::Good(value),
        })
    }
}

impl Member for JsonObject {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Object(members) => members.rest().map(Read::Good),
            other => Read::odd(other),
        }
    }
}

/// Names to strings; a value that is no string is left out.
impl Member for BTreeMap<String, String> {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        let Json::Object(members) = json else { return Read::odd(json) };
        let mut strings = Self::new();
        while let Some(name) = members.next_key()? {
            let mut text = None::<String>;
            members.value_into(&mut text, &mut Vec::new())?;
            strings.extend(text.map(|text| (name.into_owned(), text)));
        }
        Ok(Read::Good(strings))
    }
}

impl<T: Member> Member for Vec<T> {
    fn read(json: Json<'_, '_>, unreadable: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        let Json::Array(entries) = json else { return Read::odd(json) };
        let mut list = Self::new();
        let mut entry = None;
        while let Some(odd) = entries.next(&mut entry)? {
            if list.is_empty() {
                // Most lists of content hold one block, and room for four is much.
                list.reserve_exact(1);
            }
            match odd {
                Some(odd) => unreadable.push(odd),
                None => list.extend(entry.take()),
            }
        }
        Ok(Read::Good(list))
    }
}

impl<T: Member> Member for Box<T> {
    const FORM: Form = T::FORM;

    fn read(json: Json<'_, '_>, unreadable: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        Ok(T::read(json, unreadable)?.map(Self::new))
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).write(serializer)
    }
}

/// Returns the integer that `number` is, also where a peer spells 3 as `3.0`.
pub(crate) fn whole(number: &Number) -> Option<i128> {
    let is_whole = |float: &f64| float.fract() == 0.0 && float.abs() <= MAX_SAFE_INTEGER;
    let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    integer.or_else(|| number.as_f64().filter(is_whole).map(|float| float as i128))
}

/// The largest integer up to which a double counts without gaps, 2^53 − 1.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
