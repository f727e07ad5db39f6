//! Reading one value at a time, so that an odd member never costs the message around it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};

use crate::JsonObject;

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
}

/// A type that a member of an object, or an entry of a list, can have.
///
/// Each of the first six methods is called for one kind of JSON value, and by default finds it
/// odd: a type says only what it takes. Errors are those of the text underneath (a syntax error).
pub(crate) trait Member: Serialize + Sized {
    fn string(text: String) -> Read<Self> {
        Read::Odd(Value::String(text))
    }

    fn number(number: Number) -> Read<Self> {
        Read::Odd(Value::Number(number))
    }

    fn boolean(boolean: bool) -> Read<Self> {
        Read::Odd(Value::Bool(boolean))
    }

    fn null() -> Read<Self> {
        Read::Odd(Value::Null)
    }

    /// Reads a list; entries that it cannot read go to `unreadable`.
    fn array<'de, A: SeqAccess<'de>>(
        entries: A,
        _unreadable: &mut Vec<Value>,
    ) -> Result<Read<Self>, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(entries)).map(Read::Odd)
    }

    fn object<'de, A: MapAccess<'de>>(members: A) -> Result<Read<Self>, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(members)).map(Read::Odd)
    }

    /// Reads any value, in one pass.
    fn read<'de, D: Deserializer<'de>>(
        value: D,
        unreadable: &mut Vec<Value>,
    ) -> Result<Read<Self>, D::Error> {
        value.deserialize_any(Any::<Self> { unreadable, member: PhantomData })
    }

    /// What stands for a member that is missing, null or odd, if anything may.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether the member is written at all.
    fn is_present(&self) -> bool {
        true
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

/// Reads exactly a `T`: for values that stand alone and have no message to protect.
pub(crate) fn read_strictly<'de, T: Member, D: Deserializer<'de>>(
    value: D,
    expected: &str,
) -> Result<T, D::Error> {
    match T::read(value, &mut Vec::new())? {
        Read::Good(value) => Ok(value),
        Read::Odd(_) => Err(D::Error::custom(format_args!("this is no {expected}"))),
    }
}

/// Reads a `T` through a seed, which is how a map or a list hands out its values.
pub(crate) struct Seed<'a, T> {
    unreadable: &'a mut Vec<Value>,
    member: PhantomData<T>,
}

impl<'a, T> Seed<'a, T> {
    pub(crate) fn new(unreadable: &'a mut Vec<Value>) -> Self {
        Self { unreadable, member: PhantomData }
    }
}

impl<'de, T: Member> DeserializeSeed<'de> for Seed<'_, T> {
    type Value = Read<T>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Read<T>, D::Error> {
        T::read(value, self.unreadable)
    }
}

/// Writes a member through [`Member::write`].
pub(crate) struct Written<'a, T>(pub(crate) &'a T);

impl<T: Member> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// Reads the name of a member, borrowed where the text allows it.
pub(crate) struct Key;

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

struct Any<'a, T> {
    unreadable: &'a mut Vec<Value>,
    member: PhantomData<T>,
}

impl<'de, T: Member> Visitor<'de> for Any<'_, T> {
    type Value = Read<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, boolean: bool) -> Result<Read<T>, E> {
        Ok(T::boolean(boolean))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Read<T>, E> {
        Ok(T::number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Read<T>, E> {
        Ok(T::number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Read<T>, E> {
        Ok(Number::from_f64(number).map_or_else(T::null, T::number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Read<T>, E> {
        Ok(T::string(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Read<T>, E> {
        Ok(T::string(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Read<T>, E> {
        Ok(T::null())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<Read<T>, A::Error> {
        T::array(entries, self.unreadable)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Read<T>, A::Error> {
        Ok(match T::object(members)? {
            // With serde_json's arbitrary_precision, which another crate of the program may turn
            // on, a number arrives as a map that only `Value` can tell from an object.
            Read::Odd(Value::Number(number)) => T::number(number),
            read => read,
        })
    }
}

impl Member for String {
    fn string(text: String) -> Read<Self> {
        Read::Good(text)
    }
}

impl Member for bool {
    fn boolean(boolean: bool) -> Read<Self> {
        Read::Good(boolean)
    }
}

impl Member for f64 {
    fn number(number: Number) -> Read<Self> {
        number.as_f64().map_or_else(|| Read::Odd(Value::Number(number)), Read::Good)
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
    fn number(number: Number) -> Read<Self> {
        match whole(&number).and_then(|count| Self::try_from(count).ok()) {
            Some(count) => Read::Good(count),
            None => Read::Odd(Value::Number(number)),
        }
    }
}

impl Member for Value {
    fn read<'de, D: Deserializer<'de>>(
        value: D,
        _unreadable: &mut Vec<Self>,
    ) -> Result<Read<Self>, D::Error> {
        Ok(match Self::deserialize(value)? {
            Self::Null => Read::Odd(Self::Null),
            value => Read::Good(value),
        })
    }
}

impl Member for JsonObject {
    fn object<'de, A: MapAccess<'de>>(members: A) -> Result<Read<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(members)).map(Read::Good)
    }
}

/// Names to strings; a value that is no string is left out.
impl Member for BTreeMap<String, String> {
    fn object<'de, A: MapAccess<'de>>(mut members: A) -> Result<Read<Self>, A::Error> {
        let mut strings = Self::new();
        while let Some(key) = members.next_key()? {
            if let Read::Good(text) = members.next_value_seed(Seed::new(&mut Vec::new()))? {
                strings.insert(key, text);
            }
        }
        Ok(Read::Good(strings))
    }
}

impl<T: Member> Member for Vec<T> {
    fn array<'de, A: SeqAccess<'de>>(
        mut entries: A,
        unreadable: &mut Vec<Value>,
    ) -> Result<Read<Self>, A::Error> {
        let mut list = Self::new();
        while let Some(entry) = entries.next_element_seed(Seed::new(&mut Vec::new()))? {
            match entry {
                Read::Good(entry) => {
                    if list.is_empty() {
                        // Most lists of content hold one block, and room for four is much.
                        list.reserve_exact(1);
                    }
                    list.push(entry);
                }
                Read::Odd(entry) => unreadable.push(entry),
            }
        }
        Ok(Read::Good(list))
    }
}

impl<T: Member> Member for Option<T> {
    fn read<'de, D: Deserializer<'de>>(
        value: D,
        unreadable: &mut Vec<Value>,
    ) -> Result<Read<Self>, D::Error> {
        Ok(T::read(value, unreadable)?.map(Some))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_present(&self) -> bool {
        self.is_some()
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl<T: Member> Member for Box<T> {
    fn read<'de, D: Deserializer<'de>>(
        value: D,
        unreadable: &mut Vec<Value>,
    ) -> Result<Read<Self>, D::Error> {
        Ok(T::read(value, unreadable)?.map(Self::new))
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
