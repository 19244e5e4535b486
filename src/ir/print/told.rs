//! Debug metadata beside a module's text: which node is attached to what. The nodes are the caller's.

use crate::base::Column;
use crate::ir::{FuncId, GlobalId, Inst};
use std::collections::BTreeMap;

/// What is attached to the text of a module.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Per function.
    pub functions: Column<FuncId, ToldBody>,
    /// Globals with the node of each.
    pub globals: BTreeMap<GlobalId, u32>,
    /// The nodes as text, at the end of all.
    pub nodes: String,
    /// How many these are: their numbers are below this.
    pub count: u32,
    /// Those of them that are flags of the module.
    pub flags: [u32; 2],
}

/// What is attached to the text of a function.
#[derive(Clone, Debug, Default)]
pub struct ToldBody {
    /// Its own node.
    pub node: Option<u32>,
    /// Instructions with where they come from.
    pub places: BTreeMap<Inst, u32>,
    /// Memory with the variable that it is, and where that is declared.
    pub declared: BTreeMap<Inst, (u32, u32)>,
}
