#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy, PartialEq)]
enum State {
    Idle,
    Number { value: u64, digits: u8 },
    Word(u32),
    Comment { depth: u16 },
    Done,
}

#[derive(Clone, Copy)]
#[repr(u8)]
enum Op {
    Push(i32),
    Add,
    Mul,
    Swap,
    Jump(u8),
    JumpIf(u8),
    Dup,
    Halt,
}

fn step(state: State, c: u8, out: &mut impl FnMut(i64)) -> State {
    use State::*;
    match (state, c) {
        (Idle, b'0'..=b'9') => Number { value: (c - b'0') as u64, digits: 1 },
        (Idle, b'a'..=b'z') => Word(c as u32),
        (Idle, b'(') => Comment { depth: 1 },
        (Idle, 0) => Done,
        (Number { value, digits }, b'0'..=b'9') => Number { value: value.wrapping_mul(10).wrapping_add((c - b'0') as u64), digits: digits.saturating_add(1) },
        (Number { value, digits }, _) => {
            out(value as i64);
            out(digits as i64);
            step(Idle, c, out)
        }
        (Word(h), b'a'..=b'z') => Word(h.wrapping_mul(31) + c as u32),
        (Word(h), _) => {
            out(-(h as i64));
            step(Idle, c, out)
        }
        (Comment { depth }, b'(') => Comment { depth: depth + 1 },
        (Comment { depth: 1 }, b')') => Idle,
        (Comment { depth }, b')') => Comment { depth: depth - 1 },
        (other, _) => other,
    }
}

fn run(code: &[Op]) -> (i32, u32) {
    let (mut stack, mut top, mut at, mut steps) = ([0i32; 16], 0usize, 0usize, 0u32);
    while let Some(&op) = code.get(at) {
        at += 1;
        steps += 1;
        match op {
            Op::Push(x) => {
                stack[top & 15] = x;
                top += 1;
            }
            Op::Add | Op::Mul => {
                top -= 1;
                let (a, b) = (stack[(top - 1) & 15], stack[top & 15]);
                stack[(top - 1) & 15] = if matches!(op, Op::Add) { a.wrapping_add(b) } else { a.wrapping_mul(b) };
            }
            Op::Swap => stack.swap((top - 1) & 15, (top - 2) & 15),
            Op::Dup => {
                stack[top & 15] = stack[(top - 1) & 15];
                top += 1;
            }
            Op::Jump(to) => at = to as usize,
            Op::JumpIf(to) => {
                if stack[(top - 1) & 15] != 0 {
                    at = to as usize;
                }
            }
            Op::Halt => break,
        }
    }
    (stack[(top - 2) & 15], steps)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut state = State::Idle;
    let mut out = |x: i64| num(x);
    for &c in hidden(b"12 abc (x (9) y) 007zz 18446744073709551615 (").iter().chain(&[b' ', 0]) {
        state = step(state, c, &mut out);
    }
    num((state == State::Comment { depth: 1 }) as i64);
    line();
    // Six factorial: below the top is the product, on top what is left.
    let code = [Op::Push(1), Op::Push(hidden(6)), Op::Dup, Op::Push(-1), Op::Add, Op::JumpIf(8), Op::Halt, Op::Jump(6), Op::Swap, Op::Dup, Op::Add, Op::Swap, Op::Dup, Op::JumpIf(3), Op::Halt];
    let (value, steps) = run(&code[..]);
    num(value as i64);
    num(steps as i64);
    line();
    0
}
