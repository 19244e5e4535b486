//! What machine passes make of text, each where it has something to do and where it must not, and what is said of text that
//! is no machine IR.

use super::*;
use crate::isa::find;
use crate::opt::Level;
use std::panic::catch_unwind;

fn options(target: &str, stop: &str, text: bool) -> Options {
    let asked = crate::opt::Options {
        verify: true,
        stop_after: Some(stop.to_string()),
        ..crate::opt::Options::default()
    };
    let target = find(target).unwrap();
    let features = crate::isa::features::default_of(target);
    let watch = code::watch(&asked, false);
    Options { watch, text, rows: true, code: false, ..Options::of(target, features, Level::O2) }
}

/// The rows of a function behind a pass, without what stands around them.
fn behind(target: &str, after: &str, pass: &str, function: &str) -> Result<Vec<String>, ParseError> {
    let text = format!("mir {target} after {after}\n{function}");
    let made = compile(&text, &options(target, pass, false))?;
    let rows = made.dump.lines().filter(|line| line.starts_with("    ") || line.starts_with("layout"));
    Ok(rows.map(|line| line.trim().to_string()).collect())
}

/// A loop that passes on `v3`, which `more` needs as well.
fn counting(use_: &str) -> String {
    format!(
        "function 0
mb0 -> mb1
    v0:i8@r0, v1:i8@r1 = entry
    b mb1
mb1 depth 1 frequency 8192 preds mb0 mb2 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = add_x_imm v2, #4
    v4:i8 = sub_x {use_}, v1
    cbnz_x v4, mb2
mb2 depth 1 frequency 8192 -> mb1
    b mb1
mb3
    v5:i4 = li_w
    return v5@r0
"
    )
}

