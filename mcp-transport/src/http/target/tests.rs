//! Which URLs are taken, and whether two are of one origin.

use proptest::prelude::*;

use super::*;

#[test]
fn a_url_is_kept_as_it_was_given() {
    // The URL, what is asked for, who is asked, and what is shown.
    let cases = [
        (
            "https://example.com",
            "https://example.com/",
            "https://example.com",
            "https://example.com",
        ),
        (
            "HTTPS://Example.COM:443/a/../b?q=1#f",
            "https://Example.COM:443/a/../b?q=1",
            "https://example.com",
            "HTTPS://Example.COM:443/a/../b",
        ),
        (
            "http://example.com:80?token=x",
            "http://example.com:80/?token=x",
            "http://example.com",
            "http://example.com:80",
        ),
        (
            "http://example.com:/%7Ea//b/",
            "http://example.com/%7Ea//b/",
            "http://example.com",
            "http://example.com:/%7Ea//b/",
        ),
        ("http://a:0080/", "http://a:80/", "http://a", "http://a:0080/"),
        (
            "http://127.0.0.1:3000/mcp",
            "http://127.0.0.1:3000/mcp",
            "http://127.0.0.1:3000",
            "http://127.0.0.1:3000/mcp",
        ),
        ("http://[0:0::1]:80/", "http://[0:0::1]:80/", "http://[::1]", "http://[0:0::1]:80/"),
        (
            "https://[2001:DB8::1]:8443/x",
            "https://[2001:DB8::1]:8443/x",
            "https://[2001:db8::1]:8443",
            "https://[2001:DB8::1]:8443/x",
        ),
        ("http://a_b.example/", "http://a_b.example/", "http://a_b.example", "http://a_b.example/"),
    ];
    for (text, uri, origin, shown) in cases {
        let target = Target::parse(text).unwrap();
        assert_eq!(target.as_str(), text);
        assert_eq!(target.uri().to_string(), uri);
        assert_eq!(target.origin().to_string(), origin);
        assert_eq!(target.to_string(), shown);
    }
}

