#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Node {
    value: i32,
    next: *mut Node,
}

struct Arena {
    nodes: [Node; 16],
    used: usize,
}

impl Arena {
    fn make(&mut self, value: i32, next: *mut Node) -> *mut Node {
        let node = &mut self.nodes[self.used];
        self.used += 1;
        *node = Node { value, next };
        node
    }
}

unsafe fn reverse(mut head: *mut Node) -> *mut Node {
    let mut back = core::ptr::null_mut();
    while !head.is_null() {
        let next = unsafe { (*head).next };
        unsafe { (*head).next = back };
        (back, head) = (head, next);
    }
    back
}

#[inline(never)]
unsafe fn copy(to: *mut u8, from: *const u8, n: usize) {
    unsafe {
        core::ptr::copy_nonoverlapping(from, to, n);
        core::ptr::copy(to, to.add(2), n - 2);
        to.write_bytes(0x2a, 1);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut arena = Arena { nodes: [const { Node { value: 0, next: core::ptr::null_mut() } }; 16], used: 0 };
    let mut head = core::ptr::null_mut();
    for k in 0..hidden(6) {
        head = arena.make(k * k, head);
    }
    unsafe {
        head = reverse(head);
        let mut at = head;
        while let Some(node) = at.as_ref() {
            num(node.value as i64);
            at = node.next;
        }
        let mut bytes = [0u8; 12];
        copy(bytes.as_mut_ptr(), hidden(*b"abcdefghijkl").as_ptr(), 12);
        bytes.iter().for_each(|&c| put_byte(c));
        put_byte(b' ');
        let words = [hidden(1u16), 2, 3, 4];
        let at = words.as_ptr();
        num(at.add(3).offset_from(at) as i64 + *at.add(hidden(2)) as i64);
        num(at.cast::<u8>().add(1).cast::<u16>().read_unaligned() as i64);
        let (mut a, mut b) = (hidden(5u64), 6u64);
        core::ptr::swap(&mut a, &mut b);
        num(core::mem::replace(&mut a, 1) as i64 * 10 + b as i64);
        let f: extern "C" fn(i32) -> i32 = { extern "C" fn twice(x: i32) -> i32 { x * 2 } twice };
        num(hidden(f)(21) as i64);
    }
    line();
    0
}

