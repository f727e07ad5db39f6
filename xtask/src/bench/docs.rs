//! The parts of `docs/performance.md` that a run writes.

use crate::tool;

/// Puts `text` between the marks of that name.
pub(crate) fn write(mark: &str, text: &str) -> Result<(), String> {
    let path = tool::root().join("docs/performance.md");
    let old = tool::read_file(&path)?;
    let new = between(&old, mark, text)
        .ok_or_else(|| format!("{}: it has no marks for {mark}", path.display()))?;
    tool::write_file(&path, &new)
}

fn between(old: &str, mark: &str, text: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {mark}: begin -->"), format!("<!-- {mark}: end -->"));
    let (before, rest) = old.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let old = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n";
        let new = "a\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nb\n";
        assert_eq!(between(old, "x", "new\n").as_deref(), Some(new));
        assert_eq!(between(new, "x", "new").as_deref(), Some(new));
        assert_eq!(between(old, "y", "new"), None);
    }
}
