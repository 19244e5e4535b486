//! What machines do and no operation stands for: accesses that other threads see as one, memory of the stack, further
//! arguments, structs by value, and functions of the C library. Each runs with C, which says what is right.

use super::*;
use sysyc::backend::{Extension, Ordering, Update};

const UPDATES: [(&str, Update, &str); 11] = [
    ("swap", Update::Exchange, "y"),
    ("plus", Update::Add, "(u)x + (u)y"),
    ("minus", Update::Sub, "(u)x - (u)y"),
    ("both", Update::And, "x & y"),
    ("either", Update::Or, "x | y"),
    ("one", Update::Xor, "x ^ y"),
    ("nand", Update::Nand, "~(x & y)"),
    ("least", Update::SMin, "x < y ? x : y"),
    ("most", Update::SMax, "x > y ? x : y"),
    ("low", Update::UMin, "(u)x < (u)y ? x : y"),
    ("high", Update::UMax, "(u)x > (u)y ? x : y"),
];

const INTEGERS: [(u32, Type); 4] = [(8, Type::I8), (16, Type::I16), (32, Type::I32), (64, Type::I64)];

/// A function of an address and others of one type, to one of it.
fn accesses(module: &mut Module, name: &str, ty: Type, others: usize) -> Result<Func, Error> {
    let mut signature = Signature::new().param(Type::Ptr).result_as(ty, Extension::Sign);
    if matches!(ty, Type::I64 | Type::Ptr) {
        signature = Signature::new().param(Type::Ptr).result(ty);
    }
    for _ in 0..others {
        signature = if matches!(ty, Type::I64 | Type::Ptr) {
            signature.param(ty)
        } else {
            signature.param_as(ty, Extension::Sign)
        };
    }
    module.function(name, signature, Linkage::Export)
}

fn atomics(target: Target) -> Result<Module, Error> {
    let mut module = Module::new(target);
    for (bits, ty) in INTEGERS {
        module.use_atomics(ty)?;
        module.use_atomics(ty)?;
        for (k, (name, update, _)) in UPDATES.into_iter().enumerate() {
            let func = accesses(&mut module, &format!("{name}{bits}"), ty, 1)?;
            let mut f = module.build(func)?;
            let was = f.atomic_update(update, f.param(0), f.param(1), Ordering::ALL[k % 5]);
            f.ret(Some(was));
            let body = f.finish()?;
            module.define(body)?;
        }
        let func = accesses(&mut module, &format!("replace{bits}"), ty, 2)?;
        let mut f = module.build(func)?;
        let (place, expected, new) = (f.param(0), f.param(1), f.param(2));
        let was = f.compare_exchange(place, expected, new, Ordering::AcqRel, Ordering::Acquire);
        f.ret(Some(was));
        let body = f.finish()?;
        module.define(body)?;
        let func = accesses(&mut module, &format!("through{bits}"), ty, 1)?;
        let mut f = module.build(func)?;
        let (place, new) = (f.param(0), f.param(1));
        let was = f.atomic_load(ty, place, Ordering::Acquire);
        f.fence(Ordering::SeqCst);
        f.atomic_store(new, place, Ordering::Release);
        f.ret(Some(was));
        let body = f.finish()?;
        module.define(body)?;
    }
    module.use_atomics(Type::Ptr)?;
    let func = accesses(&mut module, "swapped", Type::Ptr, 1)?;
    let mut f = module.build(func)?;
    let was = f.atomic_update(Update::Exchange, f.param(0), f.param(1), Ordering::SeqCst);
    f.ret(Some(was));
    let body = f.finish()?;
    module.define(body)?;
    Ok(module)
}

