//! Formats that this build recognises and cannot read.

use super::log_format::{Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::signs;
use crate::error::EventError;

/// A format whose libraries are left out of this build.
pub(crate) struct NotBuilt {
    name: &'static str,
    sign: fn(&Head<'_>) -> Option<Sign>,
}

pub(crate) static PARQUET: NotBuilt = NotBuilt { name: "Parquet", sign: signs::of_parquet };

pub(crate) static ARROW_IPC: NotBuilt = NotBuilt { name: "Arrow IPC", sign: signs::of_arrow_ipc };

impl NotBuilt {
    fn error(&self, file: &str) -> EventError {
        let message = format!("this build of multitrace cannot read {}", self.name);
        let help = "install a release or the wheel, or build with the feature `columnar`";
        EventError::without_text(file, None, message, help)
    }
}

impl LogFormat for NotBuilt {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        (self.sign)(head)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        Err(self.error(&opening.context.file))
    }

    fn proposal(&self, file: &str, _head: &str) -> Result<Proposal, EventError> {
        Err(self.error(file))
    }
}
