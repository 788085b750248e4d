//! One page for people, with pictures: the report of a run, to look at, search and print. It is whole by
//! itself: no other file, no network, no library.
//
// Text from logs stays text: the template escapes it, and the page allows no script but its own. Only
// pictures and style sheets, which are ours, are put in as they are.

mod charts;
mod content;
mod packed;

use crate::run_report::RunReport;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use content::{Content, Room};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const TEMPLATE: &str = include_str!("html/page.html");
const FINDING: &str = include_str!("html/finding.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The most bytes of a page, so that mail takes it, and it opens within two seconds (a test opens one).
const MOST_BYTES: usize = 3_000_000;

/// Writes the page, with as much as it has room for.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let mut page = String::new();
    for room in Room::ALL {
        page = text(report, room)?;
        if page.len() <= MOST_BYTES {
            break;
        }
    }
    out.write_all(page.as_bytes())
}

fn text(report: &RunReport, room: Room) -> io::Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(io::Error::other)?);
    let mut content = Content::new(report, room);
    let body = environment.template_from_str(FINDING).map_err(io::Error::other)?;
    for finding in &mut content.findings {
        let values = context! { finding => Serde(&*finding) };
        finding.body = body.render(values).map_err(io::Error::other)?;
    }
    content.packed = packed::pack(&mut content.findings)?;
    let style = format!("{STYLE}{}", crate::pictures::style_sheet());
    // The page allows this script and no other, wherever it comes from.
    let script_hash = STANDARD.encode(Sha256::digest(SCRIPT));
    let page = context! {
        page => Serde(content), style => style, script => SCRIPT, script_hash => script_hash,
    };
    environment.render_str(TEMPLATE, page).map_err(io::Error::other)
}
