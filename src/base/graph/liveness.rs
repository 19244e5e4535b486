//! Liveness by use, one value after the other: from each use up to the definition, stopping where the same
//! value has been. O(uses + size of the answer), so for values that are few or live shortly; what fits a bit
//! set a node, and lives everywhere, is cheaper by data flow.
//!
//! (Boissinot et al., "Computing liveness sets for SSA-form programs", 2011, section 5.2.)

use super::Graph;
use crate::base::{Column, Opt};

/// Appends to `entries` the nodes at the start of which a value is live that is defined in `home` and used in
/// `uses`, each once. A use by a phi counts in the node that its operand comes from. In `home` itself a use
/// must stand behind the definition, which is at the start of the graph if there is no `home`. `mark` names
/// per node the last value that came by.
#[inline]
pub fn live_into<G: Graph, V: crate::base::Handle>(
    g: &G,
    (value, home): (V, Option<G::Node>),
    uses: impl Iterator<Item = G::Node>,
    mark: &mut Column<G::Node, Opt<V>>,
    entries: &mut Vec<(G::Node, V)>,
) {
    let this = Opt::some(value);
    // The new entries are also the nodes whose predecessors are still to be looked at.
    let mut next = entries.len();
    if let Some(home) = home {
        mark[home] = this;
    }
    let mut reach = |entries: &mut Vec<(G::Node, V)>, node: G::Node| {
        if mark[node] != this {
            mark[node] = this;
            entries.push((node, value));
        }
    };
    uses.for_each(|node| reach(entries, node));
    while let Some(&(node, _)) = entries.get(next) {
        next += 1;
        g.predecessors(node).for_each(|from| reach(entries, from));
    }
}
