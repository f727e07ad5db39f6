//! The macro that the protocol's objects are written in: what is read, and what is written.
//!
//! `title: Option<String> => "title"` is a member under that key; it is absent when it is missing,
//! null or of another type. A member whose type is no `Option` must be there, unless it says
//! `or default` (missing, null or odd) or `or default when null` (missing or null). Members that
//! are not named are kept in `extra`. `struct TextContent: "type" = "text"` writes that member
//! first and reads over it; `with unreadable` keeps what could not be read of a list.
//!
//! Known members go from the text straight into their fields: serde's `flatten`, `untagged` and
//! tagged enums all buffer, which copies a megabyte of text once more and loses raw JSON.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use crate::JsonObject;

/// A type made by `object!`.
pub(crate) trait Object: Sized {
    const NAME: &'static str;

    fn read_members<'de, A: MapAccess<'de>>(
        members: A,
    ) -> Result<Result<Self, Incomplete>, A::Error>;
}

/// An object that lacks a member it must have.
pub(crate) struct Incomplete {
    pub(crate) missing: &'static str,
    /// The object as it came, in its own order.
    pub(crate) whole: JsonObject,
}

/// Reads an object that stands alone.
pub(crate) fn read_object<'de, T: Object, D: Deserializer<'de>>(object: D) -> Result<T, D::Error> {
    object.deserialize_map(Members(PhantomData))?.map_err(|incomplete| {
        D::Error::custom(format_args!("{} without {:?}", T::NAME, incomplete.missing))
    })
}

/// Reads an object that was already taken apart; an incomplete one comes back.
pub(crate) fn from_members<T: Object>(whole: JsonObject) -> Result<T, JsonObject> {
    match whole.deserialize_map(Members(PhantomData)) {
        Ok(read) => read.map_err(|incomplete| incomplete.whole),
        // A tree of values has no syntax to get wrong.
        Err(_) => Err(JsonObject::new()),
    }
}

/// Takes an object apart, beginning with a member that was read already.
pub(crate) fn collect<'de, A: MapAccess<'de>>(
    key: String,
    value: Value,
    members: A,
) -> Result<JsonObject, A::Error> {
    let mut whole = JsonObject::new();
    whole.insert(key, value);
    whole.extend(<JsonObject as serde::Deserialize>::deserialize(MapAccessDeserializer::new(
        members,
    ))?);
    Ok(whole)
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for Members<T> {
    type Value = Result<T, Incomplete>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} as an object", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        T::read_members(members)
    }
}

macro_rules! object {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(: $tag:literal = $word:literal)? $(with $unreadable:ident)? {
            $(
                $(#[$about:meta])*
                pub $field:ident: $type:ty => $key:literal $(or $fallback:ident $(when $null:ident)?)?,
            )*
        }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
            $(
                /// The entries that could not be read, as they came; they are not written.
                pub $unreadable: Vec<serde_json::Value>,
            )?
            /// The members that have no field here, as they came.
            pub extra: crate::Extra,
        }

        impl crate::object::Object for $name {
            const NAME: &'static str = stringify!($name);

            fn read_members<'de, A: serde::de::MapAccess<'de>>(
                mut members: A,
            ) -> Result<Result<Self, crate::object::Incomplete>, A::Error> {
                use crate::lenient::{Key, Read, Seed};

                $(let mut $field: Option<$type> = None;)*
                let mut extra = crate::Extra::default();
                let mut odd = crate::Extra::default();
                let mut unreadable = Vec::new();
                // Which members came when; only an incomplete object is put together again.
                let mut order = crate::order::Order::default();

                while let Some(key) = members.next_key_seed(Key)? {
                    match &*key {
                        $($key => {
                            order.push($key);
                            match members.next_value_seed(Seed::<$type>::new(&mut unreadable))? {
                                Read::Good(value) => $field = Some(value),
                                Read::Odd(value) => {
                                    $field = None;
                                    odd.insert(key.into_owned(), value);
                                }
                            }
                        })*
                        $($tag => {
                            order.push($tag);
                            members.next_value::<serde::de::IgnoredAny>()?;
                        })?
                        _ => {
                            order.push("");
                            extra.insert(key.into_owned(), members.next_value()?);
                        }
                    }
                }

                $(let $field = $field.or_else(|| {
                    crate::object::object!(@otherwise odd, $key, $type $(, $fallback $($null)?)?)
                });)*
                match ($($field,)*) {
                    ($(Some($field),)*) => {
                        $(let $unreadable = unreadable;)?
                        Ok(Ok(Self { $($field,)* $($unreadable,)? extra }))
                    }
                    // Something that must be there is not: the object goes back as it came.
                    ($(mut $field,)*) => {
                        let missing = [$(($key, $field.is_none())),*];
                        let missing = missing.iter().find(|(_, missing)| *missing);
                        let mut whole = crate::JsonObject::new();
                        let mut extra = extra.into_object().into_iter();
                        for key in order.into_names() {
                            let value = match key {
                                $($key => odd.remove(key).or_else(|| {
                                    serde_json::to_value($field.take()?).ok()
                                }),)*
                                $($tag => Some($word.into()),)?
                                _ => {
                                    whole.extend(extra.next());
                                    None
                                }
                            };
                            whole.extend(value.map(|value| (key.to_owned(), value)));
                        }
                        let missing = missing.map_or("", |(key, _)| key);
                        Ok(Err(crate::object::Incomplete { missing, whole }))
                    }
                }
            }
        }

        impl crate::lenient::Member for $name {
            fn object<'de, A: serde::de::MapAccess<'de>>(
                members: A,
            ) -> Result<crate::lenient::Read<Self>, A::Error> {
                use crate::lenient::Read;
                use crate::object::Object;

                Ok(match Self::read_members(members)? {
                    Ok(object) => Read::Good(object),
                    Err(incomplete) => Read::Odd(serde_json::Value::Object(incomplete.whole)),
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
                crate::object::read_object(object)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use crate::lenient::{Member, Written};
                use serde::ser::SerializeMap;

                let mut members = serializer.serialize_map(None)?;
                $(members.serialize_entry($tag, $word)?;)?
                $(if self.$field.is_present() {
                    members.serialize_entry($key, &Written(&self.$field))?;
                })*
                for (key, value) in &*self.extra {
                    members.serialize_entry(key, value)?;
                }
                members.end()
            }
        }
    };

    (@otherwise $odd:ident, $key:literal, $type:ty) => {
        <$type as crate::lenient::Member>::absent()
    };
    (@otherwise $odd:ident, $key:literal, $type:ty, default) => {
        Some(<$type>::default())
    };
    (@otherwise $odd:ident, $key:literal, $type:ty, default null) => {
        $odd.get($key).is_none_or(serde_json::Value::is_null).then(<$type>::default)
    };
}

pub(crate) use object;
