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

use serde::Deserializer;
use serde::de::Error;
use serde_json::Value;

use crate::json::{Failed, Form, Json, Members, Place, read_object_into};
use crate::lenient::{Read, Slot};
use crate::order::Order;
use crate::{Extra, JsonObject};

/// A type made by `object!`.
pub(crate) trait Object: Sized {
    const NAME: &'static str;

    /// Reads the members; where one that must be there is `missing`, the object is odd.
    fn read_telling(
        members: &mut dyn Members<'_>,
        missing: &mut &'static str,
    ) -> Result<Read<Self>, Failed>;

    /// Reads the members; an object that lacks one that must be there is odd.
    fn read_members(members: &mut dyn Members<'_>) -> Result<Read<Self>, Failed> {
        Self::read_telling(members, &mut "")
    }
}

/// A field that is being read: the name of its member, whether it must be there, and its value.
pub(crate) type Row<'a> = (&'static str, bool, &'a mut dyn Slot);

/// A member that is known before it is read, and its word.
pub(crate) type Tag = Option<(&'static str, &'static str)>;

/// What is read of an object besides its fields.
#[derive(Default)]
pub(crate) struct Reading {
    /// The members that have no field.
    pub(crate) extra: Extra,
    /// Members that do not fit their fields.
    pub(crate) odd: Extra,
    /// What does not fit in lists.
    pub(crate) unreadable: Vec<Value>,
    /// Which members came when; only an incomplete object is put together again.
    order: Order,
}

impl Reading {
    /// Reads the members; that of the tag is known.
    pub(crate) fn members(
        &mut self,
        members: &mut dyn Members<'_>,
        fields: &mut [Row<'_>],
        tag: Tag,
    ) -> Result<(), Failed> {
        while let Some(key) = members.next_key()? {
            let wanted = &*key;
            if let Some((name, _, slot)) = fields.iter_mut().find(|(name, ..)| *name == wanted) {
                self.order.push(name);
                if let Some(odd) = members.value_into(*slot, &mut self.unreadable)? {
                    self.odd.insert(key.into_owned(), odd);
                }
            } else if let Some((tag, _)) = tag.filter(|(tag, _)| *tag == key) {
                self.order.push(tag);
                members.skip_value()?;
            } else {
                self.order.push("");
                self.extra.insert(key.into_owned(), members.value()?);
            }
        }
        Ok(())
    }

    /// Puts an object together again, as it came, if it lacks something that must be there.
    pub(crate) fn incomplete(
        &mut self,
        fields: &mut [Row<'_>],
        tag: Tag,
        missing: &mut &'static str,
    ) -> Option<Value> {
        let lacks = |(_, is_required, slot): &&Row<'_>| *is_required && slot.is_empty();
        (*missing, ..) = *fields.iter().find(lacks)?;
        let mut whole = JsonObject::new();
        let mut extra = std::mem::take(&mut self.extra).into_object().into_iter();
        for key in std::mem::take(&mut self.order).into_names() {
            let field = fields.iter_mut().find(|(name, ..)| *name == key);
            let value = match (field, tag) {
                (Some((.., slot)), _) => self.odd.remove(key).or_else(|| slot.give_back()),
                (None, Some((name, word))) if name == key => Some(word.into()),
                _ => {
                    whole.extend(extra.next());
                    None
                }
            };
            whole.extend(value.map(|value| (key.to_owned(), value)));
        }
        Some(whole.into())
    }
}

/// An object that stands alone.
struct Alone<T> {
    read: Option<T>,
    missing: &'static str,
}

impl<T: Object> Place for Alone<T> {
    fn form(&self) -> Form {
        Form::Parts
    }

    fn take(&mut self, json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Option<Value>, Failed> {
        let Json::Object(members) = json else { return json.into_value().map(Some) };
        match T::read_telling(members, &mut self.missing)? {
            Read::Good(object) => {
                self.read = Some(object);
                Ok(None)
            }
            Read::Odd(whole) => Ok(Some(whole)),
        }
    }
}

/// Reads an object that stands alone.
pub(crate) fn read_object<'de, T: Object, D: Deserializer<'de>>(object: D) -> Result<T, D::Error> {
    let mut alone = Alone { read: None, missing: "" };
    read_object_into(object, T::NAME, &mut alone)?;
    let Alone { read, missing } = alone;
    read.ok_or_else(|| D::Error::custom(format_args!("{} without {missing:?}", T::NAME)))
}

/// Reads an object that was already taken apart; an incomplete one comes back.
pub(crate) fn from_members<T: Object>(whole: JsonObject) -> Result<T, Value> {
    let mut alone = Alone { read: None, missing: "" };
    // A tree of values has no syntax to get wrong.
    let odd = read_object_into(whole, T::NAME, &mut alone).unwrap_or_default();
    alone.read.ok_or_else(|| odd.unwrap_or_default())
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

            fn read_telling(
                members: &mut dyn crate::json::Members<'_>,
                missing: &mut &'static str,
            ) -> Result<crate::lenient::Read<Self>, crate::json::Failed> {
                use crate::lenient::{Field, Read};
                use crate::object::{Reading, Row, Tag, object};

                const TAG: Tag = object!(@tag $($tag, $word)?);

                let mut reading = Reading::default();
                $(let mut $field: Option<<$type as Field>::Value> = None;)*
                reading.members(members, object!(@rows $($key, $type, $field;)*), TAG)?;
                $($(
                    $field = $field.or_else(|| object!(@$fallback reading, $key, $type $(, $null)?));
                )?)*
                let rows: &mut [Row<'_>] = object!(@rows $($key, $type, $field;)*);
                let odd = reading.incomplete(rows, TAG, missing);
                let object = || {
                    $(let $unreadable = reading.unreadable;)?
                    let extra = reading.extra;
                    Some(Self { $($field: Field::from_read($field)?,)* $($unreadable,)? extra })
                };
                Ok(match odd {
                    Some(odd) => Read::Odd(odd),
                    None => object().map_or(Read::Odd(serde_json::Value::Null), Read::Good),
                })
            }
        }

        impl crate::lenient::Member for $name {
            fn read(
                json: crate::json::Json<'_, '_>,
                _: &mut Vec<serde_json::Value>,
            ) -> Result<crate::lenient::Read<Self>, crate::json::Failed> {
                use crate::object::Object;

                match json {
                    crate::json::Json::Object(members) => Self::read_members(members),
                    other => crate::lenient::Read::odd(other),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
                crate::object::read_object(object)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use crate::lenient::Field;
                use serde::ser::SerializeMap;

                let mut members = serializer.serialize_map(None)?;
                $(members.serialize_entry($tag, $word)?;)?
                $(if let Some(written) = self.$field.to_written() {
                    members.serialize_entry($key, &written)?;
                })*
                for (key, value) in &*self.extra {
                    members.serialize_entry(key, value)?;
                }
                members.end()
            }
        }
    };

    (@rows $($key:literal, $type:ty, $field:ident;)*) => {
        &mut [$(($key, <$type as crate::lenient::Field>::IS_REQUIRED, &mut $field)),*]
    };
    (@tag) => {
        None
    };
    (@tag $tag:literal, $word:literal) => {
        Some(($tag, $word))
    };
    (@default $reading:ident, $key:literal, $type:ty) => {
        Some(<$type>::default())
    };
    (@default $reading:ident, $key:literal, $type:ty, null) => {
        $reading.odd.get($key).is_none_or(serde_json::Value::is_null).then(<$type>::default)
    };
}

pub(crate) use object;
