#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

type Matrix = [[f64; 4]; 4];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

fn determinant(mut m: Matrix) -> f64 {
    let mut det = 1.0;
    for k in 0..4 {
        let mut best = k;
        for r in k + 1..4 {
            if m[r][k].abs() > m[best][k].abs() {
                best = r;
            }
        }
        if m[best][k] == 0.0 {
            return 0.0;
        }
        if best != k {
            m.swap(best, k);
            det = -det;
        }
        det *= m[k][k];
        for r in k + 1..4 {
            let by = m[r][k] / m[k][k];
            for c in k..4 {
                m[r][c] -= by * m[k][c];
            }
        }
    }
    det
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let a: Matrix = core::array::from_fn(|i| core::array::from_fn(|j| ((i * 7 + j * 3) % 5) as f64 + hidden(0.5)));
    let b = product(&a, &a);
    for row in &b {
        for x in row {
            hex(x.to_bits() as u128 >> 20);
        }
    }
    line();
    num((determinant(a) * 1024.0) as i64);
    num((determinant([[0.0; 4]; 4]) * 2.0) as i64);
    let single: [f32; 8] = core::array::from_fn(|k| k as f32 * hidden(0.25));
    num((single.iter().zip(single.iter().rev()).map(|(a, b)| a * b).sum::<f32>() * 64.0) as i64);
    line();
    0
}

