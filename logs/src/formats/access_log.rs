//! Access logs of web servers, as Apache and nginx write them: the common and the combined format.
//!
//! ```text
//! 127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "http://b/" "Mozilla/4"
//! ```

use super::context::InputContext;
use super::frames::{Frame, Lines};
use super::line_cursor::{LineCursor, LineFields, LineValues, sign_of_lines, unless_dash};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, each_record};
use crate::error::EventError;
use multitrace_formats::source::{Diagnostic, Span};
use std::ops::Range;

pub(crate) struct AccessLog;

/// The fields, in the order in which [`parse`] returns their values.
const NAMES: [&str; 13] = [
    "client", "ident", "user", "time", "request", "method", "path", "protocol", "status", "bytes",
    "referer", "agent", "rest",
];

impl LogFormat for AccessLog {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        sign_of_lines(head, Sign::Syntax, |line| parse(line).is_ok())
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = Requests(LineFields::new(NAMES, &opening.context.fields));
        opening.parsed(Lines, parser)
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        let names = NAMES.map(str::to_owned).to_vec();
        Ok(Proposal::Fields { names, delimiter: None })
    }
}

struct Requests(LineFields<{ NAMES.len() }>);

impl FrameParser for Requests {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        each_record(context, frame, Lines, each, |line, values| {
            self.0.set(parse(line)?, values);
            Ok(())
        });
    }
}

/// Where the values of a line are.
fn parse(line: &str) -> Result<LineValues<{ NAMES.len() }>, Diagnostic> {
    let mut cursor = LineCursor::new(line);
    let some = |range| unless_dash(line, range);
    let client = cursor.cell("the address of the client").map_err(with_help)?;
    let ident = cursor.cell("the identity of the client, or `-`").map_err(with_help)?;
    let user = cursor.until(" [", "the user, and a time in brackets").map_err(with_help)?;
    // The name of a user may have spaces in it. But where the second word is an identity other than `-`, a host stands before
    // the client, or there are several clients.
    if line[user.clone()].contains(' ') && &line[ident.clone()] != "-" {
        let message = "expected three words before the time: the client, its identity and the user";
        let span = Span::new(client.start, user.end);
        return Err(with_help(Diagnostic::new(span, message.to_owned(), "")));
    }
    let time = cursor.until("] ", "the end of the time, `]`").map_err(with_help)?;
    let request = quoted(&mut cursor, "the request in quotes").map_err(with_help)?;
    cursor.expect(" ", "a space").map_err(with_help)?;
    let status = cursor.cell("the status").map_err(with_help)?;
    let bytes = cursor.word("the number of bytes, or `-`").map_err(with_help)?;
    // A quote in the request that is not escaped ends it too early.
    for (range, what) in [(&status, "the status"), (&bytes, "the number of bytes")] {
        let text = &line[range.clone()];
        if text != "-" && !text.bytes().all(|byte| byte.is_ascii_digit()) {
            let span = Span::new(range.start, range.end);
            let message = format!("expected {what} behind the request, or `-`");
            return Err(with_help(Diagnostic::new(span, message, "")));
        }
    }
    let [referer, agent] = referer_and_agent(&mut cursor).map_err(with_help)?;
    cursor.spaces();
    let rest = cursor.take_rest();
    let [method, path, protocol] = parts_of_request(line, &request);
    Ok([
        some(client),
        some(ident),
        some(user),
        some(time),
        some(request),
        method,
        path,
        protocol,
        some(status),
        some(bytes),
        referer.and_then(some),
        agent.and_then(some),
        (!rest.is_empty()).then_some(rest),
    ])
}

fn with_help(error: Diagnostic) -> Diagnostic {
    error.with_help(
        "a line is: client ident user [time] \"request\" status bytes \"referer\" \"agent\", the last \
         two maybe left out; other formats are read by `patterns`",
    )
}

/// The two fields that the combined format has more than the common one.
fn referer_and_agent(cursor: &mut LineCursor<'_>) -> Result<[Option<Range<usize>>; 2], Diagnostic> {
    if !cursor.rest().starts_with(" \"") {
        return Ok([None, None]);
    }
    cursor.spaces();
    let referer = quoted(cursor, "the referer in quotes")?;
    cursor.expect(" ", "a space")?;
    let agent = quoted(cursor, "the agent in quotes")?;
    Ok([Some(referer), Some(agent)])
}

/// A text in quotes, as it is written: a backslash before a quote stays.
fn quoted(cursor: &mut LineCursor<'_>, what: &str) -> Result<Range<usize>, Diagnostic> {
    cursor.expect("\"", what)?;
    let mut is_escaped = false;
    let length = cursor.rest().bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    let Some(length) = length else { return Err(cursor.expected("a closing quote")) };
    let inside = cursor.skip(length);
    cursor.skip(1);
    Ok(inside)
}

/// Method, path and protocol. Servers log whatever was sent to them, so a request may have none.
fn parts_of_request(line: &str, request: &Range<usize>) -> [Option<Range<usize>>; 3] {
    let text = &line[request.clone()];
    let Some(first) = text.find(' ') else { return [None, None, None] };
    let is_method = text[..first].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    if first == 0 || !is_method {
        return [None, None, None];
    }
    let last = text.rfind(' ').filter(|at| *at > first && text[at + 1..].starts_with("HTTP/"));
    let at = |range: Range<usize>| Some(request.start + range.start..request.start + range.end);
    let path = first + 1..last.unwrap_or(text.len());
    [at(0..first), at(path), last.and_then(|last| at(last + 1..text.len()))]
}
