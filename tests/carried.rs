//! Vectors of all lanes and lengths that travel in registers, beside LLVM's back end: a text defines functions of such
//! parameters and results, another one calls them on bytes of memory. One of the two is compiled by clang, the other by us; both
//! ways the results are those of clang alone. (What C has of them is compared with gcc in `calls`.)

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use cross::{TARGETS, clang, run};
use std::fmt::Write;
use std::process::Command;

/// Lanes, and how many: those that are passed on AArch64 and ARMv7.
const TYPES: [(&str, &[u32]); 7] = [
    ("i8", &[1, 2, 4, 5, 6, 7, 8, 9, 12, 15, 16, 32, 64]),
    ("i16", &[1, 2, 3, 4, 5, 6, 7, 8, 16]),
    ("i32", &[1, 2, 3, 4, 8, 16]),
    ("i64", &[1, 2, 3, 4, 8]),
    ("float", &[1, 2, 3, 4, 8]),
    ("double", &[1, 2, 3, 4, 5]),
    ("i1", &[2, 4, 8, 16]),
];

/// Functions, what calls them, and what calls all of that, for types of which `has` says that the machine passes them.
fn texts(has: impl Fn(&str, u32) -> bool) -> [String; 3] {
    let [mut defined, mut calls, mut list] = [const { String::new() }; 3];
    let mut k = 0;
    for (lane, counts) in TYPES {
        for &count in counts.iter().filter(|&&count| has(lane, count)) {
            let (ty, is_bits) = (format!("<{count} x {lane}>"), lane == "i1");
            let [sum, difference] = if lane.starts_with('i') { ["add", "sub"] } else { ["fadd", "fsub"] };
            let takes = format!("double, {ty}, i32, {ty}, float, {ty}");
            let seen = if is_bits { format!("<{count} x i8>") } else { ty.clone() };
            _ = writeln!(
                defined,
                "define {ty} @f{k}(double %x, {ty} %a, i32 %n, {ty} %b, float %y, {ty} %c) {{\n\
                 %s = {sum} {ty} %a, %c\n %r = {difference} {ty} %s, %b\n ret {ty} %r\n}}"
            );
            _ = writeln!(
                calls,
                "declare {ty} @f{k}({takes})\n\
                 define void @c{k}(ptr %in, ptr %out, i32 %n) {{\n\
                 %p = getelementptr i8, ptr %in, i32 64\n %q = getelementptr i8, ptr %in, i32 128\n\
                 %a0 = load {seen}, ptr %in\n %b0 = load {seen}, ptr %p\n %c0 = load {seen}, ptr %q"
            );
            for v in ["a", "b", "c"].iter().filter(|_| is_bits) {
                _ = writeln!(calls, " %{v}1 = trunc {seen} %{v}0 to {ty}");
            }
            let of = u32::from(is_bits);
            _ = writeln!(
                calls,
                "%r = call {ty} @f{k}(double 1.5, {ty} %a{of}, i32 %n, {ty} %b{of}, float 2.5, {ty} %c{of})"
            );
            if is_bits {
                _ = writeln!(calls, "%w = zext {ty} %r to {seen}");
            }
            _ = writeln!(calls, "store {seen} %{}, ptr %out\n ret void\n}}", if is_bits { "w" } else { "r" });
            _ = writeln!(list, "T({k}, \"{ty}\")");
            k += 1;
        }
    }
    let main = format!(
        "#include <stdio.h>\n#include <string.h>\n\
         #define T(k, name) void c##k(void *, void *, int);\n{list}\n#undef T\n\
         static _Alignas(64) unsigned char in[192], out[64];\n\
         int main(void) {{ for (int k = 0; k < 192; k++) in[k] = 3 + k * 37 % 61;\n\
         #define T(k, name) memset(out, 0, 64); c##k(in, out, k); printf(name); \\\n\
           for (int i = 0; i < 64; i++) printf(\" %02x\", out[i]); puts(\"\");\n{list}\nreturn 0; }}\n"
    );
    [defined, calls, main]
}

fn on(target: usize, has: impl Fn(&str, u32) -> bool) {
    let cross = &TARGETS[target];
    let own = tempfile::tempdir().expect("a folder can be made");
    let folder = own.path();
    let [defined, calls, main] = texts(has);
    for (name, text) in [("callee.ll", defined), ("caller.ll", calls), ("main.c", main)] {
        std::fs::write(folder.join(name), text).expect("a file can be written");
    }
    run(folder, Command::new(cross.gcc).args(["-w", "-c", "main.c"]));
    for part in ["callee", "caller"] {
        let [text, theirs] = [format!("{part}.ll"), format!("{part}.clang.o")];
        let mut command = Command::new(clang());
        command.args(["-w", "-O1", "-c", "-o", &theirs, &text, &format!("--target={}", cross.triple)]);
        run(folder, command.args(cross.options));
        for level in ["-O0", "-O2"] {
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            ours.args([level, "-c", "-fverify", "-o", &format!("{part}{level}.o"), &text]);
            run(folder, ours.arg(format!("--target={}", cross.name)));
        }
    }
    let mut want: Option<String> = None;
    for [caller, callee] in
        [[".clang", ".clang"], [".clang", "-O0"], [".clang", "-O2"], ["-O0", ".clang"], ["-O2", ".clang"]]
    {
        let parts = [format!("caller{caller}.o"), format!("callee{callee}.o")];
        run(folder, Command::new(cross.gcc).args(["-static", "-o", "x", "main.o"]).args(parts));
        let have = run(folder, Command::new(cross.qemu).arg("x")).stdout;
        let have = String::from_utf8_lossy(&have).into_owned();
        let want = want.get_or_insert_with(|| have.clone());
        let differs: Vec<_> = want.lines().zip(have.lines()).filter(|(a, b)| a != b).collect();
        assert!(have == *want, "{}: {caller} calls {callee}: {differs:#?}", cross.name);
    }
}

#[test]
fn vectors_travel_as_llvm_passes_them_on_aarch64() {
    on(1, |_, _| true);
}

/// One lane of less than 8 bytes is none there.
#[test]
fn vectors_travel_as_llvm_passes_them_on_armv7() {
    on(2, |lane, count| count > 1 || ["i64", "double"].contains(&lane));
}
