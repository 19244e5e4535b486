//! Addresses of functions and data, calls by address, narrow values, data with addresses and in sections: with C on each
//! target and level.

use super::*;
use sysyc::backend::Extension;

#[test]
fn functions_are_called_by_their_address() {
    let build = |target| {
        let mut m = Module::new(target);
        let two = || Signature::new().params(&[Type::I32, Type::I32]).result(Type::I32);
        let binary = m.prototype(two())?;
        assert_eq!(binary, m.prototype(two())?);
        // Ours, local: nothing but its address leads to it. C's; one that C may replace.
        let minus = m.function("minus", two(), Linkage::Local)?;
        let times = m.function("times", two(), Linkage::Import)?;
        let mut f = m.build(minus)?;
        let difference = f.sub(f.param(0), f.param(1));
        f.ret(Some(difference));
        let body = f.finish()?;
        m.define(body)?;
        for func in [minus, times] {
            m.take_address(func)?;
        }
        let pick =
            m.function("pick", Signature::new().param(Type::I32).result(Type::Ptr), Linkage::Export)?;
        let mut f = m.build(pick)?;
        let [none, one, two, rest] = std::array::from_fn(|_| f.create_block());
        f.switch(f.param(0), &[(0, none), (1, one), (2, two)], rest);
        f.switch_to(none);
        let address = f.null();
        f.ret(Some(address));
        f.switch_to(one);
        let address = f.function_address(minus);
        f.ret(Some(address));
        f.switch_to(two);
        let address = f.function_address(times);
        f.ret(Some(address));
        f.switch_to(rest);
        f.unreachable();
        let body = f.finish()?;
        m.define(body)?;
        let apply = (&[Type::Ptr, Type::I32, Type::I32][..], Type::I32);
        function(&mut m, "apply", apply, |f| {
            let (null, given) = (f.create_block(), f.create_block());
            let missing = f.is_null(f.param(0));
            f.cond_br(missing, null, given);
            f.switch_to(null);
            let result = f.int(Type::I32, -1);
            f.ret(Some(result));
            f.switch_to(given);
            let result = f.call_indirect(binary, f.param(0), &[f.param(1), f.param(2)]);
            f.ret(result);
        })?;
        // A variadic function of C by its address, and one without a result.
        let say = m.prototype(Signature::new().param(Type::Ptr).result(Type::I32).variadic())?;
        let act = m.prototype(Signature::new().param(Type::F64))?;
        let text = m.data("text", Data::string("%d %.1f\n"), Linkage::Local)?;
        function(&mut m, "told", (&[Type::Ptr, Type::Ptr], Type::I32), |f| {
            let (text, number, half) = (f.address(text), f.int(Type::I32, 7), f.double(0.5));
            f.call_indirect(act, f.param(1), &[half]);
            let count = f.call_indirect(say, f.param(0), &[text, number, half]);
            f.ret(count);
        })?;
        // Addresses as numbers of all widths.
        function(&mut m, "numbers", (&[Type::Ptr], Type::I32), |f| {
            let long = f.ptrtoint(f.param(0), Type::I64);
            let low = f.ptrtoint(f.param(0), Type::I8);
            let back = f.inttoptr(long);
            let same = f.icmp(IntPred::Eq, back, f.param(0));
            let (same, low) = (f.zext(same, Type::I32), f.zext(low, Type::I32));
            let (three, eight) = (f.int(Type::I32, 3), f.int(Type::I32, 256));
            let low = f.and(low, three);
            let (high, number) = (f.mul(same, eight), f.int(Type::I16, 0x1234));
            let small = f.inttoptr(number);
            let small = f.ptrtoint(small, Type::I32);
            let sum = f.add(high, low);
            let sum = f.add(sum, small);
            f.ret(Some(sum));
        })?;
        Ok(m)
    };
    let c = r#"
        #include <stdio.h>
        typedef int binary(int, int);
        binary *pick(int); int apply(binary *, int, int), told(int (*)(const char *, ...), void (*)(double)), numbers(void *);
        int times(int a, int b) { return a * b; }
        static int plus(int a, int b) { return a + b; }
        static void act(double x) { printf("%.2f ", x); }
        int main(void) {
            _Alignas(4) char room[8];
            printf("%d %d %d %d\n", apply(pick(0), 5, 3), apply(pick(1), 5, 3), apply(pick(2), 5, 3), apply(plus, 5, 3));
            printf("%d\n", told(printf, act));
            printf("%d %d\n", numbers(room), numbers(room + 3));
            return pick(2) != times;
        }"#;
    assert_eq!(with_c(build, c), "-1 2 15 8\n0.50 7 0.5\n6\n4916 4919\n");
}

