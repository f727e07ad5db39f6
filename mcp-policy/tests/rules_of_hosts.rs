//! What rules say about URLs: tables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{explain, tables, with_rules};
use mcp_policy::{Decision, Host, HostPattern, UrlParams};
use mcp_provider::ToolCall;
use serde_json::{Value, json};

use Decision::{Allow, Ask, Deny};

#[test]
fn hosts_are_read_strictly_and_compared_whole() {
    // P-URL-1 to P-URL-4, P-HOST-2, P-HOST-3, W-200 to W-213, W-216, W-217
    let read = [
        ("https://docs.raku.org/lang.html", Some("docs.raku.org")),
        ("HTTPS://DOCS.RAKU.ORG/x", Some("docs.raku.org")),
        ("https://raku.org:8443/x", Some("raku.org")),
        ("https://raku.org:/x", Some("raku.org")),
        ("https://raku.org./x", Some("raku.org")),
        ("http://localhost./", Some("localhost")),
        ("http://[::1]:8080/x", Some("::1")),
        ("http://[2001:DB8::1]/", Some("2001:db8::1")),
        ("http://[0:0:0:0:0:0:0:1]/", Some("::1")),
        ("http://[::ffff:127.0.0.1]/", Some("127.0.0.1")),
        ("http://127.0.0.1/", Some("127.0.0.1")),
        ("http://127.0.0.1./", Some("127.0.0.1")),
        ("http://127.0.0.1.nip.io/", Some("127.0.0.1.nip.io")),
        ("https://evil.com#@good.com", Some("evil.com")),
        ("http://2130706433/", None),
        ("http://0x7f.1/", None),
        ("http://0x7f000001/", None),
        ("http://127.1/", None),
        ("http://0177.0.0.1/", None),
        ("http://127.0.0.01/", None),
        ("http://127.0.0.256/", None),
        ("http://1.2.3.4.5/", None),
        ("http://0/", None),
        ("https://user@evil.com#@good.com", None),
        ("https://docs.raku.org@evil.com/", None),
        ("ftp://raku.org/x", None),
        ("file:///etc/passwd", None),
        ("//raku.org/x", None),
        ("docs.raku.org", None),
        ("https://", None),
        ("", None),
        ("https://ev%69l.com/", None),
        (r"https://good.com\evil.com/", None),
        ("https://raku.org\n/x", None),
        ("https://raku.org:80a/", None),
        ("https://[::1/", None),
        ("https://::1/", None),
        ("https://[::1]junk/", None),
        ("http://[fe80::1%25eth0]/", None),
        ("https://bücher.de/", None),
        ("https://а.com/", None),
        ("https://docs.raku.org../", None),
        ("https:///good.com/", None),
        (" https://good.com/", None),
    ];
    for (url, expected) in read {
        let host = Host::of_url(url).ok().map(|it| it.to_string());
        assert_eq!(host.as_deref(), expected, "{url}");
    }
    let matches = [
        ("docs.raku.org", "https://DOCS.raku.org/", true),
        ("docs.raku.org", "https://raku.org/", false),
        ("raku.org", "https://docs.raku.org/", false),
        ("*.raku.org", "https://a.b.raku.org/", true),
        ("*.RAKU.org", "https://docs.raku.org/", true),
        ("*.raku.org", "https://raku.org/", false),
        ("*.raku.org", "https://evilraku.org/", false),
        ("*.raku.org", "https://raku.org.evil.com/", false),
        ("::1", "http://[0:0::1]/", true),
        ("127.0.0.1", "http://[::ffff:7f00:1]/", true),
    ];
    for (pattern, url, expected) in matches {
        let host = Host::of_url(url).unwrap();
        assert_eq!(
            HostPattern::parse(pattern).unwrap().matches(&host),
            expected,
            "{pattern} {url}"
        );
    }
}

