//! What rules say about calls: tables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{argv, decision, explain, script, tables, with_rules};
use mcp_policy::commands::Command;
use mcp_policy::{
    Decision, Grants, HostPattern, PolicyBuilder, Reason, Rule, Truth, Why, rules_from_json,
};
use mcp_provider::ToolCall;
use mcp_provider::location::{Locations, PathParams, PathStyle, Roots};
use serde_json::{Value, json};

use Decision::{Allow, Ask, Deny};

#[test]
fn rules_that_are_wrong_are_refused_and_the_list_with_them() {
    // P-RULE-1 to P-RULE-10, P-RULE-12, P-HOST-1, S74 to S76, W-156, W-222
    let with = |more: Value| {
        let mut rule = json!({ "tool": "x", "decision": "deny" });
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rule
    };
    let wrong = [
        (json!("fs_read"), "object"),
        (json!({ "tool": "x" }), "decision"),
        (json!({ "decision": "allow" }), "tool"),
        (with(json!({ "dir": "/x" })), "dir"),
        (with(json!({ "hosts": "x" })), "hosts"),
        (with(json!({ "decision": "maybe" })), "maybe"),
        (with(json!({ "decision": "Deny" })), "Deny"),
        (with(json!({ "tool": "fs_*_x" })), "fs_*_x"),
        (with(json!({ "tool": "**" })), "**"),
        (with(json!({ "tool": "fs.*" })), "fs.*"),
        (with(json!({ "tool": "" })), "pattern"),
        (with(json!({ "under": "/a/../b" })), "'..'"),
        (with(json!({ "under": "" })), "empty"),
        (with(json!({ "under": 42 })), "42"),
        (with(json!({ "under": null })), "null"),
        (with(json!({ "host": null })), "null"),
        (with(json!({ "command": "a/b" })), "separator"),
        (with(json!({ "command": r"git\x" })), "separator"),
        (with(json!({ "command": "git commit -m *" })), "args"),
        (with(json!({ "args": ["x"] })), "command"),
        (with(json!({ "args-any": ["x"] })), "command"),
        (with(json!({ "command": "git", "args": "push" })), "push"),
        (with(json!({ "command": "git", "args": ["", "x"] })), "empty"),
        (with(json!({ "command": "git", "args-any": [] })), "empty"),
        (with(json!({ "check": "" })), "check"),
        (with(json!({ "severity": "scary" })), "danger"),
        (with(json!({ "note": 42 })), "42"),
        (with(json!({ "match": [{ "comand": "x" }] })), "match"),
    ];
    for (rule, fragment) in wrong {
        let error = rules_from_json(&json!([{ "tool": "y", "decision": "allow" }, rule]));
        let error = error.unwrap_err();
        assert_eq!(error.index(), Some(1), "{rule}");
        assert!(error.to_string().contains(fragment), "{rule}: {error}");
    }
    for list in [json!({ "tool": "x", "decision": "deny" }), json!("x"), json!(null)] {
        assert!(rules_from_json(&list).unwrap_err().to_string().contains("list"), "{list}");
    }
    for host in [
        "*",
        "*.",
        "ev*.com",
        "*.raku.*",
        "?.raku.org",
        "",
        ".raku.org",
        "raku.org.",
        "a..b",
        "-x",
        "https://raku.org",
        "raku.org/docs",
        "raku.org:443",
        "[::1]",
        "*.com",
        "*.1",
        "*.::1",
        "a:b:c",
        "2130706433",
        "0x7f.1",
        "127.1",
        "bücher.de",
    ] {
        assert!(HostPattern::parse(host).is_err(), "{host}");
    }
    for host in ["docs.raku.org", "*.raku.org", "::1", "127.0.0.1", "Evil.COM", "localhost", "_x"] {
        assert_eq!(HostPattern::parse(host).unwrap().as_str(), host);
    }
}

