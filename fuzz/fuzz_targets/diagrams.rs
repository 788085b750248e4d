//! Diagrams in Mermaid, in PlantUML and in Markdown: each diagram of a text is read, and its warnings too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace::{CompileOptions, Spec};
use multitrace_formats::diagram::Notation;
use multitrace_formats::spec::SpecFormat;
use multitrace_fuzz::text;

const FORMATS: [SpecFormat; 3] = [
    SpecFormat::Diagram(Notation::Mermaid),
    SpecFormat::Diagram(Notation::PlantUml),
    SpecFormat::Markdown,
];

fuzz_target!(|data: &[u8]| {
    let Some(text) = text(data) else { return };
    for format in FORMATS {
        for spec in Spec::parse("f", text, format).each() {
            if let Err(error) = spec.warnings(&CompileOptions::default()) {
                assert!(error.to_string().contains("error"), "{error}");
            }
        }
    }
    let _ = SpecFormat::of_text(text);
});
