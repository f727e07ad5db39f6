//! The macro for one of several strings.

macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum $name {
            $($(#[$about])* $variant,)*
        }

        impl $name {
            /// Every value, in the specification's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value that the protocol writes as `word`; case counts.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Returns the word that the protocol uses.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl crate::lenient::Member for $name {
            fn read(
                json: crate::json::Json<'_, '_>,
                _: &mut Vec<serde_json::Value>,
            ) -> Result<crate::lenient::Read<Self>, crate::json::Failed> {
                use crate::lenient::Read;

                Ok(match json.into_value()? {
                    serde_json::Value::String(word) => Self::from_word(&word)
                        .map_or_else(|| Read::Odd(word.into()), Read::Good),
                    other => Read::Odd(other),
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
                crate::lenient::read_strictly(value, stringify!($name))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;
