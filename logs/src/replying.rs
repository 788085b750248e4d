//! Responses with the fields of the requests that they answer.

// Idea: requests and responses of one id are brought together as the spans of a trace are, as their fields. Requests
// are mapped at once as well; responses are mapped when their requests are known, and come at their own places.
//
// A response answers a request of the other direction at the same lifeline, else one of the same direction at another
// lifeline, which logged the other end. Of several it is the last one before it where the order is known, by their file or
// by their order; else the first that is not answered. Where requests have many responses, an answered one counts, too.
//
// Where other requests fit as well as the one that counts, and no file or order tells which of them came first, or whether
// one came before the response, the response knows only what they agree on.
//
// A response that is left out whatever its request is answers none.
//
// Cost: one more grouping, on disk beyond the memory; the records of one id are in memory.

use crate::cycles::turn;
use crate::grouping::Grouped;
use crate::mapping::{Events, Mapping, OrderKey, Replies, ReplyRole};
use crate::record::{Record, Values};
use crate::relating::{FieldSet, SpanBuffer, StoredFields, write_fields};
use crate::stored_event::{StoredEvent, StoredKind};
use multitrace_interaction::ActionKind;
use std::collections::HashMap;

/// The treatment of a record that may be a request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptReply {
    /// It is neither.
    No,
    /// It is kept for its response, and mapped.
    Request,
    /// It is kept, and mapped when its request is known.
    Response,
}

/// Requests and responses without each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplyCounts {
    pub(crate) unanswered: u64,
    pub(crate) unasked: u64,
}

