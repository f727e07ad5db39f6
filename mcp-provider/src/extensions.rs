//! What travels with a call and is never part of its JSON.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// Values that travel with a call through any stack, one of each type.
///
/// The agent that asks, a deadline, a trace context: whatever a layer or a host wants to
/// hand to another without a task-local.  Nothing in here is ever serialised, and a clone
/// shares the values.
#[derive(Clone, Default)]
pub struct Extensions {
    /// A handful at most, so a list beats a map.
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

impl Extensions {
    /// Adds `value`, in the place of an earlier one of its type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.remove::<T>();
        self.values.push((TypeId::of::<T>(), Arc::new(value)));
    }

    /// Drops the value of type `T`, and says whether there was one.
    pub fn remove<T: Send + Sync + 'static>(&mut self) -> bool {
        let before = self.values.len();
        self.values.retain(|(id, _)| *id != TypeId::of::<T>());
        self.values.len() < before
    }

    /// The value of type `T`, if there is one.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let (_, value) = self.values.iter().find(|(id, _)| *id == TypeId::of::<T>())?;
        value.downcast_ref()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").field("len", &self.values.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_of_each_type_is_kept() {
        let mut extensions = Extensions::default();
        extensions.insert(1_u8);
        extensions.insert("agent");
        extensions.insert(2_u8);
        let copy = extensions.clone();
        assert_eq!((extensions.get::<u8>(), extensions.get::<&str>()), (Some(&2), Some(&"agent")));
        assert!(extensions.remove::<u8>() && !extensions.remove::<u8>());
        assert_eq!((extensions.get::<u8>(), copy.get::<u8>()), (None, Some(&2)));
    }
}
