//! Programs that our linker puts together, under qemu: without a C library, with the whole of one, with the
//! contest's library made by gcc; calls that go too far and calls between ARM and Thumb; and what the linker
//! says when it cannot.

use super::*;
use std::fmt::Write;
use support::process::Ending;
use sysyc::driver::libraries;
use sysyc::object::link::undefined;

/// Where a program without a C library starts, and a system call.
pub(super) const START: [&str; 3] = [
    "
 .globl _start, call
_start: la gp, __global_pointer$
 call entry
 li a7, 94
 ecall
call: mv a7, a0
 mv a0, a1
 mv a1, a2
 mv a2, a3
 ecall
 ret
",
    "
 .globl _start, call
_start: bl entry
 mov x8, #94
 svc #0
call: mov x8, x0
 mov x0, x1
 mov x1, x2
 mov x2, x3
 svc #0
 ret
",
    "
 .globl _start, call
 .type _start, %function
 .type call, %function
_start: bl entry
 mov r7, #248
 svc #0
call: push {r7, lr}
 mov r7, #4
 mov r0, r1
 mov r1, r2
 mov r2, r3
 svc #0
 pop {r7, pc}
",
];

/// Most of what objects can ask of a linker, without a C library.
const ALL: &str = r#"
static int counter = 3;
int zeros[100], common_one;
extern int common_two;
const char text[] = "hello\n";
extern long call(long n, long a, long b, long c);
static int inits;
__attribute__((constructor)) void second(void) { inits = inits * 10 + 2; }
__attribute__((constructor(101))) void first(void) { inits = inits * 10 + 1; }
extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
extern char __bss_start[], _edata[], _end[], _etext[], __ehdr_start[];
int unused(void) { return nowhere(); }
__attribute__((section("set"))) int s1 = 1, s2 = 2;
extern int __start_set[], __stop_set[];
__attribute__((weak)) int nobody(void);
int *pointers[] = { &counter, zeros };
static int twice(int x) { return 2 * x; }
static int (*resolve(void))(int) { return twice; }
__attribute__((ifunc("resolve"))) int indirect(int);
struct entry { void **at; long kind; void *(*find)(void); };
#if __SIZEOF_POINTER__ == 8
extern struct { void **at; long kind; void *(*find)(void); } __rela_iplt_start[], __rela_iplt_end[];
#else
extern struct { void **at; long kind; } __rel_iplt_start[], __rel_iplt_end[];
#endif
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int entry(void) {
#if __SIZEOF_POINTER__ == 8
    for (int k = 0; __rela_iplt_start + k < __rela_iplt_end; k++) *__rela_iplt_start[k].at = __rela_iplt_start[k].find();
#else
    for (int k = 0; __rel_iplt_start + k < __rel_iplt_end; k++)
        *__rel_iplt_start[k].at = ((void *(*)(void))*__rel_iplt_start[k].at)();
#endif
    for (void (**f)(void) = __init_array_start; f < __init_array_end; f++) (*f)();
    call(64, 1, (long)text, 6);
    if (nobody) nobody();
    if (inits != 12) return 1;
    if (__stop_set - __start_set != 2 || __start_set[0] + __start_set[1] != 3) return 2;
    if ((char *)zeros < __bss_start || (char *)(zeros + 100) > _end) return 3;
    if ((char *)&counter > _edata || (char *)entry > _etext || __ehdr_start[1] != 'E') return 4;
    for (int k = 0; k < 100; k++) if (zeros[k]) return 5;
    if (*pointers[0] != 3 || pointers[1] != zeros) return 6;
    common_two++;
    if (common_one != 1) return 7;
    int (*volatile f)(int) = indirect;
    if (indirect(21) != 42 || f(4) != 8 || f != indirect) return 8;
    return fib(10);
}
"#;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn programs_without_a_library_run() {
    for (target, start) in TARGETS.iter().zip(START) {
        let folder = folder();
        let at = folder.path();
        let start = target.compile(at, "start.s", start, &[]);
        let rest = "int common_two __attribute__((common)); int other;";
        let rest = target.compile(at, "rest.c", rest, &["-fcommon"]);
        // One name for both: the linker has to make one place of two common symbols.
        let all = ALL
            .replace("extern int common_two;", "int common_two;")
            .replace("common_one != 1", "common_two != 1");
        for flags in [
            &["-O0"][..],
            &["-O2", "-ffunction-sections", "-fdata-sections", "-g"],
            &["-O2", "-fPIC"],
            &["-O1", "-fPIE", "-g"],
            &["-Os", "-fno-common"],
        ] {
            let flags =
                [flags, &["-w", "-fno-stack-protector", "-fcommon", "-Wno-implicit-function-declaration"]]
                    .concat();
            // Nothing calls `unused`, but only functions in sections of their own can be left out.
            let text = if flags.contains(&"-ffunction-sections") {
                all.clone()
            } else {
                all.replace("return nowhere();", "return 0;")
            };
            let object = target.compile(at, "all.c", &text, &flags);
            let program = target.program(at, &[object, start.clone(), rest.clone()]);
            let done = target.run(at, &program, "");
            assert_eq!(
                (done.ending, &done.stdout[..]),
                (Ending::Exit(55), &b"hello\n"[..]),
                "{} {flags:?}",
                target.machine.name
            );
            let size = fs::metadata(&program).expect("it is there").len();
            assert!(flags.contains(&"-g") || size < 8000, "{} bytes", size);
        }
    }
}

