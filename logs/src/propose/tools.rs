//! Logs of tools, recognised by the words that they write, and the mappings that there are for them.

use super::asking::ask;
use super::values::toml_text;
use crate::format::Format;
use crate::mapping::Mapping;
use crate::survey::Survey;

/// Presets, each with words that the beginning of its logs has. The first that fits counts.
const WORDS: &[(&str, &[&str])] = &[
    ("jaeger", &["\"traceID\"", "\"spans\"", "\"processes\"", "\"operationName\""]),
    ("xray", &["\"Traces\"", "\"Segments\"", "\"Document\""]),
    ("har", &["\"log\"", "\"entries\"", "\"startedDateTime\""]),
    ("cloudtrail", &["\"Records\"", "\"eventSource\"", "\"eventName\""]),
    ("k8s-audit", &["\"auditID\"", "\"requestURI\"", "\"stage\""]),
    ("tshark", &["\"layers\"", "\"frame"]),
    ("lsp", &["Content-Length:", "\"jsonrpc\""]),
    ("lsp", &["[Trace - ", "Sending request"]),
    ("mcp", &["\"jsonrpc\"", "\"tools/"]),
    ("mcp", &["\"jsonrpc\"", "\"notifications/initialized\""]),
    ("a2a", &["\"jsonrpc\"", "\"message/s"]),
    ("json-rpc", &["\"jsonrpc\""]),
    ("genai", &["\"resourceSpans\"", "gen_ai.operation.name"]),
    ("tempo", &["\"batches\"", "\"resource\"", "\"spans\""]),
    ("tempo", &["{\"trace\":{\"resourceSpans\":"]),
    ("datadog", &["\"start_timestamp\"", "\"resource_name\"", "\"span_id\""]),
    ("ocpp", &["[2,\"", "\"BootNotification\"", ": receive"]),
    ("ocpp", &["[2,\"", ": send [", ": receive"]),
];

/// Presets that tell no session: the mapping asks for the parts that they leave to their users.
const LINES_OF_TEXT: &[(&str, &[&str])] = &[
    ("journald", &["\"__REALTIME_TIMESTAMP\"", "\"MESSAGE\""]),
    ("docker", &["\"log\":", "\"stream\":\"std"]),
];