#[test]
fn atomic_accesses_do_what_c_does() {
    let mut c = "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n\
                 static const int64_t v[] = {0, 1, -1, 100, -128, 127, 32767, -32768, 0x7fffffff, INT64_MIN, INT64_MAX};\n\
                 void *swapped(void **, void *);\nstatic int bad, all;\nstatic int64_t counted[4];\n"
        .to_string();
    for (bits, _) in INTEGERS {
        let int = format!("int{bits}_t");
        for (name, ..) in UPDATES {
            c += &format!("{int} {name}{bits}({int} *, {int});\n");
        }
        c += &format!("{int} through{bits}({int} *, {int}), replace{bits}({int} *, {int}, {int});\n");
        c += &format!(
            "static void check{bits}(void) {{\n  typedef u{int} u;\n  for (int i = 0; i < 11; i++)\n    for (int j = 0; j < 11; j++) {{\n      \
             {int} x = ({int})v[i], y = ({int})v[j], m;\n"
        );
        for (name, _, is) in UPDATES {
            c += &format!("      m = x, bad += {name}{bits}(&m, y) != x || m != ({int})({is}), all++;\n");
        }
        c += &format!(
            "      m = x, bad += through{bits}(&m, y) != x || m != y, all++;\n\
             \x20     m = x, bad += replace{bits}(&m, y, 77) != x || m != (x == y ? 77 : x), all++;\n\
             \x20     (void)sizeof(u);\n    }}\n}}\n"
        );
    }
    c += "static void *counts(void *of) {\n  for (int k = 0; k < 5000; k++) {\n    plus8((int8_t *)&counted[0], 1);\n    \
          plus16((int16_t *)&counted[1], 3);\n    plus32((int32_t *)&counted[2], 1);\n    minus64(&counted[3], 1);\n  }\n  return of;\n}\n\
          int main(void) {\n  check8(), check16(), check32(), check64();\n  int one, two;\n  void *place = &one;\n  \
          bad += swapped(&place, &two) != &one || place != &two;\n  pthread_t threads[4];\n  \
          for (int k = 0; k < 4; k++) pthread_create(&threads[k], 0, counts, 0);\n  \
          for (int k = 0; k < 4; k++) pthread_join(threads[k], 0);\n  \
          printf(\"%d of %d\\n%d %d %d %lld\\n\", bad, all, (int8_t)counted[0], (int16_t)counted[1], (int)counted[2], (long long)counted[3]);\n  \
          return 0;\n}\n";
    // 20,000 in 8 and 60,000 in 16 bits.
    assert_eq!(with_c(atomics, &c), "0 of 6292\n32 -5536 20000 -20000\n");
}

/// `long taken(int n, int rounds)`: in each round, squares in memory of the stack, aligned to 64, which are added; -1 if
/// the memory is not aligned.
fn taken(target: Target) -> Result<Module, Error> {
    let mut module = Module::new(target);
    module.use_stack()?;
    let signature = Signature::new().params(&[Type::I32, Type::I32]).result(Type::I32);
    let func = module.function("taken", signature, Linkage::Export)?;
    let mut f = module.build(func)?;
    let [sum, k, round] = [Type::I32; 3].map(|ty| f.variable(ty));
    let [zero, one, four] = [0, 1, 4].map(|x| f.int(Type::I32, x));
    let blocks: [_; 6] = std::array::from_fn(|_| f.create_block());
    let [outer, begin, inner, store, end, behind] = blocks;
    f.set(sum, zero);
    f.set(round, zero);
    f.br(outer);
    f.switch_to(outer);
    let left = f.get(round);
    let goes_on = f.icmp(IntPred::Slt, left, f.param(1));
    f.cond_br(goes_on, begin, behind);
    f.switch_to(begin);
    let saved = f.stack_save();
    let bytes = f.mul(f.param(0), four);
    let memory = f.stack_alloc(bytes, 64);
    let address = f.ptrtoint(memory, Type::I32);
    let low = f.int(Type::I32, 63);
    let low = f.and(address, low);
    let old = f.get(sum);
    let old = f.sub(old, low);
    f.set(sum, old);
    f.set(k, zero);
    f.br(inner);
    f.switch_to(inner);
    let now = f.get(k);
    let goes_on = f.icmp(IntPred::Slt, now, f.param(0));
    f.cond_br(goes_on, store, end);
    f.switch_to(store);
    let place = f.index(memory, now, 4);
    let square = f.mul(now, now);
    f.store(square, place);
    let next = f.add(now, one);
    f.set(k, next);
    f.br(inner);
    f.switch_to(end);
    let last = f.sub(f.param(0), one);
    let place = f.index(memory, last, 4);
    let (last, old) = (f.load(Type::I32, place), f.get(sum));
    let first = f.load(Type::I32, memory);
    let both = f.add(first, last);
    let new = f.add(old, both);
    f.set(sum, new);
    let next = f.get(round);
    let next = f.add(next, one);
    f.set(round, next);
    f.stack_restore(saved);
    f.br(outer);
    f.switch_to(behind);
    let result = f.get(sum);
    f.ret(Some(result));
    let body = f.finish()?;
    module.define(body)?;
    Ok(module)
}

