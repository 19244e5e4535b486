//! What the pointer parameters of a function lead to, over all of its calls: into which globals, and which two of them never
//! into one object. `opt/calls/points_to` finds it, and `analysis/alias` asks. Text does not have it.

use super::module::GlobalId;

/// The first parameters, which are told apart: pairs of so many fit into a word.
pub const MOST_PARAMS: u32 = 11;

/// Globals that are noted of a parameter.
const MOST_GLOBALS: usize = 4;

/// Objects of parameters. It begins with none at all, and grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointsTo {
    /// Bits of parameters that may lead anywhere.
    open: u16,
    /// The globals that each of the others may lead into.
    globals: Vec<(u32, GlobalId)>,
    /// Bits of pairs that may lead into one object.
    shared: u64,
}

impl PointsTo {
    /// True if a parameter may lead into a global.
    pub fn may_lead_into(&self, param: u32, global: GlobalId) -> bool {
        param >= MOST_PARAMS || self.open & 1 << param != 0 || self.globals.contains(&(param, global))
    }

    /// True if two parameters may lead into one object.
    pub fn may_meet(&self, a: u32, b: u32) -> bool {
        a == b || a.max(b) >= MOST_PARAMS || self.shared & pair(a, b) != 0
    }

    /// True if a parameter may lead anywhere.
    pub fn is_open(&self, param: u32) -> bool {
        param >= MOST_PARAMS || self.open & 1 << param != 0
    }

    /// The globals of a parameter that is not open.
    pub fn globals_of(&self, param: u32) -> impl Iterator<Item = GlobalId> {
        self.globals.iter().filter(move |row| row.0 == param).map(|row| row.1)
    }

    /// Notes that a parameter may lead into a global; true if that is new.
    pub fn lead_into(&mut self, param: u32, global: GlobalId) -> bool {
        if self.may_lead_into(param, global) {
            return false;
        }
        if self.globals_of(param).count() == MOST_GLOBALS {
            return self.open(param);
        }
        self.globals.push((param, global));
        true
    }

    /// Notes that a parameter may lead anywhere; true if that is new.
    pub fn open(&mut self, param: u32) -> bool {
        if self.is_open(param) {
            return false;
        }
        self.open |= 1 << param;
        self.globals.retain(|row| row.0 != param);
        true
    }

    /// Notes that two parameters may lead into one object; true if that is new.
    pub fn meet(&mut self, a: u32, b: u32) -> bool {
        let is_new = !self.may_meet(a, b);
        if is_new {
            self.shared |= pair(a, b);
        }
        is_new
    }
}

fn pair(a: u32, b: u32) -> u64 {
    let (low, high) = (a.min(b), a.max(b));
    1 << (high * high.saturating_sub(1) / 2 + low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;

    #[test]
    fn each_pair_and_each_parameter_is_itself() {
        for (a, b) in (0..MOST_PARAMS).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let mut all = PointsTo::default();
            assert!(all.meet(b, a) && !all.meet(a, b));
            let pairs = (0..MOST_PARAMS).flat_map(|d| (0..d).map(move |c| (c, d)));
            let met: Vec<(u32, u32)> = pairs.filter(|&(c, d)| all.may_meet(c, d)).collect();
            assert_eq!(met, [(a, b)]);
        }
        assert!(PointsTo::default().may_meet(3, 3) && PointsTo::default().may_meet(0, MOST_PARAMS));
    }

    #[test]
    fn a_parameter_of_many_globals_may_lead_anywhere() {
        let mut all = PointsTo::default();
        let globals: Vec<GlobalId> = (0..=MOST_GLOBALS).map(GlobalId::new).collect();
        for &global in &globals[..MOST_GLOBALS] {
            assert!(all.lead_into(2, global) && !all.lead_into(2, global));
        }
        assert!(!all.may_lead_into(2, globals[MOST_GLOBALS]) && !all.may_lead_into(1, globals[0]));
        assert!(all.lead_into(2, globals[MOST_GLOBALS]) && all.is_open(2) && !all.lead_into(2, globals[0]));
        assert!(all.may_lead_into(2, GlobalId::new(99)) && !all.may_lead_into(1, globals[0]));
    }
}
