//! The meanings of colours, and colours for terminals, or none.

use crate::codes::Level;
use anstyle::{AnsiColor, Style};

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// In the background, such as events that nobody looked at.
    Soft,
    /// As it should be: taken, explained, possible.
    Good,
    /// Not as it should be: wrong, impossible, never taken.
    Bad,
    /// Neither can be said.
    Doubtful,
    /// Worth a look.
    Accent,
}

impl Tone {
    /// Every tone.
    pub(crate) const ALL: [Tone; 6] =
        [Tone::Plain, Tone::Soft, Tone::Good, Tone::Bad, Tone::Doubtful, Tone::Accent];
}

/// Whether texts for people are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    /// With escape sequences for a terminal.
    pub colored: bool,
}

impl Paint {
    /// No escape sequences.
    pub const PLAIN: Paint = Paint { colored: false };

    fn with(self, style: Style, text: &str) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn toned(self, tone: Tone, text: &str) -> String {
        let style = match tone {
            Tone::Plain => return text.to_owned(),
            Tone::Soft => Style::new().dimmed(),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
            Tone::Doubtful => AnsiColor::Yellow.on_default(),
            Tone::Accent => AnsiColor::Cyan.on_default(),
        };
        self.with(style, text)
    }

    pub(crate) fn level(self, level: Level, text: &str) -> String {
        let color = match level {
            Level::Error => AnsiColor::Red,
            Level::Warning => AnsiColor::Yellow,
            Level::Note => AnsiColor::Cyan,
        };
        self.with(color.on_default().bold(), text)
    }
}