#[test]
fn a_rule_survives_json() {
    // P-RULE-11, P-GRANT-5
    let full = json!([{ "tool": "sh_*", "decision": "deny", "under": "a//b/.", "host": "Evil.COM",
        "command": "python*", "args": ["push"], "args-any": ["--force", "-f"], "check": "c",
        "note": "", "severity": "danger" }]);
    let rules = rules_from_json(&full).unwrap();
    assert_eq!(json!(rules), full);
    assert!(rules[0].is_danger() && !rules[0].is_blanket());
    let line = "deny sh_* under a//b/. on Evil.COM command python* args [\"push\"] \
                args-any [\"--force\", \"-f\"] check c";
    assert_eq!(rules[0].to_string(), line);
    let built = Rule::new(Deny, "sh_*").unwrap().under("a//b/.").unwrap();
    let built = built.host("Evil.COM").unwrap().command("git", ["push"]).unwrap().danger();
    assert_eq!(Rule::from_json(built.to_json()).unwrap(), built);
    let book: Grants = serde_json::from_value(full.clone()).unwrap();
    assert_eq!(json!(book), full);
}

#[test]
fn the_strongest_decision_counts_whatever_the_order() {
    // P-EVAL-5, P-EVAL-6, P-SPEC-1
    let cases = [
        (json!([]), "read", Ask, None),
        (json!([{ "tool": "read", "decision": "allow" }]), "read", Allow, Some("allow read")),
        (json!([{ "tool": "read", "decision": "allow" }]), "write", Ask, None),
        (json!([{ "tool": "r*", "decision": "allow" }]), "read", Allow, Some("allow r*")),
        (json!([{ "tool": "*", "decision": "allow" }]), "delete", Allow, Some("allow *")),
        (
            json!([{ "tool": "read", "decision": "allow" }, { "tool": "r*", "decision": "deny" },
                { "tool": "*", "decision": "ask" }]),
            "read",
            Deny,
            Some("deny r*"),
        ),
        (
            json!([{ "tool": "*", "decision": "deny" }, { "tool": "read", "decision": "deny" }]),
            "read",
            Deny,
            Some("deny read"),
        ),
        (
            json!([{ "tool": "x", "decision": "deny" },
                { "tool": "x", "decision": "deny", "command": "git" }]),
            "x",
            Deny,
            Some("deny x command git"),
        ),
    ];
    for (rules, tool, expected, rule) in cases {
        let mut reversed = rules.clone();
        reversed.as_array_mut().unwrap().reverse();
        for rules in [rules, reversed] {
            let found = explain(&rules, &json!({}), tool, &argv(&["git", "x"]));
            assert_eq!(found.decision, expected, "{rules} {tool}");
            assert_eq!(found.rule.map(|it| it.to_string()).as_deref(), rule, "{rules} {tool}");
        }
    }
}

/// The rule that a verdict about a call names, where every rule in `rules` matches the call.
fn named(rules: &Value, args: Value) -> Rule {
    let always = |_: &Command, _: &[Command]| Truth::Yes;
    let policy = with_rules((), rules).check("one", always).check("two", always).build().unwrap();
    policy.decide(&ToolCall::new("1", "sh_run", args)).rule.unwrap()
}