#[test]
fn memory_of_the_stack_is_taken_and_given_back() {
    let c = "#include <stdio.h>\nint taken(int n, int rounds);\n\
             int main(void) { printf(\"%d %d %d\\n\", taken(1, 5), taken(10, 3), taken(5000, 2000)); return 0; }\n";
    // 2,000 rounds of 20 KB are more than a stack has.
    let last = 4999i32 * 4999;
    assert_eq!(with_c(taken, c), format!("0 243 {}\n", last.wrapping_mul(2000)));
}

/// `double mixed(const char *kinds, ...)`: the sum of what `kinds` says: `i`, `l`, `d`, and `p` of an int. The first
/// argument, an int, is there twice. And callers of it, by name and by address.
fn further(target: Target) -> Result<Module, Error> {
    let mut module = Module::new(target);
    let signature = Signature::new().param(Type::Ptr).result(Type::F64).variadic();
    let func = module.function("mixed", signature.clone(), Linkage::Export)?;
    let called = module.prototype(signature)?;
    module.take_address(func)?;
    let kinds = module.data("kinds", Data::string("idlpdddddddddiiiiiiiillll"), Linkage::Local)?;
    let number = module.data("number", Data::bytes(&[7, 0, 0, 0]).align(4), Linkage::Local)?;
    for (name, by_address) in [("by_name", false), ("by_address", true)] {
        let caller = module.function(name, Signature::new().result(Type::F64), Linkage::Export)?;
        let mut f = module.build(caller)?;
        let mut args = vec![f.address(kinds)];
        for (k, kind) in "idlpdddddddddiiiiiiiillll".chars().enumerate() {
            args.push(match kind {
                'i' => f.int(Type::I32, k as i64),
                'l' => f.int(Type::I64, (k as i64) << 33),
                'd' => f.double(0.5 + k as f64),
                _ => f.address(number),
            });
        }
        let sum = if by_address {
            let address = f.function_address(func);
            f.call_indirect(called, address, &args)
        } else {
            f.call(func, &args)
        };
        f.ret(sum);
        let body = f.finish()?;
        module.define(body)?;
    }
    let mut f = module.build(func)?;
    let (list, copy) = (f.va_list(), f.va_list());
    f.va_start(list);
    f.va_copy(copy, list);
    let (sum, at) = (f.variable(Type::F64), f.variable(Type::Ptr));
    let first = f.va_arg(copy, Type::I32);
    f.va_end(copy);
    let first = f.sitofp(first, Type::F64);
    f.set(sum, first);
    f.set(at, f.param(0));
    let blocks: [_; 7] = std::array::from_fn(|_| f.create_block());
    let [head, int, long, double, pointer, next, end] = blocks;
    f.br(head);
    f.switch_to(head);
    let place = f.get(at);
    let kind = f.load(Type::I8, place);
    let case = |c: char, to| (c as i64, to);
    f.switch(kind, &[case('i', int), case('l', long), case('d', double), case('p', pointer)], end);
    for (block, ty) in [(int, Type::I32), (long, Type::I64), (double, Type::F64), (pointer, Type::Ptr)] {
        f.switch_to(block);
        let mut x = f.va_arg(list, ty);
        if ty == Type::Ptr {
            x = f.load(Type::I32, x);
        }
        if ty != Type::F64 {
            x = f.sitofp(x, Type::F64);
        }
        let old = f.get(sum);
        let new = f.fadd(old, x);
        f.set(sum, new);
        f.br(next);
    }
    f.switch_to(next);
    let (place, one) = (f.get(at), f.int(Type::I32, 1));
    let place = f.offset(place, one);
    f.set(at, place);
    f.br(head);
    f.switch_to(end);
    f.va_end(list);
    let result = f.get(sum);
    f.ret(Some(result));
    let body = f.finish()?;
    module.define(body)?;
    Ok(module)
}

