//! Logs of tools, recognised by the words that they write, and the mappings that there are for them.

use super::asking::ask;
use super::guesses::MOST_LIFELINES;
use super::security;
use super::trial;
use super::values::toml_text;
use crate::format::Format;
use crate::mapping::Mapping;
use crate::survey::{FieldSample, Survey};
use std::cmp::Reverse;

/// Presets, each with words that the beginning of its logs has. The first that fits counts.
const WORDS: &[(&str, &[&str])] = &[
    ("jaeger", &["\"traceID\"", "\"spans\"", "\"processes\"", "\"operationName\""]),
    ("xray", &["\"Traces\"", "\"Segments\"", "\"Document\""]),
    ("har", &["\"log\"", "\"entries\"", "\"startedDateTime\""]),
    ("cloudtrail", &["\"awsRegion\"", "\"eventSource\"", "\"eventName\""]),
    ("cloudtrail", &["\"Records\"", "\"eventSource\"", "\"eventName\""]),
    ("k8s-audit", &["\"auditID\"", "\"requestURI\"", "\"stage\""]),
    ("tshark", &["\"layers\"", "\"frame"]),
    ("lsp", &["Content-Length:", "\"jsonrpc\""]),
    ("lsp", &["[Trace - ", "Sending request"]),
    ("lsp", &["> {", "\"jsonrpc\"", "\"textDocument/"]),
    ("lsp", &["> {", "\"jsonrpc\"", "\"shutdown\""]),
    ("mcp", &["\"jsonrpc\"", "\"tools/"]),
    ("mcp", &["\"jsonrpc\"", "\"notifications/initialized\""]),
    ("a2a", &["\"jsonrpc\"", "\"message/s"]),
    ("json-rpc", &["\"jsonrpc\""]),
    ("genai", &["\"resourceSpans\"", "gen_ai.operation.name"]),
    ("tempo", &["\"batches\"", "\"resource\"", "\"spans\""]),
    ("tempo", &["\"trace\"", "\"resourceSpans\"", "\"spans\""]),
    ("otlp", &["\"result\"", "\"resourceSpans\"", "\"spans\""]),
    ("datadog", &["\"start_timestamp\"", "\"resource_name\"", "\"span_id\""]),
    ("ocpp", &["[2,", "\"BootNotification\""]),
    ("ocpp", &["[2,", "\"StatusNotification\""]),
];

/// Where the records of a preset may stand: where it says, in the list of an API, or one after another.
const RECORDS: &[&str] = &["", "records = \"items[]\"\n", "records = []\n"];

/// Presets that tell no session: the mapping asks for the parts that they leave to their users.
const LINES_OF_TEXT: &[(&str, &[&str])] = &[
    ("journald", &["\"__REALTIME_TIMESTAMP\"", "\"MESSAGE\""]),
    ("docker", &["\"log\":", "\"stream\":\"std"]),
];

/// A mapping for logs of a tool; `None` for others.
pub(super) fn proposal(survey: &Survey) -> Option<String> {
    if matches!(survey.format, Format::OtlpJson) && !survey.lines.contains("pans\"") {
        return Some(OF_LOG_RECORDS.to_owned());
    }
    if let Some(text) = of_fix(survey) {
        return Some(text);
    }
    if let Some(text) = security::proposal(&survey.lines) {
        return Some(text);
    }
    if let Some(text) = of_preset(survey) {
        return Some(text);
    }
    let has_all = |words: &[&str]| words.iter().all(|word| survey.lines.contains(word));
    let (name, _) = LINES_OF_TEXT.iter().find(|(_, words)| has_all(words))?;
    let (comments, keys): (Vec<&str>, Vec<&str>) =
        Mapping::preset(name)?.lines().partition(|line| line.starts_with('#'));
    let questions: Vec<&str> = comments
        .into_iter()
        .filter(|line| line.starts_with("#   ") && line.contains('='))
        .collect();
    let (part, verbs) = (survey.part_id(), survey.verbs());
    let questions = questions.into_iter().map(|line| match &part {
        Some(part) if line.starts_with("#   session = ") => {
            format!("#   {}\n# session = {}", part.why(survey.records), part.value())
        }
        _ => match &verbs {
            Some(verbs) if line.starts_with("#   direction = ") => {
                format!("# {}", verbs.direction())
            }
            Some(verbs) if line.starts_with("#   message = ") => format!("# {}", verbs.message()),
            _ => line.replace("#   ", "# "),
        },
    });
    let questions = questions.collect::<Vec<_>>().join("\n");
    let hosts = survey.samples.iter().find(|sample| sample.path == "_HOSTNAME");
    let has_hosts = hosts.is_some_and(|sample| sample.distinct().len() > 1);
    // Programs also write each record over several lines.
    let keys = match survey.format {
        Format::Json => keys.join("\n").replace("\"json-lines\"", "\"json\""),
        _ => keys.join("\n"),
    };
    let has_key = |key: &str| survey.lines.contains(&format!("\"{key}\""));
    let keys = match has_hosts {
        true => keys.replace(OF_UNITS, "lifeline = \"_HOSTNAME\""),
        false if ["SYSLOG_IDENTIFIER", "_COMM"].into_iter().any(has_key) => keys,
        false if has_key("_SYSTEMD_UNIT") => keys.replace(OF_UNITS, "lifeline = \"_SYSTEMD_UNIT\""),
        false => keys.replace(OF_UNITS, WITHOUT_UNITS),
    };
    Some(format!(
        "# This looks like a log of {name}. Say which part of its texts is the session, whether\n\
         # something was sent or received, and what. Change the patterns below and take away the marks before them.\n\
         {keys}\n# session? direction? message? A part of the text says each of them.\n{questions}\n"
    ))
}

