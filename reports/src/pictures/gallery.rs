//! Pictures beside each other, as a page.

use quick_xml::escape::escape;
use std::fmt::Write;

/// The page may load nothing and run nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE: &str = "body{font:16px sans-serif;margin:2em}pre{overflow-x:auto}\
                     .row{display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start}\
                     figure{margin:0;max-width:100%;overflow-x:auto}\
                     @media(prefers-color-scheme:dark){body{background:#16181d;color:#e6e6e6}}";

/// A page of HTML: a heading, a text as it is, and rows of pictures (SVG as it is made here) with their captions.
///
/// ```
/// use multitrace_reports::pictures::gallery;
/// let page = gallery("a < b", "text", &[vec![("old".to_owned(), "<svg/>".to_owned())]]);
/// assert!(page.contains("<h1>a &lt; b</h1>") && page.contains("<figcaption>old</figcaption>"));
/// ```
pub fn gallery(heading: &str, text: &str, rows: &[Vec<(impl AsRef<str>, String)>]) -> String {
    let heading = escape(heading);
    // Writing into a String cannot fail.
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{heading}</title>\n<style>{STYLE}</style>\n<h1>{heading}</h1>\n<pre>{}</pre>\n",
        escape(text)
    );
    for row in rows {
        page.push_str("<div class=\"row\">\n");
        for (caption, svg) in row {
            let caption = escape(caption.as_ref());
            let _ = write!(page, "<figure><figcaption>{caption}</figcaption>\n{svg}</figure>\n");
        }
        page.push_str("</div>\n");
    }
    page
}
