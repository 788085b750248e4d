//! A proposal whose questions are answered by the lines below them, for the tests of the library and of the command line.

pub(crate) fn answered(proposal: &str) -> String {
    let keys = [
        "session = ",
        "lifeline = ",
        "direction = ",
        "message = ",
        "ties = ",
        "[[rule]]",
        "actions = ",
    ];
    let is_open = |line: &&str| *line != "order = []";
    let answer = |line: &str| {
        let answer =
            line.strip_prefix("# ").filter(|it| keys.iter().any(|key| it.starts_with(key)));
        answer.unwrap_or(line).to_owned() + "\n"
    };
    // The lines of spans that are left out are choices, not answers.
    let is_of_spans = proposal.lines().any(|line| line == "[spans]");
    if is_of_spans {
        proposal.to_owned()
    } else {
        proposal.lines().filter(is_open).map(answer).collect()
    }
}
