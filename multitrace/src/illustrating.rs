//! Pictures of a run: the example of each group, and the specification with what was found.

use crate::log_lines::add_lines;
use crate::monitor::Monitor;
use multitrace_formats::place::Places;
use multitrace_formats::remedy::Words;
use multitrace_interaction::{Alphabet, Repair, Session};
use multitrace_reports::explanation::Explanation;
use multitrace_reports::finding::Finding;
use multitrace_reports::groups::Illustration;
use multitrace_reports::pictures::automaton::{self, Graph};
use multitrace_reports::pictures::diagram::{Diagram, diagram_svg};
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::pictures::space_time::{Cut, SpaceTime, space_time_svg};
use multitrace_reports::pictures::{Colors, MessagePairs, SvgOptions};
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::run_report::ReportedGroup;
use multitrace_reports::timeline::{Timeline, Window};
use multitrace_reports::view::View;
use std::sync::Arc;

/// Longer sessions are not drawn: their events would have to be laid out first, all of them, to show a
/// few.
const MOST_EVENTS: usize = 20_000;
/// The most rows of the diagram of the specification: a page of some screens.
const MOST_ROWS: usize = 300;
/// The most states of an automaton that is drawn: more cannot be read.
const MOST_STATES: usize = 60;
/// The events of the logs before and after each one that is wrong.
const CONTEXT: usize = 2;

const IN_PAGE: SvgOptions =
    SvgOptions { has_background: false, colors: Colors::AsPreferred, in_page: true };

/// Draws sessions of one specification.
#[derive(Debug)]
pub(crate) struct Illustrator {
    pairs: MessagePairs,
    words: Words,
}

impl Illustrator {
    pub(crate) fn new(monitor: &Monitor, words: Words) -> Illustrator {
        Illustrator { pairs: monitor.message_pairs(), words }
    }

    /// A session with its findings.
    pub(crate) fn illustrate(
        &self,
        session: &Session,
        (findings, repair): (&[Finding], Option<&Repair>),
        alphabet: &Alphabet,
        places: &dyn Places,
    ) -> Illustration {
        if session.event_count() > MOST_EVENTS {
            return Illustration::default();
        }
        let view = &View::DRAWN;
        let mut explanation = Explanation::new(session, findings, alphabet, places, view);
        let repair = repair.map(|it| RepairView::new(it, session, alphabet, places, view));
        let timeline = Timeline::new(&explanation, places, Window::Full);
        let is_edited = |name: &str| {
            repair.iter().flat_map(|it| &it.edits).any(|edit| edit.edit.location == name)
        };
        let locations = &mut explanation.locations;
        locations.retain(|it| it.blamed || !it.log.is_empty() || is_edited(&it.location));
        let picture = SpaceTime {
            explanation: &explanation,
            timeline: &timeline,
            findings,
            repair: repair.as_ref(),
            witness: None,
            pairs: &self.pairs,
            cut: Cut::EXCERPT,
            title: "",
            words: self.words,
        };
        let picture = space_time_svg(&picture, IN_PAGE);
        Illustration { picture, rows: timeline.around_findings(CONTEXT) }
    }
}

/// The specification with the events of the findings marked, and what passing sessions took of it.
pub(crate) fn diagram(
    monitor: &Monitor,
    groups: &[ReportedGroup],
    coverage: Option<Overlay>,
) -> Option<String> {
    let bundle = monitor.bundle();
    let Some((signature, interaction)) = &bundle.source else {
        let automaton = monitor.automaton().ok()?;
        let graph = Graph::of_nfa(&automaton.full);
        let name = |letter| bundle.alphabet.letter_name(letter);
        return Some(automaton::svg(&graph, &name, "", MOST_STATES, IN_PAGE));
    };
    let found = groups.iter().map(|it| (&it.group.finding, it.group.count));
    let overlay = coverage.unwrap_or_default().with_findings(interaction, signature, found);
    let locations = monitor.locations()?;
    Some(diagram_svg(
        &Diagram {
            interaction,
            signature,
            locations: &locations,
            labels: &[],
            title: "",
            overlay: &overlay,
            rows: MOST_ROWS,
        },
        IN_PAGE,
    ))
}

/// Adds to the illustrations the lines of the logs.
pub(crate) fn add_lines_to(groups: &mut [ReportedGroup], streams: &[Arc<str>]) {
    let illustrations = groups.iter_mut().filter_map(|it| it.group.illustration.as_mut());
    add_lines(illustrations.flat_map(|it| &mut it.rows).collect(), streams);
}
