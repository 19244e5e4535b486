//! Unsigned conversions against C's, and volatile accesses.

use super::*;

const INTS: [(&str, Type); 4] =
    [("uint8_t", Type::I8), ("uint16_t", Type::I16), ("uint32_t", Type::I32), ("uint64_t", Type::I64)];
const FLOATS: [(&str, Type); 2] = [("float", Type::F32), ("double", Type::F64)];

#[test]
fn unsigned_integers_become_floats_and_back() {
    let build = |target| {
        let mut m = Module::new(target);
        for (int, ty) in INTS {
            for (float, to) in FLOATS {
                // From memory and to memory, so that nothing is known of how arguments travel.
                function(&mut m, &format!("{int}_{float}"), (&[Type::Ptr, Type::Ptr], Type::I32), |f| {
                    let x = f.load(ty, f.param(0));
                    let y = f.uitofp(x, to);
                    f.store(y, f.param(1));
                    let zero = f.int(Type::I32, 0);
                    f.ret(Some(zero));
                })?;
                function(&mut m, &format!("{float}_{int}"), (&[Type::Ptr, Type::Ptr], Type::I32), |f| {
                    let x = f.load(to, f.param(0));
                    let y = f.fptoui(x, ty);
                    f.store(y, f.param(1));
                    let zero = f.int(Type::I32, 0);
                    f.ret(Some(zero));
                })?;
            }
        }
        Ok(m)
    };
    let mut c = "#include <stdint.h>\n#include <stdio.h>\n".to_string();
    let mut calls = String::new();
    for (int, ty) in INTS {
        for (float, _) in FLOATS {
            c += &format!("int {int}_{float}(void *, void *), {float}_{int}(void *, void *);\n");
            let limit = if ty == Type::I64 {
                "18446744073709551616.0".to_string()
            } else {
                format!("{}.0", 1u64 << ty.int_bits())
            };
            calls += &format!(
                "{{ {int} i = x, j; {float} a, b = i, d = ({float})x * ({float})0.37; {int}_{float}(&i, &a); bad += a != b;
                   {float}_{int}(&d, &j); if (d < {limit}) {{ bad += j != ({int})d; count++; }} }}\n"
            );
        }
    }
    c += &format!(
        "int main(void) {{
            int bad = 0, count = 0; uint64_t state = 88172645463325252u;
            for (int k = 0; k < 20000; k++) {{
                state ^= state << 13; state ^= state >> 7; state ^= state << 17;
                uint64_t x = k % 3 == 0 ? state : k % 3 == 1 ? state >> (state & 63) : ~(state >> (state & 63));
                {calls}
            }}
            printf(\"%d %d\\n\", bad, count > 50000);
            return 0;
        }}"
    );
    assert_eq!(with_c(build, &c), "0 1\n");
}

/// None is left out, and none is done twice.
#[test]
fn volatile_accesses_stay() {
    let mut m = Module::new(Target::new("aarch64").unwrap());
    function(&mut m, "wait", (&[Type::Ptr], Type::I32), |f| {
        for _ in 0..3 {
            f.load_volatile(Type::I32, f.param(0));
        }
        let one = f.int(Type::I32, 1);
        f.store_volatile(one, f.param(0));
        f.store_volatile(one, f.param(0));
        let x = f.load_volatile(Type::I32, f.param(0));
        f.ret(Some(x));
    })
    .unwrap();
    for level in LEVELS {
        let text = m.clone().assembly(&Options::at(level)).unwrap();
        let count = |what: &str| text.lines().filter(|line| line.trim_start().starts_with(what)).count();
        assert!(count("ldr") >= 4 && count("str") >= 2, "{level:?}\n{text}");
    }
}
