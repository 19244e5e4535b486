//! Debug metadata beside a module's text: which node is attached to what. The nodes are the caller's. Node 0 is the compile unit,
//! which is attached to nothing, so that 0 stands for none in columns. Columns end with the last row that has something.

use crate::base::Column;
use crate::ir::{FuncId, GlobalId, Inst};

/// What is attached to the text of a module.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Per function.
    pub functions: Column<FuncId, BodyMetadata>,
    /// Per global: its node, or 0.
    pub globals: Column<GlobalId, u32>,
    /// The nodes as text, at the end of all.
    pub nodes: String,
    /// How many these are: their numbers are below this.
    pub count: u32,
    /// Those of them that are flags of the module.
    pub flags: [u32; 2],
}

/// What is attached to the text of a function.
#[derive(Clone, Debug, Default)]
pub struct BodyMetadata {
    /// Its own node.
    pub node: Option<u32>,
    /// Per instruction: where it comes from, or 0.
    pub places: Column<Inst, u32>,
    /// Per instruction that is a variable's memory: the variable, or 0, and where that is declared.
    pub declared: Column<Inst, [u32; 2]>,
}
