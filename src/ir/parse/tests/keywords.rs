//! Every keyword where it may stand is taken, or refused by its name and place; where it may not stand it is refused, too.

use super::*;
use crate::ir::parse::keywords::{APART, Handling, KEYWORDS, Keyword, METADATA, On, TEXTS, When, kind_of};

/// A word with what stands behind it.
fn written(row: &Keyword) -> String {
    let behind = match row.word {
        "align" => " 4",
        "alignstack" => "(4)",
        "byval" | "sret" | "elementtype" | "byref" | "inalloca" | "preallocated" => "(i32)",
        "dereferenceable" | "dereferenceable_or_null" => "(4)",
        "nofpclass" => "(nan inf)",
        "range" => "(i8 0, 5)",
        "captures" | "memory" => "(none)",
        "initializes" => "((0, 4))",
        "vscale_range" => "(1, 16)",
        "allockind" => "(\"alloc\")",
        "allocsize" | "addrspace" => "(0)",
        "uwtable" => "(sync)",
        "cc" => " 10",
        _ => "",
    };
    format!("{}{behind}", row.word)
}

/// Texts with the word in each place of attributes, conventions and flags; and whether it may stand there.
fn texts(row: &Keyword) -> Vec<(String, bool)> {
    let (word, at) = (written(row), row.at);
    let with = if row.word == "optnone" { " noinline" } else { "" };
    // Calls have to agree with the function on it.
    let own = if row.word == "tailcc" { "tailcc " } else { "" };
    let ty = match row.on {
        On::Int => "i8",
        On::Float => "float",
        _ => "ptr",
    };
    let op = |line: &str| {
        let line = line.replace('W', row.word);
        format!("define void @f(i32 %i, float %x, i8 %n, ptr %p) {{\n {line}\n ret void\n}}")
    };
    vec![
        (
            format!("declare {} @f({ty} {word})", if row.word == "returned" { ty } else { "void" }),
            at.meet(Places::PARAMETER) && row.word != "immarg",
        ),
        (
            format!("define internal {word} {ty} @f() {{\n ret {ty} undef\n}}"),
            at.meet(Places::RESULT.or(Places::CONVENTION)),
        ),
        (format!("declare void @f(i32) {word}{with}"), at.meet(Places::FUNCTION) && row.word != "builtin"),
        (format!("attributes #0 = {{ {word}{with} }}"), at.meet(Places::FUNCTION)),
        (
            format!(
                "define internal {own}void @f() {{\n ret void\n}}\ndefine void @g() {{\n call {word} void @f()\n ret void\n}}"
            ),
            at.meet(Places::CONVENTION),
        ),
        (format!("define void @f() {{\n {word} call void @f()\n ret void\n}}"), at.meet(Places::CALL)),
        (op("%a = add W i32 %i, 1"), at.meet(Places::WRAPS)),
        (op("%a = lshr W i32 %i, 1"), at.meet(Places::LOSES)),
        (op("%a = or W i32 %i, 1"), at.meet(Places::BITS)),
        (op("%a = xor W i32 %i, 1"), false),
        (op("%a = zext W i8 %n to i32"), at.meet(Places::SIGNS)),
        (op("%a = icmp W eq i32 %i, 1"), at.meet(Places::COMPARES)),
        (op("%a = fadd W float %x, %x"), at.meet(Places::FLOATS)),
        (op("%a = select W i1 true, float %x, float %x"), at.meet(Places::FLOATS)),
        (op("%a = getelementptr W i32, ptr %p, i32 1"), at.meet(Places::STEPS)),
    ]
}