#[test]
fn variadic_arguments_are_read_as_c_passes_them() {
    let c = "#include <stdio.h>\n#include <stdarg.h>\ndouble mixed(const char *kinds, ...), by_name(void), by_address(void);\n\
        static double wanted(const char *kinds, ...) {\n  va_list list, copy;\n  va_start(list, kinds);\n  va_copy(copy, list);\n  \
          double sum = va_arg(copy, int);\n  va_end(copy);\n  for (; *kinds; kinds++)\n    switch (*kinds) {\n    \
          case 'i': sum += va_arg(list, int); break;\n    case 'l': sum += va_arg(list, long long); break;\n    \
          case 'd': sum += va_arg(list, double); break;\n    default: sum += *va_arg(list, int *);\n    }\n  va_end(list);\n  return sum;\n}\n\
        #define BOTH(...) printf(\"%.3f %d\\n\", mixed(__VA_ARGS__), mixed(__VA_ARGS__) == wanted(__VA_ARGS__))\n\
        int main(void) {\n  int seven = 7;\n  BOTH(\"i\", -5);\n  BOTH(\"idlp\", 1, 2.5, 3LL << 40, &seven);\n  \
          BOTH(\"iiiiiiiiiiii\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);\n  BOTH(\"iddddddddddd\", 1, .5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5);\n  \
          BOTH(\"illllilidl\", 1, 2LL, 3LL, 4LL, 5LL, 6, 7LL, 8, 9.0, 10LL);\n  BOTH(\"\", 3);\n  \
          printf(\"%.1f %.1f\\n\", by_name(), by_address());\n  return 0;\n}\n";
    let values = "idlpdddddddddiiiiiiiillll".chars().enumerate().map(|(k, kind)| match kind {
        'i' => k as f64,
        'l' => ((k as i64) << 33) as f64,
        'd' => 0.5 + k as f64,
        _ => 7.0,
    });
    let sum: f64 = values.sum();
    let sums = "-10.000 1\n3298534883339.500 1\n79.000 1\n62.500 1\n56.000 1\n3.000 1\n";
    assert_eq!(with_c(further, c), format!("{sums}{sum:.1} {sum:.1}\n"));
}

/// Sizes and alignments of structs that are passed by value.
const STRUCTS: [(u32, u32); 8] = [(1, 1), (3, 1), (4, 4), (6, 2), (8, 8), (20, 4), (24, 8), (70, 2)];

fn by_value(target: Target) -> Result<Module, Error> {
    let mut module = Module::new(target);
    for (k, (bytes, align)) in STRUCTS.into_iter().enumerate() {
        let signature = || {
            let signature = Signature::new().param(Type::I32).param_by_value(bytes, align);
            signature.param(Type::I32).result(Type::I32)
        };
        let theirs = module.function(&format!("theirs{k}"), signature(), Linkage::Import)?;
        let ours = module.function(&format!("ours{k}"), signature(), Linkage::Export)?;
        // What is passed is changed, which the caller does not see; then C's function gets it, and the one by address.
        let mut f = module.build(ours)?;
        let [before, place, behind] = [0, 1, 2].map(|k| f.param(k));
        let (sum, first) = (f.add(before, behind), f.load(Type::I8, place));
        let one = f.int(Type::I8, 1);
        let more = f.add(first, one);
        f.store(more, place);
        let result = f.call(theirs, &[sum, place, behind]);
        f.ret(result);
        let body = f.finish()?;
        module.define(body)?;
    }
    Ok(module)
}

#[test]
fn structs_are_passed_by_value_where_the_machine_does_so() {
    let mut c = "#include <stdio.h>\n#include <string.h>\n".to_string();
    let mut main = String::new();
    for (k, (bytes, align)) in STRUCTS.into_iter().enumerate() {
        c += &format!(
            "struct s{k} {{ _Alignas({align}) unsigned char c[{bytes}]; }};\n\
             int ours{k}(int, struct s{k}, int), theirs{k}(int, struct s{k}, int);\n\
             int theirs{k}(int a, struct s{k} s, int b) {{\n  int sum = 1000 * a + 100 * b;\n  \
             for (int k = 0; k < {bytes}; k++) sum += (k + 1) * s.c[k];\n  return sum;\n}}\n"
        );
        main += &format!(
            "  struct s{k} x{k};\n  for (int k = 0; k < {bytes}; k++) x{k}.c[k] = 3 * k + 5;\n  \
             int have{k} = ours{k}(2, x{k}, 3);\n  x{k}.c[0]++;\n  bad += have{k} != theirs{k}(5, x{k}, 3);\n"
        );
    }
    c += &format!("int main(void) {{\n  int bad = 0;\n{main}  printf(\"%d\\n\", bad);\n  return 0;\n}}\n");
    for level in LEVELS {
        let folder = tempfile::tempdir().unwrap();
        let module = by_value(Target::new("armv7").unwrap()).unwrap();
        assert!(Module::parse(&module.text(), Target::new("armv7").unwrap()).is_ok());
        let object = module.compile(&Options::at(level).verify()).and_then(Object::to_elf).unwrap();
        std::fs::write(folder.path().join("ours.o"), object).unwrap();
        std::fs::write(folder.path().join("main.c"), &c).unwrap();
        let flags = ["-O1", "-static", "-Wall", "-Werror", "-Wno-psabi", "main.c", "ours.o", "-o", "program"];
        run(folder.path(), Command::new(TARGETS[2].1).args(flags));
        assert_eq!(run(folder.path(), Command::new(TARGETS[2].2).arg("program")), "0\n", "{level:?}");
    }
    for name in ["riscv64", "aarch64"] {
        let error = by_value(Target::new(name).unwrap()).unwrap_err();
        assert!(error.kind == ErrorKind::Unsupported && error.message.contains("by value"), "{error}");
    }
    for (bytes, align) in [(0, 4), (8, 3), (1 << 16, 4)] {
        let signature = Signature::new().param_by_value(bytes, align);
        let mut module = Module::new(Target::new("armv7").unwrap());
        let error = module.function("f", signature, Linkage::Export).unwrap_err();
        assert!(error.kind == ErrorKind::Misuse && error.message.contains("by value"), "{error}");
    }
}

