//! From the wire to a bundle: every index is checked here, so that nothing behind it can be out of
//! range, and automata have only states that their transitions justify.

use super::wire::{
    Wire, WireAlphabet, WireAreas, WireBackward, WireBalance, WireCentral, WireForward, WireLocal,
    WireLocation, WireLoop, WireNfa, WireNode, WireRows, WireSource, WireText, expand,
    from_long_words,
};
use super::{
    Areas, Automaton, BackwardTable, Bits, Bundle, BundleError, Central, DEAD, EventMapping,
    ForwardTable, LocalVerifier, LocationBundle, Provenance, Rows, SpecText, Unsupported,
};
use crate::source::Span;
use multitrace_interaction::{
    Action, ActionKind, Alphabet, Balance, Id, Interaction, Law, LetterId, LifelineId, LifelineSet,
    LocationId, LoopKind, MessageId, Nfa, Node, NodeId, Observation, Signature, StateId, Step,
    Transition,
};

type Checked<T> = Result<T, BundleError>;

fn ensure(holds: bool, what: &str) -> Checked<()> {
    if holds { Ok(()) } else { Err(BundleError::Corrupt(what.to_owned())) }
}

impl Wire<'_> {
    pub(super) fn into_bundle(self) -> Checked<Bundle> {
        let mut alphabet = check_alphabet(&self.alphabet)?;
        let balance = check_balance(self.balance, &alphabet)?;
        let central = check_central(self.central, &alphabet)?;
        let locals = self.locals.into_list();
        ensure(locals.len() == alphabet.locations().len(), "one verifier per location")?;
        let locals = alphabet.letters_by_location().into_iter().zip(locals);
        let locals = locals
            .map(|(letters, local)| check_local(local, letters, &central))
            .collect::<Checked<Vec<_>>>()?;
        let mut source = self.source.map(check_source).transpose()?;
        check_agreement(source.as_ref(), &mut alphabet, &central)?;
        if let Some((signature, _)) = &mut source {
            for (label, lifeline) in alphabet.labels() {
                let lifeline = signature.lifeline(lifeline);
                lifeline.into_iter().for_each(|it| signature.add_label(label, it));
            }
        }
        let text = check_text(&self.text, source.as_ref())?;
        Ok(Bundle {
            provenance: Provenance {
                tool_version: self.provenance.tool_version.to_owned(),
                spec_name: self.provenance.spec_name.to_owned(),
                spec_hash: self.provenance.spec_hash,
                options: self.provenance.options.to_owned(),
                timed_out: self.provenance.timed_out,
            },
            text,
            observation: check_observation(self.observation)?,
            events: self.events.map(check_events),
            alphabet,
            source,
            has_only_multi_traces: self.has_only_multi_traces,
            balance,
            central,
            locals,
        })
    }
}

impl WireLocation<'_> {
    pub(super) fn into_bundle(self) -> Checked<LocationBundle> {
        let alphabet = check_alphabet(&self.alphabet)?;
        ensure((self.location as usize) < alphabet.locations().len(), "the location")?;
        let location = LocationId::new(self.location as usize);
        let is_own = |letter| alphabet.location_of(letter) == location;
        ensure(alphabet.letters().all(is_own), "a letter of another location")?;
        let (letters, areas) = (alphabet.letters().len(), self.areas as usize);
        let forward = self.forward.map(|it| check_forward_of_location(*it, letters, areas));
        Ok(LocationBundle {
            whole: self.whole,
            spec_name: self.spec_name.to_owned(),
            observation: check_observation(self.observation)?,
            events: self.events.map(check_events),
            alphabet,
            location,
            areas: self.areas,
            forward: forward.transpose()?,
        })
    }
}

fn check_events((name, text): (&str, &str)) -> EventMapping {
    EventMapping { name: name.to_owned(), text: text.to_owned() }
}

