#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Ring<T, const N: usize> {
    items: [core::mem::MaybeUninit<T>; N],
    first: usize,
    used: usize,
}

impl<T, const N: usize> Ring<T, N> {
    const fn new() -> Self {
        Ring { items: [const { core::mem::MaybeUninit::uninit() }; N], first: 0, used: 0 }
    }
    fn push(&mut self, x: T) -> Result<(), T> {
        if self.used == N {
            return Err(x);
        }
        self.items[(self.first + self.used) % N].write(x);
        self.used += 1;
        Ok(())
    }
    fn pop(&mut self) -> Option<T> {
        (self.used > 0).then(|| {
            let x = unsafe { self.items[self.first].assume_init_read() };
            self.first = (self.first + 1) % N;
            self.used -= 1;
            x
        })
    }
}

impl<T, const N: usize> Drop for Ring<T, N> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

struct Counted<'a>(&'a core::cell::Cell<i64>, i64);
impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() * 3 + self.1);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let dropped = core::cell::Cell::new(0);
    {
        let mut ring = Ring::<Counted, 4>::new();
        for k in 0..hidden(7) {
            if let Err(x) = ring.push(Counted(&dropped, k)) {
                num(-x.1);
                drop(ring.pop());
            }
        }
        num(ring.used as i64);
    }
    num(dropped.get());
    let mut grid = [[0u8; 12]; 9];
    (0..9).for_each(|y| grid[y][y * 5 % 12] = 1);
    (0..7).for_each(|y| grid[y][6] = 1);
    let mut todo = Ring::<(u8, u8, u16), 128>::new();
    _ = todo.push((0, 1, 0));
    let mut far = 0;
    while let Some((y, x, steps)) = todo.pop() {
        far = far.max(steps);
        for (dy, dx) in [(0i8, 1i8), (1, 0), (0, -1), (-1, 0)] {
            let (Some(y), Some(x)) = (y.checked_add_signed(dy), x.checked_add_signed(dx)) else { continue };
            if y < 9 && x < 12 && grid[y as usize][x as usize] == 0 {
                grid[y as usize][x as usize] = 2;
                _ = todo.push((y, x, steps + 1));
            }
        }
    }
    num(far as i64);
    num(grid.iter().flatten().filter(|&&c| c == 2).count() as i64);
    line();
    0
}

