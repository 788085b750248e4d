//! Findings in words, as notes of a picture.

use crate::explanation::{LocationExplanation, Mark};
use crate::finding::{Finding, listed};
use crate::pictures::space_time::subject::SpaceTime;
use crate::view::View;
use multitrace_formats::shorten::visible;

/// The notes at an index of a log.
pub(crate) fn notes_at(location: &LocationExplanation, index: usize) -> Vec<String> {
    let first = location.marks.partition_point(|mark| mark.index < index);
    let marks = location.marks[first..].iter().take_while(|mark| mark.index == index);
    let note = |mark: &Mark| {
        let expected = View::EXCERPT.list(&mark.expected.events);
        let expected = expected.text_at(mark.code, mark.event.is_some());
        // A note at an event names no remedy.
        format!("{} {}; {expected}", mark.code.name(), mark.code.title())
    };
    marks.map(note).collect()
}

/// The notes of findings that stand at none of the events of the session.
pub(crate) fn session_notes(session: &SpaceTime<'_>) -> Vec<String> {
    let is_marked = |finding: &Finding| {
        let marks = session.explanation.locations.iter().flat_map(|it| &it.marks);
        marks.clone().any(|mark| mark.code == finding.code)
    };
    let faults = listed(session.findings).filter(|(_, it)| it.fault.is_some() || !is_marked(it));
    faults.map(|(_, it)| format!("{} {}", it.code.name(), it.line())).collect()
}

/// For each item of evidence with events that would have to come before each other, those events as text.
pub(crate) fn cycles<'a>(session: &SpaceTime<'a>) -> impl Iterator<Item = String> + use<'a> {
    listed(session.evidence).filter_map(|(_, finding)| finding.cycle())
}

/// A text in lines of at most `most` characters, cut between words where there are any.
pub(crate) fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let text = visible(text);
    let mut left = 0;
    for word in text.split(' ').flat_map(|word| pieces(word, most)) {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if length < left => {
                line.push(' ');
                line.push_str(word);
                left -= length + 1;
            }
            _ => {
                lines.push(word.to_owned());
                left = most.saturating_sub(length);
            }
        }
    }
    lines
}

/// A word in pieces of at most `most` characters.
fn pieces(mut word: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some((end, _)) = word.char_indices().nth(most.max(1)) {
        pieces.push(&word[..end]);
        word = &word[end..];
    }
    pieces.push(word);
    pieces
}
