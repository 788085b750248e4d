//! The locations that the headers of `.htf` files say: `[l1,l2]` is one location, `[#all]` is that of
//! all lifelines.

// A specification says nothing of locations, and `[l1,l2]` has a meaning only if its lifelines share
// one. Every file is read for its headers before anything is compiled. Headers of two files that share
// a lifeline must be equal, so the answer does not depend on the order of files.
//
// Cost: each file is parsed twice, but only for specifications without `--locations`.

use crate::chunk::HtfFile;
use crate::error::{Error, FileError};
use crate::inputs::{InputSource, Inputs};
use multitrace_formats::htf::{self, Component, Header};
use multitrace_formats::locations;
use multitrace_formats::source::{Position, Source};
use multitrace_interaction::{LifelineId, Signature};
use std::collections::{BTreeMap, BTreeSet};

type Lifelines = BTreeSet<LifelineId>;

#[doc(hidden)]
impl Inputs {
    /// The locations that headers of `.htf` files say of the lifelines of a signature, as in
    /// `"a,b;c"`; `None` if each has its own. Files that cannot be read say nothing; checking reports them. Standard input and pipes
    /// are not read.
    ///
    /// # Errors
    /// When headers of two files put a lifeline into different locations.
    pub fn locations_in_headers(&self, signature: &Signature) -> Result<Option<String>, Error> {
        let InputSource::Files(files) = &self.source else { return Ok(None) };
        let mut said = Said { signature, by_lifeline: BTreeMap::new() };
        files.htf_files().try_for_each(|file| said.add_file(&file))?;
        Ok(said.groups())
    }
}

/// The locations in the headers so far.
struct Said<'a> {
    signature: &'a Signature,
    /// For each lifeline of a header, all lifelines of that header and where it is.
    by_lifeline: BTreeMap<LifelineId, (Lifelines, String)>,
}

impl Said<'_> {
    fn add_file(&mut self, file: &HtfFile) -> Result<(), Error> {
        let Ok(bytes) = file.read() else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = Source::new(file.name.display().to_string(), text);
        let Ok(raw) = htf::parse(&source) else { return Ok(()) };
        let said = raw.components.iter().map(|component| (component, self.lifelines(component)));
        let said: Vec<(&Component<'_>, Lifelines)> = said.collect();
        // A lifeline in two headers of one file is an error of that session.
        let all: usize = said.iter().map(|(_, lifelines)| lifelines.len()).sum();
        if said.iter().flat_map(|(_, lifelines)| lifelines).collect::<BTreeSet<_>>().len() < all {
            return Ok(());
        }
        for (component, lifelines) in &said {
            self.add(lifelines, || place(&source, component))?;
        }
        Ok(())
    }

    /// The lifelines of a header that the specification knows.
    fn lifelines(&self, component: &Component<'_>) -> Lifelines {
        match &component.header {
            Header::All => self.signature.lifelines().collect(),
            Header::Any => Lifelines::new(),
            Header::Names(names) => {
                names.iter().filter_map(|(name, _)| self.signature.lifeline(name)).collect()
            }
        }
    }

    fn add(&mut self, lifelines: &Lifelines, place: impl Fn() -> String) -> Result<(), FileError> {
        for lifeline in lifelines {
            match self.by_lifeline.get(lifeline) {
                None => {
                    self.by_lifeline.insert(*lifeline, (lifelines.clone(), place()));
                }
                Some((first, _)) if first == lifelines => {}
                Some((_, first)) => {
                    let lifeline = self.signature.lifeline_name(*lifeline).to_owned();
                    let (first, second) = (first.clone(), place());
                    return Err(FileError::Headers { first, second, lifeline });
                }
            }
        }
        Ok(())
    }

    /// The locations of several lifelines, as in `"a,b;c"`.
    fn groups(&self) -> Option<String> {
        let several = self.by_lifeline.values().map(|(lifelines, _)| lifelines);
        let several: BTreeSet<&Lifelines> = several.filter(|group| group.len() > 1).collect();
        let name = |lifeline: &LifelineId| self.signature.lifeline_name(*lifeline);
        let groups = several.iter().map(|group| group.iter().map(name));
        (!several.is_empty()).then(|| locations::text(groups))
    }
}

/// `file:line:column` of a header.
fn place(source: &Source, component: &Component<'_>) -> String {
    let Position { line, column } = source.position(component.header_span.start);
    format!("{}:{line}:{column}", source.name())
}