fn library(target: Target) -> Result<Module, Error> {
    let mut module = Module::new(target);
    module.use_library()?;
    module.use_library()?;
    let double = || Signature::new().params(&[Type::F64; 2]).result(Type::F64);
    let float = || Signature::new().params(&[Type::F32; 2]).result(Type::F32);
    type Two = fn(&mut FunctionBuilder, Val, Val) -> Val;
    let rows: [(&str, Two); 4] = [
        ("root", |f, a, _| f.sqrt(a)),
        ("signed", |f, a, b| f.copysign(a, b)),
        ("lesser", |f, a, b| f.fmin(a, b)),
        ("greater", |f, a, b| f.fmax(a, b)),
    ];
    for (name, two) in rows {
        for (name, signature) in [(format!("{name}_d"), double()), (format!("{name}_f"), float())] {
            let func = module.function(&name, signature, Linkage::Export)?;
            let mut f = module.build(func)?;
            let (a, b) = (f.param(0), f.param(1));
            let result = two(&mut f, a, b);
            f.ret(Some(result));
            let body = f.finish()?;
            module.define(body)?;
        }
    }
    let signature = Signature::new().params(&[Type::Ptr, Type::Ptr, Type::I32]);
    let func = module.function("moved", signature, Linkage::Export)?;
    let mut f = module.build(func)?;
    let [to, from, bytes] = [0, 1, 2].map(|k| f.param(k));
    f.memmove(to, from, bytes);
    f.ret(None);
    let body = f.finish()?;
    module.define(body)?;
    Ok(module)
}

#[test]
fn roots_signs_and_bytes_that_overlap_are_as_in_c() {
    let c = "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\
        double root_d(double, double), signed_d(double, double), lesser_d(double, double), greater_d(double, double);\n\
        float root_f(float, float), signed_f(float, float), lesser_f(float, float), greater_f(float, float);\n\
        void moved(void *, const void *, int);\n\
        static int differ(double a, double b) { return !(a == b || (a != a && b != b)) || (a == a && a != 0 && !signbit(a) != !signbit(b)); }\n\
        int main(void) {\n  double v[] = {0.0, -0.0, 1.0, -2.25, 3.5, 1e30, -1e-30, INFINITY, -INFINITY, NAN, -NAN};\n  int bad = 0;\n  \
        for (int i = 0; i < 11; i++)\n    for (int j = 0; j < 11; j++) {\n      double a = v[i], b = v[j];\n      float x = a, y = b;\n      \
        bad += differ(root_d(a, b), sqrt(a)) + differ(root_f(x, y), sqrtf(x));\n      \
        bad += differ(signed_d(a, b), copysign(a, b)) + differ(signed_f(x, y), copysignf(x, y));\n      \
        bad += !signbit(signed_d(a, b)) != !signbit(b);\n      \
        bad += differ(lesser_d(a, b), fmin(a, b)) + differ(lesser_f(x, y), fminf(x, y));\n      \
        bad += differ(greater_d(a, b), fmax(a, b)) + differ(greater_f(x, y), fmaxf(x, y));\n    }\n  \
        char text[] = \"abcdefgh\";\n  moved(text + 2, text, 5);\n  moved(text, text + 1, 3);\n  printf(\"%d %s\\n\", bad, text);\n  return 0;\n}\n";
    assert_eq!(with_c(library, c), "0 babbcdeh\n");
    let mut module = Module::new(Target::new("riscv64").unwrap());
    module.function("sqrt", Signature::new(), Linkage::Local).unwrap();
    let error = module.use_library().unwrap_err();
    assert!(error.message.contains("'sqrt'"), "{error}");
    let error = module.use_atomics(Type::F64).unwrap_err();
    assert!(error.message.contains("double"), "{error}");
}