/// C's narrow types in both directions, i16 in memory and in arithmetic.
#[test]
fn narrow_integers_travel_as_c_wants_them() {
    let build = |target| {
        let mut m = Module::new(target);
        let narrow = || {
            let s = Signature::new().param_as(Type::I8, Extension::Sign).param_as(Type::I8, Extension::Zero);
            let s = s.param_as(Type::I16, Extension::Sign).param_as(Type::I16, Extension::Zero);
            s.param_as(Type::I1, Extension::Zero)
        };
        let signed = || narrow().result_as(Type::I16, Extension::Sign);
        let theirs = m.function("theirs", signed(), Linkage::Import)?;
        let ours = m.function("ours", signed(), Linkage::Export)?;
        let by_address = m.prototype(narrow().result_as(Type::I8, Extension::Zero))?;
        let mut f = m.build(ours)?;
        assert_eq!(f.type_of(f.param(2)), Some(Type::I16));
        let args: Vec<Val> = (0..5).map(|k| f.param(k)).collect();
        let product = f.mul(args[2], args[3]);
        let (byte, flag) = (f.sext(args[0], Type::I16), f.zext(args[4], Type::I16));
        let sum = f.add(product, byte);
        let sum = f.sub(sum, flag);
        let given = f.call(theirs, &args).unwrap();
        let sum = f.add(sum, given);
        let wide = f.zext(args[1], Type::I16);
        let sum = f.xor(sum, wide);
        f.ret(Some(sum));
        let body = f.finish()?;
        m.define(body)?;
        function(&mut m, "through", (&[Type::Ptr, Type::Ptr], Type::I32), |f| {
            let two = f.int(Type::I32, 2);
            let first = f.load(Type::I16, f.param(1));
            let next = f.offset(f.param(1), two);
            let second = f.load(Type::I16, next);
            f.store(first, next);
            f.store(second, f.param(1));
            let (low, high) = (f.trunc(first, Type::I8), f.trunc(second, Type::I8));
            let less = f.icmp(IntPred::Slt, first, second);
            let result = f.call_indirect(by_address, f.param(0), &[low, high, first, second, less]).unwrap();
            assert_eq!(f.type_of(result), Some(Type::I8));
            let result = f.sext(result, Type::I32);
            f.ret(Some(result));
        })?;
        // A struct that is given in memory.
        let s = Signature::new().params(&[Type::Ptr, Type::I32]).result_in_memory();
        let fill = m.function("fill", s, Linkage::Export)?;
        let mut f = m.build(fill)?;
        for k in 0..6 {
            let at = f.int(Type::I32, 4 * k);
            let (place, x) = (f.offset(f.param(0), at), f.int(Type::I32, k));
            let x = f.add(x, f.param(1));
            f.store(x, place);
        }
        f.ret(None);
        let body = f.finish()?;
        m.define(body)?;
        Ok(m)
    };
    let c = r#"
        #include <stdio.h>
        #include <stdbool.h>
        typedef struct { int of[6]; } six;
        short ours(signed char, unsigned char, short, unsigned short, bool);
        int through(unsigned char (*)(signed char, unsigned char, short, unsigned short, bool), short *);
        six fill(int);
        short theirs(signed char a, unsigned char b, short c, unsigned short d, bool e) { return a + b + c + d + e; }
        static unsigned char show(signed char a, unsigned char b, short c, unsigned short d, bool e) {
            printf("%d %d %d %d %d\n", a, b, c, d, e);
            return a + b + 1;
        }
        int main(void) {
            int xs[] = {-1, 1, 127, -128, 32767, -32768, 255, 256, 40000, 12345};
            int bad = 0;
            for (int i = 0; i < 10; i++) for (int k = 0; k < 10; k++) {
                signed char a = xs[i]; unsigned char b = xs[k]; short c = xs[k]; unsigned short d = xs[i]; bool e = i < k;
                short expected = (short)((c * d + a - e + (short)(a + b + c + d + e)) ^ b);
                bad += ours(a, b, c, d, e) != expected;
            }
            short s[] = {-300, 200};
            int x = through(show, s);
            six six = fill(10);
            printf("%d %d %d %d %d\n", bad, x, s[0], s[1], six.of[5]);
            return 0;
        }"#;
    assert_eq!(with_c(build, c), "-44 200 -300 200 1\n0 -99 200 -300 15\n");
}