/// Every span is a piece of the text, and an interaction has one for each node or none at all.
fn check_text(wire: &WireText<'_>, source: Option<&(Signature, Interaction)>) -> Checked<SpecText> {
    let mut start = 0_u32;
    let spans = wire.spans.iter().map(|&(behind, length)| {
        start = start.wrapping_add_signed(behind);
        let start = start as usize;
        let span = Span::new(start, start.saturating_add(length as usize));
        let is_piece = wire.text.get(span.start..span.end).is_some();
        ensure(is_piece, "a place in the specification").map(|()| span)
    });
    let spans = spans.collect::<Checked<Vec<_>>>()?;
    let nodes = source.map_or(spans.len(), |(_, interaction)| interaction.nodes().len());
    ensure(spans.is_empty() || spans.len() == nodes, "one place for each node")?;
    Ok(SpecText { path: wire.path.to_owned(), text: wire.text.to_owned(), spans })
}

fn check_observation(code: u8) -> Checked<Observation> {
    match code {
        0 => Ok(Observation::Complete),
        1 => Ok(Observation::Prefix),
        2 => Ok(Observation::Slice),
        3 => Ok(Observation::GlobalPrefix),
        4 => Ok(Observation::Missing),
        _ => Err(BundleError::Corrupt("an observation mode".to_owned())),
    }
}

fn check_alphabet(wire: &WireAlphabet<'_>) -> Checked<Alphabet> {
    let mut alphabet = Alphabet::default();
    for name in &wire.locations {
        ensure(alphabet.add_location(name).is_some(), "locations differ")?;
    }
    let at = |location: u32| {
        ensure((location as usize) < wire.locations.len(), "a location of a name")?;
        Ok(LocationId::new(location as usize))
    };
    for &(name, location) in &wire.lifelines {
        ensure(alphabet.add_lifeline(name, at(location)?), "lifelines differ")?;
    }
    for &(label, lifeline) in &wire.labels {
        ensure(alphabet.add_label(label, lifeline), "labels differ")?;
    }
    for &(name, location) in &wire.letters {
        ensure(alphabet.add_letter(name, at(location)?).is_some(), "letters differ")?;
    }
    Ok(alphabet)
}

/// Every law names letters of the alphabet in order, with coefficients that are not 0.
fn check_balance(wire: WireBalance, alphabet: &Alphabet) -> Checked<Balance> {
    let letters = wire.letters.len();
    ensure(wire.coefficients.len() == letters, "one coefficient per letter of a law")?;
    ensure(wire.constants.len() == wire.lengths.len(), "one constant per law")?;
    let total = wire.lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
    ensure(total == letters as u64 && !wire.lengths.contains(&0), "the lengths of laws")?;
    ensure(
        wire.letters.iter().all(|&it| (it as usize) < alphabet.letters().len()),
        "a law's letter",
    )?;
    ensure(!wire.coefficients.contains(&0), "a coefficient of a law")?;
    let letter = |letter: u32| LetterId::new(letter as usize);
    let mut terms = wire.letters.into_iter().map(letter).zip(wire.coefficients);
    let laws = wire.lengths.into_iter().zip(wire.constants).map(|(length, constant)| {
        let letters: Vec<_> = terms.by_ref().take(length as usize).collect();
        ensure(letters.is_sorted_by(|a, b| a.0 < b.0), "the order of letters in a law")?;
        Ok(Law { letters, constant })
    });
    Ok(Balance { laws: laws.collect::<Checked<_>>()? })
}

/// The source and the alphabet speak of the same lifelines and actions, and there is something to
/// check against.
fn check_agreement(
    source: Option<&(Signature, Interaction)>,
    alphabet: &mut Alphabet,
    central: &Central,
) -> Checked<()> {
    let Some((signature, interaction)) = source else {
        let automaton = matches!(central, Central::Automaton(_));
        return ensure(automaton, "neither an automaton nor an interaction");
    };
    let located = |l| alphabet.location_of_lifeline(signature.lifeline_name(l)).is_some();
    ensure(signature.lifelines().all(located), "a lifeline without a location")?;
    ensure(alphabet.lifelines().len() == signature.lifelines().len(), "a lifeline too many")?;
    let has_letters = alphabet.find_actions(signature, interaction.actions());
    ensure(has_letters, "an action without a letter")?;
    let is_at_home = |(action, letter): (Action, LetterId)| {
        let lifeline = alphabet.location_of_lifeline(signature.lifeline_name(action.lifeline));
        lifeline == Some(alphabet.location_of(letter))
    };
    ensure(alphabet.actions().all(is_at_home), "the letter of an action")
}

