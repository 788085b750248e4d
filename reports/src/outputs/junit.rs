//! JUnit XML, as Jenkins, GitLab and most others read it: one test case a group, and one that
//! stands for the sessions that conform. Names of test cases stay the same from run to run.
//!
//! A report has at most 1,000 cases of at most 20,000 bytes, so it stays under 30 MB.

use crate::codes::Code;
use crate::groups::FindingGroup;
use crate::outputs::{difference, logs};
use crate::paint::Paint;
use crate::run_report::{InputError, Level, Remark, ReportedGroup, RunReport, Standing};
use crate::text::counted;
use multitrace_formats::shorten::visible;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

/// Bytes of the name and the message of a case, when written: platforms show them in lists.
const MAX_MESSAGE: usize = 1_000;
/// Bytes of the text of a case, when written. 1,000 cases then stay under 30 MB, which GitLab
/// and Jenkins take.
const MAX_BODY: usize = 16_000;

/// The result of a test case, with its message and text.
struct CaseOutcome {
    element: &'static str,
    code: &'static str,
    message: String,
    body: String,
}

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let cases = cases(report);
    let count = |element| {
        let of = |(_, outcome): &&(String, CaseOutcome)| outcome.element == element;
        cases.iter().filter(of).count().to_string()
    };
    // One more case: the sessions that conform.
    let tests = (cases.len() + 1).to_string();
    let (failures, errors) = (count("failure"), count("error"));
    let unchecked = usize::from(report.summary.sessions == 0);
    let of = |(_, outcome): &&(String, CaseOutcome)| outcome.element == "skipped";
    let skipped = (cases.iter().filter(of).count() + unchecked).to_string();
    let time = format!("{:.3}", report.summary.seconds);
    let name = fit(&format!("multitrace {}", report.specification), MAX_MESSAGE);
    let common = [
        ("name", &*name),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
        ("time", &time),
    ];
    let suite = common.into_iter().chain([("skipped", &*skipped)]);
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuites").with_attributes(common).write_inner_content(|xml| {
        let suite = xml.create_element("testsuite").with_attributes(suite);
        suite.write_inner_content(|xml| write_suite(report, &cases, xml)).map(|_| ())
    })?;
    writeln!(out)
}

fn write_suite<W: Write>(
    report: &RunReport,
    cases: &[(String, CaseOutcome)],
    xml: &mut Writer<W>,
) -> io::Result<()> {
    write_properties(report, xml)?;
    let class = fit(&format!("multitrace.{}", report.specification), MAX_MESSAGE);
    let conform = [("classname", &*class), ("name", "sessions conform")];
    let conform = xml.create_element("testcase").with_attributes(conform);
    match report.summary.sessions {
        // A green case would say that something conforms.
        0 => conform.write_inner_content(|xml| {
            let skipped = xml.create_element("skipped");
            skipped.with_attribute(("message", "nothing was checked")).write_empty().map(|_| ())
        })?,
        _ => conform.write_empty()?,
    };
    for (name, outcome) in cases {
        let attributes = [("classname", &*class), ("name", &**name)];
        let case = xml.create_element("testcase").with_attributes(attributes);
        case.write_inner_content(|xml| {
            let attributes = [("type", outcome.code), ("message", &*outcome.message)];
            let element = xml.create_element(outcome.element).with_attributes(attributes);
            element.write_text_content(BytesText::new(&outcome.body)).map(|_| ())
        })?;
    }
    Ok(())
}

fn write_properties<W: Write>(report: &RunReport, xml: &mut Writer<W>) -> io::Result<()> {
    let summary = &report.summary;
    let counts = [
        ("sessions", summary.sessions),
        ("events", summary.events),
        ("pass", summary.pass),
        ("weak_pass", summary.weak_pass),
        ("fail", summary.fail),
        ("inconclusive", summary.inconclusive),
        ("errors", summary.errors),
    ];
    xml.create_element("properties").write_inner_content(|xml| {
        write_property("observation", report.observation, xml)?;
        let left_out = ("not_selected", summary.not_selected);
        let left_out = Some(left_out).filter(|(_, count)| *count > 0);
        let mut all = counts.into_iter().chain(left_out);
        all.try_for_each(|(name, count)| write_property(name, &count.to_string(), xml))
    })?;
    Ok(())
}

fn write_property<W: Write>(name: &str, value: &str, xml: &mut Writer<W>) -> io::Result<()> {
    xml.create_element("property")
        .with_attributes([("name", name), ("value", value)])
        .write_empty()?;
    Ok(())
}

