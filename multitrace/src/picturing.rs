//! A specification as a picture.

use crate::monitor::Monitor;
use multitrace_formats::bundle::SpecText;
use multitrace_formats::diagram::{self, IncludeError, model};
use multitrace_formats::source::Span;
use multitrace_formats::spec::SpecFormat;
use multitrace_reports::outputs::Paint;
use multitrace_reports::pictures::automaton::{self, Graph};
use multitrace_reports::pictures::diagram::{
    Diagram, Document, MOST_ROWS, diagram_picture, diagram_text,
};
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::pictures::{Picture, SvgOptions};
use std::path::Path;

/// The most states of an automaton that are drawn: more cannot be read.
const MOST_STATES_OF_PICTURE: usize = 200;

#[doc(hidden)]
impl Monitor {
    /// The specification as SVG: its sequence diagram with the marks of the overlay, or its automaton.
    ///
    /// ```
    /// use multitrace_reports::pictures::{SvgOptions, overlay::Overlay};
    /// use multitrace::{CompileOptions, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
    /// let monitor = spec.compile(&CompileOptions::default())?.monitor;
    /// let svg = monitor.picture(&Overlay::default(), SvgOptions::default());
    /// assert!(svg.contains(">ping</text>"));
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn picture(&self, overlay: &Overlay, options: SvgOptions) -> String {
        self.drawn(overlay).svg(options)
    }

    /// The same as a picture that can stand beside others.
    pub(crate) fn drawn(&self, overlay: &Overlay) -> Picture {
        self.with_diagram(overlay, diagram_picture).unwrap_or_else(|| {
            let graph = match self.automaton() {
                Ok(automaton) => Graph::of_nfa(&automaton.full),
                Err(_) => Graph::default(),
            };
            let name = |letter| self.alphabet().letter_name(letter);
            let title = &self.bundle().provenance.spec_name;
            automaton::picture(&graph, &name, title, MOST_STATES_OF_PICTURE)
        })
    }

    /// The sequence diagram as text of this width; `None` for an automaton.
    pub fn text_picture(&self, overlay: &Overlay, width: usize) -> Option<String> {
        self.with_diagram(overlay, |diagram| diagram_text(diagram, width, Paint::PLAIN))
    }

    fn with_diagram<R>(
        &self,
        overlay: &Overlay,
        draw: impl FnOnce(&Diagram<'_>) -> R,
    ) -> Option<R> {
        let (signature, interaction) = self.interaction()?;
        let locations = &self.locations()?;
        let (labels, title, rows) = (&[], "", MOST_ROWS);
        let document = self.document();
        let document = document.as_ref().map(|it| Document { diagram: &it.0, spans: it.1 });
        Some(draw(&Diagram {
            interaction,
            signature,
            locations,
            labels,
            title,
            overlay,
            document,
            rows,
        }))
    }

    /// The diagram that it was compiled from, and where the nodes of its interaction stand in the text; `None` if
    /// it was not a diagram, or included files.
    pub fn document(&self) -> Option<(model::Diagram, &[Span])> {
        let SpecText { path, text, spans } = &self.bundle().text;
        let found = SpecFormat::of_path(Path::new(path)).ok()?.diagrams(text);
        let no_files = |_: &str| Err(IncludeError::NoFolder);
        let (at, whole) = diagram::around(text, &found, spans, &no_files)?;
        let mut diagram = whole.diagram;
        diagram.title = diagram.heading().or_else(|| found[at].heading.clone());
        Some((diagram, spans))
    }
}
