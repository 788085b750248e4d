//! Tables in Markdown, with columns that line up when read as plain text.

/// A titled table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub title: String,
    /// The measured quantities, and how to read the table.
    pub note: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(title: &str, note: &str, header: &[&str]) -> Table {
        Table {
            title: title.to_owned(),
            note: note.to_owned(),
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, which must have a cell for every column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<String> = cells.into_iter().collect();
        assert_eq!(row.len(), self.header.len(), "a cell for every column");
        self.rows.push(row);
    }

    pub fn render(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = widths.iter().enumerate().map(|(column, &width)| match column {
            0 => "-".repeat(width),
            _ => format!("{}:", "-".repeat(width.saturating_sub(1))),
        });
        let rule = format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
        let rows: String = self.rows.iter().map(line).collect();
        format!("## {}\n\n{}\n\n{}{rule}{rows}", self.title, self.note, line(&self.header))
    }
}

/// Seconds with a unit that fits.
pub fn seconds(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 1.0 => format!("{v:.2} s"),
        v if v >= 1e-3 => format!("{:.2} ms", v * 1e3),
        v if v >= 1e-6 => format!("{:.2} µs", v * 1e6),
        v => format!("{:.1} ns", v * 1e9),
    }
}

/// A share of 1 in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// How many times as much, to two or three digits.
pub fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A number with a mark between thousands.
pub fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
