//! Why a session was not decided, in words.

use multitrace_interaction::{Alphabet, InconclusiveReason, LocationId, Reached};

/// Why a session was not decided, as a sentence.
pub fn reason_text(reason: &InconclusiveReason, alphabet: &Alphabet) -> String {
    let fixed = match reason {
        InconclusiveReason::Budget { limit, reached } => {
            let reached = reached_text(reached, alphabet);
            return format!(
                "the search stopped at its budget of {limit}{reached}; try {}",
                limit.next_try()
            );
        }
        InconclusiveReason::Partial(locations) => {
            let names = location_names(locations, alphabet).join(", ");
            return format!("nothing was logged at {names}; the other logs fit");
        }
        InconclusiveReason::Simulation(nodes) => {
            return format!(
                "simulation stopped at its criterion: the unobserved actions of {nodes} states do not \
                 explain the logs"
            );
        }
        InconclusiveReason::Removal => {
            "the chosen method of the papers found no fault, which does not prove that the session is right"
        }
        InconclusiveReason::CutOff => "an event log was cut off; the logs fit as far as they go",
        InconclusiveReason::Damaged => {
            "records of the session could not be used, so that events are missing"
        }
        InconclusiveReason::LackOfObservation => {
            "lack of observation: some log ends where more of it might explain the others"
        }
    };
    fixed.to_owned()
}

/// The names of locations.
pub(crate) fn location_names(locations: &[LocationId], alphabet: &Alphabet) -> Vec<String> {
    locations.iter().map(|&location| alphabet.location_name(location).to_owned()).collect()
}

/// How many events were read, in all and at the first locations.
fn reached_text(reached: &[Reached], alphabet: &Alphabet) -> String {
    // A reason is a sentence.
    const NAMED: usize = 4;
    if reached.is_empty() {
        return String::new();
    }
    let read: usize = reached.iter().map(|it| it.read).sum();
    let length: usize = reached.iter().map(|it| it.length).sum();
    let at = |it: &Reached| {
        format!("{} of {} at {}", it.read, it.length, alphabet.location_name(it.location))
    };
    let named: Vec<String> = reached.iter().take(NAMED).map(at).collect();
    let more = match reached.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more locations"),
    };
    format!("; it read {read} of {length} events together: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::{BudgetLimit, Id};

    #[test]
    fn a_spent_budget_says_how_far_the_search_got() {
        let mut alphabet = Alphabet::default();
        for index in 0..6 {
            alphabet.add_location(&format!("l{index}")).expect("a new name");
        }
        let of = |count| {
            let reached =
                |index| Reached { location: LocationId::new(index), read: index, length: 9 };
            let (limit, reached) = (BudgetLimit::States(5), (0..count).map(reached).collect());
            reason_text(&InconclusiveReason::Budget { limit, reached }, &alphabet)
        };
        assert_eq!(of(0), "the search stopped at its budget of 5 states; try 20 states");
        assert_eq!(
            of(2),
            "the search stopped at its budget of 5 states; it read 1 of 18 events together: \
             0 of 9 at l0, 1 of 9 at l1; try 20 states"
        );
        assert!(of(4).contains("2 of 9 at l2, 3 of 9 at l3; try"));
        assert!(of(6).contains("3 of 9 at l3, and 2 more locations; try"));
    }
}
