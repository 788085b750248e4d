//! Whether a bundle is equal to a fresh compilation of the text and the options that it holds.

use crate::error::{Error, Unverifiable};
use crate::monitor::Monitor;
use crate::spec::Spec;
use multitrace_formats::bundle::{self, Bundle, Central, LocalVerifier, Provenance};
use multitrace_formats::source::Source;
use multitrace_interaction::LocationId;
use multitrace_logs::Mapping;

#[doc(hidden)]
impl Monitor {
    /// Compiles the text in the bytes of a bundle again, with the options in it, and compares part by part
    /// and then byte by byte. Returns the parts that differ, as text: none for an authentic bundle.
    ///
    /// The text itself, the options, the path and the text of the mapping of event logs are taken as they are: whoever
    /// made the bundle chose them. The mapping must be one.
    ///
    /// # Errors
    /// Those of [`Monitor::from_bytes`]; and when the bundle cannot be compiled again: another version made
    /// it, it has no text, its text is wrong or includes files, or a limit on time ended compiling.
    ///
    /// ```
    /// use multitrace::{CompileOptions, Monitor, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
    /// let bytes = spec.compile(&CompileOptions::default())?.monitor.to_bytes();
    /// assert!(Monitor::verify(&bytes)?.is_empty());
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn verify(bytes: &[u8]) -> Result<Vec<String>, Error> {
        let given = bundle::decode(bytes).map_err(|error| Error::Bundle { name: None, error })?;
        reject_unverifiable(&given.provenance, &given.text.text)?;
        let source = given.text.source();
        let Some((spec, options)) = Spec::of_description(source, &given.provenance.options) else {
            return Ok(vec!["the line of options".to_owned()]);
        };
        let compiled = match given.events.clone() {
            Some(events) => spec.compile_with_events(&options, events),
            None => spec.compile(&options),
        };
        if let Some(events) = &given.events
            && let Err(error) =
                Mapping::parse(&Source::new(events.name.as_str(), events.text.as_str()))
        {
            return Ok(vec![format!("the mapping of event logs, which is wrong: {error}")]);
        }
        let made = compiled.map_err(|error| Unverifiable::Alone(Box::new(error)))?;
        let made = made.monitor.bundle();
        if made.provenance.timed_out {
            return Err(Unverifiable::TimedOutAgain.into());
        }
        let mut differing = differing(&given, made);
        if differing.is_empty() && bundle::encode(made) != bytes {
            differing.push("the bytes, though not their meaning".to_owned());
        }
        Ok(differing)
    }
}

fn reject_unverifiable(provenance: &Provenance, text: &str) -> Result<(), Unverifiable> {
    let Provenance { tool_version, timed_out, .. } = provenance;
    match () {
        () if tool_version != env!("CARGO_PKG_VERSION") => {
            Err(Unverifiable::Version { made_by: tool_version.clone() })
        }
        () if text.is_empty() => Err(Unverifiable::NoText),
        () if *timed_out => Err(Unverifiable::TimedOut),
        () => Ok(()),
    }
}

/// The parts of two bundles that differ.
fn differing(given: &Bundle, made: &Bundle) -> Vec<String> {
    let parts = [
        ("the names, hash and options of the specification", given.provenance == made.provenance),
        ("the places in the specification", given.text == made.text),
        ("the observation mode", given.observation == made.observation),
        ("the letters, lifelines and locations", given.alphabet == made.alphabet),
        ("the interaction", given.source == made.source),
    ];
    let parts = parts.into_iter().filter(|(_, is_equal)| !is_equal);
    let mut parts: Vec<String> = parts.map(|(name, _)| name.to_owned()).collect();
    parts.extend(differing_automata(&given.central, &made.central).map(str::to_owned));
    let locals = given.locals.iter().zip(&made.locals).zip(given.alphabet.locations());
    parts.extend(locals.flat_map(|((a, b), location)| differing_tables(a, b, location, given)));
    parts
}

fn differing_automata(given: &Central, made: &Central) -> impl Iterator<Item = &'static str> {
    let parts = match (given, made) {
        (Central::Automaton(given), Central::Automaton(made)) => [
            ("the automaton", given.full == made.full),
            ("the automaton that is searched", given.search == made.search),
        ],
        _ => [("whether it has an automaton, or why not", given == made), ("", true)],
    };
    parts.into_iter().filter(|(_, is_equal)| !is_equal).map(|(name, _)| name)
}

fn differing_tables(
    given: &LocalVerifier,
    made: &LocalVerifier,
    location: LocationId,
    bundle: &Bundle,
) -> Vec<String> {
    let at = bundle.alphabet.location_name(location);
    let parts = [
        ("letters", given.letters == made.letters),
        ("verifier", given.forward == made.forward),
        ("look-ahead", given.backward == made.backward),
    ];
    let parts = parts.into_iter().filter(|(_, is_equal)| !is_equal);
    parts.map(|(name, _)| format!("the {name} at {at}")).collect()
}
