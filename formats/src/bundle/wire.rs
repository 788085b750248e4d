//! The payload of a bundle as plain numbers and borrowed strings: the form in which it is written, and read before it
//! is validated. Lists come as lists, so reading never allocates more than a small multiple of the bytes that are
//! there.

use super::{
    Areas, BackwardTable, Bundle, Central, ForwardTable, LocalVerifier, LocationBundle, Rows,
    SpecText, WORD_BITS, Word,
};
use crate::source::Span;
use multitrace_interaction::{
    Action, ActionKind, Alphabet, Balance, Id, Interaction, LifelineSet, LoopKind, Nfa, Node,
    Observation, Signature,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
pub(super) struct Wire<'a> {
    #[serde(borrow)]
    pub(super) provenance: WireProvenance<'a>,
    #[serde(borrow)]
    pub(super) text: WireText<'a>,
    pub(super) observation: u8,
    /// Name and text of the mapping.
    #[serde(borrow)]
    pub(super) events: Option<(&'a str, &'a str)>,
    #[serde(borrow)]
    pub(super) alphabet: WireAlphabet<'a>,
    #[serde(borrow)]
    pub(super) source: Option<WireSource<'a>>,
    pub(super) has_only_multi_traces: bool,
    pub(super) balance: WireBalance,
    #[serde(borrow)]
    pub(super) central: WireCentral<'a>,
    pub(super) locals: WireLocals<'a>,
}

/// The verifiers of all locations. Those of a bundle become numbers one after another, while they are written: they are
/// most of a bundle, and all at once would take its memory once more.
pub(super) enum WireLocals<'a> {
    Read(Vec<WireLocal>),
    OfBundle(&'a [LocalVerifier]),
}

impl WireLocals<'_> {
    pub(super) fn into_list(self) -> Vec<WireLocal> {
        match self {
            WireLocals::Read(locals) => locals,
            WireLocals::OfBundle(locals) => locals.iter().map(WireLocal::new).collect(),
        }
    }
}

impl Serialize for WireLocals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WireLocals::Read(locals) => locals.serialize(serializer),
            WireLocals::OfBundle(locals) => {
                serializer.collect_seq(locals.iter().map(WireLocal::new))
            }
        }
    }
}

impl<'de> Deserialize<'de> for WireLocals<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(WireLocals::Read)
    }
}

