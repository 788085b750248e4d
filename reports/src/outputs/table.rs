//! Columns of text that never run into each other and never pass the width of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The fewest cells of a column that is cut.
const NARROWEST: usize = 8;

/// The widths of columns, in cells of a terminal: each as wide as its widest text. The widest columns
/// are cut until the row fits `width`, with two blanks between columns.
pub(super) fn widths(rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|it| it.width()).max();
    let mut widths: Vec<usize> = (0..columns).map(|at| widest(at).unwrap_or(0)).collect();
    let room = width.saturating_sub(2 * columns.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let most = widths.iter().copied().max().unwrap_or(0);
        let Some(cut) = widths.iter_mut().rev().find(|it| **it == most && most > NARROWEST) else {
            break;
        };
        *cut -= 1;
    }
    widths
}

/// A row in columns of these widths, without blanks at its end.
pub(super) fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (at, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let cell = cut(cell, width);
        let blanks = width.saturating_sub(cell.width());
        line.push_str(if at > 0 { "  " } else { "" });
        line.push_str(&cell);
        line.extend(std::iter::repeat_n(' ', blanks));
    }
    line.truncate(line.trim_end().len());
    line
}

/// The text, or its start and an ellipsis, in at most `width` cells.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    fitting(text.chars(), width).chain(['…']).collect()
}

/// The text, or an ellipsis and its end, in at most `width` cells: the end of a path tells more than
/// its start.
pub(super) fn cut_start(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let end: Vec<char> = fitting(text.chars().rev(), width).collect();
    std::iter::once('…').chain(end.into_iter().rev()).collect()
}

/// The first characters that leave room for an ellipsis in `width` cells.
fn fitting(chars: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut cells = 0;
    chars.take_while(move |char| {
        cells += char.width().unwrap_or(0);
        cells < width
    })
}

/// The words of a text in lines of at most `width` cells; words that are longer are cut.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word = cut(word, width.max(1));
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_fit_and_keep_their_columns(
            cells in prop::collection::vec(prop::collection::vec("[a-zé漢 ]{0,30}", 4), 1..6),
            width in 40usize..100,
        ) {
            let widths = widths(&cells, width);
            for row in &cells {
                let line = line(row, &widths);
                prop_assert!(line.width() <= width, "{line:?}");
            }
        }

        #[test]
        fn wrapped_lines_fit_and_lose_no_short_word(text in "([a-z]{1,9} ){0,20}[a-z]", width in 10usize..50) {
            let lines = wrapped(&text, width);
            prop_assert!(lines.iter().all(|line| line.width() <= width));
            prop_assert_eq!(lines.join(" "), text);
        }
    }

    #[test]
    fn a_long_text_is_cut_with_an_ellipsis() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("漢漢漢", 4), "漢…");
        assert_eq!(cut_start("abcdefg", 6), "…cdefg");
    }
}
