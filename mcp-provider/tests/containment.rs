//! Whether a path lies in a directory, row by row.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_provider::location::Under::{self, No, Unknown, Yes};
use mcp_provider::location::{PathStyle, Place, Unreadable};
use proptest::prelude::*;

const STYLES: [PathStyle; 3] = [PathStyle::Posix, PathStyle::CaseInsensitive, PathStyle::Windows];

fn under(path: &str, directory: &str, style: PathStyle) -> Under {
    let directory = Place::parse(directory, style).unwrap();
    Place::parse(path, style).map_or(Unknown, |path| path.under(&directory))
}

fn check(style: PathStyle, cases: &[(&str, &str, Under)]) {
    for &(path, directory, expected) in cases {
        assert_eq!(under(path, directory, style), expected, "{path:?} in {directory:?} {style:?}");
    }
}

#[test]
fn containment_compares_segments_and_never_letters() {
    check(
        PathStyle::Posix,
        &[
            // P-PATH-2, P-PATH-3
            ("/srv/x", "/srv", Yes),
            ("/srv/a/b/c", "/srv/a", Yes),
            ("/srv", "/srv", Yes),
            ("/srvx", "/srv", No),
            ("/srv/rootless/x", "/srv/root", No),
            ("/", "/srv", No),
            ("/etc/srv", "/srv", No),
            ("/etc/passwd", "/", Yes),
            ("/", "/", Yes),
            ("a/b", "a", Yes),
            ("a/b", "b", No),
            ("a", "a/b", No),
            ("a/b", ".", Yes),
            (".", ".", Yes),
            (".", "a", No),
            // Relative and absolute do not meet, in either direction: W-191.
            ("a/b", "/", Unknown),
            ("/a/b", ".", Unknown),
            ("/srv/secrets/x", "secrets", Unknown),
            // W-190
            ("/srv/", "/srv", Yes),
            ("/srv//x/", "/srv/", Yes),
            ("//srv/./x", "/srv", Yes),
            ("./a/./b", "a//", Yes),
            // W-189: text only; a link is a name like any other.
            ("/srv/link/x", "/srv", Yes),
            // W-180, with a disk that tells the cases apart
            ("/SRV/Secrets/x", "/srv/secrets", No),
            // W-181, on a disk that takes names as written
            ("/srv/secrets./x", "/srv/secrets", No),
            ("/srv/secrets /x", "/srv/secrets", No),
            ("/srv/SECRET~1/x", "/srv/secrets", No),
            ("/srv/secrets::$DATA", "/srv/secrets", Unknown),
            // W-182: composed against decomposed
            ("/srv/cafe\u{301}/x", "/srv/caf\u{e9}", No),
            ("/srv/caf\u{e9}/x", "/srv/caf\u{e9}", Yes),
            // W-170 to W-178, W-183, W-184
            ("~/x", ".", Unknown),
            ("/srv/../etc", "/srv", Unknown),
            ("/srv/../etc", "/etc", Unknown),
            ("", ".", Unknown),
            ("/srv/a\nb", "/srv", Unknown),
        ],
    );
}

#[test]
fn a_disk_that_folds_case_folds_it_here() {
    check(
        PathStyle::CaseInsensitive,
        &[
            // W-180
            ("/SRV/Secrets/x", "/srv/secrets", Yes),
            ("/srv/secret/x", "/srv/Secrets", No),
            ("/srv/CAFÉ/x", "/srv/café", Unknown),
            ("/srv/CAFÉ/y", "/srv/café/x", No),
            ("/srv/CAFÉ", "/srv/café/x", No),
            // W-181 is about Windows only.
            ("/srv/secrets./x", "/srv/secrets", No),
        ],
    );
}

#[test]
fn windows_paths_have_drives_and_two_separators() {
    check(
        PathStyle::Windows,
        &[
            (r"C:\srv\x", "C:/srv", Yes),
            (r"c:\SRV\x", "C:/srv", Yes),
            (r"C:\srv\..\etc", "C:/srv", Unknown),
            ("D:/srv/x", "C:/srv", No),
            ("/srv/x", "C:/srv", Unknown),
            (r"\srv\x", "/srv", Yes),
            (r"a\b", "a", Yes),
            ("C:x", "C:/", Unknown),
            (r"\\host\share\x", "/", Unknown),
            (r"\\?\C:\srv\x", "C:/srv", Unknown),
            ("//host/share/x", "/", Unknown),
            (r"/\host\share", "/", Unknown),
            // W-180, W-181
            ("/SRV/Secrets/x", "/srv/secrets", Yes),
            ("/srv/secrets./x", "/srv/secrets", Unknown),
            ("/srv/secrets /x", "/srv/secrets", Unknown),
            ("/srv/SECRET~1/x", "/srv/secrets", Unknown),
            ("/srv/secrets::$DATA", "/srv/secrets", Unknown),
        ],
    );
}

