//! Roles: lifelines whose names in the log differ from session to session, such as addresses.

use super::buffer::Binding;
use super::order::{OrderKey, OrderKind};
use super::rule::Ties;
use super::session_ref::SessionRef;
use crate::record::RecordPlace;
use multitrace_formats::source::quote;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where the number of a replica stands in the lifeline of its role.
pub(super) const NUMBER: &str = "{n}";

/// The names of the lifelines of a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleLifeline<'a> {
    /// The lifeline; with [`NUMBER`] in it where the role has several.
    pub(super) name: &'a str,
    /// How many replicas there may be; `None` for a role that one name has.
    pub(super) most: Option<u32>,
    /// Whether messages name the lifeline by the role, too.
    pub(super) in_messages: bool,
    /// The mapping, and the line of the role there.
    pub(super) rule: (&'a str, usize),
}

/// The names of the lifelines of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleNames<'a> {
    /// The names in the log, sorted, and the lifelines they stand for.
    names: Vec<(&'a str, Cow<'a, str>)>,
    /// Those that messages have, too.
    in_messages: MessageRoles<'a>,
}

/// Bindings of one session that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RoleError {
    /// The error.
    pub message: String,
    /// The remedy.
    pub help: &'static str,
    /// The name in the log for the lifeline of the second record.
    pub value: String,
    /// The file of the second record, by its position among the inputs.
    pub file: u32,
    /// The second record.
    pub place: RecordPlace,
}

/// The first record that names a value of a role.
#[derive(Clone, Copy, Debug)]
struct First<'a> {
    value: &'a str,
    order: Option<OrderKey>,
    /// The position among the bindings of the session.
    position: usize,
    file: u32,
    place: RecordPlace,
}

/// The ways to rank the values of a role.
type Rankings<'a> = Vec<Vec<First<'a>>>;

/// How many ways to name the lifelines of a session are tried: six replicas in no order have 720.
const MOST_NAMES: usize = 720;

/// What the mapping says of records with one order, and which files have their newest record first.
type FileTies<'t> = (Ties, &'t dyn Fn(u32) -> bool);

/// A name in the log, the lifeline it stands for, and the rule that says so.
type Bound<'a> = (First<'a>, Cow<'a, str>, (&'a str, usize));

impl<'a> RoleNames<'a> {
    /// All ways to bind roles by all bindings of one session, in the order of the input. Of a role for one, the
    /// first binding counts; of a role for replicas, the values are numbered by their first bindings, without those that
    /// have a role for one.
    /// First is by the order field if there is one, else by the input. There are several ways only if ties are in any order.
    ///
    /// # Errors
    /// When two roles for one would be bound to the same name, and when first bindings that differ have the
    /// same order and the ties do not say that they are in any, or there are too many ways.
    pub(super) fn all(
        roles: &[RoleLifeline<'a>],
        bindings: impl IntoIterator<Item = Binding<'a>>,
        ties: FileTies<'_>,
    ) -> Result<Vec<RoleNames<'a>>, RoleError> {
        let mut session = SessionRef::Named("");
        let mut firsts: Vec<Vec<First<'a>>> = vec![Vec::new(); roles.len()];
        for (position, binding) in bindings.into_iter().enumerate() {
            session = binding.session;
            let role = same_role(roles, binding.role.index());
            if let Some(firsts) = firsts.get_mut(role) {
                let Binding { value, order, file, place, .. } = binding;
                firsts.push(First { value, order, position, file, place });
            }
        }
        firsts.iter_mut().for_each(|firsts| firsts.sort_by_key(|it| (it.order, it.position)));
        let session = session.to_string();
        let single = roles.iter().zip(&firsts).filter(|(role, _)| role.most.is_none());
        let single = single.map(|(role, firsts)| role.rankings(&session, firsts, ties));
        let single: Vec<Rankings<'a>> = single.collect::<Result<_, _>>()?;
        let (mut all, mut problem) = (Vec::new(), None);
        for chosen in combined(&single).ok_or_else(|| too_many(&session, &firsts))? {
            let mut chosen = chosen.into_iter();
            // A lifeline with a role that only one can have takes no other role.
            let taken: HashSet<&str> = chosen.clone().flatten().map(|first| first.value).collect();
            let rankings = roles.iter().zip(&firsts).map(|(role, firsts)| {
                if role.most.is_none() {
                    return Ok(vec![chosen.next().unwrap_or_default()]);
                }
                let free = firsts.iter().filter(|first| !taken.contains(first.value));
                role.rankings(&session, &free.copied().collect::<Vec<_>>(), ties)
            });
            let rankings: Vec<Rankings<'a>> = rankings.collect::<Result<_, _>>()?;
            let combined = combined(&rankings).filter(|it| it.len() + all.len() <= MOST_NAMES);
            for ranked in combined.ok_or_else(|| too_many(&session, &firsts))? {
                match RoleNames::ranked(&session, roles, ranked) {
                    Ok(names) => all.push(names),
                    Err(error) => _ = problem.get_or_insert(error),
                }
            }
        }
        match problem {
            Some(error) if all.is_empty() => Err(error),
            _ => Ok(all),
        }
    }

