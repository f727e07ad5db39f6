//! Roots, path parameters, tool patterns, and the places they find in a call.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error;

use mcp_provider::JsonObject;
use mcp_provider::location::Under::{No, Unknown, Yes};
use mcp_provider::location::{
    Located, Locations, PathParams, PathStyle, Place, Roots, TableError, ToolPattern, Unreadable,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn object(json: &Value) -> JsonObject {
    json.as_object().unwrap().clone()
}

fn locations(roots: &Value, params: &Value) -> Locations {
    let roots = Roots::from_json(roots, PathStyle::Posix).unwrap();
    Locations::new(roots, PathParams::from_json(params).unwrap())
}

/// What was found, as name and place or reason.
fn told(found: &[Located<'_>]) -> Vec<(String, String)> {
    let place = |it: &Located<'_>| match &it.place {
        Ok(place) => place.to_string(),
        Err(reason) => reason.to_string(),
    };
    found.iter().map(|it| (it.param.to_owned(), place(it))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|&(param, place)| (param.to_owned(), place.to_owned())).collect()
}

#[test]
fn a_pattern_matches_a_name_or_the_beginning_of_names() {
    // P-TOOL-1
    for (pattern, name, expected) in [
        ("fs_read", "fs_read", true),
        ("fs_read", "fs_read_file", false),
        ("fs_read", "fs_rea", false),
        ("fs_read", "FS_read", false),
        ("fs_*", "fs_read", true),
        ("fs_*", "fs_", true),
        ("fs_*", "fs", false),
        ("fs_*", "Fs_read", false),
        ("fs_*", "x_fs_read", false),
        ("*", "anything at all", true),
        ("*", "", true),
        ("admin.list", "admin.list", true),
        ("admin.list", "adminxlist", false),
        ("-", "-", true),
    ] {
        let parsed: ToolPattern = pattern.parse().unwrap();
        assert_eq!(parsed.matches(name), expected, "{pattern:?} {name:?}");
        assert_eq!(parsed.to_string(), pattern);
        assert_eq!(parsed.is_exact(), !pattern.ends_with('*'));
    }
}

#[test]
fn a_pattern_that_could_match_nothing_is_refused() {
    // P-RULE-3
    for pattern in
        ["", "fs_*_x", "**", "*x", "fs read", "fs_read\n", "fs/read", "fs:read", "é", "fs.*", ".*"]
    {
        let error = ToolPattern::parse(pattern).unwrap_err().to_string();
        assert!(error.contains(&format!("{pattern:?}")), "{error}");
    }
}

#[test]
fn an_exact_pattern_says_more_than_a_long_one() {
    // P-TAB-4
    let ordered = ["*", "f*", "fs_*", "fs_r*", "x", "fs_read"];
    let specificity = |pattern| ToolPattern::parse(pattern).unwrap().specificity();
    assert!(ordered.is_sorted_by(|one, next| specificity(one) < specificity(next)));
}

#[test]
fn the_longest_root_that_ends_at_a_word_counts() {
    // P-TAB-2, W-188
    let roots = Roots::new(
        [("fs", "/srv"), ("fs_ext", "/ext"), ("nt_", "/nt/"), ("read", "live"), ("Ω", "/o")],
        PathStyle::Posix,
    )
    .unwrap();
    for (tool, expected) in [
        ("fs_read", Some("/srv")),
        ("fs", Some("/srv")),
        ("fs-x", Some("/srv")),
        ("fs.x", Some("/srv")),
        ("fs_ext_read", Some("/ext")),
        ("fs_extra", Some("/srv")),
        ("fsck_run", None),
        ("fs2", None),
        ("fsé", None),
        ("fsRead", None),
        ("nt_x", Some("/nt")),
        ("nt_", Some("/nt")),
        ("nt", None),
        ("read", Some("live")),
        ("read_file", Some("live")),
        ("reader", None),
        ("Ω_x", Some("/o")),
        ("Ωx", None),
        ("FS_read", None),
        ("", None),
    ] {
        assert_eq!(roots.get(tool).map(Place::to_string).as_deref(), expected, "{tool:?}");
    }
    let with_default = Roots::new([("", "/"), ("read", "/opt/other")], PathStyle::Posix).unwrap();
    for (tool, expected) in [("read", "/opt/other"), ("write", "/"), ("reader", "/"), ("", "/")] {
        assert_eq!(with_default.get(tool).unwrap().to_string(), expected, "{tool:?}");
    }
    assert!(Roots::default().get("fs_read").is_none());
}

#[test]
fn the_most_specific_entry_names_the_path_parameters() {
    // P-TAB-3, P-TAB-4, P-TAB-5
    let params = PathParams::from_json(&json!({
        "*": ["any"], "fs_*": ["file"], "fs_m*": ["src", "dst"], "fs_move": "only", "now": [],
    }))
    .unwrap();
    let table: &[(&str, &[&str])] = &[
        ("x", &["any"]),
        ("fs_read", &["file"]),
        ("fs_mkdir", &["src", "dst"]),
        ("fs_move", &["only"]),
        ("now", &[]),
    ];
    for (tool, expected) in table {
        assert_eq!(params.names(tool).collect::<Vec<_>>(), *expected, "{tool}");
    }
    let none = PathParams::default();
    assert_eq!(none.names("x").collect::<Vec<_>>(), ["path", "from", "to"]);
    let given = PathParams::new([("fs_*", vec!["a", "b"])]).unwrap();
    assert_eq!(given.names("fs_x").collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_bad_table_names_the_entry_and_says_what_to_write() {
    // P-TAB-1, P-TAB-3
    type Refused<'a> = (Value, &'a [&'a str], Option<Unreadable>);
    let roots: &[Refused<'_>] = &[
        (json!(null), &["roots", "object"], None),
        (json!(["/srv"]), &["roots", "object"], None),
        (json!("/srv"), &["roots", "object"], None),
        (json!({ "fs": 42 }), &["\"fs\"", "42", "/srv/work"], Some(Unreadable::NotText)),
        (json!({ "fs": null }), &["\"fs\"", "null"], Some(Unreadable::NotText)),
        (json!({ "a": "/a", "fs": "" }), &["\"fs\"", "\"\""], Some(Unreadable::Empty)),
        (json!({ "fs": "/srv/../etc" }), &["\"fs\"", "/srv/../etc"], Some(Unreadable::Parent)),
        (json!({ "": "~/work" }), &["\"\"", "~/work"], Some(Unreadable::Home)),
        (json!({ "fs_*": "/srv" }), &["\"fs_*\"", "without '*'"], None),
    ];
    for (table, words, reason) in roots {
        let error = Roots::from_json(table, PathStyle::Posix).unwrap_err();
        let text = error.to_string();
        assert!(words.iter().all(|it| text.contains(it)), "{table}: {text}");
        let source = error.source().map(|it| *it.downcast_ref::<Unreadable>().unwrap());
        assert_eq!(source, *reason, "{table}");
        assert!(reason.is_none_or(|it| !text.contains(&it.to_string())), "said twice: {text}");
    }
    let params: &[(Value, &[&str])] = &[
        (json!(null), &["path-params", "object"]),
        (json!([]), &["path-params", "object"]),
        (json!({ "read": [42] }), &["\"read\"", "name"]),
        (json!({ "read": ["path", ""] }), &["\"read\"", "name"]),
        (json!({ "read": "" }), &["\"read\"", "name"]),
        (json!({ "read": null }), &["\"read\"", "name"]),
        (json!({ "read": { "path": true } }), &["\"read\"", "name"]),
        (json!({ "x": [], "fs_*_x": ["path"] }), &["\"fs_*_x\"", "fs_*"]),
    ];
    for (table, words) in params {
        let text = PathParams::from_json(table).unwrap_err().to_string();
        assert!(words.iter().all(|it| text.contains(it)), "{table}: {text}");
    }
    let twice = Roots::new([("fs", "/a"), ("fs", "/b")], PathStyle::Posix).unwrap_err();
    assert_eq!(twice.to_string(), "roots has \"fs\" twice; keep one of them");
    let twice = PathParams::new([("*", ["a"]), ("*", ["b"])]).unwrap_err();
    assert!(matches!(twice, TableError::Duplicate { table: "path-params", .. }), "{twice}");
}

#[test]
fn relative_paths_start_from_the_root_of_their_tool() {
    // P-PATH-4, P-PATH-5
    let located = locations(
        &json!({ "fs": "/srv", "x": "live", "all": "/" }),
        &json!({ "fs_patch": ["target"], "fs_many": ["paths"], "fs_now": [] }),
    );
    type Case<'a> = (&'a str, Value, &'a [(&'a str, &'a str)]);
    let cases: &[Case<'_>] = &[
        ("fs_read", json!({ "path": "a/b" }), &[("path", "/srv/a/b")]),
        ("fs_read", json!({ "path": "." }), &[("path", "/srv")]),
        ("fs_read", json!({ "path": "./a//b/" }), &[("path", "/srv/a/b")]),
        ("fs_read", json!({ "path": "/etc/x" }), &[("path", "/etc/x")]),
        ("all_read", json!({ "path": "a" }), &[("path", "/a")]),
        ("x_read", json!({ "path": "a" }), &[("path", "live/a")]),
        ("y_read", json!({ "path": "a" }), &[("path", "a")]),
        // In the order of the table, not of the call; P-TAB-5
        (
            "fs_move",
            json!({ "to": "b", "from": "/a", "path": "c" }),
            &[("path", "/srv/c"), ("from", "/a"), ("to", "/srv/b")],
        ),
        ("fs_patch", json!({ "target": "a", "path": "b" }), &[("target", "/srv/a")]),
        ("fs_now", json!({ "path": "b" }), &[]),
        // Present and unreadable
        ("fs_read", json!({ "path": 42 }), &[("path", "it is not a string")]),
        ("fs_read", json!({ "path": null }), &[("path", "it is not a string")]),
        ("fs_read", json!({ "path": { "x": 1 } }), &[("path", "it is not a string")]),
        ("fs_read", json!({ "path": "../x" }), &[("path", "it climbs with '..'")]),
        ("fs_read", json!({ "path": "~/x" }), &[("path", "it begins with '~'")]),
        // W-183
        ("fs_read", json!({ "path": "" }), &[("path", "it is empty")]),
        // A list counts item by item
        (
            "fs_many",
            json!({ "paths": ["a", "/b", 7, ["c"]] }),
            &[
                ("paths", "/srv/a"),
                ("paths", "/b"),
                ("paths", "it is not a string"),
                ("paths", "it is not a string"),
            ],
        ),
        ("fs_many", json!({ "paths": [] }), &[]),
        // W-187, P-TAB-7
        ("fs_read", json!({ "Path": "a", "file_path": "b" }), &[]),
        ("fs_read", json!({ "url": "file:///etc/passwd" }), &[]),
        ("fs_read", json!({}), &[]),
    ];
    for (tool, arguments, expected) in cases {
        let arguments = object(arguments);
        assert_eq!(told(&located.located(tool, &arguments)), pairs(expected), "{arguments:?}");
    }
    // The value stays as the model gave it.
    let arguments = object(&json!({ "path": "./a//b" }));
    assert_eq!(located.located("fs_read", &arguments)[0].value, "./a//b");
    assert_eq!(located.place("fs_read", "a").unwrap().to_string(), "/srv/a");
    assert_eq!(located.place("fs_read", "a/.."), Err(Unreadable::Parent));
}

#[test]
fn a_hard_spelling_is_never_inside_the_root() {
    let located = locations(&json!({ "": "/srv" }), &json!({}));
    let root = Place::parse("/srv", PathStyle::Posix).unwrap();
    for (path, expected) in [
        ("a", Yes),
        ("/srv/a", Yes),
        ("/etc/passwd", No),
        ("~/x", Unknown),                // W-170
        ("$HOME/x", Unknown),            // W-171
        (r"%USERPROFILE%\x", Unknown),   // W-171
        ("%2e%2e/etc", Unknown),         // W-172
        ("..%2fetc", Unknown),           // W-172
        ("C:/Windows", Unknown),         // W-173
        ("C:foo", Unknown),              // W-173
        ("file:///etc/passwd", Unknown), // W-175
        (r"\\?\C:\x", Unknown),          // W-176
        (r"a\b", Unknown),               // W-176
        ("x\0y", Unknown),               // W-177
        ("../x", Unknown),               // W-178
        ("/srv/x/..", Unknown),          // W-178
        ("...", Yes),                    // W-179
        (".. /x", Unknown),              // W-179
        ("", Unknown),                   // W-183
        ("a\nb", Unknown),               // W-184
    ] {
        let arguments = object(&json!({ "path": path }));
        let found = located.located("fs_read", &arguments);
        assert_eq!(found[0].under(&root), expected, "{path:?}");
    }
}

#[test]
fn a_second_place_under_an_unknown_name_is_noticed() {
    // W-185
    let located = locations(&json!({ "": "/srv" }), &json!({ "known": ["path"] }));
    let cases: &[(Value, &[(&str, &str)])] = &[
        (json!({ "path": "a", "destination": "/etc/passwd" }), &[("destination", "/etc/passwd")]),
        (
            json!({ "edits": [{ "path": "a", "text": "x" }, { "path": "/etc/b" }] }),
            &[("path", "/srv/a"), ("path", "/etc/b")],
        ),
        (json!({ "path": "a", "paths": ["/etc", "b"] }), &[("paths", "/etc"), ("paths", "/srv/b")]),
        // By the last word of the key
        (
            json!({ "outputPath": "a", "TARGET": "b", "work-dir": "c", "Path": "d", "x2File": "" }),
            &[
                ("outputPath", "/srv/a"),
                ("TARGET", "/srv/b"),
                ("work-dir", "/srv/c"),
                ("Path", "/srv/d"),
                ("x2File", "it is empty"),
            ],
        ),
        (json!({ "profile": "a", "filetype": "b", "path_kind": "c", "": "d", "é": "e" }), &[]),
        // By the value
        (
            json!({ "a": "/etc", "b": "~/x", "c": "C:\\x", "d": "\\\\h\\s", "e": "../x",
                    "f": "file:///x", "g": "/%65tc" }),
            &[
                ("a", "/etc"),
                ("b", "it begins with '~'"),
                ("c", "it names a drive"),
                ("d", "it begins like a network share"),
                ("e", "it climbs with '..'"),
                ("f", "it begins like a URI"),
                ("g", "it is percent-encoded"),
            ],
        ),
        (
            json!({ "content": "// text\n/etc", "q": "a/b", "n": 7, "pattern": "\\d+",
                    "site": "https://h/x", "empty": "", "e": "a..b", "list": ["x", null, true] }),
            &[],
        ),
        (json!({ "path": "/etc/x", "from": 7, "to": ["/y"], "url": "file:///etc" }), &[]),
    ];
    for (arguments, expected) in cases {
        let arguments = object(arguments);
        assert_eq!(told(&located.unlisted("fs_x", &arguments)), pairs(expected), "{arguments:?}");
        assert_eq!(located.unlisted("known", &arguments), [], "the table has the last word");
    }
}

#[test]
fn the_disk_of_the_roots_is_the_disk_of_the_places() {
    let roots = Roots::new([("", r"C:\srv")], PathStyle::Windows).unwrap();
    let located = Locations::new(roots, PathParams::default());
    assert_eq!(located.style(), PathStyle::Windows);
    let place = located.place("fs_read", r"a\b").unwrap();
    assert_eq!(place.to_string(), "C:/srv/a/b");
    assert_eq!(place.under(located.roots().get("x").unwrap()), Yes);
    assert_eq!(located.place("fs_read", "/x").unwrap().under(&place), Unknown);
    assert_eq!(located.params().names("x").count(), 3);
}

proptest! {
    #[test]
    fn a_relative_place_stays_inside_its_root(text in "[a-c./~ ]{1,12}", root in "/?[a-c/]{1,6}") {
        let roots = Roots::new([("", &root)], PathStyle::Posix).unwrap();
        let root = roots.get("").unwrap().clone();
        let located = Locations::new(roots, PathParams::default());
        if let (Ok(place), Ok(alone)) =
            (located.place("x", &text), Place::parse(&text, PathStyle::Posix))
        {
            if alone.is_absolute() {
                prop_assert_eq!(place, alone);
            } else {
                prop_assert_eq!(place.under(&root), Yes);
                prop_assert!(place.segments().ends_with(alone.segments()));
            }
        }
    }

    #[test]
    fn any_arguments_are_looked_through(key in any::<String>(), text in any::<String>()) {
        let located = locations(&json!({}), &json!({}));
        let arguments = object(&json!({ &key: [{ &text: &text }, text], "path": text }));
        prop_assert_eq!(located.located(&key, &arguments).len(), 1);
        let found = located.unlisted(&key, &arguments);
        prop_assert!(found.iter().all(|it| *it.value == json!(text)));
    }
}
