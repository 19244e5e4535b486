#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy)]
struct Node {
    key: i32,
    size: u32,
    priority: u32,
    down: [Option<u16>; 2],
}

struct Treap {
    nodes: [Node; 64],
    used: u16,
    root: Option<u16>,
}

impl Treap {
    fn size(&self, at: Option<u16>) -> u32 {
        at.map_or(0, |k| self.nodes[k as usize].size)
    }
    fn update(&mut self, k: u16) {
        let [a, b] = self.nodes[k as usize].down;
        self.nodes[k as usize].size = 1 + self.size(a) + self.size(b);
    }
    fn turn(&mut self, k: u16, side: usize) -> u16 {
        let Some(up) = self.nodes[k as usize].down[side] else { return k };
        self.nodes[k as usize].down[side] = self.nodes[up as usize].down[1 - side];
        self.nodes[up as usize].down[1 - side] = Some(k);
        self.update(k);
        self.update(up);
        up
    }
    fn insert(&mut self, at: Option<u16>, key: i32) -> u16 {
        let Some(k) = at else {
            let k = self.used;
            self.nodes[k as usize] = Node { key, size: 1, priority: (key as u32).wrapping_mul(2_654_435_761), down: [None; 2] };
            self.used += 1;
            return k;
        };
        let Node { key: here, down, .. } = self.nodes[k as usize];
        let side = match key.cmp(&here) {
            core::cmp::Ordering::Equal => return k,
            core::cmp::Ordering::Less => 0,
            core::cmp::Ordering::Greater => 1,
        };
        let below = self.insert(down[side], key);
        self.nodes[k as usize].down[side] = Some(below);
        self.update(k);
        if self.nodes[below as usize].priority > self.nodes[k as usize].priority { self.turn(k, side) } else { k }
    }
    fn nth(&self, mut n: u32) -> Option<i32> {
        let mut at = self.root?;
        loop {
            let node = &self.nodes[at as usize];
            let left = self.size(node.down[0]);
            if n == left {
                return Some(node.key);
            }
            (at, n) = if n < left { (node.down[0]?, n) } else { (node.down[1]?, n - left - 1) };
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut tree = Treap { nodes: [Node { key: 0, size: 0, priority: 0, down: [None; 2] }; 64], used: 0, root: None };
    for k in 0..hidden(50) {
        tree.root = Some(tree.insert(tree.root, k * 37 % 64 - 20));
    }
    for n in (0..50).step_by(7) {
        num(tree.nth(n).unwrap_or(-999) as i64);
    }
    num(tree.nth(50).is_none() as i64);
    num(tree.size(tree.root) as i64);
    line();
    0
}

