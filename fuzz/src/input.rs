//! Inputs, out of examples and words.

use crate::random::Random;

/// An input grows no longer than this.
const LONGEST: usize = 4096;

/// Makes the next input: an example, or bytes of any kind, changed a few times.
pub(crate) fn make(random: &mut Random, examples: &[&[u8]], words: &[&[u8]]) -> Vec<u8> {
    let mut input = match random.below(16) {
        0 => any_bytes(random),
        1 => (0..random.below(40)).flat_map(|_| random.one_of(words)).copied().collect(),
        _ => random.one_of(examples).to_vec(),
    };
    for _ in 0..random.below(8) {
        change(random, &mut input, examples, words);
    }
    input.truncate(LONGEST);
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, examples: &[&[u8]], words: &[&[u8]]) {
    let start = random.below(input.len() + 1);
    let end = start + random.below((input.len() - start).min(64) + 1);
    match random.below(8) {
        0 => drop(input.drain(start..end)),
        1 => input.truncate(end),
        2 => {
            let again = input[start..end].repeat(1 + random.below(3));
            input.splice(start..start, again);
        }
        3 => {
            let bytes = any_bytes(random);
            input.splice(start..end, bytes);
        }
        4 => {
            let other = random.one_of(examples);
            let from = random.below(other.len() + 1);
            input.splice(start..end, other[from..].iter().copied());
        }
        5 => {
            if let Some(byte) = input.get_mut(start) {
                *byte ^= 1 << random.below(8);
            }
        }
        _ => {
            let word = random.one_of(words);
            input.splice(start..start, word.iter().copied());
        }
    }
}

fn any_bytes(random: &mut Random) -> Vec<u8> {
    (0..random.below(32)).map(|_| random.number().to_le_bytes()[4]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_differ_and_stay_short() {
        let mut random = Random::new(1);
        let inputs: Vec<_> =
            (0..1000).map(|_| make(&mut random, &[b"an example"], &[b"word"])).collect();
        let different: std::collections::HashSet<_> = inputs.iter().collect();
        assert!(different.len() > 800, "{}", different.len());
        assert!(inputs.iter().all(|input| input.len() <= LONGEST));
        let contains = |part: &[u8]| {
            inputs.iter().any(|input| input.windows(part.len()).any(|window| window == part))
        };
        assert!(contains(b"an example") && contains(b"word") && contains(b"wordword"));
    }

    #[test]
    fn nothing_to_start_from_is_enough() {
        let mut random = Random::new(1);
        assert!((0..1000).any(|_| !make(&mut random, &[], &[]).is_empty()));
    }
}
