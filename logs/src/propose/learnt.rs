//! Templates learnt from the lines of a text log, with names for their values.

use super::field_words::split_words;
use super::header::{common, header_length, signs};
use super::replicas::pod_of;
use super::runs::are_runs;
use super::templates::{LineTemplate, Slot, TemplateTree, is_behind_key};
use super::token::{Token, TokenType, Tokenizer};
use crate::survey::FieldSample;
use std::collections::{BTreeMap, BTreeSet};

/// How many lines are looked at.
pub(super) const MOST_LINES: usize = 10_000;

/// How many tokens of a line are looked at: beyond them stand dumps, not messages.
const MOST_TOKENS: usize = 60;

/// How many lines of a template are compared to name its values.
const COMPARED: usize = 20;

/// Words for pieces of work, whose numbers are sessions.
const WORK: &[&str] =
    &["order", "job", "task", "request", "transaction", "workflow", "call", "session"];

/// The units that name the numbers before them.
const UNITS: &[&str] = &["bytes", "seconds", "ms"];

/// A template whose values have names.
pub(super) struct NamedTemplate {
    pub(super) template: LineTemplate,
    /// The name of each slot that is a value.
    pub(super) names: Vec<Option<String>>,
    /// How many of its slots are the header.
    pub(super) header: usize,
    /// Whether its lines go on.
    pub(super) is_cut: bool,
}

/// The values of a name in all lines.
#[derive(Default)]
pub(super) struct NamedValues {
    pub(super) kinds: BTreeSet<TokenType>,
    /// In how many lines each value is.
    pub(super) values: BTreeMap<String, usize>,
    /// The value of each line that has one.
    pub(super) by_line: BTreeMap<usize, String>,
    pub(super) templates: usize,
    pub(super) is_header: bool,
}

/// The header and the templates of the lines of a text log.
pub(super) struct Learnt {
    pub(super) lines: usize,
    /// Those with most lines first.
    pub(super) templates: Vec<NamedTemplate>,
    pub(super) values: BTreeMap<String, NamedValues>,
    /// Lines of templates beyond the limit.
    pub(super) left_out: usize,
}

/// Learns from lines, none of them blank.
pub(super) fn learn(lines: &[&str]) -> Learnt {
    let tokenizer = Tokenizer::new();
    let tokens: Vec<Vec<Token>> =
        lines.iter().map(|line| tokenizer.tokens(line, MOST_TOKENS)).collect();
    let header = header_length(lines, &tokens);
    let usual = common(lines, &tokens, |line, tokens| Some(signs(line, tokens, header)));
    let mut tree = TemplateTree::default();
    for (number, (line, tokens)) in lines.iter().zip(&tokens).enumerate() {
        let is_usual = usual.as_ref().is_some_and(|usual| *usual == signs(line, tokens, header));
        tree.add(number, line, tokens, if is_usual { header } else { 0 });
    }
    let mut templates = tree.templates;
    templates.sort_by_key(|template| std::cmp::Reverse(template.lines.len()));
    let header_of = |template: &LineTemplate| {
        let first = template.lines[0];
        let signs = signs(lines[first], &tokens[first], header);
        let is_usual = template.slots.len() > header && usual.as_ref() == Some(&signs);
        if is_usual { header } else { 0 }
    };
    for template in &mut templates {
        let header = header_of(template);
        fix_words(template, header, (lines, &tokens));
    }
    // A column of the header has one name in all templates.
    let usual_templates = || templates.iter().filter(|it| header_of(it) > 0);
    let of_column = |column: usize| -> Vec<&str> {
        let some = usual_templates().flat_map(|it| it.lines.iter().take(COMPARED));
        some.map(|&number| &lines[number][tokens[number][column].text.clone()]).collect()
    };
    let columns: Vec<Vec<&str>> = (0..header).map(of_column).collect();
    let named = templates.iter().map(|template| {
        let header = header_of(template);
        let is_cut = template.slots.len() == MOST_TOKENS;
        let names = names(template, &columns[..header], (lines, &tokens));
        let template = template.clone();
        NamedTemplate { template, names, header, is_cut }
    });
    let templates: Vec<NamedTemplate> = named.collect();
    let values = values(&templates, (lines, &tokens));
    Learnt { lines: lines.len(), templates, values, left_out: tree.left_out }
}

