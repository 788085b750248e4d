//! A monitor out of a file, whatever the file holds.

use crate::error::Error;
use crate::files;
use crate::monitor::Monitor;
use crate::spec::{CompileOptions, Spec};
use multitrace_formats::bundle;
use std::path::Path;

impl Monitor {
    /// Loads a bundle, or compiles the specification in a file.
    ///
    /// # Errors
    /// When the file cannot be read or is wrong, and when options are given for a bundle, which is
    /// compiled already.
    pub fn open(path: &Path, options: Option<&CompileOptions>) -> Result<Monitor, Error> {
        let bytes = files::read(path)?;
        let is_bundle = path.extension().is_some_and(|extension| extension == "mtb");
        if !is_bundle && !bundle::is_bundle(&bytes) {
            let default = CompileOptions::default();
            let spec = Spec::of_file(path, bytes)?;
            return Ok(spec.compile(options.unwrap_or(&default))?.monitor);
        }
        if options.is_some() {
            return Err(Error::unfit(format!(
                "{}: a bundle is compiled already; give these options to `multitrace compile`",
                path.display()
            )));
        }
        Monitor::of_file(path, &bytes)
    }
}