fn check_source(wire: WireSource<'_>) -> Checked<(Signature, Interaction)> {
    let mut signature = Signature::default();
    for name in &wire.lifelines {
        signature.intern_lifeline(name);
    }
    for name in &wire.messages {
        signature.intern_message(name);
    }
    ensure(signature.lifelines().len() == wire.lifelines.len(), "lifelines differ")?;
    ensure(signature.messages().len() == wire.messages.len(), "messages differ")?;
    check_region_sizes(&wire.nodes)?;
    let nodes = wire.nodes.into_iter().map(|node| check_node(node, &signature));
    let nodes = nodes.collect::<Checked<Vec<_>>>()?;
    let tree = Interaction::new(nodes).map_err(|error| BundleError::Corrupt(error.to_string()))?;
    Ok((signature, tree))
}

/// The sets of lifelines of an interaction may take 256 MiB: 100,000 coregions over 20,000 lifelines. A set
/// has a bit for each lifeline up to its last one, so a forged list of one number would ask for all of
/// them.
const MOST_REGION_BITS: u64 = 1 << 31;

fn check_region_sizes(nodes: &[WireNode]) -> Checked<()> {
    let regions = nodes.iter().filter_map(|node| match node {
        WireNode::CoReg(region, ..) | WireNode::Loop(WireLoop::CoReg(region), _) => {
            region.iter().max()
        }
        _ => None,
    });
    let bits: u64 = regions.map(|&last| u64::from(last) + 1).sum();
    ensure(bits <= MOST_REGION_BITS, "coregions over too many lifelines")
}

fn check_node(node: WireNode, signature: &Signature) -> Checked<Node> {
    let id = |index: u32| NodeId::new(index as usize);
    Ok(match node {
        WireNode::Empty => Node::Empty,
        WireNode::Step(actions) => {
            let actions = actions.iter().map(|action| {
                let lifeline = check_lifeline(action.lifeline, signature)?;
                let message = action.message as usize;
                ensure(message < signature.messages().len(), "a message")?;
                let kind =
                    if action.reception { ActionKind::Reception } else { ActionKind::Emission };
                Ok(Action { lifeline, kind, message: MessageId::new(message) })
            });
            let step = Step::new(actions.collect::<Checked<Vec<_>>>()?);
            Node::Step(step.ok_or(BundleError::Corrupt("a step without actions".to_owned()))?)
        }
        WireNode::Strict(a, b) => Node::Strict(id(a), id(b)),
        WireNode::Seq(a, b) => Node::Seq(id(a), id(b)),
        WireNode::Par(a, b) => Node::Par(id(a), id(b)),
        WireNode::CoReg(region, a, b) => {
            Node::CoReg(check_region(&region, signature)?, id(a), id(b))
        }
        WireNode::Alt(a, b) => Node::Alt(id(a), id(b)),
        WireNode::Loop(kind, body) => Node::Loop(check_loop(kind, signature)?, id(body)),
    })
}

fn check_lifeline(index: u32, signature: &Signature) -> Checked<LifelineId> {
    ensure((index as usize) < signature.lifelines().len(), "a lifeline")?;
    Ok(LifelineId::new(index as usize))
}

fn check_region(region: &[u32], signature: &Signature) -> Checked<LifelineSet> {
    region.iter().map(|&index| check_lifeline(index, signature)).collect()
}

fn check_loop(kind: WireLoop, signature: &Signature) -> Checked<LoopKind> {
    Ok(match kind {
        WireLoop::Strict => LoopKind::Strict,
        WireLoop::Weak => LoopKind::Weak,
        WireLoop::Parallel => LoopKind::Parallel,
        WireLoop::CoReg(region) => LoopKind::CoReg(check_region(&region, signature)?),
        WireLoop::HeadFirst => LoopKind::HeadFirst,
    })
}

