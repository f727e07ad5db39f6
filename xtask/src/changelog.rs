//! Finding a crate's entry in CHANGELOG.md.

/// What the changelog says under `## NAME VERSION`, or none without such a heading.
pub(crate) fn entry<'a>(text: &'a str, name: &str, version: &str) -> Option<&'a str> {
    let mut sections = text.split("\n## ");
    // What stands before the first heading is no section, unless the file opens with one.
    let preamble = sections.next().and_then(|first| first.strip_prefix("## "));
    preamble.into_iter().chain(sections).find_map(|section| {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        let mut words = heading.split_whitespace();
        let found = words.next() == Some(name) && words.next() == Some(version);
        found.then(|| body.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_what_follows_its_heading() {
        let text = "# Changelog\n\nWords.\n\n## mcp-sse 0.2.0 - 2026-12-01\n\n- Faster.\n\n### Fixed\n\n- A bug.\n\n\
                    ## mcp-sse 0.1.0\n- First.\n## mcp-cache 0.1.0\n";
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("mcp-sse", "0.2.0", Some("- Faster.\n\n### Fixed\n\n- A bug.")),
            ("mcp-sse", "0.1.0", Some("- First.")),
            ("mcp-cache", "0.1.0", Some("")),
            ("mcp-cache", "0.2.0", None),
            ("mcp-ss", "0.1.0", None),
            ("mcp-sse", "0.1", None),
        ];
        for (name, version, expected) in cases {
            assert_eq!(entry(text, name, version), *expected, "{name} {version}");
        }
        assert_eq!(entry("## a 1.0.0\nx", "a", "1.0.0"), Some("x"));
        assert_eq!(entry("", "a", "1.0.0"), None);
    }
}
