//! IR text as a part of programs: `parts/parts.ll` by us, `parts/parts.c` by the cross compilers, which call
//! each other, see each other's data, and check it. As an object and as assembly, on every target and level.

#![allow(clippy::panic)]

use std::path::Path;
use std::process::Command;

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];

fn run(folder: &Path, command: &mut Command) -> String {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    said
}

#[test]
fn text_and_c_make_one_program() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parts");
    for (target, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let c = source.join("parts.c");
        // What the stack is aligned to.
        let align = if target == "armv7" { "8" } else { "16" };
        let text = std::fs::read_to_string(source.join("parts.ll")).expect("it is there");
        std::fs::write(folder.join("parts.ll"), text.replace("ALIGN", align)).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O1", "-Wall", "-Werror", "-c", "-o", "c.o"]).arg(c));
        for level in ["-O0", "-O1"] {
            for (form, part) in [("-c", "t.o"), ("-S", "t.s")] {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", &target, "-o", part]).arg("parts.ll");
                assert_eq!(run(folder, &mut ours), "");
                run(folder, Command::new(gcc).args(["-static", "-o", "p", part, "c.o"]));
                assert_eq!(run(folder, Command::new(qemu).arg("p")), "", "{target} {level} {form}");
            }
        }
    }
}

/// A source that is a part of a program, with another source, and with C.
#[test]
fn sources_and_c_make_one_program() {
    const MAIN: &str = "extern int count; extern float ratio[2][3]; extern const int limit;
        int next(int step); float sum(float a[][3], int); int back(int n) { if (n <= 0) return count; return next(-n); }
        int main() { count += 2; putint(back(3)); putch(32); putint(back(-1)); putch(32);
            for (int k = 0; k < 2; k++) ratio[k][1] += k + 1;
            putfloat(sum(ratio, 2)); putch(32); return limit; }";
    const PART: &str = "int count = 40; float ratio[2][3] = {1.5, 2.5, 3.5}; const int limit = 7; int back(int n);
        int next(int step) { count -= step; return back(step); }
        float sum(float a[][3], int n) { float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }";
    const EXPECTED: &str = "45 45 0x1.5p+3 ";
    const C: &str = "extern int count; extern float ratio[2][3]; extern const int limit; int next(int); float sum(float (*)[3], int);
        int back(int n) { return n <= 0 ? count : next(-n); }
        int main(void) { count += 2; return back(3) == 45 && sum(ratio, 2) == 7.5f && limit == 7 ? 0 : 1; }";
    for (target, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        for (name, text) in [("main.sy", MAIN), ("part.sy", PART), ("c.c", C)] {
            std::fs::write(folder.join(name), text).expect("it can be written");
        }
        run(folder, Command::new(gcc).args(["-O1", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            let sysyc = |args: &[&str]| {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, "-fverify", &target]).args(args);
                assert_eq!(run(folder, &mut ours), "");
            };
            let executed = |program: &str| {
                let done = Command::new(qemu).arg(program).current_dir(folder).output().expect("qemu runs");
                (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
            };
            sysyc(&["main.sy", "part.sy", "-o", "p"]);
            assert_eq!(executed("p"), (EXPECTED.to_string(), Some(7)), "{target} {level}");
            sysyc(&["-c", "-g", "main.sy", "part.sy"]);
            sysyc(&["part.o", "main.o", "-o", "q"]);
            assert_eq!(executed("q"), (EXPECTED.to_string(), Some(7)), "{target} {level}");
            for (form, part) in [("-c", "part.o"), ("-S", "part.s")] {
                sysyc(&[form, "part.sy"]);
                run(folder, Command::new(gcc).args(["-static", "-o", "r", part, "c.o"]));
                assert_eq!(executed("r").1, Some(0), "{target} {level} {form}");
            }
        }
    }
}

/// Signatures that look random and are always the same: the result, and the parameters.
fn signatures(types: &[&'static str]) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut state = 7u32;
    let mut next = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % n
    };
    let mut made = Vec::new();
    for k in 0..80 {
        // Long lists fill all registers, and the stack.
        let count = 1 + next(if k % 4 == 0 { 24 } else { 9 });
        let params = (0..count).map(|_| types[next(types.len())]).collect();
        made.push((types[next(types.len())], params));
    }
    made
}

/// Functions in text and in C that call each other with every mix of integers and floats of both sizes, and
/// variadic ones in C that are called with them.
#[test]
fn values_of_all_sizes_are_passed_as_c_does() {
    for (target, gcc, qemu) in TARGETS {
        let types = ["i32", "i64", "float", "double"];
        let c_type = |ty: &str| match ty {
            "i32" => "int",
            "i64" => "long long",
            "float" => "float",
            _ => "double",
        };
        let mut c = "#include <stdarg.h>\n#include <stdio.h>\ndouble v(int n, const char *kinds, ...) {
  double s = 0; va_list l; va_start(l, kinds);
  for (int k = 0; k < n; k++) switch (kinds[k]) {
    case 'i': s += (k + 1) * (double)va_arg(l, int); break;
    case 'l': s += (k + 1) * (double)va_arg(l, long long); break;
    default: s += (k + 1) * va_arg(l, double);
  }
  return s;\n}\n"
            .to_string();
        let mut text = "declare double @v(i32, ptr, ...)\n".to_string();
        let mut main = String::new();
        for (k, (result, params)) in signatures(&types).into_iter().enumerate() {
            let number =
                |at: usize| format!("{}", (at * 37 + k * 11) % 101 * if at % 3 == 1 { 1 } else { 3 });
            let reversed: Vec<(usize, &str)> = params.iter().copied().enumerate().rev().collect();
            let sum = |from: usize| -> String {
                params.iter().enumerate().map(|(at, _)| format!(" + {}. * p{at}", from + at)).collect()
            };
            // In C: the parameters the other way around.
            let list: Vec<String> = reversed.iter().map(|(at, ty)| format!("{} p{at}", c_type(ty))).collect();
            c += &format!(
                "{0} g{k}({1}) {{ return ({0})(0.{2}); }}\n",
                c_type(result),
                list.join(", "),
                sum(3)
            );
            let list: Vec<String> = params.iter().map(|ty| c_type(ty).to_string()).collect();
            c += &format!("{} f{k}({});\n", c_type(result), list.join(", "));
            let args: Vec<String> = (0..params.len()).map(number).collect();
            let values =
                (0..params.len()).map(|at| format!("double p{at} = {};", args[at])).collect::<String>();
            main += &format!(
                "  {{ {values} double all = (double)({0})(0.{1}) + (0.{2}) + (0.{3}); double have = f{k}({4}); if (have != ({0})all) \
                 printf(\"{k}: %f, not %f\\n\", have, all); }}\n",
                c_type(result),
                sum(3),
                sum(1),
                sum(1),
                args.join(", ")
            );
            // In text: what C makes of them, their weighted sum, and the same by a variadic function.
            let list: Vec<String> =
                params.iter().enumerate().map(|(at, ty)| format!("{ty} %p{at}")).collect();
            let back: Vec<String> = reversed.iter().map(|(at, ty)| format!("{ty} %p{at}")).collect();
            let kinds: String = params
                .iter()
                .map(|ty| match *ty {
                    "i32" => 'i',
                    "i64" => 'l',
                    _ => 'd',
                })
                .collect();
            text += &format!(
                "declare {result} @g{k}({})\n",
                reversed.iter().map(|(_, ty)| *ty).collect::<Vec<_>>().join(", ")
            );
            text += &format!("@k{k} = private constant [{} x i8] c\"{kinds}\\00\"\n", kinds.len() + 1);
            text += &format!(
                "define {result} @f{k}({}) {{\n  %r = call {result} @g{k}({})\n",
                list.join(", "),
                back.join(", ")
            );
            let to_double = |name: &str, ty: &str, v: &str| match ty {
                "double" => format!("  {name} = fadd double {v}, 0.0\n"),
                "float" => format!("  {name} = fpext float {v} to double\n"),
                _ => format!("  {name} = sitofp {ty} {v} to double\n"),
            };
            text += &to_double("%s", result, "%r");
            let (mut last, mut further) = ("%s".to_string(), format!("i32 {}, ptr @k{k}", params.len()));
            for (at, ty) in params.iter().enumerate() {
                text += &to_double(&format!("%d{at}"), ty, &format!("%p{at}"));
                text += &format!(
                    "  %m{at} = fmul double %d{at}, {}.0\n  %s{at} = fadd double {last}, %m{at}\n",
                    at + 1
                );
                last = format!("%s{at}");
                further += &match *ty {
                    "float" => format!(", double %d{at}"),
                    _ => format!(", {ty} %p{at}"),
                };
            }
            text +=
                &format!("  %v = call double (i32, ptr, ...) @v({further})\n  %t = fadd double {last}, %v\n");
            text += &match result {
                "double" => "  ret double %t\n}\n".to_string(),
                "float" => "  %x = fptrunc double %t to float\n  ret float %x\n}\n".to_string(),
                _ => format!("  %x = fptosi double %t to {result}\n  ret {result} %x\n}}\n"),
            };
        }
        c += &format!("int main(void) {{\n{main}  return 0;\n}}\n");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("c.c"), c).expect("it can be written");
        std::fs::write(folder.join("t.ll"), text).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O1", "-Wno-float-conversion", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            for (form, part) in [("-c", "t.o"), ("-S", "t.s")] {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", &target, "-o", part]).arg("t.ll");
                assert_eq!(run(folder, &mut ours), "");
                run(folder, Command::new(gcc).args(["-static", "-o", "p", part, "c.o"]));
                assert_eq!(run(folder, Command::new(qemu).arg("p")), "", "{target} {level} {form}");
            }
        }
    }
}

