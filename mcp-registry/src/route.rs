//! Which provider a name belongs to.

/// Finds the longest of `tags` that `name` starts with: its place, and the rest of the name.
pub(crate) fn route<'tag, 'name>(
    tags: impl IntoIterator<Item = &'tag str>,
    name: &'name str,
) -> Option<(usize, &'name str)> {
    tags.into_iter()
        .enumerate()
        .filter_map(|(place, tag)| name.strip_prefix(tag).map(|rest| (place, rest)))
        .min_by_key(|(_, rest)| rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_tag_wins_whatever_the_order() {
        // B-REG-5
        type Case<'a> = (&'a [&'a str], &'a str, Option<(usize, &'a str)>);
        let cases: &[Case<'_>] = &[
            (&["fs_"], "fs_read", Some((0, "read"))),
            (&["fs_", "fs_ext_"], "fs_read_file", Some((0, "read_file"))),
            (&["fs_", "fs_ext_"], "fs_ext_read", Some((1, "read"))),
            (&["fs_ext_", "fs_"], "fs_ext_read", Some((0, "read"))),
            (&["fs_ext_", "fs_"], "fs_extra", Some((1, "extra"))),
            (&["fs", "fs_"], "fs_read", Some((1, "read"))),
            (&["fs", "fs_"], "fsread", Some((0, "read"))),
            (&["fs_"], "fs_", Some((0, ""))),
            (&["fs_"], "fs", None),
            (&["fs_"], "FS_read", None),
            (&["fs_"], "nt_read", None),
            (&["fs_"], "", None),
            (&["fs_"], "fs_a.b/ü", Some((0, "a.b/ü"))),
            (&[], "fs_read", None),
        ];
        for &(tags, name, expected) in cases {
            assert_eq!(route(tags.iter().copied(), name), expected, "{name:?} among {tags:?}");
        }
    }
}
