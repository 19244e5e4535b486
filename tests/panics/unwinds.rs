// Panics through frames with destructors, caught, looked into, and gone on with.

use std::panic::{catch_unwind, panic_any, resume_unwind, AssertUnwindSafe};

struct Guard<'a>(&'a mut u32, u32);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        *self.0 = *self.0 * 10 + self.1;
    }
}

#[inline(never)]
fn fails(n: u32) -> u32 {
    match n % 4 {
        0 => panic_any(n),
        1 => panic!("one of {n}"),
        2 => [1, 2, 3][n as usize],
        _ => n,
    }
}

#[inline(never)]
fn works(n: u32, left: &mut u32) -> u32 {
    let first = Guard(left, 1);
    let second = Guard(&mut *first.0, 2);
    let x = fails(n);
    *second.0 += 3;
    x + fails(n + 4)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    std::panic::set_hook(Box::new(|_| ()));
    let mut left = 0;
    for n in 0..12 {
        let done = catch_unwind(AssertUnwindSafe(|| works(n, &mut left)));
        match done {
            Ok(x) => println!("{n}: {x}, {left}"),
            Err(what) => {
                let word = what.downcast_ref::<u32>().map(|x| x.to_string());
                let word = word.or_else(|| what.downcast_ref::<String>().cloned());
                println!("{n}: {word:?}, {left}");
                let again = catch_unwind(AssertUnwindSafe(|| resume_unwind(what)));
                println!("{}", again.is_err());
            }
        }
        left = 0;
    }
    left as i32
}