/// The bundle of one location.
#[derive(Serialize, Deserialize)]
pub(super) struct WireLocation<'a> {
    pub(super) whole: [u8; 32],
    pub(super) spec_name: &'a str,
    pub(super) observation: u8,
    /// Name and text of the mapping.
    #[serde(borrow)]
    pub(super) events: Option<(&'a str, &'a str)>,
    #[serde(borrow)]
    pub(super) alphabet: WireAlphabet<'a>,
    pub(super) location: u32,
    pub(super) areas: u32,
    pub(super) forward: Option<Box<WireForward>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireProvenance<'a> {
    pub(super) tool_version: &'a str,
    pub(super) spec_name: &'a str,
    pub(super) spec_hash: [u8; 32],
    pub(super) options: &'a str,
    pub(super) timed_out: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireText<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// How far each span starts behind the one before it, and its length: most take two bytes.
    pub(super) spans: Vec<(i32, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireAlphabet<'a> {
    #[serde(borrow)]
    pub(super) locations: Vec<&'a str>,
    pub(super) lifelines: Vec<(&'a str, u32)>,
    /// Labels, with the lifelines that may be called so.
    pub(super) labels: Vec<(&'a str, &'a str)>,
    pub(super) letters: Vec<(&'a str, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireSource<'a> {
    #[serde(borrow)]
    pub(super) lifelines: Vec<&'a str>,
    pub(super) messages: Vec<&'a str>,
    pub(super) nodes: Vec<WireNode>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireNode {
    Empty,
    Step(Vec<WireAction>),
    Strict(u32, u32),
    Seq(u32, u32),
    Par(u32, u32),
    CoReg(Vec<u32>, u32, u32),
    Alt(u32, u32),
    Loop(WireLoop, u32),
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireAction {
    pub(super) lifeline: u32,
    pub(super) reception: bool,
    pub(super) message: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireLoop {
    Strict,
    Weak,
    Parallel,
    CoReg(Vec<u32>),
    HeadFirst,
}

/// Laws one after another: how many letters each has, these with their coefficients, and the constants.
#[derive(Serialize, Deserialize)]
pub(super) struct WireBalance {
    pub(super) lengths: Vec<u32>,
    pub(super) letters: Vec<u32>,
    pub(super) coefficients: Vec<i64>,
    pub(super) constants: Vec<i64>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireCentral<'a> {
    Automaton { full: WireNfa, search: WireNfa },
    Unsupported { limit: &'a str, construct: &'a str, place: &'a str },
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireNfa {
    pub(super) states: u32,
    pub(super) initial: Vec<u32>,
    pub(super) finals: Vec<u32>,
    pub(super) transitions: Vec<(u32, u32, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireLocal {
    pub(super) letters: Vec<u32>,
    /// In boxes, so that a forged list of locations without tables, three bytes each, stays small.
    pub(super) forward: Option<Box<WireForward>>,
    pub(super) backward: Option<Box<WireBackward>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireForward {
    pub(super) next: Vec<u32>,
    pub(super) states: u32,
    pub(super) finals: Vec<u64>,
    pub(super) start: u32,
    pub(super) start_anywhere: Option<u32>,
    pub(super) areas: Option<WireAreas>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireAreas {
    pub(super) of: Vec<u32>,
    pub(super) init: u32,
    pub(super) rows: WireRows,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireBackward {
    pub(super) next: Vec<u32>,
    pub(super) at_end: u32,
    pub(super) open_end: Option<u32>,
    pub(super) begun: Vec<u32>,
    pub(super) unbegun: Vec<u32>,
    pub(super) rows: WireRows,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireRows {
    pub(super) width: u32,
    pub(super) words: Vec<u64>,
}

/// Ids fit `u32` by construction.
fn small(index: usize) -> u32 {
    u32::try_from(index).expect("ids and table sizes fit u32")
}

/// Table entries are stored plus one, wrapping: the frequent `DEAD` becomes 0, which
/// takes one byte instead of five.
fn compact(table: &[u32]) -> Vec<u32> {
    table.iter().map(|entry| entry.wrapping_add(1)).collect()
}

/// The inverse of [`compact`].
pub(super) fn expand(mut table: Vec<u32>) -> Vec<u32> {
    table.iter_mut().for_each(|entry| *entry = entry.wrapping_sub(1));
    table
}

fn ids<I: Id>(list: impl IntoIterator<Item = I>) -> Vec<u32> {
    list.into_iter().map(|id| small(id.index())).collect()
}

impl<'a> Wire<'a> {
    pub(super) fn from_bundle(bundle: &'a Bundle) -> Wire<'a> {
        let provenance = &bundle.provenance;
        Wire {
            provenance: WireProvenance {
                tool_version: &provenance.tool_version,
                spec_name: &provenance.spec_name,
                spec_hash: provenance.spec_hash,
                options: &provenance.options,
                timed_out: provenance.timed_out,
            },
            text: WireText::new(&bundle.text),
            observation: observation_code(bundle.observation),
            events: bundle.events.as_ref().map(|it| (it.name.as_str(), it.text.as_str())),
            alphabet: WireAlphabet::new(&bundle.alphabet),
            source: bundle.source.as_ref().map(|(names, tree)| WireSource::new(names, tree)),
            has_only_multi_traces: bundle.has_only_multi_traces,
            balance: WireBalance::new(&bundle.balance),
            central: WireCentral::new(&bundle.central),
            locals: WireLocals::OfBundle(&bundle.locals),
        }
    }
}

impl<'a> WireLocation<'a> {
    pub(super) fn new(bundle: &'a LocationBundle) -> WireLocation<'a> {
        WireLocation {
            whole: bundle.whole,
            spec_name: &bundle.spec_name,
            observation: observation_code(bundle.observation),
            events: bundle.events.as_ref().map(|it| (it.name.as_str(), it.text.as_str())),
            alphabet: WireAlphabet::new(&bundle.alphabet),
            location: small(bundle.location.index()),
            areas: bundle.areas,
            forward: bundle.forward.as_ref().map(|it| Box::new(WireForward::new(it))),
        }
    }
}

fn observation_code(observation: Observation) -> u8 {
    match observation {
        Observation::Complete => 0,
        Observation::Prefix => 1,
        Observation::Slice => 2,
        Observation::GlobalPrefix => 3,
        Observation::Missing => 4,
    }
}

impl<'a> WireText<'a> {
    fn new(text: &'a SpecText) -> WireText<'a> {
        let mut before = 0;
        let step = |span: &Span| {
            let start = small(span.start);
            let behind = start.wrapping_sub(std::mem::replace(&mut before, start));
            (behind.cast_signed(), small(span.end.saturating_sub(span.start)))
        };
        let spans = text.spans.iter().map(step).collect();
        WireText { path: &text.path, text: &text.text, spans }
    }
}

impl<'a> WireAlphabet<'a> {
    fn new(alphabet: &'a Alphabet) -> WireAlphabet<'a> {
        let letter =
            |letter| (alphabet.letter_name(letter), small(alphabet.location_of(letter).index()));
        WireAlphabet {
            locations: alphabet.locations().map(|l| alphabet.location_name(l)).collect(),
            lifelines: alphabet.lifelines().map(|(name, at)| (name, small(at.index()))).collect(),
            labels: alphabet.labels().collect(),
            letters: alphabet.letters().map(letter).collect(),
        }
    }
}

impl<'a> WireSource<'a> {
    fn new(signature: &'a Signature, interaction: &Interaction) -> WireSource<'a> {
        WireSource {
            lifelines: signature.lifelines().map(|l| signature.lifeline_name(l)).collect(),
            messages: signature.messages().map(|m| signature.message_name(m)).collect(),
            nodes: interaction.nodes().iter().map(WireNode::new).collect(),
        }
    }
}

impl WireNode {
    fn new(node: &Node) -> WireNode {
        let at = |id: &multitrace_interaction::NodeId| small(id.index());
        match node {
            Node::Empty => WireNode::Empty,
            Node::Step(step) => {
                WireNode::Step(step.actions().iter().map(WireAction::new).collect())
            }
            Node::Strict(a, b) => WireNode::Strict(at(a), at(b)),
            Node::Seq(a, b) => WireNode::Seq(at(a), at(b)),
            Node::Par(a, b) => WireNode::Par(at(a), at(b)),
            Node::CoReg(region, a, b) => WireNode::CoReg(set(region), at(a), at(b)),
            Node::Alt(a, b) => WireNode::Alt(at(a), at(b)),
            Node::Loop(kind, body) => WireNode::Loop(WireLoop::new(kind), at(body)),
        }
    }
}

fn set(lifelines: &LifelineSet) -> Vec<u32> {
    ids(lifelines.iter())
}

impl WireAction {
    fn new(action: &Action) -> WireAction {
        WireAction {
            lifeline: small(action.lifeline.index()),
            reception: action.kind == ActionKind::Reception,
            message: small(action.message.index()),
        }
    }
}

impl WireLoop {
    fn new(kind: &LoopKind) -> WireLoop {
        match kind {
            LoopKind::Strict => WireLoop::Strict,
            LoopKind::Weak => WireLoop::Weak,
            LoopKind::Parallel => WireLoop::Parallel,
            LoopKind::CoReg(region) => WireLoop::CoReg(set(region)),
            LoopKind::HeadFirst => WireLoop::HeadFirst,
        }
    }
}

impl WireBalance {
    fn new(Balance { laws }: &Balance) -> WireBalance {
        let letters = || laws.iter().flat_map(|law| law.letters.iter().copied());
        WireBalance {
            lengths: laws.iter().map(|law| small(law.letters.len())).collect(),
            letters: ids(letters().map(|(letter, _)| letter)),
            coefficients: letters().map(|(_, coefficient)| coefficient).collect(),
            constants: laws.iter().map(|law| law.constant).collect(),
        }
    }
}

impl<'a> WireCentral<'a> {
    fn new(central: &'a Central) -> WireCentral<'a> {
        match central {
            Central::Automaton(automaton) => WireCentral::Automaton {
                full: WireNfa::new(&automaton.full),
                search: WireNfa::new(&automaton.search),
            },
            Central::Unsupported(unsupported) => WireCentral::Unsupported {
                limit: &unsupported.limit,
                construct: &unsupported.construct,
                place: &unsupported.place,
            },
        }
    }
}

impl WireNfa {
    fn new(nfa: &Nfa) -> WireNfa {
        let triple = |t: &multitrace_interaction::Transition| {
            (small(t.from.index()), small(t.letter.index()), small(t.to.index()))
        };
        WireNfa {
            states: small(nfa.state_count()),
            initial: ids(nfa.initial().iter().copied()),
            finals: ids(nfa.finals()),
            transitions: nfa.transitions().iter().map(triple).collect(),
        }
    }
}

impl WireLocal {
    fn new(local: &LocalVerifier) -> WireLocal {
        WireLocal {
            letters: ids(local.letters.iter().copied()),
            forward: local.forward.as_ref().map(|it| Box::new(WireForward::new(it))),
            backward: local.backward.as_ref().map(|it| Box::new(WireBackward::new(it))),
        }
    }
}

impl WireForward {
    fn new(table: &ForwardTable) -> WireForward {
        WireForward {
            next: compact(&table.next),
            states: small(table.state_count()),
            finals: to_long_words(table.finals.as_raw_slice()),
            start: table.start,
            start_anywhere: table.start_anywhere,
            areas: table.areas.as_ref().map(WireAreas::new),
        }
    }
}

impl WireAreas {
    fn new(areas: &Areas) -> WireAreas {
        WireAreas { of: compact(&areas.of), init: areas.init, rows: WireRows::new(&areas.rows) }
    }
}

impl WireBackward {
    fn new(table: &BackwardTable) -> WireBackward {
        WireBackward {
            next: compact(&table.next),
            at_end: table.at_end,
            open_end: table.open_end,
            begun: table.begun.clone(),
            unbegun: table.unbegun.clone(),
            rows: WireRows::new(&table.rows),
        }
    }
}

impl WireRows {
    fn new(rows: &Rows) -> WireRows {
        WireRows { width: rows.width, words: to_long_words(rows.bits.as_raw_slice()) }
    }
}

/// Words as the file has them: 64 bits each, the first of two words in the lower half.
fn to_long_words(words: &[Word]) -> Vec<u64> {
    let long = |pair: &[Word]| {
        let high = pair.get(1).copied().unwrap_or_default();
        u64::from(high) << WORD_BITS | u64::from(pair[0])
    };
    words.chunks(2).map(long).collect()
}

/// Words as sets have them, out of those of the file.
pub(super) fn from_long_words(words: &[u64]) -> Vec<Word> {
    words.iter().flat_map(|&word| super::short_words(word)).collect()
}
