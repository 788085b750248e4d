//! The alphabet of an automaton: its letters, the locations that log them, and the names by which
//! traces call both. This is all that a reader of sessions needs, whether the specification is an
//! interaction or an automaton.

use crate::action::Action;
use crate::id::{Id, LetterId, LocationId};
use crate::location::Locations;
use crate::names;
use crate::signature::Signature;
use indexmap::{IndexMap, IndexSet};

/// Letters by name, each at one location; and the lifelines of every location. The alphabet of an
/// automaton that was given directly (paper 004 sec. 5) has no lifelines.
///
/// ```
/// use multitrace_interaction::{Alphabet, Id, LocationId};
/// let mut alphabet = Alphabet::default();
/// let left = alphabet.add_location("left").expect("a new name");
/// let a = alphabet.add_letter("a", left).expect("a new name");
/// assert_eq!(alphabet.letter("a"), Some(a));
/// assert_eq!(alphabet.location_of(a), LocationId::new(0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet {
    letters: IndexMap<String, LocationId>,
    locations: IndexSet<String>,
    lifelines: IndexMap<String, LocationId>,
    /// The labels of lifelines in a diagram, each with the name of its lifeline.
    labels: IndexMap<String, String>,
    /// The letters of the interaction's actions, in the order of their first occurrences.
    actions: IndexMap<Action, LetterId>,
}

impl Alphabet {
    /// The alphabet of an interaction's actions, in their order; repetitions count once.
    pub fn of_actions(
        signature: &Signature,
        locations: &Locations,
        actions: impl IntoIterator<Item = Action>,
    ) -> Alphabet {
        let mut alphabet = Alphabet::default();
        for location in locations.iter() {
            alphabet.locations.insert(locations.name(location, signature));
        }
        for lifeline in signature.lifelines() {
            let name = signature.lifeline_name(lifeline).to_owned();
            alphabet.lifelines.insert(name, locations.of(lifeline));
        }
        for (label, lifeline) in signature.labels() {
            alphabet.add_label(label, signature.lifeline_name(lifeline));
        }
        for action in actions {
            let name = signature.action_text(action);
            let (index, _) = alphabet.letters.insert_full(name, locations.of(action.lifeline));
            alphabet.actions.insert(action, LetterId::new(index));
        }
        alphabet
    }

    /// Finds the letters of an interaction's actions by their texts, for an alphabet that was read. False if an
    /// action has none.
    pub fn find_actions(
        &mut self,
        signature: &Signature,
        actions: impl IntoIterator<Item = Action>,
    ) -> bool {
        for action in actions {
            if !self.actions.contains_key(&action) {
                let Some(letter) = self.letter(&signature.action_text(action)) else {
                    return false;
                };
                self.actions.insert(action, letter);
            }
        }
        true
    }

    /// The letter of an action of the interaction; `None` for other actions, and if the specification is an automaton.
    pub fn letter_of(&self, action: Action) -> Option<LetterId> {
        self.actions.get(&action).copied()
    }

