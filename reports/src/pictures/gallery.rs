//! Pictures beside each other, as a page and as one picture.

use crate::pictures::drawing::{Anchor, Drawing, Tone, Type, at};
use crate::pictures::measure::lines;
use crate::pictures::metrics::Metrics;
use crate::pictures::svg::{Picture, SvgOptions, style_sheet};
use multitrace_formats::shorten::visible;
use quick_xml::escape::escape;
use std::fmt::Write;

/// The page may load nothing and run nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE: &str = "body{font:16px sans-serif;margin:2em}pre{overflow-x:auto}\
                     .row{display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start}\
                     figure{margin:0;max-width:100%;overflow-x:auto}\
                     @media(prefers-color-scheme:dark){body{background:#16181d;color:#e6e6e6}}";
/// The most characters of a line of a caption: two columns of them fit on a page.
const CAPTION: usize = 60;

/// A page of HTML: a heading, a text as it is, and rows of pictures with their captions.
///
/// ```
/// use multitrace_reports::pictures::{Picture, gallery};
/// let page = gallery("a < b", "text", &[]);
/// assert!(page.contains("<h1>a &lt; b</h1>") && page.contains("<pre>text</pre>"));
/// ```
pub fn gallery(heading: &str, text: &str, rows: &[Vec<(String, Picture)>]) -> String {
    let heading = escape(heading);
    let of_pictures = style_sheet();
    // Writing into a String cannot fail.
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{heading}</title>\n<style>{STYLE}\n{of_pictures}</style>\n<h1>{heading}</h1>\n<pre>{}</pre>\n",
        escape(text)
    );
    for row in rows {
        page.push_str("<div class=\"row\">\n");
        for (caption, picture) in row {
            let (caption, svg) = (visible(caption), picture.svg(SvgOptions::IN_PAGE));
            let caption = escape(&*caption);
            let _ = write!(page, "<figure><figcaption>{caption}</figcaption>\n{svg}</figure>\n");
        }
        page.push_str("</div>\n");
    }
    page
}

/// Rows of pictures as one picture, each below its caption.
pub fn beside(title: &str, rows: &[Vec<(String, Picture)>]) -> Picture {
    let Metrics { width, margin, line, baseline, .. } = Metrics::PIXELS;
    let mut all = Drawing { title: title.to_owned(), ..Drawing::default() };
    for row in rows {
        let captions: Vec<_> = row.iter().map(|it| lines(&visible(&it.0), CAPTION)).collect();
        let most = captions.iter().map(Vec::len).max().unwrap_or(0) as i32;
        let (top, mut left) = (all.height + margin, 0);
        let below = top + most * line;
        for ((_, Picture(drawing)), caption) in row.iter().zip(captions) {
            let mut column = drawing.width;
            for (text, at_line) in caption.into_iter().zip(0..) {
                let place = at(left + margin, top + at_line * line + baseline);
                column = column.max(2 * margin + width(&text));
                all.text((place, Anchor::Start), text, Type::Bold, Tone::Plain);
            }
            all.insert(drawing.clone(), at(left, below));
            all.height = all.height.max(below + drawing.height);
            left += column;
        }
        all.width = all.width.max(left);
    }
    let descriptions =
        rows.iter().flatten().map(|(caption, it)| format!("{caption}: {}", it.0.description));
    all.description = descriptions.collect::<Vec<_>>().join(". ");
    Picture(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::checks::check_layout;
    use crate::pictures::measure::pixels;

    #[test]
    fn pictures_and_captions_do_not_overlap() {
        let picture = |width, height| {
            let mut drawing = Drawing { width, height, ..Drawing::default() };
            drawing.text((at(5, 20), Anchor::Start), "inside".to_owned(), Type::Plain, Tone::Plain);
            Picture(drawing)
        };
        let long = "a caption of several lines ".repeat(4);
        let row = || vec![(long.clone(), picture(60, 40)), ("short".to_owned(), picture(90, 80))];
        let Picture(both) = beside("two", &[row(), row()]);
        check_layout(&both, pixels, Metrics::PIXELS.line);
        assert_eq!(both.shapes.len(), 2 * (2 + 1 + 2), "{:?}", both.shapes);
        assert!(both.height > 2 * 80, "{}", both.height);
    }
}
