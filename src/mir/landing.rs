//! What the landing pads of a function catch: a row for each, and the types that they ask for, in the order in which
//! selection meets them. The number of a type is its place there, from 1, in the tables that unwinders read
//! (`isa/exceptions`) and where code compares with it; so bodies have numbers of types only from here on.
//! O(clauses x types).

/// What an exception is looked for in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing is: objects are destroyed, and unwinding goes on.
    Cleanup,
    /// It is caught if it is of this type, by its number.
    Catch(u32),
    /// It is caught if it is of none of the types of this filter.
    Filter(u32),
}

/// All of a function.
#[derive(Clone, Debug, Default)]
pub struct Landings {
    /// What asks them whether they catch an exception: a function, by its number.
    pub personality: Option<u32>,
    /// By landing pad: what is tried there, in order.
    pub rows: Vec<Vec<Action>>,
    /// By number, from 1: the global that describes the type; none for what catches everything.
    pub types: Vec<Option<u32>>,
    /// Numbers of types that are let through.
    pub filters: Vec<Vec<u32>>,
}

impl Landings {
    /// The number of a type.
    pub fn type_number(&mut self, of: Option<u32>) -> u32 {
        let known = self.types.iter().position(|&known| known == of);
        let at = known.unwrap_or_else(|| {
            self.types.push(of);
            self.types.len() - 1
        });
        at as u32 + 1
    }

    /// A filter of types.
    pub fn filter(&mut self, types: Vec<u32>) -> Action {
        let known = self.filters.iter().position(|known| *known == types);
        let at = known.unwrap_or_else(|| {
            self.filters.push(types);
            self.filters.len() - 1
        });
        Action::Filter(at as u32)
    }
}
