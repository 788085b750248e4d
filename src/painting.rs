//! When to use colours.

use crate::args::ColorChoice;
use multitrace::reports::outputs::Paint;
use std::io::{self, IsTerminal};

/// Whether to use colours (no-color.org, bixense.com/clicolors).
pub(crate) fn paint(choice: ColorChoice, on_stdout: bool) -> Paint {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if !on_stdout || set("NO_COLOR").is_some() => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto => {
            io::stdout().is_terminal() && set("TERM").is_some_and(|terminal| terminal != "dumb")
        }
    };
    Paint { colored }
}
