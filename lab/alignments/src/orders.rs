//! One total order per session: the one it was generated in.

use multitrace_interaction::{Alphabet, LetterId, Session};

/// The events of each session in order. The coordinator's log comes first; the events of a peer follow the request that
/// it got, as they were generated. Faults are within one log, so they keep this order.
pub fn of(sessions: &[Session], alphabet: &Alphabet) -> Vec<Vec<String>> {
    sessions.iter().map(|session| order(session, alphabet)).collect()
}

fn order(session: &Session, alphabet: &Alphabet) -> Vec<String> {
    let name = |letter: &LetterId| alphabet.letter_name(*letter).to_owned();
    let place = alphabet.location("c").expect("the coordinator");
    let mut order = Vec::new();
    for event in log(session, alphabet, "c").iter().map(name) {
        let peer = event.strip_prefix("c!req").map(|peer| format!("p{peer}"));
        order.push(event);
        if let Some(peer) = peer {
            order.extend(log(session, alphabet, &peer).iter().map(name));
        }
    }
    assert_eq!(order.len(), session.event_count(), "all events; the first log is {place:?}");
    order
}

fn log<'s>(session: &'s Session, alphabet: &Alphabet, location: &str) -> &'s [LetterId] {
    let names = alphabet.locations().map(|it| alphabet.location_name(it));
    let at = names.into_iter().position(|name| name == location).expect("a location");
    &session.trace[at]
}
