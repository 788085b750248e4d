//! Grouping against a map in memory, for every limit of memory.

use super::block::{EventBatch, PARTITIONS, partition_of};
use super::merge::RunMerge;
use super::store::EventStore;
use indexmap::IndexMap;
use proptest::prelude::*;

type Sessions = Vec<(String, Vec<(u64, Vec<u8>)>)>;

fn plain(events: &[(u8, Vec<u8>)]) -> Sessions {
    let mut sessions: IndexMap<String, Vec<(u64, Vec<u8>)>> = IndexMap::new();
    for (number, (session, content)) in events.iter().enumerate() {
        let entry = sessions.entry(format!("s{session}")).or_default();
        entry.push((number as u64, content.clone()));
    }
    sessions.into_iter().collect()
}

fn grouped(events: &[(u8, Vec<u8>)], batch: usize, memory: usize) -> (Sessions, u64) {
    let mut store = EventStore::new(memory);
    for events in events.chunks(batch) {
        let (mut made, mut places) = (EventBatch::by_session(), [None; 256]);
        for (session, content) in events {
            let write = |bytes: &mut Vec<u8>| bytes.extend_from_slice(content);
            match places[usize::from(*session)] {
                Some(place) => made.add_again(place, write),
                None => {
                    let place = made.add(format!("s{session}").as_bytes(), write);
                    // Some sessions are named again each time.
                    places[usize::from(*session)] = (session % 3 > 0).then_some(place);
                }
            }
        }
        store.add(&made).expect("room for temporary files");
    }
    let spilled = store.spilled();
    let merge = RunMerge::new(store.into_runs().expect("runs")).expect("a merge");
    let sessions = merge.map(|session| {
        let session = session.expect("a session");
        let records = session.records().map(|(number, content)| (number, content.to_vec()));
        (session.session(), records.collect())
    });
    (sessions.collect(), spilled)
}

fn any_events() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    let content = prop::collection::vec(any::<u8>(), 0..40);
    prop::collection::vec((0_u8..40, content), 0..300)
}

proptest! {
    #[test]
    fn sessions_are_those_of_a_map(events in any_events(), batch in 1_usize..50) {
        let expected = plain(&events);
        for memory in [0, 300, 3_000, 30_000, 1 << 30] {
            let (sessions, _) = grouped(&events, batch, memory);
            prop_assert_eq!(&sessions, &expected, "memory {}", memory);
        }
    }
}

#[test]
fn a_small_memory_spills_and_tells_parts_apart_again() {
    let events: Vec<(u8, Vec<u8>)> =
        (0..60_000_u32).map(|n| ((n * 7 % 251) as u8, n.to_le_bytes().to_vec())).collect();
    let (sessions, spilled) = grouped(&events, 1_000, 40_000);
    assert!(spilled > 500_000, "{spilled}");
    assert_eq!(sessions, plain(&events));
    assert_eq!(grouped(&events, 1_000, 1 << 30), (plain(&events), 0));
}

/// Sessions that share the partitions of the levels above spread over those of the next one.
#[test]
fn partitions_have_about_as_many_sessions_each() {
    for form in ["s", "a longer name of a session ", "0123456789abcdef-"] {
        let mut names: Vec<String> = (0..200_000).map(|it| format!("{form}{it}")).collect();
        for level in 0..3 {
            let mut parts = vec![Vec::new(); PARTITIONS];
            let all = names.len();
            for name in names {
                parts[partition_of(name.as_bytes(), level)].push(name);
            }
            let most = parts.iter().map(Vec::len).max().expect("partitions");
            let least = parts.iter().map(Vec::len).min().expect("partitions");
            let even = all / PARTITIONS;
            assert!(least * 2 > even && most < even * 2, "{form} {level}: {least} to {most}");
            names = parts.swap_remove(1);
            if names.len() < 32 * PARTITIONS {
                break;
            }
        }
    }
}
