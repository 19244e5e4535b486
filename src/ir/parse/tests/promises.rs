//! What text promises of instructions and calls, what it says is likely, and what it asks of code.

use super::*;
use crate::base::Handle;
use crate::ir::{Calls, Effect, Flags, Hints, Inlining, Size};

#[test]
fn what_instructions_promise_is_read_and_printed() {
    let text = "\
define void @f(ptr %p, i32 %x) {
  %a = add nsw nuw i32 %x, 1
  %b = sdiv exact i32 %a, 2
  %c = lshr exact i32 %b, 1
  %d = sub nuw i32 %c, 1
  %e = load i32, ptr %p, align 16, !tbaa !{i32 9}
  store i32 %d, ptr %p, align 4, !tbaa !4
  call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i32(ptr %p, i8 1, i32 %e, i1 false)
  %g = load <4 x i32>, ptr %p, align 16
  %h = add nsw <4 x i32> %g, %g
  %i = sitofp i32 %x to float
  %j = fmul nnan ninf nnan afn float %i, %i
  %k = fsub fast float %j, %i
  %l = fcmp arcp nsz ogt float %k, %j
  %m = icmp slt <4 x i32> %h, %g
  store <4 x i32> %h, ptr %p, align 4
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %g, ptr align 8 %p, i32 4, <4 x i1> %m)
  ret void
}
!4 = !{}
!5 = !{i32 7}
!6 = !{!5, i32 7}
";
    let want = "\
define void @f(ptr %p0, i32 %p1) {
b0:
  %v0 = add nuw nsw i32 %p1, 1
  %v1 = sdiv exact i32 %v0, 2
  %v2 = lshr exact i32 %v1, 1
  %v3 = sub nuw i32 %v2, 1
  %v4 = load i32, ptr %p0, align 16
  store i32 %v3, ptr %p0
  call void @llvm.memset.p0.i64(ptr align 8 %p0, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i32(ptr %p0, i8 1, i32 %v4, i1 false)
  %v5 = load <4 x i32>, ptr %p0, align 16
  %v6 = add nsw <4 x i32> %v5, %v5
  %v7 = sitofp i32 %p1 to float
  %v8 = fmul nnan float %v7, %v7
  %v9 = fsub reassoc nnan nsz arcp contract float %v8, %v7
  %v10 = fcmp ogt float %v9, %v8
  %v11 = icmp slt <4 x i32> %v6, %v5
  store <4 x i32> %v6, ptr %p0, align 4
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v5, ptr align 8 %p0, i32 4, <4 x i1> %v11)
  ret void
}
";
    let module = parse(text).unwrap();
    let printed = print::module(&module);
    assert_eq!(print::body(&module.env, module.nth(0)), want);
    assert_eq!(print::module(&parse(&printed).unwrap()), printed);
    let copy = pack(module.nth(0), &mut Packer::default()).unpack(None).unwrap();
    assert_eq!(print::body(&module.env, &copy), print::body(&module.env, module.nth(0)));
}

#[test]
fn declarations_say_what_calls_can_do() {
    let effect = |text: &str| {
        let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let again = parse(&print::module(&module)).unwrap();
        let [first, second] = [&module, &again].map(|m| m.env.funcs[Handle::new(0)].effect);
        assert_eq!(first, second, "{text}");
        first
    };
    let (reads, writes, outside) = (Effect::READS, Effect::WRITES, Effect::OUTSIDE);
    for (attributes, expected) in [
        ("", Effect::ALL),
        ("nounwind willreturn", Effect::ALL),
        ("memory(none)", outside),
        ("nounwind willreturn memory(none)", Effect::NONE),
        ("readnone nounwind willreturn", Effect::NONE),
        ("nounwind willreturn memory(read)", reads.with(Effect::ANYWHERE)),
        ("nounwind willreturn memory(argmem: readwrite)", reads.with(writes)),
        ("nounwind willreturn memory(argmem: write)", writes),
        ("memory(argmem: read, inaccessiblemem: readwrite)", outside.with(reads)),
        ("memory(write, inaccessiblemem: readwrite)", outside.with(writes).with(Effect::ANYWHERE)),
        ("nounwind willreturn memory(read, errnomem: write)", reads.with(writes).with(Effect::ANYWHERE)),
        ("#1", Effect::ALL),
        ("#0", reads.with(Effect::ANYWHERE)),
        ("memory(none) #0", Effect::NONE),
        ("nounwind returns_twice", Effect::ALL.with(Effect::TWICE)),
    ] {
        let group = "attributes #0 = { nounwind willreturn memory(read) \"x\"=\"y\" }";
        assert_eq!(
            effect(&format!("declare i32 @putint(i32) {attributes}\n{group}")),
            expected,
            "{attributes}"
        );
    }
}

