#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

trait Animal {
    fn legs(&self) -> u32;
    fn noise(&self, out: &mut dyn FnMut(u8));
}
trait Named: Animal {
    fn name(&self) -> &str;
    fn describe(&self) -> u32 {
        self.name().len() as u32 * 100 + self.legs()
    }
}
macro_rules! animal {
    ($ty:ident, $legs:expr, $noise:expr) => {
        struct $ty;
        impl Animal for $ty {
            fn legs(&self) -> u32 {
                $legs
            }
            fn noise(&self, out: &mut dyn FnMut(u8)) {
                $noise.iter().for_each(|c| out(*c));
            }
        }
        impl Named for $ty {
            fn name(&self) -> &str {
                stringify!($ty)
            }
        }
    };
}
animal!(Cat, 4, b"meow");
animal!(Bird, 2, b"tweet");
animal!(Snake, 0, b"s");

struct Loud<A: ?Sized>(u8, A);
impl<A: Animal + ?Sized> Animal for Loud<A> {
    fn legs(&self) -> u32 {
        self.1.legs()
    }
    fn noise(&self, out: &mut dyn FnMut(u8)) {
        let by = self.0;
        self.1.noise(&mut |c| (0..by).for_each(|_| out(c.to_ascii_uppercase())));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let animals: [&dyn Named; 3] = [&Cat, &Bird, &Snake];
    let mut heard = 0u32;
    for animal in hidden(animals) {
        num(animal.describe() as i64);
        animal.noise(&mut |c| {
            put_byte(c);
            heard += 1;
        });
        put_byte(b' ');
        let up: &dyn Animal = animal;
        num(up.legs() as i64);
    }
    let loud: &Loud<dyn Animal> = &Loud(hidden(2), Bird);
    loud.noise(&mut put_byte);
    put_byte(b' ');
    num(loud.legs() as i64 + heard as i64 + size_of_val(loud) as i64);
    line();
    0
}

