//! Pages that show a command and its output.

/// Digits after words whose numbers differ from run to run become one.
pub fn without_times(line: &str) -> String {
    let mut line = line.to_owned();
    for (before, after) in [
        (") in ", " s"),
        ("time=\"", "\""),
        ("\"seconds\":", ",\"peak"),
        ("\"seconds\": ", ","),
        ("\"peak_bytes\":", "}"),
        ("\"peak_bytes\": ", "\n"),
    ] {
        if let Some(start) = line.find(before) {
            let start = start + before.len();
            let end = line[start..].find(after).map_or(line.len(), |at| start + at);
            line.replace_range(start..end, "0");
        }
    }
    line
}

/// The blocks that show a command and its output.
pub fn shown(page: &str) -> Vec<(String, Vec<String>)> {
    let blocks = page.split("```console\n$ ").skip(1);
    let block = |text: &str| {
        let (block, _) = text.split_once("\n```").expect("the block ends");
        let (command, output) = block.split_once('\n').expect("output after the command");
        (command.to_owned(), output.lines().map(without_times).collect())
    };
    blocks.map(block).collect()
}

/// Whether the lines are there in order; `...` stands for any number of others.
pub fn shows(shown: &[String], printed: &[String]) -> Result<(), String> {
    let mut rest = printed;
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    for (number, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
        let place = rest.windows(part.len()).position(|window| window == *part);
        match place {
            Some(place) if number > 0 || place == 0 || shown[0] == "..." => {
                rest = &rest[place + part.len()..];
            }
            _ => return Err(format!("not printed:\n{}", part.join("\n"))),
        }
    }
    let open = shown.last().is_some_and(|line| line == "...");
    if rest.is_empty() || open { Ok(()) } else { Err(format!("more is printed: {}", rest[0])) }
}