#[test]
fn weights_of_branches_say_what_is_likely() {
    for (weights, likely) in [
        ("!prof !{!\"branch_weights\", i32 2000, i32 1}", Flags::LIKELY),
        ("!dbg !1, !prof !0", Flags::UNLIKELY),
        ("!prof !2", Flags::NONE),
        ("!dbg !1", Flags::NONE),
        ("!prof !3", Flags::NONE),
    ] {
        let text = format!(
            "define void @f(i1 %c) {{
               br i1 %c, label %a, label %b, {weights}
             a:
               ret void
             b:
               ret void
             }}
             !0 = !{{!\"branch_weights\", !\"expected\", i32 1, i32 -2147483648}}
             !1 = !{{}}
             !2 = !{{!\"branch_weights\", i32 3, i32 7}}
             !3 = !{{!\"VP\", i32 0, i64 1, i64 9}}"
        );
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let again = parse(&print::module(&module)).unwrap();
        for module in [&module, &again] {
            let f = module.nth(0);
            let branch = f.entry().and_then(|b| f.terminator(b)).unwrap();
            assert_eq!(f.flags(branch), likely, "{text}");
        }
    }
}

#[test]
fn what_is_asked_of_code_is_read_and_printed() {
    let none = Hints::default();
    for (words, group, hints) in [
        ("", "nounwind", none),
        ("noinline", "nounwind", Hints { inlining: Inlining::Never, ..none }),
        ("alwaysinline #0", "cold", Hints { inlining: Inlining::Always, cold: true, ..none }),
        ("optsize #0", "minsize", Hints { size: Size::Smallest, ..none }),
        ("#0", "noinline optsize", Hints { inlining: Inlining::Never, size: Size::Small, ..none }),
        // As clang writes at -O0.
        ("#0", "noinline nounwind optnone", none),
    ] {
        let text = format!("define void @f() {words} {{\n ret void\n}}\nattributes #0 = {{ {group} }}");
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let again = parse(&print::module(&module)).unwrap();
        for module in [&module, &again] {
            assert_eq!(module.env.funcs[Handle::new(0)].hints, hints, "{text}");
        }
    }
}

#[test]
fn counts_of_a_profile_are_read_and_printed() {
    // As clang writes with -fprofile-instr-use, and as we do.
    for (entry, weights, behind) in [
        (
            "!prof !1",
            "!prof !2",
            "!1 = !{!\"function_entry_count\", i64 640}\n!2 = !{!\"branch_weights\", i32 301, i32 101}",
        ),
        ("!prof !{!\"function_entry_count\", i64 640}", "!prof !{!\"branch_weights\", i32 301, i32 101}", ""),
    ] {
        let function = |name: &str, entry: &str, weights: &str| {
            format!(
                "define void @{name}(i1 %c) {entry} {{\n br i1 %c, label %a, label %b{weights}\na:\n ret void\nb:\n ret void\n}}\n"
            )
        };
        let weights = format!(", {weights}");
        let counted = |count: u64| format!("!prof !{{!\"function_entry_count\", i64 {count}}}");
        let text = [
            function("f", entry, &weights),
            function("never", &counted(0), ""),
            function("seldom", &counted(9), &weights),
            // Nothing is known of calls: weights are hints.
            function("other", "", &weights),
        ];
        let text = text.concat() + behind;
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let again = parse(&print::module(&module)).unwrap();
        for module in [&module, &again] {
            let of = |k: usize| module.env.funcs[Handle::new(k)].hints;
            let calls = |count, hot| Some(Calls { count, hot });
            assert_eq!(
                [of(0).calls, of(1).calls, of(2).calls],
                [calls(640, true), calls(0, false), calls(9, false)]
            );
            assert_eq!((of(3).calls, [of(0).cold, of(1).cold, of(2).cold]), (None, [false, true, false]));
            let flags = |k: usize| {
                let f = module.nth(k);
                f.entry().and_then(|b| f.terminator(b)).map(|i| f.flags(i))
            };
            let three = Some(Flags::odds(301, 101));
            assert_eq!(
                [flags(0), flags(1), flags(2), flags(3)],
                [three, Some(Flags::NONE), three, Some(Flags::NONE)]
            );
        }
    }
}