    /// The names by the rankings of all roles.
    fn ranked(
        session: &str,
        roles: &[RoleLifeline<'a>],
        rankings: Vec<Vec<First<'a>>>,
    ) -> Result<RoleNames<'a>, RoleError> {
        let (mut names, mut in_messages) = (Vec::new(), MessageRoles::default());
        for (role, ranked) in roles.iter().zip(rankings) {
            let numbered = ranked.into_iter().zip(1..);
            if role.in_messages {
                let all = numbered.clone();
                all.for_each(|(first, n)| in_messages.add(first.value, role.numbered(n)));
            }
            names.extend(numbered.map(|(first, n)| (first, role.numbered(n), role.rule)));
        }
        Ok(RoleNames { names: sorted(session, names)?, in_messages })
    }

    /// The lifelines with the names in the log that they stand for.
    pub(crate) fn machines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|(value, lifeline)| (&**lifeline, *value))
    }

    /// The name of a lifeline or location in the session: its role, else the name in the log.
    pub fn name<'s>(&'s self, lifeline: &'s str) -> &'s str {
        let at = self.names.binary_search_by_key(&lifeline, |(value, _)| value);
        at.map_or(lifeline, |at| &self.names[at].1)
    }

    /// A message with the roles in it in place of their names in the log.
    pub fn message<'s>(&self, message: &'s str) -> Cow<'s, str> {
        match self.in_messages.put_into(message) {
            Some(new) => Cow::Owned(new),
            None => Cow::Borrowed(message),
        }
    }
}

/// Names that texts have, with the roles that take their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MessageRoles<'a> {
    /// The roles by the names, with their ranks.
    by_name: HashMap<&'a str, (usize, Cow<'a, str>)>,
    /// The different lengths of the names: few, however many names there are.
    lengths: BTreeSet<usize>,
}

impl<'a> MessageRoles<'a> {
    /// Adds a role after all others. An empty name stands nowhere, and of two roles with one name the first counts.
    fn add(&mut self, name: &'a str, role: Cow<'a, str>) {
        if !name.is_empty() {
            let rank = self.by_name.len();
            self.by_name.entry(name).or_insert((rank, role));
            self.lengths.insert(name.len());
        }
    }

    /// The first role whose name a text begins with, as a whole name, and the length of the name.
    fn first(&self, text: &str) -> Option<(usize, &str)> {
        let whole =
            |&&length: &&usize| text.get(length..).is_some_and(|rest| !rest.starts_with(is_part));
        let whole = self.lengths.iter().filter(whole);
        let named = whole.filter_map(|&length| Some((length, self.by_name.get(&text[..length])?)));
        let (length, (_, role)) = named.min_by_key(|(_, (rank, _))| *rank)?;
        Some((length, role))
    }