#[test]
fn of_the_rules_that_match_the_one_that_says_more_is_named() {
    // P-SPEC-1, P-EVAL-6: from the least specific to the most; all of them match the call.
    let ascending = [
        json!({ "tool": "*", "check": "one" }),
        json!({ "tool": "s*", "command": "git", "args": ["push", "-f"] }),
        json!({ "tool": "sh_*" }),
        json!({ "tool": "sh_run" }),
        json!({ "tool": "sh_run", "host": "*.raku.org" }),
        json!({ "tool": "sh_run", "host": "*.docs.raku.org" }),
        json!({ "tool": "sh_run", "host": "a.docs.raku.org" }),
        json!({ "tool": "sh_run", "host": "a.docs.raku.org", "port": 443 }),
        json!({ "tool": "sh_run", "host": "a.docs.raku.org", "scheme": "https" }),
        json!({ "tool": "sh_run", "under": "/srv" }),
        json!({ "tool": "sh_run", "under": "/srv", "host": "a.docs.raku.org" }),
        json!({ "tool": "sh_run", "under": "/srv/a" }),
        json!({ "tool": "sh_run", "check": "one" }),
        json!({ "tool": "sh_run", "check": "one", "host": "*.raku.org" }),
        json!({ "tool": "sh_run", "command": "g*", "check": "one", "under": "/srv/a" }),
        json!({ "tool": "sh_run", "command": "gi*" }),
        json!({ "tool": "sh_run", "command": "git" }),
        json!({ "tool": "sh_run", "command": "git", "host": "*.raku.org" }),
        json!({ "tool": "sh_run", "command": "git", "under": "/srv" }),
        json!({ "tool": "sh_run", "command": "git", "check": "one" }),
        json!({ "tool": "sh_run", "command": "git", "args-any": ["-f"] }),
        json!({ "tool": "sh_run", "command": "git", "args": ["push"], "args-any": ["-f"] }),
    ];
    let call = json!({ "command": "git", "args": ["push", "-f"], "path": "/srv/a/x",
        "url": "https://a.docs.raku.org/" });
    for by in ["allow", "ask", "deny"] {
        let rules = ascending.clone().map(|mut it| {
            it["decision"] = json!(by);
            it
        });
        for (place, closer) in rules.iter().enumerate() {
            for other in &rules[..place] {
                for pair in [json!([other, closer]), json!([closer, other])] {
                    assert_eq!(named(&pair, call.clone()).to_json(), *closer, "{pair}");
                }
            }
        }
    }
}

#[test]
fn of_rules_that_say_as_much_the_first_is_named() {
    // P-EVAL-6
    let cases = [
        (json!({ "note": "one" }), json!({ "note": "two" }), argv(&["ls"])),
        (json!({ "check": "one" }), json!({ "check": "two" }), argv(&["ls"])),
        (
            json!({ "command": "git", "args": ["push"] }),
            json!({ "command": "git", "args-any": ["-f"] }),
            argv(&["git", "push", "-f"]),
        ),
        (json!({ "command": "git" }), json!({ "command": "npm" }), script("git log; npm test")),
    ];
    // Each place fits one rule only, which is enough for a rule that does not allow.
    let places = (
        json!({ "under": "/srv/a" }),
        json!({ "under": "/srv/b" }),
        json!({ "from": "/srv/b/x", "to": "/srv/a/y" }),
    );
    let sites = (
        json!({ "host": "a.raku.org" }),
        json!({ "host": "b.raku.org" }),
        json!({ "url": "https://b.raku.org/", "next": "https://a.raku.org/" }),
    );
    let all = ["allow", "ask", "deny"].map(|by| (by, cases.to_vec()));
    let some = ["ask", "deny"].map(|by| (by, vec![places.clone(), sites.clone()]));
    for (by, cases) in all.into_iter().chain(some) {
        for (one, two, args) in cases {
            let [one, two] = [one, two].map(|mut it| {
                it["tool"] = json!("sh_run");
                it["decision"] = json!(by);
                it
            });
            for (first, second) in [(&one, &two), (&two, &one)] {
                let rules = json!([first, second]);
                assert_eq!(named(&rules, args.clone()).to_json(), *first, "{rules}");
            }
        }
    }
}

