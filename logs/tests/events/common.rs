//! Reading whole inputs in tests.

use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::source::Source;
use multitrace_interaction::{Alphabet, Session};
use multitrace_logs::{
    Collected, Collector, Event, EventError, EventItem, EventLog, EventSessions, Events, FieldPath,
    Fields, Format, InputOptions, MappedRecord, Mapping, Record, RecordBatches,
};
use proptest::prelude::ProptestConfig;
use std::io::Cursor;
use std::sync::Arc;

/// As many cases as asked for, or as `PROPTEST_CASES` says: more of them for a long run.
pub(crate) fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(default))
}

/// A record as a test compares it: its place, and the value of each asked-for field; or its error.
pub(crate) type Row = Result<(String, Vec<Option<String>>), String>;

pub(crate) fn fields(paths: &[&str]) -> Fields {
    let mut fields = Fields::default();
    for path in paths {
        fields.add(FieldPath::parse(path).expect("a path"));
    }
    fields
}

pub(crate) fn flat(error: &EventError) -> String {
    let line = error.line().map_or(String::new(), |line| format!("{line}: "));
    format!("{line}{}", error.message())
}

pub(crate) fn read_with(
    bytes: &[u8],
    format: Format,
    options: &InputOptions,
    paths: &[&str],
) -> Vec<Row> {
    let fields = fields(paths);
    let batches = match RecordBatches::new("log", bytes, format, options, &fields) {
        Ok(batches) => batches,
        Err(error) => return vec![Err(flat(&error))],
    };
    let mut rows = Vec::new();
    for batch in batches {
        match batch {
            Err(error) => rows.push(Err(flat(&error))),
            Ok(batch) => batch.for_each(|record| {
                rows.push(match record {
                    Err(error) => Err(flat(&error)),
                    Ok(record) => {
                        let value = |(id, _)| record.get(id).map(str::to_owned);
                        Ok((record.place().to_string(), fields.iter().map(value).collect()))
                    }
                });
            }),
        }
    }
    rows
}

pub(crate) fn options(batch_bytes: usize) -> InputOptions {
    InputOptions { batch_bytes, ..InputOptions::default() }
}

/// The same records whatever the size of batches.
pub(crate) fn read(bytes: &[u8], format: Format, paths: &[&str]) -> Vec<Row> {
    let rows = read_with(bytes, format, &InputOptions::default(), paths);
    for size in [1, 2, 3, 7, 50] {
        assert_eq!(read_with(bytes, format, &options(size), paths), rows, "batches of {size}");
    }
    rows
}

/// Just the values, of records without errors.
pub(crate) fn values(bytes: &[u8], format: Format, paths: &[&str]) -> Vec<Vec<String>> {
    let rows = read(bytes, format, paths).into_iter();
    let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    rows.map(|row| row.expect("a record").1.into_iter().map(text).collect()).collect()
}

pub(crate) fn mapping(text: &str) -> Mapping {
    Mapping::parse(&Source::new("map.toml", text)).unwrap_or_else(|error| panic!("{error}"))
}

/// The result of each record of an input: `session action` of each event, or the outcome. An input with roles holds one
/// session.
pub(crate) fn map(mapping: &Mapping, bytes: &[u8], format: Format) -> Vec<String> {
    let mut all = Events::default();
    each_record(mapping, bytes, format, |record| _ = mapping.map(record, &mut all));
    let bindings = if mapping.has_roles() { Some(all.bindings()) } else { None };
    let bindings = bindings.into_iter().flatten();
    let roles = mapping.all_role_names(bindings, |_| false).expect("no contradictions");
    let roles = &roles[0];
    let (mut shown, mut events) = (Vec::new(), Events::default());
    each_record(mapping, bytes, format, |record| {
        events.clear();
        match mapping.map(record, &mut events) {
            MappedRecord::Mapped { .. } => shown.extend(events.iter().map(|event| {
                let message = roles.message(event.message);
                let lifeline = roles.name(event.lifeline);
                let event = Event { lifeline, message: &message, ..event };
                format!("{} {event}", event.session)
            })),
            MappedRecord::Dropped { by } => {
                shown.push(format!("dropped by {}", mapping.rule_name(by)));
            }
            MappedRecord::Unmatched => shown.push("unmatched".to_owned()),
            MappedRecord::Broken { why, .. } => shown.push(mapping.explain(&why, record).message),
        }
    });
    shown
}

fn each_record(mapping: &Mapping, bytes: &[u8], format: Format, mut each: impl FnMut(&Record<'_>)) {
    let batches = RecordBatches::new("log", bytes, format, mapping.input(), mapping.fields());
    for batch in batches.expect("a readable input") {
        batch.expect("readable").for_each(|record| {
            each(record.unwrap_or_else(|error| panic!("{error}")));
        });
    }
}

/// The results of a whole input.
pub(crate) struct Grouped {
    /// Sessions and their events, location by location, in the order of the sessions.
    pub(crate) sessions: Vec<(String, Vec<String>)>,
    /// The sessions that may miss records.
    pub(crate) damaged: Vec<String>,
    pub(crate) problems: Vec<String>,
    pub(crate) counts: RecordCounts,
}

/// The sessions of an input, for a specification that knows nothing.
pub(crate) fn grouped(mapping: &Mapping, bytes: &[u8], format: Format, memory: usize) -> Grouped {
    let mapping = mapping.clone().with_format(format);
    let log = EventLog::of_reader(mapping, "log", Cursor::new(bytes.to_vec()));
    let (alphabet, assembler) = (Alphabet::default(), log.assembler());
    let mut collector = Collector::new(log.reader(&alphabet, Arc::default(), false), memory);
    let mut problems = Vec::new();
    while let Some(more) = collector.read().expect("room for temporary files") {
        problems.extend(more);
    }
    let Collected { sessions, counts, problems: more, .. } = collector.finish().expect("room");
    problems.extend(more);
    let problems = problems.iter().map(ToString::to_string).collect();
    let mut grouped = Grouped { sessions: Vec::new(), damaged: Vec::new(), problems, counts };
    let (mut sessions, mut session) = (EventSessions::Merged(sessions), Session::default());
    loop {
        let items = sessions.next_batch(1).expect("room");
        if items.is_empty() {
            return grouped;
        }
        for item in items {
            let EventItem::Sessions { sessions, .. } = item else { continue };
            for of in &sessions {
                let places = assembler.assemble(of, &alphabet, &mut session);
                let places = places.unwrap_or_else(|error| panic!("{}", error.problem));
                let events = session.foreign.iter().flat_map(|trace| &trace.events);
                grouped.sessions.push((session.id.clone(), events.cloned().collect()));
                grouped.damaged.extend(places.is_damaged.then(|| session.id.clone()));
            }
        }
    }
}
