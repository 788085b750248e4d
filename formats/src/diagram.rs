//! Sequence diagrams in the notations that people draw them in: Mermaid and PlantUML.

pub mod mermaid;
pub mod model;
