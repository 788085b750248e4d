//! Making data to test with: accepted multi-traces, parts of them, mutants, random interactions.
//!
//! Papers: 000 sec. 5.5 and 003 sec. 6.1. No I/O here; the same seed gives the same data on every
//! platform.
//!
//! ```
//! use multitrace_interaction::generate::{Bounds, Generator};
//! use multitrace_interaction::{
//!     Action, ActionKind, Interaction, Locations, LoopKind, Node, NodeId, Id, Signature, Step,
//! };
//! let mut signature = Signature::default();
//! let tick = Action {
//!     lifeline: signature.intern_lifeline("clock"),
//!     kind: ActionKind::Emission,
//!     message: signature.intern_message("tick"),
//! };
//! let body = Node::Step(Step::single(tick));
//! let nodes = vec![body, Node::Loop(LoopKind::Strict, NodeId::new(0))];
//! let ticks = Interaction::new(nodes).expect("a tree");
//! let locations = Locations::discrete(&signature);
//! let bounds = Bounds::events(1, 5);
//! let mut generator =
//!     Generator::new(&signature, &ticks, &locations, bounds, 7).expect("within the bounds");
//! let trace = generator.accepted();
//! assert!((1..=5).contains(&trace[0].len()));
//! let (prefix, _) = generator.prefix(&trace);
//! assert!(trace[0].starts_with(&prefix[0]));
//! ```

mod bases;
mod bounds;
mod change;
mod cut;
mod dice;
mod exhaustive;
mod fresh;
mod generator;
mod interactions;
mod letters;
mod mutants;
mod reach;
mod recipe;
mod sessions;
mod split;
mod unfolding;
mod walk;
mod window;
mod words;

pub use bounds::{Bounds, BoundsError};
pub use change::Change;
pub use dice::Dice;
pub use exhaustive::{Exhaustive, TooMany};
pub use generator::Generator;
pub use interactions::{NoInteraction, RandomInteractions, Shape, Weights};
pub use recipe::{Mutation, Recipe, TracePart};
pub use sessions::{Made, Sessions};
pub use split::split;
pub use words::Words;