/// A C program that uses much of the library: formats, files, memory, sorting, threads' memory, what runs at
/// the end.
const LIBRARY: &str = r#"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__thread int zero; __thread int given = 42; static __thread char own[100] = "own";
__thread char wide[64] __attribute__((aligned(64)));
static void bye(void) { printf("bye %d %s\n", given, own); }
__attribute__((constructor)) static void before(void) { puts("before"); }
__attribute__((destructor)) static void after(void) { puts("after"); }
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(int argc, char **argv) {
    float f; double d; int n; char word[64];
    atexit(bye);
    if (scanf("%d %f %lf %63s", &n, &f, &d, word) != 4) return 9;
    printf("%d %a %.17g %s %zu\n", n, f, d, word, strlen(word));
    int v[] = {5, 3, 9, 1};
    qsort(v, 4, sizeof *v, compare);
    for (int i = 0; i < 4; i++) printf("%d ", v[i]);
    FILE *file = fopen("/nonexistent", "r");
    printf("\n%d %s\n", file == NULL, strerror(errno));
    char *p = malloc(100000);
    memset(p, 'a', 99999);
    p[99999] = 0;
    printf("%zu %.6f %s\n", strlen(p), sqrt(d) * atan2(f, d), argc == 1 ? "one" : "more");
    free(p);
    wide[n] = (char)((unsigned long)wide % 64);
    zero += 3 + wide[7] + wide[8];
    return zero + given;
}
"#;

/// The C library's files around a program's.
fn with_c_library(target: &Target, files: &[PathBuf]) -> Vec<PathBuf> {
    let row = sysyc::isa::find(target.machine.name).expect("a target");
    let library = libraries::c_library(row, &libraries::folders(row, &[]), false)
        .unwrap_or_else(|said| panic!("{said}"));
    [&library.first[..], files, &library.last].concat()
}

#[test]
fn programs_with_the_c_library_run() {
    for (target, flags) in
        TARGETS.iter().flat_map(|target| [(target, ["-O1", "-g"]), (target, ["-O2", "-fPIC"])])
    {
        let folder = folder();
        // Position-independent code asks for thread-local memory in its own way.
        let object = target.compile(folder.path(), "main.c", LIBRARY, &flags);
        let program = target.program(folder.path(), &with_c_library(target, &[object]));
        let done = target.run(folder.path(), &program, "7 1.5 2.25 word\n");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let expected = "before\n7 0x1.8p+0 2.25 word 4\n1 3 5 9 \n1 No such file or directory\n\
                        99999 0.882004 one\nbye 42 own\nafter\n";
        assert_eq!((done.ending, &*said), (Ending::Exit(45), expected), "{} {flags:?}", target.machine.name);
    }
}