fn check_central(wire: WireCentral<'_>, alphabet: &Alphabet) -> Checked<Central> {
    Ok(match wire {
        WireCentral::Automaton { full, search } => Central::Automaton(Automaton {
            full: check_nfa(full, alphabet)?,
            search: check_nfa(search, alphabet)?,
        }),
        WireCentral::Unsupported { limit, construct, place } => Central::Unsupported(Unsupported {
            limit: limit.to_owned(),
            construct: construct.to_owned(),
            place: place.to_owned(),
        }),
    })
}

fn check_nfa(wire: WireNfa, alphabet: &Alphabet) -> Checked<Nfa> {
    let justified = wire.initial.len() + wire.transitions.len();
    ensure(wire.states as usize <= justified, "states without transitions")?;
    let letters = alphabet.letters().len();
    ensure(wire.transitions.iter().all(|t| (t.1 as usize) < letters), "a letter")?;
    let state = |index: u32| StateId::new(index as usize);
    let transitions = wire.transitions.iter().map(|&(from, letter, to)| Transition {
        from: state(from),
        letter: LetterId::new(letter as usize),
        to: state(to),
    });
    let initial = wire.initial.iter().map(|&index| state(index));
    let finals = wire.finals.iter().map(|&index| state(index));
    let nfa = Nfa::new(wire.states as usize, initial, finals, transitions.collect())
        .map_err(|error| BundleError::Corrupt(error.to_string()))?;
    ensure(nfa.transitions().len() == wire.transitions.len(), "a transition twice")?;
    Ok(nfa)
}

/// A verifier of a location with these letters.
fn check_local(
    wire: WireLocal,
    letters: Vec<LetterId>,
    central: &Central,
) -> Checked<LocalVerifier> {
    let same =
        letters.iter().map(|letter| letter.index()).eq(wire.letters.iter().map(|&l| l as usize));
    ensure(same, "the letters of a location")?;
    let automaton = match central {
        Central::Automaton(automaton) => Some(automaton),
        Central::Unsupported(_) => None,
    };
    let forward = wire.forward.map(|table| check_forward(*table, letters.len(), automaton));
    let backward = wire.backward.map(|table| check_backward(*table, letters.len(), automaton));
    Ok(LocalVerifier { letters, forward: forward.transpose()?, backward: backward.transpose()? })
}

/// A table of `states` rows of one entry per letter, each below `states` or dead.
fn check_table(next: &[u32], states: usize, letters: usize) -> Checked<()> {
    ensure(states.checked_mul(letters) == Some(next.len()), "the size of a table")?;
    let in_range = |&entry: &u32| entry == DEAD || (entry as usize) < states;
    ensure(next.iter().all(in_range), "an entry of a table")
}

fn check_starts(first: u32, second: Option<u32>, states: usize) -> Checked<()> {
    let in_range = |start: u32| (start as usize) < states;
    ensure(in_range(first) && second.is_none_or(in_range), "a start")
}

fn check_forward(
    mut wire: WireForward,
    letters: usize,
    automaton: Option<&Automaton>,
) -> Checked<ForwardTable> {
    ensure(wire.areas.is_some() == automaton.is_some(), "areas of an automaton")?;
    let areas = wire.areas.take();
    let table = check_forward_table(wire, letters)?;
    let areas = match (areas, automaton) {
        (Some(areas), Some(automaton)) => {
            Some(check_areas(areas, &table.next, automaton.full.transitions().len())?)
        }
        _ => None,
    };
    Ok(ForwardTable { areas, ..table })
}

/// The verifier in the bundle of one location, whose areas are numbers below `count`.
fn check_forward_of_location(
    mut wire: WireForward,
    letters: usize,
    count: usize,
) -> Checked<ForwardTable> {
    let areas = wire.areas.take();
    let table = check_forward_table(wire, letters)?;
    let areas = areas.map(|it| {
        let rows = check_rows(it.rows, 0)?;
        check_area_numbers((it.of, it.init), &table.next, count, rows)
    });
    Ok(ForwardTable { areas: areas.transpose()?, ..table })
}