#[test]
fn each_pass_does_its_work_on_text_and_leaves_what_it_must_not_touch() {
    // An increment goes behind the last use of the old value, but in front of a use of its own.
    let place = |rows: &[String], word: &str| rows.iter().position(|row| row.contains(word)).unwrap();
    for (use_, moves) in [("v2", true), ("v3", false)] {
        let rows = behind("aarch64", "select", "delay", &counting(use_)).unwrap();
        assert_eq!(place(&rows, "sub_x") < place(&rows, "add_x_imm"), moves, "{rows:?}");
    }
    // What is computed already goes, but not if a call is in between.
    let twice = |between: &str| {
        format!(
            "function 0 calls
mb0
    v0:i4@r0, v1:i4@r1 = entry
    v2:i4 = mul_w v0, v1
    {between}v3:i4 = mul_w v0, v1
    v4:i4 = sub_w v3, v2
    return v4@r0
"
        )
    };
    for (between, times) in [("", 1), ("v5:i4@r0 = bl @1\n    ", 2)] {
        let rows = behind("aarch64", "select", "number", &twice(between)).unwrap();
        assert_eq!(rows.iter().filter(|row| row.contains("mul_w")).count(), times, "{rows:?}");
    }
    // Values get registers: one that is needed behind a call has one that the call preserves.
    let call = "function 0 calls
mb0
    v0:i4@r0 = entry
    v1:i4@r0 = bl @1
    v2:i4 = add_w v1, KEPT
    return v2@r0
";
    let rows = behind("aarch64", "delay", "allocate", &call.replace("KEPT", "v0")).unwrap();
    assert!(rows.iter().any(|row| row.starts_with("r19 = mov")), "{rows:?}");
    let rows = behind("aarch64", "delay", "allocate", &call.replace("KEPT", "v1")).unwrap();
    assert!(!rows.iter().any(|row| row.contains("r19")), "{rows:?}");
    // A block that only jumps on is left out, and one that does something is not.
    let jumps = "function 0
mb0 -> mb1 mb2
    r0 = entry
    cbnz_w r0, mb1
mb1 -> mb3
    b mb3
mb2 -> mb3
    r0 = li_w #7
    b mb3
mb3
    return r0
";
    let order = |rows: Vec<String>| rows.into_iter().next_back().unwrap();
    assert_eq!(order(behind("aarch64", "allocate", "order", jumps).unwrap()), "layout mb0 mb2 mb3");
    let works = jumps.replace("mb1 -> mb3\n", "mb1 -> mb3\n    r0 = li_w #8\n");
    assert!(order(behind("aarch64", "allocate", "order", &works).unwrap()).contains("mb1"));
    // A small block instead of a jump to it, and a large one stays alone.
    let jump = |rows: &str| {
        format!(
            "function 0
mb0 -> mb1 mb2
    r0 = entry
    cbnz_w r0, mb1
mb1 -> mb3
    r0 = li_w #7
    b mb3
mb2 -> mb3
    r0 = li_w #8
    b mb3
mb3
{rows}    return r0
layout mb0 mb2 mb3 mb1
"
        )
    };
    let returns = |rows: Vec<String>| rows.iter().filter(|row| row.starts_with("return")).count();
    assert_eq!(returns(behind("aarch64", "order", "tails", &jump("")).unwrap()), 2);
    let large = jump(&"    r0 = add_w_imm r0, #1\n".repeat(20));
    assert_eq!(returns(behind("aarch64", "order", "tails", &large).unwrap()), 1);
    // Offsets in the frame, then one row for two neighbours, but not for two that are apart.
    let slots = |second: u32| {
        format!(
            "function 0
slot0 local {second} align 8
slot1 spill 8 align 8
slot2 spill 8 align 8
mb0
    r0, r1 = entry
    str_x_slot r0, frame, slot1
    str_x_slot r1, frame, slot{}
    return r0
",
            if second == 8 { 2 } else { 0 }
        )
    };
    let stores = |rows: &[String]| rows.iter().filter(|row| row.starts_with("st")).count();
    assert_eq!(stores(&behind("aarch64", "tails", "frame", &slots(8)).unwrap()), 2);
    assert_eq!(stores(&behind("aarch64", "tails", "pair", &slots(8)).unwrap()), 1);
    assert_eq!(stores(&behind("aarch64", "tails", "pair", &slots(4096)).unwrap()), 2);
    // A comparison with zero goes where a sum tells as much, and stays where a product does not.
    let compared = |row: &str| {
        format!(
            "function 0
mb0 -> mb1 mb2
    r0, r1 = entry
    r0 = {row}
    cmp.i r0
    bne mb1
mb1
    bx.lr r0
mb2
    bx.lr r1
"
        )
    };
    for (row, stays) in [("add r0, r1", false), ("mul r0, r1", true)] {
        let rows = behind("armv7", "order", "late-zero-flags", &compared(row)).unwrap();
        assert_eq!(rows.iter().any(|row| row.starts_with("cmp")), stays, "{rows:?}");
    }
    for (row, stays) in [("sub_w", false), ("mul_w", true)] {
        let text = format!(
            "function 0
mb0
    v0:i4@r0, v1:i4@r1 = entry
    v2:i4 = {row} v0, v1
    cmp_w_imm v2
    v3:i4 = csneg_w_ge v2, v2
    return v3@r0
"
        );
        let rows = behind("aarch64", "delay", "zero-flags", &text).unwrap();
        assert_eq!(rows.iter().any(|row| row.starts_with("cmp")), stays, "{rows:?}");
    }
    // A copy or an increment that is branched around is a choice, and another sum is not.
    let arm = |row: &str| {
        let text = "function 0
mb0 -> mb1 mb2
    r0, r1 = entry
    cmp_w r0, r1
    b_eq mb1
mb1 -> mb2
    r0 = ROW
    b mb2
mb2
    return r0
layout mb0 mb1 mb2
";
        behind("aarch64", "tails", "conditional", &text.replace("ROW", row)).unwrap().swap_remove(1)
    };
    for (row, becomes) in [
        ("mov_w r1", "r0 = csel_w_eq r1, r0"),
        ("mov_x r1", "r0 = csel_x_eq r1, r0"),
        ("add_w_imm r1, #1", "r0 = csinc_w_ne r0, r1"),
        ("add_w_imm r1, #2", "b_eq mb1"),
        ("add_x_imm r1, #1", "b_eq mb1"),
    ] {
        assert_eq!(arm(row), becomes);
    }
    // What is final has a prologue if there is a frame, and a branch falls through to what is next.
    let moves = |rows: &[String]| rows.iter().any(|row| row.starts_with("r31 = sub"));
    assert!(moves(&behind("aarch64", "tails", "finalise", &slots(4096)).unwrap()));
    let rows = behind("aarch64", "allocate", "relax", jumps).unwrap();
    // One of two jumps is left: that of the block which has no place in the order.
    assert_eq!(rows.iter().filter(|row| *row == "b mb3").count(), 1, "{rows:?}");
}