/// Keeps a record that is a request or a response; `put` takes the values they share and its fields.
pub(crate) fn keep_reply(
    mapping: &Mapping,
    (file, record): (u32, &Record<'_>),
    SpanBuffer { trace, fields }: &mut SpanBuffer,
    put: impl FnOnce(&[u8], &StoredEvent<'_>),
) -> KeptReply {
    let Some(replies) = mapping.replies() else { return KeptReply::No };
    let role = if record.patterns().is_read() { replies.role(record) } else { None };
    let Some(role) = role else { return KeptReply::No };
    replies.write_key(record, role, trace);
    fields.clear();
    write_fields(mapping, record, fields);
    let (place, kind) = (record.place(), StoredKind::Span(fields));
    put(trace.as_bytes(), &StoredEvent { file, place, order: None, kind });
    match role {
        ReplyRole::Request => KeptReply::Request,
        ReplyRole::Response => KeptReply::Response,
    }
}

/// One request or response.
struct Message<'g> {
    number: u64,
    fields: StoredFields<'g>,
    /// Its first event.
    event: Option<(String, ActionKind)>,
    order: Option<OrderKey>,
}

/// Calls a function with each response of an id: its number, that of its file, and its record with the fields of its
/// request.
pub(crate) fn each_reply(
    mapping: &Mapping,
    (replies, falls): (&Replies, &dyn Fn(u32) -> bool),
    group: &Grouped,
    mut each: impl FnMut(u64, u32, &Record<'_>),
) -> ReplyCounts {
    let (mut values, mut events) = (Values::default(), Events::default());
    let (mut requests, mut responses) = (Vec::new(), Vec::new());
    for (number, content) in group.records() {
        let Some(fields) = StoredFields::read(content, mapping.fields().len()) else { continue };
        fields.fill(&mut values);
        let role = replies.role(&values.record("", fields.place));
        let mut message = Message { number, fields, event: None, order: None };
        if role == Some(ReplyRole::Request) {
            message.look(mapping, &values, &mut events);
            requests.push(message);
            continue;
        }
        message.fill(replies, None, FieldSet::default(), &mut values);
        let StoredFields { file, place, .. } = message.fields;
        let record = values.record("", place);
        match mapping.leaves_out(replies, &record) {
            true => each(number, file, &record),
            false => responses.push(message),
        }
    }
    let values_of_pairs = Values::default();
    let mut pairs =
        Pairs { mapping, replies, falls, is_turned: false, values: values_of_pairs, events };
    for response in &mut responses {
        pairs.look(requests.last(), response);
    }
    pairs.see_turn(&mut requests, &mut responses);
    let answered = pairs.answered(&requests, &mut responses);
    let unknown = pairs.unknown(&requests, &mut responses, &answered);
    let mut counts = ReplyCounts::default();
    for (at, (response, answer)) in responses.iter().zip(&answered).enumerate() {
        let request = answer.and_then(|at| requests.get(at));
        counts.unasked += u64::from(request.is_none());
        response.fill(replies, request, unknown[at], &mut values);
        let StoredFields { file, place, .. } = response.fields;
        each(response.number, file, &values.record("", place));
    }
    let is_answered = |at: usize, request: &Message<'_>| {
        let is_elsewhere = |it: &Message<'_>| request.fits(it) && !request.is_at_lifeline_of(it);
        answered.contains(&Some(at)) || responses.iter().any(is_elsewhere)
    };
    let open = requests.iter().enumerate().filter(|(at, request)| !is_answered(*at, request));
    counts.unanswered = open.count() as u64;
    counts
}

/// For each request that is answered, by its number, the order of the first response that answers it.
fn first_answers(
    requests: &[Message<'_>],
    responses: &[Message<'_>],
    answered: &[Option<usize>],
) -> HashMap<u64, Option<OrderKey>> {
    let mut first = HashMap::new();
    for (response, answer) in responses.iter().zip(answered) {
        let Some(request) = answer.and_then(|at| requests.get(at)) else { continue };
        let known = first.entry(request.number).or_insert(response.order);
        *known = response.order.min(*known);
    }
    first
}

/// Finds the request that each response answers.
struct Pairs<'m> {
    mapping: &'m Mapping,
    replies: &'m Replies,
    /// Which files do not tell the order of records of equal times, such as those that have their newest record first.
    falls: &'m dyn Fn(u32) -> bool,
    /// Whether another day or year may have begun between the messages: their times lack it, so they tell no order.
    is_turned: bool,
    values: Values,
    events: Events,
}

impl Pairs<'_> {
    /// Where another day or year may begin between messages, their order is that of the input.
    fn see_turn<'g>(&mut self, requests: &mut [Message<'g>], responses: &mut [Message<'g>]) {
        if !self.mapping.has_partial_times() {
            return;
        }
        let mut all: Vec<&mut Message<'g>> = requests.iter_mut().chain(responses).collect();
        all.sort_by_key(|it| it.number);
        self.is_turned = turn(false, all.iter().map(|it| (it.fields.file, it.order, ()))).is_some();
        all.into_iter().filter(|_| self.is_turned).for_each(|it| it.order = None);
    }

    fn answered(
        &mut self,
        requests: &[Message<'_>],
        responses: &mut [Message<'_>],
    ) -> Vec<Option<usize>> {
        let mut answered = vec![None; responses.len()];
        let when = |message: &Message<'_>| (message.order, message.number);
        let sorted = |messages: &[Message<'_>]| {
            let mut sorted: Vec<usize> = (0..messages.len()).collect();
            sorted.sort_by_key(|at| when(&messages[*at]));
            sorted
        };
        let (by_time, in_turn) = (sorted(requests), sorted(responses));
        for same_lifeline in [true, false] {
            let mut is_used = vec![false; requests.len()];
            for &at in in_turn.iter().filter(|at| answered[**at].is_none()).collect::<Vec<_>>() {
                let response = &mut responses[at];
                let before = by_time.partition_point(|it| when(&requests[*it]) <= when(response));
                // From the last one before it backwards, then those whose order is not known.
                let backwards = by_time[..before].iter().rev().chain(&by_time[before..]);
                let mut found = None;
                let may_answer = |it: &&usize| self.replies.has_many || !is_used[**it];
                for &it in backwards.filter(may_answer) {
                    let request = &requests[it];
                    let is_before = request.is_before(response);
                    let may_be = is_before != Some(false)
                        && self.fits(request, response)
                        && request.is_at_lifeline_of(response) == same_lifeline;
                    if may_be && is_before == Some(true) {
                        found = Some(it);
                        break;
                    }
                    if may_be {
                        // The first one that is not answered.
                        let rank = |at: &usize| (is_used[*at], *at);
                        found = found.into_iter().chain([it]).min_by_key(rank);
                    }
                }
                answered[at] = found;
                if let Some(request) = found {
                    is_used[request] = true;
                    self.look(Some(&requests[request]), response);
                }
            }
        }
        answered
    }

    /// For each response, the fields that are unknown because a request with another value fits as well as its own.
    fn unknown(
        &mut self,
        requests: &[Message<'_>],
        responses: &mut [Message<'_>],
        answered: &[Option<usize>],
    ) -> Vec<FieldSet> {
        // Mostly ids are used once.
        if requests.len() < 2 {
            return vec![FieldSet::default(); responses.len()];
        }
        let mut by_order: Vec<&Message<'_>> = requests.iter().collect();
        by_order.sort_by_key(|it| it.order);
        let mut of_each = Vec::with_capacity(responses.len());
        let first_answers = first_answers(requests, responses, answered);
        for (response, answer) in responses.iter_mut().zip(answered) {
            let (mut unknown, mut has_rivals) = (FieldSet::default(), false);
            if let Some(request) = answer.and_then(|at| requests.get(at)) {
                let is_free = |it: &Message<'_>| {
                    let first = first_answers.get(&it.number);
                    self.replies.has_many || first.is_none_or(|first| *first >= response.order)
                };
                let beside = request.beside(response, &by_order, self.falls, is_free);
                let rivals = request.rivals(response, &by_order, self.falls).chain(beside);
                for rival in rivals {
                    let is_other =
                        rival.order.map(OrderKey::kinds) != request.order.map(OrderKey::kinds);
                    let is_like = (is_other
                        || rival.is_before(response) == request.is_before(response))
                        && rival.is_at_lifeline_of(response) == request.is_at_lifeline_of(response);
                    if is_like && self.fits(rival, response) {
                        let asked = self.replies.fields().iter().map(|(_, theirs)| *theirs);
                        unknown.add_differing((&request.fields, &rival.fields), asked);
                    }
                    has_rivals |= is_like;
                }
                if has_rivals {
                    self.look(Some(request), response);
                }
            }
            of_each.push(unknown);
        }
        of_each
    }

    /// Looks at a response as an answer to a request.
    fn look(&mut self, request: Option<&Message<'_>>, response: &mut Message<'_>) {
        response.fill(self.replies, request, FieldSet::default(), &mut self.values);
        response.look(self.mapping, &self.values, &mut self.events);
        response.order = response.order.filter(|_| !self.is_turned);
    }

    fn fits(&mut self, request: &Message<'_>, response: &mut Message<'_>) -> bool {
        if self.mapping.places_by_request() {
            self.look(Some(request), response);
        }
        request.fits(response)
    }
}

impl Message<'_> {
    /// Fills in the fields of a response and of its request; some of the latter may be unknown.
    fn fill(
        &self,
        replies: &Replies,
        request: Option<&Message<'_>>,
        unknown: FieldSet,
        values: &mut Values,
    ) {
        self.fields.fill(values);
        let (field, reply) = replies.reply(&values.record("", self.fields.place));
        if let Some(request) = request {
            for (place, (field, theirs)) in replies.fields().iter().enumerate() {
                request.fields.lend_unless(unknown.has(place), (*theirs, *field), values);
            }
        }
        if !values.is_set(field) {
            values.set_text(field, reply);
        }
    }

    /// Looks at its first event.
    fn look(&mut self, mapping: &Mapping, values: &Values, events: &mut Events) {
        events.clear();
        mapping.map_anyway(&values.record("", self.fields.place), events);
        let first = events.iter().next();
        self.order = first.and_then(|event| event.order);
        self.event = first.map(|event| (event.lifeline.to_owned(), event.kind));
    }

    fn is_at_lifeline_of(&self, other: &Message<'_>) -> bool {
        match (&self.event, &other.event) {
            (Some((one, _)), Some((other, _))) => one == other,
            _ => true,
        }
    }

    /// Whether a response may answer it by its direction: at the lifeline of the request another one, elsewhere the same.
    fn fits(&self, response: &Message<'_>) -> bool {
        match (&self.event, &response.event) {
            (Some((one, sent)), Some((other, got))) => (one == other) == (sent != got),
            _ => true,
        }
    }

    /// The other requests that may come before or behind this one, which a response answers: those of other files, of its own
    /// one where the newest record stands first, and where numbers and times tell no order.
    fn rivals<'r, 'g>(
        &'r self,
        response: &Message<'_>,
        by_order: &'r [&'r Message<'g>],
        falls: &'r dyn Fn(u32) -> bool,
    ) -> impl Iterator<Item = &'r Message<'g>> + use<'r, 'g> {
        let kinds = |it: &Message<'_>| it.order.map(OrderKey::kinds);
        let ends = by_order.first().zip(by_order.last());
        let is_mixed = ends.is_some_and(|(first, last)| kinds(first) != kinds(last));
        let is_other = kinds(self) != kinds(response);
        let all = match (self.order, self.is_before(response)) {
            _ if is_mixed => by_order,
            (_, None) => by_order,
            (None, Some(_)) => &[],
            (order, Some(_)) => {
                let start = by_order.partition_point(|it| it.order < order);
                let behind = by_order.partition_point(|it| it.order <= order);
                &by_order[start..behind]
            }
        };
        let is_rival = move |it: &&Message<'_>| match (self.order, it.order) {
            _ if it.number == self.number => false,
            (Some(one), Some(other)) if one.kinds() != other.kinds() || is_other => true,
            (Some(one), Some(other)) if is_mixed && one != other => false,
            (Some(_), _) if falls(self.fields.file) => true,
            _ => it.fields.file != self.fields.file,
        };
        all.iter().copied().filter(is_rival)
    }

    /// The requests that may be the last one before a response as well as this one, which it answers, since a request of another
    /// file has the order of the response, and may come before or behind it: such requests, or, if this is one, the last free
    /// ones of those that come before in any case.
    fn beside<'r, 'g>(
        &self,
        response: &Message<'_>,
        by_order: &'r [&'r Message<'g>],
        falls: &dyn Fn(u32) -> bool,
        is_free: impl Fn(&Message<'_>) -> bool,
    ) -> Vec<&'r Message<'g>> {
        let (now, own, file) = (response.order, self.order, response.fields.file);
        if now.is_none() || now.map(OrderKey::kinds) != own.map(OrderKey::kinds) {
            return Vec::new();
        }
        let is_apart = |it: &Message<'_>| it.fields.file != file || falls(file);
        let start = by_order.partition_point(|it| it.order < now);
        let behind = by_order.partition_point(|it| it.order <= now);
        let equal = &by_order[start..behind];
        if own < now {
            return equal.iter().copied().filter(|it| is_apart(it)).collect();
        }
        // One that comes before in its own file is later than those with another order.
        let is_known = |it: &&Message<'_>| !is_apart(it) && it.number < response.number;
        if !is_apart(self) || equal.iter().any(is_known) {
            return Vec::new();
        }
        let is_here = self.is_at_lifeline_of(response);
        let is_like = |it: &&Message<'_>| it.is_at_lifeline_of(response) == is_here && is_free(it);
        let mut before = by_order[..start].iter().rev().copied().filter(is_like).peekable();
        let last = before.peek().and_then(|it| it.order);
        before.take_while(|it| it.order == last).collect()
    }

    /// Whether it comes before a response, if that is known.
    fn is_before(&self, response: &Message<'_>) -> Option<bool> {
        match (self.order, response.order) {
            // Numbers and times tell no order, and clocks of two lifelines may differ.
            (Some(one), Some(other)) if one.kinds() != other.kinds() => None,
            (Some(one), Some(other)) => {
                (self.is_at_lifeline_of(response) || one <= other).then_some(one <= other)
            }
            _ if self.fields.file == response.fields.file => Some(self.number < response.number),
            _ => None,
        }
    }
}
