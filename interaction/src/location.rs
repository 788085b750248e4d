//! Locations: the partition of the lifelines by the clock that logs them (paper 000 sec. 2.1,
//! where they are called co-localizations).

use crate::id::{Id, LifelineId, LocationId};
use crate::idset::{LifelineSet, LocationSet};
use crate::names;
use crate::signature::Signature;

/// A partition of the lifelines of a signature. Locations are ordered by their first lifeline, so
/// the order in which groups are written makes no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations {
    groups: Vec<Vec<LifelineId>>,
    of: Vec<LocationId>,
}

/// Why a list of groups is not a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// A lifeline stands in two groups, or twice in one.
    #[error("a lifeline stands in two locations")]
    Overlap(LifelineId),
}

impl Locations {
    /// Every lifeline its own location.
    pub fn discrete(signature: &Signature) -> Locations {
        Locations::new(signature, &[]).unwrap_or_else(|_| unreachable!("no group, no overlap"))
    }

    /// The given groups; every lifeline outside them is a location of its own.
    ///
    /// # Errors
    /// If a lifeline stands in two groups, or twice in one.
    pub fn new(
        signature: &Signature,
        groups: &[Vec<LifelineId>],
    ) -> Result<Locations, LocationError> {
        let mut seen = LifelineSet::new();
        for &lifeline in groups.iter().flatten() {
            if !seen.insert(lifeline) {
                return Err(LocationError::Overlap(lifeline));
            }
        }
        let alone = signature.lifelines().filter(|&l| !seen.contains(l)).map(|l| vec![l]);
        let mut groups: Vec<_> =
            groups.iter().filter(|g| !g.is_empty()).cloned().chain(alone).collect();
        for group in &mut groups {
            group.sort();
        }
        groups.sort();
        let mut of = vec![LocationId::new(0); signature.lifelines().len()];
        for (location, group) in groups.iter().enumerate() {
            for lifeline in group {
                of[lifeline.index()] = LocationId::new(location);
            }
        }
        Ok(Locations { groups, of })
    }

    /// The location of a lifeline.
    ///
    /// # Panics
    /// If the lifeline is not of the signature these locations partition.
    pub fn of(&self, lifeline: LifelineId) -> LocationId {
        self.of[lifeline.index()]
    }

    /// The lifelines of a location, in order.
    ///
    /// # Panics
    /// If the location is not of this partition.
    pub fn lifelines(&self, location: LocationId) -> &[LifelineId] {
        &self.groups[location.index()]
    }

    /// Every location in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LocationId> + use<> {
        (0..self.groups.len()).map(LocationId::new)
    }

    /// How many locations there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no location: only an empty signature has none.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The name of a location: its lifelines joined by commas, each quoted where it needs it.
    ///
    /// # Panics
    /// If the location is not of this partition, or the signature is another one.
    pub fn name(&self, location: LocationId, signature: &Signature) -> String {
        names::location_text(self.lifelines(location).iter().map(|&l| signature.lifeline_name(l)))
    }

    /// The locations of a set of lifelines.
    pub fn of_set(&self, lifelines: &LifelineSet) -> LocationSet {
        lifelines.iter().map(|l| self.of(l)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_signature_has_no_location() {
        let mut signature = Signature::default();
        assert!(Locations::discrete(&signature).is_empty());
        signature.intern_lifeline("a");
        let locations = Locations::discrete(&signature);
        assert!(!locations.is_empty());
        assert_eq!(locations.len(), 1);
    }
}