/// A mapping for logs of a tool; `None` for others.
pub(super) fn proposal(survey: &Survey) -> Option<String> {
    let find = |presets: &[(&'static str, &[&str])]| {
        let has_all = |words: &[&str]| words.iter().all(|word| survey.lines.contains(word));
        presets.iter().find(|(_, words)| has_all(words)).map(|(name, _)| *name)
    };
    if matches!(survey.format, Format::OtlpJson) && !survey.lines.contains("pans\"") {
        return Some(OF_LOG_RECORDS.to_owned());
    }
    if let Some(text) = of_fix(survey) {
        return Some(text);
    }
    // The presets read messages that are records, not those inside of records.
    if let Some(name) = find(WORDS).filter(|_| calls(survey).is_none()) {
        let more = if name == "tshark" { of_packets(survey) } else { String::new() };
        return Some(format!(
            "# This looks like a log of {name}. The format stands for a whole mapping, the preset of that name; what stands here\n\
             # counts before it.\n[input]\nformat = \"{name}\"\n{more}"
        ));
    }
    let name = find(LINES_OF_TEXT)?;
    let (comments, keys): (Vec<&str>, Vec<&str>) =
        Mapping::preset(name)?.lines().partition(|line| line.starts_with('#'));
    let questions: Vec<&str> = comments
        .into_iter()
        .filter(|line| line.starts_with("#   ") && line.contains('='))
        .collect();
    let questions = questions.join("\n").replace("#   ", "# ");
    let hosts = survey.samples.iter().find(|sample| sample.path == "_HOSTNAME");
    let has_hosts = hosts.is_some_and(|sample| sample.distinct().len() > 1);
    let keys = keys.join("\n");
    let keys = match has_hosts {
        true => keys.replace(OF_UNITS, "lifeline = \"_HOSTNAME\""),
        false => keys,
    };
    Some(format!(
        "# This looks like a log of {name}. What its texts say is yours to add: which part of them is the session, whether\n\
         # something was sent or received, and what. Change the patterns below and take away the marks before them.\n\
         {keys}\n# session? direction? message? A part of the text says each of them.\n{questions}\n"
    ))
}

/// The path in the records at which messages of JSON-RPC stand, if these are parts of records.
pub(super) fn calls(survey: &Survey) -> Option<String> {
    const MARK: &str = "jsonrpc";
    let mut paths = survey.samples.iter().map(|sample| sample.path.as_str());
    if paths.clone().any(|path| path == MARK) {
        return None;
    }
    let inside = paths.find_map(|path| path.strip_suffix(MARK)?.strip_suffix('.'));
    let has_text = |value: &str| value.starts_with('{') && value.contains("\"jsonrpc\"");
    let in_text = || survey.samples.iter().find(|sample| sample.present().any(has_text));
    inside.map(str::to_owned).or_else(|| Some(format!("{}|json", in_text()?.path)))
}

/// Messages of FIX: pairs of numbers and values, with a sign between them that the first pair tells.
fn of_fix(survey: &Survey) -> Option<String> {
    let (_, behind) = survey.lines.split_once("8=FIX")?;
    let version = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '.')?;
    let (delimiter, _) = behind[version..].split_once("9=").filter(|it| it.0.len() <= 2)?;
    let has = |tag: &str| survey.lines.contains(&format!("{delimiter}{tag}="));
    let session = match has("11") {
        true => "# ClOrdID, the order of the client; 37 is that of the broker\nsession = \"11\"",
        false => "# session? Which tag names the run of the system?\n# session = \"37\"",
    };
    let mut text = format!(
        "# This looks like a log of FIX, whose numbers are its tags.\n[input]\nformat = \"logfmt\"\ndelimiter = {}\n\n\
         [event]\n{session}\n# SenderCompID: each message counts where it was sent\nlifeline = \"49\"\n\
         direction = \"emission\"\n# MsgType\nmessage = \"35\"\n",
        toml_text(delimiter)
    );
    if has("52") {
        text.push_str("# SendingTime\norder = { field = \"52\", format = \"%Y%m%d-%H:%M:%S%.f\" }\nties = \"file\"\n");
    }
    Some(text)
}

/// The parts that the preset lacks for packets without their protocols, as `tshark -j` leaves them.
fn of_packets(survey: &Survey) -> String {
    let mut text = String::new();
    if survey.lines.contains("frame.protocols\"") || survey.lines.contains("frame_protocols\"") {
        return text;
    }
    let message = survey.message(&[]).best();
    let path = message.map_or("FIELD", |sample| &sample.path);
    let [from, to] = match survey.lines.contains("\"ip_ip_src\"") {
        true => ["layers.ip.ip_ip_src", "layers.ip.ip_ip_dst"],
        false => [r#""_source".layers.ip."ip.src""#, r#""_source".layers.ip."ip.dst""#],
    };
    let actions = [(from, '!'), (to, '?')];
    let actions = actions.map(|(end, mark)| toml_text(&format!("{{{end}}}{mark}{{{path}}}")));
    let why = "No packet names its protocols (frame.protocols). Which field says what was sent?";
    let likely = message.map(|sample| survey.why(sample));
    let rule = format!("[[rule]]\n# actions = [{}]", actions.join(", "));
    ask(&mut text, "message", why, likely, &rule);
    text
}

/// The lifeline of a record in the journal of one machine.
const OF_UNITS: &str = "lifeline = [\"SYSLOG_IDENTIFIER\", \"_COMM\"]";

const OF_LOG_RECORDS: &str = "# Log records of OpenTelemetry.
[input]
format = \"otlp-json\"

[event]
# trace_id: that of the span in which it was logged
session = \"trace_id\"
lifeline = \"resource.service.name\"
order = \"log.time\"
ties = \"file\"
# message? `log.event_name` if your records have it, a part of the text, or an attribute, attributes.NAME
# message = { field = \"log.body\", match = '\\w+' }
# direction? Which part of a record says whether something was sent or received?
# direction = { field = \"log.body\", emission = \"/^send/\", reception = \"/^recv/\" }
";
