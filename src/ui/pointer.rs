//! Shared data as a property: compared by its pointer, because reports can be large and are never changed in place.

use std::rc::Rc;

#[derive(Debug)]
pub struct ByPointer<T>(pub Rc<T>);

impl<T> Clone for ByPointer<T> {
    fn clone(&self) -> ByPointer<T> {
        ByPointer(self.0.clone())
    }
}

impl<T> PartialEq for ByPointer<T> {
    fn eq(&self, other: &ByPointer<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The same for a list.
pub fn by_pointers<T>(items: &[Rc<T>]) -> Vec<ByPointer<T>> {
    items.iter().cloned().map(ByPointer).collect()
}
