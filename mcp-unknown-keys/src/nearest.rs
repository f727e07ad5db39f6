//! The declared name that a misspelled one was meant to be.

/// The name among `declared` that is nearest to `name`, if one is near enough to be meant.
///
/// Near are names at most two letters apart (one too many, missing, another, or two swapped),
/// and fewer than half of the longer name's.  Of equally near ones the first is it.
pub(crate) fn nearest<'a>(
    name: &str,
    declared: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(LONGEST + 1).collect();
    let near = declared.into_iter().filter_map(|candidate| {
        let letters: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        let longer = name.len().max(letters.len());
        if longer > LONGEST || name.len().abs_diff(letters.len()) > FARTHEST {
            return None;
        }
        let distance = distance(&name, &letters);
        (distance <= FARTHEST && 2 * distance < longer).then_some((distance, candidate))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// How far a name may be from the one it was meant to be.
const FARTHEST: usize = 2;

/// Longer names are not compared: a model or a server may have written anything.
const LONGEST: usize = 64;

/// How many letters have to be added, removed, changed or swapped with the next one.
fn distance(this: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in this.iter().enumerate() {
        let mut now = vec![row + 1; width];
        for (column, against) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != against);
            let mut least = changed.min(last[column + 1] + 1).min(now[column] + 1);
            let is_swap =
                row > 0 && column > 0 && this[row - 1] == *against && other[column - 1] == *letter;
            if is_swap {
                least = least.min(before[column - 1] + 1);
            }
            now[column + 1] = least;
        }
        before = std::mem::replace(&mut last, now);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn a_distance_counts_letters() {
        let cases = [
            ("", "", 0),
            ("", "abc", 3),
            ("offset", "offset", 0),
            ("ffset", "offset", 1),
            ("contnet", "content", 1),
            ("promt", "prompt", 1),
            ("file_path", "filePath", 2),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
            ("größe", "grösse", 2),
        ];
        for (this, other, expected) in cases {
            assert_eq!(distance(&letters(this), &letters(other)), expected, "{this} {other}");
            assert_eq!(distance(&letters(other), &letters(this)), expected, "{other} {this}");
        }
    }

    #[test]
    fn the_nearest_name_is_meant_if_it_is_near() {
        let long = "x".repeat(LONGEST);
        let longer = "x".repeat(LONGEST + 1);
        let declared = ["id", "offset", "onset", "path", &long];
        let cases = [
            ("ffset", Some("offset")),
            ("oset", Some("onset")),
            ("offfsett", Some("offset")),
            ("offfsettt", None),
            ("pth", Some("path")),
            ("is", None),
            ("i", None),
            ("the rest", None),
            ("", None),
            (&long[1..], Some(&*long)),
            (&longer, None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, declared), expected, "{name:?}");
        }
        assert_eq!(nearest("tent", ["teat", "test"]), Some("teat"), "of equals, the first");
    }
}
