//! Lines in their usual form are read as the general reader reads them, and everything else is left to it.

use super::*;
use crate::base::parallel::Workers;

/// Text of what compilers print, with everything that the fast path knows.
const USUAL: &str = "\
@g = dso_local global [4 x [3 x i32]] zeroinitializer, align 4
@s = dso_local global i64 5, align 8
@c = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
declare i32 @many(i32, i32, i32, i32, i32, i32, i32, i32, i32, float)
declare signext i8 @narrow(i8 noundef signext, i32 noundef)
declare void @nothing(ptr nonnull, i1 zeroext)
define dso_local i32 @f(i32 noundef %0, ptr noundef %1, float %2, i1 %3) {
  %5 = alloca i32, align 4
  %6 = alloca [4 x [3 x double]], align 16
  %v.1 = load i32, ptr %5, align 4, !tbaa !5
  %7 = load i64, ptr @s, align 8
  store i64 -9, ptr @s, align 8
  store i32 %v.1, ptr %1
  %8 = load i32, ptr getelementptr inbounds ([3 x i32], ptr getelementptr inbounds ([4 x [3 x i32]], ptr @g, i64 0, i64 2), i64 0, i64 1), align 4
  store i32 %8, ptr getelementptr (i8, ptr @g, i64 4), align 4
  %9 = getelementptr inbounds [4 x [3 x double]], ptr %6, i64 0, i64 %7
  %10 = getelementptr inbounds nuw i32, ptr %1, i64 3
  %11 = add nsw i32 %8, 2147483647
  %12 = sub nuw nsw i32 %11, -2147483648
  %13 = fmul float %2, 2.500000e+00
  %14 = fadd float %13, 0x3FB99999A0000000
  %15 = fneg float %14
  %16 = fpext float %15 to double
  %17 = sext i32 %12 to i64
  %18 = lshr exact i32 %12, 1
  %o.1 = or disjoint i32 %18, 1
  %z.1 = zext nneg i32 %o.1 to i64
  %19 = icmp slt i32 %18, %v.1
  %20 = fcmp ogt double %16, 1.000000e-05
  %21 = and i1 %19, true
  store double %16, ptr %9, align 8
  %22 = trunc i32 %18 to i8
  %23 = call signext i8 @narrow(i8 noundef signext %22, i32 noundef 7) #3
  call void @nothing(ptr nonnull %10, i1 zeroext %20)
  tail call void @nothing(ptr noundef @g, i1 false), !srcloc !7
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %5) #4
  %m.1 = tail call float @llvm.fmuladd.f32(float %2, float %13, float 1.000000e+00)
  %m.2 = call double @llvm.fabs.f64(double %16)
  %m.3 = tail call i32 @llvm.smax.i32(i32 %8, i32 noundef 0), !other !9
  %m.4 = call i64 @llvm.abs.i64(i64 %17, i1 true)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(96) %6, i8 0, i64 96, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %1, i8 %22, i64 %17, i1 false), !tbaa !5
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 getelementptr inbounds ([3 x i32], ptr @g, i64 1), ptr align 4 @c, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i32(ptr align 1 %1, ptr align 4 %6, i32 16, i1 false)
  %m.5 = select i1 %21, i32 %m.3, i32 7
  %m.6 = select i1 %3, ptr @g, ptr %1
  %m.7 = freeze i32 %m.5
  %m.8 = call i32 @many(i32 signext poison, i32 undef, i32 %m.7, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, float %m.1)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %5) #4
  br i1 %21, label %24, label %end

24:                                               ; preds = %4
  %25 = tail call i32 @f(i32 %18, ptr %5, float 0.000000e+00, i1 %3)
  store volatile i32 1, ptr %5, align 4
  br label %end, !llvm.loop !6

end:                                              ; preds = %24, %4
  %x = phi i32 [ %25, %24 ], [ %18, %4 ]
  ret i32 %x
}
!5 = !{}
!6 = distinct !{!6}
!7 = !{}
!9 = !{}
";

fn read(text: &str, forms: Forms) -> Result<String, String> {
    let message = |error: &ParseError| error.to_string();
    let mut outline = outline(text, &ANY, true).map_err(|error| message(&error))?;
    outline.forms = forms;
    let (mut reader, mut env) = Reader::of(outline).map_err(|error| message(&error))?;
    let funcs: Vec<FuncId> = reader.functions().map(|row| row.0).collect();
    let bodies = reader.read(&mut env, &funcs, &Workers::new(1)).map_err(|errors| {
        let mut errors: Vec<String> = errors.iter().map(message).collect();
        errors.sort();
        errors.join("\n")
    })?;
    let module = Module::new(env, bodies);
    let names: String = module.defined().map(|f| format!("{:?}", f.names)).collect();
    Ok(print::module(&module) + &names)
}

#[test]
fn usual_forms_are_read_by_lines_and_as_by_tokens() {
    let want = read(USUAL, Forms::Tokens).unwrap();
    assert_eq!(read(USUAL, Forms::Any).unwrap(), want);
    // What is volatile is not in the usual form; all else is.
    let without: Vec<&str> = USUAL.lines().filter(|line| !line.contains("volatile")).collect();
    let without = without.join("\n");
    assert_eq!(read(&without, Forms::Lines).unwrap(), read(&without, Forms::Tokens).unwrap());
}

