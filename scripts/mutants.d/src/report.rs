//! What a run prints in the end.

use crate::results::Outcome;

/// What became of the mutants of a crate, which come with their names.
pub fn report(package: &str, outcomes: &[(String, Outcome)]) {
    let count = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|(_, it)| is(it)).count();
    let unviable = count(&|it| *it == Outcome::Unviable);
    let fixed = count(&|it| matches!(it, Outcome::Fixed(_)));
    let own = count(&|it| matches!(it, Outcome::Caught { by_own: true, .. }));
    let others = count(&|it| matches!(it, Outcome::Caught { by_own: false, .. }));
    let late = count(&|it| matches!(it, Outcome::TimedOut { .. }));
    let survived = count(&|it| matches!(it, Outcome::Survived { .. }));
    let caught = own + others + late;
    println!(
        "== {package}: {} mutants, {unviable} not viable, {fixed} not to be chosen at run time; caught by its tests {own}, by \
         others {others}, timed out {late}; survived {survived}; score {:.1} %",
        outcomes.len(),
        100.0 * caught as f64 / (caught + survived).max(1) as f64
    );
    for (name, outcome) in outcomes {
        match outcome {
            Outcome::Survived { .. } => println!("survived: {name}"),
            Outcome::Fixed(why) => println!("not tried, {why}: {name}"),
            _ => {}
        }
    }
}
