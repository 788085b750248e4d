//! A session as a log for ShiViz, with vector clocks by the messages that were matched.

use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::story::Story;
use multitrace_formats::shorten::visible;
use std::collections::BTreeMap;

/// Counts of events, by lane.
type Clock = BTreeMap<usize, u64>;

pub(crate) fn write(story: &Story) -> String {
    let hosts: Vec<String> = hosts(&story.lanes);
    let mut clocks = vec![Clock::new(); story.lanes.len()];
    let mut of_events: Vec<Option<Clock>> = vec![None; story.events.len()];
    let mut is_source = vec![false; story.events.len()];
    story.sources.iter().flatten().for_each(|&source| is_source[source] = true);
    let mut out = String::new();
    for &at in &story.order {
        let event = &story.events[at];
        if !matches!(event.origin, Origin::Logged | Origin::Deleted) {
            continue;
        }
        let clock = &mut clocks[event.lane];
        if let Some(sent) = story.sources[at].and_then(|source| of_events[source].as_ref()) {
            merge(clock, sent);
        }
        *clock.entry(event.lane).or_default() += 1;
        let line = format!("{} {} {}\n", hosts[event.lane], json(clock, &hosts), text(event));
        out.push_str(&line);
        if is_source[at] {
            of_events[at] = Some(clock.clone());
        }
    }
    out
}

/// Names without blanks, each another one.
fn hosts(lanes: &[String]) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for lane in lanes {
        let mut host: String =
            visible(lane).chars().map(|it| if it.is_whitespace() { '_' } else { it }).collect();
        while host.is_empty() || hosts.contains(&host) {
            host.push('_');
        }
        hosts.push(host);
    }
    hosts
}

fn merge(clock: &mut Clock, sent: &Clock) {
    for (&lane, &count) in sent {
        let own = clock.entry(lane).or_default();
        *own = count.max(*own);
    }
}

fn json(clock: &Clock, hosts: &[String]) -> String {
    let clock: serde_json::Map<String, serde_json::Value> =
        clock.iter().map(|(&lane, &count)| (hosts[lane].clone(), count.into())).collect();
    serde_json::Value::Object(clock).to_string()
}

/// The event, and the codes of its findings.
fn text(event: &Event) -> String {
    let codes: Vec<&str> = event.notes.iter().filter_map(|it| it.split(' ').next()).collect();
    let codes = if codes.is_empty() { String::new() } else { format!(" [{}]", codes.join(", ")) };
    format!("{}{codes}", visible(&event.text))
}