#[test]
fn what_cannot_go_on_is_said_with_its_line() {
    let good = counting("v2");
    let said = |head: &str, text: &str| {
        let error =
            compile(&format!("{head}\n{text}"), &options("aarch64", "", true)).map(|_| ()).unwrap_err();
        (error.line, error.what)
    };
    for (head, line, what) in [
        ("mir armv7 after select", 1, "this is for armv7"),
        ("mir aarch64 after gvn", 1, "no machine pass"),
        ("mir aarch64 after lower-cfg", 1, "no machine pass"),
        ("mir aarch64 after frame", 1, "layout of the frame"),
        ("function 7", 1, "a module begins"),
    ] {
        let error = said(head, &good);
        assert!(error.0 == line && error.1.contains(what), "{error:?}");
    }
    let head = "mir aarch64 after select";
    for (from, to, line, what) in [
        ("function 0", "function 0 slow", 2, "says nothing about a function"),
        ("function 0", "function 4000000", 1, "no function or global"),
        ("function 0", "func 0 main strong\nfunction 0", 1, "says nothing about a function"),
        ("sub_x v2, v1", "sub_x v2", 2, "operands"),
        ("sub_x v2, v1", "sub_y v2, v1", 9, "no opcode"),
        ("phi v0, v3", "phi v0", 2, "a value per predecessor"),
        ("preds mb0 mb2", "preds mb2 mb2", 2, "which does not know"),
        ("b mb1\nmb1", "b mb9\nmb1", 2, "as its successors say"),
        ("mb2 depth 1", "mb2 depth 99999999", 11, "more often"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good);
        let error = said(head, &text);
        assert!(error.0 == line && error.1.contains(what), "{from} -> {to}: {error:?}");
    }
    assert!(
        compile(&format!("{head}\n{good}"), &options("aarch64", "", true)).unwrap().text.contains("cbnz")
    );
}

/// A few rows of everything that functions carry.
const RICH: &str = "mir aarch64 after select
func 0 main
func 7 put%20int local
global 3 table
function 0 calls features 0
wide 5000000000 -1
slot0 local 40 align 8
slot1 outgoing 8 align 8
mb0 depth 0 frequency 1024 -> mb1
    v0:i4@r0, v1:f4@f0 = entry
    v2:i8 = la @3
    v3:i8 = li_wide wide0
    str_x_slot v3, frame, slot0, #8 at 17
    b mb1
mb1 depth 1 frequency 8192 preds mb0 mb2 -> mb2 mb3
    v4:i4 = phi v0, v5
    v5:i4 = add_w_imm v4, #1
    v6:i4@r0 = bl v5@r0, v1@f0, @7
    str_w v6, v2, !7
    cbnz_w v6, mb2
mb2 depth 1 frequency 8192 preds mb1 -> mb1
    b mb1
mb3 depth 0 frequency 1024 preds mb1
    return v5@r0
";

#[test]
fn damaged_text_is_an_error_and_never_a_panic() {
    let mut state = 7u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    let words =
        ["v9", "r31", "mb2", "slot1", "#-5", "99999999999", "frame", "=", "@7", "wide1", "->", "at", "%f"];
    let (mut wrong, mut right) = (0, 0);
    for _ in 0..4000 {
        let mut parts: Vec<&str> = RICH.split_inclusive([' ', '\n']).collect();
        for _ in 0..=below(3) {
            let (at, other) = (below(parts.len()), below(parts.len()));
            match below(5) {
                0 => drop(parts.remove(at)),
                1 => parts.swap(at, other),
                2 => parts.insert(at, parts[other]),
                3 => parts.truncate(at + 1),
                _ => parts[at] = words[below(words.len())],
            }
            if parts.is_empty() {
                parts.push("");
            }
        }
        let text = parts.concat();
        let done = catch_unwind(|| compile(&text, &options("aarch64", "", true)));
        match done.unwrap_or_else(|_| panic!("{text}")) {
            Ok(_) => right += 1,
            Err(error) => {
                assert!(error.line <= text.lines().count().max(1), "{error}");
                wrong += 1;
            }
        }
    }
    assert!(wrong > 1000 && right > 50, "{wrong} {right}");
    let once = compile(RICH, &options("aarch64", "delay", false)).unwrap().dump;
    let again = format!("mir aarch64 after delay\n{once}");
    assert_eq!(compile(&again, &options("aarch64", "delay", false)).map(|made| made.dump), Ok(String::new()));
}
