//! The verifier bundle: all the runtime needs to check sessions, and nothing of the compiler.
//!
//! `bundle/codec.rs` turns it into bytes and back, `bundle/validate.rs` checks every index of the read bundle before
//! anyone uses it.

mod codec;
mod error;
mod location;
mod spec_text;
mod validate;
mod wire;

pub use codec::{
    FORMAT_VERSION, decode, decode_location, encode, encode_location, is_bundle, is_bundle_path,
};
pub use error::BundleError;
pub use location::LocationBundle;
pub use spec_text::SpecText;

use bitvec::prelude::{BitVec, Lsb0};
use multitrace_interaction::{
    Alphabet, Balance, Id, Interaction, LetterId, LocationId, Nfa, Observation, Signature, StateId,
    TransitionId,
};
use sha2::{Digest, Sha256};

/// A word of a bit set. 32 bits: bitvec has no store of 64 bits on 32-bit targets.
pub type Word = u32;

/// How many bits a [`Word`] has.
pub const WORD_BITS: usize = Word::BITS as usize;

/// A set as bits.
pub type Bits = BitVec<Word, Lsb0>;

/// A compiled specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Where it comes from.
    pub provenance: Provenance,
    /// The specification as text.
    pub text: SpecText,
    /// The observation mode sessions are checked in unless another is asked for.
    pub observation: Observation,
    /// The mapping that makes sessions of event logs, where it was compiled in.
    pub events: Option<EventMapping>,
    /// Letters, lifelines and locations.
    pub alphabet: Alphabet,
    /// The specification as it was written, when it was an interaction.
    pub source: Option<(Signature, Interaction)>,
    /// Whether that has the multi-traces of the specification, and more global traces.
    pub has_only_multi_traces: bool,
    /// The laws that the counts of accepted sessions obey.
    pub balance: Balance,
    /// The global automaton, or the construct that prevents one.
    pub central: Central,
    /// One verifier per location of the alphabet, in order.
    pub locals: Vec<LocalVerifier>,
}

/// The text of a mapping from event logs to sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventMapping {
    /// The file name, without folders.
    pub name: String,
    /// The content of the file.
    pub text: String,
}

impl EventMapping {
    /// The SHA-256 of its text, which is that of its file.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }
}

/// The origin of a bundle: specification, options and the version of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Version of the tool that compiled it.
    pub tool_version: String,
    /// The file name of the specification, without folders.
    pub spec_name: String,
    /// SHA-256 of the specification's bytes.
    pub spec_hash: [u8; 32],
    /// The options that shaped it, as one line of text.
    pub options: String,
    /// Whether a limit on time ended some step of compiling: another machine, or another run, may
    /// give another bundle.
    pub timed_out: bool,
}

impl Provenance {
    /// Of a specification with this file name (without folders) and these bytes.
    pub fn new(tool_version: &str, spec_name: &str, spec: &[u8], options: String) -> Provenance {
        Provenance {
            tool_version: tool_version.to_owned(),
            spec_name: spec_name.to_owned(),
            spec_hash: Sha256::digest(spec).into(),
            options,
            timed_out: false,
        }
    }
}

/// The global part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Central {
    /// Automata that accept the multi-traces of the specification.
    Automaton(Automaton),
    /// No automaton fits.
    Unsupported(Unsupported),
}

/// The automata of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The automaton whose states make up the areas (paper 004 sec. 4.1).
    pub full: Nfa,
    /// The automaton of the central search: the same multi-traces, fewer interleavings.
    pub search: Nfa,
}

/// A construct outside the automaton's reach, with its place in the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The limit that was exceeded, such as "more than 100000 states".
    pub limit: String,
    /// The construct, as text.
    pub construct: String,
    /// The file, line and column (both from 1) where the construct begins.
    pub place: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {} gives {}", self.construct, self.place, self.limit)
    }
}

/// The tables that check the log of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVerifier {
    /// The location's letters, in order of the alphabet. Tables are indexed by rank in here.
    pub letters: Vec<LetterId>,
    /// The deterministic verifier; `None` when it is over a limit.
    pub forward: Option<ForwardTable>,
    /// The look-ahead; `None` when it is over a limit or there is no automaton.
    pub backward: Option<BackwardTable>,
}

/// No transition, in the tables below.
pub const DEAD: u32 = u32::MAX;

/// A deterministic local verifier whose transitions carry areas (paper 004 defs. 5 to 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardTable {
    /// Row by row, one entry per letter: the next state or [`DEAD`].
    pub next: Vec<u32>,
    /// Per state: whether the local trace may end here.
    pub finals: Bits,
    /// Where a trace observed from the beginning starts.
    pub start: u32,
    /// Where a trace observed from somewhere starts; `None` when that part is over a limit.
    pub start_anywhere: Option<u32>,
    /// The areas; absent when the verifier was made from terms, without a global automaton.
    pub areas: Option<Areas>,
}

/// The areas of a local verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Areas {
    /// Which area each transition has, in the shape of [`ForwardTable::next`].
    pub of: Vec<u32>,
    /// Which area the start has (paper 004 def. 7, init).
    pub init: u32,
    /// One row per area, one bit per transition of [`Automaton::full`].
    pub rows: Rows,
}