#[test]
fn words_stand_where_their_rows_say() {
    let mut faults = String::new();
    for row in KEYWORDS {
        // These have tests of their own, or stand at what is no place of attributes only.
        let is_head = row.at.meet(Places::HEAD.or(Places::TAIL));
        for (text, may) in texts(row).into_iter().filter(|_| !is_head) {
            let done = parse(&text).map(|_| ()).map_err(|error| error.to_string());
            let is_refused = row.handling == Handling::Refused;
            let good = match &done {
                Ok(()) => may && !is_refused,
                // Structs by value are ARMv7's.
                Err(error) => {
                    !may || is_refused && error.contains(row.word) && error.contains(row.note)
                        || row.word == "byval"
                        || row.word == "cc" && error.contains("cc 10")
                }
            };
            if !good {
                faults += &format!("{}: {done:?}\n{text}\n", row.word);
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn each_word_has_one_row() {
    for (k, row) in KEYWORDS.iter().enumerate() {
        assert!(KEYWORDS[..k].iter().all(|other| other.word != row.word), "{}", row.word);
    }
    for (a, b) in APART {
        for word in [a, b] {
            assert!(KEYWORDS.iter().any(|row| row.word == *word), "{word}");
        }
    }
    for row in METADATA {
        assert_eq!(kind_of(row.name).map(|found| found.name), Some(row.name));
    }
}

#[test]
fn string_attributes_that_change_the_meaning_are_refused_by_name() {
    for row in TEXTS {
        let key = row.key.replace('*', "x");
        let (bad, good) = match row.when {
            When::Any => ("", None),
            When::Is(text) => (text, Some("no")),
            When::Has(text) => (text, Some("+m,-soft-float")),
            When::IsNot(text) => ("other", Some(text)),
        };
        let read = |value: &str| {
            parse(&format!("declare void @f() \"{key}\"=\"{value}\"")).map(|_| ()).map_err(|e| e.message)
        };
        let error = read(bad).unwrap_err();
        assert!(error.contains(&key) && error.contains(row.note), "{error}");
        if let Some(good) = good {
            assert_eq!(read(good), Ok(()), "{key}");
        }
    }
    assert!(parse("declare void @f() \"frame-pointer\"=\"all\" \"anything\"").is_ok());
}

#[test]
fn what_would_be_silently_wrong_is_refused_with_its_place() {
    let own = "define internal fastcc void @own() {\n ret void\n}\n";
    for (text, line, column, message) in [
        ("define void @f(...) {\n musttail call void @f()\n ret void\n}", 2, 2, "`musttail` with variadic"),
        ("define fastcc void @f() {\n ret void\n}", 1, 8, "`fastcc` is not supported"),
        ("declare coldcc void @f()", 1, 9, "`coldcc` is not supported"),
        ("define void @f() {\n call fastcc void @f()\n ret void\n}", 2, 7, "`fastcc` is not supported"),
        ("define void @f(ptr %p) {\n call fastcc void %p()\n ret void\n}", 2, 7, "`fastcc` is not supported"),
        ("define swifttailcc void @f() {\n ret void\n}", 1, 8, "`swifttailcc` is not supported"),
        ("define cc 10 void @f() {\n ret void\n}", 1, 8, "`cc 10` is not supported"),
        ("define cc10 void @f() {\n ret void\n}", 1, 8, "`cc 10` is not supported"),
        ("define void @f() #0 {\n ret void\n}\nattributes #0 = { nounwind naked }", 4, 28, "`naked` is not"),
        ("define void @f() prologue i32 0 {\n ret void\n}", 1, 18, "`prologue` is not supported"),
        ("@x = global i32 0, partition \"a\"", 1, 20, "`partition` is not supported"),
        ("@x = global i32 0, !exclude !{}", 1, 20, "`!exclude` is not supported"),
        ("define void @f() alignstack(64) {\n ret void\n}", 1, 18, "`alignstack` is not supported"),
    ] {
        let error = parse(text).map(|_| ()).expect_err(text);
        assert!(error.message.contains(message), "{text}\n{error}");
        assert_eq!((error.line, error.column), (line, column), "{text}\n{error}");
    }
    let inside =
        "define void @f() {\n tail call fastcc void @own()\n notail call fastcc void @own()\n ret void\n}\n";
    assert!(parse(&format!("{own}{inside}")).is_ok());
    let convention = "define arm_aapcs_vfpcc void @f() {\n ret void\n}";
    let on = |name, bytes| parse_for(convention, &Platform { pointer_bytes: bytes, name, ..ANY });
    assert!(on("armv7", 4).is_ok() && on("aarch64", 8).is_err());
}

#[test]
fn what_calls_do_to_memory_is_said_of_pointers_as_llvm_has_it() {
    let read =
        |word: &str| parse(&format!("declare i8 @f(i8 {word})")).map(|_| ()).map_err(|error| error.message);
    assert_eq!(read("writeonly"), Ok(()));
    for word in ["readonly", "readnone"] {
        assert!(read(word).is_err_and(|message| message.contains("cannot stand")), "{word}");
    }
}

#[test]
fn what_rustc_writes_of_functions_is_read() {
    let text = "\
$\"a b\" = comdat any
define noundef zeroext i1 @f(ptr dead_on_unwind noalias noundef writable writeonly sret([24 x i8]) align 8 captures(none) dereferenceable(24) %a, i32 noundef range(i32 0, 1114112) %c, ptr captures(address, read_provenance) %d) unnamed_addr #0 comdat($\"a b\") personality ptr @rust_eh_personality {
  ret i1 true
}
declare noalias noundef ptr @alloc(i64 noundef, i64 allocalign noundef range(i64 1, -9223372036854775807)) unnamed_addr #1
declare noundef range(i32 0, 10) i32 @rust_eh_personality(i32 noundef) unnamed_addr #0
attributes #0 = { nofree norecurse nosync nounwind nonlazybind memory(argmem: read) uwtable \"probe-stack\"=\"inline-asm\" \"target-cpu\"=\"x86-64\" }
attributes #1 = { nounwind nonlazybind allockind(\"alloc,uninitialized,aligned\") allocsize(0) uwtable \"alloc-family\"=\"__rust_alloc\" }
";
    assert!(parse(text).is_ok(), "{:?}", parse(text).err());
}
