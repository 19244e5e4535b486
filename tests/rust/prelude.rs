// What all programs here share: numbers are printed by the C library's `putchar`, and a panic ends the program by code 101.

unsafe extern "C" {
    fn putchar(c: i32) -> i32;
    fn exit(code: i32) -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { exit(101) }
}

// What core's own code is compiled to name, for programs that unwind.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[inline(never)]
fn put_byte(c: u8) {
    unsafe { putchar(c as i32) };
}

fn text(words: &str) {
    for c in words.bytes() {
        put_byte(c);
    }
}

/// A number in base 16, which needs no quotient of 128 bits.
#[inline(never)]
fn hex(x: u128) {
    let mut shift = 124;
    while shift > 0 && x >> shift == 0 {
        shift -= 4;
    }
    loop {
        let digit = (x >> shift) as u8 & 15;
        put_byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        if shift == 0 {
            break;
        }
        shift -= 4;
    }
    put_byte(b' ');
}

#[inline(never)]
fn num(x: i64) {
    let mut rest = x.unsigned_abs();
    let mut digits = [0u8; 20];
    let mut count = 0;
    loop {
        digits[count] = b'0' + (rest % 10) as u8;
        count += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if x < 0 {
        put_byte(b'-');
    }
    while count > 0 {
        count -= 1;
        put_byte(digits[count]);
    }
    put_byte(b' ');
}

fn line() {
    put_byte(b'\n');
}

/// What the compiler cannot know.
#[inline(never)]
fn hidden<T: Copy>(x: T) -> T {
    unsafe { core::ptr::read_volatile(&x) }
}