/// A SysY program with every kind of input and output that the contest's library has.
const SYSY: &str = "
const int N = 4;
int table[N] = {1, 2, 3};
float halves[N];
int sum(int a[], int n) { int s = 0; while (n > 0) { n = n - 1; s = s + a[n]; } return s; }
int main() {
    int a[N * 2];
    int n = getarray(a);
    float x = getfloat();
    starttime();
    putint(sum(a, n)); putch(10); putarray(n, a); putfloat(x); putch(10);
    halves[1] = x * 0.5; putfarray(2, halves);
    stoptime();
    return sum(table, N) + getint();
}
";

#[test]
fn the_contests_library_links() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/sylib.c");
    for target in &TARGETS {
        let folder = folder();
        let at = folder.path();
        let gcc = format!("{}-gcc", target.tools);
        tool(at, &gcc, &["-O2", "-c", &runtime.to_string_lossy(), "-o", "sylib.o"]);
        tool(at, &format!("{}-ar", target.tools), &["rcs", "libsysy.a", "sylib.o"]);
        fs::write(at.join("main.sy"), SYSY).expect("the folder is writable");
        for (goal, output) in [("-S", "main.s"), ("-c", "main.s.o")] {
            let option = format!("--target={}", target.machine.name);
            tool(at, env!("CARGO_BIN_EXE_sysyc"), &[goal, "-O1", &option, "main.sy", "-o", output]);
            if goal == "-S" {
                tool(at, &gcc, &["-c", "main.s", "-o", "main.s.o"]);
            }
            let files = with_c_library(target, &[at.join("main.s.o"), at.join("libsysy.a")]);
            let program = target.program(at, &files);
            let done = target.run(at, &program, "3 10 20 30\n0x1.8p1\n5\n");
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            let expected = "60\n3: 10 20 30\n0x1.8p+1\n2: 0x0p+0 0x1.8p+0\n";
            assert_eq!((done.ending, &*said), (Ending::Exit(11), expected), "{} {goal}", target.machine.name);
            assert!(String::from_utf8_lossy(&done.stderr).contains("TOTAL"), "the timer speaks at the end");
        }
    }
}

#[test]
fn calls_that_go_too_far_go_through_veneers() {
    // How far a call goes, and code in between that is longer.
    for (target, start, gap) in [(&TARGETS[1], START[1], 129 << 20), (&TARGETS[2], START[2], 33 << 20)] {
        let folder = folder();
        let at = folder.path();
        let start = target.compile(at, "start.s", start, &[]);
        let gap = target.compile(at, "gap.s", &format!(" .section .text.gap,\"ax\"\n .zero {gap}\n"), &[]);
        let entry =
            "int far(int); int near(int x) { return x + 1; } int entry(void) { return far(20) + far(1); }";
        let entry = target.compile(at, "entry.c", entry, &["-O1"]);
        let far =
            target.compile(at, "far.c", "int near(int); int far(int x) { return near(x) * 2; }", &["-O1"]);
        let files = [start, entry, gap, far];
        let bytes = target.link(&files, |options| options.keep_unused = true).expect("it links");
        write_program(&at.join("program"), &bytes);
        assert_eq!(
            target.run(at, &at.join("program"), "").ending,
            Ending::Exit(46),
            "{}",
            target.machine.name
        );
    }
}