/// A verifier without its areas.
fn check_forward_table(wire: WireForward, letters: usize) -> Checked<ForwardTable> {
    let states = wire.states as usize;
    let next = expand(wire.next);
    check_table(&next, states, letters)?;
    check_starts(wire.start, wire.start_anywhere, states)?;
    let finals = check_bits(wire.finals, states)?;
    let (start, start_anywhere) = (wire.start, wire.start_anywhere);
    Ok(ForwardTable { next, finals, start, start_anywhere, areas: None })
}

fn check_bits(words: Vec<u64>, length: usize) -> Checked<Bits> {
    ensure(words.len() == length.div_ceil(64), "the size of a bit set")?;
    let mut bits = Bits::from_vec(from_long_words(&words));
    ensure(!bits[length..].any(), "a bit beyond the end")?;
    bits.truncate(length);
    Ok(bits)
}

fn check_areas(wire: WireAreas, next: &[u32], transitions: usize) -> Checked<Areas> {
    let rows = check_rows(wire.rows, transitions)?;
    check_area_numbers((wire.of, wire.init), next, rows.len(), rows)
}

fn check_area_numbers(
    (of, init): (Vec<u32>, u32),
    next: &[u32],
    count: usize,
    rows: Rows,
) -> Checked<Areas> {
    let of = expand(of);
    ensure(of.len() == next.len(), "one area per transition")?;
    let fits =
        |(&area, &next): (&u32, &u32)| (area as usize) < count || next == DEAD && area == DEAD;
    ensure(of.iter().zip(next).all(fits), "an area")?;
    ensure((init as usize) < count, "an area")?;
    Ok(Areas { of, init, rows })
}

fn check_rows(wire: WireRows, width: usize) -> Checked<Rows> {
    ensure(wire.width as usize == width, "the width of a row")?;
    let stride = width.div_ceil(64);
    ensure(
        if stride == 0 { wire.words.is_empty() } else { wire.words.len().is_multiple_of(stride) },
        "whole rows",
    )?;
    if !width.is_multiple_of(64) {
        let beyond = |row: &[u64]| row[stride - 1] >> (width % 64) != 0;
        ensure(!wire.words.chunks(stride).any(beyond), "a bit beyond the end")?;
    }
    Ok(Rows { width: wire.width, bits: Bits::from_vec(from_long_words(&wire.words)) })
}

fn check_backward(
    wire: WireBackward,
    letters: usize,
    automaton: Option<&Automaton>,
) -> Checked<BackwardTable> {
    let automaton =
        automaton.ok_or(BundleError::Corrupt("look-ahead of no automaton".to_owned()))?;
    let states = wire.begun.len();
    let next = expand(wire.next);
    check_table(&next, states, letters)?;
    check_starts(wire.at_end, wire.open_end, states)?;
    let rows = check_rows(wire.rows, automaton.search.state_count())?;
    ensure(wire.unbegun.len() == states, "one row per state")?;
    let mut named = wire.begun.iter().chain(&wire.unbegun);
    ensure(named.all(|&row| (row as usize) < rows.len()), "a row")?;
    Ok(BackwardTable {
        next,
        at_end: wire.at_end,
        open_end: wire.open_end,
        begun: wire.begun,
        unbegun: wire.unbegun,
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_of_late_lifelines_asks_for_no_memory() {
        let coregion = |last| WireNode::CoReg(vec![last], 0, 1);
        let repeated = |last| WireNode::Loop(WireLoop::CoReg(vec![0, last]), 0);
        assert_eq!(check_region_sizes(&[coregion(7), repeated(9), WireNode::Empty]), Ok(()));
        for nodes in [vec![coregion(u32::MAX)], (0..1 << 12).map(|_| repeated(1 << 20)).collect()] {
            assert!(matches!(check_region_sizes(&nodes), Err(BundleError::Corrupt(_))));
        }
    }
}