/// All cases but the one that passes.
fn cases(report: &RunReport) -> Vec<(String, CaseOutcome)> {
    let groups = report.groups_and_news().map(|(group, is_new)| case(report, group, is_new));
    let errors = (!report.errors.is_empty()).then(|| errors_case(report));
    let remarks = report.remarks();
    let remarks = remarks.iter().enumerate().map(|(index, remark)| {
        let before = remarks[..index].iter().filter(|it| it.code == remark.code).count();
        let (name, outcome) = remark_case(report, remark.clone());
        // Names of cases differ.
        (if before == 0 { name } else { format!("{name} ({})", before + 1) }, outcome)
    });
    groups.chain(remarks).chain(errors).collect()
}

fn case(report: &RunReport, reported: &ReportedGroup, is_new: bool) -> (String, CaseOutcome) {
    let group = &reported.group;
    let code = group.finding.code.name();
    let fingerprint = reported.fingerprint.to_string();
    let name = format!(
        "{} [{}]",
        fit(&report.spelled(&format!("{code} {}", group.finding.title())), MAX_MESSAGE),
        &fingerprint[..8]
    );
    let is_failure = reported.standing == Standing::Violation;
    let excuse = match reported.excuse(report.words) {
        excuse if excuse.is_empty() => excuse,
        excuse => format!("{excuse}; "),
    };
    let count = counted(group.count, "session");
    let message = format!("{excuse}{count}: {}", reported.sentence(report.words));
    let outcome = CaseOutcome {
        element: if is_failure { "failure" } else { "skipped" },
        code,
        message: fit(&message, MAX_MESSAGE),
        body: fit(&body(report, reported, is_new), MAX_BODY),
    };
    (name, outcome)
}

fn body(report: &RunReport, reported: &ReportedGroup, is_new: bool) -> String {
    let group = &reported.group;
    let example = match is_new {
        true => example(report, group),
        false => format!("{}\n", logs::shown_above(group)),
    };
    let command = report.explain_command(group);
    format!(
        "{}\n{example}sessions: {}\nwhat to do: {}\n{command}\nfingerprint: {}\n",
        report.spelled(group.finding.code.title()),
        reported.members(),
        report.spelled(group.finding.code.remedy()),
        reported.fingerprint,
    )
}

/// A session with everything that went wrong in it.
fn example(report: &RunReport, group: &FindingGroup) -> String {
    let logs = logs::lines(&group.example, "  ", true, Paint::PLAIN);
    let fault = |(code, sentence): &(Code, String)| {
        format!("  {} {}\n", code.name(), report.spelled(sentence))
    };
    let faults: String = group.faults.iter().map(fault).collect();
    let repair = group.repair.as_ref();
    let repair =
        repair.map_or_else(String::new, |it| difference::lines(it, "", usize::MAX, Paint::PLAIN));
    format!("{}\n{logs}{faults}{repair}", logs::heading(group))
}

fn remark_case(report: &RunReport, remark: Remark) -> (String, CaseOutcome) {
    let Remark { code, level, message, .. } = remark;
    let outcome = CaseOutcome {
        element: if level == Level::Error { "failure" } else { "skipped" },
        code: code.name(),
        message: fit(&message, MAX_MESSAGE),
        body: format!("what to do: {}\n", report.spelled(code.remedy())),
    };
    (format!("{} {}", code.name(), report.spelled(code.title())), outcome)
}

fn errors_case(report: &RunReport) -> (String, CaseOutcome) {
    let line = |error: &InputError| format!("{}\n", super::concise::error_line(error));
    let count = counted(report.summary.errors, "input");
    let outcome = CaseOutcome {
        element: "error",
        code: report.errors.first().map_or("MT901", |error| error.code.name()),
        message: format!("{count} could not be checked"),
        body: fit(&report.errors.iter().map(line).collect::<String>(), MAX_BODY),
    };
    ("inputs can be read".to_owned(), outcome)
}

/// The start of a text that takes at most `most` bytes when written. Line ends stay, and characters that XML cannot
/// hold are written out.
fn fit(text: &str, most: usize) -> String {
    let mut fitting = String::new();
    let mut size = 0;
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            fitting.push('\n');
            size += 1;
        }
        for char in visible(line).chars() {
            size += written_bytes(char);
            if size > most {
                fitting.push_str("… (cut)");
                return fitting;
            }
            fitting.push(char);
        }
    }
    fitting
}

fn written_bytes(char: char) -> usize {
    match char {
        '&' | '<' | '>' | '"' | '\'' => 6,
        other => other.len_utf8(),
    }
}