/// Tables of functions, lists that lead to themselves, places inside of other data, sections.
#[test]
fn data_have_addresses_and_sections() {
    let build = |target: Target| {
        let mut m = Module::new(target);
        let size = target.pointer_bytes();
        let one = |m: &mut Module, name: &str, linkage, x: i64| {
            let func = m.function(name, Signature::new().result(Type::I32), linkage)?;
            let mut f = m.build(func)?;
            let x = f.int(Type::I32, x);
            f.ret(Some(x));
            let body = f.finish()?;
            m.define(body)?;
            Ok::<Func, Error>(func)
        };
        let (first, second) =
            (one(&mut m, "first", Linkage::Local, 11)?, one(&mut m, "second", Linkage::Export, 22)?);
        let third = m.function("third", Signature::new().result(Type::I32), Linkage::Import)?;
        let table = Data::zeros(3 * size).align(size).constant();
        let table =
            table.function_address(2 * size, third).function_address(0, first).function_address(size, second);
        m.data("table", table, Linkage::Export)?;
        // Bytes around an address, which stands for those that are there.
        let text = m.data("text", Data::string("abcdef"), Linkage::Local)?;
        let mixed: Vec<u8> = (1..=2 * size as u8 + 8).collect();
        m.data("mixed", Data::bytes(&mixed).align(8).address(8, text, 3), Linkage::Export)?;
        // A ring of two.
        let [a, b] = ["a", "b"].map(|name| m.data(name, Data::zeros(2 * size).align(size), Linkage::Export));
        let (a, b) = (a?, b?);
        for (from, to, x) in [(a, b, 1), (b, a, 2)] {
            let bytes = [vec![x], vec![0; 2 * size as usize - 1]].concat();
            m.define_data(from, Data::bytes(&bytes).align(size).address(size, to, 0))?;
        }
        // In sections that C finds by name, and called before `main`.
        for (name, x) in [("x", 5), ("y", 6)] {
            m.data(name, Data::bytes(&[x, 0, 0, 0]).align(4).constant().section("numbers"), Linkage::Export)?;
        }
        let before = m.function("before", Signature::new(), Linkage::Local)?;
        let flag = m.data("flag", Data::zeros(4).align(4).section(".data.flags"), Linkage::Export)?;
        let mut f = m.build(before)?;
        let (address, one) = (f.address(flag), f.int(Type::I32, 1));
        f.store(one, address);
        f.ret(None);
        let body = f.finish()?;
        m.define(body)?;
        let start = Data::zeros(size).align(size).function_address(0, before).section(".init_array");
        m.data("start", start, Linkage::Export)?;
        let elsewhere = m.data("elsewhere", Data::zeros(0).align(4), Linkage::Import)?;
        function(&mut m, "read", (&[], Type::I32), |f| {
            let address = f.address(elsewhere);
            let x = f.load(Type::I32, address);
            f.ret(Some(x));
        })?;
        Ok(m)
    };
    let c = r#"
        #include <stdio.h>
        #include <string.h>
        struct ring { char x; struct ring *to; };
        extern int (*const table[3])(void); extern struct ring a, b; extern const int __start_numbers[], __stop_numbers[];
        struct mixed { unsigned char before[8]; const char *text; unsigned char behind[sizeof(void *)]; };
        extern struct mixed mixed; extern int flag; int elsewhere = 77, read(void);
        int third(void) { return 33; }
        int main(void) {
            printf("%d %d %d\n", table[0](), table[1](), table[2]());
            printf("%d %s %d\n", mixed.before[7], mixed.text, mixed.behind[0] - (int)sizeof(void *));
            printf("%d %d %d\n", a.to == &b, b.to->x, a.to->x);
            printf("%d %d %d %d %d\n", (int)(__stop_numbers - __start_numbers), __start_numbers[0], __start_numbers[1], flag, read());
            return 0;
        }"#;
    assert_eq!(with_c(build, c), "11 22 33\n8 def 9\n1 1 2\n2 5 6 1 77\n");
    // The same as assembly.
    for (name, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let text =
            build(Target::new(name).unwrap()).and_then(|m| m.assembly(&Options::at(Level::O2))).unwrap();
        std::fs::write(folder.path().join("ours.s"), text).unwrap();
        std::fs::write(folder.path().join("main.c"), c).unwrap();
        run(folder.path(), Command::new(gcc).args(["-O1", "-static", "main.c", "ours.s", "-o", "program"]));
        assert_eq!(
            run(folder.path(), Command::new(qemu).arg("program")),
            "11 22 33\n8 def 9\n1 1 2\n2 5 6 1 77\n"
        );
    }
}

/// Of code in memory, the address of a function is the function's.
#[test]
fn code_names_functions_whose_address_it_has() {
    for (name, ..) in TARGETS {
        for level in [Level::O0, Level::O1] {
            let target = Target::new(name).unwrap();
            let mut m = Module::new(target);
            let (far, itself) = (Signature::new().param(Type::I16), Signature::new().result(Type::Ptr));
            let far = m.function("far", far, Linkage::Import).unwrap();
            let itself = m.function("itself", itself, Linkage::Local).unwrap();
            m.take_address(far).unwrap();
            let prototype = m.prototype(Signature::new().param(Type::I16)).unwrap();
            let mut f = m.build(itself).unwrap();
            let (address, x) = (f.function_address(far), f.int(Type::I16, 3));
            assert_eq!(f.call_indirect(prototype, address, &[x]), None);
            f.ret(Some(address));
            let body = f.finish().unwrap();
            let code = Codegen::new(&target, level).compile(&m, body).unwrap();
            let names: Vec<Name> = code.relocations().map(|relocation| relocation.name).collect();
            assert!(!names.is_empty() && names.iter().all(|&name| name == Name::Func(far)), "{names:?}");
        }
    }
}