#[test]
fn every_url_of_a_call_counts() {
    // P-TAB-7, W-218 to W-220
    let allow = json!([{ "tool": "web_fetch", "decision": "allow", "host": "*.raku.org" }]);
    let deny = json!([{ "tool": "web_fetch", "decision": "deny", "host": "evil.com" }]);
    let good = "https://docs.raku.org/x";
    let cases = [
        (&allow, json!({ "url": good }), Allow),
        (&allow, json!({ "url": "https://raku.org/x" }), Ask),
        (&allow, json!({ "url": good, "urls": ["http://evil.com/"] }), Ask),
        (&allow, json!({ "url": good, "body": { "next": "http://evil.com/" } }), Ask),
        (&allow, json!({ "url": good, "proxy": "evil.com:80" }), Ask),
        (&allow, json!({ "url": good, "mirror": "https://a.raku.org/" }), Allow),
        (&allow, json!({ "url": good, "body": "see https://evil.com/ for more" }), Allow),
        (&allow, json!({ "url": [good] }), Ask),
        (&allow, json!({ "uri": good }), Ask),
        (&deny, json!({ "url": "https://evil.com/" }), Deny),
        (&deny, json!({ "url": "https://www.evil.com/" }), Ask),
        (&deny, json!({ "url": good, "next": "https://evil.com/" }), Deny),
        (&deny, json!({ "url": good, "next": "https://x@evil.com/" }), Deny),
        (&deny, json!({ "url": good, "proxy": "evil.com:80" }), Deny),
        (&deny, json!({ "url": good, "redirect": "//evil.com/x" }), Deny),
        (&deny, json!({ "url": good, "host": "www.evil.com" }), Ask),
        (&allow, json!({ "url": good, "headers": { "Host": "evil.com" } }), Ask),
        (&allow, json!({ "url": good, "redirect": "//evil.com/x" }), Ask),
        (&allow, json!({ "url": good, "body": "// a remark" }), Allow),
        (&deny, json!({}), Deny),
        (&deny, json!({ "url": "javascript:alert(1)" }), Deny),
        (&deny, json!({ "url": 42 }), Deny),
    ];
    for (rules, args, expected) in cases {
        let found = explain(rules, &json!({}), "web_fetch", &args);
        assert_eq!(found.decision, expected, "{args}\n{found}");
    }
    let mut tables = tables(&json!({}), &json!({}));
    tables.urls = UrlParams::from_json(&json!({ "web_*": ["uri", "all"] })).unwrap();
    let policy = with_rules((), &allow).tables(tables).build().unwrap();
    for (args, expected) in [
        (json!({ "uri": good }), Allow),
        (json!({ "uri": good, "all": [good, "https://evil.com/"] }), Ask),
        (json!({ "uri": good, "url": "https://evil.com/" }), Allow),
    ] {
        assert_eq!(
            policy.decide(&ToolCall::new("1", "web_fetch", args.clone())).decision,
            expected,
            "{args}"
        );
    }
}

#[test]
fn a_rule_may_be_about_one_scheme_and_one_port() {
    // W-215
    let rule = |decision: &str, rest: Value| {
        let mut rule = json!({ "tool": "web_fetch", "decision": decision });
        rule.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!([rule])
    };
    let secure = rule("allow", json!({ "host": "docs.rs", "scheme": "https" }));
    let usual = rule("allow", json!({ "host": "docs.rs", "port": 443 }));
    let open = rule("deny", json!({ "scheme": "http" }));
    let shell = rule("deny", json!({ "host": "docs.rs", "port": 22 }));
    let cases = [
        (&secure, json!({ "url": "https://docs.rs/x" }), Allow),
        (&secure, json!({ "url": "HTTPS://docs.rs:8443/x" }), Allow),
        (&secure, json!({ "url": "http://docs.rs/x" }), Ask),
        (&secure, json!({ "url": "https://docs.rs/x", "proxy": "docs.rs" }), Ask),
        (&usual, json!({ "url": "https://docs.rs/" }), Allow),
        (&usual, json!({ "url": "https://docs.rs:/" }), Allow),
        (&usual, json!({ "url": "https://docs.rs:443/" }), Allow),
        (&usual, json!({ "url": "https://docs.rs:0443/" }), Allow),
        (&usual, json!({ "url": "http://docs.rs:443/" }), Allow),
        (&usual, json!({ "url": "http://docs.rs/" }), Ask),
        (&usual, json!({ "url": "https://docs.rs:65979/" }), Ask),
        (&open, json!({ "url": "http://docs.rs/" }), Deny),
        (&open, json!({ "url": "https://docs.rs/" }), Ask),
        (&open, json!({ "url": "https://docs.rs/", "next": "http://a.example/" }), Deny),
        (&shell, json!({ "url": "https://docs.rs:22/" }), Deny),
        (&shell, json!({ "url": "https://docs.rs:99999/" }), Deny),
        (&shell, json!({ "url": "https://docs.rs/" }), Ask),
        // Each URL is on the host and the port, or is not: two halves make no whole.
        (&shell, json!({ "url": "https://docs.rs/", "next": "https://a.example:22/" }), Ask),
    ];
    for (rules, args, expected) in cases {
        let found = explain(rules, &json!({}), "web_fetch", &args);
        assert_eq!(found.decision, expected, "{args}\n{found}");
    }
}

#[test]
fn an_address_inside_another_one_is_not_denied_by_halves() {
    // W-200, W-201
    let deny = json!([{ "tool": "web_fetch", "decision": "deny", "host": "127.0.0.1" },
        { "tool": "web_fetch", "decision": "allow" }]);
    let allow = json!([{ "tool": "web_fetch", "decision": "allow", "host": "127.0.0.1" }]);
    for (host, expected) in [
        ("[::ffff:127.0.0.1]", (Deny, Allow)),
        ("[::127.0.0.1]", (Deny, Ask)),
        ("[::ffff:0:127.0.0.1]", (Deny, Ask)),
        ("[64:ff9b::7f00:1]", (Deny, Ask)),
        ("[2002:7f00:1::]", (Deny, Ask)),
        ("[::1]", (Allow, Ask)),
        ("[2001:db8::7f00:1]", (Allow, Ask)),
    ] {
        let args = json!({ "url": format!("http://{host}/") });
        let found = |rules| explain(rules, &json!({}), "web_fetch", &args).decision;
        assert_eq!((found(&deny), found(&allow)), expected, "{host}");
    }
}