/// Makes words of the columns of a header that are signs, keys or names of elements, and no values: `-`, `order` of `order=7`,
/// and `Event` of `<Event at="7"`.
fn fix_words(
    template: &mut LineTemplate,
    header: usize,
    (lines, tokens): (&[&str], &[Vec<Token>]),
) {
    (0..header).for_each(|at| {
        let token = |number: &usize| (lines[*number], &tokens[*number][at]);
        let text = |(line, token): (&'_ str, &Token)| line[token.text.clone()].to_owned();
        let next = template.slots.get(at + 1);
        let is_element =
            template.slots[at].before.ends_with('<') && next.is_some_and(|it| it.before == " ");
        let is_key = is_element || next.is_some_and(|it| is_behind_key(&it.before));
        let (line, first) = token(&template.lines[0]);
        let word = text((line, first));
        if (is_key || first.is_sign(line))
            && template.lines.iter().all(|it| text(token(it)) == word)
        {
            template.slots[at].word = Some(word);
        }
    });
}

/// A name for each slot that is a value, each name once.
fn names(
    template: &LineTemplate,
    header: &[Vec<&str>],
    (lines, tokens): (&[&str], &[Vec<Token>]),
) -> Vec<Option<String>> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::new();
    for (index, slot) in template.slots.iter().enumerate() {
        if slot.word.is_some() {
            names.push(None);
            continue;
        }
        let some = template.lines.iter().take(COMPARED);
        let values = some.map(|&number| &lines[number][tokens[number][index].text.clone()]);
        let values: Vec<&str> = values.collect();
        let base = match header.get(index) {
            Some(values) => {
                let before = index.checked_sub(1).map(|at| &header[at][..]);
                header_name(template, index, (values, before))
            }
            None => body_name(template, index, &values),
        };
        let mut name = base.clone();
        let mut next = 2;
        while !taken.insert(name.clone()) {
            name = format!("{base}_{next}");
            next += 1;
        }
        names.push(Some(name));
    }
    names
}

/// The name of a column of the header; `others` are the values of the one before it.
fn header_name(
    template: &LineTemplate,
    index: usize,
    (values, others): (&[&str], Option<&[&str]>),
) -> String {
    let slot = &template.slots[index];
    let before = index.checked_sub(1).and_then(|at| template.slots[at].word.as_deref());
    let key = before.filter(|_| is_behind_key(&slot.before)).map(|it| split_words(it).join("_"));
    if let Some(key) = key.as_deref().and_then(clean) {
        return key;
    }
    // `Order 7: sent` names the number by the word before it.
    let work = others.and_then(|it| it.first()).map(|word| word.to_ascii_lowercase());
    let work = work.filter(|it| slot.before == " " && WORK.contains(&it.as_str()));
    match slot.kind {
        TokenType::Number | TokenType::Id | TokenType::Hex if work.is_some() => {
            work.unwrap_or_default()
        }
        TokenType::Number => "pid".to_owned(),
        TokenType::Word | TokenType::Any | TokenType::Id => {
            let is_dotted = values.iter().filter(|value| value.contains('.')).count() * 2;
            let next = template.slots.get(index + 1);
            let has_level = || template.slots[..index].iter().any(|it| it.kind == TokenType::Level);
            let is_sign = |it: &Slot| {
                it.word.as_deref().is_some_and(|it| !it.contains(char::is_alphanumeric))
            };
            // The logger stands between the level and a dash; names before the level are those of programs.
            let is_named =
                next.is_some_and(|it| it.before.contains(':') || is_sign(it) && has_level());
            let is_id = slot.kind == TokenType::Id;
            let are_pods = values.iter().all(|value| pod_of(value).is_some());
            let prefix = if is_id || are_pods { prefix(values) } else { None };
            match prefix {
                Some(prefix) => prefix,
                None if is_dotted > values.len() || is_named => "component".to_owned(),
                None => "source".to_owned(),
            }
        }
        kind => kind.name().to_owned(),
    }
}

