#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicUsize, Ordering::*, compiler_fence, fence};

static COUNT: AtomicU32 = AtomicU32::new(5);
static TOTAL: AtomicI64 = AtomicI64::new(-1);
static FLAG: AtomicBool = AtomicBool::new(false);
static SMALL: AtomicU8 = AtomicU8::new(250);
static mut PLAIN: [u16; 4] = [1, 2, 3, 4];

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for k in 0..hidden(10) {
        TOTAL.fetch_add(COUNT.fetch_add(k, SeqCst) as i64, Relaxed);
        SMALL.fetch_add(1, AcqRel);
    }
    num(COUNT.load(Acquire) as i64);
    num(TOTAL.swap(9, SeqCst));
    num(SMALL.fetch_max(7, Relaxed) as i64);
    num(FLAG.compare_exchange(false, true, AcqRel, Acquire).is_ok() as i64);
    num(FLAG.compare_exchange(false, true, AcqRel, Acquire).is_err() as i64);
    num(COUNT.fetch_update(SeqCst, SeqCst, |x| x.checked_mul(3)).unwrap_or(0) as i64);
    num((COUNT.fetch_nand(0xff, SeqCst) ^ COUNT.load(SeqCst)) as i64);
    fence(SeqCst);
    compiler_fence(SeqCst);
    unsafe {
        let at = &raw mut PLAIN;
        (*at)[hidden(2)] += 40;
        num((*at).iter().map(|x| *x as i64).sum());
    }
    num(core::hint::black_box(33));
    let index = AtomicUsize::new(3);
    num(index.fetch_sub(1, Release) as i64);
    line();
    0
}

