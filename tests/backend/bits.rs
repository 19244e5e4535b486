//! Operations on bits and roundings by name against gcc's.

use super::*;

const INTS: [(&str, Type); 4] =
    [("uint8_t", Type::I8), ("uint16_t", Type::I16), ("uint32_t", Type::I32), ("uint64_t", Type::I64)];

type Unary = fn(&mut FunctionBuilder, Val) -> Val;
type Binary = fn(&mut FunctionBuilder, Val, Val) -> Val;

#[test]
fn bits_and_roundings_are_what_gcc_makes_of_them() {
    let of_bits: [(&str, Unary); 4] = [
        ("ones", |f, a| f.count_ones(a)),
        ("trailing", |f, a| f.trailing_zeros(a)),
        ("leading", |f, a| f.leading_zeros(a)),
        ("swapped", |f, a| f.swap_bytes(a)),
    ];
    let turns: [(&str, Binary); 2] =
        [("left", |f, a, by| f.rotate_left(a, by)), ("right", |f, a, by| f.rotate_right(a, by))];
    let roundings: [(&str, Unary); 3] =
        [("trunc", |f, a| f.ftrunc(a)), ("floor", |f, a| f.floor(a)), ("ceil", |f, a| f.ceil(a))];
    let floats = [("float", Type::F32), ("double", Type::F64)];
    let build = |target| {
        let mut m = Module::new(target);
        // From memory and to memory, so that nothing is known of how arguments travel.
        let types = (&[Type::Ptr, Type::Ptr][..], Type::I32);
        let done = |f: &mut FunctionBuilder, y: Val| {
            f.store(y, f.param(1));
            let zero = f.int(Type::I32, 0);
            f.ret(Some(zero));
        };
        for (int, ty) in INTS {
            for (name, operation) in of_bits {
                function(&mut m, &format!("{name}_{int}"), types, |f| {
                    let x = f.load(ty, f.param(0));
                    let y = operation(f, x);
                    done(f, y);
                })?;
            }
            for (name, operation) in turns {
                function(&mut m, &format!("{name}_{int}"), types, |f| {
                    let (x, by) = (f.load(ty, f.param(0)), f.load(ty, f.param(1)));
                    let y = operation(f, x, by);
                    done(f, y);
                })?;
            }
        }
        for (float, ty) in floats {
            for (name, operation) in roundings {
                function(&mut m, &format!("{name}_{float}"), types, |f| {
                    let x = f.load(ty, f.param(0));
                    let y = operation(f, x);
                    done(f, y);
                })?;
            }
        }
        Ok(m)
    };
    let mut c =
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#include <math.h>\n".to_string();
    let mut calls = String::new();
    for (int, ty) in INTS {
        let bits = ty.int_bits();
        for (name, want) in [
            ("ones", "__builtin_popcountll(i)".to_string()),
            ("trailing", format!("(i ? __builtin_ctzll(i) : {bits})")),
            ("leading", format!("(i ? __builtin_clzll(i) - {} : {bits})", 64 - bits)),
            ("swapped", format!("({int})(__builtin_bswap64(i) >> {})", 64 - bits)),
        ] {
            c += &format!("int {name}_{int}(void *, void *);\n");
            calls += &format!("{{ {int} i = x, j; {name}_{int}(&i, &j); bad += j != {want}; }}\n");
        }
        for (name, one, other) in [("left", "<<", ">>"), ("right", ">>", "<<")] {
            c += &format!("int {name}_{int}(void *, void *);\n");
            calls += &format!(
                "{{ {int} i = x, j = k; int n = j % {bits}; {name}_{int}(&i, &j);
                   bad += j != ({int})(n ? i {one} n | i {other} ({bits} - n) : i); }}\n"
            );
        }
    }
    for (float, suffix) in [("float", "f"), ("double", "")] {
        for name in ["trunc", "floor", "ceil"] {
            c += &format!("int {name}_{float}(void *, void *);\n");
            calls += &format!(
                "{{ {float} i = values[k % 16] * (k % 5 ? 1 : ({float})(int64_t)x), j, want = {name}{suffix}(i); {name}_{float}(&i, &j);
                   bad += i == i ? memcmp(&j, &want, sizeof j) != 0 : j == j; }}\n"
            );
        }
    }
    c += &format!(
        "int main(void) {{
            static const double values[] = {{0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 0.99999999, -0.3, 4503599627370495.5, -4503599627370497.0, 1e300,
                INFINITY, -INFINITY, NAN}};
            int bad = 0; uint64_t state = 88172645463325252u;
            for (int k = 0; k < 5000; k++) {{
                state ^= state << 13; state ^= state >> 7; state ^= state << 17;
                uint64_t x = k == 0 ? 0 : k % 3 == 0 ? state : k % 3 == 1 ? state >> (state & 63) : state << (state & 63);
                {calls}
            }}
            printf(\"%d\\n\", bad);
            return 0;
        }}"
    );
    assert_eq!(with_c(build, &c), "0\n");
}