    /// A text with a role for each whole name that it has; `None` if it has none. A role may be called like a name of
    /// another: a name that was put in is not looked at again.
    fn put_into(&self, text: &str) -> Option<String> {
        if self.by_name.is_empty() {
            return None;
        }
        let (mut new, mut end) = (String::new(), 0);
        for (at, _) in text.char_indices() {
            if at < end || text[..at].ends_with(is_part) {
                continue;
            }
            if let Some((length, role)) = self.first(&text[at..]) {
                new.push_str(&text[end..at]);
                new.push_str(role);
                end = at + length;
            }
        }
        (end > 0).then(|| new + &text[end..])
    }
}

/// Whether a character belongs to the name beside it.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> RoleLifeline<'a> {
    /// The first record of each value that has the role, in order; of a role for one only the first.
    fn ranked(&self, firsts: &[First<'a>]) -> Vec<First<'a>> {
        if self.most.is_none() {
            return firsts.first().copied().into_iter().collect();
        }
        let mut seen = HashSet::new();
        firsts.iter().copied().filter(|first| seen.insert(first.value)).collect()
    }

    /// The ways in which the first records of a role may have come.
    fn rankings(
        &self,
        session: &str,
        firsts: &[First<'a>],
        (ties, falls): FileTies<'_>,
    ) -> Result<Rankings<'a>, RoleError> {
        let ranked = self.ranked(firsts);
        self.reject_kinds(session, firsts)?;
        if ties != Ties::File {
            self.reject_files(session, firsts)?;
        }
        if ties != Ties::Any {
            reject_tie(session, self, firsts, &ranked, &|file| ties == Ties::File && !falls(file))?;
            return Ok(vec![ranked]);
        }
        let is_tie =
            |one: &First<'_>, other: &First<'_>| one.order.is_some() && one.order == other.order;
        if let (Some(first), None) = (ranked.first(), self.most) {
            let mut seen = HashSet::new();
            let mut tied: Rankings<'a> =
                firsts.iter().filter(|it| is_tie(first, it)).map(|it| vec![*it]).collect();
            tied.retain(|it| seen.insert(it[0].value));
            return Ok(if tied.is_empty() { vec![ranked] } else { tied });
        }
        let tied: Vec<Rankings<'a>> = ranked.chunk_by(is_tie).map(permutations).collect();
        let all = if tied.iter().any(Vec::is_empty) { None } else { combined(&tied) };
        let all = all.ok_or_else(|| too_many(session, &[ranked]))?;
        Ok(all.into_iter().map(|groups| groups.concat()).collect())
    }

    /// Rejects records whose orders cannot be compared: numbers and times, or an order and none.
    fn reject_kinds(&self, session: &str, firsts: &[First<'a>]) -> Result<(), RoleError> {
        let kind = |it: &First<'_>| it.order.map(OrderKey::kinds);
        let Some(first) = firsts.first() else { return Ok(()) };
        let is_other = |it: &&First<'_>| it.value != first.value && kind(it) != kind(first);
        let Some(other) = firsts.iter().find(is_other) else { return Ok(()) };
        let [one, its] = OrderKind::names_of(first.order, other.order);
        let why = format!("are ordered in different ways: by {one} and by {its}");
        let help = "give all records of the role an `order` of one kind, or none of them";
        Err(tie_error(session, self, (first, other), (&why, help)))
    }

    /// Rejects records of several files that have no order, unless all files begin with the same values.
    fn reject_files(&self, session: &str, firsts: &[First<'a>]) -> Result<(), RoleError> {
        if firsts.iter().any(|first| first.order.is_some()) {
            return Ok(());
        }
        let mut longest: Vec<First<'a>> = Vec::new();
        for file in firsts.chunk_by(|one, other| one.file == other.file) {
            let ranked = self.ranked(file);
            let mut pairs = longest.iter().zip(&ranked);
            if let Some((one, other)) = pairs.find(|(one, other)| one.value != other.value) {
                let why = "come from several files and have no `order`";
                let help = "give the role an `order`, or write ties = \"file\" if the files are named in their order";
                return Err(tie_error(session, self, (one, other), (why, help)));
            }
            if ranked.len() > longest.len() {
                longest = ranked;
            }
        }
        Ok(())
    }

    /// The name of the value of a rank. Those beyond the most have a name that no specification
    /// has, the same for all, so that they are findings.
    fn numbered(&self, n: u32) -> Cow<'a, str> {
        match self.most {
            None => Cow::Borrowed(self.name),
            Some(most) if n > most => Cow::Owned(beyond(self.name, most)),
            Some(_) => Cow::Owned(self.name.replace(NUMBER, &n.to_string())),
        }
    }
}

/// The name of those beyond the most that a role may have.
pub(super) fn beyond(lifeline: &str, most: u32) -> String {
    lifeline.replace(NUMBER, &format!(">{most}"))
}

/// The role whose numbers a role continues: replicas may be found in several ways.
fn same_role(roles: &[RoleLifeline<'_>], index: usize) -> usize {
    let Some(role) = roles.get(index).filter(|role| role.most.is_some()) else { return index };
    roles.iter().position(|other| other.name == role.name).unwrap_or(index)
}

/// Rejects values whose ranks are not known: the first record of one has the same order as the first
/// of another.
fn reject_tie(
    session: &str,
    role: &RoleLifeline<'_>,
    firsts: &[First<'_>],
    ranked: &[First<'_>],
    by_file: &dyn Fn(u32) -> bool,
) -> Result<(), RoleError> {
    // Of a role for one, the others only count where they are as early as the first.
    let all = if role.most.is_some() { ranked } else { firsts };
    let is_tie = |one: &First<'_>, other: &First<'_>| {
        one.order.is_some()
            && one.order == other.order
            && one.value != other.value
            && !(one.file == other.file && by_file(one.file))
    };
    let tied = match ranked.first().filter(|_| role.most.is_none()) {
        Some(first) => all.iter().find(|other| is_tie(first, other)).map(|other| (first, other)),
        None => all.windows(2).find(|pair| is_tie(&pair[0], &pair[1])).map(|it| (&it[0], &it[1])),
    };
    let Some((one, other)) = tied else { return Ok(()) };
    // Of several that are tied, those named do not depend on the order of the input.
    let mut equal: Vec<&First<'_>> = all.iter().filter(|it| it.order == one.order).collect();
    equal.sort_by_key(|it| (it.value, it.file, it.place));
    equal.dedup_by_key(|it| it.value);
    let help = match role.most {
        Some(_) => {
            "name a finer field in `order` of the mapping, add one, order = [\"ts\", \"seq\"], or write \
             ties = \"file\", where the file is in order, or ties = \"any\", if any of them may be the first"
        }
        None => {
            "let `when` of this [[role]] hold for one record a session, or name a finer field in \
             `order` of the mapping"
        }
    };
    let pair = match equal[..] {
        [one, other, ..] => (one, other),
        _ => (one, other),
    };
    Err(tie_error(session, role, pair, ("have the same `order`", help)))
}

/// All orders of some values, the given one first; none if there are too many.
fn permutations<'a>(values: &[First<'a>]) -> Rankings<'a> {
    let mut all: Rankings<'a> = vec![Vec::new()];
    for (before, value) in values.iter().enumerate() {
        if all.len() * (before + 1) > MOST_NAMES {
            return Vec::new();
        }
        let with = |(order, at): (&Vec<First<'a>>, usize)| {
            let mut order = order.clone();
            order.insert(at, *value);
            order
        };
        all = (0..=before)
            .rev()
            .flat_map(|at| all.iter().map(move |it| (it, at)))
            .map(with)
            .collect();
    }
    all
}

/// All choices of one entry of each list, the first entries first; `None` if there are too many.
fn combined<T: Clone>(lists: &[Vec<T>]) -> Option<Vec<Vec<T>>> {
    let mut all: Vec<Vec<T>> = vec![Vec::new()];
    for list in lists {
        if all.len() * list.len() > MOST_NAMES {
            return None;
        }
        let with = |chosen: &Vec<T>, it: &T| chosen.iter().chain([it]).cloned().collect();
        all = all.iter().flat_map(|it| list.iter().map(move |one| with(it, one))).collect();
    }
    Some(all)
}

/// More ways to name the lifelines of a session than are tried.
fn too_many(session: &str, firsts: &[Vec<First<'_>>]) -> RoleError {
    let message = format!(
        "session {session:?}: its roles can be given in more than {MOST_NAMES} ways, since the first records that \
         give them have the same `order`"
    );
    let help = "name a finer field in `order` of the mapping, add one, order = [\"ts\", \"seq\"], or, where the file \
                is in order, write ties = \"file\"";
    match firsts.iter().flatten().next() {
        Some(first) => first.error(message, help),
        None => {
            RoleError { message, help, value: String::new(), file: 0, place: RecordPlace::line(1) }
        }
    }
}

fn tie_error(
    session: &str,
    role: &RoleLifeline<'_>,
    (one, other): (&First<'_>, &First<'_>),
    (why, help): (&str, &'static str),
) -> RoleError {
    let (name, rule) = (quote(role.name), shown(role.rule));
    let (first, second) = (quote(one.value), quote(other.value));
    let message = format!(
        "session {session:?}: lifeline {name} ({rule}) is {first} or {second}: the first records that \
         say so {why}"
    );
    other.error(message, help)
}

/// The place of a rule, whose table starts a line.
fn shown((mapping, line): (&str, usize)) -> String {
    format!("{mapping}:{line}:1")
}

impl First<'_> {
    fn error(&self, message: String, help: &'static str) -> RoleError {
        let First { value, file, place, .. } = *self;
        RoleError { message, help, value: value.to_owned(), file, place }
    }
}

/// The names sorted by those in the log, each once.
fn sorted<'a>(
    session: &str,
    mut names: Vec<Bound<'a>>,
) -> Result<Vec<(&'a str, Cow<'a, str>)>, RoleError> {
    // The same role may be declared in several ways.
    names.sort_by_key(|(first, ..)| first.value);
    names.dedup_by(|b, a| (b.0.value, &b.1) == (a.0.value, &a.1));
    match names.windows(2).find(|pair| pair[0].0.value == pair[1].0.value) {
        None => Ok(names.into_iter().map(|(first, name, _)| (first.value, name)).collect()),
        Some(pair) => {
            let [(_, one, first_rule), (second, other, rule)] = pair else { return Ok(Vec::new()) };
            let (value, one, other) = (quote(second.value), quote(one), quote(other));
            let (first_rule, rule) = (shown(*first_rule), shown(*rule));
            let message = format!(
                "session {session:?}: {value} is both lifeline {one} ({first_rule}) and lifeline \
                 {other} ({rule})"
            );
            let help = "let `when` of these [[role]]s hold for records of different participants";
            Err(second.error(message, help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_stand_for_whole_names_in_messages() {
        let put = |roles: &[(&'static str, &'static str)], text: &str| {
            let mut all = MessageRoles::default();
            roles.iter().for_each(|&(name, role)| all.add(name, role.into()));
            all.put_into(text)
        };
        let new = |text| put(&[("n1", "leader")], text);
        assert_eq!(new("vote n1, n1:7 (n1)").as_deref(), Some("vote leader, leader:7 (leader)"));
        assert_eq!(new("n1").as_deref(), Some("leader"));
        assert_eq!(new("n10 an1 n1_ é"), None);
        assert_eq!(put(&[("", "leader")], "any"), None);
        assert_eq!(put(&[("n1", "n2"), ("n2", "n1")], "n1 to n2").as_deref(), Some("n2 to n1"));
        let of_one_name = [("n1", "a"), ("n1", "b"), ("n1:7", "c")];
        assert_eq!(put(&of_one_name, "n1:7").as_deref(), Some("a:7"));
        assert_eq!(put(&[of_one_name[2], of_one_name[0]], "n1:7 n1").as_deref(), Some("c a"));
    }
}
