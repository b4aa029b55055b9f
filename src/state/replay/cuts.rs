//! Borders between batches that can be moved.

use tidemark_protocol::messages::CutUnit;

/// The input of a query in the order in which it was read, cut into triggers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts {
    pub query: String,
    pub units: Vec<CutUnit>,
    /// Number of units before each border, ascending; a border stands after its trigger.
    borders: Vec<usize>,
}

impl Cuts {
    /// The borders as the batches had them.
    pub fn new(query: String, units: Vec<CutUnit>) -> Cuts {
        let borders = (1..units.len()).filter(|at| units[*at].batch != units[at - 1].batch).collect();
        Cuts { query, units, borders }
    }

    /// Units of each trigger.
    pub fn sizes(&self) -> Vec<usize> {
        let ends = self.borders.iter().copied().chain([self.units.len()]);
        let starts = [0].into_iter().chain(self.borders.iter().copied());
        ends.zip(starts).map(|(end, start)| end - start).collect()
    }

    /// Border `number` at another place, between its neighbours. None: it cannot go there.
    pub fn moved(&self, number: usize, place: usize) -> Option<Cuts> {
        let low = number.checked_sub(1).and_then(|at| self.borders.get(at)).map_or(1, |before| before + 1);
        let high = self.borders.get(number + 1).map_or(self.units.len().saturating_sub(1), |after| after - 1);
        if low > high {
            return None;
        }
        let mut cuts = self.clone();
        let border = cuts.borders.get_mut(number)?;
        *border = place.clamp(low, high);
        (cuts != *self).then_some(cuts)
    }

    pub fn border(&self, number: usize) -> Option<usize> {
        self.borders.get(number).copied()
    }

    /// Without border `number`: two triggers are one.
    pub fn joined(&self, number: usize) -> Cuts {
        let mut cuts = self.clone();
        if number < cuts.borders.len() {
            cuts.borders.remove(number);
        }
        cuts
    }

    /// With a border before unit `place`.
    pub fn split(&self, place: usize) -> Cuts {
        let mut cuts = self.clone();
        if let Err(at) = cuts.borders.binary_search(&place)
            && (1..self.units.len()).contains(&place)
        {
            cuts.borders.insert(at, place);
        }
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts() -> Cuts {
        let unit = |batch: i64| CutUnit { origin: String::new(), label: String::new(), batch };
        Cuts::new("q".to_owned(), [0, 0, 1, 1, 1, 4].map(unit).to_vec())
    }

    #[test]
    fn borders_move_between_their_neighbours() {
        let cuts = cuts();
        assert_eq!(cuts.sizes(), [2, 3, 1]);
        assert_eq!(cuts.moved(0, 3).map(|cuts| cuts.sizes()), Some(vec![3, 2, 1]));
        assert_eq!(cuts.moved(0, 9).map(|cuts| cuts.sizes()), Some(vec![4, 1, 1]));
        assert_eq!(cuts.moved(1, 6), None);
        assert_eq!(cuts.joined(1).sizes(), [2, 4]);
        assert_eq!(cuts.split(1).sizes(), [1, 1, 3, 1]);
        assert_eq!(cuts.split(2), cuts);
    }
}