#[test]
fn our_own_objects_may_be_longer_than_calls_reach() {
    for (target, start, gap) in [(&TARGETS[1], START[1], 70 << 20), (&TARGETS[2], START[2], 17 << 20)] {
        let folder = folder();
        let at = folder.path();
        let function = |name: &str, code: &str| {
            format!(" .balign 4\n .globl {name}\n .type {name}, %function\n{name}:\n{code}")
        };
        let [ret, add, save, restore] = if target.machine.is_64 {
            ["ret", "add w0, w0", "str x30, [sp, #-16]!", "ldr x30, [sp], #16"]
        } else {
            ["bx lr", "add r0, r0", "push {r4, lr}", "pop {r4, lr}"]
        };
        // The first function calls the last, over two gaps, and that the one in between.
        let mut text = format!(" .text\n{start}");
        text += &function("entry", &format!(" {save}\n bl last\n {add}, #1\n {restore}\n {ret}\n"));
        text += &function("gap1", &format!(" .zero {gap}\n"));
        text += &function("middle", &format!(" {add}, #20\n {ret}\n"));
        text += &function("gap2", &format!(" .zero {gap}\n"));
        let zero = if target.machine.is_64 { "mov w0, #0" } else { "mov r0, #0" };
        text += &function("last", &format!(" {save}\n {zero}\n bl middle\n {restore}\n b middle\n"));
        let bytes = fs::read(target.compile(at, "all.s", &text, &[])).expect("it is there");
        let object = sysyc::object::read::read(&bytes, target.machine).expect("it is sound");
        let input = Input { name: "all".to_string(), content: Content::Object(Box::new(object)) };
        let bytes = link(vec![input], &Options::new(target.machine)).expect("it links");
        write_program(&at.join("program"), &bytes);
        assert_eq!(
            target.run(at, &at.join("program"), "").ending,
            Ending::Exit(41),
            "{}",
            target.machine.name
        );
    }
}

#[test]
fn unwind_information_is_for_the_code_that_is_there() {
    for (target, start) in TARGETS.iter().zip(START) {
        let folder = folder();
        let at = folder.path();
        let start = target.compile(at, "start.s", start, &[]);
        let text = "void g(int *); int f(int x) { g(&x); return x; } int dead(int x) { g(&x); g(&x); return x; }
            int entry(void) { return f(3) + f(4); } void other(int *x) { g(x); g(x); } void g(int *x) { *x += 2; }";
        let flags =
            ["-O1", "-fexceptions", "-fasynchronous-unwind-tables", "-ffunction-sections", "-fno-inline"];
        let object = target.compile(at, "code.c", text, &flags);
        // In another object, with common records of its own.
        let more = "void g(int *); int dead2(int x) { g(&x); return x; } int dead3(int x) { g(&x); g(&x); return x; }";
        let more = target.compile(at, "more.c", more, &flags);
        // ARM's handlers of exceptions are the C library's; nothing is thrown here.
        let handlers = ".globl __aeabi_unwind_cpp_pr0, __aeabi_unwind_cpp_pr1\n.set __aeabi_unwind_cpp_pr0, 0x1000\n\
                        .set __aeabi_unwind_cpp_pr1, 0x1000\n";
        let handlers = target.compile(at, "handlers.s", handlers, &[]);
        let program = target.program(at, &[start, object, more, handlers]);
        assert_eq!(target.run(at, &program, "").ending, Ending::Exit(11), "{}", target.machine.name);
        let bytes = fs::read(&program).expect("it is there");
        if target.machine.name != "armv7" {
            let readelf = format!("{}-readelf", target.tools);
            let frames = tool(at, &readelf, &["--debug-dump=frames", "program"]);
            let frames = String::from_utf8_lossy(&frames.stdout).into_owned();
            // f, g, and what starts at `entry`; one common record for them.
            assert_eq!(frames.matches(" FDE ").count(), 3, "{frames}");
            assert_eq!(frames.matches(" CIE").count(), 1, "{frames}");
            let zero = frames.lines().any(|line| line.contains("pc=0000000000000000.."));
            assert!(!zero, "a record of code that is not there: {frames}");
            continue;
        }
        let (places, tables): (Vec<u64>, Vec<u32>) = index_of(&bytes).into_iter().unzip();
        assert_eq!(places.len(), 4, "one entry a function, and one behind them");
        assert!(places.is_sorted(), "by the code that they are for: {places:x?}");
        assert_eq!(tables.iter().filter(|&&table| table == 1).count(), 1);
    }
}

/// ARM's index: of each entry where its code begins, and the second word.
fn index_of(program: &[u8]) -> Vec<(u64, u32)> {
    use object::{Object, ObjectSection};
    let file = object::File::parse(program).expect("a program");
    let index = file.section_by_name(".ARM.exidx").expect("an index");
    let words: Vec<u32> = index
        .data()
        .expect("its bytes")
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
        .collect();
    let entry = |(k, pair): (usize, &[u32])| {
        let distance = i64::from((pair[0] << 1) as i32 >> 1);
        ((index.address() + 8 * k as u64).wrapping_add_signed(distance), pair[1])
    };
    words.chunks(2).enumerate().map(entry).collect()
}

