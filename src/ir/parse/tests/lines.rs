//! Lines in their usual form are read as the general reader reads them, and everything else is left to it.

use super::*;
use crate::base::parallel::Workers;

/// Text of what compilers print, with everything that the fast path knows.
const USUAL: &str = "\
@g = dso_local global [4 x [3 x i32]] zeroinitializer, align 4
@s = dso_local global i64 5, align 8
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
  %19 = icmp slt i32 %18, %v.1
  %20 = fcmp ogt double %16, 1.000000e-05
  %21 = and i1 %19, true
  store double %16, ptr %9, align 8
  %22 = trunc i32 %18 to i8
  %23 = call signext i8 @narrow(i8 noundef signext %22, i32 noundef 7) #3
  call void @nothing(ptr nonnull %10, i1 zeroext %20)
  tail call void @nothing(ptr noundef @g, i1 false), !srcloc !7
  br i1 %21, label %24, label %end

24:                                               ; preds = %4
  %25 = tail call i32 @f(i32 %18, ptr %5, float 0.000000e+00, i1 %3)
  store volatile i32 1, ptr %5, align 4
  br label %end, !llvm.loop !6

end:                                              ; preds = %24, %4
  %x = phi i32 [ %25, %24 ], [ %18, %4 ]
  ret i32 %x
}
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
        "%a = load i32, ptr %p1, align 4, !sysyc.alias !{i32 3}",
        "%a = load i33, ptr %p1, align 8",
        "%a = load\n  i32, ptr %p1",
        "%a = icmp eq ptr %p1, null",
        "%\"a\" = add i32 %p0, 1",
        "%a = add i64 1, 1234567890123456789",
    ];
    for line in unusual {
        let text = function(&format!("  {line}\n  ret i32 0\n"));
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
        "%a = fadd float %p2, 0.1",
        "br label %nowhere",
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
    for _ in 0..3_000 {
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