/// The name of a value in the text: by how it begins, else by the word before it, else by its type.
fn body_name(template: &LineTemplate, index: usize, values: &[&str]) -> String {
    let slot = &template.slots[index];
    if matches!(slot.kind, TokenType::Time(_) | TokenType::Clock | TokenType::Level) {
        return slot.kind.name().to_owned();
    }
    let unit = template.slots.get(index + 1).filter(|next| next.before.trim().is_empty());
    let unit = unit.and_then(|next| next.word.as_deref()).filter(|word| UNITS.contains(word));
    if let Some(unit) = unit.filter(|_| slot.kind == TokenType::Number) {
        return unit.to_owned();
    }
    let prefix = if slot.kind == TokenType::Id { prefix(values) } else { None };
    let before = index.checked_sub(1).and_then(|at| template.slots[at].word.as_deref());
    let key = before.and_then(clean).filter(|_| is_key(slot));
    // A value of letters and digits without a name is not an id yet: flags and versions look like it.
    let name = if slot.kind == TokenType::Id { "code" } else { slot.kind.name() };
    // `Call-ID: abc1@host` has the name that is written there, `blk_7` the one that it begins with.
    let is_of_id = key.as_ref().is_some_and(|key| key.ends_with("_id"));
    let base = if is_of_id { key.or(prefix) } else { prefix.or(key) };
    base.unwrap_or_else(|| name.to_owned())
}

/// Whether the word before a value may name it.
fn is_key(slot: &Slot) -> bool {
    slot.before.chars().all(|c| " :=['\"(</".contains(c))
}

/// The letters that all values begin with, before a digit or sign.
fn prefix(values: &[&str]) -> Option<String> {
    let letters = |value: &str| {
        let end = value.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(value.len());
        value[..end].to_ascii_lowercase()
    };
    let first = letters(values.first()?);
    let is_common = values.iter().all(|value| letters(value) == first);
    if first.len() < 2 || !is_common { None } else { clean(&first) }
}

/// A text as the name of a group; `None` if nothing of it can be in a name.
fn clean(text: &str) -> Option<String> {
    let mut name = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let name = name.trim_matches('_');
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > 24 {
        return None;
    }
    // These are fields of every line.
    Some(if matches!(name, "line" | "pattern") { format!("{name}_value") } else { name.to_owned() })
}

fn values(
    templates: &[NamedTemplate],
    (lines, tokens): (&[&str], &[Vec<Token>]),
) -> BTreeMap<String, NamedValues> {
    let mut all: BTreeMap<String, NamedValues> = BTreeMap::new();
    for named in templates {
        for (index, name) in named.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let of_name = all.entry(name.clone()).or_default();
            of_name.kinds.insert(named.template.slots[index].kind);
            of_name.templates += 1;
            of_name.is_header |= index < named.header;
            for &number in &named.template.lines {
                let value = &lines[number][tokens[number][index].text.clone()];
                *of_name.values.entry(value.to_owned()).or_default() += 1;
                of_name.by_line.insert(number, value.to_owned());
            }
        }
    }
    all
}

impl NamedValues {
    /// Its values, one for each line of a log with this number of lines.
    pub(super) fn sample(&self, name: &str, lines: usize) -> FieldSample {
        let values = (0..lines).map(|line| self.by_line.get(&line).cloned()).collect();
        FieldSample { path: name.to_owned(), values }
    }

    /// Whether each of its values stands in one of the other's, as nodes do in their paths.
    pub(super) fn are_parts_of(&self, other: &NamedValues) -> bool {
        let is_part =
            |value: &String| other.values.keys().any(|whole| whole.contains(value.as_str()));
        self.values.keys().all(is_part)
    }

    /// Whether most of its values stand in lines with several of the other's.
    pub(super) fn are_shared_by(&self, other: &NamedValues) -> bool {
        let mut with: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (line, value) in &self.by_line {
            with.entry(value).or_default().extend(other.by_line.get(line).map(String::as_str));
        }
        with.values().filter(|others| others.len() > 1).count() * 2 > with.len()
    }

    /// Whether the lines of each value stand together, in a log of so many lines.
    pub(super) fn are_runs(&self, lines: usize) -> bool {
        are_runs((0..lines).map(|line| self.by_line.get(&line).map(String::as_str)))
    }

    /// How many lines have a value that other lines have too.
    pub(super) fn repeated(&self) -> usize {
        self.values.values().filter(|lines| **lines > 1).sum()
    }

    /// How many lines have it.
    pub(super) fn lines(&self) -> usize {
        self.values.values().sum()
    }
}
