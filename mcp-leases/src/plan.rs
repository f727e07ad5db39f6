//! In which order the calls of a batch run.

/// What a call is to this layer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// It claims paths.
    Acquire,
    /// It gives paths back.
    Release,
    /// It is for the provider underneath.
    Other,
}

/// A part of a batch: first it claims, then it calls, then it gives back.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Part {
    pub(crate) acquires: Vec<usize>,
    pub(crate) others: Vec<usize>,
    pub(crate) release: Option<usize>,
}

/// Cuts a batch after each release, by the places of its calls.
///
/// A model that locks, writes and releases in one breath means it in this order; but it may well
/// write down what it wants to do before what it needs for it.
pub(crate) fn parts(kinds: impl IntoIterator<Item = Kind>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = Part::default();
    for (place, kind) in kinds.into_iter().enumerate() {
        match kind {
            Kind::Acquire => part.acquires.push(place),
            Kind::Other => part.others.push(place),
            Kind::Release => {
                part.release = Some(place);
                parts.push(std::mem::take(&mut part));
            }
        }
    }
    if part != Part::default() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_come_before_the_calls_and_releases_after() {
        // L-EXEC-2
        let part = |acquires: &[usize], others: &[usize], release| Part {
            acquires: acquires.to_vec(),
            others: others.to_vec(),
            release,
        };
        let cases = [
            ("", vec![]),
            ("o", vec![part(&[], &[0], None)]),
            ("aor", vec![part(&[0], &[1], Some(2))]),
            ("oao", vec![part(&[1], &[0, 2], None)]),
            ("r", vec![part(&[], &[], Some(0))]),
            ("rr", vec![part(&[], &[], Some(0)), part(&[], &[], Some(1))]),
            ("aorao", vec![part(&[0], &[1], Some(2)), part(&[3], &[4], None)]),
            ("oraor", vec![part(&[], &[0], Some(1)), part(&[2], &[3], Some(4))]),
        ];
        for (batch, expected) in cases {
            let kinds = batch.chars().map(|it| match it {
                'a' => Kind::Acquire,
                'r' => Kind::Release,
                _ => Kind::Other,
            });
            assert_eq!(parts(kinds), expected, "{batch:?}");
        }
    }
}
