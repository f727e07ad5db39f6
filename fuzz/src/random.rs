//! Numbers that look random, and come again for the same seed.

/// A xorshift generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers follow from `seed`.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero for ever, and small seeds would start with small numbers.
        let mut random = Self((seed ^ 0x9e37_79b9_7f4a_7c15).max(1));
        random.number();
        random
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, or zero if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half is the better half, and no length here needs more.
        let number = (self.number() >> 32) as usize;
        number.checked_rem(end).unwrap_or(0)
    }

    /// One of `items`, or the default if there are none.
    pub fn one_of<'a>(&mut self, items: &[&'a [u8]]) -> &'a [u8] {
        let index = self.below(items.len());
        items.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            [random.number(), random.number(), random.number()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert_ne!(numbers(0x9e37_79b9_7f4a_7c15), [0; 3]);
    }

    #[test]
    fn a_number_stays_below_its_end() {
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert!((0..10).all(|_| random.below(0) == 0));
        assert!((0..10).all(|_| random.one_of(&[]).is_empty()));
    }
}
