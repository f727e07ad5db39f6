//! Numbers that look random, and come again for the same seed.

/// A SplitMix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers for one script of a run: each has its own, whoever runs it.
    pub(crate) fn new(seed: u64, script: u64) -> Self {
        let mut random = Self(seed);
        let start = random.number();
        Self(start ^ script.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17))
    }

    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, or zero if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = (self.number() >> 32) as usize;
        number.checked_rem(end).unwrap_or(0)
    }

    /// Whether something with this chance of a hundred happens.
    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of `items`, or nothing if there are none.
    pub(crate) fn one_of<T: Copy + Default>(&mut self, items: &[T]) -> T {
        let index = self.below(items.len());
        items.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_place_give_the_same_numbers_again() {
        let numbers = |seed, script| {
            let mut random = Random::new(seed, script);
            [random.number(), random.number()]
        };
        assert_eq!(numbers(7, 1), numbers(7, 1));
        assert_ne!(numbers(7, 1), numbers(8, 1));
        assert_ne!(numbers(7, 1), numbers(7, 2));
        assert_ne!(numbers(0, 0), numbers(0, 1));
    }

    #[test]
    fn a_number_stays_below_its_end() {
        let mut random = Random::new(1, 1);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
        assert_eq!(random.one_of::<&str>(&[]), "");
    }
}