#[test]
fn nothing_is_unwound_where_code_has_no_entry() {
    use object::{Object, ObjectSymbol};
    let target = TARGETS.iter().find(|target| target.machine.name == "armv7").expect("it is a target");
    let folder = folder();
    let at = folder.path();
    let function = |name: &str, directives: [&str; 3]| {
        let [start, save, end] = directives;
        format!(
            " .section .text.{name},\"ax\",%progbits\n{name}: {start}\n {save}\n push {{r4, lr}}\n pop {{r4, pc}}\n {end}\n"
        )
    };
    let told = [".fnstart", ".save {r4, lr}", ".fnend"];
    let mut text = String::from(" .syntax unified\n .arm\n .globl _start\n");
    for (name, directives) in [("a", told), ("b", [""; 3]), ("c", [""; 3]), ("d", told), ("e", told)] {
        text += &function(name, directives);
    }
    text += " .text\n_start: bl a\n bl b\n bl c\n bl d\n bl e\n mov r0, #0\n mov r7, #1\n svc #0\n";
    let object = target.compile(at, "code.s", &text, &[]);
    // Libraries of unwinders are wanted where there are some.
    let bytes = target.link(std::slice::from_ref(&object), |_| ()).expect("it links");
    let file = object::File::parse(&*bytes).expect("a program");
    let address = |name: &str| file.symbol_by_name(name).expect("it is there").address();
    let saves = 0x80a8_b0b0;
    let want = [("a", saves), ("b", 1), ("d", saves), ("e", saves)];
    let mut want: Vec<(u64, u32)> = want.into_iter().map(|(name, table)| (address(name), table)).collect();
    want.push((address("e") + 8, 1));
    assert_eq!(index_of(&bytes), want);
}

#[test]
fn long_code_is_the_same_for_any_number_of_workers() {
    use sysyc::base::parallel::Workers;
    const FUNCTIONS: usize = 100_000;
    let jumps = ["tail", "b", "b"];
    let adds = ["addi a0, a0, 1", "add w0, w0, #1", "add r0, r0, #1"];
    for (k, (target, start)) in TARGETS.iter().zip(START).enumerate() {
        let folder = folder();
        let at = folder.path();
        // Each function jumps to the next one, which stands somewhere else.
        let mut text = start.to_string();
        for place in 0..FUNCTIONS {
            let number = place * 7919 % FUNCTIONS;
            writeln!(
                text,
                " .globl f{number}\n .balign 32\nf{number}: {}\n {} f{}",
                adds[k],
                jumps[k],
                number + 1
            )
            .expect("text grows");
            if place == FUNCTIONS / 2 {
                // Behind a jump: only this names it.
                text.push_str(" .balign 4\n .4byte other\n");
            }
        }
        let ret = if target.machine.name == "armv7" { "bx lr" } else { "ret" };
        write!(text, " .globl f{FUNCTIONS}, entry\nf{FUNCTIONS}: {ret}\n").expect("text grows");
        let clear = ["li a0, 0", "mov w0, #0", "mov r0, #0"][k];
        writeln!(text, " .type entry, %function\nentry: {clear}\n {} f0", jumps[k]).expect("text grows");
        let object = target.compile(at, "long.s", &text, &[]);
        let other = " .section .data.other, \"aw\"\n .globl other\nother: .4byte 7\n";
        let other = target.compile(at, "other.s", other, &[]);
        let bytes = target.link(&[object.clone(), other.clone()], |_| ()).expect("it links");
        let files = [&object, &other].map(|file| fs::read(file).expect("it is there"));
        let inputs = |count: usize| {
            let input = |file| Input { name: "long".to_string(), content: Content::Bytes(file) };
            files[..count].iter().map(|file| input(file)).collect::<Vec<_>>()
        };
        let missing = link(inputs(1), &Options::new(target.machine)).expect_err("there is no other");
        assert_eq!(missing.len(), 1, "{missing:?}");
        for jobs in [1, 2, 5] {
            let workers = Workers::new(jobs);
            let options = Options { workers: Some(&workers), ..Options::new(target.machine) };
            assert!(link(inputs(2), &options).as_ref() == Ok(&bytes), "{} -j{jobs}", target.machine.name);
            assert_eq!(link(inputs(1), &options), Err(missing.clone()), "{} -j{jobs}", target.machine.name);
        }
        write_program(&at.join("program"), &bytes);
        let done = target.run(at, &at.join("program"), "");
        assert_eq!(done.ending, Ending::Exit((FUNCTIONS % 256) as i32), "{}", target.machine.name);
        let stripped = target.link(&[object, other], |options| options.strip = true).expect("it links");
        assert!(stripped.len() + 16 * FUNCTIONS < bytes.len(), "the symbols are gone");
        write_program(&at.join("program"), &stripped);
        assert_eq!(target.run(at, &at.join("program"), "").ending, done.ending, "stripped");
    }
}