#[test]
fn what_a_server_may_read_otherwise_is_unreadable() {
    use Unreadable::*;
    // The reason on a POSIX disk, and on Windows.
    let cases: &[(&str, Option<Unreadable>, Option<Unreadable>)] = &[
        // P-PATH-1, W-183
        ("", Some(Empty), Some(Empty)),
        // W-170
        ("~", Some(Home), Some(Home)),
        ("~/x", Some(Home), Some(Home)),
        ("~root/x", Some(Home), Some(Home)),
        ("./~/x", Some(Home), Some(Home)),
        ("a/~/x", None, None),
        ("/~", None, None),
        ("a~", None, None),
        // W-171
        ("$HOME/x", Some(Variable), Some(Variable)),
        ("/srv/${HOME}", Some(Variable), Some(Variable)),
        ("a/$(pwd)", Some(Variable), Some(Variable)),
        ("$_x", Some(Variable), Some(Variable)),
        ("%USERPROFILE%/x", Some(Variable), Some(Variable)),
        ("%ProgramFiles(x86)%/x", Some(Variable), Some(Variable)),
        (r"%USERPROFILE%\x", Some(Backslash), Some(Variable)),
        ("a$/b", None, None),
        ("a$.b", None, None),
        ("100%", None, None),
        ("100% of 20% x", None, None),
        ("%/%", None, None),
        // W-172
        ("%2e%2e/etc", Some(Encoded), Some(Encoded)),
        ("..%2fetc", Some(Encoded), Some(Encoded)),
        ("/srv/a%2Fb", Some(Encoded), Some(Encoded)),
        ("%252e", Some(Encoded), Some(Encoded)),
        ("a%2", None, None),
        ("a%zz", None, None),
        // W-173
        ("C:/Windows", Some(Drive), None),
        (r"C:\srv\x", Some(Drive), None),
        ("C:foo", Some(Drive), Some(Drive)),
        ("c:", Some(Drive), Some(Drive)),
        ("./C:/x", Some(Drive), Some(Drive)),
        // W-175
        ("file:///etc/passwd", Some(Uri), Some(Uri)),
        ("FILE:/etc", Some(Uri), Some(Uri)),
        ("http://h/x", Some(Uri), Some(Uri)),
        ("a+b.c-d:x", Some(Uri), Some(Uri)),
        ("a/b:c", None, Some(Stream)),
        ("/file:x", None, Some(Stream)),
        ("12:30", None, Some(Stream)),
        ("a b:c", None, Some(Stream)),
        // W-176
        (r"\\?\C:\x", Some(NetworkShare), Some(NetworkShare)),
        (r"\\host\share", Some(NetworkShare), Some(NetworkShare)),
        (r"a\b", Some(Backslash), None),
        (r"\a", Some(Backslash), None),
        // W-177
        ("x\0y", Some(Nul), Some(Nul)),
        // W-178
        ("..", Some(Parent), Some(Parent)),
        ("../x", Some(Parent), Some(Parent)),
        ("a/../b", Some(Parent), Some(Parent)),
        ("/srv/x/..", Some(Parent), Some(Parent)),
        (r"a\..\b", Some(Backslash), Some(Parent)),
        // W-179
        ("...", None, Some(TrailingDotOrSpace)),
        (".. /x", Some(Dots), Some(Dots)),
        ("a/. ./b", Some(Dots), Some(Dots)),
        (" ..", Some(Dots), Some(Dots)),
        ("   ", None, Some(TrailingDotOrSpace)),
        ("\u{2025}/x", None, None),
        ("\u{ff0e}\u{ff0e}/x", None, None),
        ("..x", None, None),
        (".hidden", None, None),
        // W-181
        ("secrets./x", None, Some(TrailingDotOrSpace)),
        ("secrets /x", None, Some(TrailingDotOrSpace)),
        ("SECRET~1/x", None, Some(ShortName)),
        ("a~b~12.txt", None, Some(ShortName)),
        ("secrets::$DATA", Some(Variable), Some(Variable)),
        ("x/secrets::$DATA", Some(Variable), Some(Variable)),
        ("x/secrets:s", None, Some(Stream)),
        ("x/NUL", None, Some(Device)),
        ("nul.txt", None, Some(Device)),
        ("com1", None, Some(Device)),
        ("lpt\u{b9}.x", None, Some(Device)),
        ("CONIN$", None, Some(Device)),
        ("company", None, None),
        ("com10", None, None),
        // W-184
        ("a\nb", Some(Control), Some(Control)),
        ("a\u{7f}", Some(Control), Some(Control)),
        ("a\u{85}b", Some(Control), Some(Control)),
        ("\t", Some(Control), Some(Control)),
    ];
    for &(text, posix, windows) in cases {
        for (style, reason) in [
            (PathStyle::Posix, posix),
            (PathStyle::CaseInsensitive, posix),
            (PathStyle::Windows, windows),
        ] {
            assert_eq!(Place::parse(text, style).err(), reason, "{text:?} {style:?}");
        }
    }
}

