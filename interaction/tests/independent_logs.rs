//! Logs that are shown to be independent, against the multi-traces of the denotations.

use multitrace_interaction::{
    Id, Interaction, LocationId, Locations, WorkLimit, has_independent_logs,
};
use multitrace_testing::denotations::{any_interaction, any_locations, language, project};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// The most actions of a trace.
const MOST: usize = 5;

fn is_shown(interaction: &Interaction, locations: &Locations) -> bool {
    has_independent_logs(interaction, locations, &mut WorkLimit::work(1_000_000))
}

/// Any log of an accepted trace may stand in the place of that of another one.
#[test]
fn where_logs_are_independent_all_their_combinations_are_accepted() {
    let (shown, exchanged) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(multitrace_testing::cases(600));
    let outcome = runner.run(&(any_interaction(), any_locations()), |(interaction, locations)| {
        if !is_shown(&interaction, &locations) {
            return Ok(());
        }
        shown.set(shown.get() + 1);
        let traces = project(&language(&interaction, MOST), &locations);
        for (one, other) in traces.iter().flat_map(|it| traces.iter().map(move |other| (it, other)))
        {
            for at in 0..locations.len() {
                let mut mixed = one.clone();
                mixed[at].clone_from(&other[at]);
                if mixed.iter().map(Vec::len).sum::<usize>() <= MOST {
                    exchanged.set(exchanged.get() + usize::from(mixed != *one));
                    prop_assert!(traces.contains(&mixed), "{mixed:?}");
                }
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(shown.get() > 100 && exchanged.get() > 1_000, "{shown:?}, {exchanged:?}");
}

/// The logs of a location are among those of the interaction without the events of others, and are these where they are independent.
#[test]
fn the_logs_of_a_location_are_those_of_its_own_events() {
    let mut runner = TestRunner::new(multitrace_testing::cases(300));
    let outcome = runner.run(&(any_interaction(), any_locations()), |(interaction, locations)| {
        let traces = project(&language(&interaction, MOST), &locations);
        for at in 0..locations.len() {
            let lifelines = locations.lifelines(LocationId::new(at)).iter().copied().collect();
            let own = language(&interaction.at_lifelines(&lifelines), MOST);
            let own = project(&own, &locations);
            for trace in &traces {
                prop_assert!(own.iter().any(|it| it[at] == trace[at]), "{trace:?}");
            }
            // With nothing at the other locations, each of them is a trace of at most as many events.
            let has_all = traces.iter().any(|it| it.iter().all(Vec::is_empty));
            if has_all && is_shown(&interaction, &locations) {
                prop_assert!(own.iter().all(|it| traces.contains(it)), "{own:?}");
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