#[test]
fn places_are_compared_from_the_root_of_the_tool() {
    // P-PATH-1 to P-PATH-5, P-TAB-2, P-TAB-5, P-EVAL-2 to P-EVAL-4; the rest as marked
    let allow = |under: &str| json!([{ "tool": "*", "decision": "allow", "under": under }]);
    let deny = |under: &str| json!([{ "tool": "*", "decision": "deny", "under": under }]);
    let srv = json!({ "fs": "/srv" });
    let none = json!({});
    let cases = [
        (allow("/tmp/root"), &none, "read", json!({ "path": "/tmp/root/x" }), Allow),
        (allow("/tmp/root"), &none, "read", json!({ "path": "/tmp//root/./x" }), Allow),
        (allow("/tmp/root"), &none, "read", json!({ "path": "/tmp/rootless/x" }), Ask),
        (allow("scratch"), &srv, "move", json!({ "from": "scratch/a", "to": "scratch/b" }), Allow),
        (allow("scratch"), &srv, "move", json!({ "from": "scratch/a", "to": "live/b" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "a" }), Allow),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "../etc/passwd" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "/srv/x\u{0}y" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": r"C:\srv\x" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": 42 }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({}), Ask),
        (allow("/srv"), &srv, "fs_read", json!("{not json"), Ask),
        (deny("/srv"), &srv, "fs_read", json!({ "path": "../etc/passwd" }), Deny),
        (deny("/srv/x"), &srv, "fs_read", json!({ "path": "y" }), Ask),
        (deny("/srv/x"), &srv, "fs_read", json!("{not json"), Deny),
        // W-170 to W-173, W-175, W-183, W-184
        (allow("/srv"), &srv, "fs_read", json!({ "path": "~/x" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "$HOME/x" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "%2e%2e/etc" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "C:/Windows" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "file:///etc/passwd" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "a\nb" }), Ask),
        // W-182
        (allow("/srv/caf\u{e9}"), &srv, "fs_read", json!({ "path": "cafe\u{301}/x" }), Ask),
        // W-185
        (allow("/srv"), &srv, "fs_copy", json!({ "path": "a", "destination": "/etc/passwd" }), Ask),
        (allow("/srv"), &srv, "fs_copy", json!({ "path": "a", "destination": "b" }), Allow),
        (
            allow("/srv"),
            &srv,
            "fs_edit",
            json!({ "path": "a", "edits": [{ "path": "/etc/x" }] }),
            Ask,
        ),
        (allow("/srv"), &srv, "fs_read", json!({ "path": "a", "paths": ["/etc"] }), Ask),
        (deny("/etc"), &srv, "fs_copy", json!({ "path": "a", "destination": "/etc/passwd" }), Deny),
        (deny("/etc"), &srv, "fs_copy", json!({ "path": "a", "content": "~/x" }), Ask),
        // W-187, W-188, W-190
        (allow("/srv"), &srv, "fs_read", json!({ "Path": "a" }), Ask),
        (allow("/srv"), &srv, "fsck_run", json!({ "path": "a" }), Ask),
        (allow("/srv"), &srv, "fs_read", json!({ "path": ".//a/./" }), Allow),
        // W-191
        (deny("secrets"), &none, "fs_read", json!({ "path": "/srv/x" }), Deny),
        // S50
        (deny("/srv/.cursor"), &none, "fs_write", json!({ "path": "/srv/.Cursor/x" }), Deny),
        (allow("/srv/.cursor"), &none, "fs_write", json!({ "path": "/srv/.Cursor/x" }), Ask),
    ];
    for (rules, roots, tool, args, expected) in cases {
        let found = explain(&rules, roots, tool, &args);
        assert_eq!(found.decision, expected, "{rules} {tool} {args}\n{found}");
    }
}

#[test]
fn a_disk_may_fold_case_and_have_drives() {
    // W-180, W-181
    let decide = |style, under: &str, path: &str| {
        let mut tables = tables(&json!({}), &json!({}));
        tables.locations = Locations::new(
            Roots::new([("", if style == PathStyle::Windows { "C:/srv" } else { "/srv" })], style)
                .unwrap(),
            PathParams::default(),
        );
        let rules = json!([{ "tool": "*", "decision": "deny", "under": under }]);
        let policy = with_rules((), &rules).tables(tables).build().unwrap();
        policy.decide(&ToolCall::new("1", "fs_read", json!({ "path": path }))).decision
    };
    let (mac, windows) = (PathStyle::CaseInsensitive, PathStyle::Windows);
    assert_eq!(decide(mac, "/srv/secrets", "/SRV/Secrets/x"), Deny);
    assert_eq!(decide(windows, "C:/srv/secrets", r"C:\SRV\secrets.\x"), Deny);
    assert_eq!(decide(windows, "C:/srv/secrets", r"c:\srv\SECRET~1\x"), Deny);
    assert_eq!(decide(windows, "C:/srv/secrets", "C:/srv/secrets::$DATA"), Deny);
    assert_eq!(decide(windows, "C:/srv/secrets", r"C:\srv\other\x"), Ask);
    // A directory that the disk cannot have is a mistake, and not a rule that never applies.
    let rules = json!([{ "tool": "*", "decision": "deny", "under": r"C:\x" }]);
    assert!(with_rules((), &rules).build().is_err());
}