#[test]
fn places_know_their_parent_and_what_they_share() {
    // place, its parent, another place, the common directory
    let cases = [
        ("/srv/a/x", Some("/srv/a"), "/srv/b", Some("/srv")),
        ("/srv/a", Some("/srv"), "/srv/a/x", Some("/srv/a")),
        ("/a", Some("/"), "/b", Some("/")),
        ("/", None, "/b", Some("/")),
        ("a/b", Some("a"), "a/c", Some("a")),
        ("a", Some("."), "b", Some(".")),
        (".", None, "b", Some(".")),
        ("a", Some("."), "/a", None),
    ];
    let place = |text| Place::parse(text, PathStyle::Posix).unwrap();
    for (text, parent, other, common) in cases {
        assert_eq!(place(text).parent(), parent.map(place), "the parent of {text}");
        assert_eq!(place(text).common(&place(other)), common.map(place), "{text} {other}");
        assert_eq!(place(other).common(&place(text)), common.map(place), "{other} {text}");
    }
    let windows = |text| Place::parse(text, PathStyle::Windows).unwrap();
    assert_eq!(windows("C:/a").common(&windows("D:/a")), None);
    assert_eq!(windows("C:/a/x").common(&windows("c:/A/y")).unwrap().to_string(), "C:/a");
    assert_eq!(windows("a").under(&place("a")), Unknown, "two disks are not compared");
    assert_eq!(windows("a").common(&place("a")), None);
}

/// Text in which everything that has a meaning somewhere is frequent.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        r"[./\\~$%:a-cA-C12éÉ \n\x00{(]{0,16}",
        "(/|C:/|[.]/)?([a-cA-B]{1,2}/){0,4}",
        any::<String>(),
    ]
}

/// Readable places of one style, close enough to each other to meet often.
fn places<const N: usize>() -> impl Strategy<Value = [Place; N]> {
    let text = "(/|C:/)?([abAé]/){0,3}[abAé]?";
    (proptest::collection::vec(text, N), prop::sample::select(&STYLES[..])).prop_filter_map(
        "readable",
        |(texts, style)| {
            let read = texts.iter().map(|it| Place::parse(it, style));
            read.collect::<Result<Vec<_>, _>>().ok()?.try_into().ok()
        },
    )
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in text(), other in text()) {
        for style in STYLES {
            if let (Ok(one), Ok(other)) = (Place::parse(&text, style), Place::parse(&other, style)) {
                one.under(&other);
            }
        }
    }

    #[test]
    fn what_a_place_prints_reads_as_the_same_place(text in text()) {
        for style in STYLES {
            if let Ok(place) = Place::parse(&text, style) {
                prop_assert_eq!(Place::parse(&place.to_string(), style), Ok(place));
            }
        }
    }

    #[test]
    fn a_readable_place_has_plain_segments_only(text in text()) {
        for style in STYLES {
            for segment in Place::parse(&text, style).iter().flat_map(|it| it.segments()) {
                prop_assert!(!["", ".", ".."].contains(&&**segment), "{:?}", segment);
                prop_assert!(!segment.contains(['/', '\\', '\0', '\n']), "{:?}", segment);
                prop_assert!(text.contains(&**segment));
            }
        }
    }

    #[test]
    fn a_place_is_under_itself_and_under_its_parents([place] in places()) {
        let mut above = Some(place.clone());
        while let Some(directory) = above {
            prop_assert_eq!(place.under(&directory), Yes);
            prop_assert_eq!(place.common(&directory), Some(directory.clone()));
            above = directory.parent();
        }
    }

    #[test]
    fn under_is_transitive([one, two, three] in places()) {
        if one.under(&two) == Yes && two.under(&three) == Yes {
            prop_assert_eq!(one.under(&three), Yes);
        }
    }

    #[test]
    fn a_yes_means_that_the_directory_leads_the_path([one, other] in places()) {
        let (path, directory) = (one.to_string(), other.to_string());
        if one.under(&other) == Yes {
            let leading = one.segments().iter().zip(other.segments());
            prop_assert!(one.segments().len() >= other.segments().len());
            for (own, theirs) in leading {
                prop_assert!(own.eq_ignore_ascii_case(theirs), "{} in {}", path, directory);
            }
            prop_assert_eq!(one.is_absolute(), other.is_absolute());
        }
        if one.under(&other) == Yes && other.under(&one) == Yes {
            prop_assert!(path.eq_ignore_ascii_case(&directory));
        }
    }
}
