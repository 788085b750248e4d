//! A specification ready for checking sessions.

use crate::error::{Error, Lacking};
use crate::files;
use crate::inputs::Inputs;
use multitrace_formats::bundle::{self, Automaton, Bundle, Central};
use multitrace_formats::source::Source;
use multitrace_formats::warning::Warnings;
use multitrace_interaction::{Alphabet, Id, Interaction, Locations, Signature};
use multitrace_logs::Mapping;
use multitrace_reports::pictures::MessagePairs;
use multitrace_runtime::CheckConfig;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A compiled specification, loaded. Cheap to clone; all clones share its tables and caches.
#[derive(Clone, Debug)]
pub struct Monitor {
    runtime: Arc<multitrace_runtime::Monitor>,
    warnings: Option<Arc<Warnings>>,
}

impl Monitor {
    /// Loads a bundle.
    pub(crate) fn new(bundle: Bundle) -> Monitor {
        Monitor { runtime: Arc::new(multitrace_runtime::Monitor::new(bundle)), warnings: None }
    }

    pub(crate) fn with_warnings(self, warnings: Warnings) -> Monitor {
        Monitor { warnings: Some(Arc::new(warnings)), ..self }
    }

    /// The warnings of the specification; `None` for a bundle that was loaded, whose warnings were
    /// given when it was compiled.
    pub fn warnings(&self) -> Option<&Warnings> {
        self.warnings.as_deref()
    }

    /// Its global automaton.
    ///
    /// # Errors
    /// When the specification has none; the message names the construct that prevents it.
    pub fn automaton(&self) -> Result<&Automaton, Error> {
        let bundle = self.bundle();
        match &bundle.central {
            Central::Automaton(automaton) => Ok(automaton),
            Central::Unsupported(why) => {
                let spec = bundle.provenance.spec_name.clone();
                Err(Lacking::Automaton { spec, why: why.clone() }.into())
            }
        }
    }

    /// Loads the bytes of a bundle (`.mtb`).
    ///
    /// # Errors
    /// When the bytes are not those of a bundle, or those of another version, cut off, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Monitor, Error> {
        Ok(Monitor::new(
            bundle::decode(bytes).map_err(|error| Error::Bundle { name: None, error })?,
        ))
    }

    /// The bytes of its bundle. The same specification and options give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bundle::encode(self.bundle())
    }

    /// Loads the bundle in a file; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read, and those of [`Monitor::from_bytes`].
    pub fn load(path: &Path) -> Result<Monitor, Error> {
        Monitor::of_file(path, &files::read_or_stdin(path)?)
    }

    /// Loads the bundle in the bytes of a file; errors name its path.
    ///
    /// # Errors
    /// Those of [`Monitor::from_bytes`].
    pub fn of_file(path: &Path, bytes: &[u8]) -> Result<Monitor, Error> {
        let error = |error| Error::Bundle { name: Some(files::name(path)), error };
        Ok(Monitor::new(bundle::decode(bytes).map_err(error)?))
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        self.runtime.bundle()
    }

    /// The letters, lifelines and locations of the specification.
    pub fn alphabet(&self) -> &Alphabet {
        self.runtime.alphabet()
    }

    /// How to check, in the observation mode that the bundle was compiled for. Begin with this
    /// instead of [`CheckConfig::default`], which is for complete logs.
    pub fn config(&self) -> CheckConfig {
        CheckConfig { observation: self.bundle().observation, ..CheckConfig::default() }
    }

    /// The interaction that was compiled, with its lifelines and messages; `None` for an automaton.
    pub fn interaction(&self) -> Option<&(Signature, Interaction)> {
        self.bundle().source.as_ref()
    }

    /// Which emissions belong to which receptions; by their names if it was compiled from an automaton.
    pub fn message_pairs(&self) -> MessagePairs {
        let source = self.interaction();
        source.map_or_else(MessagePairs::default, |(signature, interaction)| {
            MessagePairs::new(interaction, signature)
        })
    }

    /// Which lifelines of the interaction share a clock; `None` for an automaton.
    pub fn locations(&self) -> Option<Locations> {
        let ((signature, _), alphabet) = (self.interaction()?, self.alphabet());
        let mut groups = vec![Vec::new(); alphabet.locations().len()];
        for (name, location) in alphabet.lifelines() {
            groups[location.index()].extend(signature.lifeline(name));
        }
        Locations::new(signature, &groups).ok()
    }

    /// Event logs if the bundle has a mapping, else files of sessions.
    ///
    /// # Errors
    /// When a path does not exist or its extension tells no format, or the mapping is wrong.
    pub fn inputs(&self, paths: &[PathBuf]) -> Result<Inputs, Error> {
        match self.mapping()? {
            Some(mapping) => Inputs::event_logs(paths, mapping),
            None => Inputs::files(paths),
        }
    }

    /// The mapping of event logs in the bundle, if it has one.
    ///
    /// # Errors
    /// When its text is wrong.
    pub fn mapping(&self) -> Result<Option<Mapping>, Error> {
        let Some(events) = &self.bundle().events else { return Ok(None) };
        Ok(Some(Mapping::parse(&Source::new(events.name.as_str(), events.text.as_str()))?))
    }

    /// The monitor of the runtime, for those who check with it directly.
    pub fn runtime(&self) -> &multitrace_runtime::Monitor {
        &self.runtime
    }
}