/// `va_arg` in text reads what C's callers pass, and goes on where C's `va_arg` has stopped, in lists of every mix of types.
#[test]
fn variadic_arguments_are_read_as_c_does() {
    let types = ["i32", "i64", "double", "ptr", "i8", "i16"];
    for (target, gcc, qemu) in TARGETS {
        let mut c = "#include <stdarg.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
            static uint64_t of_double(double x) { uint64_t n; memcpy(&n, &x, 8); return n; }\nstatic int bad;\n"
            .to_string();
        let mut text = "declare void @llvm.va_start(ptr)\ndeclare void @llvm.va_end(ptr)\ndeclare void @llvm.va_copy(ptr, ptr)\n".to_string();
        let mut main = String::new();
        for (k, (_, kinds)) in signatures(&types).into_iter().enumerate() {
            // As a sum of products in C and in text, from the first argument or behind some that C reads.
            let (mut in_c, mut in_text) = (String::new(), String::new());
            let mut args = String::new();
            let skipped = if k % 2 == 0 { 0 } else { kinds.len() / 2 };
            for (at, ty) in kinds.iter().enumerate() {
                let number = (at as i64 * 7919 + k as i64 * 104_729) * if at % 2 == 0 { 1 } else { -3 };
                args += &match *ty {
                    "i32" => format!(", (int){number}"),
                    "i64" => format!(", (int64_t){number} << 17"),
                    "double" => format!(", {number} / 16.0"),
                    "ptr" => format!(", (void *)&bad + {}", at + 1),
                    "i8" => format!(", (signed char){number}"),
                    _ => format!(", (short){number}"),
                };
                let read = match *ty {
                    "i32" => "(uint64_t)va_arg(l, int)",
                    "i64" => "(uint64_t)va_arg(l, int64_t)",
                    "double" => "of_double(va_arg(l, double))",
                    "ptr" => "(uint64_t)(uintptr_t)va_arg(l, void *)",
                    "i8" => "(uint64_t)(signed char)va_arg(l, int)",
                    _ => "(uint64_t)(short)va_arg(l, int)",
                };
                in_c += &format!("  s = s * 31 + {read};\n");
                if at < skipped {
                    continue;
                }
                let widen = match *ty {
                    "i64" => format!("add i64 %a{at}, 0"),
                    "double" => format!("bitcast double %a{at} to i64"),
                    "ptr" => format!("ptrtoint ptr %a{at} to i64"),
                    ty => format!("sext {ty} %a{at} to i64"),
                };
                let before = if at == skipped { "%s".to_string() } else { format!("%s{}", at - 1) };
                in_text += &format!(
                    "  %a{at} = va_arg ptr %l, {ty}\n  %w{at} = {widen}\n  %m{at} = mul i64 {before}, 31\n  \
                     %s{at} = add i64 %m{at}, %w{at}\n"
                );
            }
            let last = format!("%s{}", kinds.len() - 1);
            // With fixed arguments that take registers, too.
            let fixed = ["i64 %s", "i64 %s, double %d, i32 %i", "i64 %s, ptr %p"][k % 3];
            let (fixed_c, given) = [
                ("uint64_t s", "5"),
                ("uint64_t s, double d, int i", "5, 1.5, 6"),
                ("uint64_t s, void *p", "5, &bad"),
            ][k % 3];
            let name = fixed_c.rsplit([' ', '*']).next().unwrap_or_default();
            c += &format!(
                "static uint64_t w{k}({fixed_c}, ...) {{\n  va_list l; va_start(l, {name});\n{in_c}  va_end(l);\n  return s;\n}}\n"
            );
            if skipped == 0 {
                c += &format!("uint64_t f{k}({fixed_c}, ...);\n");
                text += &format!(
                    "define i64 @f{k}({fixed}, ...) {{\n  %first = alloca [4 x i64], align 8\n  %l = alloca [4 x i64], align 8\n  \
                     call void @llvm.va_start(ptr %first)\n  call void @llvm.va_copy(ptr %l, ptr %first)\n{in_text}  \
                     call void @llvm.va_end(ptr %l)\n  ret i64 {last}\n}}\n"
                );
            } else {
                let of_c: String = in_c.lines().take(skipped).map(|line| format!("{line}\n")).collect();
                c += &format!(
                    "uint64_t g{k}(uint64_t s, void *l);\nstatic uint64_t f{k}({fixed_c}, ...) {{\n  va_list l; va_start(l, {name});\n{of_c}  \
                     s = g{k}(s, &l);\n  s = s * 31 + (uint64_t)va_arg(l, int);\n  va_end(l);\n  return s;\n}}\n"
                );
                text += &format!("define i64 @g{k}(i64 %s, ptr %l) {{\n{in_text}  ret i64 {last}\n}}\n");
            }
            let (more, behind) = if skipped == 0 { ("", "") } else { (", 77", " * 31 + 77") };
            main += &format!(
                "  if (f{k}({given}{args}{more}) != w{k}({given}{args}){behind}) bad++, printf(\"{k}\\n\");\n"
            );
        }
        c += &format!("int main(void) {{\n{main}  return bad;\n}}\n");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("c.c"), c).expect("it can be written");
        std::fs::write(folder.join("t.ll"), text).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O1", "-w", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            let target = format!("--target={target}");
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            ours.args([level, "-c", "-fverify", &target, "-o", "t.o"]).arg("t.ll");
            assert_eq!(run(folder, &mut ours), "");
            run(folder, Command::new(gcc).args(["-static", "-o", "p", "t.o", "c.o"]));
            assert_eq!(run(folder, Command::new(qemu).arg("p")), "", "{target} {level}");
        }
    }
}

