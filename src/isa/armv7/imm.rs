//! Legal immediates.

/// The 12-bit field of a data-processing immediate, 8 bits rotated right by an even amount: rotation / 2 in
/// the high 4 bits. The smallest rotation, as assemblers choose.
pub fn rotated(x: i32) -> Option<u32> {
    let x = x as u32;
    if x < 256 {
        return Some(x);
    }
    // The rotation that takes the lowest ones down to the bottom: no smaller field does, if this one does.
    let zeros = x.trailing_zeros() & !1;
    if x >> zeros < 256 {
        return Some((32 - zeros) << 7 | x >> zeros);
    }
    (1..4u32).find_map(|half| {
        let byte = x.rotate_left(2 * half);
        (byte < 256).then_some(half << 8 | byte)
    })
}

/// True if a data-processing instruction can hold it.
pub fn is_rotated(x: i32) -> bool {
    rotated(x).is_some()
}

/// Splits a non-negative number into immediates that data-processing instructions can hold and that add up to
/// it; none if it takes more than two.
pub fn chunks(x: u32) -> Option<(i32, i32)> {
    if is_rotated(x as i32) {
        return Some((x as i32, 0));
    }
    // The lowest byte at an even position, and the rest.
    let low = x & 0xff << (x.trailing_zeros() & !1);
    is_rotated((x & !low) as i32).then_some(((x & !low) as i32, low as i32))
}

/// True if a load or store of a word or byte can hold it as an offset.
pub fn fits_memory(x: i32) -> bool {
    (-4095..=4095).contains(&x)
}

/// True if a load or store of a half word can hold it as an offset.
pub fn fits_half_memory(x: i32) -> bool {
    (-255..=255).contains(&x)
}

/// True if a load or store of a float can hold it as an offset.
pub fn fits_float_memory(x: i32) -> bool {
    (-1020..=1020).contains(&x) && x % 4 == 0
}

/// The 8-bit immediate that stands for a float: sign, 3 bits of exponent, 4 of mantissa.
pub fn float(x: f32) -> Option<i32> {
    let bits = x.to_bits();
    let fits = bits << 13 == 0 && matches!(bits >> 25 & 0x3f, 0x1f | 0x20);
    fits.then_some((bits >> 24 & 0x80 | bits >> 19 & 0x7f) as i32)
}

/// The same for a double.
pub fn double(x: f64) -> Option<i32> {
    let bits = x.to_bits();
    let fits = bits << 16 == 0 && matches!(bits >> 54 & 0x1ff, 0xff | 0x100);
    fits.then_some((bits >> 56 & 0x80 | bits >> 48 & 0x7f) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_immediates() {
        for (x, field) in [(0, 0), (255, 255), (256, 0xc01), (1020, 0xfff), (-16_777_216, 0x4ff)] {
            assert_eq!(rotated(x), Some(field), "{x}");
        }
        assert_eq!(rotated(0xf000_000f_u32 as i32), Some(0x2ff));
        for x in [257, 510, 0x1fe, -1, i32::MAX, 0x101] {
            assert_eq!(rotated(x), None, "{x}");
        }
        // What the manual says: the least rotation that leaves a byte.
        let defined = |x: u32| {
            let byte = |half: u32| x.rotate_left(2 * half);
            (0..16).find(|&half| byte(half) < 256).map(|half| half << 8 | byte(half))
        };
        for k in 0..16 {
            for byte in 0..512u32 {
                let x = byte.rotate_right(2 * k);
                assert_eq!(rotated(x as i32), defined(x), "{x:#x}");
            }
        }
    }

    #[test]
    fn chunks_add_up() {
        for x in [0, 1, 255, 256, 4096, 4104, 65_528, 1 << 20, (1 << 20) + 8, 0xff00_ff00, 81_920] {
            let (a, b) = chunks(x).unwrap();
            assert!(is_rotated(a) && is_rotated(b));
            assert_eq!((a as u32).wrapping_add(b as u32), x);
        }
        assert_eq!(chunks(0x12_3458), None);
    }

    #[test]
    fn float_immediates_are_those_of_the_manual() {
        for (x, imm) in [(1.0, 0x70), (2.0, 0x00), (-1.0, 0xf0), (0.5, 0x60), (31.0, 0x3f), (0.125, 0x40)] {
            assert_eq!((float(x), double(x.into())), (Some(imm), Some(imm)), "{x}");
        }
        for x in [0.0, -0.0, 0.1, 32.0, 0.0625, f32::INFINITY, f32::NAN] {
            assert_eq!((float(x), double(x.into())), (None, None), "{x}");
        }
    }
}
