//! Which arguments might be places though no table lists them.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use mcp_provider::JsonObject;
use mcp_provider::location::Locations;
use serde_json::Value;

/// Tells at a glance which arguments [`Locations::unlisted`] finds no place in that can be read.
///
/// Most strings in a call are no places, and that can be seen without taking them apart.  Which
/// names say that they hold a place, `Locations` knows: it is asked once for each.
#[derive(Default)]
pub(crate) struct Glance(RwLock<Vec<(Box<str>, bool)>>);

impl Glance {
    /// Whether a string under the name `key` might be a place that can be read.
    ///
    /// It is given as it is written in JSON, or as it reads; one that holds control characters never
    /// is.
    pub(crate) fn may_be_place(&self, key: &str, text: &str, holds_controls: bool) -> bool {
        !holds_controls && (begins_as_place(text) || self.says_place(key))
    }

    /// Whether some string in `value`, which is found under `key`, might be a place.
    pub(crate) fn may_hold_place(&self, key: &str, value: &Value) -> bool {
        match value {
            Value::String(text) => {
                self.may_be_place(key, text, text.bytes().any(|it| it.is_ascii_control()))
            }
            Value::Array(items) => items.iter().any(|it| self.may_hold_place(key, it)),
            Value::Object(members) => members.iter().any(|(key, it)| self.may_hold_place(key, it)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Whether the name says that it holds a place, whatever stands there.
    fn says_place(&self, key: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(it, _)| **it == *key).map(|(_, says_place)| *says_place);
        drop(known);
        found.unwrap_or_else(|| {
            let says_place = ask(key);
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            let has_room = known.len() < MOST && key.len() <= LONGEST;
            if has_room && known.iter().all(|(it, _)| **it != *key) {
                known.push((key.into(), says_place));
            }
            says_place
        })
    }
}

impl fmt::Debug for Glance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Glance").finish_non_exhaustive()
    }
}

/// Asks with a text that is no place by itself, in an argument that no table knows.
fn ask(key: &str) -> bool {
    let member = JsonObject::from_iter([(key.to_owned(), Value::String(String::new()))]);
    let arguments = JsonObject::from_iter([(String::new(), Value::Object(member))]);
    !Locations::default().unlisted("", &arguments).is_empty()
}

/// Whether a text begins as a path does that begins at the root of a disk, of whatever style.
fn begins_as_place(text: &str) -> bool {
    matches!(text.as_bytes(), [b'/' | b'\\', ..] | [_, b':', ..])
}

/// How many names are remembered, and how long they are at most, in bytes.
const MOST: usize = 64;
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use mcp_provider::location::{PathParams, PathStyle, Roots};
    use mcp_provider::{Arguments, ToolCall};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::asked::Asked;

    const STYLES: [PathStyle; 3] =
        [PathStyle::Posix, PathStyle::CaseInsensitive, PathStyle::Windows];

    fn locations(style: PathStyle) -> Locations {
        Locations::new(Roots::new([("fs", "/srv")], style).unwrap(), PathParams::default())
    }

    #[test]
    fn which_names_hold_places_is_remembered_for_so_many_of_them() {
        let glance = Glance::default();
        for _ in 0..2 {
            for (key, says_place) in
                [("path", true), ("outputPath", true), ("content", false), ("mode", false)]
            {
                assert_eq!(glance.may_be_place(key, "plain", false), says_place, "{key}");
            }
        }
        assert_eq!(glance.0.read().unwrap().len(), 4);
        for number in 0..1_000 {
            assert!(!glance.may_be_place(&format!("key{number}"), "", false));
            assert!(glance.may_be_place(&format!("key{number}_dir"), "", false));
        }
        assert_eq!(glance.0.read().unwrap().len(), MOST);
    }

    #[test]
    fn what_is_no_place_at_a_glance_is_not_parsed() {
        let glance = Glance::default();
        for (text, controls, may_be) in [
            ("fn main", false, false),
            ("", false, false),
            ("/a", false, true),
            ("/a", true, false),
            ("C:x", false, true),
            ("\\\\/a", false, true),
            ("a/../b", false, false),
        ] {
            assert_eq!(glance.may_be_place("content", text, controls), may_be, "{text}");
        }
        assert!(glance.may_be_place("dir", "x", false) && !glance.may_be_place("dir", "x", true));
        assert!(glance.may_hold_place("a", &json!([{ "b": [1, "x"] }, { "dir": "x" }])));
        assert!(!glance.may_hold_place("dir", &json!([{ "b": [1, "x", "/a\n"] }, "\u{7f}"])));
    }

    /// Strings that are places, or almost, in one style or another.
    fn string() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "/", "\\", "~", ".", "..", ":", "c", "C:", "C:/a", "c:\\a", "file", "FILE:", "http:",
            "a", "x y", " ", "$HOME", "%41", "\n", "\t", "\0", "\u{7f}", "\u{85}", "é", "\"",
            "CON", "~1",
        ]);
        prop::collection::vec(pieces, 0..6).prop_map(|it| it.concat())
    }

    fn arguments() -> impl Strategy<Value = Value> {
        let keys = [
            "path",
            "from",
            "url",
            "dest",
            "target_dir",
            "outputPath",
            "PATH_",
            "content",
            "é",
            "",
            "\u{17f}rc",
            "a b",
            "fileName",
            "filename",
            "text",
        ];
        let key = move || prop::sample::select(keys.to_vec()).prop_map(str::to_owned);
        let leaf = prop_oneof![4 => string().prop_map(Value::from), 1 => Just(json!(1))];
        let value = leaf.prop_recursive(3, 12, 3, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((key(), inner), 0..3).prop_map(|it| it.into_iter().collect()),
            ]
        });
        prop::collection::vec((key(), value), 0..4).prop_map(|it| it.into_iter().collect())
    }

    proptest! {
        #[test]
        fn nothing_is_overlooked_at_a_glance(arguments in arguments()) {
            let glance = Glance::default();
            for (style, is_text) in STYLES.into_iter().flat_map(|it| [(it, true), (it, false)]) {
                let locations = locations(style);
                let json = if is_text { Value::from(arguments.to_string()) } else { arguments.clone() };
                let given = Arguments::from(json);
                let mut call = ToolCall::new("1", "fs_write", given.clone());
                let asked = Asked::new(&mut call, &locations, &glance);
                prop_assert_eq!(&call.arguments, &given);
                let found = asked.guesses(&locations, &glance);
                let object = given.as_object().unwrap();
                let expected = locations.unlisted("fs_write", object);
                let expected: Vec<_> = expected.into_iter().filter_map(|it| it.place.ok()).collect();
                prop_assert_eq!(found, expected);
                let targets = asked.targets.named.iter().map(|it| {
                    let place = asked.targets.place(it).cloned();
                    (it.param, place.ok_or_else(|| it.place.clone().unwrap_err()), it.is_whole)
                });
                let located = locations.located("fs_write", object);
                let located = located.into_iter().map(|it| {
                    let place = it.place.map_err(|why| crate::words::named(it.value, why));
                    (it.param, place, object[it.param].is_string())
                });
                prop_assert_eq!(targets.collect::<Vec<_>>(), located.collect::<Vec<_>>());
            }
        }
    }
}
