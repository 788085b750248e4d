//! Sequence diagrams in the notations that people draw them in: Mermaid and PlantUML.

pub mod model;
pub mod plantuml;