/// Common data, with C's `-fcommon`, by gcc's linker and by ours: the largest counts, and its alignment; a definition beats
/// them. Aliases of places in data, by their name in C and in text.
#[test]
fn common_data_and_aliases_of_places_are_what_c_has() {
    let text = "\
@small = common global i32 0, align 4
@large = common global [6 x i64] zeroinitializer, align 32
@defined = common global i32 0
@weakly = common global i32 0, align 4
@alone = common global [3 x i8] zeroinitializer, align 1
@mixed = common global i32 0, align 128
@table = internal global [4 x i32] [i32 10, i32 11, i32 12, i32 13]
@second = alias i32, getelementptr ([4 x i32], ptr @table, i64 0, i64 1)
@last = alias i32, getelementptr (i8, ptr @second, i64 8)
@hidden = internal alias i32, getelementptr (i8, ptr @last, i64 -4)
@spare = weak alias i32, getelementptr (i8, ptr @table, i64 8)
@leads = global [2 x ptr] [ptr @last, ptr getelementptr (i8, ptr @hidden, i64 -8)]
define i32 @sum(i32 %k) {
  %a = load i32, ptr @small
  %b = load i64, ptr getelementptr ([6 x i64], ptr @large, i64 0, i64 5)
  %c = load i32, ptr @defined
  %d = load i32, ptr @weakly
  %e = trunc i64 %b to i32
  store i32 100, ptr @hidden
  %f = load i32, ptr @last
  %p = getelementptr i32, ptr @second, i32 %k
  %g = load i32, ptr %p
  %h = add i32 %a, %c
  %i = add i32 %h, %d
  %j = add i32 %i, %e
  %l = add i32 %j, %f
  %m = add i32 %l, %g
  store i8 7, ptr getelementptr (i8, ptr @alone, i64 2)
  ret i32 %m
}
";
    let c = r#"
        #include <stdint.h>
        #include <stdio.h>
        _Alignas(64) int small[9];
        int large;
        char mixed[1000];
        int defined = 50;
        __attribute__((weak)) int weakly = 9;
        extern unsigned char alone[3];
        extern int second[], last, spare, *leads[2];
        int sum(int);
        int main(void) {
            small[0] = 1, small[8] = 2, (&large)[10] = 4, weakly += 3;
            int one = sum(1), two = sum(0);
            printf("%d %d %d %d\n", one, two, small[8], alone[2]);
            printf("%d %d %d %d\n", (int)((uintptr_t)small % 64), (int)((uintptr_t)&large % 32) + (int)((uintptr_t)mixed % 128), second[0], second[1]);
            printf("%d %d %d\n", last, spare == second[1], *leads[0] + *leads[1]);
            return &second[2] != &last || &spare != &second[1] || leads[1] != second - 1 || leads[0] != &last;
        }"#;
    // What C makes of both: 1 + 50 + 3 (the weak definition gives way to the common one) + 4 + 13 + 100 or 11.
    let expected = "171 82 2 7\n0 0 11 100\n13 1 23\n";
    for (target, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("c.c"), c).expect("it can be written");
        std::fs::write(folder.join("t.ll"), text).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O1", "-fcommon", "-w", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            for (form, part) in [("-c", "t.o"), ("-S", "t.s")] {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", &target, "-o", part]).arg("t.ll");
                assert_eq!(run(folder, &mut ours), "");
                for order in [[part, "c.o"], ["c.o", part]] {
                    run(folder, Command::new(gcc).args(["-static", "-o", "p"]).args(order));
                    assert_eq!(run(folder, Command::new(qemu).arg("p")), expected, "{target} {level} {form}");
                    if form == "-c" {
                        let mut link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                        run(folder, link.args(["-o", "q", &target, "-lc"]).args(order));
                        assert_eq!(run(folder, Command::new(qemu).arg("q")), expected, "{target} {level}");
                    }
                }
            }
        }
    }
}

