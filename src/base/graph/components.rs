//! Strongly connected components, one after those that it has edges to: of a graph of calls, callees come
//! first. O(nodes + edges), with an explicit stack. (Tarjan, "Depth-first search and linear graph
//! algorithms", 1972, in the form of Gabow, "Path-based depth-first search for strong and biconnected
//! components", 2000.)

use crate::base::{Column, Handle, Rows};

/// The components.
#[derive(Clone, Debug, Default)]
pub struct Components<N> {
    /// All nodes, component after component.
    pub nodes: Vec<N>,
    /// Per component: where it ends in `nodes`.
    ends: Vec<u32>,
}

impl<N: Handle> Components<N> {
    /// The components of a graph of so many nodes with these edges.
    pub fn of(nodes: usize, successors: &Rows<N, N>) -> Components<N> {
        let mut out = Components { nodes: Vec::with_capacity(nodes), ends: Vec::new() };
        // Per node: 0 until it is met, then one more than its number on `open`; `DONE` once its component is
        // out.
        let mut place: Column<N, u32> = Column::filled(nodes, 0);
        // Nodes met whose components are not out, and where in there the candidates for components begin.
        let (mut open, mut starts): (Vec<N>, Vec<u32>) = (Vec::new(), Vec::new());
        // Nodes of the path, and how many of its successors each has entered.
        let mut path: Vec<(N, u32)> = Vec::new();
        for root in place.keys() {
            let mut next = (place[root] == 0).then_some(root);
            loop {
                if let Some(n) = next.take() {
                    starts.push(open.len() as u32);
                    open.push(n);
                    place[n] = open.len() as u32;
                    path.push((n, 0));
                }
                let Some((n, entered)) = path.last_mut() else { break };
                if let Some(&to) = successors.get(*n).get(*entered as usize) {
                    *entered += 1;
                    match place[to] {
                        0 => next = Some(to),
                        DONE => {}
                        // A cycle: all from there on are one.
                        at => starts.truncate(starts.partition_point(|&start| start < at)),
                    }
                    continue;
                }
                let n = *n;
                path.pop();
                if let Some(start) = starts.pop_if(|start| *start + 1 == place[n]) {
                    for &member in &open[start as usize..] {
                        place[member] = DONE;
                    }
                    out.nodes.extend(open.drain(start as usize..));
                    out.ends.push(out.nodes.len() as u32);
                }
            }
        }
        out
    }

    /// The components, each after those that it has edges to.
    pub fn iter(&self) -> impl Iterator<Item = &[N]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start as usize..end as usize])
    }
}

const DONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::super::random::{Node, random_graph, seeds};
    use super::*;

    #[test]
    fn components_are_what_reaches_each_other_and_come_after_what_they_reach() {
        for seed in seeds() {
            let g = random_graph(seed, 12);
            let mut rows = Rows::default();
            let edges: Vec<(Node, Node)> =
                g.nodes().flat_map(|n| g.successors(n).map(move |to| (n, to))).collect();
            rows.fill(g.node_count(), &edges);
            let components = Components::of(g.node_count(), &rows);
            let mut of: Column<Node, usize> = Column::filled(g.node_count(), usize::MAX);
            for (k, component) in components.iter().enumerate() {
                component.iter().for_each(|&n| of[n] = k);
            }
            for a in g.nodes() {
                let from_a = g.reached_without(a, None);
                for b in g.nodes() {
                    let both = from_a.contains(&b) && g.reached_without(b, None).contains(&a);
                    assert_eq!(of[a] == of[b], both, "seed {seed}");
                    assert!(!from_a.contains(&b) || of[b] <= of[a]);
                }
            }
        }
    }
}
