//! The content of the pictures of a run: the example of each group, and the specification with coverage and findings.

use crate::log_lines::add_lines;
use crate::monitor::Monitor;
use multitrace_formats::place::Places;
use multitrace_formats::remedy::Words;
use multitrace_interaction::Repair;
use multitrace_reports::explanation::Explanation;
use multitrace_reports::finding::Finding;
use multitrace_reports::groups::Illustration;
use multitrace_reports::pictures::automaton::{self, Graph};
use multitrace_reports::pictures::diagram::{Diagram, Document, diagram_svg};
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::pictures::space_time::{Cut, Scene, SpaceTime};
use multitrace_reports::pictures::{MessagePairs, SvgOptions};
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::run_report::ReportedGroup;
use multitrace_reports::session_names::SessionNames;
use multitrace_reports::timeline::{Timeline, Window};
use multitrace_reports::view::View;
use std::sync::Arc;

/// Longer sessions are not drawn: their events would have to be laid out first, all of them, to show a
/// few.
const MOST_EVENTS: usize = 20_000;
/// A session with events at more locations is not drawn: nobody reads such a picture, and each of up to a thousand groups has
/// one.
const MOST_LANES: usize = 100;
/// The most rows of the diagram of the specification: a page of some screens.
const MOST_ROWS: usize = 300;
/// The most states of an automaton that is drawn: more cannot be read.
const MOST_STATES_OF_REPORT: usize = 60;
/// The events of the logs before and after each one that is wrong.
const CONTEXT: usize = 2;

/// The explanation and the picture of a session as the example of a kind of finding.
pub(crate) fn illustrate(
    names: &SessionNames<'_>,
    (findings, evidence, repair): (&[Finding], &[Finding], Option<&Repair>),
    pairs: &MessagePairs,
    places: &dyn Places,
) -> Illustration {
    if names.session.event_count() > MOST_EVENTS {
        return Illustration::default();
    }
    let view = &View::DRAWN;
    let mut explanation = Explanation::new(names, (findings, evidence), places, view);
    let repair = repair.map(|it| RepairView::new(it, names, places, view));
    let timeline = Timeline::new(&explanation, places, Window::Full);
    let is_edited =
        |name: &str| repair.iter().flat_map(|it| &it.edits).any(|edit| edit.location == name);
    let locations = &mut explanation.locations;
    locations.retain(|it| it.blamed || !it.log.is_empty() || is_edited(&it.location));
    if locations.len() > MOST_LANES {
        return Illustration::default();
    }
    let scene = Scene::new(&SpaceTime {
        explanation: &explanation,
        timeline: &timeline,
        findings,
        evidence,
        repair: repair.as_ref(),
        witness: None,
        pairs,
        cut: Cut::EXCERPT,
        title: "",
        // It is spelled where it is drawn.
        words: Words::default(),
    });
    Illustration { scene: Some(scene), rows: timeline.around_findings(CONTEXT) }
}

/// The specification with marks for the events of the findings, and for the parts that passing sessions took.
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
        return Some(automaton::svg(&graph, &name, "", MOST_STATES_OF_REPORT, SvgOptions::IN_PAGE));
    };
    let found = groups.iter().map(|it| (&it.group.finding, it.group.count));
    let overlay = coverage.unwrap_or_default().with_findings(interaction, signature, found);
    let locations = monitor.locations()?;
    let document = monitor.document();
    let document = document.as_ref().map(|it| Document { diagram: &it.0, spans: it.1 });
    Some(diagram_svg(
        &Diagram {
            interaction,
            signature,
            locations: &locations,
            labels: &[],
            title: "",
            overlay: &overlay,
            document,
            rows: MOST_ROWS,
        },
        SvgOptions::IN_PAGE,
    ))
}

/// Adds to the illustrations the lines of the logs.
pub(crate) fn add_lines_to(groups: &mut [ReportedGroup], streams: &[Arc<str>]) {
    let rows = groups.iter_mut().flat_map(|it| &mut it.group.illustration.rows);
    add_lines(rows.collect(), streams);
}
