//! The keys that records are grouped by: the name of their session, or an id that tells it.

use crate::grouping::{put_number, take_number};
use crate::mapping::{JoinId, SessionRef};

/// The first byte of a key that is an id. No name begins with it, since names are UTF-8.
const JOINED: u8 = 0xff;

/// A session as bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionKey(Vec<u8>);

impl SessionKey {
    /// Writes the key of a session; a key is reused from record to record.
    pub(crate) fn set(&mut self, session: SessionRef<'_>) -> &[u8] {
        self.0.clear();
        match session {
            SessionRef::Named(name) => self.0.extend_from_slice(name.as_bytes()),
            SessionRef::Joined { join, id } => {
                self.0.push(JOINED);
                put_number(&mut self.0, u64::from(join.0));
                self.0.extend_from_slice(id.as_bytes());
            }
        }
        &self.0
    }
}

/// The session of a key.
pub(crate) fn session_of(key: &[u8]) -> SessionRef<'_> {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    match key.split_first() {
        Some((&JOINED, mut rest)) => {
            let join = JoinId(take_number(&mut rest) as u32);
            SessionRef::Joined { join, id: text(rest) }
        }
        _ => SessionRef::Named(text(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_read_as_they_were_written(name in ".*", join in any::<u32>()) {
            for session in [
                SessionRef::Named(&name),
                SessionRef::Joined { join: JoinId(join), id: &name },
            ] {
                let mut key = SessionKey::default();
                prop_assert_eq!(session_of(key.set(session)), session);
            }
        }
    }
}
