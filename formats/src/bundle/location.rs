//! The part of a bundle that one location needs to judge its own log (paper 004 sec. 4.4, the local verifier).

use super::codec::encode;
use super::{
    Areas, Bundle, Central, EventMapping, ForwardTable, LocalVerifier, Provenance, Rows, SpecText,
    Unsupported,
};
use multitrace_interaction::{Alphabet, Balance, Id, LocationId, Observation};
use sha2::{Digest, Sha256};

/// The bundle of one location. It names its own letters and no others; its areas are numbers, whose transitions stand
/// in the whole bundle alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationBundle {
    /// SHA-256 of the bytes of the whole bundle.
    pub whole: [u8; 32],
    /// The file name of the specification, without folders.
    pub spec_name: String,
    /// The observation mode that its log is judged in.
    pub observation: Observation,
    /// The mapping that makes sessions of event logs.
    pub events: Option<EventMapping>,
    /// All lifelines and locations, so that events of others are left out and not reported, and the letters of this location.
    pub alphabet: Alphabet,
    /// The location.
    pub location: LocationId,
    /// How many areas it has.
    pub areas: u32,
    /// Its verifier, whose areas have no transitions; `None` if the whole bundle has none.
    pub forward: Option<ForwardTable>,
}

impl LocationBundle {
    /// One for each location of a bundle, in order.
    pub fn split(bundle: &Bundle) -> Vec<LocationBundle> {
        let whole = LocationBundle::hash_of(bundle);
        let of = |location| LocationBundle::of(bundle, whole, location);
        bundle.alphabet.locations().map(of).collect()
    }

    /// The hash by which locations name a whole bundle.
    pub fn hash_of(bundle: &Bundle) -> [u8; 32] {
        Sha256::digest(encode(bundle)).into()
    }

    fn of(bundle: &Bundle, whole: [u8; 32], location: LocationId) -> LocationBundle {
        let (all, local) = (&bundle.alphabet, bundle.local(location));
        let mut alphabet = Alphabet::default();
        for it in all.locations() {
            alphabet.add_location(all.location_name(it));
        }
        all.lifelines().for_each(|(name, at)| _ = alphabet.add_lifeline(name, at));
        all.labels().for_each(|(label, lifeline)| _ = alphabet.add_label(label, lifeline));
        for &letter in &local.letters {
            alphabet.add_letter(all.letter_name(letter), location);
        }
        let areas = local.forward.as_ref().and_then(|table| table.areas.as_ref());
        let numbers = |areas: &Areas| Areas { rows: Rows::new(0), ..areas.clone() };
        let forward = local.forward.as_ref();
        LocationBundle {
            whole,
            spec_name: bundle.provenance.spec_name.clone(),
            observation: bundle.observation,
            events: bundle.events.clone(),
            alphabet,
            location,
            areas: areas.map_or(0, |areas| areas.rows.len() as u32),
            forward: forward
                .map(|it| ForwardTable { areas: it.areas.as_ref().map(numbers), ..it.clone() }),
        }
    }

    /// The same as a bundle in memory, for reading and walking its log. It decides no session.
    pub fn into_bundle(self) -> Bundle {
        let mut forward = self.forward;
        let letters = self.alphabet.letters_by_location().into_iter().enumerate();
        let locals = letters.map(|(at, letters)| {
            let forward = if at == self.location.index() { forward.take() } else { None };
            LocalVerifier { letters, forward, backward: None }
        });
        Bundle {
            locals: locals.collect(),
            provenance: Provenance::new("", &self.spec_name, &[], String::new()),
            text: SpecText::default(),
            observation: self.observation,
            events: self.events,
            alphabet: self.alphabet,
            source: None,
            has_only_multi_traces: false,
            balance: Balance::default(),
            central: Central::Unsupported(Unsupported {
                limit: "no automaton".to_owned(),
                construct: "the bundle of one location".to_owned(),
                place: self.spec_name,
            }),
        }
    }
}
