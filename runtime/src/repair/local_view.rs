//! The search automaton as one location sees it, which its costs are computed on.

use crate::monitor::Monitor;
use crate::monitor::local_classes::ClassTable;
use multitrace_interaction::{Id, LetterId, LocationId, StateId};

/// The search automaton as one location sees it: its classes, or all states if there are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalView<'a> {
    monitor: &'a Monitor,
    pub(crate) location: LocationId,
    table: Option<&'a ClassTable>,
}

impl<'a> LocalView<'a> {
    pub(crate) fn new(monitor: &'a Monitor, location: LocationId) -> LocalView<'a> {
        let table = monitor.classes().map(|classes| classes.table(location));
        LocalView { monitor, location, table }
    }

    /// How many classes there are.
    pub(crate) fn width(&self) -> usize {
        let states = || self.monitor.bundle().automaton().map_or(0, |it| it.search.state_count());
        self.table.map_or_else(states, |table| table.incoming.len())
    }

    /// The classes that may be the last: the final ones, or those from which others alone reach a final state.
    pub(crate) fn finals(&self) -> Vec<StateId> {
        let finals = || self.monitor.bundle().automaton().map(|it| it.search.finals().collect());
        self.table.map_or_else(|| finals().unwrap_or_default(), |table| table.finals.clone())
    }

    /// The letters that lead to a class, with their sources.
    #[inline]
    pub(crate) fn incoming(&self, class: StateId) -> &'a [(LetterId, StateId)] {
        match self.table {
            Some(table) => &table.incoming[class.index()],
            None => self.monitor.incoming(class),
        }
    }

    /// The sources and targets of the transitions that read an own letter.
    pub(crate) fn reading(&self, letter: LetterId) -> &'a [(StateId, StateId)] {
        match (self.table, self.monitor.column(self.location, letter)) {
            (Some(table), Some(column)) => &table.reading[column],
            _ => self.monitor.reading(letter),
        }
    }

    /// Whether the location logs a letter.
    #[inline]
    pub(crate) fn is_own(&self, letter: LetterId) -> bool {
        self.monitor.location_of(letter) == self.location
    }
}