/// A deterministic backward automaton: from each suffix of a local trace to the states of
/// [`Automaton::search`] from which that suffix can still be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackwardTable {
    /// Row by row, one entry per letter: the state after reading that letter backwards, or
    /// [`DEAD`] when no state of the automaton is left.
    pub next: Vec<u32>,
    /// The state of an empty suffix when the trace is complete.
    pub at_end: u32,
    /// The state of an empty suffix when the trace may go on unobserved; `None` when that part is
    /// over a limit.
    pub open_end: Option<u32>,
    /// Per state: the row in [`BackwardTable::rows`] when the observation of the location has
    /// begun.
    pub begun: Vec<u32>,
    /// Per state: the row when the location may still have gone unobserved.
    pub unbegun: Vec<u32>,
    /// The distinct sets of states, one bit per state of [`Automaton::search`].
    pub rows: Rows,
}

/// Sets as rows of bits, each row starting at a whole word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How many bits a row has.
    pub width: u32,
    /// The rows one after another, each padded to a multiple of 64 bits.
    pub bits: Bits,
}

impl Rows {
    /// No rows yet, of this many bits each.
    pub fn new(width: usize) -> Rows {
        let width = u32::try_from(width).expect("automata have fewer than 2^32 transitions");
        Rows { width, bits: Bits::new() }
    }

    /// Words per row. A row is padded to a multiple of 64 bits, as in the file.
    pub fn stride(&self) -> usize {
        stride(self.width as usize)
    }

    /// Appends a row of these set bits and returns its index.
    ///
    /// # Panics
    /// When a bit is not below the width.
    pub fn push(&mut self, ones: impl IntoIterator<Item = usize>) -> u32 {
        if self.width == 0 {
            return 0;
        }
        let row = self.len();
        let start = row * self.stride() * WORD_BITS;
        self.bits.resize(start + self.stride() * WORD_BITS, false);
        for one in ones {
            assert!(one < self.width as usize, "bit {one} of a row of {}", self.width);
            self.bits.set(start + one, true);
        }
        u32::try_from(row).expect("rows are bounded by the limits on states")
    }

    /// Appends rows of whole words of 64 bits, the first bit lowest: [`Rows::push`] without a look at each bit.
    ///
    /// # Panics
    /// When a row has not as many words as the width needs.
    pub fn extend<R: IntoIterator<Item = u64>>(&mut self, rows: impl IntoIterator<Item = R>) {
        let stride = self.stride();
        let mut words = std::mem::take(&mut self.bits).into_vec();
        let rows = rows.into_iter();
        words.reserve_exact(rows.size_hint().0.saturating_mul(stride));
        for row in rows {
            let behind = words.len() + stride;
            words.extend(row.into_iter().flat_map(short_words));
            assert_eq!(words.len(), behind, "a row of {} bits", self.width);
        }
        self.bits = Bits::from_vec(words);
    }

    /// How many rows there are. Rows of no bits count as one.
    pub fn len(&self) -> usize {
        match self.stride() {
            0 => 1,
            stride => self.bits.len() / (stride * WORD_BITS),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of a row.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn row(&self, row: u32) -> &[Word] {
        let stride = self.stride();
        &self.bits.as_raw_slice()[row as usize * stride..][..stride]
    }
}

/// The words of a row of this many bits, padded to a multiple of 64 bits.
pub fn stride(width: usize) -> usize {
    width.div_ceil(64) * (64 / WORD_BITS)
}

/// A word of 64 bits as sets have it.
pub(crate) fn short_words(word: u64) -> [Word; 64 / WORD_BITS] {
    [word as Word, (word >> WORD_BITS) as Word]
}

/// Whether a bit of a row is set.
///
/// # Panics
/// When the bit is beyond the row.
#[inline]
pub fn has_bit(row: &[Word], bit: usize) -> bool {
    row[bit / WORD_BITS] >> (bit % WORD_BITS) & 1 == 1
}

/// The set bits of a row, in order.
pub fn ones(row: &[Word]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        (0..WORD_BITS)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word * WORD_BITS + bit)
    })
}

impl ForwardTable {
    /// How many states the verifier has.
    pub fn state_count(&self) -> usize {
        self.finals.len()
    }

    /// Whether the local trace may end in a state.
    ///
    /// # Panics
    /// When the state is not of this table.
    pub fn is_final(&self, state: u32) -> bool {
        self.finals[state as usize]
    }
}

impl Areas {
    /// The transitions of an area, in order.
    ///
    /// # Panics
    /// When there is no such area.
    pub fn transitions(&self, area: u32) -> impl Iterator<Item = TransitionId> + '_ {
        ones(self.rows.row(area)).map(TransitionId::new)
    }
}

impl BackwardTable {
    /// The states of a row, in order.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn states(&self, row: u32) -> impl Iterator<Item = StateId> + '_ {
        ones(self.rows.row(row)).map(StateId::new)
    }
}

impl Bundle {
    /// The verifier of a location.
    ///
    /// # Panics
    /// When the location is not of this bundle.
    pub fn local(&self, location: LocationId) -> &LocalVerifier {
        &self.locals[location.index()]
    }

    /// The automata, when there are any.
    pub fn automaton(&self) -> Option<&Automaton> {
        match &self.central {
            Central::Automaton(automaton) => Some(automaton),
            Central::Unsupported(_) => None,
        }
    }
}
