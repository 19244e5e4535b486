//! Other names of what is defined.

use super::memory::result;
use super::*;
use crate::ir::Linkage;

const TEXT: &str = "\
@values = global [2 x i32] [i32 3, i32 4]
@hidden = internal global i32 5
@places = internal constant [2 x ptr] [ptr @seen, ptr @weaker]
@same = alias [2 x i32], ptr @values
@seen = alias i32, ptr @hidden
@again = dso_local unnamed_addr alias i32, ptr @seen
@spare = weak alias i32, ptr @hidden
@other = alias i32 (i32), ptr @base
@weaker = weak alias i32 (i32), ptr @base
define internal i32 @base(i32 %x) {
  %y = mul i32 %x, 2
  ret i32 %y
}
define i32 @main() {
  %a = load i32, ptr getelementptr ([2 x i32], ptr @same, i32 0, i32 1)
  %b = load i32, ptr @again
  %c = call i32 @other(i32 %a)
  %d = add i32 %b, %c
  ret i32 %d
}
define i32 @asks(i32 %x) {
  %a = call i32 @weaker(i32 %x)
  ret i32 %a
}
";

#[test]
fn other_names_are_what_they_lead_to_and_weak_ones_may_be_something_else() {
    let module = parse(TEXT).unwrap();
    let env = &module.env;
    let aliases: Vec<_> = env
        .aliases
        .iter()
        .map(|row| {
            (env.names.text(row.name), row.weak, env.names.text(env.globals[row.of].name), row.func.is_some())
        })
        .collect();
    assert_eq!(
        aliases,
        [
            ("same", false, "values", false),
            ("seen", false, "hidden", false),
            ("again", false, "hidden", false),
            ("spare", true, "hidden", false),
            ("other", false, "base", false),
            ("weaker", true, "base", true),
        ]
    );
    // Others may call and change what has another name.
    let name = |text: &str| env.names.find(text).unwrap();
    let base = env.funcs.as_slice().iter().find(|row| row.name == name("base")).unwrap();
    assert_eq!((base.linkage, base.kept), (Linkage::External, true));
    let out = trip(TEXT);
    for line in [
        "@again = alias i8, ptr @hidden",
        "@weaker = weak alias i8, ptr @base",
        "call i32 @base(i32 %v1)",
        "call i32 @weaker(",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(!out.contains("declare"), "{out}");
    assert_eq!(result(&TEXT.replace("call i32 @weaker", "call i32 @other")), 13);
}

#[test]
fn names_that_lead_nowhere_or_elsewhere_are_errors() {
    let f = "define i32 @f() {\n ret i32 0\n}";
    let cases = [
        ("@a = alias i32, ptr @b".to_string(), "not defined"),
        ("@a = alias i32, ptr @b\n@b = alias i32, ptr @a".to_string(), "leads to itself"),
        ("@b = external global i32\n@a = alias i32, ptr @b".to_string(), "must be defined here"),
        (
            "@b = weak global i32 0\n@a = alias i32, ptr @b".to_string(),
            "what may be replaced is not supported",
        ),
        (
            "@b = global i32 0\n@a = weak alias i32, ptr @b\n@c = alias i32, ptr @a".to_string(),
            "what may be replaced is not supported",
        ),
        (
            "@b = global [2 x i32] zeroinitializer\n@a = alias i32, ptr getelementptr (i8, ptr @b, i64 4)"
                .to_string(),
            "of something else than a function or a global is not supported",
        ),
        (
            "@b = global [2 x i32] zeroinitializer\n@a = alias i32, getelementptr (i8, ptr @b, i64 9)"
                .to_string(),
            "outside of what it leads into is not supported",
        ),
        (
            "@b = global i64 0\n@c = alias i8, getelementptr (i8, ptr @b, i64 4)\n\
             @a = alias i32, getelementptr (i8, ptr @c, i64 -5)"
                .to_string(),
            "outside of what it leads into is not supported",
        ),
        (format!("@a = alias i32, getelementptr (i8, ptr @f, i64 4)\n{f}"), "outside of what it leads into"),
        (
            "@b = common global i32 0\n@a = alias i32, ptr @b".to_string(),
            "what may be replaced is not supported",
        ),
        (
            "@b = global i64 0\n@a = weak alias i32, getelementptr (i8, ptr @b, i64 4)\n@c = global ptr @a"
                .to_string(),
            "a weak alias of data as an operand is not supported",
        ),
        ("@b = thread_local global i32 0\n@a = alias i32, ptr @b".to_string(), "of thread-local data, or"),
        (
            "@b = global i32 0\n@a = weak alias i32, ptr @b\n@c = global ptr @a".to_string(),
            "a weak alias of data as an operand is not supported",
        ),
        (format!("@f = alias i32, ptr @g\n{f}"), "defined twice"),
    ];
    for (text, message) in cases {
        let error = parse(&text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

/// Names of places: addresses so far behind the start, in bodies and in data, and symbols there.
#[test]
fn names_of_places_lead_into_data() {
    const PLACES: &str = "\
@table = internal global [4 x i32] [i32 10, i32 11, i32 12, i32 13]
@second = alias i32, getelementptr inbounds ([4 x i32], ptr @table, i64 0, i64 1)
@last = alias i32, getelementptr (i8, ptr @second, i64 8)
@same = alias i32, bitcast (ptr @table to ptr)
@own = internal alias i32, getelementptr (i8, ptr @last, i64 -4)
@leads = global [2 x ptr] [ptr @last, ptr getelementptr (i8, ptr @own, i64 -8)]
define i32 @main() {
  store i32 100, ptr @own
  %a = load i32, ptr getelementptr (i8, ptr @second, i64 4)
  %p = load ptr, ptr @leads
  %b = load i32, ptr %p
  %q = load ptr, ptr getelementptr ([2 x ptr], ptr @leads, i64 0, i64 1)
  %c = load i32, ptr %q
  %n = ptrtoint ptr @last to i64
  %m = sub i64 %n, ptrtoint (ptr @same to i64)
  %d = trunc i64 %m to i32
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %g = add i32 %e, %f
  ret i32 %g
}
";
    let module = parse(PLACES).unwrap();
    let env = &module.env;
    let aliases: Vec<_> =
        env.aliases.iter().map(|row| (env.names.text(row.name), row.offset, row.weak)).collect();
    assert_eq!(aliases, [("second", 4, false), ("last", 12, false), ("same", 0, false)]);
    assert_eq!(result(PLACES), 100 + 13 + 10 + 12);
    let out = trip(PLACES);
    assert!(out.contains("@last = alias i8, getelementptr (i8, ptr @table, i32 12)"), "{out}");
    assert!(out.contains("@same = alias i8, ptr @table"), "{out}");
}