#[test]
fn arm_and_thumb_call_each_other() {
    let target = &TARGETS[2];
    let code = |name: &str, other: &str, gap: usize| {
        let mut text = format!("int {other}(int, int);\n");
        // A call, a jump (a call in the last place), and a call of a pointer.
        writeln!(text, "int {name}(int x, int n) {{ if (!n) return x; int y = {other}(x + 1, n - 1); return {other}(y, 0); }}")
            .expect("text grows");
        writeln!(text, "int (*p_{name})(int, int) = {name};").expect("text grows");
        writeln!(text, "int tail_{name}(int x, int n) {{ return {other}(x * 2, n); }}").expect("text grows");
        if gap > 0 {
            writeln!(text, "__asm__(\".section .text.gap,\\\"ax\\\"\\n .zero {gap}\\n .previous\");")
                .expect("text grows");
        }
        text
    };
    for gap in [0, 17 << 20, 34 << 20] {
        let folder = folder();
        let at = folder.path();
        let start = target.compile(at, "start.s", START[2], &[]);
        let arm = target.compile(at, "arm.c", &code("arm", "thumb", gap), &["-O2", "-marm"]);
        let thumb = target.compile(at, "thumb.c", &code("thumb", "arm", 0), &["-O2", "-mthumb"]);
        let entry = "int tail_arm(int, int), tail_thumb(int, int); extern int (*p_arm)(int, int), (*p_thumb)(int, int);
            int entry(void) { return tail_arm(3, 4) + tail_thumb(5, 3) + p_arm(1, 1) + p_thumb(2, 2); }";
        for state in ["-marm", "-mthumb"] {
            let entry = target.compile(at, "entry.c", entry, &["-O1", state]);
            let files = [start.clone(), entry, arm.clone(), thumb.clone()];
            let bytes = target.link(&files, |options| options.keep_unused = true).expect("it links");
            write_program(&at.join("program"), &bytes);
            assert_eq!(target.run(at, &at.join("program"), "").ending, Ending::Exit(29), "{gap} {state}");
        }
    }
}

