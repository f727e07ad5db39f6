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
                    _ => Err(whole.into()),
                };
                read.unwrap_or_else(Self::Unknown)
            }
        }

        impl crate::lenient::Member for $name {
            fn read(
                json: crate::json::Json<'_, '_>,
                _: &mut Vec<serde_json::Value>,
            ) -> Result<crate::lenient::Read<Self>, crate::json::Failed> {
                use crate::json::Json;
                use crate::lenient::Read;
                use crate::object::Object;
                use serde_json::Value;

                let members = match json {
                    Json::Object(members) => members,
                    other => return other.into_value().map(|it| Read::Good(Self::Unknown(it))),
                };
                let Some(first) = members.next_key()? else {
                    return Ok(Read::Good(Self::from_whole(crate::JsonObject::new())));
                };
                let value = members.value()?;
                // The usual case: the kind comes first, and the rest can be read as that kind.
                let read = match value.as_str().filter(|_| first == $tag) {
                    $(Some($word) => {
                        $type::read_members(members)?.map(Self::$variant)
                    })*
                    _ => {
                        let mut whole = crate::JsonObject::new();
                        whole.insert(first.into_owned(), value);
                        whole.extend(members.rest()?);
                        return Ok(Read::Good(Self::from_whole(whole)));
                    }
                };
                Ok(Read::Good(match read {
                    Read::Good(read) => read,
                    Read::Odd(others) => {
                        let mut whole = crate::JsonObject::new();
                        whole.insert($tag.to_owned(), value);
                        if let Value::Object(others) = others {
                            whole.extend(others);
                        }
                        Self::Unknown(whole.into())
                    }
                }))
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