/// The first preset whose words the log has and that reads it; perhaps with records that stand elsewhere.
fn of_preset(survey: &Survey) -> Option<String> {
    let has_all = |words: &[&str]| words.iter().all(|word| survey.lines.contains(word));
    let fitting = WORDS.iter().filter(|(_, words)| has_all(words)).map(|(name, _)| *name);
    let mut all = fitting.flat_map(|name| RECORDS.iter().map(move |records| (name, records)));
    let text = |(name, records): (&str, &&str)| format!("[input]\nformat = \"{name}\"\n{records}");
    let more = |name: &str| if name == "tshark" { ANY_PACKET } else { "" };
    let reads = |it: &(&str, &&str)| trial::reads(&(text(*it) + more(it.0)), survey);
    let (name, records) = all.find(reads)?;
    let more = match name {
        "tshark" => of_packets(survey),
        _ if Mapping::preset(name).is_some_and(has_no_returns) => {
            format!("\n# {WITH_RETURNS}\n# [spans]\n# returns = true\n")
        }
        _ => String::new(),
    };
    Some(format!(
        "# This looks like a log of {name}. The format stands for a whole mapping, the preset of that name; keys here\n\
         # count before it.\n{}{more}",
        text((name, records))
    ))
}

/// Whether a preset reads spans, and makes no events of their ends.
fn has_no_returns(preset: &str) -> bool {
    preset.contains("\n[spans]\n") && !preset.contains("\nreturns")
}

/// What `returns` adds to spans.
pub(super) const WITH_RETURNS: &str =
    "Answers of servers, which clients get back, as messages of their own:";

/// An answer to the question for the message of packets.
const ANY_PACKET: &str =
    "[[rule]]\nwhen = { src = { exists = true } }\nactions = [\"{src}!packet\"]\n";

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
    // One character, or the words that stand for it where it is spelled: `^A`, `<SOH>`.
    const MOST: usize = 5;
    let (delimiter, _) = behind[version..].split_once("9=").filter(|it| it.0.len() <= MOST)?;
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
        // The numbers of messages say the order within a time.
        let time = "{ field = \"52\", format = \"%Y%m%d-%H:%M:%S%.f\" }";
        text.push_str(&match has("34") {
            true => format!("# SendingTime, then MsgSeqNum\norder = [{time}, \"34\"]\n"),
            false => format!("# SendingTime\norder = {time}\n"),
        });
    }
    if has("11") {
        // Logons and heartbeats have no order of a client.
        text.push_str(
            "\n[[drop]]\nname = \"messages of the connection\"\nwhen = { 35 = \"/^[0-5A]$/\" }\n",
        );
    }
    Some(text)
}

/// The question for the message of packets: the preset calls them after their protocols, and cannot where these are left out, as
/// `tshark -j` does.
fn of_packets(survey: &Survey) -> String {
    let has_protocols = ["frame.protocols\"", "frame_protocols\""];
    let why = match has_protocols.iter().any(|it| survey.lines.contains(it)) {
        true => "Packets are called after their protocols. Which field says what was sent?",
        false => "No packet names its protocols (frame.protocols). Which field says what was sent?",
    };
    // Below the layers of addresses and of transport.
    const OTHERS: &[&str] = &["frame", "eth", "ip", "ipv6", "tcp", "udp", "sll", "index"];
    let is_of_protocol = |sample: &&FieldSample| {
        let layer = sample.path.split_once("layers.").map(|(_, rest)| rest.split('.').next());
        layer.flatten().is_some_and(|layer| !OTHERS.contains(&layer))
    };
    let several = |sample: &&FieldSample| (2..=MOST_LIFELINES).contains(&sample.distinct().len());
    let mut likely: Vec<&FieldSample> =
        survey.samples.iter().filter(|it| is_of_protocol(it) && several(it)).collect();
    const KINDS: &[&str] = &["type", "opcode", "method", "code", "option.dhcp", "option_dhcp"];
    let is_kind = |it: &FieldSample| {
        let path = it.path.trim_end_matches('"');
        KINDS.iter().any(|end| path.ends_with(end))
    };
    likely.sort_by_key(|it| (!is_kind(it), Reverse(it.distinct().len())));
    let path = likely.first().map_or("FIELD", |sample| &sample.path);
    let actions = ["src", "dst"].into_iter().zip(['!', '?']);
    let actions: Vec<String> =
        actions.map(|(end, mark)| toml_text(&format!("{{{end}}}{mark}{{{path}}}"))).collect();
    let rule = format!("[[rule]]\n# actions = [{}]", actions.join(", "));
    let mut text = String::new();
    ask(&mut text, "message", why, likely.into_iter().map(|it| survey.why(it)), &rule);
    text
}

/// The lifeline of a record in the journal of one machine.
const OF_UNITS: &str = "lifeline = [\"SYSLOG_IDENTIFIER[0]\", \"_COMM[0]\"]";

/// The question where no field of the journal names a program.
const WITHOUT_UNITS: &str =
    "# lifeline? Which field names who logged an event? The name of the file, if each has its own.
# lifeline = \"@stem\"";

const OF_LOG_RECORDS: &str = "# Log records of OpenTelemetry.
[input]
format = \"otlp-json\"

[event]
# trace_id: that of the span in which it was logged
session = \"trace_id\"
lifeline = \"resource.service.name\"
order = \"log.time\"
# message? `log.event_name` if your records have it, a part of the text, or an attribute, attributes.NAME
# message = { field = \"log.body\", match = '\\w+' }
# direction? Which part of a record says whether something was sent or received?
# direction = { field = \"log.body\", emission = \"/^send/\", reception = \"/^recv/\" }
";