#[test]
fn the_reason_says_what_could_not_be_read() {
    // W-166, W-223, P-EVAL-7
    let deny = json!([
        { "tool": "*", "decision": "deny", "under": "/srv", "host": "evil.com", "command": "rm" },
    ]);
    let only =
        |member: &str, value: &str| json!([{ "tool": "*", "decision": "deny", member: value }]);
    let cases = [
        (only("under", "/srv"), json!({ "path": "/srv/x" }), Reason::Rule),
        (only("under", "/srv"), json!({ "path": "../x" }), Reason::UnreadablePath),
        (only("host", "evil.com"), json!({ "url": "x" }), Reason::UnreadableUrl),
        (only("command", "rm"), script("$X"), Reason::UnreadableCommand),
        (only("command", "rm"), json!("{not json"), Reason::UnreadableArguments),
        (only("check", "absent"), script("ls"), Reason::FailedCheck),
        (json!([]), script("ls"), Reason::NoMatch),
        (deny, script("ls"), Reason::NoMatch),
    ];
    for (rules, args, expected) in cases {
        let found = explain(&rules, &json!({}), "x", &args);
        assert_eq!(found.reason, expected, "{rules} {args}\n{found}");
    }
    let allow = json!([{ "tool": "x", "decision": "allow", "command": "git" }]);
    let found = explain(&allow, &json!({}), "x", &script("git log > out"));
    assert_eq!((found.reason, found.causes), (Reason::NoMatch, vec![Why::WritesFile]));
    let found = explain(&allow, &json!({}), "x", &script("$EDITOR x"));
    assert_eq!(found.reason, Reason::UnreadableCommand);
}

#[test]
fn a_key_that_is_written_twice_is_refused_whatever_the_rules_say() {
    // P-EVAL-11
    let rules = json!([{ "tool": "*", "decision": "allow" }]);
    let twice = json!("{\"path\": \"/srv/a\", \"path\": \"/etc/b\"}");
    let found = explain(&rules, &json!({}), "x", &twice);
    assert_eq!((found.decision, found.reason), (Deny, Reason::UnreadableArguments));
    assert_eq!(found.causes, [Why::DuplicateKey("path".to_owned())]);
    assert_eq!(decision(&rules, "x", &json!("{\"path\": \"/srv/a\"}")), Allow);
    // P-EVAL-4: what cannot be read at all is judged by rules without conditions, and refused by
    // its tool.
    assert_eq!(decision(&rules, "x", &json!("{not json")), Allow);
}

#[test]
fn examples_in_rules_are_tried_when_they_are_loaded() {
    // P-RULE-14
    let rule = |more: Value| {
        let mut rule =
            json!({ "tool": "sh_*", "decision": "deny", "command": "git", "args": ["push"] });
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let builder: PolicyBuilder<()> = with_rules((), &json!([rule]));
        builder.build().map(drop).map_err(|it| it.to_string())
    };
    let good = json!({ "match": [{ "command": "git push -f" }, { "command": "ls; git push" }],
        "not-match": [{ "command": "git log" }, { "tool": "fs_read", "arguments": {} }] });
    assert_eq!(rule(good), Ok(()));
    let error = rule(json!({ "match": [{ "command": "git pull" }] })).unwrap_err();
    assert!(error.contains("git pull") && error.contains("rule 0"), "{error}");
    let error = rule(json!({ "not_match": [{ "command": "git -C x push" }] })).unwrap_err();
    assert!(error.contains("not-match"), "{error}");
    let allow = json!([{ "tool": "sh", "decision": "allow", "command": "git",
        "match": [{ "command": "git log; git diff" }],
        "not-match": [{ "command": "git log; ls" }, { "command": "git log > x" }] }]);
    assert!(with_rules((), &allow).build().is_ok());
}
