//! A monitor out of a file, whatever the file holds.

use crate::error::{Contradiction, Error};
use crate::files;
use crate::monitor::Monitor;
use crate::spec::{CompileOptions, Spec};
use crate::spec_path::SpecPath;
use multitrace_compiler::CompileProgress;
use multitrace_formats::bundle;
use multitrace_interaction::Signature;
use std::path::Path;
use std::sync::Arc;

impl Monitor {
    /// Loads a bundle, or compiles the specification in a file; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read or is wrong, and when options are given for a bundle, which is
    /// compiled already.
    pub fn open(path: &Path, options: Option<&CompileOptions>) -> Result<Monitor, Error> {
        Monitor::open_with_locations(path, options, &Arc::default(), |_| Ok(None))
    }

    /// The same for a specification. If the options do not say the locations of an interaction, a
    /// function of its lifelines does, as in `"a,b;c"`. Without options, another thread may watch
    /// `progress` all the same.
    ///
    /// # Errors
    /// Those of [`Monitor::open`], and those of the function.
    pub fn open_with_locations(
        path: &Path,
        options: Option<&CompileOptions>,
        progress: &Arc<CompileProgress>,
        locations: impl FnOnce(&Signature) -> Result<Option<String>, Error>,
    ) -> Result<Monitor, Error> {
        let spec_path = SpecPath::of(path);
        let bytes = spec_path.read()?;
        if !bundle::is_bundle_path(path) && !bundle::is_bundle(&bytes) {
            let spec = Spec::of_file(&spec_path, bytes)?;
            let mut options = options.cloned().unwrap_or_default();
            options.progress = Arc::clone(progress);
            if options.locations.is_none()
                && let Some(signature) = spec.signature(&options)
            {
                options.locations = locations(&signature)?;
            }
            return Ok(spec.compile(&options)?.monitor);
        }
        if options.is_some() {
            return Err(Contradiction::Compiled(files::name(path)).into());
        }
        Monitor::of_file(path, &bytes)
    }
}
