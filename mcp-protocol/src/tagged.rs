//! The macro for one of several objects, told apart by one member.
//!
//! Reading never fails: what is none of them is `Unknown`, whole and in order, and so is one of
//! them that lacks a member it must have.

macro_rules! tagged {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident by $tag:literal {
            $($(#[$about:meta])* $variant:ident($type:ident) = $word:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$about])* $variant($type),)*
            /// Anything else, as it came: an unknown kind, or a known one that lacks something.
            Unknown(serde_json::Value),
        }

        impl $name {
            #[doc = concat!("Returns the word under `", $tag, "`, if there is one.")]
            pub fn kind(&self) -> Option<&str> {
                match self {
                    $(Self::$variant(_) => Some($word),)*
                    Self::Unknown(value) => value.get($tag)?.as_str(),
                }
            }

            fn from_whole(whole: crate::JsonObject) -> Self {
                let read = match whole.get($tag).and_then(serde_json::Value::as_str) {
                    $(Some($word) => crate::object::from_members(whole).map(Self::$variant),)*
                    _ => Err(whole),
                };
                read.unwrap_or_else(|whole| Self::Unknown(whole.into()))
            }
        }

        impl crate::lenient::Member for $name {
            fn object<'de, A: serde::de::MapAccess<'de>>(
                mut members: A,
            ) -> Result<crate::lenient::Read<Self>, A::Error> {
                use crate::lenient::{Key, Read};
                use crate::object::{Object, collect};
                use serde_json::Value;

                let Some(first) = members.next_key_seed(Key)? else {
                    return Ok(Read::Good(Self::from_whole(crate::JsonObject::new())));
                };
                let value: Value = members.next_value()?;
                // The usual case: the kind comes first, and the rest can be read as that kind.
                let read = match value.as_str().filter(|_| first == $tag) {
                    $(Some($word) => $type::read_members(members)?.map(Self::$variant),)*
                    _ => {
                        let whole = collect(first.into_owned(), value, members)?;
                        return Ok(Read::Good(Self::from_whole(whole)));
                    }
                };
                Ok(Read::Good(read.unwrap_or_else(|incomplete| {
                    let mut whole = crate::JsonObject::new();
                    whole.insert($tag.to_owned(), value);
                    whole.extend(incomplete.whole);
                    Self::Unknown(whole.into())
                })))
            }

            fn array<'de, A: serde::de::SeqAccess<'de>>(
                entries: A,
                _unreadable: &mut Vec<serde_json::Value>,
            ) -> Result<crate::lenient::Read<Self>, A::Error> {
                use serde::Deserialize;

                let entries = serde::de::value::SeqAccessDeserializer::new(entries);
                let array = serde_json::Value::deserialize(entries)?;
                Ok(crate::lenient::Read::Good(Self::Unknown(array)))
            }

            fn string(text: String) -> crate::lenient::Read<Self> {
                crate::lenient::Read::Good(Self::Unknown(text.into()))
            }

            fn number(number: serde_json::Number) -> crate::lenient::Read<Self> {
                crate::lenient::Read::Good(Self::Unknown(number.into()))
            }

            fn boolean(boolean: bool) -> crate::lenient::Read<Self> {
                crate::lenient::Read::Good(Self::Unknown(boolean.into()))
            }

            fn null() -> crate::lenient::Read<Self> {
                crate::lenient::Read::Good(Self::Unknown(serde_json::Value::Null))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                crate::lenient::read_strictly(value, stringify!($name))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(object) => object.serialize(serializer),)*
                    Self::Unknown(value) => value.serialize(serializer),
                }
            }
        }

        $(impl From<$type> for $name {
            fn from(object: $type) -> Self {
                Self::$variant(object)
            }
        })*
    };
}

pub(crate) use tagged;
