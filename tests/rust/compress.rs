#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Writer<'a> {
    out: &'a mut [u8],
    bit: usize,
}
impl Writer<'_> {
    fn put(&mut self, value: u32, bits: u32) {
        for k in (0..bits).rev() {
            if value >> k & 1 == 1 {
                self.out[self.bit / 8] |= 0x80 >> (self.bit % 8);
            }
            self.bit += 1;
        }
    }
    fn gamma(&mut self, x: u32) {
        let bits = 31 - x.leading_zeros();
        self.put(0, bits);
        self.put(x, bits + 1);
    }
}

struct Reader<'a> {
    from: &'a [u8],
    bit: usize,
}
impl Reader<'_> {
    fn get(&mut self) -> u32 {
        let x = self.from[self.bit / 8] >> (7 - self.bit % 8) & 1;
        self.bit += 1;
        x as u32
    }
    fn gamma(&mut self) -> u32 {
        let mut zeros = 0;
        while self.get() == 0 {
            zeros += 1;
        }
        (0..zeros).fold(1, |x, _| x << 1 | self.get())
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let words = hidden(*b"abracadabra abracadabra alakazam");
    let mut out = [0u8; 128];
    let mut writer = Writer { out: &mut out, bit: 0 };
    let mut at = 0;
    while at < words.len() {
        let (mut far, mut long) = (0, 0);
        for start in 0..at {
            let same = words[at..].iter().zip(&words[start..]).take_while(|(a, b)| a == b).count();
            if same > long {
                (far, long) = (at - start, same);
            }
        }
        if long >= 3 {
            writer.put(1, 1);
            writer.gamma(far as u32);
            writer.gamma(long as u32);
            at += long;
        } else {
            writer.put(0, 1);
            writer.put(words[at] as u32, 8);
            at += 1;
        }
    }
    let bits = writer.bit;
    num(bits as i64);
    let (mut reader, mut back, mut used) = (Reader { from: &out, bit: 0 }, [0u8; 32], 0);
    while reader.bit < bits {
        if reader.get() == 1 {
            let (far, long) = (reader.gamma() as usize, reader.gamma() as usize);
            for _ in 0..long {
                back[used] = back[used - far];
                used += 1;
            }
        } else {
            back[used] = (0..8).fold(0, |x, _| x << 1 | reader.get() as u8);
            used += 1;
        }
    }
    num((back == words) as i64);
    line();
    0
}

