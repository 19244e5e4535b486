#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

use core::cell::{Cell, OnceCell, RefCell};

struct Shared<'a> {
    count: &'a Cell<u32>,
    log: &'a RefCell<[u8; 8]>,
}

impl Clone for Shared<'_> {
    fn clone(&self) -> Self {
        self.count.set(self.count.get() + 1);
        Shared { ..*self }
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        let n = self.count.get() - 1;
        self.count.set(n);
        self.log.borrow_mut()[n as usize & 7] += 1;
    }
}

fn deep(shared: Shared, n: u32) -> u32 {
    if n == 0 { shared.count.get() } else { deep(shared.clone(), n - 1) }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let (count, log) = (Cell::new(1), RefCell::new([0; 8]));
    {
        let shared = Shared { count: &count, log: &log };
        num(deep(shared.clone(), hidden(4)) as i64);
        let two = [shared.clone(), shared.clone()];
        num(two.len() as i64 + count.get() as i64);
    }
    num(count.get() as i64);
    log.borrow().iter().for_each(|x| num(*x as i64));
    num(log.try_borrow_mut().is_ok() as i64);
    let held = log.borrow();
    num(log.try_borrow_mut().is_err() as i64);
    drop(held);
    let once = OnceCell::new();
    num(*once.get_or_init(|| hidden(6)) as i64 + *once.get_or_init(|| 7) as i64);
    num(count.replace(9) as i64 + count.take() as i64);
    line();
    0
}