#[test]
fn what_goes_on_or_is_unusual_is_left_to_the_general_reader() {
    let unusual = [
        "%a = add i32 %p0, 1\n  , !dbg !3",
        "%a = add i32 %p0, 1 ; a comment",
        "%a = add i32 %p0, 1 %b = add i32 %a, 1",
        "%a = call i32 @ext(i32 1, ptr %p1)\n  nounwind",
        "%a = call i32 @ext(i32 1, ptr %p1)\n  #3",
        "%a = load i32, ptr %p1, align 2",
        "%a = load i32, ptr %p1, align 4, !tbaa !{i32 3}",
        "%a = load i32, ptr %p1, align 4, !range !{i32 0, i32 9}",
        "%a = load i33, ptr %p1, align 8",
        "%a = trunc nsw i32 %p0 to i8",
        "%a = load\n  i32, ptr %p1",
        "%a = icmp eq ptr %p1, null",
        "%\"a\" = add i32 %p0, 1",
        "%a = add i64 1, 1234567890123456789",
        "%a = freeze i32 undef",
        "%a = call i32 @llvm.ctpop.i32(i32 %p0)",
        "%a = fcmp nnan ogt float %p2, 0.0",
        "%a = call fast float @llvm.fabs.f32(float %p2)",
        "call void @llvm.memset.p0.i64(ptr %p1, i8 0, i64 8, i1 true)",
        "call void @llvm.memmove.p0.p0.i64(ptr %p1, ptr %p1, i64 8, i1 false)",
        "call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %none, i1 what)",
    ];
    for line in unusual {
        let text = function(&format!("  {line}\n  ret i32 0\n")) + "!3 = !{}\n";
        let want = read(&text, Forms::Tokens);
        assert!(want.is_ok(), "{line}: {want:?}");
        assert_eq!(read(&text, Forms::Any), want, "{line}");
        assert!(read(&text, Forms::Lines).is_err(), "{line}");
    }
    let wrong = [
        "%a = add i32 %p0, 4294967296",
        "%a = add i32 %p1, 1",
        "%p0 = add i32 1, 1",
        "%a = load void, ptr %p1",
        "%a = store i32 %p0, ptr %p1",
        "%a = add i32 %none, 1",
        "%a = call void @ext(i32 1, ptr %p1)",
        "%a = call i32 @ext(i32 1)",
        "%a = load i32, ptr %p1, align 3",
        "%a = load i32, ptr %p1, align 4, !tbaa !77",
        "%a = load i32, ptr %p1, align 4, !range !{}",
        "%a = and nuw i32 %p0, 1",
        "%a = and nsw i32 %p0, 1",
        "%a = add nsw nsw i32 %p0, 1",
        "%a = add fast i32 %p0, 1",
        "%a = or disjoint disjoint i32 %p0, 1",
        "%a = call signext float @nothing()",
        "%a = call nonnull i32 @ext(i32 1, ptr %p1)",
        "%a = call i32 @ext(i32 nonnull 1, ptr %p1)",
        "%a = call i32 @ext(i32 1, ptr zeroext %p1)",
        "%a = call i32 @ext(i32 zeroext signext 1, ptr %p1)",
        "%a = call i32 @ext(i32 1, ptr dereferenceable(0) %p1)",
        "%a = call i32 @ext(i32 1, ptr align 131072 %p1)",
        "%5 = add i32 %p0, 1\n  %3 = add i32 %p0, 1",
        "br label %a\na:\n  %a = add i32 %p0, 1",
        "%a = fadd float %p2, 0.1",
        "%a = fadd float %p2, -9",
        "br label %nowhere",
        "%a = select i1 %p0, i32 1, i32 2",
        "%a = select i1 true, i32 1, i64 2",
        "%a = freeze i32 %p2",
        "%a = call float @llvm.fabs.f64(double 1.0)",
        "%a = call float @llvm.fabs.f32(i32 %p0)",
        "%a = call i32 @llvm.smax.i32(i32 %p0)",
        "%a = call i32 @llvm.abs.i32(i32 %p0, i1 %none)",
        "%a = call float @llvm.fmuladd.f32(float %p2, float %p2)",
        "%a = call void @llvm.memset.p0.i64(ptr %p1, i8 0, i64 8, i1 false)",
        "call void @llvm.memset.p0.i64(ptr %p1, ptr %p1, i64 8, i1 false)",
        "call void @llvm.memcpy.p0.p0.i64(ptr %p1, i8 0, i64 8, i1 false)",
    ];
    for line in wrong {
        let text = function(&format!("  {line}\n  ret i32 0\n"));
        let want = read(&text, Forms::Tokens);
        assert!(want.is_err(), "{line}: {want:?}");
        assert_eq!(read(&text, Forms::Any), want, "{line}");
    }
}

#[test]
fn damaged_text_is_read_alike() {
    let mut seed = 7u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let words: Vec<&str> = USUAL.split_inclusive([' ', ',', '\n']).collect();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..4_000 {
        let mut damaged = words.clone();
        for _ in 0..=random(2) {
            let (from, to) = (random(words.len()), random(words.len()));
            match random(4) {
                0 => damaged[to] = words[from],
                1 => damaged.swap(from, to),
                2 => damaged[to] = ["", " ", "\n", ";\n", "-", "0", "\"", ", "][random(8)],
                _ => damaged.insert(to, words[from]),
            }
        }
        let text = damaged.concat();
        let want = read(&text, Forms::Tokens);
        if want.is_ok() {
            accepted += 1
        } else {
            refused += 1
        }
        assert_eq!(read(&text, Forms::Any), want, "{text}");
    }
    assert!(accepted > 100 && refused > 1_000, "{accepted} {refused}");
}
