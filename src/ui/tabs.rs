//! The keyboard of a list of tabs: arrow keys go round, Home and End to the ends.

use yew::prelude::*;

/// Where a key leads from tab `here` of `count`; None: it is another key. The event is used up.
pub fn arrow(event: &KeyboardEvent, here: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let to = match event.key().as_str() {
        "ArrowLeft" => here.checked_sub(1).unwrap_or(last),
        "ArrowRight" => (here + 1) % count,
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    event.prevent_default();
    Some(to)
}
