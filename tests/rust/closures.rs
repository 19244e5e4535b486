// Calls code of core that is in no text: for AArch64 alone, whose library is installed.
#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Stack<T: Copy, const N: usize> {
    items: [Option<T>; N],
    used: usize,
}
impl<T: Copy, const N: usize> Stack<T, N> {
    fn push(&mut self, x: T) -> bool {
        let is_room = self.used < N;
        if is_room {
            self.items[self.used] = Some(x);
            self.used += 1;
        }
        is_room
    }
    fn pop(&mut self) -> Option<T> {
        self.used = self.used.checked_sub(1)?;
        self.items[self.used].take()
    }
}

#[inline(never)]
fn twice(f: impl Fn(i64) -> i64) -> impl Fn(i64) -> i64 {
    move |x| f(f(x))
}

#[inline(never)]
fn each(items: &mut [i32], f: &mut dyn FnMut(usize, &mut i32)) {
    for (k, x) in items.iter_mut().enumerate() {
        f(k, x);
    }
}

fn once<F: FnOnce() -> R, R>(f: F) -> R {
    f()
}

fn evaluate(words: &str) -> Option<i64> {
    let mut stack = Stack::<i64, 8> { items: [None; 8], used: 0 };
    for word in words.split(' ') {
        let value = match word {
            "+" => stack.pop()?.checked_add(stack.pop()?)?,
            "*" => stack.pop()?.checked_mul(stack.pop()?)?,
            "-" => {
                let b = stack.pop()?;
                stack.pop()? - b
            }
            number => number.parse().ok()?,
        };
        if !stack.push(value) {
            return None;
        }
    }
    stack.pop().filter(|_| stack.used == 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let k = hidden(5i64);
    num(twice(twice(|x| x * 3 + k))(1));
    let (mut sum, mut items) = (0i64, [4, 8, 15, 16, 23, 42]);
    each(&mut items, &mut |k, x| {
        sum += *x as i64 * k as i64;
        *x -= k as i32;
    });
    num(sum);
    num(items.iter().map(|x| *x as i64).sum());
    let big = [hidden(9u64); 12];
    num(once(move || big.iter().sum::<u64>() as i64));
    for words in ["3 4 + 2 *", "1 2 - 3 -", "1 +", "9999999999 9999999999 *", "1 2 3 4 5 6 7 8 9", "7"] {
        num(evaluate(words).unwrap_or(-1000));
    }
    let operations: [(&str, &dyn Fn(i64, i64) -> i64); 3] = [("add", &|a, b| a + b), ("scale", &|a, b| a * b * k), ("less", &i64::min)];
    for (name, f) in operations {
        text(name);
        put_byte(b' ');
        num(f(k, hidden(7)));
    }
    line();
    0
}
