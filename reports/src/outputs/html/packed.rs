//! The details of most findings, packed, so that a page with 1,000 of them stays small.

use crate::outputs::html::content::FindingView;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use std::io::{self, Write};

/// The findings whose text stands in the page as it is, also where no script may run.
const UNPACKED: usize = 100;

/// Takes the bodies of the findings beyond the first: base64 of gzip of a list of HTML in JSON.
pub(super) fn pack(findings: &mut [FindingView]) -> io::Result<String> {
    let further = findings.iter_mut().skip(UNPACKED);
    let bodies: Vec<String> = further.map(|it| std::mem::take(&mut it.body)).collect();
    if bodies.is_empty() {
        return Ok(String::new());
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(serde_json::to_string(&bodies)?.as_bytes())?;
    Ok(STANDARD.encode(gzip.finish()?))
}