#[test]
fn what_is_missing_or_there_twice_is_said_all_at_once() {
    for target in &TARGETS {
        let folder = folder();
        let at = folder.path();
        let one = "int f(void), g(void); int both = 1; int _start(void) { return f() + g() + both; }";
        let one = target.compile(at, "one.c", one, &["-O1"]);
        let two =
            target.compile(at, "two.c", "int f(void); int h(void) { return f(); } int both = 2;", &["-O1"]);
        let text = |errors: Vec<LinkError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
        let twice = text(target.link(&[one.clone(), two.clone()], |_| ()).expect_err("twice"));
        assert_eq!(twice, ["two.c.o: 'both' is defined here and in one.c.o"]);
        let two = target.compile(at, "two.c", "int f(void); int h(void) { return f(); }", &["-O1"]);
        let missing =
            text(target.link(&[one.clone(), two.clone()], |options| options.keep_unused = true).unwrap_err());
        let expected = [
            "one.c.o: 'f' is used here and defined nowhere (and by two.c.o)",
            "one.c.o: 'g' is used here and defined nowhere",
        ];
        assert_eq!(missing, expected);
        let bytes = fs::read(&one).expect("it is there");
        let input = Input { name: "one".to_string(), content: Content::Bytes(&bytes) };
        let wanted = undefined(&[input], &Options::new(target.machine)).expect("a list");
        let wanted = wanted.iter().map(|row| (row.name.as_str(), row.users.as_slice()));
        let users = [("one".to_string(), Some("_start".to_string()))];
        assert_eq!(wanted.collect::<Vec<_>>(), [("f", &users[..]), ("g", &users[..])]);
        // Nothing calls `h`, so nothing is missing once `one` is satisfied.
        let rest =
            target.compile(at, "rest.c", "int f(void) { return 1; } int g(void) { return 2; }", &["-O1"]);
        assert!(target.link(&[one.clone(), rest], |_| ()).is_ok());
        let none = text(target.link(&[two], |_| ()).expect_err("no start"));
        assert_eq!(none, ["the program has no '_start', where it would start"]);
        // Libraries that need each other in turn.
        for (name, code) in [
            ("f", "int x(void); int f(void) { return x(); }"),
            ("x", "int g(void); int x(void) { return g(); }"),
        ] {
            target.compile(at, &format!("{name}.c"), code, &["-O1"]);
            tool(
                at,
                &format!("{}-ar", target.tools),
                &["rcs", &format!("lib{name}.a"), &format!("{name}.c.o")],
            );
        }
        let g = target.compile(at, "g.c", "int g(void) { return 2; }", &["-O1"]);
        tool(at, &format!("{}-ar", target.tools), &["r", "libf.a", &g.to_string_lossy()]);
        assert!(target.link(&[one.clone(), at.join("libx.a"), at.join("libf.a")], |_| ()).is_ok());
        let missing = text(target.link(&[one.clone(), at.join("libf.a")], |_| ()).expect_err("no x"));
        assert_eq!(missing, ["libf.a(f.c.o): 'x' is used here and defined nowhere"]);
        // Another machine's object.
        let other = &TARGETS[if target.qemu == "qemu-aarch64" { 0 } else { 1 }];
        let strange = other.compile(at, "strange.c", "int f(void) { return 1; }", &[]);
        assert!(text(target.link(&[strange], |_| ()).expect_err("strange"))[0].contains("not for"));
    }
}

#[test]
fn huge_arrays_cost_nothing_and_copies_are_merged() {
    for (target, start) in TARGETS.iter().zip(START) {
        let folder = folder();
        let at = folder.path();
        let start = target.compile(at, "start.s", start, &[]);
        // More than the reach of an address pair on RISC-V would not link with anybody.
        let text = "char huge[1 << 30]; int small = 3; int entry(void) { huge[(1 << 30) - 1] = small; return huge[(1 << 30) - 1]; }";
        let huge = target.compile(at, "huge.c", text, &["-O1"]);
        let program = target.program(at, &[start.clone(), huge]);
        assert!(fs::metadata(&program).expect("it is there").len() < 5000);
        assert_eq!(target.run(at, &program, "").ending, Ending::Exit(3), "{}", target.machine.name);
        let copy = |name: &str, value: usize| {
            let text = format!(
                " .section .text.copy,\"axG\",%progbits,copy,comdat\n .globl copy\n .type copy, %function\ncopy:\n \
                 {}\n .section .data.{name},\"aw\"\n .globl {name}\n{name}: .4byte {value}\n",
                if target.machine.name == "armv7" { "bx lr" } else { "ret" }
            );
            target.compile(at, &format!("{name}.s"), &text, &[])
        };
        let (one, two) = (copy("one", 20), copy("two", 3));
        let entry = "int copy(int); extern int one, two; int entry(void) { return copy(one) + two; }";
        let entry = target.compile(at, "entry.c", entry, &["-O1"]);
        let program = target.program(at, &[start, entry, one, two]);
        assert_eq!(target.run(at, &program, "").ending, Ending::Exit(23), "{}", target.machine.name);
    }
}