/// How far something is from the start of the data that say so, in 8 bytes, on machines of 64 bits; refused on others.
#[test]
fn distances_as_wide_as_addresses_are_what_c_computes() {
    let distance = |to: &str, from: &str| {
        format!("i64 sub (i64 ptrtoint (ptr {to} to i64), i64 ptrtoint (ptr {from} to i64))")
    };
    let text = format!(
        "@near = global [4 x i8] c\"abcd\"\n@far = external global [100 x i8]\ndeclare void @code()\n\
         @t = constant [4 x i64] [i64 9, {}, {}, {}]\n\
         @u = internal global {{ i8, i64, i8 }} {{ i8 1, {}, i8 2 }}, section \"mine\"\n\
         define i64 @other(i32 %k) {{\n  %p = getelementptr i8, ptr @u, i32 %k\n  %x = load i64, ptr %p\n  \
         %n = ptrtoint ptr @u to i64\n  %s = add i64 %x, %n\n  ret i64 %s\n}}\n",
        distance("getelementptr (i8, ptr @near, i64 3)", "@t"),
        distance("@far", "@t"),
        distance("@code", "@t"),
        distance("getelementptr (i8, ptr @far, i64 -7)", "@u"),
    );
    let c = "#include <stdint.h>\n#include <stdio.h>\nextern const int64_t t[4];\nextern char near[4];\nchar far[100] = {1};\n\
             void code(void) {}\nint64_t other(int);\nint main(void) {\n  const char *at = (const char *)t;\n  \
             printf(\"%d %d %d %d %d\\n\", (int)t[0], at + t[1] == near + 3, at + t[2] == far, at + t[3] == (const char *)code,\n    \
             other(8) == (int64_t)(intptr_t)far - 7);\n  return 0;\n}\n";
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("c.c"), c).expect("it can be written");
    std::fs::write(folder.join("t.ll"), text).expect("it can be written");
    for (target, gcc, qemu) in TARGETS {
        let option = format!("--target={target}");
        if target == "armv7" {
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            let done =
                ours.args(["-c", "t.ll", &option]).current_dir(folder).output().expect("our command runs");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(!done.status.success() && said.contains("t.ll:4:"), "{said}");
            assert!(said.contains("a part of an address as a constant is not supported"), "{said}");
            continue;
        }
        run(folder, Command::new(gcc).args(["-O1", "-w", "-c", "c.c"]));
        for level in ["-O0", "-O2"] {
            for (form, part) in [("-c", "t.o"), ("-S", "t.s")] {
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", &option, "-o", part]).arg("t.ll");
                assert_eq!(run(folder, &mut ours), "");
                run(folder, Command::new(gcc).args(["-static", "-o", "p", part, "c.o"]));
                assert_eq!(
                    run(folder, Command::new(qemu).arg("p")),
                    "9 1 1 1 1\n",
                    "{target} {level} {form}"
                );
                if form == "-c" {
                    let mut link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                    run(folder, link.args(["-o", "q", "t.o", "c.o", "-lc", &option]));
                    assert_eq!(run(folder, Command::new(qemu).arg("q")), "9 1 1 1 1\n", "{target} {level}");
                }
            }
        }
    }
}
