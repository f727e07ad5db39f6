//! Whether a redirect is followed.

use http::{HeaderValue, Method, StatusCode};

use super::target::Target;

/// What to do about a redirect.
#[derive(Clone, Debug)]
pub(crate) enum Redirect {
    /// Ask there, with the same method, headers and body.
    Follow(Target),
    /// Do not, and say so in these words.
    Refuse(String),
}

/// Whether a status sends the client elsewhere.
pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Decides on the redirect with which `from` answered a request of `method`, after `hops` others.
///
/// Credentials never go to another origin, and a body is sent again only where the status asks
/// for that: 301, 302 and 303 turn a POST into a GET.
pub(crate) fn follow(
    status: StatusCode,
    location: Option<&HeaderValue>,
    from: &Target,
    method: &Method,
    hops: usize,
) -> Redirect {
    let redirected = format!("{from} answered with a redirect (HTTP status {})", status.as_u16());
    let refuse = |reason: String| Redirect::Refuse(format!("{redirected} {reason}"));
    let Some(location) = location else {
        return refuse("that points nowhere: it has no Location header".to_owned());
    };
    let target = std::str::from_utf8(location.as_bytes())
        .map_err(|error| error.to_string())
        .and_then(|location| from.resolve(location));
    let target = match target {
        Ok(target) => target,
        Err(reason) => return refuse(format!("whose Location header cannot be used: {reason}")),
    };
    if !from.same_origin(&target) {
        return refuse(format!(
            "to another server, {target}, which is not followed because it would be shown the \
             credentials; if you trust it, configure that URL"
        ));
    }
    if !matches!(status.as_u16(), 307 | 308) && method != Method::GET {
        return refuse(format!(
            "to {target} that would turn a {method} into a GET; configure that URL"
        ));
    }
    if hops >= MAX_HOPS {
        return refuse(format!("after {hops} others: the server sends its clients in circles"));
    }
    Redirect::Follow(target)
}

/// How many redirects of one request are followed.
const MAX_HOPS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "https://mcp.example.com/v1/mcp?key=secret";

    fn decide(status: u16, location: &str, method: &Method, hops: usize) -> Redirect {
        let from = Target::parse(FROM).unwrap();
        let location = HeaderValue::from_bytes(location.as_bytes()).unwrap();
        follow(StatusCode::from_u16(status).unwrap(), Some(&location), &from, method, hops)
    }

    /// Spec 75: B-HTTP-33.
    #[test]
    fn a_redirect_is_followed_on_the_same_server_if_the_request_stays_what_it_is() {
        let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
        let cases = [
            (307, "/v2/mcp", &post, Ok("https://mcp.example.com/v2/mcp")),
            (308, "/v2/mcp?a=b#c", &post, Ok("https://mcp.example.com/v2/mcp?a=b#c")),
            (308, "mcp/", &delete, Ok("https://mcp.example.com/v1/mcp/")),
            (307, "https://MCP.example.com:443/v2", &post, Ok("https://MCP.example.com:443/v2")),
            (301, "/v2/mcp", &get, Ok("https://mcp.example.com/v2/mcp")),
            (302, "/v2/mcp", &get, Ok("https://mcp.example.com/v2/mcp")),
            (303, "/v2/mcp", &get, Ok("https://mcp.example.com/v2/mcp")),
            (301, "/v2/mcp", &post, Err("would turn a POST into a GET; configure that URL")),
            (302, "/v2/mcp", &post, Err("to https://mcp.example.com/v2/mcp that would turn")),
            (303, "/v2/mcp", &delete, Err("would turn a DELETE into a GET")),
            (307, "https://other.example/mcp?t=hidden", &post, Err("https://other.example/mcp, ")),
            (307, "//other.example/mcp", &post, Err("to another server, https://other.example")),
            (307, "http://mcp.example.com/v1/mcp", &post, Err("to another server, http://mcp")),
            (307, "https://mcp.example.com:8443/", &get, Err("if you trust it, configure that")),
            (307, "https://mcp.example.com@evil.example/", &get, Err("holds a user name")),
            (307, "https://u:hidden@mcp.example.com/", &get, Err("holds a user name")),
            (307, "/a b", &post, Err("whose Location header cannot be used: the URL cannot")),
            (307, "\\\\evil.example/", &post, Err("cannot be used")),
            (307, "https:/\\evil.example/", &post, Err("cannot be used")),
            (307, "ftp://mcp.example.com/", &post, Err("must start with http:// or https://")),
            (307, "https:mcp", &post, Err("names no host")),
        ];
        for (status, location, method, expected) in cases {
            match (decide(status, location, method, 0), expected) {
                (Redirect::Follow(target), Ok(expected)) => assert_eq!(target.as_str(), expected),
                (Redirect::Refuse(reason), Err(expected)) => {
                    let start = "https://mcp.example.com/v1/mcp answered with a redirect (HTTP ";
                    assert!(reason.starts_with(start), "{reason}");
                    assert!(reason.contains(expected), "{reason}");
                    assert!(!reason.contains("secret") && !reason.contains("hidden"), "{reason}");
                }
                (decision, _) => panic!("{status} {location} {method}: {decision:?}"),
            }
        }
    }

    #[test]
    fn only_so_many_redirects_are_followed() {
        assert!(matches!(decide(307, "/", &Method::POST, 4), Redirect::Follow(_)));
        let Redirect::Refuse(reason) = decide(307, "/", &Method::POST, 5) else { panic!("5 hops") };
        assert!(reason.contains("after 5 others"), "{reason}");
    }

    #[test]
    fn a_redirect_without_a_usable_location_is_refused() {
        let from = Target::parse(FROM).unwrap();
        let status = StatusCode::PERMANENT_REDIRECT;
        let Redirect::Refuse(reason) = follow(status, None, &from, &Method::GET, 0) else {
            panic!("there is nowhere to go")
        };
        assert!(reason.contains("no Location header"), "{reason}");
        let latin = HeaderValue::from_bytes(b"/caf\xe9").unwrap();
        let redirect = follow(status, Some(&latin), &from, &Method::GET, 0);
        assert!(matches!(redirect, Redirect::Refuse(_)), "{redirect:?}");
    }

    #[test]
    fn five_statuses_are_redirects() {
        let redirects = (100..600).filter(|code| is_redirect(StatusCode::from_u16(*code).unwrap()));
        assert_eq!(redirects.collect::<Vec<_>>(), [301, 302, 303, 307, 308]);
    }
}
