//! Mappings for tools that many use: `format = "jaeger"` stands for the text of one. A mapping may replace parts of it.

use super::definition::Mapping;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All of them, each under `== NAME`.
const PRESETS: &str = include_str!("presets.txt");

impl Mapping {
    /// The text of the mapping for a tool, if there is one with this name.
    ///
    /// ```
    /// use multitrace_logs::Mapping;
    /// assert!(Mapping::preset("jaeger").is_some_and(|text| text.contains("data[].spans[]")));
    /// ```
    pub fn preset(name: &str) -> Option<&'static str> {
        presets().find(|(other, _)| *other == name).map(|(_, text)| text)
    }

    /// The names of the tools there are mappings for.
    pub fn preset_names() -> impl Iterator<Item = &'static str> {
        presets().map(|(name, _)| name)
    }
}

fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRESETS.split("== ").filter_map(|part| part.split_once('\n'))
}

/// A table with the values of a preset beside its own: of two values at one key its own counts, and of two lists both,
/// its own first. Errors of the preset stand at `place`.
pub(super) fn with_preset<'i>(
    table: &DeTable<'i>,
    preset: &DeTable<'i>,
    place: &Range<usize>,
) -> DeTable<'i> {
    let mut merged = table.clone();
    for (key, value) in preset {
        let known = table.iter().find(|(other, _)| other.get_ref() == key.get_ref());
        let Some((key, own)) = known else {
            merged.insert(Spanned::new(place.clone(), key.get_ref().clone()), moved(value, place));
            continue;
        };
        let both = match (own.get_ref(), value.get_ref()) {
            (DeValue::Table(own), DeValue::Table(other)) => {
                DeValue::Table(with_preset(own, other, place))
            }
            (DeValue::Array(own_list), DeValue::Array(other))
                if own_list.iter().chain(other).all(is_table) =>
            {
                let mut list = own_list.clone();
                other.iter().for_each(|value| list.push(moved(value, place)));
                DeValue::Array(list)
            }
            _ => continue,
        };
        merged.insert(key.clone(), Spanned::new(own.span(), both));
    }
    merged
}

/// Takes the alternatives out of its lists that lead out of the records: these stand in no document.
pub(super) fn without_paths_out(preset: &mut DeTable<'_>) {
    let leads_out = |it: &Spanned<DeValue<'_>>| {
        it.get_ref().as_str().is_some_and(|text| text.starts_with("^."))
    };
    for (_, value) in preset.iter_mut() {
        match value.get_mut() {
            DeValue::Table(table) => without_paths_out(table),
            DeValue::Array(list) => {
                let others = list.iter().filter(|it| !leads_out(it)).cloned();
                *list = others.collect();
            }
            _ => {}
        }
    }
}

fn is_table(value: &Spanned<DeValue<'_>>) -> bool {
    value.get_ref().is_table()
}

/// A value of a preset, which stands where the mapping names the preset.
fn moved<'i>(value: &Spanned<DeValue<'i>>, place: &Range<usize>) -> Spanned<DeValue<'i>> {
    let value = match value.get_ref() {
        DeValue::Table(table) => DeValue::Table(with_preset(&DeTable::new(), table, place)),
        DeValue::Array(list) => DeValue::Array(list.iter().map(|it| moved(it, place)).collect()),
        other => other.clone(),
    };
    Spanned::new(place.clone(), value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use multitrace_formats::source::Source;

    #[test]
    fn presets_are_mappings_or_say_what_is_left_to_add() {
        for (name, text) in presets() {
            let own = "[event]\nsession = \"s\"\ndirection = \"emission\"\nmessage = \"m\"\n";
            let uses = format!("[input]\nformat = \"{name}\"\n");
            let needs_more = text.contains("yours to add");
            let parse = |text: &str| Mapping::parse(&Source::new("map.toml", text));
            if let Err(error) = parse(text) {
                assert!(needs_more, "{name}: {error}");
            }
            // Such a name means the format.
            if Format::named(name).is_some() {
                continue;
            }
            if let Err(error) = parse(&uses) {
                assert!(needs_more, "{name}: {error}");
            }
            parse(&format!("{uses}{own}")).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn a_mapping_may_take_the_records_of_a_preset_away() {
        let text = "[input]\nformat = \"jaeger\"\nrecords = []\n";
        let mapping = Mapping::parse(&Source::new("map.toml", text)).expect("a mapping");
        assert!(mapping.input().records.is_empty());
        assert!(mapping.fields().iter().all(|(_, path)| !path.to_string().contains('^')));
        let text = "[input]\nformat = \"jaeger\"\nincomplete = []\nnext-page = [\"more\"]\n";
        let input = Mapping::parse(&Source::new("map.toml", text)).expect("a mapping");
        let input = input.input();
        assert!(input.incomplete.is_empty() && input.counts.is_empty());
        assert!(input.next_page.len() > 1 && input.next_page[0].path.text() == "more");
    }

    #[test]
    fn what_a_mapping_says_itself_counts() {
        let text = "[input]\nformat = \"k8s-audit\"\n[event]\nlifeline = \"verb\"\n[[keep]]\nwhen = { a = 1 }\n";
        let mapping = Mapping::parse(&Source::new("map.toml", text)).expect("a mapping");
        let asked: Vec<String> =
            mapping.fields().iter().map(|(_, path)| path.to_string()).collect();
        assert!(asked.contains(&"a".to_owned()) && asked.contains(&"stage".to_owned()));
        let error = Mapping::parse(&Source::new("map.toml", "[input]\nformat = \"journald\"\n"));
        let error = error.expect_err("no session").to_string();
        assert!(error.contains("which field is the session?"), "{error}");
    }
}