/// B-HTTP-2.
#[test]
fn what_is_no_url_of_a_server_is_refused_with_a_reason() {
    let cases = [
        ("", "the URL is empty"),
        ("ftp://example.com/", "must start with http:// or https://"),
        ("example.com/mcp", "must start with http:// or https://"),
        ("localhost:3000", "must start with http:// or https://"),
        ("http:/example.com", "must start with http:// or https://"),
        ("http:example.com", "must start with http:// or https://"),
        ("https:\\\\example.com", "must start with http:// or https://"),
        (" https://example.com", "must start with http:// or https://"),
        ("httpſ://example.com", "must start with http:// or https://"),
        ("https://", "names no host"),
        ("https:///mcp", "names no host"),
        ("https://:80/mcp", "names no host"),
        ("https://example.com/a b", "written with a percent sign"),
        ("https://example.com/\n", "written with a percent sign"),
        ("https://bücher.example/", "written with a percent sign"),
        ("https://example.com\\@evil.example/", "written with a percent sign"),
        ("https://user:hidden@example.com/", "holds a user name"),
        ("https://@example.com/", "holds a user name"),
        ("https://example.com:99999/", "the port 99999 of the URL is beyond 65535"),
        ("https://example.com:a/", "cannot be read"),
        ("https://ex%61mple.com/", "is percent-encoded"),
        ("https://[::1/", "cannot be read"),
        ("https://[v1.a]/", "is no IPv6 address"),
        ("https://[fe80::1%25eth0]/", "cannot be read"),
    ];
    for (text, reason) in cases {
        let error = Target::parse(text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
        assert!(!error.contains("hidden"), "{error}");
    }
    let long = format!("https://example.com/{}", "a".repeat(70_000));
    assert!(Target::parse(&long).unwrap_err().contains("cannot be asked for"));
}

/// RFC 3986, section 5.4, as far as it concerns HTTP; and tricks with origins.
#[test]
fn a_reference_leads_where_a_browser_would_go_or_nowhere() {
    let base = Target::parse("http://a.example/b/c/d;p?q#f").unwrap();
    // The reference, where it leads, and whether that is the same server.
    let cases = [
        ("g", "http://a.example/b/c/g", true),
        ("./g/", "http://a.example/b/c/g/", true),
        ("/g", "http://a.example/g", true),
        ("?y", "http://a.example/b/c/d;p?y", true),
        ("g?y#s", "http://a.example/b/c/g?y#s", true),
        ("", "http://a.example/b/c/d;p?q", true),
        ("../../../g", "http://a.example/g", true),
        ("/messages/?session_id=abc", "http://a.example/messages/?session_id=abc", true),
        (" /g ", "http://a.example/g", true),
        ("http://A.Example:80/x", "http://A.Example:80/x", true),
        ("http://a.example:/x", "http://a.example:/x", true),
        ("//a.example/g", "http://a.example/g", true),
        ("//evil.example/g", "http://evil.example/g", false),
        ("///g", "", false),
        ("https://a.example/", "https://a.example/", false),
        ("http://a.example:443/", "http://a.example:443/", false),
        ("http://a.example.evil.example/", "http://a.example.evil.example/", false),
        ("http://a.example./", "http://a.example./", false),
        ("http://a.example@evil.example/", "", false),
        ("http://evil.example#@a.example/", "http://evil.example#@a.example/", false),
        ("http://evil.example?@a.example/", "http://evil.example?@a.example/", false),
        ("http://evil.example\\@a.example/", "", false),
        ("/\\evil.example/", "", false),
        ("\\\\evil.example/", "", false),
        ("http:/evil.example", "", false),
        ("http:evil.example", "", false),
        ("http:///evil.example", "", false),
        ("javascript:alert(1)", "", false),
        ("/a\r\nb", "", false),
        ("/\tg", "", false),
        ("//a.example%2f@evil.example/", "", false),
        ("//a%2eexample/", "", false),
        ("/.//evil.example/", "http://a.example//evil.example/", true),
    ];
    for (reference, expected, is_same) in cases {
        match base.resolve(reference) {
            Ok(target) => {
                assert_eq!(target.as_str(), expected, "{reference:?}");
                assert_eq!(base.same_origin(&target), is_same, "{reference:?}");
            }
            Err(error) => assert_eq!(expected, "", "{reference:?}: {error}"),
        }
    }
}

#[test]
fn addresses_are_the_same_however_they_are_spelled() {
    let cases = [
        ("http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80/", true),
        ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/", true),
        ("http://[::1]/", "http://[::2]/", false),
        ("http://127.0.0.1/", "http://127.1/", false),
        ("http://localhost/", "http://127.0.0.1/", false),
        ("https://a/", "https://A:0443/", true),
    ];
    for (one, other, is_same) in cases {
        let (one, other) = (Target::parse(one).unwrap(), Target::parse(other).unwrap());
        assert_eq!(one.same_origin(&other), is_same, "{one} {other}");
    }
}

proptest! {
    /// The connection goes to the host and the port of `uri`, and nowhere else.
    #[test]
    fn the_origin_is_where_the_connection_goes(
        reference in prop_oneof![
            "(https?|HTTP|x)?:?[/\\\\]{0,3}([a-b.:@\\[\\]%#?0-9/]|evil|\\\\){0,12}",
            "//?(a\\.example|evil|\\[::1\\])(:[0-9]{0,5})?[/?#@:](a\\.example|[ -~]){0,6}",
            any::<String>(),
        ]
    ) {
        let base = Target::parse("http://a.example/b").unwrap();
        if let Ok(target) = base.resolve(&reference) {
            let uri = target.uri();
            let host = uri.host().unwrap().to_ascii_lowercase();
            let default = if uri.scheme_str() == Some("https") { 443 } else { 80 };
            let port = uri.port_u16().unwrap_or(default);
            let is_same = uri.scheme_str() == Some("http") && host == "a.example" && port == 80;
            prop_assert_eq!(base.same_origin(&target), is_same, "{}", reference);
            prop_assert!(!uri.authority().unwrap().as_str().contains('@'));
            // What is shown or stored leads to the same place again.
            let again = Target::parse(target.as_str()).unwrap();
            prop_assert!(again.same_origin(&target) && again.uri() == uri);
        }
    }
}
