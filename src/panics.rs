//! Panics that the library contains are not printed: they become errors with a place.

use multitrace_formats::workers::is_contained;
use std::panic;
use std::sync::Once;

/// Wraps the panic hook of the process, once: it is no longer called for panics that are contained.
/// The hook that was there handles all others.
pub(crate) fn hide_contained() {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_contained() {
                hook(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_formats::workers::contained;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_hook_of_an_embedder_sees_the_panics_that_are_not_contained() {
        static SEEN: AtomicU32 = AtomicU32::new(0);
        panic::set_hook(Box::new(|_| {
            SEEN.fetch_add(1, Ordering::Relaxed);
        }));
        hide_contained();
        hide_contained();
        assert!(contained(|| panic!("on purpose")).is_err());
        assert_eq!(SEEN.load(Ordering::Relaxed), 0);
        assert!(panic::catch_unwind(|| panic!("on purpose")).is_err());
        assert_eq!(SEEN.load(Ordering::Relaxed), 1);
    }
}
