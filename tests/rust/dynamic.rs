#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

trait Shape {
    fn area(&self) -> i64;
    fn name(&self) -> &'static str {
        "shape"
    }
    fn scale(&mut self, by: i32);
}
struct Square(i32);
struct Rectangle {
    wide: i32,
    high: i32,
    drops: *mut i32,
}
impl Shape for Square {
    fn area(&self) -> i64 {
        self.0 as i64 * self.0 as i64
    }
    fn scale(&mut self, by: i32) {
        self.0 *= by;
    }
}
impl Shape for Rectangle {
    fn area(&self) -> i64 {
        self.wide as i64 * self.high as i64
    }
    fn name(&self) -> &'static str {
        "rectangle"
    }
    fn scale(&mut self, by: i32) {
        self.wide *= by;
        self.high *= by;
    }
}
impl Drop for Rectangle {
    fn drop(&mut self) {
        unsafe { *self.drops += 1 };
    }
}

#[inline(never)]
fn total(shapes: &mut [&mut dyn Shape]) -> i64 {
    let mut sum = 0;
    for (k, shape) in shapes.iter_mut().enumerate() {
        shape.scale(k as i32 + 1);
        text(shape.name());
        put_byte(b' ');
        sum += shape.area();
    }
    sum
}

#[inline(never)]
fn apply(f: &dyn Fn(i32) -> i32, x: i32) -> i32 {
    f(f(x))
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut drops = 0;
    {
        let (mut a, mut b) = (Square(hidden(3)), Rectangle { wide: 4, high: hidden(5), drops: &mut drops });
        let mut c = Rectangle { wide: 1, high: 2, drops: &mut drops };
        num(total(&mut [&mut a, &mut b, &mut c]));
    }
    num(drops as i64);
    let k = hidden(7);
    num(apply(&|x| x * k + 1, 2) as i64);
    num(apply(&|x| x - k, 2) as i64);
    let table: [fn(i32) -> i32; 3] = [|x| x + 1, |x| x * 2, i32::abs];
    num(table.iter().fold(hidden(-9), |x, f| f(x)) as i64);
    line();
    0
}