    /// The actions of the interaction with their letters, in the order of their first occurrences.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (Action, LetterId)> {
        self.actions.iter().map(|(&action, &letter)| (action, letter))
    }

    /// By letter, its action; `None` if the specification is an automaton.
    pub fn actions_by_letter(&self) -> Vec<Option<Action>> {
        let mut actions = vec![None; self.letters().len()];
        self.actions().for_each(|(action, letter)| actions[letter.index()] = Some(action));
        actions
    }

    /// Adds a location; `None` if the name is taken.
    pub fn add_location(&mut self, name: &str) -> Option<LocationId> {
        let (index, new) = self.locations.insert_full(name.to_owned());
        new.then(|| LocationId::new(index))
    }

    /// Adds a letter at a location; `None` if the name is taken.
    ///
    /// # Panics
    /// If the location is not of this alphabet.
    pub fn add_letter(&mut self, name: &str, location: LocationId) -> Option<LetterId> {
        assert!(
            location.index() < self.locations.len(),
            "a letter needs a location of its alphabet"
        );
        let index = self.letters.len();
        match self.letters.entry(name.to_owned()) {
            indexmap::map::Entry::Occupied(_) => None,
            indexmap::map::Entry::Vacant(entry) => {
                entry.insert(location);
                Some(LetterId::new(index))
            }
        }
    }

    /// Adds a lifeline at a location; false when the name is taken.
    ///
    /// # Panics
    /// If the location is not of this alphabet.
    pub fn add_lifeline(&mut self, name: &str, location: LocationId) -> bool {
        assert!(
            location.index() < self.locations.len(),
            "a lifeline needs a location of its alphabet"
        );
        self.lifelines.insert(name.to_owned(), location).is_none()
    }

    /// Lets a lifeline be called by its label, too, unless another one is called so; false if nothing was added.
    pub fn add_label(&mut self, label: &str, lifeline: &str) -> bool {
        let is_free = !self.lifelines.contains_key(label) && !self.labels.contains_key(label);
        let is_new = is_free && self.lifelines.contains_key(lifeline) && !label.is_empty();
        if is_new {
            self.labels.insert(label.to_owned(), lifeline.to_owned());
        }
        is_new
    }

    /// The labels by which lifelines may be called, with the names of the lifelines.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.labels.iter().map(|(label, name)| (label.as_str(), name.as_str()))
    }

    /// The letter of a name.
    pub fn letter(&self, name: &str) -> Option<LetterId> {
        self.letters.get_index_of(name).map(LetterId::new)
    }

    /// The letter of an action, also when it is written with blanks around its parts, or with quotes
    /// that it does not need.
    ///
    /// ```
    /// use multitrace_interaction::Alphabet;
    /// let mut alphabet = Alphabet::default();
    /// let shop = alphabet.add_location("shop").expect("a new name");
    /// let get = alphabet.add_letter("shop!GET /", shop);
    /// assert_eq!(alphabet.read_letter(r#""shop" ! GET /"#), get);
    /// ```
    pub fn read_letter(&self, text: &str) -> Option<LetterId> {
        if let Some(letter) = self.letter(text) {
            return Some(letter);
        }
        let Some((lifeline, kind, message)) = names::split_action(text) else {
            return self.letter(text.trim());
        };
        let letter = self.letter(&names::action_text(&lifeline, kind, message));
        letter.or_else(|| self.letter(&names::action_text(&lifeline, kind, message.trim())))
    }

    /// The letter that stands for an action which is not a letter, logged at a location: the lifeline is called by its
    /// label; or the letter is that of any action of the lifeline in that direction, or of any lifeline there if
    /// those that the specification does not have are open.
    pub fn any_letter(&self, text: &str, location: LocationId) -> Option<LetterId> {
        let (lifeline, kind, message) = names::split_action(text)?;
        let lifeline = self.labels.get(&*lifeline).map_or(&*lifeline, |name| name);
        let here = |lifeline: &str, message: &str| {
            let letter = self.letter(&names::action_text(lifeline, kind, message));
            letter.filter(|&letter| self.location_of(letter) == location)
        };
        let any = |lifeline: &str| here(lifeline, names::ANY);
        here(lifeline, message).or_else(|| any(lifeline)).or_else(|| {
            let is_other = self.others().is_some() && !self.lifelines.contains_key(lifeline);
            let mut here = self.lifelines.iter().filter(|&(_, &at)| is_other && at == location);
            here.find_map(|(name, _)| any(name))
        })
    }

    /// The location of all lifelines that the specification does not have, if these are open.
    pub fn others(&self) -> Option<LocationId> {
        self.location_of_lifeline(names::ANY)
    }

    /// The name of a letter.
    ///
    /// # Panics
    /// If the letter is not of this alphabet.
    pub fn letter_name(&self, letter: LetterId) -> &str {
        self.letters.get_index(letter.index()).expect("a letter of this alphabet").0
    }

    /// The location that logs a letter.
    ///
    /// # Panics
    /// If the letter is not of this alphabet.
    #[inline]
    pub fn location_of(&self, letter: LetterId) -> LocationId {
        self.letters[letter.index()]
    }

    /// The location with this name.
    pub fn location(&self, name: &str) -> Option<LocationId> {
        self.locations.get_index_of(name).map(LocationId::new)
    }

    /// Whether a location is of this alphabet; else it stands for a foreign log of a session.
    pub fn has_location(&self, location: LocationId) -> bool {
        location.index() < self.locations.len()
    }

    /// The name of a location.
    ///
    /// # Panics
    /// If the location is not of this alphabet.
    pub fn location_name(&self, location: LocationId) -> &str {
        &self.locations[location.index()]
    }

    /// The location that logs a lifeline, which may be called by its label.
    pub fn location_of_lifeline(&self, name: &str) -> Option<LocationId> {
        self.lifelines.get(self.lifeline_called(name)?).copied()
    }

    /// The lifeline of this name, or else of this label.
    pub fn lifeline_called(&self, name: &str) -> Option<&str> {
        let own = self.lifelines.get_key_value(name).map(|(own, _)| own);
        own.or_else(|| self.labels.get(name)).map(String::as_str)
    }

    /// The partition of lifelines that this alphabet stands for; lifelines that it does not know have a
    /// location each.
    pub fn locations_of(&self, signature: &Signature) -> Locations {
        let mut groups = vec![Vec::new(); self.locations.len()];
        for lifeline in signature.lifelines() {
            if let Some(at) = self.location_of_lifeline(signature.lifeline_name(lifeline)) {
                groups[at.index()].push(lifeline);
            }
        }
        // No lifeline is in two groups.
        Locations::new(signature, &groups).unwrap_or_else(|_| Locations::discrete(signature))
    }

    /// Every lifeline with its location, in order of declaration.
    pub fn lifelines(&self) -> impl ExactSizeIterator<Item = (&str, LocationId)> {
        self.lifelines.iter().map(|(name, &location)| (name.as_str(), location))
    }

    /// Every letter, in order.
    pub fn letters(&self) -> impl ExactSizeIterator<Item = LetterId> + use<> {
        (0..self.letters.len()).map(LetterId::new)
    }

    /// Per location, its letters in order; in one pass, since there may be as many locations as letters.
    pub fn letters_by_location(&self) -> Vec<Vec<LetterId>> {
        let mut letters = vec![Vec::new(); self.locations.len()];
        for letter in self.letters() {
            letters[self.location_of(letter).index()].push(letter);
        }
        letters
    }

    /// Every location, in order.
    pub fn locations(&self) -> impl ExactSizeIterator<Item = LocationId> + use<> {
        (0..self.locations.len()).map(LocationId::new)
    }
}
