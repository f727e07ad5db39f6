//! In which order the members of an object came.

/// Names in the order in which they were added.  The first few, which are all that most objects
/// have, take no allocation: the order is only needed of an object that turns out incomplete.
#[derive(Debug, Default)]
pub(crate) struct Order {
    first: [&'static str; FEW],
    len: usize,
    more: Vec<&'static str>,
}

impl Order {
    pub(crate) fn push(&mut self, name: &'static str) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = name,
            None => self.more.push(name),
        }
        self.len += 1;
    }

    pub(crate) fn into_names(self) -> impl Iterator<Item = &'static str> {
        self.first.into_iter().take(self.len).chain(self.more)
    }
}

const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_order_however_many_there_are() {
        let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"];
        for count in 0..all.len() {
            let mut order = Order::default();
            all[..count].iter().for_each(|name| order.push(name));
            assert_eq!(order.more.capacity() > 0, count > FEW, "{count}");
            assert_eq!(order.into_names().collect::<Vec<_>>(), all[..count]);
        }
    }
}
