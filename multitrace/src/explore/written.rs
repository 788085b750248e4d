//! Terms written out as people draw them.

use multitrace_formats::hif::{self, Dialect};
use multitrace_interaction::{
    Action, Id, Interaction, LifelineSet, Node, NodeId, Signature, TermId, TermStore,
};

/// The most operators and steps of a term that is written out: some screens of text.
const MOST_WEIGHT: u32 = 2_000;

/// A term as an interaction and as text on one line; the text alone if it is too large.
pub(crate) fn written(
    store: &TermStore,
    term: TermId,
    signature: &Signature,
) -> (Option<Interaction>, String) {
    let weight = store.weight(term);
    if weight > MOST_WEIGHT {
        return (None, format!("(a term of {weight} operators and actions)"));
    }
    let interaction = with_broadcasts(&store.write_out(term));
    let text = one_line(&interaction, signature);
    (Some(interaction), text)
}

/// An interaction as it was written, as [`written`] gives it.
pub(crate) fn as_it_is(
    interaction: &Interaction,
    signature: &Signature,
) -> Option<(Option<Interaction>, String)> {
    let is_small = interaction.nodes().len() <= MOST_WEIGHT as usize;
    is_small.then(|| (Some(interaction.clone()), one_line(interaction, signature)))
}

/// Printed without its layout. Names hold no line ends, which their quotes escape.
fn one_line(interaction: &Interaction, signature: &Signature) -> String {
    let text = hif::print_in(Dialect::Ours, interaction, signature);
    let mut line = String::new();
    for part in text.lines().map(str::trim) {
        if line.ends_with(',') {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}

/// The same interaction with the rests of broadcasts in sequence, as the notation has it. In normal form
/// the receptions of a message at several lifelines are concurrent, which is the same.
fn with_broadcasts(interaction: &Interaction) -> Interaction {
    let mut nodes = interaction.nodes().to_vec();
    for index in 0..nodes.len() {
        if let Node::Par(a, b) = nodes[index]
            && is_broadcast(&nodes, a, b)
        {
            nodes[index] = Node::Seq(a, b);
        }
    }
    Interaction::new(nodes).unwrap_or_else(|_| interaction.clone())
}

/// Whether two operands are the actions of one broadcast; inner operators are changed already.
fn is_broadcast(nodes: &[Node], a: NodeId, b: NodeId) -> bool {
    let mut seen = LifelineSet::new();
    let mut first: Option<Action> = None;
    let mut todo = vec![a, b];
    while let Some(node) = todo.pop() {
        match &nodes[node.index()] {
            &Node::Seq(a, b) => todo.extend([a, b]),
            Node::Step(step) => {
                let Some(action) = step.as_single() else { return false };
                let like = *first.get_or_insert(action);
                let is_same = (like.kind, like.message) == (action.kind, action.message);
                if !is_same || !seen.insert(action.lifeline) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_formats::source::Source;

    #[test]
    fn broadcasts_are_written_as_such_and_nothing_else_is_changed() {
        let texts = [
            "a -- m -> (b,c,d)",
            "m -> (b,c)",
            "par(m -> b, n -> c)",
            "par(a -- m -> (b,c), n -> b)",
        ];
        for text in texts {
            let spec = hif::parse(&Source::new("f", text), None).expect("an interaction");
            let mut store = TermStore::new();
            let term = store.intern(&spec.interaction).root();
            let (interaction, shown) = written(&store, term, &spec.signature);
            assert_eq!(shown, text);
            assert_eq!(store.intern(&interaction.expect("it is small")).root(), term);
        }
    }
}
