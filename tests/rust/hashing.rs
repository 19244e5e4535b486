#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

const TABLE: [u32; 256] = {
    let mut rows = [0u32; 256];
    let mut k = 0;
    while k < 256 {
        let (mut x, mut bit) = (k as u32, 0);
        while bit < 8 {
            x = if x & 1 == 1 { x >> 1 ^ 0xedb8_8320 } else { x >> 1 };
            bit += 1;
        }
        rows[k] = x;
        k += 1;
    }
    rows
};

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &c| crc >> 8 ^ TABLE[(crc as u8 ^ c) as usize])
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &c| (h ^ c as u64).wrapping_mul(0x100_0000_01b3))
}

fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

fn sip(bytes: &[u8], k0: u64, k1: u64) -> u64 {
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let m = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        v[3] ^= m;
        sip_round(&mut v);
        sip_round(&mut v);
        v[0] ^= m;
    }
    let mut last = (bytes.len() as u64) << 56;
    for (k, &c) in chunks.remainder().iter().enumerate() {
        last |= (c as u64) << (8 * k);
    }
    v[3] ^= last;
    sip_round(&mut v);
    sip_round(&mut v);
    v[0] ^= last;
    v[2] ^= 0xff;
    (0..4).for_each(|_| sip_round(&mut v));
    v.iter().fold(0, |all, x| all ^ x)
}

fn mix(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut bytes = *b"The quick brown fox jumps over the lazy dog.....";
    bytes[5] = hidden(b'u');
    hex(crc(&bytes) as u128);
    hex(fnv(&bytes) as u128);
    hex(sip(&bytes[..43], hidden(1), 2) as u128);
    hex(mix(hidden(0x9e37_79b9_7f4a_7c15), 0xbf58_476d_1ce4_e5b9) as u128);
    hex(bytes.windows(3).map(|w| w[0] as u32 * 31 + w[1] as u32 * 7 + w[2] as u32).fold(0, |a, b| a ^ b.rotate_left(a & 31)) as u128);
    line();
    0
}
